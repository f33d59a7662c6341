//! What other tools say of their own runs, beside what doorclock makes of them.

use super::{Part, arms};
use crate::numbers::{UNKNOWN, count, middle, per_second};
use crate::table::{Column, Table};
use analysis::Summary;
use model::{Nanos, Told};

/// `None` if no other tool ran.
pub(crate) fn part(summary: &Summary) -> Option<Part> {
    let cells = |row: &arms::Row<'_>| {
        let run = row.arm.runs.first()?;
        let tool = run.facts.tool.as_ref()?;
        let told: Vec<&Told> = row.runs.iter().filter_map(|run| run.told.as_ref()).collect();
        let time = |of: fn(&Told) -> Option<Nanos>| {
            let times = told.iter().filter_map(|told| of(told)).map(|time| time.0 as f64);
            middle(times).map_or(UNKNOWN.into(), |time| Nanos(time as u64).to_string())
        };
        let number = |of: fn(&Told) -> Option<f64>| middle(told.iter().filter_map(|told| of(told)));
        let measured = if row.is_told() { UNKNOWN.into() } else { row.p99().value };
        Some(vec![
            row.arm.name.clone(),
            tool.name.clone(),
            number(|told| told.requests.map(|n| n as f64)).map_or(UNKNOWN.into(), |n| count(n as u64)),
            number(|told| told.rate_per_s).map_or(UNKNOWN.into(), per_second),
            time(|told| told.p50),
            time(|told| told.p99),
            measured,
        ])
    };
    let heads = [
        (Column::Name, "arm"),
        (Column::Text, "tool"),
        (Column::Number, "requests"),
        (Column::Number, "a second"),
        (Column::Number, "its p50"),
        (Column::Number, "its p99"),
        (Column::Number, "p99 from its samples"),
    ];
    Some(Part {
        title: "What other tools say of themselves".into(),
        says: Vec::new(),
        table: Some(Table::of(&heads, arms::rows(summary).iter().filter_map(cells).collect())?),
        notes: vec![
            "Middle of the rounds. Its own figures are by its own clock, from the moment of sending. The last column is \
             computed from the time of every request, where the tool gives it."
                .to_owned(),
        ],
    })
}

/// The command line of every arm that another tool sent.
pub(crate) fn commands(summary: &Summary) -> Vec<(&str, &str)> {
    summary
        .arms
        .iter()
        .filter_map(|arm| {
            let tool = arm.runs.first()?.facts.tool.as_ref()?;
            Some((arm.name.as_str(), tool.command.as_str()))
        })
        .collect()
}
