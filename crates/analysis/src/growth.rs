//! Slow growth over the counted part: of response times, and of readings.
//!
//! The counted part is cut into twelve windows: a moment at offset d into a part
//! of length L is in window ⌊12 d ÷ L⌋, and window k has its moment in its middle,
//! (k + ½) L ÷ 12. A window of response times is told by their median (exact
//! nearest rank; lower bounds count with what is known of them) if ten requests or
//! more were due in it; one of a reading by its least value, so that a sawtooth
//! shows by its floor. The rest is [`stats::Trend`] of the windows that have a value.

use crate::slices::place;
use crate::summary::{Grows, Growth};
use model::{Nanos, Span};
use stats::{Goes, Trend, median};

/// Windows of a counted part.
pub(crate) const WINDOWS: usize = 12;
/// A trend of less than this share of the level over the whole part is not worth saying.
const WORTH_SAYING: f64 = 0.01;

/// How a reading grew over the counted part `span`: `points` are its values at
/// moments on the run's clock, in any order; those outside `span` do not count.
/// `limit` is what it must not reach.
pub fn growth_of_reading(
    name: &str,
    unit: &str,
    points: &[(Nanos, f64)],
    span: Span,
    limit: Option<f64>,
) -> Growth {
    let mut windows: Vec<Option<f64>> = vec![None; WINDOWS];
    for (at, value) in points.iter().filter(|(at, value)| span.contains(*at) && value.is_finite()) {
        let least = &mut windows[place(span, *at, WINDOWS)];
        *least = Some(least.map_or(*value, |least| least.min(*value)));
    }
    growth(name, unit, windows, span.length(), limit)
}

/// How something grew whose value in each of [`WINDOWS`] windows is known.
///
/// It grows or falls if its trend does, unless its slope times the whole length
/// is less than 1 % of its level, the median of the windows. Until a limit
/// the time counts from the part's end, where the line through the windows stands:
/// at least (limit − there) ÷ the slope interval's upper end, and at most the
/// same over its lower end if that is above zero. There is none where the upper
/// end is not above zero, or where it is too short to tell.
pub(crate) fn growth(
    of: &str,
    unit: &str,
    windows: Vec<Option<f64>>,
    length: Nanos,
    limit: Option<f64>,
) -> Growth {
    let seconds = length.as_secs_f64();
    let moment = |at: u32| (f64::from(at) + 0.5) * seconds / WINDOWS as f64;
    let points: Vec<(f64, f64)> =
        (0..).zip(&windows).filter_map(|(at, value)| Some((moment(at), (*value)?))).collect();
    let values: Vec<f64> = points.iter().map(|(_, value)| *value).collect();
    let trend = Trend::of(&points);
    let rise = trend.slope.unwrap_or(0.0) * seconds;
    let is_small = median(&values).is_some_and(|level| rise.abs() < WORTH_SAYING * level.abs());
    let says = match trend.goes {
        Goes::CannotSay => Grows::TooShort,
        Goes::Nowhere => Grows::NotSeen,
        Goes::Up | Goes::Down if is_small => Grows::Negligible,
        Goes::Up => Grows::Yes,
        Goes::Down => Grows::Falls,
    };
    let until_limit = limit.filter(|_| says != Grows::TooShort).and_then(|limit| {
        let there = trend.intercept? + trend.slope? * seconds;
        until(limit - there, trend.slope_interval?)
    });
    Growth {
        of: of.to_owned(),
        unit: unit.to_owned(),
        windows,
        window: Nanos(length.0 / WINDOWS as u64),
        s: trend.s,
        p: trend.p,
        slope: trend.slope,
        slope_interval: trend.slope_interval,
        correlation: trend.correlation,
        says,
        limit,
        until_limit,
    }
}

/// At least and at most how long until so much is left, at a slope between two.
fn until(left: f64, (low, high): (f64, f64)) -> Option<(Nanos, Option<Nanos>)> {
    if left <= 0.0 {
        return Some((Nanos::ZERO, Some(Nanos::ZERO)));
    }
    let latest = (low > 0.0).then(|| Nanos::from_secs_f64(left / low));
    (high > 0.0).then(|| (Nanos::from_secs_f64(left / high), latest))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPAN: Span = Span { began: Nanos::from_secs(10), ended: Nanos::from_secs(610) };

    /// A reading each second of a value at a second of the counted part.
    fn reading(value: impl Fn(u64) -> f64, limit: Option<f64>) -> Growth {
        let mut points: Vec<(Nanos, f64)> =
            (0..600).map(|at| (Nanos::from_secs(10 + at), value(at))).collect();
        // Before and after it something else was read, and once nothing.
        points.extend([(Nanos::from_secs(9), -1e9), (SPAN.ended, -1e9), (Nanos::from_secs(70), f64::NAN)]);
        let growth = growth_of_reading("resident memory", "bytes", &points, SPAN, limit);
        points.reverse();
        assert_eq!(growth, growth_of_reading("resident memory", "bytes", &points, SPAN, limit));
        growth
    }

    /// A sawtooth of 100 over 40 s and a floor that scatters by a few.
    fn tooth(at: u64) -> f64 {
        300.0 + 2.5 * (at % 40) as f64 + (at / 50 * 7 % 5) as f64
    }

    #[test]
    fn a_leak_shows_by_the_floor_of_a_sawtooth_and_says_when_it_meets_its_limit() {
        let leak = reading(|at| tooth(at) + at as f64 / 10.0, Some(400.0));
        assert_eq!(leak.says, Grows::Yes);
        let (slope, (low, high)) = (leak.slope.unwrap(), leak.slope_interval.unwrap());
        assert!(low < 0.1 && 0.1 < high && (slope - 0.1).abs() < 0.02, "{slope} [{low}, {high}]");
        assert_eq!((leak.windows.len(), leak.window), (12, Nanos::from_secs(50)));
        let (earliest, latest) = leak.until_limit.unwrap();
        let latest = latest.expect("it grows for certain");
        assert!(earliest < latest, "{earliest} {latest}");
        // About 40 are left, at 0.1 a second.
        assert!((200..500).contains(&(earliest.0 / 1_000_000_000)), "{earliest}");
        assert_eq!(
            reading(|at| tooth(at) + at as f64 / 10.0, Some(300.0)).until_limit.unwrap().0,
            Nanos::ZERO
        );
    }

    #[test]
    fn a_level_floor_does_not_grow_and_its_limit_is_not_before_some_time() {
        let level = reading(tooth, Some(1_000.0));
        assert_eq!(level.says, Grows::NotSeen);
        assert!(matches!(level.until_limit, Some((earliest, None)) if earliest > Nanos::from_secs(1_000)));
        assert_eq!(reading(|_| 5.0, Some(9.0)).until_limit, None, "what never changes never gets there");
    }

    #[test]
    fn falling_negligible_and_too_short_are_told_apart() {
        assert_eq!(reading(|at| tooth(at) - at as f64 / 10.0, None).says, Grows::Falls);
        assert_eq!(reading(|at| 1e9 + at as f64, None).says, Grows::Negligible);
        let wave = reading(|at| 300.0 + 50.0 * (at as f64 / 95.0).sin(), Some(900.0));
        assert_eq!((wave.says, wave.until_limit), (Grows::TooShort, None));
        let few = growth_of_reading("x", "", &[(Nanos::from_secs(11), 1.0)], SPAN, None);
        assert_eq!((few.says, few.p, few.slope), (Grows::TooShort, None, None));
        assert_eq!(few.windows.iter().flatten().count(), 1);
    }

    #[test]
    fn what_grows_from_nothing_grows() {
        let queue = reading(|at| (at / 60) as f64, None);
        assert_eq!(queue.says, Grows::Yes);
    }
}
