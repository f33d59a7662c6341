//! Ramps on simulated servers, whose capacity and waits are known.

use super::*;
use crate::fixture::Run;
use model::ShapeKind;

const TEN_MS: Bound = Bound { number: Number::P99, at_most: Nanos::from_millis(10) };

/// From 100/s up by 100/s, 20 s each, on a server of 1,000/s.
fn rounds(count: u64, steps: u32) -> Vec<RunSummary> {
    let stages: Vec<(u64, f64, f64)> =
        (1..=steps).map(|n| (20, f64::from(n) * 100.0, f64::from(n) * 100.0)).collect();
    (0..count)
        .map(|seed| Run::shaped(ShapeKind::RampUp, &stages, Nanos::from_millis(1), seed).judged())
        .collect()
}

fn is(rate: &RampRate) -> RateEstimate {
    match rate {
        RampRate::Is(estimate) => *estimate,
        other => panic!("no rate, but {other:?}"),
    }
}

#[test]
fn a_ramp_tells_the_capacity_and_the_crossings_of_an_m_d_1_queue() {
    let ramp = ramp(&rounds(3, 13), &[TEN_MS]).expect("a ramp");
    let saturation = is(&ramp.saturation);
    assert!((saturation.value / 1000.0 - 1.0).abs() < 0.01, "{saturation:?}");
    assert_eq!(saturation.from, IntervalFrom::Rounds(3));
    // 7.486 ms at 700/s and 11.356 at 800/s: 10 ms near 769/s on that line.
    let crossed = is(&ramp.bounds[0].1);
    assert!((730.0..800.0).contains(&crossed.value), "{crossed:?}");
    assert!(crossed.low < 770.0 && 760.0 < crossed.high, "{crossed:?}");
    // The median of a wait is the service's 1 ms at 100/s, and twice that past 600/s.
    let doubled = is(&ramp.p50_doubles);
    assert!((600.0..850.0).contains(&doubled.value), "{doubled:?}");
    assert_eq!(ramp.too_steep, None);
}

#[test]
fn one_round_knows_a_crossing_to_its_steps() {
    let ramp = ramp(&rounds(1, 13), &[TEN_MS]).expect("a ramp");
    let crossed = is(&ramp.bounds[0].1);
    assert_eq!((crossed.low, crossed.high, crossed.from), (700.0, 800.0, IntervalFrom::Steps));
    assert!(matches!(is(&ramp.saturation).from, IntervalFrom::Saturated(3)), "{:?}", ramp.saturation);
}

#[test]
fn a_ramp_that_ends_early_knows_only_that_the_points_lie_above() {
    let ramp = ramp(&rounds(2, 3), &[TEN_MS]).expect("a ramp");
    assert_eq!(ramp.saturation, RampRate::Above(300.0));
    assert_eq!(ramp.bounds[0].1, RampRate::Above(300.0));
}

#[test]
fn rounds_that_are_void_or_cut_short_have_no_say() {
    let mut all = rounds(2, 3);
    all[0].verdict = Verdict::Void;
    all[1].stages.pop();
    let ramp = ramp(&all, &[TEN_MS]).expect("a ramp");
    let none = RampRate::CannotSay("no round went through all its stages".to_owned());
    assert_eq!((&ramp.saturation, &ramp.bounds[0].1, &ramp.p50_doubles), (&none, &none, &none));
}

#[test]
fn a_slope_is_told_in_parts_and_one_that_is_too_steep_says_what_it_costs() {
    let slope = |secs: u64| {
        let run = Run::shaped(ShapeKind::RampUp, &[(secs, 100.0, 1_300.0)], Nanos::from_millis(1), 3);
        ramp(&[run.judged()], &[TEN_MS]).expect("a ramp")
    };
    // 20/s each second, and 125/s² at most for 10 ms at 1,000/s.
    let gentle = slope(60);
    assert_eq!(gentle.too_steep, None);
    let capacity = is(&gentle.saturation).value;
    assert!((capacity / 1000.0 - 1.0).abs() < 0.05, "{capacity}");
    let steep = slope(6).too_steep.expect("200/s each second");
    assert!(
        steep.starts_with("the load rises by 200/s each second: a wait of 10.0 ms is seen up to 6"),
        "{steep}"
    );
    assert!(steep.ends_with("it would be within 5 %"), "{steep}");
}

#[test]
fn loads_that_do_not_only_rise_are_no_ramp_and_users_who_wait_ask_for_no_rate() {
    let burst = Run::shaped(
        ShapeKind::Stages,
        &[(5, 100.0, 100.0), (5, 200.0, 200.0), (5, 100.0, 100.0)],
        Nanos::from_millis(1),
        1,
    );
    assert_eq!(ramp(&[burst.judged()], &[]), None);
    assert_eq!(ramp(&[], &[]), None);
    let mut closed = rounds(1, 3);
    let shape = closed[0].facts.shape.as_mut().expect("a shape");
    shape.unit = model::StageUnit::Users;
    let found = ramp(&closed, &[]).expect("a ramp").saturation;
    assert_eq!(found, RampRate::CannotSay("users who only wait for answers ask for no rate".to_owned()));
}

#[test]
fn rates_are_told_to_three_digits() {
    for (rate, text) in
        [(1048.2, "1,050/s"), (640.4, "640/s"), (0.2849, "0.285/s"), (20_000.0, "20,000/s"), (0.0, "0/s")]
    {
        assert_eq!(per_second(rate), text);
    }
}
