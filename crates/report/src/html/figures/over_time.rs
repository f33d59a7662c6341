//! One run's p99, slice by slice.

use super::{drawable, zero_and_top};
use crate::html::markup::{Cell, Figure, table};
use crate::html::scale::LinearScale;
use crate::html::svg::{Anchor, Svg};
use crate::numbers::{UNKNOWN, count, counted, length};
use analysis::{RunSummary, Slice};
use model::Nanos;

const TOP: f64 = 14.0;
const BOTTOM: f64 = 154.0;
const HEIGHT: f64 = 180.0;
/// The part of a slice's width that its bar fills.
const FILLED: f64 = 0.82;

/// The p99 of each slice as a bar; nothing if no slice has one.
pub(in crate::html) fn over_time(run: &RunSummary) -> Option<Figure> {
    let run = drawable(run)?;
    let top = run.slices.iter().filter_map(|slice| slice.p99).max()?;
    Some(Figure {
        drawing: picture(run, top),
        caption: caption(&run.slices)?,
        note: format!(
            "Each bar is the p99 of the requests due in {}; no bar, none due. A cross: some failed or were cut \
             off, and the bar may be too short.",
            run.slices.first().map_or(UNKNOWN.into(), |slice| length(slice.length))
        ),
        table: figures(&run.slices),
    })
}

fn picture(run: &RunSummary, top: Nanos) -> String {
    let mut svg = Svg::new(HEIGHT);
    let scale = LinearScale::over([top.0 as f64].into_iter(), TOP, BOTTOM);
    zero_and_top(&mut svg, &scale, &top.to_string());
    let slot = 100.0 / run.slices.len() as f64;
    for (number, slice) in run.slices.iter().enumerate() {
        let Some(p99) = slice.p99 else { continue };
        let height = BOTTOM - scale.place(p99.0 as f64);
        let left = number as f64 * slot;
        let corner = (left + slot * (1.0 - FILLED) / 2.0, BOTTOM - height);
        svg.rect(corner, (slot * FILLED, height), "bar", Some(&title(slice)));
        if slice.failed > 0 {
            let at = (left + slot / 2.0, (BOTTOM - height - 9.0).max(6.0));
            svg.shape(
                "cross",
                at,
                "cross",
                &format!("{} failed or cut off", counted(slice.failed, "request")),
            );
        }
    }
    svg.text((0.0, BOTTOM + 20.0), 0.0, Anchor::Start, "", "0");
    svg.text((100.0, BOTTOM + 20.0), 0.0, Anchor::End, "", &length(run.duration));
    svg.finish("p99 of the response times over the run")
}

fn title(slice: &Slice) -> String {
    let p99 = slice.p99.map_or(UNKNOWN.into(), |p99| p99.to_string());
    format!("from {}: p99 {p99} of {}", began(slice), counted(slice.scheduled, "request"))
}

fn began(slice: &Slice) -> String {
    if slice.began == Nanos::ZERO { "0 s".into() } else { length(slice.began) }
}

fn caption(slices: &[Slice]) -> Option<String> {
    let known = || slices.iter().filter_map(|slice| Some((slice.p99?, slice)));
    let (most, when) = known().max_by_key(|(p99, _)| *p99)?;
    let (least, _) = known().min_by_key(|(p99, _)| *p99)?;
    let gaps = slices.iter().filter(|slice| slice.p99.is_none()).count() as u64;
    let gaps =
        if gaps > 0 { format!("; in {} nothing was due", counted(gaps, "slice")) } else { String::new() };
    Some(format!(
        "From slice to slice the p99 lies between {least} and {most}; the slowest slice began at {}{gaps}.",
        began(when)
    ))
}

fn figures(slices: &[Slice]) -> String {
    let time = |time: Option<Nanos>| Cell::Number(time.map_or(UNKNOWN.into(), |time| time.to_string()));
    let rows: Vec<Vec<Cell>> = slices
        .iter()
        .map(|slice| {
            vec![
                Cell::Number(began(slice)),
                Cell::Number(count(slice.scheduled)),
                Cell::Number(count(slice.failed)),
                time(slice.p99),
                time(slice.max),
            ]
        })
        .collect();
    table(&["from", "due", "failed or cut off", "p99", "slowest"], &rows)
}
