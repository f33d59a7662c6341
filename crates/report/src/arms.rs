//! Arms as they are compared: each with its calm twin, where it has one.
//!
//! An arm named `open-calm` is the arm `open` against a service that was not
//! asked to stall; drawing puts the two side by side.

use crate::words;
use analysis::{ArmSummary, RunSummary, Summary};
use model::Load;

/// The ending that marks the arm without stalls.
const CALM: &str = "-calm";

/// An arm, its calm twin, or both.
pub(crate) struct Pair<'a> {
    /// What both are called: the load in few words, told apart by the arm's
    /// name where two arms ask for the same load.
    pub(crate) label: String,
    /// The arm whose service stood calm.
    pub(crate) calm: Option<&'a ArmSummary>,
    /// The other.
    pub(crate) stalled: Option<&'a ArmSummary>,
}

impl<'a> Pair<'a> {
    /// Its arms, calm first.
    pub(crate) fn arms(&self) -> impl Iterator<Item = &'a ArmSummary> {
        self.calm.into_iter().chain(self.stalled)
    }
}

/// The first run of an arm: the one whose dots and bins are drawn.
pub(crate) fn first_run(arm: &ArmSummary) -> Option<&RunSummary> {
    arm.runs.first()
}

/// The arms of an experiment in pairs: those that wait with the service
/// (closed) before those that do so in part (paced) and not at all (open),
/// otherwise in the order in which they are given.
pub(crate) fn pairs(summary: &Summary) -> Vec<Pair<'_>> {
    let mut pairs: Vec<(&str, Pair<'_>)> = Vec::new();
    for arm in &summary.arms {
        let base = arm.name.strip_suffix(CALM).unwrap_or(&arm.name);
        let at = pairs.iter().position(|(name, _)| *name == base).unwrap_or_else(|| {
            pairs.push((base, Pair { label: label(arm, base), calm: None, stalled: None }));
            pairs.len() - 1
        });
        let pair = &mut pairs[at].1;
        if arm.name.ends_with(CALM) { pair.calm = Some(arm) } else { pair.stalled = Some(arm) }
    }
    tell_apart(&mut pairs);
    pairs.sort_by_key(|(_, pair)| pair.arms().next().and_then(first_run).map(|run| waits(run.load())));
    pairs.into_iter().map(|(_, pair)| pair).collect()
}

/// The pair of this name, such as `open`.
pub(crate) fn pair<'a>(summary: &'a Summary, name: &str) -> Option<Pair<'a>> {
    let find = |wanted: &str| summary.arms.iter().find(|arm| arm.name == wanted);
    let (calm, stalled) = (find(&format!("{name}{CALM}")), find(name));
    let named = stalled.or(calm)?;
    Some(Pair { label: label(named, name), calm, stalled })
}

/// A load's place in the order of [`pairs`].
fn waits(load: Load) -> u8 {
    match load {
        Load::Closed { .. } => 0,
        Load::Paced { .. } => 1,
        Load::Open { .. } => 2,
    }
}

fn label(arm: &ArmSummary, name: &str) -> String {
    first_run(arm).map_or_else(
        || name.to_owned(),
        |run| words::shape::load_in_short(run.load(), run.facts.shape.as_ref()),
    )
}

/// Two arms with one label get their names added to it.
fn tell_apart(pairs: &mut [(&str, Pair<'_>)]) {
    let labels: Vec<String> = pairs.iter().map(|(_, pair)| pair.label.clone()).collect();
    for (name, pair) in pairs {
        if labels.iter().filter(|label| **label == pair.label).count() > 1 {
            pair.label = format!("{} ({name})", pair.label);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{closed, open, run, summary};

    fn labels(arms: &[(&str, Load)]) -> Vec<String> {
        let arms = arms.iter().map(|(name, load)| ((*name).to_owned(), run(name, *load, false)));
        pairs(&summary(arms.collect())).into_iter().map(|pair| pair.label).collect()
    }

    #[test]
    fn calm_twins_stand_beside_their_arm_whatever_the_order_of_the_runs() {
        let arms = [("open-calm", open(50.0)), ("closed-1", closed(1)), ("open", open(50.0))];
        assert_eq!(labels(&arms), ["closed loop, 1 connection", "open loop, 50/s"]);
    }

    #[test]
    fn arms_with_one_load_are_told_apart_by_name() {
        let arms = [("old", open(50.0)), ("new", open(50.0))];
        assert_eq!(labels(&arms), ["open loop, 50/s (old)", "open loop, 50/s (new)"]);
    }
}
