//! The pictures. Each file makes one kind of [`Figure`](super::markup::Figure):
//! the drawing, one sentence that says what to see, and the table behind it.

mod around;
mod burst;
mod clocks;
mod course;
mod curve;
mod effects;
mod growth;
mod latencies;
mod lateness;
mod over_time;
mod ramp;
mod rounds;
mod stages;
mod windows;

pub(super) use around::{around, around_of_rounds};
pub(super) use burst::burst;
pub(super) use clocks::clocks;
pub(super) use course::{course, readings_alone};
pub(super) use curve::curve;
pub(super) use effects::effects;
pub(super) use growth::growth;
pub(super) use latencies::latencies;
pub(super) use lateness::lateness;
pub(super) use over_time::over_time;
pub(super) use ramp::ramp;
pub(super) use rounds::rounds;
pub(super) use stages::stages;
pub(super) use windows::windows;

use super::scale::{LinearScale, LogScale};
use super::svg::{Anchor, Svg};
use analysis::{RunSummary, Verdict};

/// The run, unless it is void: no picture is made of numbers not to be used.
fn drawable(run: &RunSummary) -> Option<&RunSummary> {
    (run.verdict != Verdict::Void).then_some(run)
}

/// Lines and labels along a logarithmic axis.
fn decades(svg: &mut Svg, scale: &LogScale) {
    for (time, label) in scale.ticks() {
        let down = scale.place(time);
        svg.line((0.0, down), (100.0, down), "grid");
        svg.text((0.0, down + 5.0), -8.0, Anchor::End, "", &label);
    }
}

/// Lines and labels at zero and at the top of a linear axis.
fn zero_and_top(svg: &mut Svg, scale: &LinearScale, top: &str) {
    for (value, label, class) in [(scale.most, top, "grid"), (0.0, "0", "axis")] {
        let down = scale.place(value);
        svg.line((0.0, down), (100.0, down), class);
        svg.text((0.0, down + 5.0), -8.0, Anchor::End, "", label);
    }
}

/// Upright lines and labels along a linear axis from left to right in per cent.
fn upright(svg: &mut Svg, across: &LinearScale, (top, bottom): (f64, f64), label: impl Fn(f64) -> String) {
    for value in across.ticks() {
        let at = across.place(value);
        svg.line((at, top), (at, bottom), if value == 0.0 { "axis" } else { "grid" });
        let anchor = if at < 3.0 { Anchor::Start } else { Anchor::Middle };
        svg.text((at, bottom + 20.0), 0.0, anchor, "", &label(value));
    }
}

/// `a`, `a and b`, `a, b and c`.
fn listed(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}
