//! Rates: how many a second.

use std::fmt;

/// A rate in events a second: finite and above zero, by construction.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Rate(f64);

impl Rate {
    /// A rate of `per_second`; `None` unless it is finite and above zero.
    pub fn per_second(per_second: f64) -> Option<Rate> {
        (per_second.is_finite() && per_second > 0.0).then_some(Rate(per_second))
    }

    /// Events a second.
    pub fn as_per_second(self) -> f64 {
        self.0
    }
}

/// `546/s`, `0.28/s`, `20,000/s`: as many digits as the rate has, three
/// decimals at most.
impl fmt::Display for Rate {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:.3}", self.0);
        let text = text.trim_end_matches('0').trim_end_matches('.');
        let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
        let mut grouped = String::new();
        for (at, digit) in whole.chars().enumerate() {
            if at > 0 && (whole.len() - at).is_multiple_of(3) {
                grouped.push(',');
            }
            grouped.push(digit);
        }
        out.pad(&format!("{grouped}{rest}/s"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_finite_and_above_zero() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(Rate::per_second(bad), None, "{bad}");
        }
        assert_eq!(Rate::per_second(546.0).map(Rate::as_per_second), Some(546.0));
    }

    #[test]
    fn rates_print_grouped_and_without_empty_decimals() {
        for (rate, text) in
            [(546.0, "546/s"), (0.28, "0.28/s"), (20_000.0, "20,000/s"), (1_234_567.5, "1,234,567.5/s")]
        {
            assert_eq!(Rate(rate).to_string(), text);
        }
    }
}
