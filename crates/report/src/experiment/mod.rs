//! What the report of an experiment says, whichever way it is drawn: each file
//! makes the sentences and the table of one part.
//!
//! Numbers of an arm are the middle of its rounds with the least and the
//! largest; void runs have no say in them.

pub(crate) mod arms;
pub(crate) mod bounds;
pub(crate) mod comparisons;
pub(crate) mod corrections;
pub(crate) mod guesses;
pub(crate) mod machine;
pub(crate) mod means;
pub(crate) mod readings;
pub(crate) mod shapes;
pub(crate) mod stalls;
pub(crate) mod tools;
pub(crate) mod windows;
pub(crate) mod work;

use crate::table::Table;
use std::borrow::Cow;

/// One part of the report.
#[derive(Debug, Default)]
pub(crate) struct Part {
    /// Its heading.
    pub(crate) title: Cow<'static, str>,
    /// What to see: sentences.
    pub(crate) says: Vec<String>,
    /// The figures.
    pub(crate) table: Option<Table>,
    /// How to read them, and under which assumptions.
    pub(crate) notes: Vec<String>,
}

/// `a`, `a and b`, `a, b and c`; of more than four the first three and how many more.
pub(crate) fn named(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first, second, third, rest @ ..] if rest.len() > 1 => {
            format!("{first}, {second}, {third} and {} more", rest.len())
        }
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}
