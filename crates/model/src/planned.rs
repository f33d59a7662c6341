//! What a plan decides beyond its single runs: which arms are compared, by
//! which number, against which bound, and what was guessed.

use crate::Nanos;

/// A number of a run that arms are compared by, or that is bounded: of
/// response times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Number {
    /// The mean.
    Mean,
    /// The median.
    P50,
    /// The 90th percentile.
    P90,
    /// The 95th percentile.
    P95,
    /// The 99th percentile.
    P99,
    /// The 99.9th percentile.
    P999,
    /// The slowest.
    Max,
}

impl Number {
    /// Every number, in the order of their sizes.
    pub const ALL: [Number; 7] =
        [Number::Mean, Number::P50, Number::P90, Number::P95, Number::P99, Number::P999, Number::Max];

    /// The word in plans and results.
    pub fn name(self) -> &'static str {
        match self {
            Number::Mean => "mean",
            Number::P50 => "p50",
            Number::P90 => "p90",
            Number::P95 => "p95",
            Number::P99 => "p99",
            Number::P999 => "p999",
            Number::Max => "max",
        }
    }

    /// The number with this name.
    pub fn named(name: &str) -> Option<Number> {
        Number::ALL.into_iter().find(|number| number.name() == name)
    }
}

/// Two arms to compare: what `b` is to `a`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairing {
    /// The one that is measured against.
    pub a: String,
    /// The other.
    pub b: String,
    /// By which number.
    pub number: Number,
    /// Whether `b` is `a` once more (an A/A pair): whatever sets them apart is
    /// a false alarm.
    pub is_twin: bool,
}

/// The slowest response time accepted at one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// Which number.
    pub number: Number,
    /// The slowest that is accepted.
    pub at_most: Nanos,
}

/// A prediction from the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedGuess {
    /// A short name.
    pub name: String,
    /// In words.
    pub says: String,
    /// As a condition over figures of arms.
    pub holds: String,
    /// Whether it came after the first run had begun.
    pub is_late: bool,
}

/// A plan as the results keep it for analysis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlanFacts {
    /// SHA-256 of the plan's text and flags from before the first run, hex.
    pub sha256: String,
    /// Flags that changed the plan, as `KEY=VALUE`.
    pub flags: Vec<String>,
    /// The arms, in the order of the plan.
    pub arms: Vec<String>,
    /// How often each runs.
    pub rounds: u32,
    /// What is compared.
    pub pairings: Vec<Pairing>,
    /// The slowest response times accepted.
    pub bounds: Vec<Bound>,
    /// What was guessed.
    pub guesses: Vec<PlannedGuess>,
}
