//! Every tester's latencies: a strip of dots an arm, on one logarithmic axis.

use super::{decades, drawable, listed};
use crate::arms::{Pair, first_run};
use crate::html::markup::{Figure, escape};
use crate::html::scale::LogScale;
use crate::html::svg::{Anchor, Panel, Svg};
use crate::html::tables;
use crate::lesson::p99;
use crate::numbers::{count, length, times};
use analysis::{ArmSummary, RunSummary};
use model::Nanos;

/// Pixels: room for the heads, the strip, room for the time axis.
const TOP: f64 = 26.0;
const BOTTOM: f64 = 196.0;
const HEIGHT: f64 = 222.0;
/// Per cent of the width between two strips side by side.
const BETWEEN: f64 = 4.0;

/// One strip for each arm, the calm twin at its left. Nothing if no run may be drawn.
pub(in crate::html) fn latencies(pairs: &[Pair<'_>]) -> Option<Figure> {
    let runs: Vec<&RunSummary> =
        pairs.iter().flat_map(Pair::arms).filter_map(first_run).filter_map(drawable).collect();
    if runs.iter().all(|run| run.dots.is_empty()) {
        return None;
    }
    let shown = runs.iter().flat_map(|run| run.dots.iter().map(|dot| dot.response));
    let p99s = runs.iter().filter_map(|run| run.response_time.p99).map(|point| point.value);
    let scale = LogScale::over(shown.chain(p99s), TOP, BOTTOM);
    let strips: String = pairs.iter().map(|pair| strip(pair, &scale, pairs.len() > 1)).collect();
    let arms: Vec<&ArmSummary> = pairs.iter().flat_map(Pair::arms).collect();
    Some(Figure {
        drawing: format!("{}{strips}", legend(runs.iter().any(|run| run.dots.iter().any(|dot| !dot.ok)))),
        caption: caption(pairs),
        note: note(&runs, arms.iter().any(|arm| arm.runs.len() > 1)),
        table: tables::distributions(&arms),
    })
}

fn legend(failures: bool) -> String {
    let failed = "<li><svg><use href=\"#cross\" class=\"cross\" x=\"15\" y=\"6\"/></svg>failed or cut off: at least this long</li>";
    format!(
        "<ul class=\"legend\"><li><svg><path class=\"dots\" d=\"M4 6h0M15 3h0M26 8h0\"/></svg>one request, by when it was due</li>\
         <li><svg><line class=\"rule\" x1=\"0\" y1=\"6\" x2=\"30\" y2=\"6\"/></svg>p99 of all requests</li>{}</ul>\n",
        if failures { failed } else { "" }
    )
}

fn strip(pair: &Pair<'_>, scale: &LogScale, named: bool) -> String {
    let mut svg = Svg::new(HEIGHT);
    decades(&mut svg, scale);
    match (pair.calm, pair.stalled) {
        (Some(calm), Some(stalled)) => {
            let width = (100.0 - BETWEEN) / 2.0;
            cell(&mut svg, scale, calm, "calm", (0.0, width));
            cell(&mut svg, scale, stalled, "with stalls", (width + BETWEEN, width));
        }
        (Some(arm), None) | (None, Some(arm)) => cell(&mut svg, scale, arm, "", (0.0, 100.0)),
        (None, None) => {}
    }
    let name = if named { format!("<h3>{}</h3>\n", escape(&pair.label)) } else { String::new() };
    let drawing = svg.finish(&format!("Response times of the {}", pair.label));
    format!("<div class=\"strip\">{name}{drawing}</div>\n")
}

/// One arm's dots between `left` and `left + width` per cent.
fn cell(svg: &mut Svg, scale: &LogScale, arm: &ArmSummary, head: &str, (left, width): (f64, f64)) {
    svg.text((left, 14.0), 0.0, Anchor::Start, "head", head);
    svg.line((left, BOTTOM), (left + width, BOTTOM), "axis");
    let Some(run) = first_run(arm) else { return };
    let Some(run) = drawable(run) else {
        let middle = (left + width / 2.0, (TOP + BOTTOM) / 2.0);
        return svg.text(middle, 0.0, Anchor::Middle, "strong", "void: nothing to show");
    };
    let whole = run.duration.0.max(1) as f64;
    let across = |at: Nanos| (at.0 as f64 / whole).min(1.0);
    let mut panel = Panel::new(left, width);
    for dot in run.dots.iter().filter(|dot| dot.ok) {
        panel.dot(across(dot.at), scale.place(dot.response));
    }
    svg.panel(panel, "dots");
    for dot in run.dots.iter().filter(|dot| !dot.ok) {
        let at = (left + across(dot.at) * width, scale.place(dot.response));
        svg.shape("cross", at, "cross", &format!("failed or cut off after {}", dot.response));
    }
    for other in arm.runs.iter().filter_map(drawable) {
        if let Some(point) = other.response_time.p99 {
            let down = scale.place(point.value);
            svg.line((left, down), (left + width, down), "rule");
        }
    }
    label(svg, scale, arm, left + width);
    svg.text((left, BOTTOM + 20.0), 0.0, Anchor::Start, "", "0");
    svg.text((left + width, BOTTOM + 20.0), 0.0, Anchor::End, "", &length(run.duration));
}

/// The p99 in words, above its rule, or below where there is no room; of
/// several rounds the least and the most.
fn label(svg: &mut Svg, scale: &LogScale, arm: &ArmSummary, right: f64) {
    let p99s = by_p99(arm.runs.iter().filter_map(drawable));
    let (text, most) = match p99s[..] {
        [] => return,
        [(most, run)] => (format!("p99 {}", p99(run)), most),
        [(_, least), .., (most, run)] => (format!("p99 {} to {}", p99(least), p99(run)), most),
    };
    let rule = scale.place(most);
    let down = if rule < TOP + 18.0 { rule + 19.0 } else { rule - 8.0 };
    svg.text((right, down), 0.0, Anchor::End, "strong", &text.replace("at least", "≥"));
}

/// Runs that have a p99, with it, from the least to the most.
fn by_p99<'a>(runs: impl Iterator<Item = &'a RunSummary>) -> Vec<(Nanos, &'a RunSummary)> {
    let mut p99s: Vec<_> = runs.filter_map(|run| Some((run.response_time.p99?.value, run))).collect();
    p99s.sort_by_key(|(p99, _)| *p99);
    p99s
}

/// How far stalls moved each p99; without calm twins, how far the p99s lie apart.
fn caption(pairs: &[Pair<'_>]) -> String {
    let moved: Vec<String> = pairs.iter().filter_map(moved).collect();
    if !moved.is_empty() {
        return format!("Stalls multiply the p99 {}.", listed(&moved));
    }
    let all = pairs.iter().flat_map(Pair::arms).flat_map(|arm| &arm.runs);
    match by_p99(all.filter_map(drawable))[..] {
        [] => "No run has a p99.".into(),
        [(_, run)] => format!("1 in 100 requests took {} or longer.", p99(run).replace("at least ", "")),
        [(_, least), .., (_, most)] => format!(
            "The p99s lie between {} ({}) and {} ({}).",
            p99(least),
            least.facts.arm,
            p99(most),
            most.facts.arm
        ),
    }
}

/// `by 19 in the open loop, 546/s (3.93 ms to 74.0 ms)`, of arms with one round.
fn moved(pair: &Pair<'_>) -> Option<String> {
    let [calm] = &pair.calm?.runs[..] else { return None };
    let [stalled] = &pair.stalled?.runs[..] else { return None };
    let (calm, stalled) = (drawable(calm)?, drawable(stalled)?);
    let (before, after) = (calm.response_time.p99?, stalled.response_time.p99?);
    let least = if after.at_least && !before.at_least { "at least " } else { "" };
    let ratio = after.value.0 as f64 / before.value.0.max(1) as f64;
    Some(format!("by {least}{} in the {} ({} to {})", times(ratio), pair.label, p99(calm), p99(stalled)))
}

fn note(runs: &[&RunSummary], several_rounds: bool) -> String {
    let dots: usize = runs.iter().map(|run| run.dots.len()).sum();
    let all: u64 = runs.iter().map(|run| run.scheduled).sum();
    let rounds =
        if several_rounds { " The dots are those of the first round; each round has its rule." } else { "" };
    format!(
        "The axis is logarithmic and starts above zero. {} of {} requests are drawn: a random choice, and the \
         slowest.{rounds}",
        count(dots as u64),
        count(all)
    )
}
