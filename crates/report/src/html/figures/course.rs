//! Work sent and work done, counted from the start, in one picture: the vertical
//! gap is the queue, the horizontal gap the wait. Below it, each reading's course.

use super::zero_and_top;
use crate::experiment::readings;
use crate::experiment::work::Followed;
use crate::html::markup::{Cell, Figure, escape, table};
use crate::html::scale::LinearScale;
use crate::html::svg::{Anchor, Panel, Svg};
use crate::numbers::{count, lasting};
use analysis::{CoursePoint, ReadingFigures, RunSummary};
use model::Nanos;

const TOP: f64 = 28.0;
const BOTTOM: f64 = 244.0;
const HEIGHT: f64 = 270.0;
/// Of the small strips of readings.
const STRIP_BOTTOM: f64 = 114.0;
const STRIP_HEIGHT: f64 = 140.0;
/// Readings that are drawn; more would make a wall of strips.
const MOST_STRIPS: usize = 8;

/// Sent and done of one run; nothing where no work was accepted.
pub(in crate::html) fn course(of: &Followed<'_>, is_one_of_several: bool) -> Option<Figure> {
    let course = &of.figures.course;
    let last = course.last()?;
    let until = last.at.max(Nanos(1));
    let sent_until = of.run.duration.min(until);
    let scale = LinearScale::over([last.submitted.max(1) as f64].into_iter(), TOP, BOTTOM);
    let mut svg = Svg::new(HEIGHT);
    let across = |at: Nanos| at.0 as f64 / until.0 as f64;
    svg.rect(
        (0.0, TOP),
        (across(sent_until) * 100.0, BOTTOM - TOP),
        "shade",
        Some("while requests were sent"),
    );
    zero_and_top(&mut svg, &scale, &count(last.submitted));
    line(&mut svg, course, &across, &scale, |point| point.submitted, "curve");
    line(&mut svg, course, &across, &scale, |point| point.ended, "curve done");
    gap(&mut svg, of, &across, &scale);
    ends(&mut svg, until, BOTTOM);
    let drawing = svg.finish("Work sent and work done, counted from the start");
    let which = if is_one_of_several {
        format!(" {}, round {} is drawn.", of.arm, of.run.facts.round)
    } else {
        String::new()
    };
    Some(Figure {
        drawing: format!("{LEGEND}<div class=\"strip\">{drawing}</div>\n{}", strips(of.run, until)),
        caption: format!(
            "{} was the most that waited at once, {} after the start.",
            count(of.figures.peak),
            lasting(of.figures.peak_at)
        ),
        note: format!(
            "Counted from the start, linear from 0. The vertical gap between the lines is the queue, the horizontal gap \
             how long it takes from submit to result.{which}"
        ),
        table: figures(course),
    })
}

const LEGEND: &str = "<ul class=\"legend\"><li><svg><line class=\"curve\" x1=\"0\" y1=\"6\" x2=\"30\" y2=\"6\"/></svg>sent and \
    accepted</li><li><svg><line class=\"curve done\" x1=\"0\" y1=\"6\" x2=\"30\" y2=\"6\"/></svg>done or given up</li>\
    <li><svg><rect class=\"shade\" x=\"0\" y=\"0\" width=\"30\" height=\"12\"/></svg>while requests were sent</li></ul>\n";

fn line(
    svg: &mut Svg,
    course: &[CoursePoint],
    across: &dyn Fn(Nanos) -> f64,
    scale: &LinearScale,
    value: impl Fn(&CoursePoint) -> u64,
    class: &str,
) {
    let mut panel = Panel::new(0.0, 100.0);
    for (number, point) in course.iter().enumerate() {
        let (at, down) = (across(point.at), scale.place(value(point) as f64));
        if number == 0 { panel.move_to(at, down) } else { panel.line_to(at, down) }
    }
    svg.panel(panel, class);
}

/// The queue where it is longest.
fn gap(svg: &mut Svg, of: &Followed<'_>, across: &dyn Fn(Nanos) -> f64, scale: &LinearScale) {
    let near = |point: &&CoursePoint| point.submitted.saturating_sub(point.ended);
    let Some(widest) = of.figures.course.iter().max_by_key(near) else { return };
    if widest.submitted <= widest.ended {
        return;
    }
    let at = across(widest.at) * 100.0;
    let (from, to) = (scale.place(widest.submitted as f64), scale.place(widest.ended as f64));
    svg.line((at, from), (at, to), "rule");
    let anchor = if at > 60.0 { Anchor::End } else { Anchor::Start };
    let nudge = if at > 60.0 { -6.0 } else { 6.0 };
    svg.text(
        (at, f64::midpoint(from, to)),
        nudge,
        anchor,
        "strong",
        &format!("{} waiting", count(of.figures.peak)),
    );
}

fn ends(svg: &mut Svg, until: Nanos, bottom: f64) {
    svg.text((0.0, bottom + 20.0), 0.0, Anchor::Start, "", "0");
    svg.text((100.0, bottom + 20.0), 0.0, Anchor::End, "", &lasting(until));
}

/// The courses of what was read in the run, on one axis of time.
pub(in crate::html) fn strips(run: &RunSummary, until: Nanos) -> String {
    run.readings.iter().take(MOST_STRIPS).map(|one| strip(one, until)).collect()
}

/// The readings of a run by themselves, where no work was followed.
pub(in crate::html) fn readings_alone(run: &RunSummary) -> Option<String> {
    let until = run.readings.iter().filter_map(|one| one.course.last()).map(|point| point.at).max()?;
    Some(strips(run, until.max(run.duration)))
}

fn strip(one: &ReadingFigures, until: Nanos) -> String {
    let shown = |value: f64| readings::value(value, one.unit);
    let limit = one.limit.filter(|limit| *limit <= one.most * 4.0);
    let values =
        one.course.iter().map(|point| point.most).chain(limit).chain([one.most.max(f64::MIN_POSITIVE)]);
    let scale = LinearScale::over(values, TOP, STRIP_BOTTOM);
    let across = |at: Nanos| (at.0 as f64 / until.0.max(1) as f64).min(1.0);
    let mut svg = Svg::new(STRIP_HEIGHT);
    zero_and_top(&mut svg, &scale, &shown(one.most));
    if let Some(limit) = limit {
        let down = scale.place(limit);
        svg.line((0.0, down), (100.0, down), "rule");
        svg.text((0.0, down + 17.0), 4.0, Anchor::Start, "strong", &format!("limit {}", shown(limit)));
    }
    let mut panel = Panel::new(0.0, 100.0);
    for (number, point) in one.course.iter().enumerate() {
        let at = across(point.at);
        let down = scale.place(point.most.max(0.0));
        if number == 0 {
            panel.move_to(at, down);
        } else {
            panel.line_to(at, down);
        }
        if point.least < point.most {
            panel.line_to(at, scale.place(point.least.max(0.0)));
        }
    }
    svg.panel(panel, "curve");
    ends(&mut svg, until, STRIP_BOTTOM);
    let name = readings::name(one);
    let drawing = svg.finish(&format!("{name} over time"));
    format!("<div class=\"strip\"><h3>{}</h3>\n{drawing}</div>\n", escape(&name))
}

fn figures(course: &[CoursePoint]) -> String {
    let row = |point: &CoursePoint| {
        vec![
            Cell::Number(format!("{:.1} s", point.at.as_secs_f64())),
            Cell::Number(count(point.submitted)),
            Cell::Number(count(point.ended)),
            Cell::Number(count(point.submitted.saturating_sub(point.ended))),
        ]
    };
    let rows: Vec<_> = course.iter().step_by(4).chain(course.last()).map(row).collect();
    table(&["at", "sent and accepted", "done or given up", "waiting"], &rows)
}
