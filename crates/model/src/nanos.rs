//! Moments and lengths of time.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, Sub};

/// A moment (nanoseconds since the run's start, on the monotonic clock) or a
/// length of time, in nanoseconds. 64 bits hold 584 years.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Nanos(pub u64);

impl Nanos {
    /// The start of a run, or no time at all.
    pub const ZERO: Nanos = Nanos(0);
    /// Later than every moment of any run.
    pub const MAX: Nanos = Nanos(u64::MAX);

    /// Whole microseconds.
    pub const fn from_micros(micros: u64) -> Nanos {
        Nanos(micros * 1_000)
    }

    /// Whole milliseconds.
    pub const fn from_millis(millis: u64) -> Nanos {
        Nanos(millis * 1_000_000)
    }

    /// Whole seconds.
    pub const fn from_secs(secs: u64) -> Nanos {
        Nanos(secs * 1_000_000_000)
    }

    /// Seconds as a float, to the nearest nanosecond. Negative or not a
    /// number becomes zero; too large becomes [`Nanos::MAX`].
    pub fn from_secs_f64(secs: f64) -> Nanos {
        Nanos((secs * 1e9).round() as u64)
    }

    /// Seconds as a float, for arithmetic and for people.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// Milliseconds as a float, for people.
    pub fn as_millis_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// `self − earlier`, or zero where `earlier` is the later of the two.
    #[must_use]
    pub const fn saturating_sub(self, earlier: Nanos) -> Nanos {
        Nanos(self.0.saturating_sub(earlier.0))
    }

    /// `self + length`, at most [`Nanos::MAX`].
    #[must_use]
    pub const fn saturating_add(self, length: Nanos) -> Nanos {
        Nanos(self.0.saturating_add(length.0))
    }
}

impl Add for Nanos {
    type Output = Nanos;
    fn add(self, other: Nanos) -> Nanos {
        Nanos(self.0 + other.0)
    }
}

impl AddAssign for Nanos {
    fn add_assign(&mut self, other: Nanos) {
        self.0 += other.0;
    }
}

/// Panics in debug builds where the result would be negative: a caller that
/// cannot rule that out uses [`Nanos::saturating_sub`].
impl Sub for Nanos {
    type Output = Nanos;
    fn sub(self, earlier: Nanos) -> Nanos {
        Nanos(self.0 - earlier.0)
    }
}

impl Mul<u64> for Nanos {
    type Output = Nanos;
    fn mul(self, times: u64) -> Nanos {
        Nanos(self.0 * times)
    }
}

impl Sum for Nanos {
    fn sum<I: Iterator<Item = Nanos>>(all: I) -> Nanos {
        all.fold(Nanos::ZERO, |sum, one| sum + one)
    }
}

/// Three digits and the unit that suits: `830 ns`, `21.4 µs`, `84.9 ms`,
/// `1.20 s`. From 100 s on, whole seconds.
impl fmt::Display for Nanos {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = self.0 as f64;
        let (value, unit) = match self.0 {
            0..1_000 => return out.pad(&format!("{} ns", self.0)),
            1_000..999_500 => (nanos / 1e3, "µs"),
            999_500..999_500_000 => (nanos / 1e6, "ms"),
            _ => (nanos / 1e9, "s"),
        };
        let text = match value {
            v if v < 9.995 => format!("{v:.2} {unit}"),
            v if v < 99.95 => format!("{v:.1} {unit}"),
            v => format!("{v:.0} {unit}"),
        };
        out.pad(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_print_with_three_digits_and_a_fitting_unit() {
        let cases = [
            (0, "0 ns"),
            (999, "999 ns"),
            (1_000, "1.00 µs"),
            (21_440, "21.4 µs"),
            (999_499, "999 µs"),
            (999_500, "1.00 ms"),
            (84_912_345, "84.9 ms"),
            (9_994_999, "9.99 ms"),
            (9_995_000, "10.0 ms"),
            (99_950_000, "100 ms"),
            (999_500_000, "1.00 s"),
            (120_000_000_000, "120 s"),
        ];
        for (nanos, text) in cases {
            assert_eq!(Nanos(nanos).to_string(), text, "{nanos} ns");
        }
    }

    #[test]
    fn seconds_from_floats_round_and_stay_in_range() {
        assert_eq!(Nanos::from_secs_f64(1.5), Nanos(1_500_000_000));
        assert_eq!(Nanos::from_secs_f64(-1.0), Nanos::ZERO);
        assert_eq!(Nanos::from_secs_f64(f64::NAN), Nanos::ZERO);
        assert_eq!(Nanos::from_secs_f64(f64::INFINITY), Nanos::MAX);
    }
}
