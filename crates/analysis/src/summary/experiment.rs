//! What analysis says about arms and the whole experiment.

use super::{Distribution, Doubt, Point, RampFigures, RunSummary, Verdict};
use model::{Bound, MachineFacts, Nanos, Pairing, PlannedGuess};

/// All runs of one arm, in the order of their rounds.
#[derive(Clone, Debug, PartialEq)]
pub struct ArmSummary {
    /// The arm's name.
    pub name: String,
    /// Its runs; never empty.
    pub runs: Vec<RunSummary>,
    /// Response times of all its runs together, those of void runs left out.
    /// For reading; arms are compared by their runs' own numbers.
    pub pooled: Option<Distribution>,
    /// What its windows say, where its runs have windows.
    pub windows: Option<WindowSpread>,
    /// What its ramp shows, where its load rises in steps or slopes.
    pub ramp: Option<RampFigures>,
}

/// How far the first windows of an arm's runs lie apart, and how far the runs do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WindowSpread {
    /// Length of a window.
    pub length: Nanos,
    /// Least and largest p99 of the first window, over the rounds.
    pub first: (Nanos, Nanos),
    /// Least and largest p99 of the whole run, over the rounds.
    pub whole: (Nanos, Nanos),
    /// Least and largest p99 of any window of any round.
    pub any: (Nanos, Nanos),
}

/// Two arms, and whether they can be told apart.
///
/// `y` is ln(b ÷ a) of the number in one round.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Which arms, by which number.
    pub pairing: Pairing,
    /// Rounds in which both have the number.
    pub rounds: u32,
    /// b ÷ a in each of these rounds.
    pub ratios: Vec<f64>,
    /// b ÷ a − 1, the Hodges–Lehmann estimate.
    pub effect: Option<f64>,
    /// Lower end of its exact interval.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// How often such an interval covers, 0 to 1.
    pub coverage: Option<f64>,
    /// p of the exact sign-flip test.
    pub p: Option<f64>,
    /// The least that p can be with so many rounds.
    pub p_floor: Option<f64>,
    /// p after Holm's correction for all comparisons but the twins'.
    pub p_holm: Option<f64>,
    /// Whether they are told apart; `None` with too few rounds to say.
    pub told_apart: Option<bool>,
    /// Whether the plain rule tells them apart: every difference of one sign,
    /// and no overlap of the two arms' numbers.
    pub plain_rule: Option<bool>,
    /// The smallest effect that these rounds could have shown, as a share.
    pub smallest_visible: Option<f64>,
    /// The least d for which the two are the same within ±d, as a share.
    pub same_within: Option<f64>,
    /// Standard deviation of ln a over the rounds: what pairing is measured against.
    pub sd_rounds: Option<f64>,
    /// Standard deviation of y.
    pub sd_paired: Option<f64>,
}

/// What became of a guess.
#[derive(Clone, Debug, PartialEq)]
pub struct GuessSummary {
    /// The guess, word for word.
    pub guess: PlannedGuess,
    /// `right`, `wrong` or `cannot say`.
    pub verdict: &'static str,
    /// The figures it rests on, in the order of its condition.
    pub figures: Vec<GuessFigure>,
}

/// One figure behind a guess.
#[derive(Clone, Debug, PartialEq)]
pub struct GuessFigure {
    /// The arm.
    pub arm: String,
    /// The figure's name, with its unit.
    pub figure: String,
    /// Its value in every round; `None` where one of them is unknown.
    pub values: Option<Vec<f64>>,
}

/// Which arms held a bound.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundSummary {
    /// The bound.
    pub bound: Bound,
    /// Every arm, in the order of the plan.
    pub arms: Vec<BoundArm>,
    /// The open arm of the highest rate that held it in every round, and kept up.
    pub highest: Option<(String, f64)>,
    /// The arm that did the most a second without holding it, and how many
    /// times `highest` that is.
    pub unbounded: Option<(String, f64, Option<f64>)>,
}

/// How one arm stands to a bound.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundArm {
    /// The arm.
    pub arm: String,
    /// The rate it was asked for, or reached where it has none; a mean over its rounds.
    pub rate_per_s: f64,
    /// Rounds in which it held the bound and kept up.
    pub held: u32,
    /// Rounds that can be judged.
    pub rounds: u32,
    /// The slowest round's number.
    pub worst: Option<Point>,
}

/// The whole experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// What was asked.
    pub question: String,
    /// The answer in one sentence with its figures.
    pub answer: String,
    /// The worst verdict of its runs and of its own doubts.
    pub verdict: Verdict,
    /// Doubts that concern the experiment as a whole.
    pub doubts: Vec<Doubt>,
    /// The arms, in the order of the plan.
    pub arms: Vec<ArmSummary>,
    /// What is told apart from what.
    pub comparisons: Vec<Comparison>,
    /// What became of the guesses.
    pub guesses: Vec<GuessSummary>,
    /// Which arms held which bound.
    pub bounds: Vec<BoundSummary>,
    /// Runs that the plan asks for; `None` where there was no plan.
    pub planned_runs: Option<u32>,
    /// The machine it ran on.
    pub machine: MachineFacts,
    /// Version of doorclock that measured.
    pub tool_version: String,
    /// When it began: UTC, RFC 3339, whole seconds.
    pub began: String,
}
