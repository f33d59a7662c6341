//! Whether Poisson arrivals are just that: exponential gaps, independent, at
//! the very rate asked for, over levels and over any other shape.
//!
//! A test that accepts must be able to refuse, so each is also shown arrivals
//! of the wrong kind.

use doorclock_schedule::{Arrivals, Profile, Segment};
use model::{ArrivalProcess, Nanos, Seed};
use stats::{
    AD_KNOWN_1_PERCENT, AD_KNOWN_5_PERCENT, anderson_darling_known_rate, coefficient_of_variation, count_z,
    dispersion, lag_1_correlation,
};

const RATE: f64 = 546.0;

fn level(per_second: f64, secs: u64) -> Profile {
    Profile::new(&[Segment::level(per_second, Nanos::from_secs(secs))]).expect("a good profile")
}

/// Steep and gentle slopes, a jump, a silence and a low end; 50,000 arrivals.
fn burst() -> Profile {
    let secs = Nanos::from_secs;
    Profile::new(&[
        Segment::level(200.0, secs(20)),
        Segment::slope(200.0, 2_000.0, secs(10)),
        Segment::slope(2_000.0, 0.0, secs(20)),
        Segment::level(0.0, secs(5)),
        Segment::level(500.0, secs(20)),
        Segment::slope(100.0, 130.0, secs(43)),
    ])
    .expect("a good profile")
}

fn poisson(profile: &Profile, seed: u64) -> Vec<Nanos> {
    Arrivals::new(profile.clone(), ArrivalProcess::Poisson, Seed(seed))
        .map(|arrival| arrival.scheduled)
        .collect()
}

/// The arrivals' places in the profile's own time, in which they come at one a
/// unit whatever the shape.
fn unbent(arrivals: &[Nanos], profile: &Profile) -> Vec<f64> {
    arrivals.iter().map(|moment| profile.cumulative(*moment)).collect()
}

fn gaps(moments: &[f64]) -> Vec<f64> {
    moments.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

/// Two arrivals within one nanosecond have no gap, whose logarithm would be
/// infinite: they get half a nanosecond at some 500/s.
fn anderson_darling(gaps: &[f64]) -> f64 {
    let gaps: Vec<f64> = gaps.iter().map(|gap| gap.max(2.5e-7)).collect();
    anderson_darling_known_rate(&gaps, 1.0).expect("some gaps")
}

/// Counts in windows of 20 units, the last and partly filled one left out.
fn counts(moments: &[f64]) -> Vec<u64> {
    let windows = (moments.last().expect("some moments") / 20.0) as usize;
    let mut counts = vec![0; windows];
    for moment in moments {
        if let Some(count) = counts.get_mut((moment / 20.0) as usize) {
            *count += 1;
        }
    }
    counts
}

/// How many of 200 seeds have their first 1,000 gaps refused at 5 % and 1 %.
fn refused(gaps_of: impl Fn(u64) -> Vec<f64>) -> (usize, usize) {
    let found: Vec<f64> = (1..=200).map(|seed| anderson_darling(&gaps_of(seed)[..1_000])).collect();
    let above = |limit| found.iter().filter(|value| **value > limit).count();
    (above(AD_KNOWN_5_PERCENT), above(AD_KNOWN_1_PERCENT))
}

#[test]
fn gaps_on_a_level_are_exponential_as_often_as_chance_allows() {
    let profile = level(RATE, 5);
    let (at_5, at_1) = refused(|seed| gaps(&unbent(&poisson(&profile, seed), &profile)));
    // 10 and 2 of 200 are to be expected, give or take three standard deviations.
    assert!((1..=19).contains(&at_5) && at_1 <= 6, "{at_5} refused at 5 %, {at_1} at 1 %");
}

#[test]
fn gaps_of_a_bent_schedule_are_exponential_once_unbent() {
    let profile = burst();
    let (at_5, at_1) = refused(|seed| gaps(&unbent(&poisson(&profile, seed), &profile)[8_000..]));
    assert!((1..=19).contains(&at_5) && at_1 <= 6, "{at_5} refused at 5 %, {at_1} at 1 %");
}

#[test]
fn long_schedules_pass_as_often_as_chance_allows() {
    // Over 10,000 seeds of the level, 4.8 % were refused at 5 % and 1.0 % at 1 %.
    for profile in [level(RATE, 92), burst()] {
        let found = (1..=40).map(|seed| anderson_darling(&gaps(&unbent(&poisson(&profile, seed), &profile))));
        let refused: Vec<f64> = found.filter(|value| *value > AD_KNOWN_1_PERCENT).collect();
        // More than three of 40 happen once in 1,500 tests.
        assert!(refused.len() <= 3, "{refused:?}");
    }
}

#[test]
fn the_test_of_gaps_refuses_what_is_too_regular_too_fast_or_bent_otherwise() {
    // Gamma gaps of shape 2: each second arrival of twice the rate.
    let twice = level(2.0 * RATE, 5);
    let gamma: Vec<f64> = unbent(&poisson(&twice, 1), &twice).iter().step_by(2).map(|at| at / 2.0).collect();
    assert!(anderson_darling(&gaps(&gamma)) > 10.0 * AD_KNOWN_1_PERCENT);

    let profile = level(RATE, 5);
    let even: Vec<Nanos> = Arrivals::new(profile.clone(), ArrivalProcess::Even, Seed(1))
        .map(|arrival| arrival.scheduled)
        .collect();
    assert!(anderson_darling(&gaps(&unbent(&even, &profile))) > 10.0 * AD_KNOWN_1_PERCENT);

    let faster = poisson(&level(1.2 * RATE, 5), 1);
    assert!(anderson_darling(&gaps(&unbent(&faster, &profile))) > AD_KNOWN_1_PERCENT);

    // A burst taken for a level of as many arrivals.
    let same_count = level(burst().expected() / 118.0, 118);
    assert!(anderson_darling(&gaps(&unbent(&poisson(&burst(), 1), &same_count))) > 10.0 * AD_KNOWN_1_PERCENT);
}

/// The count's z against `profile` of the arrivals that `sent` gives, for 20 seeds.
fn count_zs(sent: &Profile, profile: &Profile) -> Vec<f64> {
    assert!(profile.expected() >= 40_000.0, "long enough to see a rate 2 % off");
    (1..=20).map(|seed| count_z(poisson(sent, seed).len() as u64, profile.expected())).collect()
}

/// Their sum, again as a z.
fn together(zs: &[f64]) -> f64 {
    zs.iter().sum::<f64>() / (zs.len() as f64).sqrt()
}

#[test]
fn the_number_of_arrivals_is_the_one_asked_for() {
    for profile in [level(RATE, 92), burst()] {
        let zs = count_zs(&profile, &profile);
        assert!(zs.iter().all(|z| z.abs() < 3.3) && together(&zs).abs() < 3.3, "{zs:?}");
    }
    let too_fast = count_zs(&level(1.005 * RATE, 92), &level(RATE, 92));
    assert!(together(&too_fast) > 3.3, "half a percent too many are seen: {too_fast:?}");
}

#[test]
fn counts_scatter_as_a_poisson_process_does_and_gaps_know_nothing_of_each_other() {
    for profile in [level(RATE, 92), burst()] {
        for seed in 1..=5 {
            let moments = unbent(&poisson(&profile, seed), &profile);
            // Over some 2,500 windows the dispersion itself scatters by 0.028.
            let dispersion = dispersion(&counts(&moments)).expect("many windows");
            assert!((dispersion - 1.0).abs() < 0.09, "seed {seed}: dispersion {dispersion}");
            let gaps = gaps(&moments);
            let cv = coefficient_of_variation(&gaps).expect("many gaps");
            assert!((cv - 1.0).abs() < 0.015, "seed {seed}: cv {cv}");
            let lag_1 = lag_1_correlation(&gaps).expect("many gaps");
            assert!(lag_1.abs() < 0.015, "seed {seed}: lag-1 correlation {lag_1}");
        }
    }
}
