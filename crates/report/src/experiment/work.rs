//! Work that goes on after its answer: how long from submit to result, and how
//! much of it waited.

use super::Part;
use crate::numbers::{UNKNOWN, count, figure, lasting, length, per_second, point};
use crate::table::{Column, Table};
use analysis::{ArmSummary, CompletionFigures, RunSummary, Summary, Verdict};
use model::{FollowKind, Nanos, Stored};

/// A run whose work was followed.
pub(crate) struct Followed<'a> {
    pub(crate) arm: &'a str,
    pub(crate) run: &'a RunSummary,
    pub(crate) figures: &'a CompletionFigures,
}

/// Every usable run whose work was followed, in the order of arms and rounds.
pub(crate) fn followed(summary: &Summary) -> Vec<Followed<'_>> {
    let mut all = Vec::new();
    for ArmSummary { name, runs, .. } in &summary.arms {
        for run in runs.iter().filter(|run| run.verdict != Verdict::Void) {
            if let Some(figures) = &run.completion {
                all.push(Followed { arm: name, run, figures });
            }
        }
    }
    all
}

/// `None` where nobody followed any work.
pub(crate) fn part(summary: &Summary) -> Option<Part> {
    let all = followed(summary);
    let first = all.first()?;
    let heads = [
        (Column::Name, "arm"),
        (Column::Number, "round"),
        (Column::Number, "accepted"),
        (Column::Number, "done"),
        (Column::Number, "given up"),
        (Column::Number, "not ended"),
        (Column::Number, "answer p50"),
        (Column::Number, "result p50"),
        (Column::Number, "p95"),
        (Column::Number, "slowest"),
        (Column::Number, "late"),
        (Column::Number, "most waiting"),
        (Column::Number, "last after"),
    ];
    let several = summary.arms.iter().any(|arm| arm.runs.len() > 1);
    let row = |one: &Followed<'_>| cells(one, several);
    let table = Table::of(&heads, all.iter().map(row).collect())?;
    let table = table
        .only_if_any(&["round"], "")
        .only_if_any(&["given up", "not ended"], "0")
        .only_if_any(&["late", "last after"], UNKNOWN);
    let notes = [reading_aid(first.figures), cost(&all)];
    Some(Part {
        title: "From submit to result".into(),
        says: all.iter().map(|one| says(one, all.len() > 1)).collect(),
        table: Some(table),
        notes: notes.into_iter().flatten().collect(),
    })
}

fn cells(one: &Followed<'_>, several: bool) -> Vec<String> {
    let Followed { arm, run, figures } = one;
    let results = &figures.submit_to_result;
    vec![
        (*arm).to_owned(),
        if several { run.facts.round.to_string() } else { String::new() },
        count(figures.accepted),
        count(figures.done),
        count(figures.given_up),
        count(figures.unfinished + figures.nameless),
        point(run.response_time_ok.p50),
        point(results.p50),
        point(results.p95),
        point(results.max),
        figures.late.map_or(UNKNOWN.into(), count),
        count(figures.peak),
        figures.drained_after.map_or(UNKNOWN.into(), lasting),
    ]
}

/// One run in a sentence.
fn says(one: &Followed<'_>, named: bool) -> String {
    let Followed { arm, run, figures } = one;
    let whose = if named { format!("{arm}, round {}: ", run.facts.round) } else { String::new() };
    if figures.accepted == 0 {
        return format!("{whose}no answer accepted any work.");
    }
    let waiting = format!(
        "{whose}{}; at most {} waited at once, {} after the start",
        accepted(figures.accepted),
        count(figures.peak),
        lasting(figures.peak_at)
    );
    let ended = match figures.drained_after {
        Some(Nanos::ZERO) => "none was left when sending stopped".to_owned(),
        Some(after) => format!("the last ended {} after sending had stopped", lasting(after)),
        None => format!("{} had not ended when following did", count(figures.unfinished + figures.nameless)),
    };
    format!("{waiting}; {ended}.{}{}", stored(figures), against_quota(figures))
}

/// What the service itself has counted.
fn stored(figures: &CompletionFigures) -> String {
    let accepted = figures.accepted_in_all;
    match figures.followed.as_ref().and_then(|followed| followed.stored.as_ref()) {
        None => String::new(),
        Some(Stored::Count(stored)) if *stored == accepted => " The service holds just as many.".to_owned(),
        Some(Stored::Count(stored)) if accepted == figures.accepted => {
            format!(" The service holds {}.", count(*stored))
        }
        Some(Stored::Count(stored)) => {
            format!(" The service holds {} of {} with the warm-up.", count(*stored), count(accepted))
        }
        Some(Stored::Unknown(_)) => " How much the service holds is not known.".to_owned(),
    }
}

/// What was accepted a second beside what can be done a second.
fn against_quota(figures: &CompletionFigures) -> String {
    let (Some(quota), Some(mean), Some(busiest)) =
        (figures.facts.quota, figures.accepted_per_s, figures.busiest_minute_per_s)
    else {
        return String::new();
    };
    let times = |rate: f64| format!("{} times", figure(rate / quota.as_per_second()));
    // A quota below one a second is told by the minute, and so is all beside it.
    let shown = |rate: f64| match quota.as_per_second() {
        quota if quota < 1.0 => format!("{}/min", figure(rate * 60.0)),
        _ => per_second(rate),
    };
    format!(
        " Accepted were {} on average and {} in the busiest minute: {} and {} the quota of {}.",
        shown(mean),
        shown(busiest),
        times(mean),
        times(busiest),
        shown(quota.as_per_second())
    )
}

fn accepted(work: u64) -> String {
    match work {
        1 => "1 piece of work was accepted".to_owned(),
        more => format!("{} pieces of work were accepted", count(more)),
    }
}

/// How ends were learnt, and how exactly.
fn reading_aid(figures: &CompletionFigures) -> Option<String> {
    let by = match figures.facts.kind {
        FollowKind::Poll => "Ends were learnt by asking for each piece of work",
        FollowKind::Callback => "Ends were learnt from calls of the service",
        FollowKind::Sql => "Ends were learnt from the service's database",
        FollowKind::Events => "Ends were learnt from the service's stream of events",
    };
    let exactly = match (figures.facts.every, figures.resolution) {
        (Some(every), Some(resolution)) => format!(" every {}, up to {resolution} late", length(every)),
        (Some(every), None) => format!(" every {}", length(every)),
        (None, _) => String::new(),
    };
    let bound = match figures.facts.at_most {
        Some(at_most) => format!(" Late: not done within {}.", length(at_most)),
        None => String::new(),
    };
    Some(format!(
        "Result: from the moment its request was due to the moment its end was learnt. {by}{exactly}. What was given up \
         or did not end counts as a lower bound (≥).{bound}"
    ))
}

/// What following cost, and that it is no part of the load's figures.
fn cost(all: &[Followed<'_>]) -> Option<String> {
    let known: Vec<_> = all.iter().filter_map(|one| one.figures.followed.as_ref()).collect();
    let asked: u64 = known.iter().map(|followed| followed.asked).sum();
    let cpu: u64 = known.iter().map(|followed| followed.cpu.0).sum();
    let failed: u64 = known.iter().map(|followed| followed.failed).sum();
    let failures =
        if failed > 0 { format!(", of which {} gave nothing", count(failed)) } else { String::new() };
    (!known.is_empty()).then(|| {
        format!(
            "Following took {} questions or messages{failures}, and {} of CPU: no part of the load's figures.",
            count(asked),
            Nanos(cpu)
        )
    })
}
