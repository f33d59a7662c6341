//! Doubts about loads that change over time: whether they answer the question
//! that their shape asks.

use super::{Case, counted, doubt, requests};
use crate::shaped::{load_at, measured_stages, rises};
use crate::summary::{BurstFigures, Doubt, Recovery, Verdict};
use model::ShapeKind;

/// With fewer requests a p99 is the slowest one, and so is what is usual.
const ENOUGH: u64 = 100;

/// Whether the figures of the whole run are the answer. Of a ramp or a burst
/// they are not: there the service is to fall behind, and the slowest requests
/// come from one event.
pub(super) fn asks_of_the_whole(case: &Case) -> bool {
    let Some(shape) = &case.record.facts.shape else { return true };
    match shape.kind {
        ShapeKind::RampUp | ShapeKind::Burst => false,
        ShapeKind::Stages => !rises(shape) && case.summary.bursts.is_empty(),
        ShapeKind::Steady | ShapeKind::Soak | ShapeKind::Day | ShapeKind::Replay => true,
    }
}

/// Whether the load rises to where the service no longer follows.
pub(super) fn is_ramp(case: &Case) -> bool {
    case.record.facts.shape.as_ref().is_some_and(rises)
}

pub(super) fn not_recovered(case: &Case) -> Option<Doubt> {
    let never = case.summary.bursts.iter().find_map(|burst| match burst.recovery {
        Recovery::NotWithin(length) => Some((burst, length)),
        _ => None,
    });
    let (burst, length) = never.filter(|_| case.has_answers())?;
    let says = format!(
        "the backlog did not come back to what was usual before the burst ({}) within {length} after it",
        burst.usual_backlog
    );
    let hint = "let what comes after the burst last longer, and see whether it comes back at all";
    Some(doubt("not-recovered", Verdict::Doubtful, says, hint))
}

pub(super) fn few_before_burst(case: &Case) -> Option<Doubt> {
    let shape = case.record.facts.shape.as_ref()?;
    let few = |burst: &&BurstFigures| {
        burst.before.scheduled < ENOUGH && load_at(shape, burst.before.span.began) > 0.0
    };
    let burst = case.summary.bursts.iter().find(few).filter(|_| case.has_answers())?;
    let says = format!(
        "only {} {} due before the burst: what is usual rests on {}",
        requests(burst.before.scheduled),
        if burst.before.scheduled == 1 { "was" } else { "were" },
        if burst.before.scheduled == 1 { "it" } else { "them" }
    );
    let hint = format!("let what comes before the burst last until {ENOUGH} requests are due in it");
    Some(doubt("few-before-burst", Verdict::Doubtful, says, &hint))
}

/// A ramp is read step by step, so that its steps must bear it; elsewhere this
/// is a remark.
pub(super) fn short_stages(case: &Case) -> Option<Doubt> {
    let stages = &case.summary.stages;
    let sent = || stages.iter().filter(|stage| stage.scheduled > 0);
    let short = sent().filter(|stage| stage.scheduled < ENOUGH).count() as u64;
    if !case.has_answers() || short == 0 || stages.len() < 2 {
        return None;
    }
    let says = format!(
        "{short} of {} had fewer than {ENOUGH} requests: the p99 of such a one is its slowest",
        counted(stages.len() as u64, "stage")
    );
    let weight = if is_ramp(case) { Verdict::Doubtful } else { Verdict::Valid };
    Some(doubt("short-stages", weight, says, "let each stage last longer, or read a lower percentile"))
}

/// A remark: figures are not those of each stage.
pub(super) fn told_in_stretches(case: &Case) -> Option<Doubt> {
    let shape = case.record.facts.shape.as_ref()?;
    let told = measured_stages(shape).len();
    (told < shape.stages.len()).then(|| {
        let says = format!("its {} stages are told as {told} stretches of equal length", shape.stages.len());
        doubt("told-in-stretches", Verdict::Valid, says, "")
    })
}
