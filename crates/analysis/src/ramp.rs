//! What an arm's ramp shows, over all its rounds: where the service stops
//! following, where bounds are crossed, and where the median doubles.
//!
//! It rests on the stages' figures of each round ([`crate::StageFigures`]), by
//! rising rate. Rounds count that are not void, were sent by doorclock, and
//! went through all stages. Of a stage:
//!
//! - its rate is the planned mean arrivals a second;
//! - for saturation, what was asked is the requests due a second in an open loop
//!   (so that chance in arrivals is no shortfall), and the planned mean in a paced
//!   one; what was done is its `rate_per_s`;
//! - a figure's height is ln(figure ÷ bound), or ln(p50 ÷ twice the first stage's
//!   p50) for doubling; it is open where the figure is a lower bound, or the
//!   service fell behind in the stage.
//!
//! [`stats::saturation`] and [`stats::crossing`] say how a rate comes from these.

use crate::bounds::point_of;
use crate::shaped::{measured_stages, rises};
use crate::summary::{IntervalFrom, RampFigures, RampRate, RateEstimate, RunSummary, StageFigures, Verdict};
use model::{Bound, Load, Nanos, Number, Rate, Shape};
use stats::{Found, Height, Step, Unclear, WidthFrom, median};

/// The error that a slope may make of a rate.
const SLOPE_ERROR: f64 = 0.05;

/// The ramp of an arm with these runs; `None` if its load is none.
pub(crate) fn ramp(runs: &[RunSummary], bounds: &[Bound]) -> Option<RampFigures> {
    let shape = runs.first()?.facts.shape.as_ref().filter(|shape| rises(shape))?;
    let stages = measured_stages(shape).len();
    let counts = |run: &&RunSummary| {
        run.verdict != Verdict::Void
            && run.facts.tool.is_none()
            && run.stages.len() == stages
            && !run.interrupted
    };
    let rounds: Vec<&RunSummary> = runs.iter().filter(counts).collect();
    let unknown = match (rounds.as_slice(), shape.per_second(1.0)) {
        ([], _) => Some("no round went through all its stages"),
        (_, None) => Some("users who only wait for answers ask for no rate"),
        _ => None,
    };
    if let Some(why) = unknown {
        let cannot = || RampRate::CannotSay(why.to_owned());
        let bounds = bounds.iter().map(|bound| (*bound, cannot())).collect();
        return Some(RampFigures { saturation: cannot(), bounds, p50_doubles: cannot(), too_steep: None });
    }
    let steps: Vec<Vec<Step>> = rounds.iter().map(|run| each(run, |stage| step(run, stage))).collect();
    // Off the ramp it lies beyond what was planned, whatever chance made of that.
    let rates = || rounds[0].stages.iter().map(planned);
    let saturation = match rate_of(stats::saturation(&steps), "falls short") {
        RampRate::Above(_) => RampRate::Above(rates().fold(0.0, f64::max)),
        RampRate::Below(_) => RampRate::Below(rates().fold(f64::INFINITY, f64::min)),
        found => found,
    };
    let crossed = |bound: &Bound| {
        let number = bound.number.name();
        let limit = bound.at_most.0 as f64;
        (*bound, crossing(&rounds, |_, stage| height(stage, bound.number, limit), number))
    };
    let bounds: Vec<(Bound, RampRate)> = bounds.iter().map(crossed).collect();
    let twice = |run: &RunSummary| doubled_p50(run.stages.first()?);
    let p50_doubles = crossing(
        &rounds,
        |run, stage| height(stage, Number::P50, twice(run).unwrap_or(f64::NAN)),
        "the median",
    );
    let too_steep = too_steep(shape, &saturation, &bounds, &rounds);
    Some(RampFigures { saturation, bounds, p50_doubles, too_steep })
}

fn each<T>(run: &RunSummary, of: impl Fn(&StageFigures) -> T) -> Vec<T> {
    run.stages.iter().map(of).collect()
}

fn planned(stage: &StageFigures) -> f64 {
    stage.planned_per_s.map_or(f64::NAN, |(from, to)| f64::midpoint(from, to))
}

fn step(run: &RunSummary, stage: &StageFigures) -> Step {
    let seconds = stage.span.length().as_secs_f64();
    let asked = match run.load() {
        Load::Open { .. } => stage.scheduled as f64 / seconds,
        Load::Paced { .. } | Load::Closed { .. } => planned(stage),
    };
    Step { asked, done: stage.rate_per_s, seconds }
}

fn height(stage: &StageFigures, number: Number, limit: f64) -> Height {
    let point = point_of(&stage.response_time, number);
    let above = point.map(|point| (point.value.0 as f64 / limit).ln()).filter(|above| above.is_finite());
    let is_open = point.is_some_and(|point| point.at_least) || stage.kept_up.kept_up == Some(false);
    Height { asked: planned(stage), above, is_open: is_open && point.is_some() }
}

fn doubled_p50(stage: &StageFigures) -> Option<f64> {
    stage.response_time.p50.filter(|p50| !p50.at_least).map(|p50| 2.0 * p50.value.0 as f64)
}

fn crossing(
    rounds: &[&RunSummary],
    height: impl Fn(&RunSummary, &StageFigures) -> Height,
    figure: &str,
) -> RampRate {
    let heights: Vec<Vec<Height>> = rounds.iter().map(|run| each(run, |stage| height(run, stage))).collect();
    rate_of(stats::crossing(&heights), &format!("{figure} passes it"))
}

/// In the words of results. `shows` completes "in 2 of 3 rounds …".
fn rate_of(found: Found, shows: &str) -> RampRate {
    match found {
        Found::Is { value, low, high, from } => {
            let from = match from {
                WidthFrom::Rounds(rounds) => IntervalFrom::Rounds(rounds),
                WidthFrom::Steps => IntervalFrom::Steps,
                WidthFrom::Saturated(steps) => IntervalFrom::Saturated(steps),
                WidthFrom::Count => IntervalFrom::Count,
            };
            RampRate::Is(RateEstimate { value, low, high, from })
        }
        Found::Above(rate) => RampRate::Above(rate),
        Found::Below(rate) => RampRate::Below(rate),
        Found::CannotSay(why) => RampRate::CannotSay(match why {
            Unclear::FewSteps => "fewer than two steps tell of it".to_owned(),
            Unclear::Disagree { some, all } => {
                format!("the service {shows} at the top in {some} of {all} rounds only")
            }
            Unclear::MoreThanOnce { exceeded, held } => {
                format!("{shows} at {}, and not at {}", per_second(exceeded), per_second(held))
            }
            Unclear::TooWide => "the rounds lie as far apart as the ramp is long".to_owned(),
        }),
    }
}

/// Why a slope is too steep for the limits that are asked about: an error of
/// more than 5 % of the rate that the service follows, or else of the highest.
/// The longest wait that is asked about errs most.
fn too_steep(
    shape: &Shape,
    saturation: &RampRate,
    bounds: &[(Bound, RampRate)],
    rounds: &[&RunSummary],
) -> Option<String> {
    let slope = |stage: &model::Stage| {
        Some((shape.per_second(stage.to)? - shape.per_second(stage.from)?) / stage.length.as_secs_f64())
    };
    let slope = shape.stages.iter().filter_map(slope).max_by(f64::total_cmp).filter(|slope| *slope > 0.0)?;
    let follows = match saturation {
        RampRate::Is(estimate) => estimate.value,
        _ => shape.per_second(shape.largest())?,
    };
    let doubled: Vec<f64> = rounds.iter().filter_map(|run| doubled_p50(run.stages.first()?)).collect();
    let bounded = bounds.iter().map(|(bound, _)| bound.at_most.as_secs_f64());
    let wait = bounded.chain(median(&doubled).map(|doubled| doubled / 1e9)).max_by(f64::total_cmp)?;
    let most = stats::steepest(SLOPE_ERROR, follows, wait);
    (slope > most).then(|| {
        format!(
            "the load rises by {} each second: a wait of {} is seen up to {} too late; at {} each second it \
             would be within 5 %",
            per_second(slope),
            Nanos::from_secs_f64(wait),
            per_second(stats::overshoot(slope, follows, wait)),
            per_second(most)
        )
    })
}

/// A rate to three digits: `1,050/s`.
pub(crate) fn per_second(rate: f64) -> String {
    if rate <= 0.0 {
        return "0/s".to_owned();
    }
    let scale = 10f64.powf(2.0 - rate.log10().floor());
    Rate::per_second((rate * scale).round() / scale)
        .map_or_else(|| format!("{rate}/s"), |rate| rate.to_string())
}

#[cfg(test)]
mod tests;
