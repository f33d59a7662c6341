//! Numbers with units, as people write them: `500/s`, `30s`, `1.5 min`.

use crate::{Nanos, Rate};
use std::fmt;
use std::str::FromStr;

/// Why a text is not a rate or a duration. Its words complete the sentence
/// "`TEXT` …" and name the fix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitError(String);

impl fmt::Display for UnitError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for UnitError {}

fn error<T>(text: impl Into<String>) -> Result<T, UnitError> {
    Err(UnitError(text.into()))
}

/// Splits `"30 s"` into 30.0 and `"s"`. Thousands may be grouped with `_` or `,`.
fn split(text: &str) -> Result<(f64, &str), UnitError> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && !".,_-+".contains(c)).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let plain: String = number.chars().filter(|c| !",_".contains(*c)).collect();
    match plain.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok((value, unit.trim())),
        _ => error("does not begin with a number"),
    }
}

/// `500/s`, `30/min`, `2/h`.
impl FromStr for Rate {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Rate, UnitError> {
        let (value, unit) = split(text)?;
        let per_second = match unit.strip_prefix('/').map(str::trim) {
            Some("s" | "sec" | "second") => value,
            Some("min" | "m" | "minute") => value / 60.0,
            Some("h" | "hour") => value / 3600.0,
            Some(other) => {
                return error(format!("has the unknown unit `/{other}`: write `/s`, `/min` or `/h`"));
            }
            None if unit.is_empty() => {
                return error(format!("has no unit: write `{text}/s` (or `{text}/min`)"));
            }
            None => return error(format!("has the unknown unit `{unit}`: write `/s`, `/min` or `/h`")),
        };
        match Rate::per_second(per_second) {
            Some(rate) => Ok(rate),
            None => error("must be above zero"),
        }
    }
}

/// `250us`, `100ms`, `30s`, `5min`, `2h`. May be zero; may not be negative.
impl FromStr for Nanos {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Nanos, UnitError> {
        let (value, unit) = split(text)?;
        let scale = match unit {
            "ns" => 1.0,
            "us" | "µs" => 1e3,
            "ms" => 1e6,
            "s" => 1e9,
            "min" | "m" => 60e9,
            "h" => 3600e9,
            "" => return error(format!("has no unit: write `{text}s` (or `{text}ms`)")),
            other => return error(format!("has the unknown unit `{other}`: write ns, us, ms, s, min or h")),
        };
        if value < 0.0 {
            return error("must not be negative");
        }
        // 2^53 ns, 104 days: beyond it a float no longer holds every nanosecond.
        if value * scale > 9.0e15 {
            return error("is longer than 100 days");
        }
        Ok(Nanos((value * scale).round() as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_carry_their_unit() {
        let good =
            [("500/s", 500.0), ("30 / min", 0.5), ("1,000/s", 1000.0), ("7200/h", 2.0), ("0.5/s", 0.5)];
        for (text, per_second) in good {
            assert_eq!(text.parse::<Rate>().map(Rate::as_per_second), Ok(per_second), "{text}");
        }
        let bad = [
            ("500", "has no unit: write `500/s` (or `500/min`)"),
            ("500rps", "has the unknown unit `rps`: write `/s`, `/min` or `/h`"),
            ("5/fortnight", "has the unknown unit `/fortnight`: write `/s`, `/min` or `/h`"),
            ("0/s", "must be above zero"),
            ("-3/s", "must be above zero"),
            ("fast", "does not begin with a number"),
            ("", "does not begin with a number"),
        ];
        for (text, message) in bad {
            assert_eq!(text.parse::<Rate>().unwrap_err().to_string(), message, "{text:?}");
        }
    }

    #[test]
    fn durations_carry_their_unit() {
        let good = [
            ("30s", Nanos::from_secs(30)),
            ("1.5 min", Nanos::from_secs(90)),
            ("100ms", Nanos::from_millis(100)),
            ("250us", Nanos::from_micros(250)),
            ("0s", Nanos::ZERO),
            ("2h", Nanos::from_secs(7200)),
        ];
        for (text, nanos) in good {
            assert_eq!(text.parse::<Nanos>(), Ok(nanos), "{text}");
        }
        let bad = [
            ("30", "has no unit: write `30s` (or `30ms`)"),
            ("30 parsecs", "has the unknown unit `parsecs`: write ns, us, ms, s, min or h"),
            ("-1s", "must not be negative"),
            ("9999999h", "is longer than 100 days"),
            ("s", "does not begin with a number"),
        ];
        for (text, message) in bad {
            assert_eq!(text.parse::<Nanos>().unwrap_err().to_string(), message, "{text:?}");
        }
    }
}
