//! Every round a dot: a row an arm, on one logarithmic axis.

use crate::experiment::arms::{self, Row, is_told};
use crate::html::lanes::{Lane, lanes, through, time_axis, time_ticks};
use crate::html::markup::{Figure, plain_table};
use crate::html::scale::LogScale;
use crate::html::svg::Svg;
use crate::numbers::{length, point, times};
use analysis::{Interval, RunSummary, Summary, Verdict};
use model::{Nanos, Number};

/// Pixels from one round to the next, and the most that all of them take.
const STEP: f64 = 7.0;
const MOST: f64 = 70.0;
/// Pixels above the first round and below the last.
const MARGIN: f64 = 9.0;

/// The p99 of every round of every arm; nothing if none is known.
pub(in crate::html) fn rounds(summary: &Summary) -> Option<Figure> {
    let rows = arms::rows(summary);
    let known: Vec<&RunSummary> = rows.iter().flat_map(|row| row.runs.iter().copied()).collect();
    let p99s = known.iter().filter_map(|run| run.response_time.p99).map(|point| point.value);
    p99s.clone().next()?;
    let ends = known.iter().flat_map(|run| [run.p99_interval.low, run.p99_interval.high]).flatten();
    let bound =
        summary.bounds.iter().find(|one| one.bound.number == Number::P99).map(|one| one.bound.at_most);
    let axis = time_axis(p99s.chain(ends).chain(bound));
    let lane = |row: &Row<'_>| {
        let p99 = row.p99();
        let bound = bound.map(|bound| axis.place(bound));
        Lane {
            name: row.arm.name.clone(),
            detail: row.load(),
            value: p99.value,
            beside: p99.bracket,
            height: height(row.arm.runs.len()),
            draw: dots(row, &axis, bound),
        }
    };
    let all: Vec<Lane> = rows.iter().map(lane).collect();
    let part = arms::waits(summary);
    Some(Figure {
        drawing: legend(&rows, bound) + &lanes(&time_ticks(&axis), &all, "p99 of every round"),
        caption: caption(&rows),
        note: note(summary),
        table: part.table.as_ref().map(plain_table).unwrap_or_default(),
    })
}

fn note(summary: &Summary) -> String {
    let rounds = match arms::several_rounds(summary) {
        true => {
            "Rounds stand under each other, the first above. The number at the right is the middle round’s, in \
             brackets the least and the largest."
        }
        false => "In brackets the 95 % interval.",
    };
    format!(
        "p99 of the response time, scheduled → done. {rounds} The axis is logarithmic and starts above zero."
    )
}

fn height(rounds: usize) -> f64 {
    step(rounds) * rounds.saturating_sub(1) as f64 + 2.0 * MARGIN
}

fn step(rounds: usize) -> f64 {
    STEP.min(MOST / rounds.max(1) as f64)
}

/// One run as it is drawn.
struct Mark {
    /// Per cent across: the p99 and the ends of its interval.
    at: f64,
    ends: Option<(f64, f64)>,
    shape: &'static str,
    title: String,
}

fn mark(run: &RunSummary, axis: &LogScale) -> Option<Mark> {
    let p99 = run.response_time.p99.filter(|_| run.verdict != Verdict::Void)?;
    let Interval { low, high, .. } = run.p99_interval;
    let right = high.map_or(100.0, |high| axis.place(high));
    let shape = match (is_told(run), p99.at_least) {
        (true, _) => "ring",
        (false, true) => "more",
        (false, false) => "dot",
    };
    Some(Mark {
        at: axis.place(p99.value),
        ends: low.map(|low| (axis.place(low), right)),
        shape,
        title: format!("round {}: {}", run.facts.round, point(Some(p99))),
    })
}

fn dots(row: &Row<'_>, axis: &LogScale, bound: Option<f64>) -> Box<dyn Fn(&mut Svg)> {
    let step = step(row.arm.runs.len());
    let marks: Vec<Option<Mark>> = row.arm.runs.iter().map(|run| mark(run, axis)).collect();
    let height = height(marks.len());
    Box::new(move |svg: &mut Svg| {
        if let Some(bound) = bound {
            through(svg, bound, height, "rule");
        }
        for (number, mark) in marks.iter().enumerate() {
            let down = MARGIN + number as f64 * step;
            let Some(mark) = mark else { continue };
            if let Some((low, high)) = mark.ends {
                svg.line((low, down), (high, down), "span");
            }
            let class = if mark.shape == "ring" { "told" } else { "spot" };
            svg.shape(mark.shape, (mark.at, down), class, &mark.title);
        }
    })
}

fn legend(rows: &[Row<'_>], bound: Option<Nanos>) -> String {
    let shape = |id: &str, class: &str| {
        format!("<svg><use href=\"#{id}\" class=\"{class}\" x=\"15\" y=\"6\"/></svg>")
    };
    let line =
        |class: &str| format!("<svg><line class=\"{class}\" x1=\"0\" y1=\"6\" x2=\"30\" y2=\"6\"/></svg>");
    let any = |wanted: fn(&RunSummary) -> bool| rows.iter().flat_map(|row| &row.runs).any(|run| wanted(run));
    let mut items = vec![shape("dot", "spot") + "one round"];
    if any(|run| run.p99_interval.low.is_some()) {
        items.push(line("span") + "its 95 % interval");
    }
    if any(|run| run.response_time.p99.is_some_and(|p99| p99.at_least) && !is_told(run)) {
        items.push(shape("more", "spot") + "this or slower");
    }
    if any(is_told) {
        items.push(shape("ring", "told") + "* as another tool tells, from the moment of sending");
    }
    if let Some(bound) = bound {
        items.push(format!(
            "<svg><line class=\"rule\" x1=\"15\" y1=\"-2\" x2=\"15\" y2=\"14\"/></svg>the bound, {}",
            length(bound)
        ));
    }
    let items: String = items.into_iter().map(|item| format!("<li>{item}</li>")).collect();
    format!("<ul class=\"legend\">{items}</ul>\n")
}

/// How far the arms lie apart.
fn caption(rows: &[Row<'_>]) -> String {
    match arms::ends(rows) {
        Some((least, most)) if least.arm.name != most.arm.name => {
            let value =
                |row: &Row<'_>| row.spread(|run| run.response_time.p99).map_or(0, |s| s.middle.value.0);
            let apart = times(value(most) as f64 / value(least).max(1) as f64);
            format!(
                "From {} ({}) to {} ({}) the p99 grows {apart} times.",
                least.arm.name,
                least.p99().value,
                most.arm.name,
                most.p99().value
            )
        }
        Some((one, _)) => {
            format!("1 in 100 requests of {} took {} or longer.", one.arm.name, one.p99().value)
        }
        None => "No round has a p99.".into(),
    }
}
