use super::*;
use model::{ShapeKind, StageUnit};
use proptest::prelude::*;

const SECOND: Nanos = Nanos::from_secs(1);

fn profile(segments: &[Segment]) -> Profile {
    Profile::new(segments).expect("a good profile")
}

#[test]
fn segments_that_make_no_profile_say_why() {
    let level = |per_second| Segment::level(per_second, SECOND);
    let cases: [(&[Segment], ProfileError); 8] = [
        (&[], ProfileError::Empty),
        (&[level(0.0), level(0.0)], ProfileError::NothingToSend),
        (&[level(5.0), Segment::level(5.0, Nanos::ZERO)], ProfileError::NoLength { segment: 1 }),
        (&[level(-1.0)], ProfileError::BadRate { segment: 0, per_second: -1.0 }),
        (&[level(f64::INFINITY)], ProfileError::BadRate { segment: 0, per_second: f64::INFINITY }),
        (
            &[level(1.0), Segment::slope(1.0, 1.5e9, SECOND)],
            ProfileError::BadRate { segment: 1, per_second: 1.5e9 },
        ),
        (&[Segment::level(1.0, Nanos((1 << 53) + 1))], ProfileError::TooLong),
        (&[Segment::level(1.0, Nanos::MAX), level(1.0)], ProfileError::TooLong),
    ];
    for (segments, error) in cases {
        assert_eq!(Profile::new(segments), Err(error), "{segments:?}");
    }
    let not_a_number = Profile::new(&[level(f64::NAN)]);
    assert!(matches!(not_a_number, Err(ProfileError::BadRate { segment: 0, .. })), "{not_a_number:?}");
    assert!(Profile::new(&[Segment::level(1.0, LONGEST)]).is_ok(), "the longest still goes");
}

#[test]
fn a_level_expects_rate_times_length() {
    let rate = Rate::per_second(546.0).expect("above zero");
    let level = Profile::level(rate, Nanos::from_secs(30)).expect("sends something");
    assert_eq!(level.end(), Nanos::from_secs(30));
    assert_eq!(level.expected(), 16_380.0);
    assert_eq!(level.cumulative(Nanos::from_secs(10)), 5_460.0);
    assert_eq!(level.inverse(5_460.0), Nanos::from_secs(10));
}

#[test]
fn levels_slopes_and_silences_follow_each_other() {
    // 2 a second; silence; from 0 up to 8 and back down; silence.
    let shape = profile(&[
        Segment::level(2.0, SECOND),
        Segment::level(0.0, SECOND),
        Segment::slope(0.0, 8.0, SECOND),
        Segment::slope(8.0, 0.0, SECOND),
        Segment::level(0.0, SECOND),
    ]);
    assert_eq!((shape.end(), shape.expected()), (Nanos::from_secs(5), 10.0));
    let cases = [
        // (moment in ms, arrivals before it, the moment that many arrivals lead back to)
        (0, 0.0, 0),
        (500, 1.0, 500),
        (1_000, 2.0, 2_000),
        (1_500, 2.0, 2_000),
        (2_500, 3.0, 2_500),
        (3_000, 6.0, 3_000),
        (3_500, 9.0, 3_500),
        (4_000, 10.0, 5_000),
        (9_000, 10.0, 5_000),
    ];
    for (millis, arrivals, back) in cases {
        let moment = Nanos::from_millis(millis);
        assert_eq!(shape.cumulative(moment), arrivals, "before {moment}");
        assert_eq!(shape.inverse(arrivals), Nanos::from_millis(back), "of {arrivals}");
    }
}

#[test]
fn a_slope_too_gentle_to_see_is_as_exact_as_a_level() {
    let hour = Nanos::from_secs(3_600);
    let level = profile(&[Segment::level(1_000.0, hour)]);
    let almost = profile(&[Segment::slope(1_000.0, 1_000.000_000_001, hour)]);
    for arrivals in [0.5, 1e3 + 0.25, 1.8e6 + 0.125, 3.599e6] {
        let (exact, close) = (level.inverse(arrivals), almost.inverse(arrivals));
        assert!(exact.0.abs_diff(close.0) <= 2, "{arrivals}: {exact:?} {close:?}");
    }
}

fn shape(unit: StageUnit, pace: Option<Nanos>, stages: &[Stage]) -> Shape {
    Shape { kind: ShapeKind::Stages, unit, pace, stages: stages.to_vec(), replay: None }
}

#[test]
fn a_shape_is_sent_after_a_warm_up_at_the_rate_of_its_beginning() {
    let slope = Stage { length: SECOND, from: 4.0, to: 8.0 };
    let rates = shape(StageUnit::PerSecond, None, &[slope, Stage::level(SECOND, 1.0)]);
    let alone = profile(&[Segment::slope(4.0, 8.0, SECOND), Segment::level(1.0, SECOND)]);
    assert_eq!(Profile::of_shape(&rates, Nanos::ZERO), Ok(alone));
    let warm_up = Segment::level(4.0, Nanos::from_secs(5));
    let warmed = profile(&[warm_up, Segment::slope(4.0, 8.0, SECOND), Segment::level(1.0, SECOND)]);
    assert_eq!(Profile::of_shape(&rates, Nanos::from_secs(5)), Ok(warmed));
}

#[test]
fn users_with_a_pace_mean_a_rate() {
    let stages = [Stage::level(SECOND, 20.0), Stage { length: SECOND, from: 20.0, to: 0.0 }];
    let users = shape(StageUnit::Users, Some(Nanos::from_secs(10)), &stages);
    let rates = profile(&[Segment::level(2.0, SECOND), Segment::slope(2.0, 0.0, SECOND)]);
    assert_eq!(Profile::of_shape(&users, Nanos::ZERO), Ok(rates));
}

#[test]
fn a_shape_that_makes_no_profile_says_which_stage_is_to_blame() {
    let of = |unit, pace, stages: &[Stage]| Profile::of_shape(&shape(unit, pace, stages), SECOND);
    let (good, rate) = (Stage::level(SECOND, 5.0), StageUnit::PerSecond);
    assert_eq!(of(rate, None, &[]), Err(ProfileError::Empty));
    assert_eq!(of(rate, None, &[Stage::level(SECOND, 0.0)]), Err(ProfileError::NothingToSend));
    let no_time = [good, Stage::level(Nanos::ZERO, 5.0)];
    assert_eq!(of(rate, None, &no_time), Err(ProfileError::NoLength { segment: 1 }));
    assert_eq!(of(rate, None, &[Stage::level(LONGEST, 5.0)]), Err(ProfileError::TooLong));
    assert_eq!(of(StageUnit::Users, None, &[good]), Err(ProfileError::NoPace));
    let in_no_time = of(StageUnit::Users, Some(Nanos::ZERO), &[good, good]);
    assert_eq!(in_no_time, Err(ProfileError::BadRate { segment: 0, per_second: f64::INFINITY }));
}

/// A rate: often zero, else between a tenth and ten thousand a second.
fn rate() -> impl Strategy<Value = f64> {
    prop_oneof![1 => Just(0.0), 4 => 0.1..10_000.0_f64]
}

fn segment() -> impl Strategy<Value = Segment> {
    let length = (1_u64..100_000_000_000).prop_map(Nanos);
    (rate(), rate(), length, any::<bool>()).prop_map(|(from, to, length, level)| {
        if level { Segment::level(from, length) } else { Segment::slope(from, to, length) }
    })
}

fn any_profile() -> impl Strategy<Value = Profile> {
    prop::collection::vec(segment(), 1..6)
        .prop_filter_map("sends nothing", |segments| Profile::new(&segments).ok())
}

/// What rounding may do to a count of arrivals.
fn rounding(shape: &Profile) -> f64 {
    shape.expected() * 1e-14
}

proptest! {
    #[test]
    fn the_inverse_of_a_count_is_a_moment_with_that_count(shape in any_profile(), part in 0.0..1.0_f64) {
        let arrivals = shape.expected() * part;
        let moment = shape.inverse(arrivals);
        prop_assert!(moment < shape.end());
        // The moment is rounded down to the nanosecond.
        let (low, high) = (shape.cumulative(moment), shape.cumulative(moment + Nanos(1)));
        prop_assert!(low <= arrivals + rounding(&shape), "{low} > {arrivals}");
        prop_assert!(high >= arrivals - rounding(&shape), "{high} < {arrivals}");
    }

    #[test]
    fn the_inverse_of_the_count_is_the_moment(shape in any_profile(), part in 0.0..1.0_f64) {
        let moment = Nanos((shape.end().0 as f64 * part) as u64);
        let back = shape.inverse(shape.cumulative(moment));
        // Through a silence, or where the rate is close to none, many moments
        // share one count: then both must stand for the same.
        let same_count = shape.cumulative(back) - shape.cumulative(moment);
        prop_assert!(back.0.abs_diff(moment.0) <= 1 || same_count.abs() <= rounding(&shape),
            "{moment:?} came back as {back:?}, {same_count} arrivals apart");
    }

    #[test]
    fn counts_and_moments_never_go_back(shape in any_profile(), a in 0.0..1.0_f64, b in 0.0..1.0_f64) {
        let (early, late) = (a.min(b), a.max(b));
        let moment = |part: f64| Nanos((shape.end().0 as f64 * part) as u64);
        let [first, then] = [early, late].map(|part| shape.cumulative(moment(part)));
        prop_assert!(first <= then + rounding(&shape), "{first} then {then}");
        let [first, then] = [early, late].map(|part| shape.inverse(shape.expected() * part));
        prop_assert!(first.0 <= then.0 + 1, "{first:?} then {then:?}");
    }
}
