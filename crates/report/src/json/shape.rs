//! The same for loads that change over time: the shape as it was asked for, and
//! what was found of its stages, its bursts, its ramp and what grew.

use super::convert::{kept_up, times};
use super::types::Times;
use analysis::{Growth, IntervalFrom, Recovery};
use model::{Nanos, Span};
use serde::Serialize;

/// The load over time, as it was asked for.
#[derive(Debug, Serialize)]
pub(super) struct Shape {
    kind: &'static str,
    /// What `from` and `to` of its stages count: `per-second` or `users`.
    unit: &'static str,
    pace_s: Option<f64>,
    stages: Vec<PlannedStage>,
    replay: Option<Replay>,
}

#[derive(Debug, Serialize)]
struct PlannedStage {
    length_s: f64,
    from: f64,
    to: f64,
}

#[derive(Debug, Serialize)]
struct Replay {
    file: String,
    format: String,
    speed: f64,
    lines: u64,
    skipped: u64,
    resolution_s: f64,
}

pub(super) fn shape(shape: &model::Shape) -> Shape {
    let stage = |stage: &model::Stage| PlannedStage {
        length_s: stage.length.as_secs_f64(),
        from: stage.from,
        to: stage.to,
    };
    let replay = |facts: &model::ReplayFacts| Replay {
        file: facts.file.clone(),
        format: facts.format.clone(),
        speed: facts.speed,
        lines: facts.lines,
        skipped: facts.skipped,
        resolution_s: facts.resolution.as_secs_f64(),
    };
    Shape {
        kind: shape.kind.name(),
        unit: shape.unit.name(),
        pace_s: shape.pace.map(Nanos::as_secs_f64),
        stages: shape.stages.iter().map(stage).collect(),
        replay: shape.replay.as_ref().map(replay),
    }
}

/// What one stage did. Moments count from the start of the counted part.
#[derive(Debug, Serialize)]
pub(super) struct Stage {
    began_s: f64,
    ended_s: f64,
    from: f64,
    to: f64,
    planned_from_per_s: Option<f64>,
    planned_to_per_s: Option<f64>,
    scheduled: u64,
    ok: u64,
    failed: u64,
    cut_off: u64,
    rate_per_s: f64,
    kept_up: &'static str,
    smallest_visible_shortfall: f64,
    response_time_ns: Times,
}

pub(super) fn stage(stage: &analysis::StageFigures) -> Stage {
    Stage {
        began_s: stage.span.began.as_secs_f64(),
        ended_s: stage.span.ended.as_secs_f64(),
        from: stage.stage.from,
        to: stage.stage.to,
        planned_from_per_s: stage.planned_per_s.map(|(from, _)| from),
        planned_to_per_s: stage.planned_per_s.map(|(_, to)| to),
        scheduled: stage.scheduled,
        ok: stage.ok,
        failed: stage.failed,
        cut_off: stage.cut_off,
        rate_per_s: stage.rate_per_s,
        kept_up: kept_up(stage.kept_up),
        smallest_visible_shortfall: stage.kept_up.smallest_visible,
        response_time_ns: times(&stage.response_time, None),
    }
}

/// One burst of one run. Moments count from the start of the counted part.
#[derive(Debug, Serialize)]
pub(super) struct Burst {
    before: BurstPart,
    during: BurstPart,
    after: BurstPart,
    peak_backlog: u64,
    peak_at_ns: u64,
    usual_backlog: u64,
    resolution_ns: u64,
    /// `took`, `not within` or `cannot say`.
    recovery: &'static str,
    /// How long it took, or within what it did not come.
    recovery_ns: Option<u64>,
    /// The backlog over time: moment and size.
    backlog: Vec<(u64, u64)>,
}

#[derive(Debug, Serialize)]
struct BurstPart {
    began_s: f64,
    ended_s: f64,
    scheduled: u64,
    not_ok: u64,
    response_time_ns: Times,
}

pub(super) fn burst(burst: &analysis::BurstFigures) -> Burst {
    let part = |part: &analysis::BurstPart| {
        let Span { began, ended } = part.span;
        BurstPart {
            began_s: began.as_secs_f64(),
            ended_s: ended.as_secs_f64(),
            scheduled: part.scheduled,
            not_ok: part.not_ok,
            response_time_ns: times(&part.response_time, None),
        }
    };
    let (recovery, length) = match burst.recovery {
        Recovery::Took(length) => ("took", Some(length.0)),
        Recovery::NotWithin(length) => ("not within", Some(length.0)),
        Recovery::CannotSay => ("cannot say", None),
    };
    Burst {
        before: part(&burst.before),
        during: part(&burst.during),
        after: part(&burst.after),
        peak_backlog: burst.peak_backlog,
        peak_at_ns: burst.peak_at.0,
        usual_backlog: burst.usual_backlog,
        resolution_ns: burst.resolution.0,
        recovery,
        recovery_ns: length,
        backlog: burst.backlog.iter().map(|(at, backlog)| (at.0, *backlog)).collect(),
    }
}

/// How something grew, in its own unit; slopes are a second.
#[derive(Debug, Serialize)]
pub(super) struct Grown {
    of: String,
    unit: String,
    windows: Vec<Option<f64>>,
    window_s: f64,
    s: i64,
    p: Option<f64>,
    slope_per_s: Option<f64>,
    slope_low_per_s: Option<f64>,
    slope_high_per_s: Option<f64>,
    correlation: Option<f64>,
    says: &'static str,
    limit: Option<f64>,
    until_limit_least_ns: Option<u64>,
    /// `null` where it has no upper end.
    until_limit_most_ns: Option<u64>,
}

pub(super) fn growth(growth: &Growth) -> Grown {
    Grown {
        of: growth.of.clone(),
        unit: growth.unit.clone(),
        windows: growth.windows.clone(),
        window_s: growth.window.as_secs_f64(),
        s: growth.s,
        p: growth.p,
        slope_per_s: growth.slope,
        slope_low_per_s: growth.slope_interval.map(|(low, _)| low),
        slope_high_per_s: growth.slope_interval.map(|(_, high)| high),
        correlation: growth.correlation,
        says: growth.says.name(),
        limit: growth.limit,
        until_limit_least_ns: growth.until_limit.map(|(least, _)| least.0),
        until_limit_most_ns: growth.until_limit.and_then(|(_, most)| most).map(|most| most.0),
    }
}

/// What an arm's ramp shows over all its rounds.
#[derive(Debug, Serialize)]
pub(super) struct Ramp {
    saturation: RampRate,
    bounds: Vec<RampBound>,
    p50_doubles: RampRate,
    too_steep: Option<String>,
}

#[derive(Debug, Serialize)]
struct RampBound {
    number: &'static str,
    at_most_ns: u64,
    crossed: RampRate,
}

/// A rate with its interval, an end that it lies beyond, or why there is none.
#[derive(Debug, Serialize)]
struct RampRate {
    /// `is`, `above`, `below` or `cannot say`.
    says: &'static str,
    rate_per_s: Option<f64>,
    low_per_s: Option<f64>,
    high_per_s: Option<f64>,
    /// What the interval rests on, such as `rounds`, and how many of them.
    interval_from: Option<&'static str>,
    interval_n: Option<u32>,
    why: Option<String>,
}

pub(super) fn ramp(ramp: &analysis::RampFigures) -> Ramp {
    let bound = |(bound, rate): &(model::Bound, analysis::RampRate)| RampBound {
        number: bound.number.name(),
        at_most_ns: bound.at_most.0,
        crossed: ramp_rate(rate),
    };
    Ramp {
        saturation: ramp_rate(&ramp.saturation),
        bounds: ramp.bounds.iter().map(bound).collect(),
        p50_doubles: ramp_rate(&ramp.p50_doubles),
        too_steep: ramp.too_steep.clone(),
    }
}

fn ramp_rate(rate: &analysis::RampRate) -> RampRate {
    let none = RampRate {
        says: "cannot say",
        rate_per_s: None,
        low_per_s: None,
        high_per_s: None,
        interval_from: None,
        interval_n: None,
        why: None,
    };
    match rate {
        analysis::RampRate::Is(rate) => RampRate {
            says: "is",
            rate_per_s: Some(rate.value),
            low_per_s: Some(rate.low),
            high_per_s: Some(rate.high),
            interval_from: Some(rate.from.name()),
            interval_n: match rate.from {
                IntervalFrom::Rounds(n) | IntervalFrom::Saturated(n) => Some(n),
                IntervalFrom::Steps | IntervalFrom::Count => None,
            },
            ..none
        },
        analysis::RampRate::Above(rate) => RampRate { says: "above", rate_per_s: Some(*rate), ..none },
        analysis::RampRate::Below(rate) => RampRate { says: "below", rate_per_s: Some(*rate), ..none },
        analysis::RampRate::CannotSay(why) => RampRate { why: Some(why.clone()), ..none },
    }
}
