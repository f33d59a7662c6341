//! The tests that ARCHITECTURE.md names as holding a promise are there.
//!
//! Whatever stands between backquotes and reads like the sentence that names
//! a test (`an_open_tester_sends_the_same_whatever_the_service_does`) is one.

use super::tree::TextFile;
use super::{Breach, LISTS};

/// Names with fewer words than these may be of anything.
const LEAST_WORDS: usize = 4;

/// Tests that are named and not there.
pub fn breaches(files: &[TextFile]) -> Vec<Breach> {
    let lists = files.iter().find(|file| file.path == LISTS).map_or("", |file| &file.text);
    let named = lists.split('`').skip(1).step_by(2).filter(|code| is_sentence(code));
    let is_there = |name: &str| {
        let function = format!("fn {name}(");
        files.iter().any(|file| file.path.ends_with(".rs") && file.text.contains(&function))
    };
    let missing = named.filter(|name| !is_there(name));
    missing.map(|name| Breach::new(LISTS, format!("no test is called `{name}`"))).collect()
}

fn is_sentence(code: &str) -> bool {
    let is_word =
        |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    code.split('_').count() >= LEAST_WORDS && code.split('_').all(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(architecture: &str) -> Vec<String> {
        let file = |path: &str, text: &str| TextFile { path: path.to_owned(), text: text.to_owned() };
        let files = [file(LISTS, architecture), file("a/tests.rs", "#[test]\nfn a_stall_is_seen() {}\n")];
        breaches(&files).into_iter().map(|breach| breach.says).collect()
    }

    #[test]
    fn a_promise_whose_test_is_there_is_no_breach() {
        assert_eq!(
            check("| engine | `a_stall_is_seen`, `crates/a/tests/b_c_d_e.rs` | `first_byte` |"),
            [""; 0]
        );
    }

    #[test]
    fn a_promise_whose_test_was_renamed_is_a_breach() {
        assert_eq!(
            check("`a_stall_is_seen_twice` and `a_stall_is`"),
            ["no test is called `a_stall_is_seen_twice`"]
        );
    }
}
