//! Values with units, and what is wrong with those that lack them.
//!
//! Each function turns one value into what it means, or into a [`Fault`]:
//! words that go on from the name of the key.

use crate::node::{Node, Number, Value};
use crate::plan::WarmUp;
use model::{Nanos, Rate, UnitError};
use std::str::FromStr;

/// What is wrong with a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Goes on from "`rounds.measure`": "has no unit".
    pub predicate: String,
    /// What to do about it; may be empty.
    pub hint: String,
    /// It is a bare number where a unit is needed.
    pub is_bare: bool,
}

impl Fault {
    pub fn new(predicate: impl Into<String>, hint: impl Into<String>) -> Fault {
        Fault { predicate: predicate.into(), hint: hint.into(), is_bare: false }
    }

    fn bare(hint: String) -> Fault {
        Fault { predicate: "has no unit".to_owned(), hint, is_bare: true }
    }

    /// Not even the right type.
    pub fn mismatch(node: &Node, wanted: &str, example: &str) -> Fault {
        Fault::new(format!("is {}, and must be {wanted}", node.description()), format!("write {example}"))
    }

    /// `has no unit: write …` becomes a predicate and a hint.
    fn of_unit(error: &UnitError) -> Fault {
        let text = error.to_string();
        match text.split_once(": ") {
            Some((predicate, hint)) => Fault::new(predicate, hint),
            None => Fault::new(text, ""),
        }
    }
}

type Found<T> = Result<T, Fault>;

/// A value written as a text with its unit; a bare number gets `suffixes`
/// shown behind it.
fn with_unit<T: FromStr<Err = UnitError>>(node: &Node, wanted: &str, suffixes: [&str; 2]) -> Found<T> {
    let [usual, other] = suffixes;
    let bare = |written: &str| Fault::bare(format!("write \"{written}{usual}\" (or \"{written}{other}\")"));
    match &node.value {
        Value::Text(text) => text.parse().map_err(|error| match text.trim().parse::<f64>() {
            Ok(number) if number >= 0.0 => bare(text.trim()),
            _ => Fault::of_unit(&error),
        }),
        Value::Number(Number { written, .. }) => Err(bare(written)),
        _ => Err(Fault::mismatch(node, wanted, &format!("\"30{usual}\""))),
    }
}

/// `"30s"`.
pub(crate) fn duration(node: &Node) -> Found<Nanos> {
    with_unit(node, "a length of time", ["s", "ms"])
}

/// A length of time as a plan would write it, to the nanosecond: `9min`, `1.5s`.
pub(crate) fn written(time: Nanos) -> String {
    let sizes = [(3_600_000_000_000, "h"), (60_000_000_000, "min"), (1_000_000_000, "s"), (1_000_000, "ms")];
    let fits = |size: &u64| time.0 > 0 && time.0.is_multiple_of(*size);
    match sizes.iter().find(|(size, _)| fits(size)) {
        Some((size, unit)) => format!("{}{unit}", time.0 / size),
        None => format!("{}s", time.as_secs_f64()),
    }
}

/// `"546/s"`.
pub(crate) fn rate(node: &Node) -> Found<Rate> {
    with_unit(node, "a rate", ["/s", "/min"])
}

/// `"546/s"`, or `"0/s"`: as many a second.
pub(crate) fn rate_from_zero(node: &Node) -> Found<f64> {
    // A rate is above zero by its type; here none at all has a meaning.
    let is_none = |text: &str| {
        let (number, unit) = text.split_once('/')?;
        let some = format!("1/{unit}").parse::<Rate>().is_ok();
        Some(some && number.trim().parse::<f64>() == Ok(0.0))
    };
    match &node.value {
        Value::Text(text) if is_none(text) == Some(true) => Ok(0.0),
        _ => rate(node).map(Rate::as_per_second),
    }
}

/// `"400 requests"` or `"5s"`.
pub(crate) fn warm_up(node: &Node) -> Found<WarmUp> {
    match &node.value {
        Value::Text(text) => {
            match text.trim().strip_suffix("requests").or(text.trim().strip_suffix("request")) {
                Some(count) => count
                    .trim()
                    .replace(['_', ','], "")
                    .parse()
                    .map(WarmUp::Requests)
                    .map_err(|_| Fault::new("is no number of requests", "write \"400 requests\"")),
                None => duration(node).map(WarmUp::For),
            }
        }
        Value::Number(Number { written, .. }) => {
            Err(Fault::bare(format!("write \"{written} requests\" (or \"{written}s\")")))
        }
        _ => Err(Fault::mismatch(node, "a number of requests or a length of time", "\"400 requests\"")),
    }
}

/// `"95%"`, as 0.95.
pub(crate) fn share(node: &Node) -> Found<f64> {
    let outside = || Fault::new("must lie between 0% and 100%", "");
    match &node.value {
        Value::Text(text) => {
            let number = text.trim().strip_suffix('%').map(|number| number.trim().parse::<f64>());
            match number {
                Some(Ok(percent)) if (0.0..=100.0).contains(&percent) => Ok(percent / 100.0),
                Some(Ok(_)) => Err(outside()),
                _ => Err(Fault::new("is no share", "write \"95%\"")),
            }
        }
        Value::Number(Number { written, .. }) => Err(Fault::bare(format!("write \"{written}%\""))),
        _ => Err(Fault::mismatch(node, "a share", "\"95%\"")),
    }
}

/// A whole number from `least` to `most`.
pub(crate) fn whole(node: &Node, least: u64, most: u64) -> Found<u64> {
    let number = match &node.value {
        Value::Number(number) => number,
        Value::Text(text) if text.trim().parse::<u64>().is_ok() => {
            return Err(Fault::new("is in quotes, and must be a number", format!("write {}", text.trim())));
        }
        _ => return Err(Fault::mismatch(node, "a whole number", &least.max(1).to_string())),
    };
    match number.integer.map(u64::try_from) {
        Some(Ok(value)) if (least..=most).contains(&value) => Ok(value),
        Some(Ok(value)) if value > most => Err(Fault::new(format!("must be at most {most}"), "")),
        Some(_) => Err(Fault::new(format!("must be at least {least}"), "")),
        None if number.float.fract() == 0.0 => Err(Fault::new("is too large", "")),
        None => Err(Fault::new("must be a whole number", "")),
    }
}

/// A number that is not negative, such as a load average.
pub(crate) fn number(node: &Node) -> Found<f64> {
    match &node.value {
        Value::Number(number) if number.float.is_finite() && number.float >= 0.0 => Ok(number.float),
        Value::Number(_) => Err(Fault::new("must be zero or above", "")),
        _ => Err(Fault::mismatch(node, "a number", "3.0")),
    }
}

/// `true` or `false`.
pub(crate) fn flag(node: &Node) -> Found<bool> {
    match &node.value {
        Value::Bool(flag) => Ok(*flag),
        Value::Text(text) if matches!(text.as_str(), "true" | "false") => {
            Err(Fault::new("is in quotes", format!("write {text}")))
        }
        _ => Err(Fault::mismatch(node, "true or false", "false")),
    }
}

/// Words that say something.
pub(crate) fn words(node: &Node, example: &str) -> Found<String> {
    match &node.value {
        Value::Text(text) if text.trim().is_empty() => {
            Err(Fault::new("is empty", format!("write {example}")))
        }
        Value::Text(text) => Ok(text.trim().to_owned()),
        Value::Number(Number { written, .. }) => {
            Err(Fault::new("is a number, and must be a text", format!("write \"{written}\"")))
        }
        _ => Err(Fault::mismatch(node, "a text", example)),
    }
}
