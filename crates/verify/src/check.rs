//! Compares what was computed with what is reported, name by name.

use crate::{Mismatch, Verification};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::fmt;

/// How far a reported float may lie from ours, as a share of it: some tens of
/// roundings. No reported float takes more than a handful of operations, and a
/// wider margin would hide a single sample that is one nanosecond off.
const ROUNDING: f64 = 1e-14;

/// The same for what takes many operations, such as a quantile of Student's t.
const LONG_ROUNDING: f64 = 1e-10;

/// A value as it should be reported.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Computed {
    /// Not known: `null`, and never zero.
    Unknown,
    /// Not known: `null`, or not there in a summary that is older than the value.
    Newer,
    /// Exactly this.
    Whole(u64),
    /// Exactly this, and it may be negative.
    Signed(i64),
    /// This, up to rounding.
    Real(f64),
    /// This, up to the rounding of a longer computation.
    Near(f64),
    /// No such value at all: a list ends before it.
    Nothing,
    /// Yes or no.
    Flag(bool),
    /// Exactly this text.
    Text(String),
    /// These words in this order.
    Words(Vec<String>),
    /// Any of these, where rounding decides between them.
    OneOf(Vec<Option<u64>>),
}

/// Computed values under their names: a name is the path in the JSON, its
/// parts joined by points.
#[derive(Default)]
pub(crate) struct List(Vec<(String, Computed)>);

impl List {
    pub(crate) fn add(&mut self, name: impl Into<String>, computed: Computed) {
        self.0.push((name.into(), computed));
    }

    pub(crate) fn whole(&mut self, name: impl Into<String>, value: u64) {
        self.add(name, Computed::Whole(value));
    }

    pub(crate) fn maybe(&mut self, name: impl Into<String>, value: Option<u64>) {
        self.add(name, value.map_or(Computed::Unknown, Computed::Whole));
    }

    pub(crate) fn signed(&mut self, name: impl Into<String>, value: i64) {
        self.add(name, Computed::Signed(value));
    }

    pub(crate) fn real(&mut self, name: impl Into<String>, value: Option<f64>) {
        let finite = value.filter(|value| value.is_finite());
        self.add(name, finite.map_or(Computed::Unknown, Computed::Real));
    }

    pub(crate) fn near(&mut self, name: impl Into<String>, value: Option<f64>) {
        let finite = value.filter(|value| value.is_finite());
        self.add(name, finite.map_or(Computed::Unknown, Computed::Near));
    }

    pub(crate) fn flag(&mut self, name: impl Into<String>, value: Option<bool>) {
        self.add(name, value.map_or(Computed::Unknown, Computed::Flag));
    }

    pub(crate) fn text(&mut self, name: impl Into<String>, value: &str) {
        self.add(name, Computed::Text(value.to_owned()));
    }

    pub(crate) fn maybe_text(&mut self, name: impl Into<String>, value: Option<&str>) {
        self.add(name, value.map_or(Computed::Unknown, |text| Computed::Text(text.to_owned())));
    }

    /// Everything, as the JSON that it should be found in.
    pub(crate) fn tree(&self) -> Value {
        let mut tree = Value::Null;
        for (name, computed) in &self.0 {
            if let Some(value) = computed.value() {
                *place(&mut tree, name) = value;
            }
        }
        tree
    }

    /// Compares everything with `reported`, and notes down the numbers there
    /// that nothing was computed for. `run` is whose they are.
    pub(crate) fn compare(self, run: &str, reported: &Value, found: &mut Verification) {
        let names: BTreeSet<&str> = self.0.iter().map(|(name, _)| name.as_str()).collect();
        let mut numbers = Vec::new();
        numbers_in(reported, "", &mut numbers);
        let unknown = numbers.into_iter().filter(|name| !names.contains(name.as_str()));
        found.not_checked.extend(unknown.map(|name| format!("{run}: {name}")));
        for (name, computed) in &self.0 {
            let value = reported.pointer(&format!("/{}", name.replace('.', "/")));
            found.checked += 1;
            let is_right = match value {
                Some(value) => computed.is(value),
                None => matches!(computed, Computed::Nothing | Computed::Newer),
            };
            if !is_right {
                found.mismatches.push(Mismatch {
                    run: run.to_owned(),
                    name: name.clone(),
                    reported: value.map_or("nothing".to_owned(), Value::to_string),
                    computed: computed.to_string(),
                });
            }
        }
    }
}

impl Computed {
    /// A value of another file, as the summary should have it.
    pub(crate) fn of(value: &Value) -> Computed {
        match value {
            Value::Bool(flag) => Computed::Flag(*flag),
            Value::String(text) => Computed::Text(text.clone()),
            Value::Number(number) => match (number.as_u64(), number.as_f64()) {
                (Some(whole), _) => Computed::Whole(whole),
                (None, Some(real)) => Computed::Real(real),
                (None, None) => Computed::Unknown,
            },
            Value::Null | Value::Array(_) | Value::Object(_) => Computed::Unknown,
        }
    }

    /// As JSON; `None` of what stands for the end of a list.
    fn value(&self) -> Option<Value> {
        Some(match self {
            Computed::Unknown | Computed::Newer => Value::Null,
            Computed::Whole(value) => json!(value),
            Computed::Signed(value) => json!(value),
            Computed::Real(value) | Computed::Near(value) => json!(value),
            Computed::Nothing => return None,
            Computed::Flag(value) => json!(value),
            Computed::Text(value) => json!(value),
            Computed::Words(words) => json!(words),
            Computed::OneOf(values) => json!(values.first()?),
        })
    }

    fn is(&self, reported: &Value) -> bool {
        match self {
            Computed::Unknown | Computed::Newer => reported.is_null(),
            Computed::Whole(value) => reported.as_u64() == Some(*value),
            Computed::Signed(value) => reported.as_i64() == Some(*value),
            Computed::Real(value) => close(reported, *value, ROUNDING),
            Computed::Near(value) => close(reported, *value, LONG_ROUNDING),
            // An empty list is one without a first value.
            Computed::Nothing => reported.as_array().is_some_and(Vec::is_empty),
            Computed::Flag(value) => reported.as_bool() == Some(*value),
            Computed::Text(value) => reported.as_str() == Some(value),
            Computed::Words(words) => {
                let same = |found: &Vec<Value>| {
                    found.iter().map(Value::as_str).eq(words.iter().map(|word| Some(word.as_str())))
                };
                reported.as_array().is_some_and(same)
            }
            Computed::OneOf(values) => values.iter().any(|value| match value {
                Some(value) => reported.as_u64() == Some(*value),
                None => reported.is_null(),
            }),
        }
    }
}

/// Where a name stands in `tree`, which grows as it must. Parts that are
/// numbers are places in lists.
fn place<'a>(tree: &'a mut Value, name: &str) -> &'a mut Value {
    name.split('.').fold(tree, |at, part| match part.parse::<usize>() {
        Ok(place) => {
            let all = list_at(at);
            all.resize(all.len().max(place + 1), Value::Null);
            &mut all[place]
        }
        Err(_) => object_at(at).entry(part).or_insert(Value::Null),
    })
}

fn list_at(at: &mut Value) -> &mut Vec<Value> {
    if !at.is_array() {
        *at = Value::Array(Vec::new());
    }
    at.as_array_mut().expect("it is one now")
}

fn object_at(at: &mut Value) -> &mut Map<String, Value> {
    if !at.is_object() {
        *at = Value::Object(Map::new());
    }
    at.as_object_mut().expect("it is one now")
}

fn close(reported: &Value, computed: f64, rounding: f64) -> bool {
    let is_close = |found: f64| (found - computed).abs() <= rounding * found.abs().max(computed.abs());
    reported.as_f64().is_some_and(is_close)
}

impl fmt::Display for Computed {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Computed::Unknown | Computed::Newer => write!(out, "null"),
            Computed::Whole(value) => write!(out, "{value}"),
            Computed::Signed(value) => write!(out, "{value}"),
            Computed::Real(value) | Computed::Near(value) => write!(out, "{value:?}"),
            Computed::Nothing => write!(out, "nothing"),
            Computed::Flag(value) => write!(out, "{value}"),
            Computed::Text(value) => write!(out, "{value:?}"),
            Computed::Words(words) => write!(out, "{words:?}"),
            Computed::OneOf(values) => {
                let mut texts: Vec<String> =
                    values.iter().map(|value| value.map_or("null".to_owned(), |v| v.to_string())).collect();
                texts.dedup();
                write!(out, "{}", texts.join(" or "))
            }
        }
    }
}

/// The names of all numbers in `value`.
fn numbers_in(value: &Value, name: &str, names: &mut Vec<String>) {
    let below = |part: &str| if name.is_empty() { part.to_owned() } else { format!("{name}.{part}") };
    match value {
        Value::Number(_) => names.push(name.to_owned()),
        Value::Object(fields) => fields.iter().for_each(|(part, one)| numbers_in(one, &below(part), names)),
        Value::Array(all) => {
            all.iter().enumerate().for_each(|(at, one)| numbers_in(one, &below(&at.to_string()), names));
        }
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn compared(list: List, reported: &Value) -> Verification {
        let mut found = Verification::default();
        list.compare("R1-a", reported, &mut found);
        found
    }

    #[test]
    fn one_nanosecond_more_is_found_and_named() {
        let mut list = List::default();
        list.whole("times.p99", 84);
        list.whole("times.p50", 7);
        let found = compared(list, &json!({"times": {"p50": 7, "p99": 85}}));
        assert_eq!(found.checked, 2);
        let says: Vec<String> = found.mismatches.iter().map(ToString::to_string).collect();
        assert_eq!(says, ["R1-a: times.p99 is reported as 85 and computed as 84"]);
    }

    #[test]
    fn what_an_older_summary_does_not_know_is_no_mismatch_and_a_number_in_its_place_is() {
        let list = || {
            let mut list = List::default();
            list.add("tls", Computed::Newer);
            list
        };
        assert!(compared(list(), &json!({})).is_sound());
        assert!(compared(list(), &json!({"tls": null})).is_sound());
        assert!(!compared(list(), &json!({"tls": 1})).is_sound());
    }

    #[test]
    fn an_unknown_number_must_be_null_and_a_missing_one_is_a_mismatch() {
        let list = |value| {
            let mut list = List::default();
            list.maybe("p99", value);
            list
        };
        assert!(compared(list(None), &json!({"p99": null})).is_sound());
        assert!(!compared(list(None), &json!({"p99": 0})).is_sound());
        assert!(!compared(list(None), &json!({})).is_sound());
        assert!(!compared(list(Some(0)), &json!({"p99": null})).is_sound());
    }

    #[test]
    fn what_was_computed_stands_in_its_tree_as_in_the_json_it_is_compared_with() {
        let mut list = List::default();
        list.whole("windows.0.n", 5);
        list.real("windows.1.share", Some(0.5));
        list.add("windows.2", Computed::Nothing);
        list.maybe("times.p99", None);
        list.whole("times.own.n", 1);
        let tree = json!({"windows": [{"n": 5}, {"share": 0.5}], "times": {"p99": null, "own": {"n": 1}}});
        assert_eq!(list.tree(), tree);
        assert!(compared(list, &tree).is_sound());
    }

    #[test]
    fn a_number_that_nothing_was_computed_for_is_named() {
        let found = compared(List::default(), &json!({"a": [{"b": 1}], "c": "2"}));
        assert_eq!(found.not_checked, ["R1-a: a.0.b"]);
    }
}
