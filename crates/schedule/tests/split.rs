//! One schedule over four machines: by random marks each machine's arrivals,
//! and their union on clocks that differ, stay Poisson. Dealt out in turn they
//! do not, which these tests show with the same eyes.

use doorclock_schedule::{Arrival, Arrivals, Profile, Segment, Share};
use model::{ArrivalProcess, Nanos, Seed};
use stats::{coefficient_of_variation, lag_1_correlation};

const SEED: Seed = Seed(2026);
const MACHINES: u32 = 4;

/// How a schedule is split: the machine of an arrival.
type Split = fn(u64) -> u32;

fn by_marks(index: u64) -> u32 {
    let owner = (0..MACHINES).find(|machine| Share::new(SEED, *machine, MACHINES).has_arrival(index));
    owner.expect("every arrival has a machine")
}

fn in_turn(index: u64) -> u32 {
    (index % u64::from(MACHINES)) as u32
}

/// 546/s over 366 s: 200,000 arrivals.
fn plan() -> Vec<Arrival> {
    let profile = Profile::new(&[Segment::level(546.0, Nanos::from_secs(366))]).expect("a good profile");
    Arrivals::new(profile, ArrivalProcess::Poisson, SEED).collect()
}

/// Coefficient of variation and lag-1 correlation of the gaps between moments.
fn gaps_of(mut moments: Vec<Nanos>) -> (f64, f64) {
    moments.sort();
    let gaps: Vec<f64> = moments.windows(2).map(|pair| (pair[1] - pair[0]).as_secs_f64()).collect();
    let [cv, lag_1] = [coefficient_of_variation(&gaps), lag_1_correlation(&gaps)].map(|it| it.expect("gaps"));
    (cv, lag_1)
}

/// The gaps of one machine's arrivals.
fn one_machine(split: Split) -> (f64, f64) {
    let own = plan().into_iter().filter(|arrival| split(arrival.index) == 1);
    gaps_of(own.map(|arrival| arrival.scheduled).collect())
}

/// The gaps of all arrivals, where each machine's clock is 20 ms behind the last one's.
fn union_on_differing_clocks(split: Split) -> (f64, f64) {
    let late =
        |arrival: Arrival| arrival.scheduled + Nanos::from_millis(20) * u64::from(split(arrival.index));
    gaps_of(plan().into_iter().map(late).collect())
}

fn close(found: f64, expected: f64) -> bool {
    // Six standard deviations of these figures over 200,000 gaps, three over 50,000.
    (found - expected).abs() < 0.0135
}

#[test]
fn all_parts_together_are_the_one_schedule() {
    let plan = plan();
    let whole: Vec<Arrival> =
        plan.iter().copied().filter(|arrival| Share::whole().has_arrival(arrival.index)).collect();
    assert_eq!(whole, plan);
    for parts in [1, 2, 3, 4, 7] {
        let shares: Vec<Share> = (0..parts).map(|part| Share::new(SEED, part, parts)).collect();
        let mut sizes = vec![0_u32; parts as usize];
        for arrival in &plan {
            let owners: Vec<usize> =
                (0..shares.len()).filter(|at| shares[*at].has_arrival(arrival.index)).collect();
            assert_eq!(owners.len(), 1, "{arrival:?} of {parts} parts belongs to {owners:?}");
            sizes[owners[0]] += 1;
        }
        let fair = plan.len() as f64 / f64::from(parts);
        let off = |size: u32| (f64::from(size) - fair).abs() / fair.sqrt();
        assert!(sizes.iter().all(|size| off(*size) < 3.5), "{parts} parts: {sizes:?}");
    }
}

#[test]
fn split_by_marks_each_machine_sends_a_poisson_process() {
    let (cv, lag_1) = one_machine(by_marks);
    assert!(close(cv, 1.0) && close(lag_1, 0.0), "cv {cv}, lag-1 correlation {lag_1}");
}

#[test]
fn split_by_marks_the_union_stays_poisson_whatever_the_clocks_say() {
    let (cv, lag_1) = union_on_differing_clocks(by_marks);
    assert!(close(cv, 1.0) && close(lag_1, 0.0), "cv {cv}, lag-1 correlation {lag_1}");
}

#[test]
fn dealt_out_in_turn_neither_holds() {
    let (cv, _) = one_machine(in_turn);
    assert!(close(cv, 0.50), "Erlang-4 gaps: cv {cv}");
    let (cv, lag_1) = union_on_differing_clocks(in_turn);
    assert!(close(cv, 0.80) && close(lag_1, -0.21), "cv {cv}, lag-1 correlation {lag_1}");
}
