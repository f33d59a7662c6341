//! Whether what is sent follows the shape that was asked for, second by second
//! and no closer than chance allows; and whether several senders together send
//! what one would.

use doorclock_schedule::log::{LogFormat, LogOptions, parse};
use doorclock_schedule::shape::{Burst, Day, RampUp, Soak, Stages, Steady, UntilStage, repeated};
use doorclock_schedule::{
    Arrivals, Closed, Open, Paced, Profile, Recorded, ReplayOptions, Share, Tester, UserLevels,
};
use model::{ArrivalProcess, Nanos, Seed, Shape, ShapeKind, Stage, StageUnit};
use stats::count_z;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

const fn secs(secs: u64) -> Nanos {
    Nanos::from_secs(secs)
}

/// Every shape that is written in loads, with a mean load near `load`.
fn shapes(load: f64) -> Vec<(&'static str, Vec<Stage>)> {
    let until = |at, part: f64, is_slope| UntilStage { until: secs(at), load: load * part, is_slope };
    let steps = RampUp { from: load * 0.2, to: load * 1.8, steps: 9, each: secs(5), is_slope: false };
    let parts = [(0.0, 0.1), (9.0, 2.0), (14.0, 1.2), (20.0, 1.5), (23.0, 0.2)];
    let points = parts.map(|(hour, part)| (Nanos::from_secs_f64(hour * 2.0), load * part)).to_vec();
    let (base, peak) = (load * 0.5, load * 3.0);
    let burst = Burst { base, peak, before: secs(15), lasts: secs(10), after: secs(20) };
    let stages =
        vec![until(10, 1.0, false), until(25, 2.0, true), until(30, 0.0, false), until(50, 1.0, true)];
    let all = [
        ("stages", Stages { stages }.stages()),
        ("ramp-up in steps", steps.stages()),
        ("ramp-up as a slope", RampUp { is_slope: true, ..steps }.stages()),
        ("steady", Steady { load, lasts: secs(45) }.stages()),
        ("burst", burst.stages()),
        ("soak", Soak { load, lasts: secs(60) }.stages()),
        ("day", Day { points, lasts: secs(48) }.stages()),
        ("burst, twice", burst.stages().and_then(|stages| repeated(&stages, 2))),
    ];
    all.map(|(name, stages)| (name, stages.unwrap_or_else(|error| panic!("{name}: {error}")))).to_vec()
}

fn shape(unit: StageUnit, pace: Option<Nanos>, stages: Vec<Stage>) -> Shape {
    Shape { kind: ShapeKind::Stages, unit, pace, stages, replay: None }
}

/// The same arrivals a second, as rates and as users with a pace.
fn as_rates_and_users(stages: &[Stage]) -> [Shape; 2] {
    let pace = Nanos::from_millis(2_500);
    let users = |load: f64| load * pace.as_secs_f64();
    let of_users = |stage: &Stage| Stage { from: users(stage.from), to: users(stage.to), ..*stage };
    [
        shape(StageUnit::PerSecond, None, stages.to_vec()),
        shape(StageUnit::Users, Some(pace), stages.iter().map(of_users).collect()),
    ]
}

const WARM_UP: Nanos = secs(3);

fn profile(shape: &Shape) -> Profile {
    Profile::of_shape(shape, WARM_UP).expect("a good shape")
}

/// How `sent` compares with the plan: the z of the whole count, and the mean
/// over all seconds of (count − planned)² ÷ planned with its own z. Of a
/// Poisson process the mean is 1 and its standard deviation √((2 + 1/planned) ÷ seconds).
struct Followed {
    count_z: f64,
    scatter: f64,
    scatter_z: f64,
}

fn followed(sent: &[Nanos], plan: &Profile) -> Followed {
    let second = |nth| plan.cumulative(secs(nth + 1)) - plan.cumulative(secs(nth));
    let (mut at, mut squares, mut variance) = (0, Vec::new(), 0.0);
    for nth in 0..plan.end().0 / secs(1).0 {
        let until = sent.partition_point(|moment| *moment < secs(nth + 1));
        let planned = second(nth);
        if planned > 0.0 {
            squares.push(count_z((until - at) as u64, planned).powi(2));
            variance += 2.0 + 1.0 / planned;
        } else {
            assert_eq!(until, at, "nothing was planned in second {nth}");
        }
        at = until;
    }
    assert_eq!(at, sent.len(), "nothing comes after the end");
    let seconds = squares.len() as f64;
    let scatter = squares.iter().sum::<f64>() / seconds;
    let scatter_z = (scatter - 1.0) / (variance.sqrt() / seconds);
    Followed { count_z: count_z(sent.len() as u64, plan.expected()), scatter, scatter_z }
}

fn sent(plan: &Profile, process: ArrivalProcess, seed: u64) -> Vec<Nanos> {
    Arrivals::new(plan.clone(), process, Seed(seed)).map(|arrival| arrival.scheduled).collect()
}

#[test]
fn counts_per_second_of_every_shape_follow_the_planned_rate_within_poisson_noise() {
    for (rate, seeds) in [(10.0, 1..=20), (20_000.0, 1..=2)] {
        let mut all = Vec::new();
        for (name, stages) in shapes(rate) {
            for shape in as_rates_and_users(&stages) {
                let plan = profile(&shape);
                for seed in seeds.clone() {
                    let found = followed(&sent(&plan, ArrivalProcess::Poisson, seed), &plan);
                    let (count, scatter) = (found.count_z, found.scatter_z);
                    // Rates and users share their chance. Of 160 counts that do not, one
                    // lies 4 deviations off in 1 of 100 such tests; the scatter's upper
                    // tail is longer, being that of a sum of squares.
                    assert!(count.abs() < 4.0, "{name} at {rate}/s, seed {seed}: count {count} off");
                    assert!(scatter.abs() < 5.0, "{name} at {rate}/s, seed {seed}: scatter {scatter} off");
                    all.push((count, scatter));
                }
            }
        }
        let together =
            |part: fn(&(f64, f64)) -> f64| all.iter().map(part).sum::<f64>() / (all.len() as f64).sqrt();
        let (count, scatter) = (together(|it| it.0), together(|it| it.1));
        // Rates and users share their chance, so two and two say the same.
        assert!(count.abs() < 3.3 * 1.42 && scatter.abs() < 3.3 * 1.42, "{rate}/s: {count}, {scatter}");
    }
}

#[test]
fn the_same_eyes_see_a_load_that_follows_another_shape_or_follows_too_closely() {
    for (name, stages) in shapes(20_000.0) {
        let [rates, _] = as_rates_and_users(&stages);
        let plan = profile(&rates);
        let half_a_percent_more = stages.iter().map(|stage| {
            let (from, to) = (stage.from * 1.005, stage.to * 1.005);
            Stage { from, to, ..*stage }
        });
        let faster = profile(&Shape { stages: half_a_percent_more.collect(), ..rates.clone() });
        let found = followed(&sent(&faster, ArrivalProcess::Poisson, 1), &plan);
        assert!(found.count_z > 3.3, "{name}: half a percent too many, z {}", found.count_z);

        let even = followed(&sent(&plan, ArrivalProcess::Even, 1), &plan);
        assert!(even.scatter < 0.01 && even.scatter_z < -4.0, "{name}: even, {}", even.scatter);

        let level = vec![Stage::level(rates.length(), rates.mean())];
        let flat = profile(&Shape { stages: level, ..rates.clone() });
        if stages.len() > 1 {
            let end = flat.end().min(plan.end());
            let mut of_mean = sent(&flat, ArrivalProcess::Poisson, 1);
            // A silence is checked by itself: here only what was planned counts.
            of_mean.retain(|moment| {
                *moment < end && plan.cumulative(*moment) < plan.cumulative(*moment + Nanos(1_000))
            });
            assert!(followed(&of_mean, &plan).scatter > 5.0, "{name}: its mean is not its shape");
        }
    }
}

#[test]
fn a_recording_keeps_its_counts_and_its_order_second_by_second() {
    let lines: String = (0..40_u64)
        .flat_map(|second| (0..second * 7 % 13).map(move |nth| (second, nth)))
        .map(|(second, nth)| format!("{},GET,/{second}/{nth}\n", 1_700_000_000 + second))
        .collect();
    let log = parse(lines.as_bytes(), &LogOptions::new(LogFormat::Times)).expect("a good log");
    // The first line is of second 1.
    let recorded = Arc::new(Recorded::new(&log, &ReplayOptions::new(Seed(3))).expect("arrivals"));
    let mut counts = [0; 40];
    for (arrival, request) in Arrivals::recorded(Arc::clone(&recorded), WARM_UP).zip(recorded.order()) {
        let second = (arrival.scheduled - WARM_UP).0 / secs(1).0 + 1;
        counts[second as usize] += 1;
        assert!(recorded.requests()[*request as usize].1.starts_with(&format!("/{second}/")));
    }
    let expected: Vec<u64> = (0..40).map(|second| second * 7 % 13).collect();
    assert_eq!(counts, &expected[..]);
}

/// Everything that testers send, one for each part, against a service that
/// takes as long for a user's n-th request as chance says, and fails some: the
/// user of each request and when it was due, in order.
fn all_sent(testers: Vec<impl Tester>) -> Vec<(Nanos, u32)> {
    let mut all: Vec<_> = testers.into_iter().flat_map(|mut tester| sent_by(&mut tester)).collect();
    all.sort_unstable();
    all
}

fn sent_by(tester: &mut dyn Tester) -> Vec<(Nanos, u32)> {
    let mut all = Vec::new();
    let mut answers = BinaryHeap::new();
    loop {
        let answered: Option<Nanos> = answers.peek().map(|Reverse((at, _, _))| *at);
        match (tester.due(), answered) {
            (Some(due), answered) if answered.is_none_or(|at| due < at) => {
                let taken = tester.take().expect("what was announced");
                assert_eq!(taken.scheduled, due);
                all.push((due, taken.user));
                let chance = Seed(u64::from(taken.user)).mark(due.0);
                let took = if chance.is_multiple_of(10) { 3_000_000_000 } else { chance % 70_000_000 };
                answers.push(Reverse((due + Nanos(took), taken.user, chance.is_multiple_of(13))));
            }
            (_, Some(at)) => {
                let Some(Reverse((_, user, failed))) = answers.pop() else { unreachable!("it was seen") };
                tester.done(user, at, failed);
            }
            (_, None) => return all,
        }
    }
}

fn parts(count: u32) -> impl Iterator<Item = Share> {
    (0..count).map(move |part| Share::new(Seed(9), part, count))
}

#[test]
fn any_shape_split_over_threads_is_the_arrivals_of_one() {
    for (name, stages) in shapes(200.0) {
        let [rates, users] = as_rates_and_users(&stages);
        for (process, shape) in [(ArrivalProcess::Poisson, &rates), (ArrivalProcess::Even, &users)] {
            let arrivals = Arrivals::new(profile(shape), process, Seed(9));
            let one: Vec<_> = arrivals.clone().map(|arrival| (arrival.scheduled, 0)).collect();
            for count in [1, 2, 3, 7] {
                let testers = parts(count).map(|share| Open::new(arrivals.clone(), share)).collect();
                assert_eq!(all_sent(testers), one, "{name}, {process:?}, {count} parts");
            }
        }
    }
}

#[test]
fn a_recording_split_over_threads_is_the_arrivals_of_one() {
    let lines: String = (0..3_000).map(|nth| format!("{},GET,/{}\n", nth / 60, nth % 17)).collect();
    let log = parse(lines.as_bytes(), &LogOptions::new(LogFormat::Times)).expect("a good log");
    let how = ReplayOptions { speed: 1.5, repeat: 2, ..ReplayOptions::new(Seed(9)) };
    let arrivals = Arrivals::recorded(Arc::new(Recorded::new(&log, &how).expect("arrivals")), WARM_UP);
    let one: Vec<_> = arrivals.clone().map(|arrival| (arrival.scheduled, 0)).collect();
    assert_eq!(one.len(), 6_000);
    for count in [1, 2, 3, 7] {
        let testers = parts(count).map(|share| Open::new(arrivals.clone(), share)).collect();
        assert_eq!(all_sent(testers), one, "{count} parts");
    }
}

#[test]
fn users_over_time_split_over_threads_send_what_they_send_together() {
    for (name, stages) in shapes(20.0) {
        let levels = UserLevels::of_shape(&shape(StageUnit::Users, None, stages), WARM_UP);
        let closed = |share| Closed::over_time(levels.clone(), share);
        let paced = |share| Paced::over_time(levels.clone(), Nanos::from_millis(700), share);
        let together = (sent_by(&mut closed(Share::whole())), sent_by(&mut paced(Share::whole())));
        assert!(together.0.len() > 1_000 && together.1.len() > 1_000, "{name} sends something");
        for count in [1, 2, 3, 7] {
            let split =
                (all_sent(parts(count).map(closed).collect()), all_sent(parts(count).map(paced).collect()));
            assert!(split == together, "{name}, {count} parts");
        }
    }
}

#[test]
fn no_request_of_users_over_time_is_due_while_its_user_is_not_there() {
    for (name, stages) in shapes(20.0) {
        let levels = UserLevels::of_shape(&shape(StageUnit::Users, None, stages), WARM_UP);
        let mut closed = Closed::over_time(levels.clone(), Share::whole());
        let mut paced = Paced::over_time(levels.clone(), Nanos::from_millis(700), Share::whole());
        for sent in [sent_by(&mut closed), sent_by(&mut paced)] {
            for (due, user) in sent {
                assert_eq!(levels.there_from(user, due), Some(due), "{name}: user {user}");
            }
        }
    }
}
