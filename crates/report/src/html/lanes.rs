//! Rows that share one axis: a name, what is drawn beside it, and its number.
//!
//! On a desk a lane is one line; on a phone the name and the number stand
//! above the drawing, which is then as wide as the page.

use super::markup::escape;
use super::scale::LogScale;
use super::svg::{Anchor, Svg};
use model::Nanos;

/// Pixels of the line with the axis' labels.
const AXIS: f64 = 20.0;

/// Pixels that a lane may be higher than its drawing, above and below it.
const BEYOND: f64 = 80.0;

/// A place on the axis in per cent, and what stands there.
pub(super) struct Tick {
    pub(super) at: f64,
    pub(super) label: String,
    /// `grid`, or `axis` for the place that everything is measured from.
    pub(super) class: &'static str,
}

/// One row.
pub(super) struct Lane {
    pub(super) name: String,
    /// Beside the name, in few words.
    pub(super) detail: String,
    /// The number that the row is about, and what belongs to it.
    pub(super) value: String,
    pub(super) beside: String,
    /// Pixels down.
    pub(super) height: f64,
    pub(super) draw: Box<dyn Fn(&mut Svg)>,
}

/// A logarithmic axis of time from left to right, in per cent.
pub(super) fn time_axis(times: impl Iterator<Item = Nanos>) -> LogScale {
    LogScale::over(times, 100.0, 0.0)
}

/// The axis' decades as ticks.
pub(super) fn time_ticks(axis: &LogScale) -> Vec<Tick> {
    let tick = |(time, label): (Nanos, String)| Tick { at: axis.place(time), label, class: "grid" };
    axis.ticks().into_iter().map(tick).collect()
}

/// All rows between two lines of labels; `shows` tells those who cannot see
/// what is drawn in every row.
pub(super) fn lanes(ticks: &[Tick], rows: &[Lane], shows: &str) -> String {
    let labels = labels(ticks);
    let rows: String = rows.iter().map(|row| lane(ticks, row, shows)).collect();
    format!("<div class=\"lanes\">\n{labels}{rows}{labels}</div>\n")
}

fn labels(ticks: &[Tick]) -> String {
    let mut svg = Svg::new(AXIS);
    for tick in ticks {
        // A label at either end stays inside, or it would leave a phone's page.
        let anchor = match tick.at {
            at if at < 3.0 => Anchor::Start,
            at if at > 97.0 => Anchor::End,
            _ => Anchor::Middle,
        };
        svg.text((tick.at, AXIS - 5.0), 0.0, anchor, "", &tick.label);
    }
    format!("<div class=\"lane labels\">{}</div>\n", svg.finish("the axis"))
}

/// A line from the lane above to the lane below, whatever stands beside the
/// drawing: it is drawn longer, and the lane cuts it off.
pub(super) fn through(svg: &mut Svg, at: f64, height: f64, class: &str) {
    svg.line((at, -BEYOND), (at, height + BEYOND), class);
}

fn lane(ticks: &[Tick], row: &Lane, shows: &str) -> String {
    let mut svg = Svg::new(row.height);
    for tick in ticks {
        through(&mut svg, tick.at, row.height, tick.class);
    }
    (row.draw)(&mut svg);
    format!(
        "<div class=\"lane\"><p class=\"who\"><b>{}</b> <span>{}</span></p>{}<p class=\"figure\"><b>{}</b> \
         <span>{}</span></p></div>\n",
        escape(&row.name),
        escape(&row.detail),
        svg.finish(&format!("{shows}: {}", row.name)),
        escape(&row.value),
        escape(&row.beside)
    )
}
