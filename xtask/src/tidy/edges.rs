//! Who may use whom: the manifests and the block `edges` must say the same.
//!
//! A line reads `engine -> model, wire | tests: stats | build: x`.

use super::blocks::arrow;
use super::members::{Kind, Member};
use super::{Breach, LISTS};
use std::collections::{BTreeMap, BTreeSet};

type Edges = BTreeSet<(Kind, String)>;

/// Where manifests and list differ.
pub fn breaches(members: &[Member], lines: &[&str]) -> Vec<Breach> {
    let mut found = Vec::new();
    let mut listed = BTreeMap::new();
    for line in lines {
        match parse(line) {
            Some((name, edges)) => drop(listed.insert(name, edges)),
            None => found.push(Breach::new(LISTS, format!("`{line}` is no line of the block `edges`"))),
        }
    }
    for member in members {
        match listed.remove(member.name.as_str()) {
            Some(edges) => found.extend(compare(member, &edges)),
            None => {
                found
                    .push(Breach::new(LISTS, format!("the block `edges` says nothing of `{}`", member.name)));
            }
        }
    }
    let gone = listed.keys().map(|name| Breach::new(LISTS, format!("there is no crate `{name}`")));
    found.extend(gone);
    found
}

fn compare(member: &Member, listed: &Edges) -> Vec<Breach> {
    let real: Edges = member.uses.iter().filter(|u| u.ours).map(|u| (u.kind, u.name.clone())).collect();
    let new = real
        .difference(listed)
        .map(|edge| (edge, "is a new arrow: draw it in ARCHITECTURE.md, or remove it"));
    let old =
        listed.difference(&real).map(|edge| (edge, "stands in ARCHITECTURE.md, and its manifest lacks it"));
    let breach = |((kind, name), says): (&(Kind, String), &str)| {
        Breach::new(&member.name, format!("{} -> {name}{} {says}", member.name, remark(*kind)))
    };
    new.chain(old).map(breach).collect()
}

fn remark(kind: Kind) -> &'static str {
    match kind {
        Kind::Normal => "",
        Kind::Tests => " (tests)",
        Kind::Build => " (build)",
    }
}

fn parse(line: &str) -> Option<(&str, Edges)> {
    let (name, right) = arrow(line)?;
    let mut edges = Edges::new();
    for part in right.split('|').map(str::trim) {
        let (kind, names) = match part.split_once(':') {
            Some(("tests", names)) => (Kind::Tests, names),
            Some(("build", names)) => (Kind::Build, names),
            Some(_) => return None,
            None => (Kind::Normal, part),
        };
        let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
        edges.extend(names.map(|name| (kind, name.to_owned())));
    }
    Some((name, edges))
}

#[cfg(test)]
mod tests {
    use super::super::members::Use;
    use super::*;

    fn member(name: &str, uses: &[(&str, Kind)]) -> Member {
        let uses = uses.iter().map(|&(name, kind)| Use { name: name.to_owned(), ours: true, kind });
        Member { name: name.to_owned(), uses: uses.collect(), roots: Vec::new() }
    }

    fn check(members: &[Member], lines: &[&str]) -> Vec<String> {
        breaches(members, lines).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_same_arrows_on_both_sides_are_no_breach() {
        let engine =
            member("engine", &[("model", Kind::Normal), ("wire", Kind::Normal), ("stats", Kind::Tests)]);
        let lines = ["engine -> wire, model | tests: stats", "model ->"];
        assert!(check(&[engine, member("model", &[])], &lines).is_empty());
    }

    #[test]
    fn an_arrow_that_is_not_listed_is_a_breach() {
        assert_eq!(
            check(&[member("wire", &[("model", Kind::Normal)])], &["wire ->"]),
            ["wire: wire -> model is a new arrow: draw it in ARCHITECTURE.md, or remove it"]
        );
    }

    #[test]
    fn an_arrow_that_is_gone_is_a_breach() {
        assert_eq!(
            check(&[member("wire", &[])], &["wire -> model"]),
            ["wire: wire -> model stands in ARCHITECTURE.md, and its manifest lacks it"]
        );
    }

    #[test]
    fn an_arrow_for_tests_is_another_arrow_than_one_for_the_code() {
        let says = check(&[member("wire", &[("model", Kind::Normal)])], &["wire -> | tests: model"]);
        assert_eq!(says.len(), 2, "{says:?}");
        assert!(says[1].starts_with("wire: wire -> model (tests) stands in"), "{says:?}");
    }

    #[test]
    fn crates_missing_on_either_side_and_unreadable_lines_are_breaches() {
        let says = check(&[member("wire", &[])], &["engine ->", "nonsense", "x -> a | maybe: b"]);
        assert_eq!(
            says,
            [
                "ARCHITECTURE.md: `nonsense` is no line of the block `edges`",
                "ARCHITECTURE.md: `x -> a | maybe: b` is no line of the block `edges`",
                "ARCHITECTURE.md: the block `edges` says nothing of `wire`",
                "ARCHITECTURE.md: there is no crate `engine`",
            ]
        );
    }
}
