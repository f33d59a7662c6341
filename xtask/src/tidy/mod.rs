//! Holds the rules that no compiler holds: who may use whom, where each
//! dependency lives, how a crate introduces itself, that links lead
//! somewhere, that the tests named as holding a promise are there, and which
//! files may step over a lint.
//!
//! The lists stand in ARCHITECTURE.md, in fenced blocks named `edges`, `homes`
//! and `exceptions`, so that what people read is what is checked. Each rule is
//! a function from plain data to [`Breach`]es; it must not know where the data
//! came from.
//!
//! Start at [`breaches`], which applies every rule.

mod blocks;
mod charter;
mod edges;
mod exceptions;
mod homes;
mod links;
mod members;
mod promises;
mod tree;

use crate::failure::Failure;
use crate::{command, say};
use members::Member;
use std::fmt;
use tree::TextFile;

/// One place where a rule is broken.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Breach {
    /// The file or crate.
    place: String,
    /// What is wrong there, and what to do about it.
    says: String,
}

impl Breach {
    fn new(place: impl Into<String>, says: impl Into<String>) -> Breach {
        Breach { place: place.into(), says: says.into() }
    }
}

impl fmt::Display for Breach {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.place, self.says)
    }
}

/// The file that holds the lists.
const LISTS: &str = "ARCHITECTURE.md";

/// Checks the whole project and prints what is wrong with it.
pub fn run(_arguments: &[String]) -> Result<(), Failure> {
    let metadata = command::output(&mut command::cargo(&["metadata", "--format-version", "1", "--no-deps"]))?;
    let members = members::read(&metadata)?;
    let files = tree::read(&command::root())?;
    let found = breaches(&members, &files);
    for breach in &found {
        say::error(&breach.to_string());
    }
    if found.is_empty() { Ok(()) } else { Err(Failure::Untidy(found.len())) }
}

/// Every breach of every rule, in the order of their places.
fn breaches(members: &[Member], files: &[TextFile]) -> Vec<Breach> {
    let lists = files.iter().find(|file| file.path == LISTS).map_or("", |file| &file.text);
    let mut found = edges::breaches(members, &blocks::lines(lists, "edges"));
    found.extend(homes::breaches(members, &blocks::lines(lists, "homes")));
    found.extend(exceptions::breaches(files, &blocks::lines(lists, "exceptions")));
    found.extend(charter::breaches(members, files));
    found.extend(links::breaches(files));
    found.extend(promises::breaches(files));
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_without_its_lists_breaks_a_rule_for_every_crate() {
        let member = Member { name: "wire".to_owned(), uses: Vec::new(), roots: Vec::new() };
        let found = breaches(&[member], &[]);
        assert_eq!(found, [Breach::new(LISTS, "the block `edges` says nothing of `wire`")]);
    }
}
