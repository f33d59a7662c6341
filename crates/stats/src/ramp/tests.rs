//! Ramps whose points are known.

use super::*;

fn is(found: Found) -> (f64, f64, f64, WidthFrom) {
    match found {
        Found::Is { value, low, high, from } => (value, low, high, from),
        other => panic!("no point, but {other:?}"),
    }
}

/// A ramp from 100 to 1,400/s over 20 s steps on a service of `capacity`.
fn ramp(capacity: f64) -> Vec<Step> {
    let step = |n: u32| {
        let asked = f64::from(n) * 100.0;
        Step { asked, done: asked.min(capacity), seconds: 20.0 }
    };
    (1..=14).map(step).collect()
}

#[test]
fn the_broken_line_bends_where_departures_stop_following() {
    let rounds = [ramp(1000.0), ramp(1010.0), ramp(990.0), ramp(1000.0), ramp(1000.0)];
    let (value, low, high, from) = is(saturation(&rounds));
    // Student's t of 4 is 2.776, sd √50 and n 5: ± 8.78.
    assert_eq!((value, from), (1000.0, WidthFrom::Rounds(5)));
    assert!((high - 1008.78).abs() < 0.01 && (low - 991.22).abs() < 0.01, "{low} to {high}");
}

#[test]
fn one_round_gives_an_interval_by_its_saturated_steps_or_by_one_count() {
    let mut one = ramp(1000.0);
    one[10].done = 1004.0;
    let (value, low, high, from) = is(saturation(&[one.clone()]));
    assert_eq!((value, from), (1000.0, WidthFrom::Saturated(4)));
    // t of 3 is 3.182, sd 2 and n 4.
    assert!((high - low - 2.0 * 3.182).abs() < 0.01, "{low} to {high}");
    let (value, low, high, from) = is(saturation(&[one[..11].to_vec()]));
    assert_eq!((value, from), (1004.0, WidthFrom::Count));
    assert!((high - low - 2.0 * 1.96 * (1004.0f64 / 20.0).sqrt()).abs() < 1e-9);
}

#[test]
fn a_service_that_follows_to_the_top_or_never_is_told_apart_from_one_that_bends() {
    assert_eq!(saturation(&[ramp(2000.0)]), Found::Above(1400.0));
    assert_eq!(saturation(&[ramp(80.0), ramp(85.0)]), Found::Below(100.0));
    let disagree = Found::CannotSay(Unclear::Disagree { some: 1, all: 2 });
    assert_eq!(saturation(&[ramp(2000.0), ramp(1000.0)]), disagree);
    assert_eq!(saturation(&[]), Found::CannotSay(Unclear::FewSteps));
    // What falls short within three standard deviations of a count is no shortfall.
    let mut noisy = ramp(2000.0);
    noisy[13].done = 1400.0 - 2.9 * (1400.0f64 / 20.0).sqrt();
    assert_eq!(saturation(&[noisy.clone()]), Found::Above(1400.0));
    // A step below that fell short for another reason does not count.
    noisy[3].done = 100.0;
    assert_eq!(saturation(&[noisy]), Found::Above(1400.0));
}

/// Steps at 100, 200, … whose figure stands so to its limit.
fn heights(above: &[f64]) -> Vec<Height> {
    let height =
        |(n, above): (u32, &f64)| Height { asked: f64::from(n) * 100.0, above: Some(*above), is_open: false };
    (1..).zip(above).map(height).collect()
}

#[test]
fn a_crossing_lies_where_the_line_between_two_steps_meets_the_limit() {
    let rounds = [
        heights(&[-2.0, -1.0, 1.0, 3.0]),
        heights(&[-2.0, -1.0, 3.0, 4.0]),
        heights(&[-2.0, -3.0, 1.0, 2.0]),
    ];
    // 250, 225 and 275: t of 2 is 4.303, sd 25 and n 3.
    let (value, low, high, from) = is(crossing(&rounds));
    assert_eq!((value, from), (250.0, WidthFrom::Rounds(3)));
    assert!((high - low - 2.0 * 4.3027 * 25.0 / 3f64.sqrt()).abs() < 0.01, "{low} to {high}");
    let one = is(crossing(&rounds[..1]));
    assert_eq!(one, (250.0, 200.0, 300.0, WidthFrom::Steps));
}

#[test]
fn a_crossing_into_an_overload_is_known_to_the_steps_alone() {
    let mut round = heights(&[-2.0, -1.0, 6.0, 7.0]);
    round[2].is_open = true;
    let rounds = vec![round; 5];
    assert_eq!(is(crossing(&rounds)), (250.0, 200.0, 300.0, WidthFrom::Steps));
}

#[test]
fn a_limit_that_is_never_exceeded_or_always_lies_off_the_ramp() {
    assert_eq!(crossing(&[heights(&[-2.0, -1.0])]), Found::Above(200.0));
    assert_eq!(crossing(&[heights(&[0.1, 1.0])]), Found::Below(100.0));
    assert_eq!(crossing(&[heights(&[0.1])]), Found::CannotSay(Unclear::FewSteps));
    let twice = Found::CannotSay(Unclear::MoreThanOnce { exceeded: 200.0, held: 300.0 });
    assert_eq!(crossing(&[heights(&[-1.0, 0.5, -0.5, 1.0])]), twice);
    // What only one of five rounds exceeds is not exceeded by most.
    let mut most = vec![heights(&[-1.0, -0.5, -0.5, -0.1, 1.0]); 5];
    most[0] = heights(&[-1.0, 0.5, -0.5, -0.1, 1.0]);
    assert!(matches!(crossing(&most), Found::Is { .. }), "{:?}", crossing(&most));
}

#[test]
fn a_round_that_does_not_cross_widens_the_interval_to_its_end_of_the_ramp() {
    let rounds = [
        heights(&[-2.0, -1.0, 1.0, 2.0]),
        heights(&[-2.0, -1.0, -0.5, -0.1]),
        heights(&[-2.0, -1.0, 1.0, 2.0]),
    ];
    assert_eq!(is(crossing(&rounds)), (250.0, 200.0, 400.0, WidthFrom::Steps));
    let scattered = [heights(&[1.0, -1.0, 1.0]), heights(&[-1.0, 1.0, 1.0]), heights(&[-1.0, -1.0, -0.5])];
    assert_eq!(crossing(&scattered), Found::CannotSay(Unclear::TooWide));
}

#[test]
fn steps_without_a_figure_are_left_out() {
    let mut round = heights(&[-2.0, -1.0, 9.0, 1.0]);
    round[2].above = None;
    assert_eq!(is(crossing(&[round])), (300.0, 200.0, 400.0, WidthFrom::Steps));
}

#[test]
fn overshoots_are_those_of_the_table() {
    for (slope, expected) in [(2.5, 10.0), (10.0, 20.0), (100.0, 63.2), (1000.0, 200.0)] {
        let found = overshoot(slope, 1000.0, 0.02);
        assert!((found - expected).abs() < 0.05, "{found} at {slope}");
    }
    let most = steepest(0.05, 1000.0, 0.02);
    assert!((most - 62.5).abs() < 1e-9 && (overshoot(most, 1000.0, 0.02) - 50.0).abs() < 1e-9);
}
