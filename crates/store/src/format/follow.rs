//! How work is followed past its answer, as `run.json` has it.

use super::bad_value;
use crate::StoreError;
use model::{FollowFacts, FollowKind, Followed, Nanos, Rate, Stored};
use serde::{Deserialize, Serialize};
use std::path::Path;

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct FollowEntry {
    kind: String,
    every_ns: Option<u64>,
    within_ns: u64,
    at_most_ns: Option<u64>,
    quota_per_s: Option<f64>,
}

impl FollowEntry {
    pub(crate) fn new(facts: FollowFacts) -> FollowEntry {
        FollowEntry {
            kind: facts.kind.name().to_owned(),
            every_ns: facts.every.map(|every| every.0),
            within_ns: facts.within.0,
            at_most_ns: facts.at_most.map(|at_most| at_most.0),
            quota_per_s: facts.quota.map(Rate::as_per_second),
        }
    }

    pub(crate) fn facts(&self, path: &Path) -> Result<FollowFacts, StoreError> {
        Ok(FollowFacts {
            kind: FollowKind::named(&self.kind)
                .ok_or_else(|| bad_value(path, "facts.follow.kind", &self.kind))?,
            every: self.every_ns.map(Nanos),
            within: Nanos(self.within_ns),
            at_most: self.at_most_ns.map(Nanos),
            quota: self.quota_per_s.and_then(Rate::per_second),
        })
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct FollowedEntry {
    until_ns: u64,
    is_cut_short: bool,
    asked: u64,
    failed: u64,
    example: Option<String>,
    strangers: u64,
    repeated: u64,
    cpu_ns: u64,
    stored: Option<u64>,
    stored_unknown: Option<String>,
}

impl FollowedEntry {
    pub(crate) fn new(followed: &Followed) -> FollowedEntry {
        let Followed { until, is_cut_short, asked, failed, example, strangers, repeated, cpu, stored } =
            followed.clone();
        let (stored, stored_unknown) = match stored {
            Some(Stored::Count(count)) => (Some(count), None),
            Some(Stored::Unknown(why)) => (None, Some(why)),
            None => (None, None),
        };
        FollowedEntry {
            until_ns: until.0,
            is_cut_short,
            asked,
            failed,
            example,
            strangers,
            repeated,
            cpu_ns: cpu.0,
            stored,
            stored_unknown,
        }
    }

    pub(crate) fn followed(&self) -> Followed {
        Followed {
            until: Nanos(self.until_ns),
            is_cut_short: self.is_cut_short,
            asked: self.asked,
            failed: self.failed,
            example: self.example.clone(),
            strangers: self.strangers,
            repeated: self.repeated,
            cpu: Nanos(self.cpu_ns),
            stored: match (self.stored, &self.stored_unknown) {
                (Some(count), _) => Some(Stored::Count(count)),
                (None, Some(why)) => Some(Stored::Unknown(why.clone())),
                (None, None) => None,
            },
        }
    }
}
