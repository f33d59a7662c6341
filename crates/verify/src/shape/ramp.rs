//! What an arm's rising load shows over its rounds: where the service stops
//! following, where bounds are crossed, and where the median doubles.
//!
//! It is computed from the stages as they were computed here, not as reported.

use super::{Shape, seconds};
use crate::check::{Computed, List};
use crate::manifest::Bound;
use crate::paired::student_half_width;
use serde_json::Value;

/// Rounds from which on their own scatter is the interval.
const FEWEST_ROUNDS: usize = 3;
/// A shortfall is beyond three deviations of a count.
const DEVIATIONS: f64 = 3.0;
/// The error of a rate that a slope may make.
const SLOPE_ERROR: f64 = 0.05;

/// A rate that was looked for.
enum Found {
    Is { rate: f64, low: f64, high: f64, from: &'static str, n: Option<u64> },
    Above(f64),
    Below(f64),
    CannotSay,
}

/// One step of one round.
#[derive(Clone, Copy)]
struct Step {
    rate: f64,
    /// Of a figure: ln(figure ÷ limit).
    above: Option<f64>,
    /// It counts as exceeded, and its figure is no property of the rate.
    is_open: bool,
}

/// The ramp of an arm, if its shape is one. `arm` is as it was computed here.
pub(crate) fn list(shape: Option<&Shape>, arm: &Value, bounds: &[Bound], list: &mut List) {
    let Some(shape) = shape.filter(|shape| shape.is_ramp()) else {
        return list.add("ramp", Computed::Unknown);
    };
    let told = shape.told().len();
    let stages = |run: &Value| run["stages"].as_array().map_or(0, Vec::len);
    let counts = |run: &&Value| {
        run["verdict"] != "void"
            && arm["tool"].is_null()
            && stages(run) == told
            && run["interrupted"] == false
    };
    let rounds: Vec<&Value> = arm["runs"].as_array().into_iter().flatten().filter(counts).collect();
    let can_be_told = !rounds.is_empty() && shape.per_second(1.0).is_some();
    let saturation = if can_be_told { saturation(&rounds, arm["model"] == "open") } else { Found::CannotSay };
    tell("ramp.saturation", &saturation, list);
    for (at, bound) in bounds.iter().enumerate() {
        list.text(format!("ramp.bounds.{at}.number"), &bound.number);
        list.whole(format!("ramp.bounds.{at}.at_most_ns"), bound.at_most_ns);
        let limit = |_: &Value| Some(bound.at_most_ns as f64);
        let crossed = if can_be_told { crossing(&rounds, &bound.number, limit) } else { Found::CannotSay };
        tell(&format!("ramp.bounds.{at}.crossed"), &crossed, list);
    }
    list.add(format!("ramp.bounds.{}", bounds.len()), Computed::Nothing);
    let doubles = if can_be_told { crossing(&rounds, "p50", doubled) } else { Found::CannotSay };
    tell("ramp.p50_doubles", &doubles, list);
    let is_steep = can_be_told && is_too_steep(shape, &saturation, bounds, &rounds);
    list.flag("ramp.is_too_steep", Some(is_steep));
}

fn tell(name: &str, found: &Found, list: &mut List) {
    let name = |what: &str| format!("{name}.{what}");
    let (says, rate, interval) = match found {
        Found::Is { rate, low, high, from, n } => ("is", Some(*rate), Some((*low, *high, *from, *n))),
        Found::Above(rate) => ("above", Some(*rate), None),
        Found::Below(rate) => ("below", Some(*rate), None),
        Found::CannotSay => ("cannot say", None, None),
    };
    list.text(name("says"), says);
    list.near(name("rate_per_s"), rate);
    list.near(name("low_per_s"), interval.map(|(low, ..)| low));
    list.near(name("high_per_s"), interval.map(|(_, high, ..)| high));
    list.maybe_text(name("interval_from"), interval.map(|(.., from, _)| from));
    list.maybe(name("interval_n"), interval.and_then(|(.., n)| n));
}

fn stages_of(run: &Value) -> impl Iterator<Item = &Value> {
    run["stages"].as_array().into_iter().flatten()
}

/// The planned mean arrivals a second of a stage.
pub(crate) fn planned(stage: &Value) -> Option<f64> {
    Some((stage["planned_from_per_s"].as_f64()? + stage["planned_to_per_s"].as_f64()?) / 2.0)
}

fn length(stage: &Value) -> f64 {
    // The two ends are whole nanoseconds.
    let ns = |name: &str| (stage[name].as_f64().unwrap_or(0.0) * 1e9).round();
    (ns("ended_s") - ns("began_s")) / 1e9
}

/// The level of the broken line: the median of what was answered over the
/// unbroken row of steps at the top that fall short.
fn saturation(rounds: &[&Value], is_open: bool) -> Found {
    let is_short = |stage: &&Value| {
        let due = match is_open {
            true => stage["scheduled"].as_f64().unwrap_or(0.0),
            false => planned(stage).unwrap_or(0.0) * length(stage),
        };
        due - stage["rate_per_s"].as_f64().unwrap_or(0.0) * length(stage) > DEVIATIONS * due.sqrt()
    };
    // From the top downwards, as far as all fall short.
    let rows: Vec<Vec<&Value>> = rounds
        .iter()
        .map(|run| stages_of(run).collect::<Vec<_>>().into_iter().rev().take_while(is_short).collect())
        .collect();
    let rates = || stages_of(rounds[0]).filter_map(planned);
    if rows.iter().all(Vec::is_empty) {
        return Found::Above(rates().fold(0.0, f64::max));
    }
    if rows.iter().any(Vec::is_empty) {
        return Found::CannotSay;
    }
    if rows.iter().zip(rounds).all(|(row, run)| row.len() == stages_of(run).count()) {
        return Found::Below(rates().fold(f64::INFINITY, f64::min));
    }
    let done = |row: &Vec<&Value>| -> Vec<f64> {
        row.iter().map(|stage| stage["rate_per_s"].as_f64().unwrap_or(0.0)).collect()
    };
    if rounds.len() >= FEWEST_ROUNDS {
        return around(rows.iter().filter_map(|row| median(done(row))).collect(), "rounds");
    }
    let all: Vec<f64> = rows.iter().flat_map(done).collect();
    match rows.concat()[..] {
        [one] => {
            let (rate, half) = (all[0], 1.96 * (all[0] / length(one)).sqrt());
            Found::Is { rate, low: (rate - half).max(0.0), high: rate + half, from: "count", n: None }
        }
        _ => around(all, "saturated-steps"),
    }
}

fn around(values: Vec<f64>, from: &'static str) -> Found {
    let n = Some(values.len() as u64);
    match (student_half_width(&values), median(values)) {
        (Some(half), Some(rate)) => {
            Found::Is { rate, low: (rate - half).max(0.0), high: rate + half, from, n }
        }
        _ => Found::CannotSay,
    }
}

/// Twice the first stage's median.
fn doubled(run: &Value) -> Option<f64> {
    let times = &stages_of(run).next()?["response_time_ns"];
    times["p50"].as_f64().filter(|_| !is_bound(times, "p50")).map(|p50| 2.0 * p50)
}

fn is_bound(times: &Value, number: &str) -> bool {
    match number {
        "mean" => times["censored"].as_u64() > Some(0),
        _ => times["at_least"].as_array().is_some_and(|names| names.iter().any(|name| name == number)),
    }
}

/// The steps of a round of which a number is known.
fn steps(run: &Value, number: &str, limit: Option<f64>) -> Vec<Step> {
    let step = |stage: &Value| {
        let times = &stage["response_time_ns"];
        // A mean is cut to whole nanoseconds, as every length is one.
        let value = times[number].as_f64().map(f64::trunc);
        let above =
            value.zip(limit).map(|(value, limit)| (value / limit).ln()).filter(|above| above.is_finite());
        let is_open = value.is_some() && (is_bound(times, number) || stage["kept_up"] == "no");
        Step { rate: planned(stage).unwrap_or(f64::NAN), above, is_open }
    };
    stages_of(run).map(step).filter(|step| step.above.is_some() || step.is_open).collect()
}

fn exceeds(step: &Step) -> bool {
    step.is_open || step.above > Some(0.0)
}

/// Where a number crosses its limit as the rate rises.
fn crossing(rounds: &[&Value], number: &str, limit: impl Fn(&Value) -> Option<f64>) -> Found {
    let rounds: Vec<Vec<Step>> = rounds.iter().map(|run| steps(run, number, limit(run))).collect();
    let mut rates: Vec<f64> = rounds.iter().flatten().map(|step| step.rate).collect();
    rates.sort_by(f64::total_cmp);
    rates.dedup();
    let (Some(lowest), Some(highest), true) = (rates.first(), rates.last(), rates.len() > 1) else {
        return Found::CannotSay;
    };
    // In half of the rounds that know it, or more.
    let is_exceeded = |rate: &f64| {
        let at: Vec<&Step> = rounds.iter().flatten().filter(|step| step.rate == *rate).collect();
        2 * at.iter().filter(|step| exceeds(step)).count() >= at.len()
    };
    let Some(first) = rates.iter().position(is_exceeded) else { return Found::Above(*highest) };
    if !rates[first..].iter().all(is_exceeded) {
        return Found::CannotSay;
    }
    if first == 0 {
        return Found::Below(*lowest);
    }
    // Each round's own crossing, the steps around it, and whether it was read off.
    let mut own: Vec<(f64, f64, f64, bool)> = Vec::new();
    for round in rounds.iter().filter(|round| !round.is_empty()) {
        let at = round.iter().position(exceeds);
        own.push(match at {
            Some(at) if at > 0 => between(round[at - 1], round[at]),
            _ => {
                let end = if at.is_none() { round[round.len() - 1] } else { round[0] };
                (end.rate, end.rate, end.rate, false)
            }
        });
    }
    let values: Vec<f64> = own.iter().map(|(value, ..)| *value).collect();
    let found = if own.len() >= FEWEST_ROUNDS && own.iter().all(|(.., is_sharp)| *is_sharp) {
        around(values, "rounds")
    } else {
        let low = own.iter().map(|(_, lower, ..)| *lower).fold(f64::INFINITY, f64::min);
        let high = own.iter().map(|(.., upper, _)| *upper).fold(f64::NEG_INFINITY, f64::max);
        let Some(rate) = median(values) else { return Found::CannotSay };
        Found::Is { rate, low, high, from: "steps", n: None }
    };
    match found {
        Found::Is { low, high, .. } if low <= *lowest && *highest <= high => Found::CannotSay,
        found => found,
    }
}

/// Where the straight line between two steps meets the limit, or halfway.
fn between(lower: Step, upper: Step) -> (f64, f64, f64, bool) {
    let share = match (lower.above, upper.above) {
        (Some(below), Some(above)) if !upper.is_open => Some(below / (below - above)),
        _ => None,
    };
    let rate = lower.rate + (upper.rate - lower.rate) * share.unwrap_or(0.5);
    (rate, lower.rate, upper.rate, share.is_some())
}

/// Whether the steepest slope errs by more than 5 % for the longest wait asked about.
fn is_too_steep(shape: &Shape, saturation: &Found, bounds: &[Bound], rounds: &[&Value]) -> bool {
    let Some(slope) = shape.steepest() else { return false };
    let follows = match saturation {
        Found::Is { rate, .. } => Some(*rate),
        _ => shape.per_second(shape.largest()),
    };
    let doubled = median(rounds.iter().filter_map(|run| doubled(run)).collect()).map(|doubled| doubled / 1e9);
    let bounds = bounds.iter().map(|bound| seconds(bound.at_most_ns));
    let wait = bounds.chain(doubled).max_by(f64::total_cmp);
    let Some((follows, wait)) = follows.zip(wait) else { return false };
    slope > SLOPE_ERROR * SLOPE_ERROR * follows / (2.0 * wait)
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    match values.len() % 2 {
        1 => Some(values[half]),
        _ => Some((values.get(half.checked_sub(1)?)? + values[half]) / 2.0),
    }
}
