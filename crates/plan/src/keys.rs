//! Every key a plan may hold: one table, from which come the check of what
//! was written, the defaults, the reference and the schema.

mod table;

pub use table::KEYS;

use crate::node::{Node, Table};
use std::collections::BTreeMap;
use std::sync::LazyLock;
use toml::de::DeValue;

/// One key.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Its parts, with `*` for a name of the user's: `arm.*.open.rate`.
    pub path: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// What holds where it is not given.
    pub fallback: Fallback,
    /// One or two sentences for the reference.
    pub meaning: &'static str,
    /// A value, as TOML; empty for tables.
    pub example: &'static str,
}

/// What holds where a key is not given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fallback {
    /// It must be given, where its table is.
    Required,
    /// This value, as TOML.
    Value(&'static str),
    /// What these words say.
    Says(&'static str),
    /// Nothing: what it asks for is not done.
    Nothing,
}

/// What a key holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A table with keys of its own.
    Table,
    /// A table with the keys of the table at this path.
    SameAs(&'static str),
    /// A table whose keys are names of the user's.
    Named,
    /// A list of tables: `[[guess]]`.
    Tables,
    /// A text that says something.
    Words,
    /// A text that may be empty, with `{{ row.COLUMN }}` in it.
    Template,
    /// A list of texts.
    List,
    /// A list of pairs of texts.
    Pairs,
    /// A length of time with its unit.
    Duration,
    /// A rate with its unit.
    Rate,
    /// A rate with its unit, or none: `0/s`.
    RateFromZero,
    /// A number of requests, or a length of time.
    WarmUp,
    /// A share such as `95%`.
    Share,
    /// A number, zero or above.
    Number,
    /// A whole number from the first to the second.
    Whole(u64, u64),
    /// A list of whole numbers, zero or above.
    Wholes,
    /// `true` or `false`.
    Flag,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// Any value, turned into JSON, with `{{ row.COLUMN }}` in its texts.
    Json,
}

impl Key {
    /// The path without its last part; empty for keys of the top.
    pub fn parent(&self) -> &'static str {
        self.path.rsplit_once('.').map_or("", |(parent, _)| parent)
    }

    /// The last part of the path.
    pub fn name(&self) -> &'static str {
        self.path.rsplit_once('.').map_or(self.path, |(_, name)| name)
    }

    /// The path that its own keys stand below.
    pub(crate) fn inside(&self) -> &'static str {
        match self.kind {
            Kind::SameAs(path) => path,
            _ => self.path,
        }
    }
}

/// The path that the keys of the table at `path` stand below.
pub(crate) fn inside(path: &str) -> &str {
    KEYS.iter().find(|key| key.path == path).map_or(path, |key| key.inside())
}

/// Whether the key at `path` holds a list of tables.
pub(crate) fn is_list(path: &str) -> bool {
    KEYS.iter().any(|key| key.path == path && key.kind == Kind::Tables)
}

/// The keys directly below `parent`, a path as in the table.
pub(crate) fn below(parent: &str) -> impl Iterator<Item = &'static Key> + use<'_> {
    KEYS.iter().filter(move |key| key.parent() == parent)
}

/// The key `name` below `parent`: of that name, or of any name.
pub(crate) fn find(parent: &str, name: &str) -> Option<&'static Key> {
    let exactly = below(parent).find(|key| key.name() == name && name != "*");
    exactly.or_else(|| below(parent).find(|key| key.name() == "*"))
}

/// The value of a key that is not given, if the table has one.
pub(crate) fn fallback(path: &str) -> Option<&'static Node> {
    static VALUES: LazyLock<BTreeMap<&str, Node>> = LazyLock::new(|| {
        let value = |key: &Key| match key.fallback {
            Fallback::Value(text) => {
                let parsed = DeValue::parse(text).expect("a test holds that every fallback is TOML");
                Some((key.path, Node::from_toml(&parsed, 0, 0)))
            }
            _ => None,
        };
        KEYS.iter().filter_map(value).collect()
    });
    VALUES.get(path)
}

/// The known name nearest to `name`, if one is near enough to be meant.
pub(crate) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let near = known.map(|known| (strsim::damerau_levenshtein(name, known), known)).min()?;
    // A third of the letters wrong, or two in a short word, is still a slip.
    (near.0 <= (name.chars().count() / 3).max(2) && near.0 < near.1.chars().count()).then_some(near.1)
}

/// The names directly in `table`.
pub(crate) fn names(table: &Table) -> impl Iterator<Item = &str> {
    table.entries.iter().map(|entry| entry.key.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_has_a_parent_that_can_hold_it_and_stands_once() {
        for (at, key) in KEYS.iter().enumerate() {
            assert!(!KEYS[..at].iter().any(|other| other.path == key.path), "{} stands twice", key.path);
            let parent = KEYS.iter().find(|other| other.path == key.parent());
            let holds = parent.is_none_or(|parent| match (parent.kind, key.name()) {
                (Kind::Named | Kind::Tables, name) => name == "*",
                (Kind::Table, name) => name != "*",
                _ => false,
            });
            assert!(holds && (parent.is_some() || !key.path.contains('.')), "{}", key.path);
        }
    }

    #[test]
    fn a_table_with_the_keys_of_another_finds_them() {
        assert_eq!(inside("arm.*.shape"), "shape");
        assert_eq!(inside("arm.*.open"), "arm.*.open");
        for key in KEYS {
            if let Kind::SameAs(path) = key.kind {
                assert!(KEYS.iter().any(|other| other.path == path && other.kind == Kind::Table), "{path}");
            }
        }
    }

    #[test]
    fn examples_and_fallbacks_are_toml_of_their_own_kind() {
        for key in KEYS {
            let texts = match key.fallback {
                Fallback::Value(text) => vec![text, key.example],
                _ => vec![key.example],
            };
            for text in texts.into_iter().filter(|text| !text.is_empty()) {
                let parsed = DeValue::parse(text).unwrap_or_else(|error| panic!("{}: {error}", key.path));
                let node = Node::from_toml(&parsed, 0, 0);
                assert_eq!(crate::check::fault(key, &node), None, "{} = {text}", key.path);
            }
        }
    }

    #[test]
    fn a_slip_finds_the_key_that_was_meant_and_another_word_finds_none() {
        let known = || below("rounds").map(Key::name);
        assert_eq!(nearest("mesure", known()), Some("measure"));
        assert_eq!(nearest("warmup", known()), Some("warm_up"));
        assert_eq!(nearest("percentile", known()), None);
    }
}
