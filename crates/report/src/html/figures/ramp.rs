//! What users wait at each rate of a ramp, and where the service stops following.

use super::{decades, upright};
use crate::experiment::shapes::ramp::says;
use crate::experiment::shapes::{Shaped, stages};
use crate::html::markup::{Cell, Figure, table};
use crate::html::scale::{LinearScale, LogScale};
use crate::html::svg::{Anchor, Panel, Svg};
use crate::numbers::{UNKNOWN, chosen, chosen_rate, length, per_second, point};
use analysis::{Point, RampRate};
use model::{Nanos, Number, StageUnit};

const TOP: f64 = 34.0;
const BOTTOM: f64 = 304.0;
const HEIGHT: f64 = 348.0;

/// p50 and p99 of each step; nothing of fewer than two steps.
pub(in crate::html) fn ramp(of: &Shaped<'_>) -> Option<Figure> {
    let rows = stages::rows(of, usize::MAX);
    let steps: Vec<Step> = rows.iter().filter_map(Step::of).collect();
    if steps.len() < 2 {
        return None;
    }
    let times = steps.iter().flat_map(|step| step.p50s.iter().chain(&step.p99s)).map(|point| point.value);
    let bounds: Vec<(Number, Nanos)> = bounds(of);
    let scale = LogScale::over(times.chain(shown_bounds(&steps, &bounds)), TOP, BOTTOM);
    let across = LinearScale::over(steps.iter().map(|step| step.load * 1.04), 100.0, 0.0);
    let lower = steps.iter().flat_map(|step| &step.p99s).any(|point| point.at_least);
    let words = if lower {
        " A cross: failed or cut-off requests reach down to it, and it may be higher."
    } else {
        ""
    };
    Some(Figure {
        drawing: format!("{}{}", legend(of), picture(of, &steps, &bounds, &scale, &across)),
        caption: says(of).into_iter().take(2).collect::<Vec<_>>().join(" "),
        note: format!(
            "{} from left to right, linear from 0; the upward axis is logarithmic and starts above zero. Each round \
             has its own marks, the lines go through the middle ones.{words}",
            if planned_is_rate(of) { "The rate asked for" } else { "Users" }
        ),
        table: figures(of, &rows),
    })
}

/// One step with the percentiles of every round.
struct Step {
    /// Arrivals a second, or users where those are not planned.
    load: f64,
    p50s: Vec<Point>,
    p99s: Vec<Point>,
    p50: Option<Point>,
    p99: Option<Point>,
}

impl Step {
    fn of(row: &stages::Row<'_>) -> Option<Step> {
        let (from, to) = row.planned().or(row.users())?;
        Some(Step {
            load: f64::midpoint(from, to),
            p50s: row.p50s(),
            p99s: row.p99s(),
            p50: row.p50(),
            p99: row.p99(),
        })
    }
}

fn planned_is_rate(of: &Shaped<'_>) -> bool {
    of.shape.unit == StageUnit::PerSecond || of.shape.pace.is_some()
}

fn bounds(of: &Shaped<'_>) -> Vec<(Number, Nanos)> {
    let drawn = |number: &Number| matches!(number, Number::P50 | Number::P99);
    let all = of.ramp.iter().flat_map(|ramp| &ramp.bounds);
    all.map(|(bound, _)| (bound.number, bound.at_most)).filter(|(number, _)| drawn(number)).collect()
}

/// Bounds not so far off that the steps would be pressed flat.
fn shown_bounds(steps: &[Step], bounds: &[(Number, Nanos)]) -> Vec<Nanos> {
    let most = steps.iter().flat_map(|step| &step.p99s).map(|point| point.value.0).max().unwrap_or(0);
    bounds.iter().map(|(_, at_most)| *at_most).filter(|at_most| at_most.0 / 5 <= most).collect()
}

fn legend(of: &Shaped<'_>) -> String {
    let band = match of.ramp.map(|ramp| &ramp.saturation) {
        Some(RampRate::Is(_)) => {
            "<li><svg><rect class=\"shade\" x=\"0\" y=\"0\" width=\"30\" height=\"12\"/></svg>where it is saturated, \
             with its interval</li>"
        }
        _ => "",
    };
    let bound = match bounds(of).is_empty() {
        true => "",
        false => "<li><svg><line class=\"rule\" x1=\"0\" y1=\"6\" x2=\"30\" y2=\"6\"/></svg>a bound</li>",
    };
    format!(
        "<ul class=\"legend\"><li><svg><line class=\"curve\" x1=\"0\" y1=\"6\" x2=\"30\" y2=\"6\"/>\
         <use href=\"#dot\" class=\"spot\" x=\"15\" y=\"6\"/></svg>p99</li>\
         <li><svg><line class=\"thread\" x1=\"0\" y1=\"6\" x2=\"30\" y2=\"6\"/>\
         <use href=\"#ring\" class=\"ring\" x=\"15\" y=\"6\"/></svg>p50</li>{bound}{band}</ul>\n"
    )
}

fn picture(
    of: &Shaped<'_>,
    steps: &[Step],
    bounds: &[(Number, Nanos)],
    scale: &LogScale,
    across: &LinearScale,
) -> String {
    let mut svg = Svg::new(HEIGHT);
    saturation(&mut svg, of, across);
    decades(&mut svg, scale);
    let label = |load: f64| if planned_is_rate(of) { chosen_rate(load) } else { chosen(load) };
    upright(&mut svg, across, (TOP, BOTTOM), label);
    svg.line((0.0, BOTTOM), (100.0, BOTTOM), "axis");
    let shown = shown_bounds(steps, bounds);
    for (number, at_most) in bounds.iter().filter(|(_, at_most)| shown.contains(at_most)) {
        let down = scale.place(*at_most);
        svg.line((0.0, down), (100.0, down), "rule");
        let text = format!("{} ≤ {}", number.name(), length(*at_most));
        svg.text((0.0, down - 7.0), 4.0, Anchor::Start, "strong", &text);
    }
    svg.panel(line(steps, |step| step.p50, scale, across), "thread");
    svg.panel(line(steps, |step| step.p99, scale, across), "curve");
    for step in steps {
        let at = across.place(step.load);
        let place = label(step.load);
        for (name, points, shape, class) in
            [("p50", &step.p50s, "ring", "ring"), ("p99", &step.p99s, "dot", "spot")]
        {
            for one in points {
                let (shape, class) = if one.at_least { ("cross", "cross") } else { (shape, class) };
                let title = format!("{name} {} at {place}", point(Some(*one)));
                svg.shape(shape, (at, scale.place(one.value)), class, &title);
            }
        }
    }
    svg.finish("Response times at each step of the ramp")
}

/// A band from the interval's lower to its upper end, and its name above it.
fn saturation(svg: &mut Svg, of: &Shaped<'_>, across: &LinearScale) {
    let Some(RampRate::Is(rate)) = of.ramp.map(|ramp| &ramp.saturation) else { return };
    let (left, right) = (across.place(rate.low), across.place(rate.high));
    svg.rect((left, TOP), ((right - left).max(0.4), BOTTOM - TOP), "shade", Some("saturated"));
    let at = across.place(rate.value);
    let anchor = if at > 70.0 { Anchor::End } else { Anchor::Start };
    let text = format!("saturated {}", crate::numbers::estimated_rate(rate).value);
    svg.text((if at > 70.0 { right } else { left }, TOP - 12.0), 0.0, anchor, "head", &text);
}

/// Through the middle rounds; a step without a value is a gap.
fn line(
    steps: &[Step],
    of: impl Fn(&Step) -> Option<Point>,
    scale: &LogScale,
    across: &LinearScale,
) -> Panel {
    let mut panel = Panel::new(0.0, 100.0);
    let mut pen_is_down = false;
    for step in steps {
        let at = across.place(step.load) / 100.0;
        match of(step).map(|point| scale.place(point.value)) {
            Some(down) if pen_is_down => panel.line_to(at, down),
            Some(down) => panel.move_to(at, down),
            None => {}
        }
        pen_is_down = of(step).is_some();
    }
    panel
}

/// Every step of every round.
fn figures(of: &Shaped<'_>, rows: &[stages::Row<'_>]) -> String {
    let one = |run: &analysis::RunSummary| {
        rows.iter()
            .zip(&run.stages)
            .map(|(row, stage)| {
                vec![
                    Cell::Number(run.facts.round.to_string()),
                    Cell::Number(row.number()),
                    Cell::Number(row.planned_text(of)),
                    Cell::Number(per_second(stage.rate_per_s)),
                    Cell::Number(point(stage.response_time.p50)),
                    Cell::Number(point(stage.response_time.p99)),
                    Cell::Number(crate::numbers::count(stage.scheduled)),
                    Cell::Text(row_verdict(stage).into()),
                ]
            })
            .collect::<Vec<_>>()
    };
    let rows: Vec<Vec<Cell>> = of.runs.iter().flat_map(|run| one(run)).collect();
    table(&["round", "step", "planned", "done", "p50", "p99", "due", "kept up"], &rows)
}

fn row_verdict(stage: &analysis::StageFigures) -> &'static str {
    match stage.kept_up.kept_up {
        Some(true) => "yes",
        Some(false) => "no",
        None => UNKNOWN,
    }
}
