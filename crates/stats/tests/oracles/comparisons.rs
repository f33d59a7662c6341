//! How often arms are told apart that differ, and that do not.

use crate::queue::{self, Chance, Server};
use crate::{NANOS, quantile, sorted};
use doorclock_stats::{Paired, Quantile, plain_rule, rounds_needed};

const ROUNDS: u64 = 6;
const SECONDS: f64 = 15.0;

/// ln p99 of one run: arrivals and stalls are those of the round, and how long
/// each request takes is the run's own chance.
fn ln_p99(round: u64, run: u64) -> f64 {
    let mut of_round = Chance::new(round);
    let stalls = queue::stalls(&mut of_round, SECONDS, queue::jittered);
    let mut of_run = Chance::new(run ^ 0x5eed);
    let mut server = Server::new(stalls);
    let (mut came, mut waits) = (0.0, Vec::new());
    loop {
        came += of_round.exponential(1.0 / 546.0);
        if came >= SECONDS {
            return (quantile(&sorted(waits), Quantile::P99) * NANOS).ln();
        }
        waits.push(server.serve(came, of_run.exponential(1.0 / 1092.0)) - came);
    }
}

/// Normal by Box and Muller.
fn normal(chance: &mut Chance) -> f64 {
    (-2.0 * chance.uniform().ln()).sqrt() * (std::f64::consts::TAU * chance.uniform()).cos()
}

/// ln of both arms' numbers over the rounds, where b is `effect` above a, rounds
/// scatter by 12.5 % and pairs by 2.4 %: figures of simulated 60 s runs.
fn noisy(chance: &mut Chance, rounds: usize, effect: f64) -> (Vec<f64>, Vec<f64>) {
    let arm = |chance: &mut Chance| 0.024 / std::f64::consts::SQRT_2 * normal(chance);
    let pair = |chance: &mut Chance| {
        let round = 0.125 * normal(chance);
        (round + arm(chance), round + arm(chance) + effect)
    };
    (0..rounds).map(|_| pair(chance)).unzip()
}

fn differences((a, b): &(Vec<f64>, Vec<f64>)) -> Paired {
    Paired::new(&a.iter().zip(b).map(|(a, b)| b - a).collect::<Vec<_>>()).expect("finite")
}

/// The share of 2,000 experiments in which `told` holds.
fn share_told(rounds: usize, effect: f64, told: impl Fn(&(Vec<f64>, Vec<f64>)) -> bool) -> f64 {
    let mut chance = Chance::new(rounds as u64);
    let count = (0..2_000).filter(|_| told(&noisy(&mut chance, rounds, effect))).count();
    count as f64 / 2_000.0
}

fn paired_rule(arms: &(Vec<f64>, Vec<f64>)) -> bool {
    differences(arms).told_apart() == Some(true)
}

#[test]
fn an_arm_is_told_apart_from_itself_in_at_most_five_of_a_hundred_experiments() {
    let told = |experiment: u64| {
        let arm = |twin: u64| -> Vec<f64> {
            (0..ROUNDS)
                .map(|round| ln_p99(experiment * 100 + round, experiment * 1_000 + round * 10 + twin))
                .collect()
        };
        paired_rule(&(arm(1), arm(2)))
    };
    let alarms = (0..100).filter(|experiment| told(*experiment)).count();
    assert!(alarms <= 5, "{alarms} false alarms in 100");
}

#[test]
fn false_alarms_are_as_rare_as_the_number_of_rounds_says() {
    for (rounds, most) in [(5, 0.05), (6, 0.045), (8, 0.016)] {
        let alarms = share_told(rounds, 0.0, paired_rule);
        assert!(alarms > 0.0 && alarms <= most, "{alarms} with {rounds} rounds");
    }
}

#[test]
fn a_difference_of_six_per_cent_is_seen_by_pairs_and_hardly_ever_without_overlap() {
    for rounds in [5, 6] {
        let of_pairs = share_told(rounds, 0.06f64.ln_1p(), paired_rule);
        assert!(of_pairs >= 0.9, "pairs see it in {of_pairs} with {rounds} rounds");
        let plain = share_told(rounds, 0.06f64.ln_1p(), |(a, b)| plain_rule(a, b) == Some(true));
        assert!(plain <= 0.02, "the plain rule sees it in {plain} with {rounds} rounds");
    }
}

#[test]
fn so_many_rounds_as_are_said_to_be_needed_see_it_four_times_in_five() {
    // Pairs scatter by 2.4 %.
    for effect in [0.01, 0.02, 0.03] {
        let rounds = rounds_needed(0.024, effect).expect("a number") as usize;
        let seen = share_told(rounds, f64::ln_1p(effect), |arms| {
            differences(arms).student_interval(0.95).is_some_and(|(low, high)| low > 0.0 || high < 0.0)
        });
        assert!((0.78..0.9).contains(&seen), "{effect} is seen in {seen} with {rounds} rounds");
    }
}

#[test]
fn the_exact_interval_covers_as_often_as_it_says() {
    for rounds in [5, 6, 8] {
        let mut said = 0.0;
        let covered = share_told(rounds, 0.06, |arms| {
            let interval = differences(arms).interval().expect("an interval");
            interval.low <= 0.06 && 0.06 <= interval.high
        });
        said += differences(&noisy(&mut Chance::new(1), rounds, 0.0)).interval().expect("one").coverage;
        assert!((covered - said).abs() < 0.02, "{covered} covered, {said} said, with {rounds} rounds");
    }
}
