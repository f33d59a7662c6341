//! Which files may step over which rule: the block `exceptions` names each
//! with its reason, and names no file that no longer needs it.
//!
//! A line reads `clock crates/engine/src/clock.rs: the one real clock`.

use super::tree::TextFile;
use super::{Breach, LISTS};
use std::collections::BTreeMap;

/// More lines than these in one file need a reason.
const LONGEST: usize = 600;

/// The word in the block, and what a file does that needs it there.
const KINDS: [(&str, Needs); 4] = [
    ("unsafe", Needs::Lint("unsafe_code")),
    ("clock", Needs::Lint("clippy::disallowed_methods")),
    ("print", Needs::Lint("clippy::print_")),
    ("long", Needs::Length),
];

#[derive(Clone, Copy)]
enum Needs {
    /// An attribute that expects a lint whose name begins so.
    Lint(&'static str),
    /// More than the longest file's lines.
    Length,
}

impl Needs {
    fn holds(self, text: &str) -> bool {
        match self {
            Needs::Lint(lint) => expected_lints(text).any(|expected| expected.starts_with(lint)),
            Needs::Length => text.lines().count() > LONGEST,
        }
    }
}

/// Exceptions that are taken and not listed, listed and not taken, or listed
/// without a reason.
pub fn breaches(files: &[TextFile], lines: &[&str]) -> Vec<Breach> {
    let mut found = Vec::new();
    let mut listed = BTreeMap::new();
    for line in lines {
        match parse(line) {
            Some((kind, path)) => drop(listed.insert((kind, path), ())),
            None => found.push(Breach::new(LISTS, format!("`{line}` is no line of the block `exceptions`"))),
        }
    }
    for file in files.iter().filter(|file| file.path.ends_with(".rs")) {
        for (kind, needs) in KINDS {
            let is_listed = listed.remove(&(kind, file.path.as_str())).is_some();
            found.extend(judge(file, kind, needs.holds(&file.text), is_listed));
        }
    }
    let gone = listed.keys().map(|(_, path)| Breach::new(LISTS, format!("there is no file `{path}`")));
    found.extend(gone);
    found
}

fn judge(file: &TextFile, kind: &str, taken: bool, listed: bool) -> Option<Breach> {
    let says = match (taken, listed) {
        (true, false) => {
            format!("takes the exception `{kind}`: list it with its reason in ARCHITECTURE.md, or undo it")
        }
        (false, true) => format!("no longer needs the exception `{kind}`: remove it from ARCHITECTURE.md"),
        _ => return None,
    };
    Some(Breach::new(&file.path, says))
}

/// `(kind, path)` of a line with a known kind and a reason.
fn parse(line: &str) -> Option<(&'static str, &str)> {
    let (left, reason) = line.split_once(": ")?;
    let (word, path) = left.split_once(' ')?;
    let (kind, _) = KINDS.into_iter().find(|(kind, _)| *kind == word)?;
    (!reason.trim().is_empty()).then_some((kind, path.trim()))
}

/// The lints named in `#[expect(…)]` and `#![expect(…)]`, also where rustfmt
/// has put each on a line of its own.
fn expected_lints(text: &str) -> impl Iterator<Item = &str> {
    let attributes = text.split("[expect(").skip(1);
    attributes.flat_map(|rest| {
        let inside = rest.split(")]").next().unwrap_or_default();
        let lints = inside.split("reason").next().unwrap_or_default();
        lints.split(',').map(str::trim).filter(|lint| !lint.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Written so that this file itself seems to take no exception.
    fn expecting(lint: &str) -> String {
        format!("#[{}(\n    {lint},\n    reason = \"why, oh why\"\n)]\nfn f() {{}}\n", "expect")
    }

    fn check(path: &str, text: &str, lines: &[&str]) -> Vec<String> {
        let file = TextFile { path: path.to_owned(), text: text.to_owned() };
        breaches(&[file], lines).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn an_exception_that_is_listed_with_its_reason_is_no_breach() {
        let text = expecting("clippy::disallowed_methods");
        assert!(check("clock.rs", &text, &["clock clock.rs: the one real clock"]).is_empty());
    }

    #[test]
    fn an_exception_that_is_not_listed_is_a_breach() {
        for (kind, lint) in [
            ("unsafe", "unsafe_code"),
            ("clock", "clippy::disallowed_methods"),
            ("print", "clippy::print_stdout"),
            ("print", "clippy::too_many_lines, clippy::print_stderr"),
        ] {
            let says = check("a.rs", &expecting(lint), &[]);
            assert_eq!(says.len(), 1, "{lint}: {says:?}");
            assert!(says[0].starts_with(&format!("a.rs: takes the exception `{kind}`")), "{says:?}");
        }
    }

    #[test]
    fn a_lint_that_only_a_reason_mentions_is_no_exception() {
        let text = format!("#[{}(dead_code, reason = \"not unsafe_code, unsafe_code\")]", "expect");
        assert!(check("a.rs", &text, &[]).is_empty());
    }

    #[test]
    fn a_file_of_600_lines_is_fine_and_one_more_needs_a_reason() {
        assert!(check("a.rs", &"x\n".repeat(LONGEST), &[]).is_empty());
        assert_eq!(check("a.rs", &"x\n".repeat(LONGEST + 1), &[]).len(), 1);
        assert!(check("a.rs", &"x\n".repeat(LONGEST + 1), &["long a.rs: one flat table"]).is_empty());
        assert!(check("a.md", &"x\n".repeat(LONGEST + 1), &[]).is_empty());
    }

    #[test]
    fn an_exception_that_nobody_takes_any_more_is_a_breach() {
        let says =
            check("a.rs", "", &["unsafe a.rs: one call", "print b.rs: talks", "clock a.rs:", "odd a.rs: x"]);
        assert_eq!(
            says,
            [
                "ARCHITECTURE.md: `clock a.rs:` is no line of the block `exceptions`",
                "ARCHITECTURE.md: `odd a.rs: x` is no line of the block `exceptions`",
                "a.rs: no longer needs the exception `unsafe`: remove it from ARCHITECTURE.md",
                "ARCHITECTURE.md: there is no file `b.rs`",
            ]
        );
    }
}
