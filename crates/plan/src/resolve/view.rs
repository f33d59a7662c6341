//! Reading values that have passed the check: as given, or as the table of
//! keys has them where they are not.

use crate::keys;
use crate::node::{Entry, Node, Table, Value};
use crate::plan::WarmUp;
use crate::source::Place;
use crate::units::{self, Fault};
use model::{Nanos, Rate};

/// One table of the plan; it may be absent.
#[derive(Clone, Debug)]
pub(super) struct View<'a> {
    table: Option<&'a Table>,
    /// As in the table of keys: `arm.*.open`.
    pattern: String,
    /// Of the key that leads here.
    pub key_place: Place,
}

/// A pair of names, with the places of all three.
#[derive(Clone, Debug)]
pub(super) struct WrittenPair {
    pub place: Place,
    pub names: [(Place, String); 2],
}

/// For values that the check has let through.
fn checked<T>(found: Result<T, Fault>) -> T {
    found.unwrap_or_else(|fault| panic!("a checked value {}", fault.predicate))
}

impl<'a> View<'a> {
    pub fn root(table: &'a Table) -> View<'a> {
        View { table: Some(table), pattern: String::new(), key_place: Place::TOP }
    }

    pub fn new(table: &'a Table, pattern: &str, key_place: Place) -> View<'a> {
        View { table: Some(table), pattern: pattern.to_owned(), key_place }
    }

    fn path(&self, key: &str) -> String {
        if self.pattern.is_empty() { key.to_owned() } else { format!("{}.{key}", self.pattern) }
    }

    /// The value that was written, if one was.
    pub fn given(&self, key: &str) -> Option<&'a Node> {
        self.table.and_then(|table| table.get(key))
    }

    fn node(&self, key: &str) -> Option<&'a Node> {
        self.given(key).or_else(|| keys::fallback(&self.path(key)))
    }

    fn needed(&self, key: &str) -> &'a Node {
        self.node(key)
            .unwrap_or_else(|| panic!("`{}` is neither required nor has a fallback", self.path(key)))
    }

    /// Where `key` stands: its value, its own name if it is a table, or the
    /// table's name where it is missing.
    pub fn place(&self, key: &str) -> Place {
        match self.table.and_then(|table| table.entry(key)) {
            Some(entry) if entry.node.table().is_some() => entry.key_place,
            Some(entry) => entry.node.place,
            None => self.key_place,
        }
    }

    /// How `key` could be written: `rate = "546/s"`.
    pub fn example(&self, key: &str) -> String {
        let path = self.path(key);
        let example = keys::KEYS.iter().find(|key| key.path == path).map_or("", |key| key.example);
        format!("{key} = {example}")
    }

    /// A table inside this one, empty where it is missing.
    pub fn table(&self, key: &str) -> View<'a> {
        let entry = self.table.and_then(|table| table.entry(key));
        View {
            table: entry.and_then(|entry| entry.node.table()),
            pattern: keys::inside(&self.path(key)).to_owned(),
            key_place: entry.map_or(self.key_place, |entry| entry.key_place),
        }
    }

    pub fn given_table(&self, key: &str) -> Option<View<'a>> {
        self.given(key).map(|_| self.table(key))
    }

    /// The tables of a list; empty where it is missing.
    pub fn tables(&self, key: &str) -> Vec<View<'a>> {
        let items = self.given(key).and_then(Node::list).unwrap_or_default();
        let pattern = format!("{}.*", self.path(key));
        items.iter().filter_map(|item| Some(View::new(item.table()?, &pattern, item.place))).collect()
    }

    /// Its keys with their values and places.
    pub fn entries(&self) -> impl Iterator<Item = &'a Entry> + use<'a> {
        self.table.into_iter().flat_map(|table| &table.entries)
    }

    pub fn words(&self, key: &str) -> Option<String> {
        self.node(key).map(|node| checked(units::words(node, "")))
    }

    pub fn list(&self, key: &str) -> Vec<String> {
        let items = self.needed(key).list().unwrap_or_default();
        items.iter().map(|item| checked(units::words(item, ""))).collect()
    }

    /// Pairs of names; `None` where the key is not given.
    pub fn given_pairs(&self, key: &str) -> Option<Vec<WrittenPair>> {
        let words = |node: &Node| (node.place, checked(units::words(node, "")));
        let pair = |node: &'a Node| match node.list() {
            Some([a, b]) => Some(WrittenPair { place: node.place, names: [words(a), words(b)] }),
            _ => None,
        };
        Some(self.given(key)?.list()?.iter().filter_map(pair).collect())
    }

    pub fn duration(&self, key: &str) -> Nanos {
        checked(units::duration(self.needed(key)))
    }

    pub fn given_duration(&self, key: &str) -> Option<Nanos> {
        self.given(key).map(|node| checked(units::duration(node)))
    }

    pub fn rate(&self, key: &str) -> Rate {
        checked(units::rate(self.needed(key)))
    }

    /// As many a second; it may be zero.
    pub fn given_rate_from_zero(&self, key: &str) -> Option<f64> {
        self.given(key).map(|node| checked(units::rate_from_zero(node)))
    }

    pub fn warm_up(&self, key: &str) -> WarmUp {
        checked(units::warm_up(self.needed(key)))
    }

    pub fn share(&self, key: &str) -> f64 {
        checked(units::share(self.needed(key)))
    }

    pub fn number(&self, key: &str) -> Option<f64> {
        self.node(key).map(|node| checked(units::number(node)))
    }

    pub fn whole(&self, key: &str) -> Option<u64> {
        self.node(key).map(|node| checked(units::whole(node, 0, u64::MAX)))
    }

    /// A whole number that the table of keys keeps within 32 bits.
    pub fn count(&self, key: &str) -> u32 {
        checked(units::whole(self.needed(key), 0, u64::from(u32::MAX))) as u32
    }

    pub fn wholes(&self, key: &str) -> Vec<usize> {
        let items = self.needed(key).list().unwrap_or_default();
        items.iter().map(|item| checked(units::whole(item, 0, u64::from(u32::MAX))) as usize).collect()
    }

    pub fn flag(&self, key: &str) -> bool {
        matches!(self.needed(key).value, Value::Bool(true))
    }
}
