//! The runs of both sides: those reported, and those computed here.

use crate::check::{Computed, List};
use crate::shape::Shape;
use crate::times::{Times, Took};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The summary's arms, and those of their runs whose samples are still to come.
pub(crate) struct Reported<'a> {
    pub(crate) arms: Vec<(&'a str, &'a Value)>,
    pub(crate) left: Vec<(&'a str, &'a Value)>,
}

impl<'a> Reported<'a> {
    pub(crate) fn of(summary: &'a Value) -> Reported<'a> {
        let arms = summary["arms"].as_object().into_iter().flatten();
        let arms: Vec<(&str, &Value)> = arms.map(|(name, arm)| (name.as_str(), arm)).collect();
        let runs = |&(name, arm): &(&'a str, &'a Value)| {
            arm["runs"].as_array().into_iter().flatten().map(move |run| (name, run))
        };
        let left = arms.iter().flat_map(runs).collect();
        Reported { arms, left }
    }

    /// Takes the run of this arm and round out, with its arm.
    pub(crate) fn take(&mut self, arm: &str, round: u64) -> Option<(&'a Value, &'a Value)> {
        let is_it = |(name, run): &(&str, &Value)| *name == arm && run["round"].as_u64() == Some(round);
        let at = self.left.iter().position(is_it)?;
        let (_, run) = self.left.remove(at);
        let (_, arm) = self.arms.iter().find(|(name, _)| *name == arm)?;
        Some((arm, run))
    }
}

/// What was computed of the folder's runs.
#[derive(Default)]
pub(crate) struct Own {
    /// The arms with their runs, in the order of rounds, as the summary should
    /// have them; but for what several runs together decide.
    pub(crate) arms: Value,
    /// The response times of each arm's runs that are not void: `None` for one
    /// that tells no single times.
    pools: BTreeMap<String, Vec<Option<Vec<Took>>>>,
    /// The shapes of arms whose load has one.
    pub(crate) shapes: BTreeMap<String, Shape>,
}

impl Own {
    /// Adds a run of `arm`, of which `facts` hold.
    pub(crate) fn add(&mut self, arm: &str, facts: Value, run: Value, times: Option<Vec<Took>>) {
        if run["verdict"] != "void" {
            self.pools.entry(arm.to_owned()).or_default().push(times);
        }
        if self.arms[arm].is_null() {
            self.arms[arm] = facts;
            self.arms[arm]["runs"] = json!([]);
        }
        if let Some(runs) = self.arms[arm]["runs"].as_array_mut() {
            runs.push(run);
            runs.sort_by_key(|run| run["round"].as_u64());
        }
    }

    /// All runs of all arms.
    pub(crate) fn runs(&self) -> Vec<&Value> {
        let arms = self.arms.as_object().into_iter().flatten();
        arms.flat_map(|(_, arm)| arm["runs"].as_array().into_iter().flatten()).collect()
    }

    /// Whether an arm's load changes over time.
    pub(crate) fn changes(&self, arm: &str) -> bool {
        self.shapes.get(arm).is_some_and(|shape| !shape.is_level())
    }

    /// All of an arm's runs together, if there are several and all tell their times.
    pub(crate) fn pooled(&mut self, arm: &str, list: &mut List) {
        let runs = self.pools.remove(arm).filter(|runs| runs.len() > 1);
        match runs.and_then(|runs| runs.into_iter().collect::<Option<Vec<_>>>()) {
            Some(runs) => Times::new(runs.into_iter().flatten()).list("pooled_response_time_ns", list),
            None => list.add("pooled_response_time_ns", Computed::Unknown),
        }
    }
}
