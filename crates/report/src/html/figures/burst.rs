//! What a burst does: what each request waited, and the backlog, on one axis of time.

use super::{decades, zero_and_top};
use crate::experiment::shapes::{Shaped, burst as said};
use crate::html::markup::{Cell, Figure, table};
use crate::html::scale::{LinearScale, LogScale};
use crate::html::svg::{Anchor, Panel, Svg};
use crate::numbers::{count, length};
use analysis::{BurstFigures, Dot, Recovery, RunSummary};
use model::{Nanos, Span};

const TOP: f64 = 28.0;
const BOTTOM: f64 = 184.0;
const HEIGHT: f64 = 210.0;

/// Both strips of the first usable run that has a burst; nothing without a
/// backlog to draw.
pub(in crate::html) fn burst(of: &Shaped<'_>) -> Option<Figure> {
    let run = of.runs.iter().find(|run| !run.bursts.is_empty())?;
    let backlog = backlog(run);
    let (first, last) = (run.bursts.first()?, run.bursts.last()?);
    let time = Time(Span { began: first.before.span.began, ended: last.after.span.ended });
    if backlog.is_empty() {
        return None;
    }
    let which =
        if of.runs.len() > 1 { format!(" Round {} is drawn.", run.facts.round) } else { String::new() };
    let strips = [waits(run, &time), Some(backlog_strip(run, &backlog, &time))];
    Some(Figure {
        drawing: LEGEND.to_owned() + &strips.into_iter().flatten().collect::<String>(),
        caption: said::one_run(run),
        note: format!(
            "Above, each request by when it was due, on a logarithmic axis that starts above zero; below, requests due \
             and not answered, linear from 0, of each stretch of time its least and its largest.{which}"
        ),
        table: figures(&backlog),
    })
}

const LEGEND: &str = "<ul class=\"legend\"><li><svg><rect class=\"shade\" x=\"0\" y=\"0\" width=\"30\" height=\"12\"/></svg>the \
    burst</li><li><svg><line class=\"rule\" x1=\"15\" y1=\"0\" x2=\"15\" y2=\"12\"/></svg>recovered</li>\
    <li><svg><line class=\"fit\" x1=\"0\" y1=\"6\" x2=\"30\" y2=\"6\"/></svg>the usual backlog before it</li></ul>\n";

/// From the beginning of the time before to the end of the time after.
struct Time(Span);

impl Time {
    /// Share of the width.
    fn place(&self, at: Nanos) -> f64 {
        let since = at.saturating_sub(self.0.began).0 as f64;
        (since / self.0.length().0.max(1) as f64).clamp(0.0, 1.0)
    }
}

/// The backlog of all bursts, one after the other.
fn backlog(run: &RunSummary) -> Vec<(Nanos, u64)> {
    let mut until = Nanos::ZERO;
    let of = |burst: &BurstFigures| {
        let new: Vec<_> = burst.backlog.iter().filter(|(at, _)| *at >= until).copied().collect();
        until = burst.after.span.ended;
        new
    };
    run.bursts.iter().flat_map(of).collect()
}

fn background(svg: &mut Svg, run: &RunSummary, time: &Time) {
    for burst in &run.bursts {
        let Span { began, ended } = burst.during.span;
        let (left, right) = (time.place(began) * 100.0, time.place(ended) * 100.0);
        svg.rect((left, TOP), (right - left, BOTTOM - TOP), "shade", Some("the burst"));
    }
}

/// When each burst was over, or that it was not; `named` once in both strips.
fn recovered(svg: &mut Svg, run: &RunSummary, time: &Time, named: bool) {
    for burst in &run.bursts {
        let ended = burst.during.span.ended;
        match burst.recovery {
            Recovery::Took(took) => {
                let at = time.place(ended.saturating_add(took)) * 100.0;
                svg.line((at, TOP), (at, BOTTOM), "rule");
                if named {
                    let anchor = if at > 50.0 { Anchor::End } else { Anchor::Start };
                    svg.text((at, TOP - 9.0), 0.0, anchor, "strong", &format!("after {took}"));
                }
            }
            Recovery::NotWithin(within) if named => {
                let text = format!("not within {}", length(within));
                svg.text(
                    (time.place(burst.after.span.ended) * 100.0, TOP - 9.0),
                    0.0,
                    Anchor::End,
                    "strong",
                    &text,
                );
            }
            Recovery::NotWithin(_) | Recovery::CannotSay => {}
        }
    }
}

fn ends(svg: &mut Svg, time: &Time) {
    let from = if time.0.began == Nanos::ZERO { "0".into() } else { length(time.0.began) };
    svg.text((0.0, BOTTOM + 20.0), 0.0, Anchor::Start, "", &from);
    svg.text((100.0, BOTTOM + 20.0), 0.0, Anchor::End, "", &length(time.0.ended));
}

/// Each drawn request's wait; nothing if none is drawn.
fn waits(run: &RunSummary, time: &Time) -> Option<String> {
    let dots: Vec<&Dot> = run.dots.iter().filter(|dot| time.0.contains(dot.at)).collect();
    if dots.is_empty() {
        return None;
    }
    let scale = LogScale::over(dots.iter().map(|dot| dot.response), TOP, BOTTOM);
    let mut svg = Svg::new(HEIGHT);
    background(&mut svg, run, time);
    decades(&mut svg, &scale);
    svg.line((0.0, BOTTOM), (100.0, BOTTOM), "axis");
    let mut panel = Panel::new(0.0, 100.0);
    for dot in dots.iter().filter(|dot| dot.ok) {
        panel.dot(time.place(dot.at), scale.place(dot.response));
    }
    svg.panel(panel, "dots");
    for dot in dots.iter().filter(|dot| !dot.ok) {
        let at = (time.place(dot.at) * 100.0, scale.place(dot.response));
        svg.shape("cross", at, "cross", &format!("failed or cut off after {}", dot.response));
    }
    recovered(&mut svg, run, time, true);
    ends(&mut svg, time);
    Some(strip("Response time", &svg.finish("Response times before, during and after the burst")))
}

fn backlog_strip(run: &RunSummary, backlog: &[(Nanos, u64)], time: &Time) -> String {
    let most = backlog.iter().map(|(_, out)| *out).max().unwrap_or(0);
    let scale = LinearScale::over([most as f64].into_iter(), TOP, BOTTOM);
    let mut svg = Svg::new(HEIGHT);
    background(&mut svg, run, time);
    zero_and_top(&mut svg, &scale, &count(most));
    let mut panel = Panel::new(0.0, 100.0);
    for (number, (at, out)) in backlog.iter().enumerate() {
        let (across, down) = (time.place(*at), scale.place(*out as f64));
        if number == 0 { panel.move_to(across, down) } else { panel.line_to(across, down) }
    }
    svg.panel(panel, "curve");
    for burst in &run.bursts {
        let down = scale.place(burst.usual_backlog as f64);
        let span = (burst.before.span.began, burst.after.span.ended);
        svg.line((time.place(span.0) * 100.0, down), (time.place(span.1) * 100.0, down), "fit");
    }
    recovered(&mut svg, run, time, false);
    ends(&mut svg, time);
    strip("Backlog", &svg.finish("Requests due and not answered, over time"))
}

fn strip(title: &str, drawing: &str) -> String {
    format!("<div class=\"strip\"><h3>{title}</h3>\n{drawing}</div>\n")
}

fn figures(backlog: &[(Nanos, u64)]) -> String {
    let row = |(at, out): &(Nanos, u64)| {
        vec![Cell::Number(format!("{:.3} s", at.as_secs_f64())), Cell::Number(count(*out))]
    };
    table(&["at", "due and not answered"], &backlog.iter().map(row).collect::<Vec<_>>())
}
