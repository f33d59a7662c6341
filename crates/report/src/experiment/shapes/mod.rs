//! What the report says of loads that change over time. Each shape asks a
//! question of its own, and each file here answers one: up to where the
//! service follows ([`ramp`]), whether a level drifts ([`steady`]), how soon it
//! is over a burst ([`burst`]), what grows ([`growth`]), and, where the plan
//! wrote the load out, what each stage did ([`stages`]).
//!
//! Start at [`parts`].

pub(crate) mod burst;
pub(crate) mod growth;
pub(crate) mod ramp;
pub(crate) mod stages;
pub(crate) mod steady;

use super::Part;
use analysis::{ArmSummary, RampFigures, RunSummary, Summary, Verdict};
use model::{Shape, ShapeKind};

/// An arm whose load changes over time, with those of its runs that may be used.
pub(crate) struct Shaped<'a> {
    pub(crate) name: &'a str,
    pub(crate) shape: &'a Shape,
    /// Never empty.
    pub(crate) runs: Vec<&'a RunSummary>,
    pub(crate) ramp: Option<&'a RampFigures>,
    /// Whether the arm must be named: other arms have a shape too.
    pub(crate) is_one_of_several: bool,
}

impl<'a> Shaped<'a> {
    /// One run alone; `None` where it is void or its load stays the same.
    pub(crate) fn of_run(run: &'a RunSummary, ramp: Option<&'a RampFigures>) -> Option<Shaped<'a>> {
        let shape = run.facts.shape.as_ref()?;
        let is_usable = run.verdict != Verdict::Void;
        let alone = Shaped { name: &run.facts.arm, shape, runs: vec![run], ramp, is_one_of_several: false };
        is_usable.then_some(alone)
    }

    /// The same of all rounds of an arm.
    fn of_arm(arm: &'a ArmSummary) -> Option<Shaped<'a>> {
        let runs: Vec<_> = arm.runs.iter().filter(|run| run.verdict != Verdict::Void).collect();
        let shape = runs.first()?.facts.shape.as_ref()?;
        Some(Shaped { name: &arm.name, shape, runs, ramp: arm.ramp.as_ref(), is_one_of_several: false })
    }

    /// What answers this shape's question, and where other figures ask for it,
    /// what answers theirs.
    pub(crate) fn parts(&self) -> Vec<Part> {
        let parts = match self.shape.kind {
            ShapeKind::RampUp => vec![ramp::part(self)],
            ShapeKind::Steady => vec![steady::part(self)],
            ShapeKind::Burst => vec![burst::part(self)],
            ShapeKind::Soak => vec![growth::part(self)],
            ShapeKind::Stages | ShapeKind::Day | ShapeKind::Replay => {
                vec![burst::part(self), stages::part(self)]
            }
        };
        parts.into_iter().flatten().collect()
    }

    /// A title, with the arm's name where there are several.
    fn title(&self, title: &str) -> String {
        if self.is_one_of_several { format!("{title}: {}", self.name) } else { title.to_owned() }
    }

    fn rounds(&self) -> u64 {
        self.runs.len() as u64
    }
}

/// Every arm whose load changes over time, in the order of the plan.
pub(crate) fn shaped(summary: &Summary) -> Vec<Shaped<'_>> {
    let mut all: Vec<Shaped<'_>> = summary.arms.iter().filter_map(Shaped::of_arm).collect();
    let is_one_of_several = all.len() > 1;
    all.iter_mut().for_each(|one| one.is_one_of_several = is_one_of_several);
    all
}

/// What answers the questions of all shapes.
pub(crate) fn parts(summary: &Summary) -> Vec<Part> {
    shaped(summary).iter().flat_map(Shaped::parts).collect()
}

/// Said under the table of all arms where some change their load within a run.
pub(crate) fn note_on_whole_runs(summary: &Summary) -> Option<String> {
    let changes = |arm: &ArmSummary| arm.runs.first().is_some_and(crate::words::changes);
    let names: Vec<&str> =
        summary.arms.iter().filter(|arm| changes(arm)).map(|arm| arm.name.as_str()).collect();
    let whose = if names.len() == 1 { "is" } else { "are" };
    (!names.is_empty()).then(|| {
        format!(
            "{} {whose} asked for more at one time than at another: such a percentile mixes all of its loads.",
            super::named(&names)
        )
    })
}
