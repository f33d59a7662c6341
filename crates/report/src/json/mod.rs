//! `summary.json`: the numbers of a report for machines.
//!
//! The format is a promise, so its types are its own and are filled in by
//! hand; a change inside analysis cannot change it by accident. Fields may be
//! added; where one changes its meaning, [`FORMAT`] counts up. An unknown
//! number is `null`, never zero.

mod alongside;
mod convert;
mod planned;
mod reading;
mod shape;
mod types;

pub use reading::reading;

use analysis::Summary;
use model::MachineFacts;
use serde::Serialize;

/// The version of the format.
pub const FORMAT: u32 = 1;

/// The whole experiment as JSON, indented, with a newline at its end.
pub fn summary(summary: &Summary) -> String {
    text(&types::SummaryFile::from(summary))
}

/// The same in one line, without the newline.
pub(crate) fn compact(summary: &Summary) -> String {
    serde_json::to_string(&types::SummaryFile::from(summary)).expect("strings and numbers always become JSON")
}

/// The machine's facts alone, under the names they have in a summary.
pub fn machine(machine: &MachineFacts) -> String {
    text(&convert::machine(machine))
}

fn text(file: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(file).expect("strings and numbers always become JSON");
    text.push('\n');
    text
}

#[cfg(test)]
mod tests;
