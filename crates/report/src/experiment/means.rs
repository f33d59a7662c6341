//! The mean beside the percentiles, and how few requests are near it.

use super::{Part, arms};
use crate::numbers::{UNKNOWN, mean, share};
use crate::table::{Column, Table};
use analysis::Summary;

/// `None` if no share near the mean is known.
pub(crate) fn part(summary: &Summary) -> Option<Part> {
    let rows: Vec<arms::Row<'_>> =
        arms::rows(summary).into_iter().filter(|row| row.middle(|run| run.near_mean).is_some()).collect();
    let cells = |row: &arms::Row<'_>| {
        vec![
            row.arm.name.clone(),
            mean(row.middle(|run| run.response_time.mean)),
            row.text(|run| run.response_time.p50),
            row.text(|run| run.response_time.p99),
            row.text(|run| run.response_time.max),
            row.middle(|run| run.near_mean).map_or(UNKNOWN.into(), share),
        ]
    };
    let heads = [
        (Column::Name, "arm"),
        (Column::Number, "mean"),
        (Column::Number, "p50"),
        (Column::Number, "p99"),
        (Column::Number, "max"),
        (Column::Number, "near the mean"),
    ];
    Some(Part {
        title: "The mean beside the percentiles".into(),
        says: says(&rows).into_iter().collect(),
        table: Some(Table::of(&heads, rows.iter().map(cells).collect())?),
        notes: vec![
            "Middle of the rounds. Near the mean: the share of requests that took within 10 % of it."
                .to_owned(),
        ],
    })
}

/// The arm whose mean stands for the fewest requests.
fn says(rows: &[arms::Row<'_>]) -> Option<String> {
    let near = |row: &arms::Row<'_>| row.middle(|run| run.near_mean).unwrap_or(1.0);
    let row = rows.iter().min_by(|a, b| near(a).total_cmp(&near(b)))?;
    Some(format!(
        "{}’s mean of {} is near the wait of {} of its requests: half waited {} or less, 1 in 100 {} or more.",
        row.arm.name,
        mean(row.middle(|run| run.response_time.mean)),
        share(near(row)),
        row.text(|run| run.response_time.p50),
        row.text(|run| run.response_time.p99)
    ))
}
