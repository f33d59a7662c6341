//! Every doubt is raised once by a run spoilt for it, and once not, just short of it.

mod books;
mod length;
mod service;
mod shape;
mod tester;

use crate::fixture::Run;
use crate::summary::RunSummary;
use crate::summary::Verdict::{self, Doubtful, Valid, Void};
use model::{CpuUse, LastSign, Nanos, Outcome, Sample, SendPrecision, Span, Stalls, Told, ToolFacts};

/// The run as judged, after a change.
fn judged(mut run: Run, change: impl FnOnce(&mut Run)) -> RunSummary {
    change(&mut run);
    run.judged()
}

/// Code and weight of each doubt.
fn doubts(summary: &RunSummary) -> Vec<(&'static str, Verdict)> {
    summary.doubts.iter().map(|doubt| (doubt.code, doubt.weight)).collect()
}

/// Checks that a calm run has these doubts after a change, and the worst of their weights.
#[track_caller]
fn check(change: impl FnOnce(&mut Run), expected: &[(&str, Verdict)]) -> RunSummary {
    let summary = judged(Run::calm(), change);
    assert_eq!(doubts(&summary), expected);
    let worst = expected.iter().map(|(_, weight)| *weight).max().unwrap_or(Valid);
    assert_eq!(summary.verdict, worst);
    summary
}

#[track_caller]
fn says(summary: &RunSummary, code: &str, text: &str) {
    let doubt = summary.doubts.iter().find(|doubt| doubt.code == code).expect("the doubt was raised");
    assert_eq!(doubt.says, text);
}

fn fail(outcome: Outcome) -> impl Fn(&mut Sample) {
    move |sample| sample.outcome = outcome
}

#[test]
fn a_calm_run_is_valid_and_raises_nothing() {
    check(|_| {}, &[]);
    for paced in [true, false] {
        assert_eq!(doubts(&Run::looped(paced).judged()), []);
    }
}
