//! The plan inside `manifest.json`: what analysis must know of it beyond the runs.

use super::bad_value;
use crate::StoreError;
use model::{Bound, Nanos, Number, Pairing, PlanFacts, PlannedGuess};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// [`PlanFacts`].
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PlanEntry {
    sha256: String,
    flags: Vec<String>,
    arms: Vec<String>,
    rounds: u32,
    comparisons: Vec<PairingEntry>,
    bounds: Vec<BoundEntry>,
    guesses: Vec<GuessEntry>,
}

#[derive(Debug, Serialize, Deserialize)]
struct PairingEntry {
    a: String,
    b: String,
    number: String,
    is_twin: bool,
}

#[derive(Debug, Serialize, Deserialize)]
struct BoundEntry {
    number: String,
    at_most_ns: u64,
}

/// A guess that was there before the first run; late ones are not written here.
#[derive(Debug, Serialize, Deserialize)]
struct GuessEntry {
    name: String,
    says: String,
    holds: String,
}

impl PlanEntry {
    pub(crate) fn new(plan: &PlanFacts) -> PlanEntry {
        let pairing = |pairing: &Pairing| PairingEntry {
            a: pairing.a.clone(),
            b: pairing.b.clone(),
            number: pairing.number.name().to_owned(),
            is_twin: pairing.is_twin,
        };
        let bound = |bound: &Bound| BoundEntry {
            number: bound.number.name().to_owned(),
            at_most_ns: bound.at_most.0,
        };
        let guess = |guess: &PlannedGuess| GuessEntry {
            name: guess.name.clone(),
            says: guess.says.clone(),
            holds: guess.holds.clone(),
        };
        PlanEntry {
            sha256: plan.sha256.clone(),
            flags: plan.flags.clone(),
            arms: plan.arms.clone(),
            rounds: plan.rounds,
            comparisons: plan.pairings.iter().map(pairing).collect(),
            bounds: plan.bounds.iter().map(bound).collect(),
            guesses: plan.guesses.iter().filter(|guess| !guess.is_late).map(guess).collect(),
        }
    }

    pub(crate) fn facts(self, path: &Path) -> Result<PlanFacts, StoreError> {
        let number = |name: &str| Number::named(name).ok_or_else(|| bad_value(path, "plan.….number", &name));
        let pairing = |entry: PairingEntry| {
            let number = number(&entry.number)?;
            Ok(Pairing { a: entry.a, b: entry.b, number, is_twin: entry.is_twin })
        };
        let bound = |entry: BoundEntry| {
            Ok(Bound { number: number(&entry.number)?, at_most: Nanos(entry.at_most_ns) })
        };
        let guess = |entry: GuessEntry| PlannedGuess {
            name: entry.name,
            says: entry.says,
            holds: entry.holds,
            is_late: false,
        };
        Ok(PlanFacts {
            sha256: self.sha256,
            flags: self.flags,
            arms: self.arms,
            rounds: self.rounds,
            pairings: self.comparisons.into_iter().map(pairing).collect::<Result<_, StoreError>>()?,
            bounds: self.bounds.into_iter().map(bound).collect::<Result<_, StoreError>>()?,
            guesses: self.guesses.into_iter().map(guess).collect(),
        })
    }
}
