//! The readings of a run, as `run.json` has them: what was to be read, and the
//! file that it was read into.

use super::bad_value;
use super::run::SampleFile;
use crate::StoreError;
use model::{ColumnFacts, Nanos, ReadingFacts, ReadingUnit};
use serde::{Deserialize, Serialize};
use std::path::Path;

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ReadingsEntry {
    facts: Vec<ReadingEntry>,
    /// The file of columns, once it is whole.
    pub(crate) file: Option<SampleFile>,
}

#[derive(Debug, Serialize, Deserialize)]
struct ReadingEntry {
    name: String,
    kind: String,
    asks: String,
    every_ns: u64,
    timeout_ns: u64,
    unit: Option<String>,
    limit: Option<f64>,
    columns: Vec<ColumnEntry>,
}

#[derive(Debug, Serialize, Deserialize)]
struct ColumnEntry {
    column: String,
    unit: Option<String>,
    limit: Option<f64>,
}

impl ReadingsEntry {
    pub(crate) fn new(facts: &[ReadingFacts]) -> ReadingsEntry {
        ReadingsEntry { facts: facts.iter().map(ReadingEntry::new).collect(), file: None }
    }

    pub(crate) fn facts(&self, path: &Path) -> Result<Vec<ReadingFacts>, StoreError> {
        self.facts.iter().map(|entry| entry.facts(path)).collect()
    }
}

impl ReadingEntry {
    fn new(facts: &ReadingFacts) -> ReadingEntry {
        let unit = |unit: Option<ReadingUnit>| unit.map(|unit| unit.name().to_owned());
        let column = |column: &ColumnFacts| ColumnEntry {
            column: column.column.clone(),
            unit: unit(column.unit),
            limit: column.limit,
        };
        ReadingEntry {
            name: facts.name.clone(),
            kind: facts.kind.clone(),
            asks: facts.asks.clone(),
            every_ns: facts.every.0,
            timeout_ns: facts.timeout.0,
            unit: unit(facts.unit),
            limit: facts.limit,
            columns: facts.columns.iter().map(column).collect(),
        }
    }

    fn facts(&self, path: &Path) -> Result<ReadingFacts, StoreError> {
        let unit = |name: &Option<String>| {
            let named = |name: &String| {
                ReadingUnit::named(name).ok_or_else(|| bad_value(path, "readings.facts.unit", name))
            };
            name.as_ref().map(named).transpose()
        };
        let column = |entry: &ColumnEntry| {
            Ok(ColumnFacts { column: entry.column.clone(), unit: unit(&entry.unit)?, limit: entry.limit })
        };
        Ok(ReadingFacts {
            name: self.name.clone(),
            kind: self.kind.clone(),
            asks: self.asks.clone(),
            every: Nanos(self.every_ns),
            timeout: Nanos(self.timeout_ns),
            unit: unit(&self.unit)?,
            limit: self.limit,
            columns: self.columns.iter().map(column).collect::<Result<_, StoreError>>()?,
        })
    }
}
