//! Amounts of any unit, how fast they grow, rates with their interval, and
//! lengths of time that may be days.

use super::spread::{decimals, signed, step};
use super::{Measured, UNKNOWN, bytes, count, figure, mean, round_to};
use analysis::{Growth, RateEstimate};
use model::{Nanos, Rate};

/// A rate that somebody chose, with as many digits as it has: `0.28/s`, `1,000/s`.
pub(crate) fn chosen_rate(per_second: f64) -> String {
    match Rate::per_second(per_second) {
        Some(rate) => rate.to_string(),
        None if per_second == 0.0 => "0/s".into(),
        None => UNKNOWN.into(),
    }
}

/// How often something is done, with as many digits as it has: `2`, `0.5`.
pub(crate) fn chosen(number: f64) -> String {
    chosen_rate(number).trim_end_matches("/s").to_owned()
}

/// A rate and its interval, both rounded to what the interval bears:
/// `812/s`, `[790, 834]`.
pub(crate) fn estimated_rate(rate: &RateEstimate) -> Measured {
    let step = step(rate.value, Some((rate.high - rate.low).abs() / 2.0));
    let number = |value: f64| decimals(round_to(value, step), step);
    Measured {
        value: format!("{}/s", number(rate.value)),
        bracket: format!("[{}, {}]", number(rate.low), number(rate.high)),
    }
}

/// An amount in its unit: `84.9 ms` of `ns`, `61.2 MiB` of `bytes`, `412` of a count.
pub(crate) fn amount(value: f64, unit: &str) -> String {
    match unit {
        _ if !value.is_finite() => UNKNOWN.into(),
        "ns" => mean(Some(value)),
        "bytes" if value >= 0.0 => bytes(value.round() as u64),
        "" => figure(value),
        other => format!("{} {other}", figure(value)),
    }
}

/// How much more of something there is after an hour, with its interval, in
/// one unit: `+120 MiB`, `[+96, +140]`.
pub(crate) fn growth_an_hour(growth: &Growth) -> Measured {
    growth_over(growth, Nanos::from_secs(3_600))
}

/// The same after any length of time.
pub(crate) fn growth_over(growth: &Growth, time: Nanos) -> Measured {
    let seconds = time.as_secs_f64();
    let Some(slope) = growth.slope.filter(|slope| slope.is_finite()) else {
        return Measured { value: UNKNOWN.into(), bracket: "[no interval]".into() };
    };
    let ends = growth.slope_interval.filter(|(low, high)| low.is_finite() && high.is_finite());
    let largest =
        ends.map_or(slope.abs(), |(low, high)| slope.abs().max(low.abs()).max(high.abs())) * seconds;
    let (size, name) = size_of(largest, &growth.unit);
    let shown = |slope: f64| slope * seconds / size;
    let step = step(shown(slope), ends.map(|(low, high)| (shown(high) - shown(low)).abs() / 2.0));
    let number = |slope: f64| signed(&decimals(round_to(shown(slope), step), step));
    Measured {
        value: if name.is_empty() { number(slope) } else { format!("{} {name}", number(slope)) },
        bracket: ends
            .map_or("[no interval]".into(), |(low, high)| format!("[{}, {}]", number(low), number(high))),
    }
}

/// The unit in which an amount is best read: its size and its name.
fn size_of(amount: f64, unit: &str) -> (f64, &str) {
    let of = |sizes: &[(f64, &'static str)]| -> (f64, &'static str) {
        sizes.iter().rev().copied().find(|(size, _)| amount >= *size).unwrap_or(sizes[0])
    };
    match unit {
        "ns" => of(&[(1.0, "ns"), (1e3, "µs"), (1e6, "ms"), (1e9, "s")]),
        "bytes" => of(&[(1.0, "bytes"), (1_024.0, "KiB"), (1_048_576.0, "MiB"), (1_073_741_824.0, "GiB")]),
        other => (1.0, other),
    }
}

/// A length of time that is known roughly and may be long: `45 s`, `12 min`,
/// `3.4 h`, `12 days`.
pub(crate) fn lasting(time: Nanos) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        s if s < 99.5 => time.to_string(),
        s if s < 5_970.0 => format!("{:.0} min", s / 60.0),
        s if s < 35_820.0 => format!("{:.1} h", s / 3_600.0),
        s if s < 172_800.0 => format!("{:.0} h", s / 3_600.0),
        s if s < 864_000.0 => format!("{:.1} days", s / 86_400.0),
        s => format!("{} days", count((s / 86_400.0).round() as u64)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::{Grows, IntervalFrom};

    fn growth(slope: Option<f64>, interval: Option<(f64, f64)>, unit: &str) -> Growth {
        Growth {
            of: "a reading".into(),
            unit: unit.into(),
            windows: Vec::new(),
            window: Nanos::from_secs(60),
            s: 0,
            p: None,
            slope,
            slope_interval: interval,
            correlation: None,
            says: Grows::NotSeen,
            limit: None,
            until_limit: None,
        }
    }

    #[test]
    fn a_rate_has_no_digits_that_its_interval_does_not_bear() {
        let text = |value, low, high| {
            let Measured { value, bracket } =
                estimated_rate(&RateEstimate { value, low, high, from: IntervalFrom::Steps });
            format!("{value} {bracket}")
        };
        assert_eq!(text(812.34, 789.9, 834.2), "812/s [790, 834]");
        assert_eq!(text(812.34, 600.0, 1_100.0), "810/s [600, 1,100]");
        assert_eq!(text(2.0512, 1.95, 2.11), "2.05/s [1.95, 2.11]");
    }

    #[test]
    fn growth_is_told_an_hour_in_one_unit_with_its_sign() {
        let text = |slope: f64, low: f64, high: f64, unit: &str| {
            let Measured { value, bracket } = growth_an_hour(&growth(Some(slope), Some((low, high)), unit));
            format!("{value} {bracket}")
        };
        assert_eq!(text(34_952.5, 27_962.0, 40_777.9, "bytes"), "+120 MiB [+96, +140]");
        assert_eq!(text(-27.8, -55.6, 13.9, "ns"), "−100 µs [−200, +50]");
        assert_eq!(text(0.0, 0.0, 0.0, ""), "0.00 [0.00, 0.00]");
        assert_eq!(growth_an_hour(&growth(None, None, "bytes")).value, "–");
        assert_eq!(growth_an_hour(&growth(Some(1.0), None, "")).bracket, "[no interval]");
    }

    #[test]
    fn amounts_have_their_unit_and_long_times_are_rough() {
        for (value, unit, text) in [
            (84_912_000.0, "ns", "84.9 ms"),
            (67_108_864.0, "bytes", "64.0 MiB"),
            (412.0, "", "412"),
            (0.25, "cores", "0.250 cores"),
            (f64::NAN, "ns", "–"),
        ] {
            assert_eq!(amount(value, unit), text);
        }
        for (seconds, text) in [
            (45, "45.0 s"),
            (720, "12 min"),
            (12_240, "3.4 h"),
            (86_400, "24 h"),
            (345_600, "4.0 days"),
            (1_036_800, "12 days"),
        ] {
            assert_eq!(lasting(Nanos::from_secs(seconds)), text);
        }
        assert_eq!(
            (chosen_rate(0.28), chosen(20.0), chosen_rate(0.0)),
            ("0.28/s".into(), "20".into(), "0/s".into())
        );
    }
}
