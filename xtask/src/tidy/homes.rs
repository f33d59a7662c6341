//! Where each dependency lives: every crate of others that a manifest names
//! stands in the block `homes`, with the crates that may name it.
//!
//! A line reads `parquet -> store`, `proptest -> tests` (any crate's tests) or
//! `thiserror -> anywhere`.

use super::blocks::arrow;
use super::members::{Kind, Member, Use};
use super::{Breach, LISTS};
use std::collections::BTreeMap;

enum Home {
    Anywhere,
    Tests,
    Crates(Vec<String>),
}

/// Dependencies away from home, without a home, and homes that stand empty.
pub fn breaches(members: &[Member], lines: &[&str]) -> Vec<Breach> {
    let mut found = Vec::new();
    let mut homes = BTreeMap::new();
    for line in lines {
        match arrow(line) {
            Some((name, right)) if !right.is_empty() => drop(homes.insert(name, home(right))),
            _ => found.push(Breach::new(LISTS, format!("`{line}` is no line of the block `homes`"))),
        }
    }
    for member in members {
        let others = member.uses.iter().filter(|used| !used.ours);
        found.extend(others.filter_map(|used| away_from_home(member, used, homes.get(used.name.as_str()))));
    }
    found.extend(homes.iter().flat_map(|(name, home)| unused(members, name, home)));
    found
}

fn home(right: &str) -> Home {
    match right {
        "anywhere" => Home::Anywhere,
        "tests" => Home::Tests,
        names => Home::Crates(names.split(',').map(|name| name.trim().to_owned()).collect()),
    }
}

fn away_from_home(member: &Member, used: &Use, home: Option<&Home>) -> Option<Breach> {
    let name = &used.name;
    let says = match home {
        None => format!("`{name}` has no home: give it a line in the block `homes` of ARCHITECTURE.md"),
        Some(Home::Anywhere) => return None,
        Some(Home::Tests) if used.kind == Kind::Tests => return None,
        Some(Home::Tests) => format!("`{name}` is for tests alone"),
        Some(Home::Crates(crates)) if crates.contains(&member.name) => return None,
        Some(Home::Crates(crates)) => format!("`{name}` lives in {} alone", crates.join(", ")),
    };
    Some(Breach::new(&member.name, says))
}

fn unused(members: &[Member], name: &str, home: &Home) -> Vec<Breach> {
    let uses = |member: &Member| member.uses.iter().any(|used| !used.ours && used.name == name);
    match home {
        Home::Anywhere | Home::Tests if members.iter().any(uses) => Vec::new(),
        Home::Anywhere | Home::Tests => vec![Breach::new(LISTS, format!("nothing uses `{name}` any more"))],
        Home::Crates(crates) => crates
            .iter()
            .filter(|home| !members.iter().any(|member| member.name == **home && uses(member)))
            .map(|home| Breach::new(LISTS, format!("`{home}` does not use `{name}` any more")))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(name: &str, uses: &[(&str, Kind)]) -> Member {
        let uses = uses.iter().map(|&(name, kind)| Use { name: name.to_owned(), ours: false, kind });
        Member { name: name.to_owned(), uses: uses.collect(), roots: Vec::new() }
    }

    fn check(members: &[Member], lines: &[&str]) -> Vec<String> {
        breaches(members, lines).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_dependency_at_home_is_no_breach() {
        let store =
            member("store", &[("parquet", Kind::Normal), ("proptest", Kind::Tests), ("serde", Kind::Build)]);
        assert!(check(&[store], &["parquet -> store", "proptest -> tests", "serde -> anywhere"]).is_empty());
    }

    #[test]
    fn a_dependency_away_from_home_is_a_breach() {
        let members =
            [member("store", &[("parquet", Kind::Normal)]), member("cli", &[("parquet", Kind::Tests)])];
        assert_eq!(check(&members, &["parquet -> store"]), ["cli: `parquet` lives in store alone"]);
    }

    #[test]
    fn a_dependency_without_a_home_is_a_breach() {
        assert_eq!(
            check(&[member("wire", &[("regex", Kind::Normal)])], &[]),
            ["wire: `regex` has no home: give it a line in the block `homes` of ARCHITECTURE.md"]
        );
    }

    #[test]
    fn what_is_for_tests_is_not_for_code() {
        assert_eq!(
            check(&[member("wire", &[("proptest", Kind::Normal)])], &["proptest -> tests"]),
            ["wire: `proptest` is for tests alone"]
        );
    }

    #[test]
    fn a_home_that_stands_empty_is_a_breach() {
        let members = [member("store", &[("parquet", Kind::Normal)])];
        assert_eq!(
            check(&members, &["parquet -> store, cli", "insta -> tests", "odd"]),
            [
                "ARCHITECTURE.md: `odd` is no line of the block `homes`",
                "ARCHITECTURE.md: nothing uses `insta` any more",
                "ARCHITECTURE.md: `cli` does not use `parquet` any more",
            ]
        );
    }
}
