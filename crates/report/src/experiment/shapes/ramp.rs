//! Up to where the service follows: a row a step, and the rates at which it
//! stops following, crosses a bound, or takes twice as long.

use super::{Shaped, stages};
use crate::experiment::Part;
use crate::numbers::{UNKNOWN, chosen_rate, count, counted, estimated_rate, length, per_second, point};
use crate::table::{Column, Table};
use crate::words;
use analysis::{IntervalFrom, RampRate, RateEstimate};
use model::{Bound, StageUnit};

/// Rows that are still read one by one.
const MOST_ROWS: usize = 40;

/// `None` where nothing is known of any step.
pub(crate) fn part(of: &Shaped<'_>) -> Option<Part> {
    let rows = stages::rows(of, MOST_ROWS);
    let heads = [
        (Column::Name, "step"),
        (Column::Number, "planned"),
        (Column::Number, "done"),
        (Column::Number, "p50"),
        (Column::Number, "p99"),
        (Column::Number, "failed"),
        (Column::Number, "cut off"),
        (Column::Text, "kept up"),
    ];
    let cells = |row: &stages::Row<'_>| {
        vec![
            step(of, row),
            row.planned_text(of),
            row.done().map_or(UNKNOWN.into(), per_second),
            point(row.p50()),
            point(row.p99()),
            count(row.failed()),
            count(row.cut_off()),
            row.kept_up_text(),
        ]
    };
    let table = Table::of(&heads, rows.iter().map(cells).collect())?.only_if_any(&["failed", "cut off"], "0");
    Some(Part {
        title: of.title("Up to where the service follows").into(),
        says: says(of),
        table: Some(table),
        notes: vec![note(of)],
    })
}

/// A step's number, and its users where the plan counts those.
fn step(of: &Shaped<'_>, row: &stages::Row<'_>) -> String {
    match (of.shape.unit, of.shape.pace, of.shape.stages.get(row.numbers.0 - 1)) {
        (StageUnit::Users, Some(_), Some(stage)) => words::shape::size(of.shape, stage.to),
        _ => row.number(),
    }
}

/// The answers, one sentence each.
pub(crate) fn says(of: &Shaped<'_>) -> Vec<String> {
    let Some(ramp) = of.ramp else { return kept_up_to(of).map(|says| says + ".").into_iter().collect() };
    let bounds = ramp.bounds.iter().map(|(bound, rate)| of_bound(*bound, rate));
    let steep = ramp
        .too_steep
        .iter()
        .map(|why| format!("The load rises too fast for this to be exact: {}.", bare(why)));
    [saturation(&ramp.saturation)]
        .into_iter()
        .chain(bounds)
        .chain([doubling(&ramp.p50_doubles)])
        .chain(steep)
        .collect()
}

/// `Kept up to 800/s`, or that it fell behind at once; `None` where it cannot
/// be told of any step.
pub(crate) fn kept_up_to(of: &Shaped<'_>) -> Option<String> {
    let rows = stages::rows(of, usize::MAX);
    let behind = rows.iter().position(|row| row.kept_up() == Some(false)).unwrap_or(rows.len());
    let last = rows[..behind].iter().rev().find(|row| row.kept_up() == Some(true));
    match (last, rows.get(behind)) {
        (Some(last), None) => Some(format!("kept up to the end, {}", last.planned_text(of))),
        (Some(last), Some(_)) => Some(format!("kept up to {}", last.planned_text(of))),
        (None, Some(first)) => Some(format!("fell behind at {}", first.planned_text(of))),
        (None, None) => None,
    }
}

fn bare(text: &str) -> &str {
    text.trim_end_matches(['.', ':'])
}

/// `812/s [790, 834], by 6 rounds`.
pub(crate) fn with_interval(rate: &RateEstimate) -> String {
    let text = estimated_rate(rate);
    format!("{} {} ({})", text.value, text.bracket, rests_on(rate.from))
}

fn rests_on(from: IntervalFrom) -> String {
    match from {
        IntervalFrom::Rounds(rounds) => format!("95 % over {}", counted(u64::from(rounds), "round")),
        IntervalFrom::Steps => "between two steps".into(),
        IntervalFrom::Saturated(steps) => {
            format!("95 % over {}", counted(u64::from(steps), "saturated step"))
        }
        IntervalFrom::Count => "95 % by its count, of one saturated step".into(),
    }
}

fn saturation(rate: &RampRate) -> String {
    match rate {
        RampRate::Is(rate) => {
            format!(
                "Saturated from {} on: beyond it, more requests bring no more answers.",
                with_interval(rate)
            )
        }
        RampRate::Above(most) => {
            format!("Not saturated: it followed up to {}, the highest rate asked for.", chosen_rate(*most))
        }
        RampRate::Below(least) => {
            format!(
                "Saturated from the first step on: below {}, the lowest rate asked for.",
                chosen_rate(*least)
            )
        }
        RampRate::CannotSay(why) => format!("Saturation: cannot say: {}.", bare(why)),
    }
}

/// `p99 ≤ 20 ms holds up to 770/s [750, 790].`
fn of_bound(bound: Bound, rate: &RampRate) -> String {
    let name = format!("{} ≤ {}", bound.number.name(), length(bound.at_most));
    match rate {
        RampRate::Is(rate) => format!("{name} holds up to {}.", with_interval(rate)),
        RampRate::Above(most) => {
            format!(
                "{name} holds up to {}, the highest rate asked for, and maybe beyond.",
                chosen_rate(*most)
            )
        }
        RampRate::Below(least) => {
            format!("{name} does not hold even at {}, the lowest rate asked for.", chosen_rate(*least))
        }
        RampRate::CannotSay(why) => format!("{name}: up to which rate, cannot say: {}.", bare(why)),
    }
}

fn doubling(rate: &RampRate) -> String {
    match rate {
        RampRate::Is(rate) => format!("The p50 is twice that of the lowest rate at {}.", with_interval(rate)),
        RampRate::Above(most) => format!(
            "The p50 never doubles: up to {}, the highest rate asked for, it stays below twice that of the lowest.",
            chosen_rate(*most)
        ),
        RampRate::Below(least) => {
            format!("The p50 doubles below {}, the lowest rate asked for.", chosen_rate(*least))
        }
        RampRate::CannotSay(why) => {
            format!("Where the p50 is twice that of the lowest rate: cannot say: {}.", bare(why))
        }
    }
}

fn note(of: &Shaped<'_>) -> String {
    let rounds = if of.rounds() > 1 {
        "Times and rates are those of the middle round; failed and cut off: all rounds together. "
    } else {
        ""
    };
    format!("{rounds}Done: answers a second that came within the step.{}", stages::visible(of))
}
