//! The doubts of a whole experiment, one line for each kind.

use crate::numbers::count;
use crate::words;
use analysis::{Doubt, Summary, Verdict};

/// One kind of doubt, wherever it was raised.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    /// Whether it makes its runs doubtful or void.
    pub(crate) weight: Verdict,
    /// Which run it concerns, such as `open (and 4 more runs)` or, over several
    /// rounds, `few-episodes in 34 of 132 runs, such as open, round 2`; empty if
    /// it concerns the experiment as a whole.
    pub(crate) concerns: String,
    /// What was seen and what to do, in the words of the first such run.
    pub(crate) text: String,
}

/// Every doubt of the experiment and of its runs, runs with one kind of doubt
/// together, the gravest first.
pub(crate) fn kinds(summary: &Summary) -> Vec<Kind> {
    let whole = summary.doubts.iter().map(|doubt| Kind {
        weight: doubt.weight,
        concerns: String::new(),
        text: words::doubt(doubt),
    });
    let mut kinds: Vec<Kind> = whole.chain(of_runs(summary)).collect();
    kinds.sort_by_key(|kind| std::cmp::Reverse(kind.weight));
    kinds
}

fn of_runs(summary: &Summary) -> impl Iterator<Item = Kind> {
    let several_rounds = summary.arms.iter().any(|arm| arm.runs.len() > 1);
    let all: u64 = summary.arms.iter().map(|arm| arm.runs.len() as u64).sum();
    let mut found: Vec<(&Doubt, Vec<String>)> = Vec::new();
    for (arm, run) in summary.arms.iter().flat_map(|arm| arm.runs.iter().map(move |run| (arm, run))) {
        let place = match several_rounds {
            true => format!("{}, round {}", arm.name, run.facts.round),
            false => arm.name.clone(),
        };
        for doubt in &run.doubts {
            let same =
                |(other, _): &&mut (&Doubt, _)| other.code == doubt.code && other.weight == doubt.weight;
            match found.iter_mut().find(same) {
                Some((_, places)) => places.push(place.clone()),
                None => found.push((doubt, vec![place.clone()])),
            }
        }
    }
    found.into_iter().map(move |(doubt, places)| Kind {
        weight: doubt.weight,
        concerns: match &places[..] {
            [first, _, _, ..] if several_rounds => {
                let runs = format!("{} of {} runs", count(places.len() as u64), count(all));
                format!("{} in {runs}, such as {first}", doubt.code)
            }
            places => concerns(places),
        },
        text: words::doubt(doubt),
    })
}

/// The first place in full, the others as a number or, up to two, by name.
fn concerns(places: &[String]) -> String {
    match places {
        [] => String::new(),
        [one] => one.clone(),
        [one, two] => format!("{one} (and {two})"),
        [one, rest @ ..] => format!("{one} (and {} more runs)", rest.len()),
    }
}
