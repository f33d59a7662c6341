//! What was read beside the load: every column with its range, and the gaps.

use super::Part;
use crate::numbers::{UNKNOWN, amount, count, figure, lasting, length};
use crate::table::{Column, Table};
use analysis::{ReadingFigures, RunSummary, Summary, Verdict};
use model::{ReadingGaps, ReadingUnit};

/// `None` where nothing was read.
pub(crate) fn part(summary: &Summary) -> Option<Part> {
    let runs: Vec<&RunSummary> = summary
        .arms
        .iter()
        .flat_map(|arm| &arm.runs)
        .filter(|run| {
            run.verdict != Verdict::Void && !(run.readings.is_empty() && run.reading_gaps.is_empty())
        })
        .collect();
    let several = runs.len() > 1;
    let heads = [
        (Column::Name, "reading"),
        (Column::Text, "run"),
        (Column::Number, "first"),
        (Column::Number, "least"),
        (Column::Number, "most"),
        (Column::Number, "at"),
        (Column::Number, "last"),
        (Column::Number, "limit"),
        (Column::Number, "read"),
    ];
    let rows = runs.iter().flat_map(|run| run.readings.iter().map(move |one| cells(run, one, several)));
    let table = Table::of(&heads, rows.collect());
    let table = table.map(|table| table.only_if_any(&["run"], "").only_if_any(&["limit"], UNKNOWN));
    let gaps: Vec<String> =
        runs.iter().flat_map(|run| run.reading_gaps.iter().map(move |gap| says(run, gap, several))).collect();
    if runs.is_empty() {
        return None;
    }
    Some(Part {
        title: "What was read beside the load".into(),
        says: gaps,
        table,
        notes: vec![asked(runs[0])],
    })
}

fn run_name(run: &RunSummary) -> String {
    format!("{}, round {}", run.facts.arm, run.facts.round)
}

/// A value in the reading's unit: `46.1 MiB`, `9`, `12.5 s`, `38 %`.
pub(crate) fn value(value: f64, unit: Option<ReadingUnit>) -> String {
    match unit {
        Some(ReadingUnit::Bytes) => amount(value, "bytes"),
        Some(ReadingUnit::Seconds) => amount(value * 1e9, "ns"),
        Some(ReadingUnit::Share) => crate::numbers::share(value),
        Some(ReadingUnit::Count) | None if value.fract() == 0.0 && (0.0..1e15).contains(&value) => {
            count(value as u64)
        }
        Some(ReadingUnit::Count) | None => figure(value),
    }
}

fn cells(run: &RunSummary, one: &ReadingFigures, several: bool) -> Vec<String> {
    let shown = |number: f64| value(number, one.unit);
    vec![
        name(one),
        if several { run_name(run) } else { String::new() },
        shown(one.first),
        shown(one.least),
        shown(one.most),
        lasting(one.most_at),
        shown(one.last),
        one.limit.map_or(UNKNOWN.into(), shown),
        format!("{} ×", count(one.n)),
    ]
}

/// `queue queued`; a command's single number has its reading's name alone.
pub(crate) fn name(one: &ReadingFigures) -> String {
    if one.column == "value" { one.reading.clone() } else { format!("{} {}", one.reading, one.column) }
}

fn says(run: &RunSummary, gap: &ReadingGaps, several: bool) -> String {
    let whose = if several { format!("{}: ", run_name(run)) } else { String::new() };
    let what = match gap.column.as_str() {
        "" => gap.reading.clone(),
        column => format!("{} {column}", gap.reading),
    };
    let at = gap.first_at.saturating_sub(run.facts.warm_up);
    format!(
        "{whose}{what} gave no number {} of {} times, first {} in: {}.",
        count(gap.gaps),
        count(gap.asked),
        lasting(at),
        gap.first.trim_end_matches('.')
    )
}

/// What was asked, how often.
fn asked(run: &RunSummary) -> String {
    let mut all: Vec<String> = Vec::new();
    for one in &run.readings {
        let asked = format!("{} every {}", one.reading, length(one.every));
        if !all.contains(&asked) {
            all.push(asked);
        }
    }
    let asked = if all.is_empty() { "nothing that answered".to_owned() } else { all.join(", ") };
    format!("Asked: {asked}. At: when it was first as large. A gap is no number, and never a zero.")
}
