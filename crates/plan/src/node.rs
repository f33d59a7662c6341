//! A plan as written: TOML's values, each with its place.
//!
//! A tree of our own, because `toml::Spanned` loses its places inside tagged
//! and flattened enums, and because flags put values of other sources into it.

use crate::source::Place;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub place: Place,
    pub value: Value,
}

#[derive(Clone, Debug)]
pub(crate) enum Value {
    Text(String),
    Number(Number),
    Bool(bool),
    /// TOML knows dates; no key of a plan is one.
    Date(String),
    List(Vec<Node>),
    Table(Table),
}

/// A number in TOML's normal form: no underscores, and decimal unless it is
/// an integer with a base prefix.
#[derive(Clone, Debug)]
pub(crate) struct Number {
    pub written: String,
    /// `None` for fractions and for what 64 bits cannot hold.
    pub integer: Option<i64>,
    pub float: f64,
}

/// Keys in the order in which they first stand in the plan.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    pub entries: Vec<Entry>,
}

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub key: String,
    pub key_place: Place,
    pub node: Node,
}

impl Table {
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    pub fn entry_mut(&mut self, key: &str) -> Option<&mut Entry> {
        self.entries.iter_mut().find(|entry| entry.key == key)
    }

    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.node)
    }

    /// From TOML's own table; `source` and `shift` say where its text stands.
    pub fn from_toml(table: &DeTable<'_>, source: usize, shift: usize) -> Table {
        let entry = |(key, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| Entry {
            key: String::from(AsRef::<str>::as_ref(key.get_ref() as &std::borrow::Cow<'_, str>)),
            key_place: place(key.span(), source, shift),
            node: Node::from_toml(value, source, shift),
        };
        let mut entries: Vec<Entry> = table.iter().map(entry).collect();
        entries.sort_by_key(|entry| entry.key_place);
        Table { entries }
    }
}

impl Node {
    pub fn from_toml(value: &Spanned<DeValue<'_>>, source: usize, shift: usize) -> Node {
        let inside = |value| Node::from_toml(value, source, shift);
        let own = match value.get_ref() {
            DeValue::String(text) => Value::Text(text.to_string()),
            DeValue::Integer(number) => {
                let integer = i64::from_str_radix(number.as_str(), number.radix()).ok();
                let float = integer.map_or_else(|| number.as_str().parse().unwrap_or(f64::NAN), |i| i as f64);
                Value::Number(Number { written: number.to_string(), integer, float })
            }
            DeValue::Float(number) => {
                let float = number.as_str().parse().unwrap_or(f64::NAN);
                Value::Number(Number { written: number.as_str().to_owned(), integer: None, float })
            }
            DeValue::Boolean(flag) => Value::Bool(*flag),
            DeValue::Datetime(date) => Value::Date(date.to_string()),
            DeValue::Array(items) => Value::List(items.iter().map(inside).collect()),
            DeValue::Table(table) => Value::Table(Table::from_toml(table, source, shift)),
        };
        Node { place: place(value.span(), source, shift), value: own }
    }

    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn table(&self) -> Option<&Table> {
        match &self.value {
            Value::Table(table) => Some(table),
            _ => None,
        }
    }

    pub fn list(&self) -> Option<&[Node]> {
        match &self.value {
            Value::List(items) => Some(items),
            _ => None,
        }
    }

    /// What it is, with its article.
    pub fn description(&self) -> &'static str {
        match &self.value {
            Value::Text(_) => "a text",
            Value::Number(_) => "a number",
            Value::Bool(_) => "true or false",
            Value::Date(_) => "a date",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
        }
    }
}

fn place(span: std::ops::Range<usize>, source: usize, shift: usize) -> Place {
    Place { source, start: span.start + shift, end: span.end + shift }
}
