//! What is told apart from what: each change with its interval, about nothing.

use crate::experiment::comparisons;
use crate::html::lanes::{Lane, Tick, lanes};
use crate::html::markup::{Figure, plain_table};
use crate::html::svg::Svg;
use crate::numbers::{count, times};
use analysis::{Comparison, Summary};

const HEIGHT: f64 = 40.0;
const MIDDLE: f64 = HEIGHT / 2.0;
/// Per cent of the width that a label takes at least, on a phone too.
const APART: f64 = 17.0;
/// Room at either end, as a share of the axis.
const ROOM: f64 = 0.09;

/// Every comparison on one axis of ratios; nothing without any.
pub(in crate::html) fn effects(summary: &Summary) -> Option<Figure> {
    let part = comparisons::part(summary)?;
    let axis = Axis::over(&summary.comparisons);
    let rows: Vec<Lane> = summary.comparisons.iter().map(|one| lane(one, &axis)).collect();
    Some(Figure {
        drawing: LEGEND.to_owned() + &lanes(&axis.ticks(), &rows, "change with its interval"),
        caption: part.says.join(" "),
        note: format!("Ratios on a logarithmic axis; the dark line is no change. {}", comparisons::NOTE),
        table: part.table.as_ref().map(plain_table).unwrap_or_default(),
    })
}

const LEGEND: &str = "<ul class=\"legend\"><li><svg><use href=\"#dot\" class=\"spot\" x=\"15\" y=\"6\"/></svg>told \
    apart</li><li><svg><use href=\"#ring\" class=\"ring\" x=\"15\" y=\"6\"/></svg>not told apart</li><li><svg><line \
    class=\"span\" x1=\"0\" y1=\"6\" x2=\"30\" y2=\"6\"/></svg>interval</li></ul>\n";

fn lane(one: &Comparison, axis: &Axis) -> Lane {
    let change = comparisons::effect(one);
    let place = |effect: Option<f64>| effect.filter(|effect| *effect > -1.0).map(|effect| axis.place(effect));
    let (at, low, high) = (place(one.effect), place(one.low), place(one.high));
    let apart = one.told_apart == Some(true);
    let title = format!("{} {}", change.value, change.bracket);
    Lane {
        name: one.pairing.b.clone(),
        detail: format!(
            "against {}, {}: {}",
            one.pairing.a,
            one.pairing.number.name(),
            comparisons::verdict(one)
        ),
        value: change.value,
        beside: change.bracket,
        height: HEIGHT,
        draw: Box::new(move |svg: &mut Svg| {
            if let (Some(low), Some(high)) = (low, high) {
                svg.line((low, MIDDLE), (high, MIDDLE), "span");
            }
            if let Some(at) = at {
                let (shape, class) = if apart { ("dot", "spot") } else { ("ring", "ring") };
                svg.shape(shape, (at, MIDDLE), class, &title);
            }
        }),
    }
}

/// A logarithmic axis of ratios that always holds 1, in per cent across.
struct Axis {
    lowest: f64,
    highest: f64,
}

impl Axis {
    fn over(all: &[Comparison]) -> Axis {
        let effects = all.iter().flat_map(|one| [one.effect, one.low, one.high]).flatten();
        let logs = effects.map(f64::ln_1p).filter(|log| log.is_finite());
        let (least, most) =
            logs.fold((0.0, 0.0), |(least, most): (f64, f64), log| (least.min(log), most.max(log)));
        // Five per cent at least, so that no change is not drawn as one.
        let width = (most - least).max(0.05);
        Axis { lowest: least - width * ROOM, highest: least + width * (1.0 + ROOM) }
    }

    fn place(&self, effect: f64) -> f64 {
        let share = (effect.ln_1p() - self.lowest) / (self.highest - self.lowest);
        share.clamp(0.0, 1.0) * 100.0
    }

    /// No change first, then round numbers, as long as labels stay apart.
    fn ticks(&self) -> Vec<Tick> {
        let decades = (1..=6).flat_map(|power| [10f64.powi(power), 10f64.powi(-power)]);
        let between = [2.0, 0.5, 5.0, 0.2, 1.2, 0.8, 1.1, 0.9, 1.05, 0.95, 1.02, 0.98, 1.01, 0.99];
        let mut ticks: Vec<Tick> = Vec::new();
        for ratio in [1.0].into_iter().chain(decades).chain(between) {
            let log = f64::ln(ratio);
            let at = self.place(ratio - 1.0);
            let inside = (self.lowest..=self.highest).contains(&log);
            if inside && ticks.iter().all(|tick| (tick.at - at).abs() >= APART) {
                let class = if ratio == 1.0 { "axis" } else { "grid" };
                ticks.push(Tick { at, label: label(ratio), class });
            }
        }
        ticks
    }
}

/// `the same`, `−50 %`, `+20 %`, `× 10`, `÷ 100`.
fn label(ratio: f64) -> String {
    let percent = ((ratio - 1.0) * 100.0).round();
    match ratio {
        1.0 => "the same".into(),
        r if r >= 9.9 => format!("× {}", count(r.round() as u64)),
        r if r >= 1.9 => format!("× {}", times(r).trim_end_matches(".0")),
        r if r <= 0.11 => format!("÷ {}", count((1.0 / r).round() as u64)),
        _ if percent > 0.0 => format!("+{percent:.0} %"),
        _ => format!("−{:.0} %", -percent),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(low: f64, high: f64) -> Vec<String> {
        let mut one = crate::fixtures::planned().comparisons[0].clone();
        (one.effect, one.low, one.high) = (Some(low), Some(low), Some(high));
        let mut ticks = Axis::over(&[one]).ticks();
        ticks.sort_by(|a, b| a.at.total_cmp(&b.at));
        ticks.into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn an_axis_of_ratios_labels_round_numbers_about_no_change() {
        assert_eq!(labels(-0.985, 18.0), ["÷ 100", "÷ 10", "the same", "× 10"]);
        assert_eq!(labels(-0.04, 0.06), ["−2 %", "the same", "+5 %"]);
        assert_eq!(labels(0.0, 0.0), ["the same", "+2 %", "+5 %"]);
    }
}
