//! The windows of the long runs: what a shorter run would have said.

use super::decades;
use crate::experiment::{arms, windows as said};
use crate::html::markup::{Figure, escape, plain_table};
use crate::html::scale::LogScale;
use crate::html::svg::{Anchor, Panel, Svg};
use crate::numbers::length;
use analysis::{ArmSummary, RunSummary, Summary, WindowSpread};
use model::Nanos;

const TOP: f64 = 14.0;
const BOTTOM: f64 = 184.0;
const HEIGHT: f64 = 210.0;

/// A small plot for each of the long arms, all on one upward axis; nothing if
/// no run has windows.
pub(in crate::html) fn windows(summary: &Summary) -> Option<Figure> {
    let part = said::part(summary)?;
    let shown = said::shown(summary);
    let spreads = shown.iter().flat_map(|(_, spread)| [spread.any, spread.whole]);
    let scale = LogScale::over(spreads.flat_map(|(least, most)| [least, most]), TOP, BOTTOM);
    let plots: String = shown.iter().map(|(arm, spread)| plot(arm, *spread, &scale)).collect();
    Some(Figure {
        drawing: format!("{LEGEND}<div class=\"multiples\">\n{plots}</div>\n"),
        caption: caption(&shown)?,
        note: "p99 of the requests due in each twelfth of the counted part. The upward axis is logarithmic and starts \
               above zero. Where some arms ran longer than others, those are drawn; the table has all."
            .into(),
        table: part.table.as_ref().map(plain_table).unwrap_or_default(),
    })
}

const LEGEND: &str = "<ul class=\"legend\"><li><svg><line class=\"thread\" x1=\"0\" y1=\"6\" x2=\"30\" \
    y2=\"6\"/></svg>one round, window by window</li><li><svg><use href=\"#dot\" class=\"spot\" x=\"15\" y=\"6\"/></svg>its \
    first window</li><li><svg><rect class=\"shade\" x=\"0\" y=\"0\" width=\"30\" height=\"12\"/></svg>the whole runs, \
    least to largest</li></ul>\n";

fn plot(arm: &ArmSummary, spread: WindowSpread, scale: &LogScale) -> String {
    let mut svg = Svg::new(HEIGHT);
    let (least, most) = spread.whole;
    let top = scale.place(most);
    svg.rect((0.0, top), (100.0, (scale.place(least) - top).max(2.0)), "shade", Some("the whole runs"));
    decades(&mut svg, scale);
    svg.line((0.0, BOTTOM), (100.0, BOTTOM), "axis");
    for run in arms::Row::of(arm).runs.iter().filter(|run| !run.windows.is_empty()) {
        svg.panel(thread(run, scale), "thread");
        if let Some(first) = run.windows[0].p99 {
            let across = 50.0 / run.windows.len() as f64;
            let title = format!("round {}, first window: {}", run.facts.round, first.value);
            svg.shape("dot", (across, scale.place(first.value)), "spot", &title);
        }
    }
    let measure = arm.runs.iter().map(|run| run.facts.measure).max().unwrap_or(Nanos::ZERO);
    svg.text((0.0, BOTTOM + 20.0), 0.0, Anchor::Start, "", "0");
    svg.text((100.0, BOTTOM + 20.0), 0.0, Anchor::End, "", &length(measure));
    let drawing = svg.finish(&format!("Windows of {}", arm.name));
    format!("<div class=\"strip\"><h3>{}</h3>\n{drawing}</div>\n", escape(&arm.name))
}

/// One round's windows, each at its middle; a window without requests is a gap.
fn thread(run: &RunSummary, scale: &LogScale) -> Panel {
    let mut panel = Panel::new(0.0, 100.0);
    let mut pen_is_down = false;
    for (number, window) in run.windows.iter().enumerate() {
        let across = (number as f64 + 0.5) / run.windows.len() as f64;
        match window.p99.map(|p99| scale.place(p99.value)) {
            Some(down) if pen_is_down => panel.line_to(across, down),
            Some(down) => panel.move_to(across, down),
            None => {}
        }
        pen_is_down = window.p99.is_some();
    }
    panel
}

/// The arm whose first windows lie furthest apart.
fn caption(shown: &[(&ArmSummary, WindowSpread)]) -> Option<String> {
    let apart = |spread: &WindowSpread| spread.first.1.0 as f64 / spread.first.0.0.max(1) as f64;
    let (arm, spread) = shown.iter().max_by(|a, b| apart(&a.1).total_cmp(&apart(&b.1)))?;
    Some(said::says(arm, *spread))
}
