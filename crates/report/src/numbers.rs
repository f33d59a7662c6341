//! How numbers are written, in one place.
//!
//! Durations have three digits, and never more than their interval bears;
//! counts have thousands separators; shares are in per cent; an unknown number
//! is a dash, never a zero.

mod amount;
mod spread;

pub(crate) use amount::{amount, chosen, chosen_rate, estimated_rate, growth_an_hour, growth_over, lasting};
pub(crate) use spread::{Spread, change, figure, middle, probability, range};

use analysis::{Interval, Point};
use model::Nanos;

/// What stands where a number is not known.
pub(crate) const UNKNOWN: &str = "–";

/// A percentile as measured: `84.9 ms`, `≥ 10.0 s` where failed or cut-off
/// requests reach down to it, a dash where it is not known.
pub(crate) fn point(point: Option<Point>) -> String {
    match point {
        None => UNKNOWN.into(),
        Some(Point { value, at_least }) => bounded(at_least, &value.to_string()),
    }
}

/// `≥` before a text that is only a lower bound.
fn bounded(at_least: bool, text: &str) -> String {
    if at_least { format!("≥ {text}") } else { text.into() }
}

/// A percentile with its interval, both rounded to what the interval bears.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Measured {
    /// `84.9 ms`.
    pub(crate) value: String,
    /// `[79.3, 90.1]` in the value's unit, or why there is none.
    pub(crate) bracket: String,
}

/// Rounds `point` no finer than `interval` bears: to the second digit of the
/// interval's half width, so that 84.9 ms within 5.4 ms keeps its tenths and
/// 849 ms within 120 ms does not keep its ones.
pub(crate) fn measured(point: Option<Point>, interval: Interval) -> Measured {
    let Some(Point { value, at_least }) = point else {
        return Measured { value: UNKNOWN.into(), bracket: "[no interval]".into() };
    };
    let ruler = Ruler::new(value, half_width(value, interval));
    let bracket = match (interval.low, interval.high) {
        (None, None) => "[not bounded by this run]".into(),
        (Some(low), None) => format!("[{}, not bounded by this run]", ruler.number(low)),
        (None, Some(high)) => format!("[not bounded by this run, {}]", ruler.number(high)),
        (Some(low), Some(high)) => format!("[{}, {}]", ruler.number(low), ruler.number(high)),
    };
    let text = format!("{} {}", ruler.number(value), ruler.unit);
    Measured { value: bounded(at_least, &text), bracket }
}

/// Half the interval's width; where one end is missing, the way to the other.
/// Where both are, the value itself: the run bears two digits at most.
fn half_width(value: Nanos, interval: Interval) -> f64 {
    let value = value.0 as f64;
    let low = interval.low.map(|low| low.0 as f64);
    let high = interval.high.map(|high| high.0 as f64);
    match (low, high) {
        (Some(low), Some(high)) => (high - low) / 2.0,
        (Some(low), None) => value - low,
        (None, Some(high)) => high - value,
        (None, None) => value,
    }
}

/// One unit and one smallest step for a value and its interval.
struct Ruler {
    unit: &'static str,
    unit_nanos: f64,
    step_nanos: f64,
}

impl Ruler {
    fn new(value: Nanos, half_width: f64) -> Ruler {
        // Rounded first: 999.96 ms is 1.00 s in three digits.
        let exact = (value.0 as f64).max(1.0);
        let size = round_to(exact, power_of_ten(exact) / 100.0);
        let three_digits = power_of_ten(size) / 100.0;
        let borne = if half_width > 0.0 { power_of_ten(half_width) / 10.0 } else { 0.0 };
        // At least one digit of the value stays, however wide the interval is.
        let step_nanos = borne.max(three_digits).clamp(1.0, power_of_ten(size).max(1.0));
        let (unit, unit_nanos) = match size {
            s if s < 1e3 => ("ns", 1.0),
            s if s < 1e6 => ("µs", 1e3),
            s if s < 1e9 => ("ms", 1e6),
            _ => ("s", 1e9),
        };
        Ruler { unit, unit_nanos, step_nanos }
    }

    fn number(&self, nanos: Nanos) -> String {
        let rounded = round_to(nanos.0 as f64, self.step_nanos);
        let decimals = (self.unit_nanos / self.step_nanos).log10().round().max(0.0) as usize;
        format!("{:.decimals$}", rounded / self.unit_nanos)
    }
}

fn round_to(size: f64, step: f64) -> f64 {
    (size / step).round() * step
}

/// The largest power of ten that is not above `size`.
fn power_of_ten(size: f64) -> f64 {
    10f64.powf((size.log10() + 1e-9).floor())
}

/// `15,013`.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A count and its noun: `1 stall`, `2 stalls`.
pub(crate) fn counted(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", count(number))
}

/// A share as `2.7 %`: two digits below ten per cent, whole per cent above,
/// and never `100 %` or `0 %` for a share that is not.
pub(crate) fn share(share: f64) -> String {
    if !share.is_finite() {
        return UNKNOWN.into();
    }
    let percent = share * 100.0;
    match percent {
        0.0 => "0 %".into(),
        p if p < 0.01 => "under 0.01 %".into(),
        p if p < 0.0995 => format!("{p:.3} %"),
        p if p < 0.995 => format!("{p:.2} %"),
        p if p < 9.95 => format!("{p:.1} %"),
        p if p > 99.5 && p < 100.0 => format!("{:.1} %", p.min(99.9)),
        p => format!("{p:.0} %"),
    }
}

/// How many times one number holds another, with two digits: `1.4`, `16`, `120`.
pub(crate) fn times(ratio: f64) -> String {
    match ratio {
        r if !r.is_finite() => UNKNOWN.into(),
        r if r < 0.995 => format!("{r:.2}"),
        r if r < 9.95 => format!("{r:.1}"),
        r if r < 99.5 => format!("{r:.0}"),
        r => count((r / 10.0).round() as u64 * 10),
    }
}

/// A rate that was measured: `498/s`, `1,048/s`, `0.28/s`.
pub(crate) fn per_second(rate: f64) -> String {
    match rate {
        r if !r.is_finite() || r < 0.0 => UNKNOWN.into(),
        r if r < 9.995 => format!("{r:.2}/s"),
        r if r < 99.95 => format!("{r:.1}/s"),
        r => format!("{}/s", count(r.round() as u64)),
    }
}

/// A length that somebody chose, without digits that say nothing: `30 s`, `500 ms`, `2 min`.
pub(crate) fn length(nanos: Nanos) -> String {
    let whole = [(60_000_000_000, "min"), (1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs")];
    let fits = |size: &u64| nanos.0.is_multiple_of(*size);
    match whole.iter().find(|(size, _)| nanos.0 > 0 && fits(size)) {
        Some((size, unit)) if nanos.0 / size < 1_000 => format!("{} {unit}", nanos.0 / size),
        _ => nanos.to_string(),
    }
}

/// A mean time in nanoseconds, with three digits.
pub(crate) fn mean(nanos: Option<f64>) -> String {
    match nanos {
        Some(nanos) if nanos.is_finite() && nanos >= 0.0 => Nanos(nanos.round() as u64).to_string(),
        _ => UNKNOWN.into(),
    }
}

/// `64.0 MiB`.
pub(crate) fn bytes(bytes: u64) -> String {
    let size = bytes as f64;
    match bytes {
        0..1_024 => counted(bytes, "byte"),
        1_024..1_048_576 => format!("{:.1} KiB", size / 1_024.0),
        1_048_576..1_073_741_824 => format!("{:.1} MiB", size / 1_048_576.0),
        _ => format!("{:.1} GiB", size / 1_073_741_824.0),
    }
}

/// Whether a line must not break between the end of `before` and `word`: a
/// number and its unit, or `≥` and its number.
pub(crate) fn belong_together(before: &str, word: &str) -> bool {
    let bare = word.trim_end_matches([',', '.', ':', ';', ')', ']']);
    let is_unit =
        ["ns", "µs", "ms", "s", "min", "h", "days", "%", "bytes", "KiB", "MiB", "GiB"].contains(&bare);
    before.ends_with('≥') || is_unit && before.ends_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn within(value_us: u64, low_us: Option<u64>, high_us: Option<u64>) -> (String, String) {
        let point = Point { value: Nanos::from_micros(value_us), at_least: false };
        let low = low_us.map(Nanos::from_micros);
        let high = high_us.map(Nanos::from_micros);
        let measured = measured(Some(point), Interval { low, high, episodes: 8 });
        (measured.value, measured.bracket)
    }

    #[test]
    fn a_percentile_has_three_digits_and_none_that_its_interval_does_not_bear() {
        let cases = [
            ((84_912, Some(79_300), Some(90_140)), ("84.9 ms", "[79.3, 90.1]")),
            ((84_912, Some(84_900), Some(84_920)), ("84.9 ms", "[84.9, 84.9]")),
            ((84_912, Some(40_000), Some(130_000)), ("85 ms", "[40, 130]")),
            ((849_120, Some(600_000), Some(1_400_000)), ("850 ms", "[600, 1400]")),
            ((5_290, Some(100), Some(900_000)), ("5 ms", "[0, 900]")),
            ((84_912, Some(79_300), None), ("84.9 ms", "[79.3, not bounded by this run]")),
            ((84_912, None, None), ("85 ms", "[not bounded by this run]")),
            ((999_960, Some(999_950), Some(999_970)), ("1.00 s", "[1.00, 1.00]")),
        ];
        for ((value, low, high), (text, bracket)) in cases {
            assert_eq!(within(value, low, high), (text.into(), bracket.into()), "{value} µs");
        }
    }

    #[test]
    fn unknown_is_a_dash_and_a_lower_bound_says_so() {
        assert_eq!(point(None), "–");
        assert_eq!(point(Some(Point { value: Nanos::from_secs(10), at_least: true })), "≥ 10.0 s");
        assert_eq!(measured(None, Interval { low: None, high: None, episodes: 0 }).value, "–");
        assert_eq!(share(f64::NAN), "–");
        assert_eq!(mean(None), "–");
    }

    #[test]
    fn counts_are_grouped() {
        for (number, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(count(number), text);
        }
        assert_eq!(counted(1, "stall"), "1 stall");
        assert_eq!(counted(1_200, "stall"), "1,200 stalls");
    }

    #[test]
    fn a_share_is_never_rounded_to_all_or_nothing() {
        let cases = [
            (0.0, "0 %"),
            (0.000_01, "under 0.01 %"),
            (0.000_25, "0.025 %"),
            (0.005, "0.50 %"),
            (0.027, "2.7 %"),
            (0.34, "34 %"),
            (0.9996, "99.9 %"),
            (1.0, "100 %"),
        ];
        for (number, text) in cases {
            assert_eq!(share(number), text, "{number}");
        }
    }

    #[test]
    fn ratios_rates_and_lengths_read_as_people_write_them() {
        for (ratio, text) in [(0.5, "0.50"), (1.0, "1.0"), (16.06, "16"), (87.5, "88"), (1234.0, "1,230")] {
            assert_eq!(times(ratio), text);
        }
        for (rate, text) in [(0.28, "0.28/s"), (52.31, "52.3/s"), (1047.6, "1,048/s")] {
            assert_eq!(per_second(rate), text);
        }
        let lengths = [(Nanos::from_secs(30), "30 s"), (Nanos::from_secs(120), "2 min")];
        for (nanos, text) in lengths.into_iter().chain([(Nanos(12_345_678_901), "12.3 s")]) {
            assert_eq!(length(nanos), text);
        }
        assert_eq!(bytes(67_108_864), "64.0 MiB");
    }
}
