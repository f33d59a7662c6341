//! Who asked while the service stood still.

use super::{Part, arms, named};
use crate::numbers::{UNKNOWN, count, counted, middle, share};
use crate::table::{Column, Table};
use analysis::{ArmSummary, AroundBin, StallFigures, Summary};
use model::Nanos;

/// An arm's stalls over all its rounds.
pub(crate) struct Stalled<'a> {
    pub(crate) arm: &'a ArmSummary,
    /// Sums over the rounds; the share and the bins are means.
    pub(crate) figures: StallFigures,
}

/// Every arm whose service told of stalls that it had.
pub(crate) fn stalled(summary: &Summary) -> Vec<Stalled<'_>> {
    summary.arms.iter().filter_map(of).collect()
}

fn of(arm: &ArmSummary) -> Option<Stalled<'_>> {
    let row = arms::Row::of(arm);
    let rounds: Vec<&StallFigures> = row.runs.iter().filter_map(|run| run.stalls.as_ref()).collect();
    let sum = |of: fn(&StallFigures) -> u64| rounds.iter().map(|figures| of(figures)).sum::<u64>();
    let seen = sum(|figures| figures.seen);
    if seen == 0 {
        return None;
    }
    let lengths = rounds.iter().filter_map(|figures| figures.mean_length).map(|length| length.0 as f64);
    let overlapped: f64 = rounds.iter().map(|figures| figures.overlapped_share).sum();
    Some(Stalled {
        arm,
        figures: StallFigures {
            planned: sum(|figures| figures.planned),
            seen,
            mean_length: middle(lengths).map(|length| Nanos(length as u64)),
            sent_during: sum(|figures| figures.sent_during),
            overlapped_share: overlapped / rounds.len() as f64,
            around: mean_bins(&rounds, seen),
        },
    })
}

/// Bins over all stalls of all rounds: each round counts by its stalls.
fn mean_bins(rounds: &[&StallFigures], seen: u64) -> Vec<AroundBin> {
    let Some(first) = rounds.iter().find(|figures| !figures.around.is_empty()) else { return Vec::new() };
    let mean = |from_ms: i64| {
        let sent = rounds.iter().map(|figures| {
            let bin = figures.around.iter().find(|bin| bin.from_ms == from_ms);
            bin.map_or(0.0, |bin| bin.sent_per_stall * figures.seen as f64)
        });
        AroundBin { from_ms, sent_per_stall: sent.sum::<f64>() / seen as f64 }
    };
    first.around.iter().map(|bin| mean(bin.from_ms)).collect()
}

/// What each tester sent while the service stood still; `None` if it never did.
pub(crate) fn part(summary: &Summary) -> Option<Part> {
    let all = stalled(summary);
    let cells = |one: &Stalled<'_>| {
        let figures = &one.figures;
        vec![
            one.arm.name.clone(),
            format!("{} of {}", count(figures.seen), count(figures.planned)),
            figures.mean_length.map_or(UNKNOWN.into(), |length| length.to_string()),
            count(figures.sent_during),
            share(figures.overlapped_share),
        ]
    };
    let heads = [
        (Column::Name, "arm"),
        (Column::Number, "stalls seen"),
        (Column::Number, "length"),
        (Column::Number, "sent during"),
        (Column::Number, "met one"),
    ];
    Some(Part {
        title: "Who asks while the service stands still".into(),
        says: vec![says(&all)],
        table: Some(Table::of(&heads, all.iter().map(cells).collect())?),
        notes: vec![
            "All rounds together. Sent during: requests sent while the service stood still. Met one: the share of \
             requests that were out during some part of a stall."
                .to_owned(),
        ],
    })
}

/// Those that sent nothing, and the one that sent most.
pub(crate) fn says(all: &[Stalled<'_>]) -> String {
    let silent: Vec<&str> =
        all.iter().filter(|one| one.figures.sent_during == 0).map(|one| one.arm.name.as_str()).collect();
    let most = all.iter().filter(|one| one.figures.sent_during > 0).max_by(|a, b| {
        let per_stall = |one: &Stalled<'_>| one.figures.sent_during as f64 / one.figures.seen as f64;
        per_stall(a).total_cmp(&per_stall(b))
    });
    let most = most.map(|one| {
        format!(
            "{} sent {} in {}",
            one.arm.name,
            counted(one.figures.sent_during, "request"),
            counted(one.figures.seen, "stall")
        )
    });
    match (silent.is_empty(), most) {
        (false, Some(most)) => {
            format!("While the service stood still, {} sent nothing; {most}.", named(&silent))
        }
        (true, Some(most)) => format!("While the service stood still, every tester went on asking; {most}."),
        (_, None) => format!("While the service stood still, {} sent nothing.", named(&silent)),
    }
}
