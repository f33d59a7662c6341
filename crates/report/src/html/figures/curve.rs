//! One run's percentiles: what users wait against what the service took.

use super::{decades, drawable};
use crate::html::markup::{Cell, Figure, table};
use crate::html::scale::LogScale;
use crate::html::svg::{Anchor, Panel, Svg};
use crate::numbers::{count, point, share};
use analysis::{Distribution, Point, RunSummary};
use model::Nanos;

const TOP: f64 = 14.0;
const BOTTOM: f64 = 284.0;
const HEIGHT: f64 = 310.0;

/// Percentiles that get a label, with their quantiles.
const TICKS: [(f64, &str); 5] =
    [(0.5, "p50"), (0.9, "p90"), (0.99, "p99"), (0.999, "p99.9"), (0.9999, "p99.99")];

/// The curve of one run; nothing if it may not be drawn.
pub(in crate::html) fn curve(run: &RunSummary) -> Option<Figure> {
    let run = drawable(run).filter(|run| !run.curve.is_empty())?;
    let service = markers(&run.service_time);
    let rings = service.iter().map(|(_, point)| point.value);
    let largest = run.response_time.max.map(|point| point.value);
    let times = run.curve.iter().map(|(_, time)| *time).chain(rings).chain(largest);
    let scale = LogScale::over(times, TOP, BOTTOM);
    let nines = Nines { most: furthest(run) };
    Some(Figure {
        drawing: format!("{LEGEND}{}", picture(run, &service, &scale, &nines)),
        caption: caption(run),
        note: "Each step to the right is ten times as rare. The upward axis is logarithmic and starts above zero. \
               The rings are the percentiles known of the service time."
            .into(),
        table: figures(run),
    })
}

const LEGEND: &str = "<ul class=\"legend\"><li><svg><line class=\"curve\" x1=\"0\" y1=\"6\" x2=\"30\" y2=\"6\"/></svg>\
    response time, scheduled → done</li><li><svg>\
    <use href=\"#ring\" class=\"ring\" x=\"15\" y=\"6\"/></svg>service time, sent → done</li></ul>\n";

/// An axis that counts nines: equal steps for p90, p99, p99.9.
struct Nines {
    most: f64,
}

impl Nines {
    /// Share of the width.
    fn place(&self, quantile: f64) -> f64 {
        (-(1.0 - quantile).max(1e-12).log10() / self.most).clamp(0.0, 1.0)
    }
}

/// How many nines the run has requests for: log10 of their number, at least to p99.
fn furthest(run: &RunSummary) -> f64 {
    (run.response_time.n.max(1) as f64).log10().max(2.0)
}

/// The percentiles that are known of a distribution, its largest as the
/// quantile that no more than one request exceeds.
fn markers(times: &Distribution) -> Vec<(f64, Point)> {
    let largest = 1.0 - 1.0 / times.n.max(1) as f64;
    let known = [
        (0.5, times.p50),
        (0.9, times.p90),
        (0.95, times.p95),
        (0.99, times.p99),
        (0.999, times.p999),
        (1.0, times.max),
    ];
    let placed = |(quantile, point): (f64, Option<Point>)| Some((quantile.min(largest), point?));
    known.into_iter().filter_map(placed).collect()
}

fn picture(run: &RunSummary, service: &[(f64, Point)], scale: &LogScale, nines: &Nines) -> String {
    let mut svg = Svg::new(HEIGHT);
    decades(&mut svg, scale);
    for (quantile, label) in TICKS.into_iter().filter(|(quantile, _)| nines.place(*quantile) < 1.0) {
        let across = nines.place(quantile) * 100.0;
        svg.line((across, TOP), (across, BOTTOM), "grid");
        svg.text((across, BOTTOM + 20.0), 0.0, Anchor::Middle, "", label);
    }
    svg.line((0.0, BOTTOM), (100.0, BOTTOM), "axis");
    let response = run.curve.iter().map(|(quantile, time)| (*quantile, *time));
    let largest = run.response_time.max.map(|point| (1.0, point.value));
    svg.panel(line(response.chain(largest), scale, nines), "curve");
    for (quantile, point) in service {
        let at = (nines.place(*quantile) * 100.0, scale.place(point.value));
        let title = format!("service time {} at {}", point.value, share(*quantile));
        svg.shape("ring", at, "ring", &title);
    }
    svg.finish("Response time and service time by percentile")
}

fn line(points: impl Iterator<Item = (f64, Nanos)>, scale: &LogScale, nines: &Nines) -> Panel {
    let mut panel = Panel::new(0.0, 100.0);
    for (number, (quantile, time)) in points.enumerate() {
        let (across, down) = (nines.place(quantile), scale.place(time));
        if number == 0 { panel.move_to(across, down) } else { panel.line_to(across, down) }
    }
    panel
}

fn caption(run: &RunSummary) -> String {
    let (Some(response), Some(service)) = (run.response_time.p99, run.service_time.p99) else {
        return "No p99 is known of both clocks.".into();
    };
    let between = response.value.saturating_sub(service.value);
    let both = format!(
        "At the 99th percentile users wait {} and the service takes {}",
        point(Some(response)),
        point(Some(service))
    );
    if response.at_least || service.at_least {
        return format!("{both}: failed and cut-off requests reach down to it, so both may be longer.");
    }
    // A twentieth is about what three digits and the interval let an eye see.
    match between.0 * 20 > response.value.0 {
        true => format!("{both}: the difference is time before sending, at the tester."),
        false => format!("{both}: hardly any of the wait was before sending, at the tester."),
    }
}

fn figures(run: &RunSummary) -> String {
    let rows: Vec<Vec<Cell>> = run
        .curve
        .iter()
        .map(|(quantile, time)| {
            let slower = (1.0 - quantile) * run.response_time.n as f64;
            vec![
                Cell::Number(format!("{:.3} %", quantile * 100.0)),
                Cell::Number(time.to_string()),
                Cell::Number(count(slower.max(0.0).floor() as u64)),
            ]
        })
        .collect();
    table(&["share of requests", "response time up to", "slower ones"], &rows)
}
