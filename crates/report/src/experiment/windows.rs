//! What a shorter run would have said: the windows of the long ones.

use super::Part;
use crate::numbers::{length, range, times};
use crate::table::{Column, Table};
use analysis::{ArmSummary, Summary, WindowSpread};
use model::{Load, Nanos};

/// The arms whose windows are worth a picture: the longest where some are
/// counted longer than others, else the open ones, else all that have windows.
pub(crate) fn shown(summary: &Summary) -> Vec<(&ArmSummary, WindowSpread)> {
    let all: Vec<_> = summary.arms.iter().filter_map(|arm| Some((arm, arm.windows?))).collect();
    let counted =
        |arm: &ArmSummary| arm.runs.iter().map(|run| run.facts.measure).max().unwrap_or(Nanos::ZERO);
    let longest = all.iter().map(|(arm, _)| counted(arm)).max();
    let is_long = |(arm, _): &&(&ArmSummary, WindowSpread)| Some(counted(arm)) == longest;
    let is_open = |(arm, _): &&(&ArmSummary, WindowSpread)| {
        arm.runs.first().is_some_and(|run| matches!(run.load(), Load::Open { .. }))
    };
    let long: Vec<_> = all.iter().filter(is_long).copied().collect();
    if long.len() < all.len() {
        return long;
    }
    let open: Vec<_> = all.iter().filter(is_open).copied().collect();
    if open.is_empty() { all } else { open }
}

/// The windows of every arm that has some; its sentences are about those shown.
pub(crate) fn part(summary: &Summary) -> Option<Part> {
    let heads = [
        (Column::Name, "arm"),
        (Column::Number, "window"),
        (Column::Number, "first window"),
        (Column::Number, "any window"),
        (Column::Number, "whole run"),
    ];
    let cells = |arm: &ArmSummary, spread: WindowSpread| {
        let ends = |(least, largest): (Nanos, Nanos)| range(least, largest);
        let window = length(spread.length);
        vec![arm.name.clone(), window, ends(spread.first), ends(spread.any), ends(spread.whole)]
    };
    let rows = summary.arms.iter().filter_map(|arm| Some(cells(arm, arm.windows?)));
    Some(Part {
        title: "What a shorter run would have said".into(),
        says: shown(summary).into_iter().map(|(arm, spread)| says(arm, spread)).collect(),
        table: Some(Table::of(&heads, rows.collect())?),
        notes: vec!["p99 of the response times, least to largest over the rounds.".to_owned()],
    })
}

/// `open-long: the first 10 s of 2 min said 5.40 to 93.1 ms; the whole run 71.6 to 88.6 ms.`
pub(crate) fn says(arm: &ArmSummary, spread: WindowSpread) -> String {
    let measure = arm.runs.iter().map(|run| run.facts.measure).max().unwrap_or(Nanos::ZERO);
    let apart = |(least, largest): (Nanos, Nanos)| times(largest.0 as f64 / least.0.max(1) as f64);
    format!(
        "{}: the first {} of {} said {}, {} times apart; the whole run {}, {} times.",
        arm.name,
        length(spread.length),
        length(measure),
        range(spread.first.0, spread.first.1),
        apart(spread.first),
        range(spread.whole.0, spread.whole.1),
        apart(spread.whole)
    )
}
