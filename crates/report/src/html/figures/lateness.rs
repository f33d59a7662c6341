//! How late the tester sent: its own share of what it reports.

use crate::experiment::arms::{self, Row};
use crate::html::lanes::{Lane, lanes, time_axis, time_ticks};
use crate::html::markup::{Figure, plain_table};
use crate::html::svg::Svg;
use crate::numbers::{counted, share};
use crate::table::{Column, Table};
use analysis::{RunSummary, Summary};
use model::Nanos;

const HEIGHT: f64 = 34.0;
const MIDDLE: f64 = HEIGHT / 2.0;

/// Lateness from its median to its p99, a row an arm; nothing where none is known.
pub(in crate::html) fn lateness(summary: &Summary) -> Option<Figure> {
    let rows: Vec<Row<'_>> = arms::rows(summary).into_iter().filter(|row| p99(row).is_some()).collect();
    let all = rows.iter().flat_map(|row| &row.runs).flat_map(|run| [late50(run), late99(run)]).flatten();
    let axis = time_axis(all);
    let lane = |row: &Row<'_>| {
        let each = |of: fn(&RunSummary) -> Option<Nanos>| -> Vec<f64> {
            row.runs.iter().filter_map(|run| of(run)).map(|time| axis.place(time)).collect()
        };
        let (p50s, p99s) = (each(late50), each(late99));
        Lane {
            name: row.arm.name.clone(),
            detail: String::new(),
            value: row.text(|run| run.lateness.all.p99),
            beside: of_p99(row).map_or(String::new(), |part| format!("{} of its p99", share(part))),
            height: HEIGHT,
            draw: Box::new(move |svg: &mut Svg| {
                p50s.iter().for_each(|at| svg.shape("ring", (*at, MIDDLE), "ring", "median of a round"));
                p99s.iter().for_each(|at| svg.shape("dot", (*at, MIDDLE), "spot", "p99 of a round"));
            }),
        }
    };
    let lines: Vec<Lane> = rows.iter().map(lane).collect();
    Some(Figure {
        drawing: LEGEND.to_owned() + &lanes(&time_ticks(&axis), &lines, "lateness"),
        caption: caption(&rows)?,
        note: "Scheduled → sent, on a logarithmic axis; it is inside the response time, so a late tester makes its \
               numbers worse, never better."
            .into(),
        table: table(&rows),
    })
}

const LEGEND: &str = "<ul class=\"legend\"><li><svg><use href=\"#ring\" class=\"ring\" x=\"15\" y=\"6\"/></svg>median of a \
    round</li><li><svg><use href=\"#dot\" class=\"spot\" x=\"15\" y=\"6\"/></svg>p99 of a round</li></ul>\n";

fn late50(run: &RunSummary) -> Option<Nanos> {
    run.lateness.all.p50.map(|point| point.value)
}

fn late99(run: &RunSummary) -> Option<Nanos> {
    run.lateness.all.p99.map(|point| point.value)
}

fn p99(row: &Row<'_>) -> Option<Nanos> {
    row.spread(|run| run.lateness.all.p99).map(|spread| spread.middle.value)
}

/// The lateness as a share of the response time, p99 by p99.
fn of_p99(row: &Row<'_>) -> Option<f64> {
    let response = row.spread(|run| run.response_time.p99)?.middle.value;
    Some(p99(row)?.0 as f64 / response.0.max(1) as f64)
}

/// The arm of which lateness makes the largest part.
fn caption(rows: &[Row<'_>]) -> Option<String> {
    let part = |row: &&Row<'_>| of_p99(row).unwrap_or(0.0);
    let most = rows.iter().max_by(|a, b| part(a).total_cmp(&part(b)))?;
    Some(format!(
        "The tester’s share is largest in {}: 1 in 100 requests was sent {} late or more, {} of its p99.",
        most.arm.name,
        most.text(|run| run.lateness.all.p99),
        share(part(&most))
    ))
}

fn table(rows: &[Row<'_>]) -> String {
    let heads = [
        (Column::Name, "arm"),
        (Column::Number, "p50"),
        (Column::Number, "p99"),
        (Column::Number, "max"),
        (Column::Number, "p99 for want of a connection"),
        (Column::Number, "p99 by own delay"),
        (Column::Text, "rounds"),
    ];
    let cells = |row: &Row<'_>| {
        vec![
            row.arm.name.clone(),
            row.text(|run| run.lateness.all.p50),
            row.text(|run| run.lateness.all.p99),
            row.text(|run| run.lateness.all.max),
            row.text(|run| run.lateness.waiting.p99),
            row.text(|run| run.lateness.own.p99),
            counted(row.runs.len() as u64, "round"),
        ]
    };
    Table::of(&heads, rows.iter().map(cells).collect()).as_ref().map(plain_table).unwrap_or_default()
}
