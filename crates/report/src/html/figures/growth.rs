//! What was watched under one level: its windows and the line fitted to them.

use crate::experiment::shapes::Shaped;
use crate::experiment::shapes::growth::{chosen_amount, says};
use crate::html::markup::{Cell, Figure, escape, table};
use crate::html::scale::LinearScale;
use crate::html::svg::{Anchor, Panel, Svg};
use crate::numbers::{UNKNOWN, amount, lasting, middle};
use analysis::{Grows, Growth, RunSummary};

const TOP: f64 = 14.0;
const BOTTOM: f64 = 134.0;
const HEIGHT: f64 = 160.0;
/// An axis spans at least this share of the level, so that noise is not drawn
/// as growth.
const LEAST_SPAN: f64 = 0.2;
/// A limit so many times as high as all values would press them flat.
const FAR: f64 = 4.0;

/// A small plot for each thing that was watched in the first usable run.
pub(in crate::html) fn growth(of: &Shaped<'_>) -> Option<Figure> {
    let run = of.runs.iter().find(|run| run.growth.iter().any(is_drawable))?;
    let plots: String = run.growth.iter().filter(|one| is_drawable(one)).map(|one| plot(run, one)).collect();
    let which =
        if of.runs.len() > 1 { format!(" Round {} is drawn.", run.facts.round) } else { String::new() };
    Some(Figure {
        drawing: format!("{LEGEND}<div class=\"multiples\">\n{plots}</div>\n"),
        caption: says(of).into_iter().next()?,
        note: format!(
            "A dot a window: the median of response times, the least of a reading; no dot, nothing known. Each axis is \
             its own, is linear, and need not start at zero: its ends are written beside it.{which}"
        ),
        table: figures(run),
    })
}

const LEGEND: &str = "<ul class=\"legend\"><li><svg><use href=\"#dot\" class=\"spot\" x=\"15\" y=\"6\"/></svg>a window</li>\
    <li><svg><line class=\"curve\" x1=\"0\" y1=\"10\" x2=\"30\" y2=\"2\"/></svg>it grows or falls: the line fitted to it</li>\
    <li><svg><line class=\"fit\" x1=\"0\" y1=\"8\" x2=\"30\" y2=\"4\"/></svg>the line fitted, not told from level</li>\
    <li><svg><line class=\"rule\" x1=\"0\" y1=\"6\" x2=\"30\" y2=\"6\"/></svg>its limit</li></ul>\n";

fn is_drawable(growth: &Growth) -> bool {
    growth.windows.iter().flatten().any(|value| value.is_finite())
}

/// The values in order, each at the middle of its window as a share of the run.
fn points(growth: &Growth) -> Vec<(f64, f64)> {
    let windows = growth.windows.len() as f64;
    let at = |(number, value): (usize, &Option<f64>)| Some(((number as f64 + 0.5) / windows, (*value)?));
    growth.windows.iter().enumerate().filter_map(at).collect()
}

/// The fitted line's values at both ends: through the middle of what is left
/// once the slope is taken out.
fn line(growth: &Growth) -> Option<(f64, f64)> {
    let over_run = growth.slope? * growth.window.as_secs_f64() * growth.windows.len() as f64;
    let level = middle(points(growth).into_iter().map(|(at, value)| value - over_run * at))?;
    Some((level, level + over_run))
}

fn plot(run: &RunSummary, growth: &Growth) -> String {
    let points = points(growth);
    let values = || points.iter().map(|(_, value)| *value);
    let most = values().fold(f64::NEG_INFINITY, f64::max);
    let limit = growth.limit.filter(|limit| *limit <= most.abs() * FAR);
    let scale = axis(values().chain(limit));
    let mut svg = Svg::new(HEIGHT);
    for (value, class) in [(scale.most, "grid"), (scale.least, "axis")] {
        let down = scale.place(value);
        svg.line((0.0, down), (100.0, down), class);
        svg.text((0.0, down + 5.0), -8.0, Anchor::End, "", &amount(value, &growth.unit));
    }
    if let Some(limit) = limit {
        let down = scale.place(limit);
        svg.line((0.0, down), (100.0, down), "rule");
        svg.text(
            (0.0, down + 17.0),
            4.0,
            Anchor::Start,
            "strong",
            &format!("limit {}", chosen_amount(limit, &growth.unit)),
        );
    }
    if let Some((from, to)) = line(growth) {
        let class = if matches!(growth.says, Grows::Yes | Grows::Falls) { "curve" } else { "fit" };
        let mut panel = Panel::new(0.0, 100.0);
        panel.move_to(0.0, scale.place(from));
        panel.line_to(1.0, scale.place(to));
        svg.panel(panel, class);
    }
    for (at, value) in &points {
        svg.shape("dot", (at * 100.0, scale.place(*value)), "spot", &amount(*value, &growth.unit));
    }
    svg.text((0.0, BOTTOM + 20.0), 0.0, Anchor::Start, "", "0");
    svg.text((100.0, BOTTOM + 20.0), 0.0, Anchor::End, "", &lasting(run.duration));
    let drawing = svg.finish(&format!("{} over the run: {}", growth.of, growth.says.name()));
    format!(
        "<div class=\"strip\"><h3>{} <span class=\"soft\">{}</span></h3>\n{drawing}</div>\n",
        escape(&growth.of),
        growth.says.name()
    )
}

/// Around all values, and no narrower than a share of their level.
fn axis(values: impl Iterator<Item = f64>) -> LinearScale {
    let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
    for value in values {
        (least, most) = (least.min(value), most.max(value));
    }
    let level = f64::midpoint(least, most);
    let missing = (LEAST_SPAN * level.abs() - (most - least)).max(0.0) / 2.0;
    let floor = if least >= 0.0 { 0.0 } else { f64::NEG_INFINITY };
    LinearScale::between((least - missing).max(floor), most + missing, TOP, BOTTOM)
}

fn figures(run: &RunSummary) -> String {
    let row = |growth: &Growth| {
        let value = |value: &Option<f64>| {
            Cell::Number(value.map_or(UNKNOWN.into(), |value| amount(value, &growth.unit)))
        };
        let empty = (growth.windows.len()..most(run)).map(|_| Cell::Number(UNKNOWN.into()));
        [Cell::Text(growth.of.clone())]
            .into_iter()
            .chain(growth.windows.iter().map(value))
            .chain(empty)
            .collect()
    };
    let heads: Vec<String> = (1..=most(run)).map(|number| number.to_string()).collect();
    let heads: Vec<&str> = ["window"].into_iter().chain(heads.iter().map(String::as_str)).collect();
    table(&heads, &run.growth.iter().map(row).collect::<Vec<_>>())
}

/// The number of windows of whatever has most.
fn most(run: &RunSummary) -> usize {
    run.growth.iter().map(|growth| growth.windows.len()).max().unwrap_or(0)
}
