//! Loads that change over time on servers whose truth is known: leaks, bursts
//! and ramps.

use crate::queue::{Chance, Server};
use crate::{NANOS, close, quantile, sorted};
use doorclock_stats::{
    Course, Found, Goes, Height, Quantile, Step, Trend, WidthFrom, crossing, median, overshoot, saturation,
};

/// Normal by Box and Muller.
fn normal(chance: &mut Chance) -> f64 {
    (-2.0 * chance.uniform().ln()).sqrt() * (std::f64::consts::TAU * chance.uniform()).cos()
}

/// The memory of a service that collects its garbage: 240 readings of a sawtooth
/// of 100 MB that takes 9 to 27 of them to fill, over a floor that scatters by
/// 3 MB from tooth to tooth and rises by `leak` over the run.
fn sawtooth(seed: u64, leak: f64) -> Vec<f64> {
    let mut chance = Chance::new(seed);
    let tooth = |chance: &mut Chance| (3.0 * normal(chance), 100.0 / (18.0 * (0.5 + chance.uniform())));
    let mut filled = 100.0 * chance.uniform();
    let (mut floor, mut rises) = tooth(&mut chance);
    let mut reading = |at: u32| {
        let value = 300.0 + floor + filled + leak * f64::from(at) / 240.0;
        filled += rises;
        if filled >= 100.0 {
            filled = 0.0;
            (floor, rises) = tooth(&mut chance);
        }
        value
    };
    (0..240).map(&mut reading).collect()
}

/// The trend of twelve windows, each told by `of`.
fn trend(readings: &[f64], of: fn(&[f64]) -> f64) -> Trend {
    let windows: Vec<(f64, f64)> =
        readings.chunks(20).zip(0u32..).map(|(window, at)| (f64::from(at) / 12.0, of(window))).collect();
    Trend::of(&windows)
}

fn least(window: &[f64]) -> f64 {
    window.iter().copied().fold(f64::INFINITY, f64::min)
}

fn middle(window: &[f64]) -> f64 {
    median(window).expect("twenty readings")
}

fn share(runs: u64, holds: impl Fn(u64) -> bool) -> f64 {
    (0..runs).filter(|seed| holds(*seed)).count() as f64 / runs as f64
}

#[test]
fn a_leak_shows_under_a_sawtooth_five_times_as_high_and_none_shows_where_there_is_none() {
    let found = |leak: f64, of| share(1_000, |seed| trend(&sawtooth(seed, leak), of).goes == Goes::Up);
    let (none, ten, twenty) = (found(0.0, least), found(10.0, least), found(20.0, least));
    assert!(none <= 0.015, "{none} of runs without a leak");
    assert!((0.3..0.55).contains(&ten), "{ten} of leaks of 10 MB");
    assert!((0.82..0.95).contains(&twenty), "{twenty} of leaks of 20 MB");
    let blind = found(20.0, middle);
    assert!(blind < 0.2, "medians find {blind} of them");
}

#[test]
fn the_slope_of_a_leak_is_unbiased_and_its_interval_covers_it() {
    let slopes = |of: fn(&Trend) -> f64| (0..1_000).map(move |seed| of(&trend(&sawtooth(seed, 20.0), least)));
    let mean = slopes(|trend| trend.slope.expect("a slope")).sum::<f64>() / 1_000.0;
    close(mean, 20.0, 0.05);
    let covered = share(1_000, |seed| {
        let (low, high) = trend(&sawtooth(seed, 20.0), least).slope_interval.expect("an interval");
        low <= 20.0 && 20.0 <= high
    });
    assert!((0.92..0.99).contains(&covered), "{covered} covered");
}

/// Medians of blocks of 20 values of which each keeps `kept` of the last.
fn block_medians(seed: u64, kept: f64) -> Trend {
    let mut chance = Chance::new(seed);
    let mut value = normal(&mut chance);
    let mut next = || {
        let now = value;
        value = kept * value + (1.0 - kept * kept).sqrt() * normal(&mut chance);
        now
    };
    let values: Vec<f64> = (0..240).map(|_| next()).collect();
    trend(&values, middle)
}

#[test]
fn blocks_that_hang_together_are_too_few_to_tell_and_separate_ones_seldom_are() {
    let goes = |kept, goes| share(600, |seed| block_medians(seed, kept).goes == goes);
    for kept in [0.5, 0.8] {
        let (up, unknown) = (goes(kept, Goes::Up), goes(kept, Goes::CannotSay));
        assert!(up <= 0.02 && unknown <= 0.09, "{up} go up, {unknown} cannot be told at {kept}");
    }
    // A correlation that lasts for five blocks.
    let unknown = goes(0.99, Goes::CannotSay);
    assert!(unknown > 0.5, "{unknown} cannot be told");
}

/// Arrivals by chance at 500/s, 1,500/s from `BEFORE` on for 2 s, and 500/s
/// again, served one after the other at 1,000/s, as (came, done).
fn burst(seed: u64) -> Vec<(f64, f64)> {
    let mut chance = Chance::new(seed);
    let mut server = Server::new(Vec::new());
    let mut all = Vec::new();
    for (rate, began, ended) in [(500.0, 0.0, BEFORE), (1500.0, BEFORE, OVER), (500.0, OVER, END)] {
        let mut at = began + chance.exponential(1.0 / rate);
        while at < ended {
            all.push((at, server.serve(at, chance.exponential(0.001))));
            at += chance.exponential(1.0 / rate);
        }
    }
    all
}

const BEFORE: f64 = 20.0;
const OVER: f64 = 22.0;
const END: f64 = 32.0;

fn nanos(seconds: f64) -> u64 {
    (seconds * NANOS) as u64
}

#[test]
fn recovery_from_a_burst_takes_what_the_fluid_limit_says_and_scatters_as_it_says() {
    let (mut recoveries, mut peaks, mut slowest) = (Vec::new(), Vec::new(), Vec::new());
    for seed in 0..200 {
        let requests = burst(seed);
        let mut course = Course::new(0..nanos(END));
        for (came, done) in &requests {
            course.arrive(nanos(*came));
            course.leave(nanos(*done));
        }
        let levels = course.finish();
        let usual = levels.quantile(0..nanos(BEFORE), Quantile::P99).expect("a time before");
        let back = levels.first_at_most(nanos(OVER)..nanos(END), usual).expect("it recovers");
        recoveries.push(back as f64 / NANOS - OVER);
        peaks.push(levels.peak(nanos(BEFORE)..nanos(END)).expect("a peak").0 as f64);
        slowest.push(requests.iter().map(|(came, done)| done - came).fold(0.0, f64::max));
    }
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let spread = |values: &[f64]| doorclock_stats::sd(values).expect("200 values");
    close(mean(&recoveries), 2.0, 0.025);
    // √(B (μ + λ) ÷ (μ − λ)³ + (λb + μ) D ÷ (μ − λ)²), with exponential service.
    close(spread(&recoveries), 0.179, 0.15);
    close(mean(&peaks), 1000.0, 0.03);
    close(mean(&slowest), 1.0, 0.04);
}

/// The steps of a ramp from 100 to 1,300/s, 20 s each, on a server that takes
/// 1 ms: what was asked and done, and every wait by step.
fn ramp(seed: u64) -> (Vec<Step>, Vec<Vec<u64>>) {
    let mut chance = Chance::new(seed);
    let mut server = Server::new(Vec::new());
    let (mut came, mut done, mut waits) = (vec![0u32; 13], vec![0u32; 13], vec![Vec::new(); 13]);
    let mut at = 0.0;
    loop {
        let step = (at / 20.0) as usize;
        at += chance.exponential(1.0 / (100.0 * (step + 1) as f64));
        let step = (at / 20.0) as usize;
        if step > 12 {
            break;
        }
        let left = server.serve(at, 0.001);
        came[step] += 1;
        waits[step].push(left - at);
        if let Some(done) = done.get_mut((left / 20.0) as usize) {
            *done += 1;
        }
    }
    let steps = came.iter().zip(&done);
    let steps = steps.map(|(came, done)| Step {
        asked: f64::from(*came) / 20.0,
        done: f64::from(*done) / 20.0,
        seconds: 20.0,
    });
    (steps.collect(), waits.into_iter().map(sorted).collect())
}

#[test]
fn the_saturation_of_a_ramp_is_the_capacity_of_its_server() {
    for seed in 0..10 {
        let Found::Is { value, low, high, .. } = saturation(&[ramp(seed).0]) else { panic!("seed {seed}") };
        close(value, 1000.0, 0.01);
        assert!(low <= 1000.5 && 999.5 <= high, "{low} to {high}");
    }
    let rounds: Vec<Vec<Step>> = (0..5).map(|seed| ramp(seed).0).collect();
    let Found::Is { value, from, .. } = saturation(&rounds) else { panic!("no capacity") };
    assert_eq!(from, WidthFrom::Rounds(5));
    close(value, 1000.0, 0.01);
}

fn heights(seed: u64, number: Quantile, limit: f64) -> Vec<Height> {
    let (steps, waits) = ramp(seed);
    let height = |(n, (step, waits)): (usize, (&Step, &Vec<u64>))| Height {
        asked: 100.0 * (n + 1) as f64,
        above: Some((quantile(waits, number) / limit).ln()),
        is_open: (step.asked - step.done) * step.seconds > 3.0 * (step.asked * step.seconds).sqrt(),
    };
    steps.iter().zip(&waits).enumerate().map(height).collect()
}

#[test]
fn a_bound_is_crossed_where_the_formula_says() {
    // M/D/1 at ρ = 0.7 waits 6.486 and at 0.8 10.356 service times at p99, and
    // the service itself is one more: 10 ms lie near 769/s.
    let truth = 700.0 + 100.0 * (10.0f64 / 7.486).ln() / (11.356f64 / 7.486).ln();
    let crossed = |seeds: std::ops::Range<u64>| {
        let rounds: Vec<Vec<Height>> = seeds.map(|seed| heights(seed, Quantile::P99, 0.010)).collect();
        match crossing(&rounds) {
            Found::Is { value, low, high, from } => (value, low, high, from),
            other => panic!("{other:?}"),
        }
    };
    let experiments: Vec<_> = (0..30).map(|n| crossed(n * 6..n * 6 + 6)).collect();
    for (value, .., from) in &experiments {
        assert_eq!(*from, WidthFrom::Rounds(6));
        close(*value, truth, 0.05);
    }
    let covered = experiments.iter().filter(|(_, low, high, _)| *low <= truth && truth <= *high).count();
    assert!(covered >= 26, "{covered} of 30 intervals cover {truth}");
    let (_, low, high, from) = crossed(0..1);
    assert_eq!((low, high, from), (700.0, 800.0, WidthFrom::Steps));
}

/// How far above a server's 1,000/s the load is, rising by `slope` each second,
/// when in most of 100 runs the wait is above 20 ms. Arrivals and service come
/// evenly or by chance.
fn seen_late(slope: f64, by_chance: bool) -> f64 {
    // From 700/s on, in bins of 1/s up to 1,300/s: the first wait in each.
    let waits = |seed: u64| -> Vec<f64> {
        let mut chance = Chance::new(seed);
        let mut length = |mean: f64| if by_chance { chance.exponential(mean) } else { mean };
        let mut server = Server::new(Vec::new());
        let (mut at, mut waits) = (0.0, Vec::new());
        while waits.len() < 600 {
            at += length(1.0 / (700.0 + slope * at));
            let wait = server.serve(at, length(0.001)) - at;
            waits.resize(waits.len().max((slope * at) as usize + 1), wait);
        }
        waits
    };
    let runs: Vec<Vec<f64>> = (0..100).map(waits).collect();
    let is_seen = |bin: &usize| runs.iter().filter(|waits| waits[*bin] > 0.02).count() > 50;
    (0..600).find(is_seen).expect("it grows without end") as f64 - 300.0
}

#[test]
fn a_slope_shows_a_crossing_late_as_the_fluid_limit_says_and_chance_lets_it_come_earlier() {
    for slope in [10.0, 100.0, 1000.0] {
        let fluid = overshoot(slope, 1000.0, 0.02);
        close(seen_late(slope, false), fluid, 0.03);
        assert!(seen_late(slope, true) < fluid, "by chance on a slope of {slope}");
    }
    // Another simulation saw 142 of 200; the steeper, the less chance matters.
    close(seen_late(1000.0, true), 142.0, 0.35);
}
