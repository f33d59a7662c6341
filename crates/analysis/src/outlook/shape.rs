//! What a load over time will send, part by part, and whether each part is
//! long enough for the question that its shape asks.

use super::PlannedArm;
use crate::growth::WINDOWS;
use crate::windows::FEWEST_FOR_MEDIAN;
use model::{BurstSpans, Nanos, Shape, ShapeKind, Span, Stage};

/// Requests below which a stage's slowest 1 % are a handful.
const P99_REQUESTS: f64 = 1_000.0;
/// Requests from which a usual backlog is no matter of chance.
const USUAL_REQUESTS: f64 = 100.0;
/// The smallest shortfall that a stage can show is √(18 ÷ its requests): its
/// backlog must rise above what chance arrivals alone make of it.
const SHORTFALL: f64 = 18.0;
/// A crossing is to be seen no later than this share of its rate.
const LATE_BY: f64 = 0.05;

/// What a shape will send and show.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeOutlook {
    /// Its stages, in order.
    pub stages: Vec<StageOutlook>,
    /// Whether its parts are long enough, one for each thing asked.
    pub parts: Vec<PartsOutlook>,
}

/// What one stage will send.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StageOutlook {
    /// The stage, in its shape's unit.
    pub stage: Stage,
    /// When, from the shape's beginning.
    pub span: Span,
    /// Arrivals a second at its beginning and its end; `None` where that is up
    /// to the service.
    pub per_second: Option<(f64, f64)>,
    /// Requests, on average; `None` likewise.
    pub requests: Option<f64>,
}

/// Whether the parts of a shape are long enough for one thing that is asked of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PartsOutlook {
    /// A p99 of each stage, and whether the service keeps up in it.
    Stages {
        /// Stages.
        count: usize,
        /// Of these, with too few requests for a p99.
        without_p99: usize,
        /// Requests of the smallest stage that sends any.
        fewest: f64,
        /// Times as long, and the smallest has enough.
        times_longer: f64,
        /// The shortfall that shows in every stage, as a share of its rate.
        shortfall: f64,
    },
    /// A limit crossed on a slope shows late.
    Slope {
        /// Arrivals a second halfway up.
        at_per_second: f64,
        /// The bound of the plan, and how late its crossing there shows, as a
        /// share of that rate; `None` where the plan has no bound.
        late_by: Option<(Nanos, f64)>,
        /// The length at which that is 5 %.
        slow_enough: Option<Nanos>,
    },
    /// What is usual before a burst, and how long recovery takes after it.
    Burst {
        /// Requests before it.
        before: f64,
        /// How long before it would hold enough; `None` if nothing is sent.
        enough: Option<Nanos>,
        /// How long afterwards recovery is looked for.
        after: Nanos,
        /// A service that can do so many a second recovers within that time.
        capacity_per_second: f64,
    },
    /// Growth over windows.
    Growth {
        /// How many.
        windows: usize,
        /// How long each is.
        window: Nanos,
        /// Requests in each; `None` where the service decides.
        requests: Option<f64>,
        /// A length that is enough for a median in each; `None` where it is,
        /// or where that is not known.
        enough: Option<Nanos>,
    },
}

impl ShapeOutlook {
    /// What the shape of `arm` will send; `None` if its load stays the same.
    pub(super) fn of(arm: &PlannedArm) -> Option<ShapeOutlook> {
        let shape = arm.shape.as_ref()?;
        let stage = |(stage, span): (&Stage, Span)| {
            let per_second = shape.per_second(stage.from).zip(shape.per_second(stage.to));
            let requests = shape.per_second(stage.mean()).map(|rate| rate * stage.length.as_secs_f64());
            StageOutlook { stage: *stage, span, per_second, requests }
        };
        let stages: Vec<StageOutlook> = shape.stages.iter().zip(shape.spans()).map(stage).collect();
        let is_read_by_stage = stages.len() > 1 && shape.kind != ShapeKind::Replay;
        let by_stage = is_read_by_stage.then(|| by_stage(&stages)).flatten();
        let slope = (shape.kind == ShapeKind::RampUp).then(|| slope(&stages, arm.p99_bound)).flatten();
        // A day's curve and a repeated ramp rise and fall too, and ask another question.
        let has_bursts = matches!(shape.kind, ShapeKind::Stages | ShapeKind::Burst);
        let bursts = if has_bursts { shape.bursts() } else { Vec::new() };
        let bursts = bursts.into_iter().filter_map(|burst| of_burst(&stages, burst));
        let growth = (shape.kind == ShapeKind::Soak).then(|| growth(shape));
        let parts = by_stage.into_iter().chain(slope).chain(bursts).chain(growth).collect();
        Some(ShapeOutlook { stages, parts })
    }
}

/// A stage that sends nothing is a pause, and is asked nothing.
fn by_stage(stages: &[StageOutlook]) -> Option<PartsOutlook> {
    let requests: Vec<f64> =
        stages.iter().filter_map(|stage| stage.requests).filter(|requests| *requests > 0.0).collect();
    let fewest = requests.iter().copied().reduce(f64::min)?;
    Some(PartsOutlook::Stages {
        count: requests.len(),
        without_p99: requests.iter().filter(|requests| **requests < P99_REQUESTS).count(),
        fewest,
        times_longer: P99_REQUESTS / fewest,
        shortfall: (SHORTFALL / fewest).sqrt(),
    })
}

/// A rate that rises by `gain` each second has gone on by √(2·gain·limit·rate)
/// before the backlog of a service that can do `rate` lasts for `limit`.
fn slope(stages: &[StageOutlook], bound: Option<Nanos>) -> Option<PartsOutlook> {
    let [only] = stages else { return None };
    let (from, to) = only.per_second?;
    let seconds = only.stage.length.as_secs_f64();
    let (gain, at_per_second) = ((to - from) / seconds, f64::midpoint(from, to));
    let late = |bound: Nanos| (2.0 * gain * bound.as_secs_f64() / at_per_second).sqrt();
    let slow_enough = |bound: Nanos| {
        let gain = LATE_BY * LATE_BY * at_per_second / (2.0 * bound.as_secs_f64());
        Nanos::from_secs_f64((to - from) / gain)
    };
    (gain > 0.0).then(|| PartsOutlook::Slope {
        at_per_second,
        late_by: bound.map(|bound| (bound, late(bound))),
        slow_enough: bound.map(slow_enough),
    })
}

fn of_burst(stages: &[StageOutlook], burst: BurstSpans) -> Option<PartsOutlook> {
    let requests = |span: Span| -> Option<f64> {
        let inside = stages.iter().filter(|one| one.span.began >= span.began && one.span.ended <= span.ended);
        inside.map(|one| one.requests).sum()
    };
    let seconds = |span: Span| (span.ended - span.began).as_secs_f64();
    let (before, during, after) = (requests(burst.before)?, requests(burst.during)?, requests(burst.after)?);
    let enough = || Nanos::from_secs_f64((seconds(burst.before) * USUAL_REQUESTS / before).ceil().min(1e9));
    Some(PartsOutlook::Burst {
        before,
        enough: (before > 0.0).then(enough),
        after: burst.after.ended - burst.after.began,
        // All that came since the burst began is answered by the end.
        capacity_per_second: (during + after) / (seconds(burst.during) + seconds(burst.after)),
    })
}

fn growth(shape: &Shape) -> PartsOutlook {
    let (length, windows) = (shape.length(), WINDOWS as f64);
    let rate = shape.per_second(shape.mean());
    let requests = rate.map(|rate| rate * length.as_secs_f64() / windows);
    let fewest = FEWEST_FOR_MEDIAN as f64;
    let too_few = rate.filter(|_| requests.is_some_and(|requests| requests < fewest));
    PartsOutlook::Growth {
        windows: WINDOWS,
        window: Nanos(length.0 / WINDOWS as u64),
        requests,
        enough: too_few.map(|rate| Nanos::from_secs_f64((fewest * windows / rate).ceil().min(1e9))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outlook::tests::arm;
    use model::StageUnit;

    /// Stages of (seconds, from, to).
    fn outlook(kind: ShapeKind, stages: &[(u64, f64, f64)], bound_ms: Option<u64>) -> ShapeOutlook {
        let stage =
            |&(seconds, from, to): &(u64, f64, f64)| Stage { length: Nanos::from_secs(seconds), from, to };
        let stages = stages.iter().map(stage).collect();
        let shape = Shape { kind, unit: StageUnit::PerSecond, pace: None, stages, replay: None };
        let p99_bound = bound_ms.map(Nanos::from_millis);
        ShapeOutlook::of(&PlannedArm { shape: Some(shape), p99_bound, ..arm(1.0, 1, None) }).expect("a shape")
    }

    #[test]
    fn every_stage_says_what_it_sends_and_the_smallest_what_it_can_show() {
        let ramp = outlook(ShapeKind::RampUp, &[(20, 45.0, 45.0), (20, 90.0, 90.0), (10, 0.0, 0.0)], None);
        let requests: Vec<_> = ramp.stages.iter().map(|stage| stage.requests).collect();
        assert_eq!(requests, [Some(900.0), Some(1_800.0), Some(0.0)]);
        let [PartsOutlook::Stages { count, without_p99, fewest, times_longer, shortfall }] = ramp.parts[..]
        else {
            panic!("{:?}", ramp.parts)
        };
        assert_eq!((count, without_p99, fewest), (2, 1, 900.0));
        assert!((times_longer - 10.0 / 9.0).abs() < 1e-12, "{times_longer}");
        assert!((shortfall - 0.02f64.sqrt()).abs() < 1e-12, "{shortfall}");
    }

    #[test]
    fn a_slope_shows_a_limit_late_by_what_the_method_says() {
        // Halfway at 1,000/s, 10/s more each second, 20 ms: 20/s too late.
        let slope = outlook(ShapeKind::RampUp, &[(200, 0.0, 2_000.0)], Some(20));
        let [PartsOutlook::Slope { at_per_second, late_by: Some((_, late)), slow_enough }] = slope.parts[..]
        else {
            panic!("{:?}", slope.parts)
        };
        assert_eq!((at_per_second, late), (1_000.0, 0.02));
        // 5 % allow a gain of 62.5/s each second.
        assert_eq!(slow_enough, Some(Nanos::from_secs(32)));
        let unbound = outlook(ShapeKind::RampUp, &[(200, 0.0, 2_000.0)], None);
        assert!(matches!(unbound.parts[..], [PartsOutlook::Slope { late_by: None, slow_enough: None, .. }]));
    }

    #[test]
    fn a_burst_needs_requests_before_it_and_a_service_that_works_it_off_after_it() {
        let burst = outlook(ShapeKind::Burst, &[(20, 0.2, 0.2), (15, 2.0, 2.0), (45, 0.2, 0.2)], None);
        let Some(PartsOutlook::Burst { before, enough, after, capacity_per_second }) = burst.parts.get(1)
        else {
            panic!("{:?}", burst.parts)
        };
        assert_eq!((*before, *enough, *after), (4.0, Some(Nanos::from_secs(500)), Nanos::from_secs(45)));
        assert_eq!(*capacity_per_second, 39.0 / 60.0);
        let cold = outlook(ShapeKind::Stages, &[(20, 0.0, 0.0), (15, 2.0, 2.0), (45, 0.0, 0.0)], None);
        assert!(matches!(cold.parts[..], [_, PartsOutlook::Burst { before: 0.0, enough: None, .. }]));
    }

    #[test]
    fn growth_is_told_from_windows_that_each_hold_enough_for_a_median() {
        let growth = |rate| match outlook(ShapeKind::Soak, &[(600, rate, rate)], None).parts[..] {
            [PartsOutlook::Growth { windows, window, enough, .. }] => (windows, window, enough),
            ref other => panic!("{other:?}"),
        };
        assert_eq!(growth(0.2), (12, Nanos::from_secs(50), None));
        assert_eq!(growth(0.1), (12, Nanos::from_secs(50), Some(Nanos::from_secs(1_200))));
    }

    #[test]
    fn users_whom_the_service_paces_send_nobody_knows_how_much() {
        let stages = vec![Stage::level(Nanos::from_secs(10), 4.0), Stage::level(Nanos::from_secs(10), 8.0)];
        let kind = ShapeKind::Stages;
        let shape = Shape { kind, unit: StageUnit::Users, pace: None, stages, replay: None };
        let outlook = ShapeOutlook::of(&PlannedArm { shape: Some(shape), ..arm(1.0, 1, None) });
        let outlook = outlook.expect("a shape");
        assert!(outlook.parts.is_empty() && outlook.stages.iter().all(|stage| stage.requests.is_none()));
    }
}
