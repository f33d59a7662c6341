//! A load over time, and the question that it is there to answer.

use crate::{Nanos, Span};

/// What a load over time asks. The report answers this question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShapeKind {
    /// Stages written out one by one.
    Stages,
    /// Rising steps: up to where does the service follow?
    RampUp,
    /// One level: a number to compare or to promise.
    Steady,
    /// A level, a higher one, the first again: what do users see, and how long is recovery?
    Burst,
    /// One level for long: what grows slowly?
    Soak,
    /// A curve through points, such as a day's.
    Day,
    /// Recorded arrivals at their own times.
    Replay,
}

impl ShapeKind {
    /// Every kind.
    pub const ALL: [ShapeKind; 7] = [
        ShapeKind::Stages,
        ShapeKind::RampUp,
        ShapeKind::Steady,
        ShapeKind::Burst,
        ShapeKind::Soak,
        ShapeKind::Day,
        ShapeKind::Replay,
    ];

    /// The word in plans, on the command line and in results.
    pub fn name(self) -> &'static str {
        match self {
            ShapeKind::Stages => "stages",
            ShapeKind::RampUp => "ramp-up",
            ShapeKind::Steady => "steady",
            ShapeKind::Burst => "burst",
            ShapeKind::Soak => "soak",
            ShapeKind::Day => "day",
            ShapeKind::Replay => "replay",
        }
    }

    /// The kind with this name.
    pub fn named(name: &str) -> Option<ShapeKind> {
        ShapeKind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// What a stage's two numbers count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StageUnit {
    /// Arrivals a second.
    PerSecond,
    /// Users at once.
    Users,
}

impl StageUnit {
    /// The word in results.
    pub fn name(self) -> &'static str {
        match self {
            StageUnit::PerSecond => "per-second",
            StageUnit::Users => "users",
        }
    }

    /// The unit with this name.
    pub fn named(name: &str) -> Option<StageUnit> {
        [StageUnit::PerSecond, StageUnit::Users].into_iter().find(|unit| unit.name() == name)
    }
}

/// A stretch of time over which the load goes straight from one size to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stage {
    /// How long it lasts; above zero.
    pub length: Nanos,
    /// The load at its beginning, in the shape's unit; zero or above.
    pub from: f64,
    /// The load at its end; the same on a level.
    pub to: f64,
}

impl Stage {
    /// The same load throughout.
    pub fn level(length: Nanos, load: f64) -> Stage {
        Stage { length, from: load, to: load }
    }

    /// Whether the load stays the same.
    pub fn is_level(self) -> bool {
        self.from == self.to
    }

    /// Its mean load.
    pub fn mean(self) -> f64 {
        f64::midpoint(self.from, self.to)
    }
}

/// What is known of recorded arrivals that are sent again.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayFacts {
    /// The file's name, without its folder.
    pub file: String,
    /// The form of its lines, such as `combined`.
    pub format: String,
    /// How many times faster than they were recorded.
    pub speed: f64,
    /// Lines of the file.
    pub lines: u64,
    /// Lines that could not be read and were skipped, as the plan told.
    pub skipped: u64,
    /// The finest step of its times; arrivals of one whole second are spread over it.
    pub resolution: Nanos,
}

/// A load over time: stages one after the other, from the start of the counted
/// part to its end. The warm-up before it is sent at the load of its beginning.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// What it asks.
    pub kind: ShapeKind,
    /// What its stages count.
    pub unit: StageUnit,
    /// The time from one request of a user to her next; `None` where no user
    /// paces herself.
    pub pace: Option<Nanos>,
    /// At least one.
    pub stages: Vec<Stage>,
    /// Where the arrivals are recorded ones; the stages then say how many
    /// there are a second, on average over each.
    pub replay: Option<ReplayFacts>,
}

/// A stretch of stages that lies above what comes before it and after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BurstSpans {
    /// From the last lower load's beginning.
    pub before: Span,
    /// The higher load.
    pub during: Span,
    /// Up to the next burst, or to the end.
    pub after: Span,
}

impl Shape {
    /// How long it lasts.
    pub fn length(&self) -> Nanos {
        self.stages.iter().fold(Nanos::ZERO, |sum, stage| sum.saturating_add(stage.length))
    }

    /// When each stage begins and ends, from the shape's own beginning.
    pub fn spans(&self) -> Vec<Span> {
        let mut began = Nanos::ZERO;
        let span = |stage: &Stage| {
            let span = Span { began, ended: began.saturating_add(stage.length) };
            began = span.ended;
            span
        };
        self.stages.iter().map(span).collect()
    }

    /// Arrivals a second that a load of this size means; `None` where that is
    /// up to the service (users who pace themselves by its answers alone).
    pub fn per_second(&self, load: f64) -> Option<f64> {
        match (self.unit, self.pace) {
            (StageUnit::PerSecond, _) => Some(load),
            (StageUnit::Users, Some(pace)) => Some(load / pace.as_secs_f64()),
            (StageUnit::Users, None) => None,
        }
    }

    /// The largest load of all stages.
    pub fn largest(&self) -> f64 {
        self.stages.iter().flat_map(|stage| [stage.from, stage.to]).fold(0.0, f64::max)
    }

    /// The mean load over its whole length.
    pub fn mean(&self) -> f64 {
        let weigh = |stage: &Stage| stage.mean() * stage.length.as_secs_f64();
        let length = self.length().as_secs_f64();
        if length > 0.0 { self.stages.iter().map(weigh).sum::<f64>() / length } else { 0.0 }
    }

    /// Its bursts, from the shape's own beginning: levels above both
    /// neighbours, whatever the shape is called.
    pub fn bursts(&self) -> Vec<BurstSpans> {
        let spans = self.spans();
        let at = |n: usize| self.stages[n].mean();
        // The first stage of each stretch that rises above the one before it.
        let mut bursts: Vec<BurstSpans> = Vec::new();
        let mut n = 1;
        while n < self.stages.len() {
            let base = at(n - 1);
            let fall = (n..self.stages.len()).find(|&later| at(later) <= base);
            match fall {
                Some(end) if at(n) > base => {
                    let during = Span { began: spans[n].began, ended: spans[end].began };
                    let rise = (end + 1..self.stages.len()).find(|&later| at(later) > at(later - 1));
                    let ended = rise.map_or(spans[spans.len() - 1].ended, |rise| spans[rise].began);
                    let after = Span { began: during.ended, ended };
                    bursts.push(BurstSpans { before: spans[n - 1], during, after });
                    n = end + 1;
                }
                _ => n += 1,
            }
        }
        bursts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(levels: &[f64]) -> Shape {
        let stages = levels.iter().map(|&load| Stage::level(Nanos::from_secs(10), load)).collect();
        Shape { kind: ShapeKind::Stages, unit: StageUnit::PerSecond, pace: None, stages, replay: None }
    }

    fn seconds(span: Span) -> (u64, u64) {
        (span.began.0 / 1_000_000_000, span.ended.0 / 1_000_000_000)
    }

    #[test]
    fn a_burst_lies_above_both_its_neighbours_whatever_the_shape_is_called() {
        let found = |levels: &[f64]| -> Vec<_> {
            let spans =
                |burst: BurstSpans| (seconds(burst.before), seconds(burst.during), seconds(burst.after));
            shape(levels).bursts().into_iter().map(spans).collect()
        };
        assert_eq!(found(&[2.0, 20.0, 2.0]), [((0, 10), (10, 20), (20, 30))]);
        assert_eq!(found(&[2.0, 9.0, 20.0, 9.0, 2.0, 1.0]), [((0, 10), (10, 40), (40, 60))]);
        assert_eq!(
            found(&[1.0, 5.0, 1.0, 1.0, 6.0, 1.0]),
            [((0, 10), (10, 20), (20, 40)), ((30, 40), (40, 50), (50, 60))]
        );
        for calm in [&[5.0][..], &[1.0, 2.0, 3.0], &[3.0, 2.0, 1.0], &[2.0, 1.0, 1.5]] {
            assert_eq!(found(calm), [], "{calm:?}");
        }
    }

    #[test]
    fn users_mean_a_rate_only_where_they_pace_themselves() {
        let mut users = Shape { unit: StageUnit::Users, ..shape(&[20.0]) };
        assert_eq!(users.per_second(20.0), None);
        users.pace = Some(Nanos::from_secs(10));
        assert_eq!(users.per_second(20.0), Some(2.0));
        assert_eq!(shape(&[20.0]).per_second(20.0), Some(20.0));
    }

    #[test]
    fn the_mean_is_weighed_by_time() {
        let mut both = shape(&[1.0, 3.0]);
        both.stages[1].length = Nanos::from_secs(30);
        assert_eq!((both.mean(), both.largest(), both.length()), (2.5, 3.0, Nanos::from_secs(40)));
    }

    #[test]
    fn kinds_and_units_are_found_by_their_names() {
        for kind in ShapeKind::ALL {
            assert_eq!(ShapeKind::named(kind.name()), Some(kind));
        }
        assert_eq!(StageUnit::named("users"), Some(StageUnit::Users));
        assert_eq!((ShapeKind::named("peak"), StageUnit::named("")), (None, None));
    }
}
