//! Requests sent around a stall: who keeps asking while the service stands still.

use super::{drawable, listed, zero_and_top};
use crate::arms::{Pair, first_run};
use crate::experiment::stalls;
use crate::html::markup::{Cell, Figure, escape, plain_table, table};
use crate::html::scale::LinearScale;
use crate::html::svg::{Anchor, Svg};
use crate::numbers::{counted, times};
use analysis::{AroundBin, StallFigures, Summary};

const TOP: f64 = 14.0;
const BOTTOM: f64 = 104.0;
const HEIGHT: f64 = 130.0;
/// The part of a bin's width that its bar fills.
const FILLED: f64 = 0.82;

/// One tester with its stalls.
struct Row<'a> {
    label: &'a str,
    figures: &'a StallFigures,
}

/// One small picture for each arm whose service told its stalls, all on the
/// same two axes. Nothing if none did.
pub(in crate::html) fn around(pairs: &[Pair<'_>]) -> Option<Figure> {
    let rows: Vec<Row<'_>> = pairs.iter().filter_map(row).collect();
    let (drawing, note, table) = drawn(&rows)?;
    Some(Figure { drawing: drawing.concat(), caption: caption(&rows), note, table })
}

/// The same over all rounds, the small pictures side by side.
pub(in crate::html) fn around_of_rounds(summary: &Summary) -> Option<Figure> {
    let part = stalls::part(summary)?;
    let all = stalls::stalled(summary);
    let with_bins = all.iter().filter(|one| !one.figures.around.is_empty());
    let rows: Vec<Row<'_>> =
        with_bins.map(|one| Row { label: &one.arm.name, figures: &one.figures }).collect();
    let (drawing, note, table) = drawn(&rows)?;
    let (legend, pictures) = drawing.split_first()?;
    Some(Figure {
        drawing: format!("{legend}<div class=\"multiples\">\n{}</div>\n", pictures.concat()),
        caption: part.says.join(" "),
        note: format!("{note} All rounds together."),
        table: format!("{}{table}", part.table.as_ref().map(plain_table).unwrap_or_default()),
    })
}

/// The legend and a picture for each row, how to read them, and their table.
fn drawn(rows: &[Row<'_>]) -> Option<(Vec<String>, String, String)> {
    let bins: Vec<&AroundBin> = rows.iter().flat_map(|row| &row.figures.around).collect();
    let first = bins.iter().map(|bin| bin.from_ms).min()?;
    let width = bin_width(rows)?;
    let end = bins.iter().map(|bin| bin.from_ms).max()? + width;
    let scale = LinearScale::over(bins.iter().map(|bin| bin.sent_per_stall), TOP, BOTTOM);
    let axis = Axis { first, end, width };
    let pictures = rows.iter().map(|row| picture(row, &axis, &scale));
    let note = format!(
        "Mean number of requests sent in each {width} ms, over all stalls, by time from the stall's \
         beginning. All rows share both axes, which start at zero sends."
    );
    Some((std::iter::once(legend(width)).chain(pictures).collect(), note, figures(rows, first, end, width)))
}

fn row<'a>(pair: &'a Pair<'_>) -> Option<Row<'a>> {
    let run = drawable(first_run(pair.stalled?)?)?;
    let figures = run.stalls.as_ref().filter(|stalls| stalls.seen > 0 && !stalls.around.is_empty())?;
    Some(Row { label: &pair.label, figures })
}

/// Milliseconds from one bin to the next.
fn bin_width(rows: &[Row<'_>]) -> Option<i64> {
    let bins = &rows.first()?.figures.around;
    Some(bins.get(1)?.from_ms - bins.first()?.from_ms).filter(|width| *width > 0)
}

/// The time axis, in milliseconds from a stall's beginning.
struct Axis {
    first: i64,
    end: i64,
    width: i64,
}

impl Axis {
    /// Per cent across.
    fn place(&self, ms: i64) -> f64 {
        (ms - self.first) as f64 / (self.end - self.first) as f64 * 100.0
    }
}

/// What the axes count.
fn legend(width: i64) -> String {
    format!(
        "<ul class=\"legend\"><li>up: requests sent in {width} ms</li><li>across: milliseconds from the stall’s \
         beginning</li></ul>\n"
    )
}

fn picture(row: &Row<'_>, axis: &Axis, scale: &LinearScale) -> String {
    let mut svg = Svg::new(HEIGHT);
    zero_and_top(&mut svg, scale, &times(scale.most));
    if let Some(length) = row.figures.mean_length {
        let end = (length.0 as f64 / 1e6).min(axis.end as f64).max(0.0);
        let (from, to) = (axis.place(0), axis.place(end.round() as i64));
        svg.rect((from, TOP), (to - from, BOTTOM - TOP), "shade", Some("the service stands still"));
    }
    for bin in &row.figures.around {
        let top = scale.place(bin.sent_per_stall);
        let slot = axis.place(bin.from_ms + axis.width) - axis.place(bin.from_ms);
        let corner = (axis.place(bin.from_ms) + slot * (1.0 - FILLED) / 2.0, top);
        svg.rect(corner, (slot * FILLED, BOTTOM - top), "bar", Some(&title(bin, axis.width)));
    }
    let begin = axis.place(0);
    svg.line((begin, TOP - 12.0), (begin, BOTTOM), "rule");
    svg.text((begin, TOP - 2.0), 6.0, Anchor::Start, "strong", "stall begins");
    for ms in (axis.first..=axis.end).filter(|ms| ms % 100 == 0) {
        let anchor = match ms {
            ms if ms == axis.first => Anchor::Start,
            ms if ms == axis.end => Anchor::End,
            _ => Anchor::Middle,
        };
        svg.text((axis.place(ms), BOTTOM + 20.0), 0.0, anchor, "", &ms.to_string().replace('-', "−"));
    }
    let drawing = svg.finish(&format!("Requests sent around a stall by the {}", row.label));
    format!("<div class=\"strip\"><h3>{}</h3>\n{drawing}</div>\n", escape(row.label))
}

fn title(bin: &AroundBin, width: i64) -> String {
    format!("{} to {} ms: {:.2} sent a stall", bin.from_ms, bin.from_ms + width, bin.sent_per_stall)
}

/// What each tester sent while the service stood still.
fn caption(rows: &[Row<'_>]) -> String {
    let sent = |row: &Row<'_>| {
        let (sent, seen) = (row.figures.sent_during, row.figures.seen);
        let what = if sent == 0 { "nothing".into() } else { counted(sent, "request") };
        format!("the {} sent {what} in {}", row.label, counted(seen, "stall"))
    };
    let parts: Vec<String> = rows.iter().map(sent).collect();
    format!("While the service stood still, {}.", listed(&parts))
}

fn figures(rows: &[Row<'_>], first: i64, end: i64, width: i64) -> String {
    let heads: Vec<&str> = ["from, ms"].into_iter().chain(rows.iter().map(|row| row.label)).collect();
    let mut lines = Vec::new();
    let mut from = first;
    while from < end {
        let of = |row: &Row<'_>| {
            let bin = row.figures.around.iter().find(|bin| bin.from_ms == from);
            Cell::Number(bin.map_or("–".into(), |bin| format!("{:.2}", bin.sent_per_stall)))
        };
        lines.push([Cell::Number(from.to_string())].into_iter().chain(rows.iter().map(of)).collect());
        from += width;
    }
    table(&heads, &lines)
}
