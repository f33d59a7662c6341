//! Which rates held a bound, and what a throughput without one is worth.

use super::{Part, arms};
use crate::numbers::{UNKNOWN, length, per_second, point, times};
use crate::table::{Column, Table};
use analysis::{BoundArm, BoundSummary, Summary};

/// `p99 ≤ 10 ms`.
pub(crate) fn name(bound: &BoundSummary) -> String {
    format!("{} ≤ {}", bound.bound.number.name(), length(bound.bound.at_most))
}

/// One part a bound.
pub(crate) fn parts(summary: &Summary) -> Vec<Part> {
    summary.bounds.iter().map(|bound| part(summary, bound)).collect()
}

fn part(summary: &Summary, bound: &BoundSummary) -> Part {
    let rows: Vec<arms::Row<'_>> = arms::rows(summary);
    let is_told = |arm: &BoundArm| rows.iter().any(|row| row.arm.name == arm.arm && row.is_told());
    let heads = [
        (Column::Name, "arm"),
        (Column::Number, "rate"),
        (Column::Number, "rounds that held it"),
        (Column::Number, "slowest round"),
    ];
    Part {
        title: "Which rates held the bound".into(),
        says: vec![says(bound)],
        table: Table::of(&heads, bound.arms.iter().map(|arm| cells(arm, is_told(arm))).collect()),
        notes: [
            "Held: the number is within the bound, failed requests counted as slower than it, and the service kept \
             up. The rate is the one asked for, or reached where none was."
                .to_owned(),
        ]
        .into_iter()
        .chain(arms::told_note(&rows))
        .collect(),
    }
}

fn cells(arm: &BoundArm, is_told: bool) -> Vec<String> {
    let mark = if is_told { arms::TOLD } else { "" };
    let held = match arm.rounds {
        0 => UNKNOWN.to_owned(),
        rounds => format!("{} of {rounds}", arm.held),
    };
    vec![arm.arm.clone(), per_second(arm.rate_per_s), held, point(arm.worst) + mark]
}

fn says(bound: &BoundSummary) -> String {
    let name = name(bound);
    let highest = match &bound.highest {
        Some((arm, rate)) => format!(
            "{name}: {} ({arm}) is the highest open rate that held it in every round.",
            per_second(*rate)
        ),
        None => format!("{name}: no open arm held it in every round, so no rate can be named."),
    };
    match &bound.unbounded {
        Some((arm, rate, Some(ratio))) => format!(
            "{highest} {arm}’s {} is {} × that, without holding it.",
            per_second(*rate),
            times(*ratio)
        ),
        Some((arm, rate, None)) => {
            format!("{highest} {arm} did {} without holding it.", per_second(*rate))
        }
        None => highest,
    }
}
