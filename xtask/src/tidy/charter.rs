//! How a crate introduces itself: its first file opens with what it is for,
//! what it must not know, and where to start.

use super::Breach;
use super::members::Member;
use super::tree::TextFile;

/// Fewer words than these say nothing of what a crate is for.
const LEAST_WORDS: usize = 6;

/// Crates whose first file lacks its charter or a part of it.
pub fn breaches(members: &[Member], files: &[TextFile]) -> Vec<Breach> {
    let roots = members.iter().flat_map(|member| &member.roots);
    roots
        .flat_map(|root| {
            let text = files.iter().find(|file| file.path == *root).map_or("", |file| &file.text);
            missing_parts(text)
                .into_iter()
                .map(move |part| Breach::new(root, format!("its charter does not say {part}")))
        })
        .collect()
}

fn missing_parts(source: &str) -> Vec<&'static str> {
    let charter = charter(source);
    let purpose = charter.split("must not know").next().unwrap_or_default();
    let mut missing = Vec::new();
    if purpose.split_whitespace().count() < LEAST_WORDS {
        missing.push("what it is for");
    }
    if !charter.contains("must not know") {
        missing.push("what it \"must not know\"");
    }
    if !charter.contains("start at") {
        missing.push("where to \"start at\"");
    }
    missing
}

/// The leading `//!` lines as one line of lower-case words.
fn charter(source: &str) -> String {
    let lines = source.lines().map_while(|line| line.strip_prefix("//!"));
    let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    words.join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_charter_is_no_breach_wherever_its_lines_break() {
        let text = "//! Turns bytes into answers, as HTTP/1.1 says.\n//!\n//! It must\n//! not know sockets.\n//!\n//! Start\n//! at [`X`].\n";
        assert!(missing_parts(text).is_empty(), "{:?}", missing_parts(text));
    }

    #[test]
    fn each_part_that_is_missing_is_named() {
        let all = ["what it is for", "what it \"must not know\"", "where to \"start at\""];
        assert_eq!(missing_parts(""), all);
        assert_eq!(missing_parts("//! Charter to come.\nmod x;\n//! Start at x. It must not know y."), all);
        assert_eq!(missing_parts("//! Turns samples into estimates and doubts. Start at x."), all[1..2]);
        assert_eq!(missing_parts("//! It must not know files. Start at x."), all[..1]);
    }

    #[test]
    fn every_first_file_of_a_crate_is_looked_at() {
        let roots = ["a/lib.rs", "a/main.rs"].map(str::to_owned).into();
        let member = Member { name: "a".to_owned(), uses: Vec::new(), roots };
        let text = "//! It turns words into other words. Must not know x. Start at y.".to_owned();
        let found = breaches(&[member], &[TextFile { path: "a/lib.rs".to_owned(), text }]);
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found.iter().all(|breach| breach.place == "a/main.rs"), "{found:?}");
    }
}
