//! All runs put together: arms, the worst verdict, and the answer in one sentence.

mod answer;
mod doubts;
mod shaped;
mod worked;

use crate::bounds::bound;
use crate::comparison::comparisons;
use crate::ramp::ramp;
use crate::shaped::is_level;
use crate::summary::{ArmSummary, Point, RunSummary, Summary, Verdict, WindowSpread};
use model::{Load, MachineFacts, Nanos, PlanFacts, RunRecord};

/// What is known of an experiment besides its runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExperimentFacts {
    /// What was asked.
    pub question: String,
    /// The machine it ran on.
    pub machine: MachineFacts,
    /// Version of doorclock that measured.
    pub tool_version: String,
    /// When it began: UTC, RFC 3339, whole seconds.
    pub began: String,
    /// What the plan decides beyond single runs; `None` where there was no plan.
    pub plan: Option<PlanFacts>,
}

/// The whole experiment from its runs. Its arms come in the order of the plan,
/// and those that no plan names in the order in which they first ran.
///
/// Guesses and pooled distributions stay empty: the first are judged by the
/// plan's language, from [`Summary::figure`]; the second need the samples once
/// more, and [`pooled`](crate::pooled()) makes them.
pub fn experiment(facts: ExperimentFacts, runs: Vec<RunSummary>) -> Summary {
    let ExperimentFacts { question, machine, tool_version, began, plan } = facts;
    let mut arms = grouped(runs);
    let plan = plan.unwrap_or_default();
    let place = |arm: &ArmSummary| plan.arms.iter().position(|name| *name == arm.name).unwrap_or(usize::MAX);
    arms.sort_by_key(place);
    for arm in &mut arms {
        arm.ramp = ramp(&arm.runs, &plan.bounds);
    }
    let comparisons = comparisons(&arms, &plan.pairings);
    let bounds: Vec<_> = plan.bounds.iter().map(|asked| bound(&arms, *asked)).collect();
    let planned_runs = (plan.rounds > 0).then(|| plan.arms.len() as u32 * plan.rounds);
    let doubts = doubts::all(&arms, &comparisons, &machine, planned_runs);
    let of_runs = arms.iter().flat_map(|arm| &arm.runs).map(|run| run.verdict);
    let verdict = of_runs.chain(doubts.iter().map(|doubt| doubt.weight)).max();
    Summary {
        question,
        answer: answer::answer(&arms, &comparisons, &bounds, planned_runs),
        verdict: verdict.unwrap_or(Verdict::Void),
        doubts,
        arms,
        comparisons,
        guesses: Vec::new(),
        bounds,
        planned_runs,
        machine,
        tool_version,
        began,
    }
}

fn grouped(runs: Vec<RunSummary>) -> Vec<ArmSummary> {
    let mut arms: Vec<ArmSummary> = Vec::new();
    for run in runs {
        match arms.iter_mut().find(|arm| arm.name == run.facts.arm) {
            Some(arm) => arm.runs.push(run),
            None => arms.push(ArmSummary {
                name: run.facts.arm.clone(),
                runs: vec![run],
                pooled: None,
                windows: None,
                ramp: None,
            }),
        }
    }
    for arm in &mut arms {
        arm.runs.sort_by_key(|run| run.facts.round);
        arm.windows = spread(&arm.runs);
    }
    arms
}

/// How far the windows of an arm's runs lie apart. Lower bounds count with the
/// least that is known of them; void runs have no say. Windows of a load that
/// changes over time differ for that reason, and are not set against each other.
fn spread(runs: &[RunSummary]) -> Option<WindowSpread> {
    if runs.iter().any(|run| run.facts.shape.as_ref().is_some_and(|shape| !is_level(shape))) {
        return None;
    }
    let usable: Vec<&RunSummary> =
        runs.iter().filter(|run| run.verdict != Verdict::Void && !run.windows.is_empty()).collect();
    let ends = |values: Vec<Nanos>| Some((*values.iter().min()?, *values.iter().max()?));
    let value = |point: Option<Point>| point.map(|point| point.value);
    let first = usable.iter().filter_map(|run| value(run.windows[0].p99)).collect();
    let any = usable.iter().flat_map(|run| &run.windows).filter_map(|window| value(window.p99)).collect();
    let whole = usable.iter().filter_map(|run| value(run.response_time.p99)).collect();
    let length = usable.first()?.windows[0].length;
    Some(WindowSpread { length, first: ends(first)?, whole: ends(whole)?, any: ends(any)? })
}

/// Answers a second that the service can give, as the experiment itself shows
/// it: the most that a closed loop of ours got from a service that was not
/// asked to stall. `None` without such a run. One whose load changes over time
/// was not at its most throughout, and does not count.
pub fn capacity<'a>(records: impl Iterator<Item = &'a RunRecord>) -> Option<f64> {
    let reached = records.filter_map(|record| {
        let (facts, end) = (&record.facts, record.end.as_ref()?);
        let is_level = facts.shape.as_ref().is_none_or(is_level);
        let is_closed = matches!(facts.load, Load::Closed { .. }) && facts.tool.is_none() && is_level;
        let seconds = end.counted_until.saturating_sub(facts.warm_up).as_secs_f64();
        let tells = is_closed && facts.stalls_asked != Some(true) && !end.interrupted && seconds > 0.0;
        tells.then(|| end.taken_counted as f64 / seconds)
    });
    reached.filter(|rate| *rate > 0.0).max_by(f64::total_cmp)
}

#[cfg(test)]
mod tests;
