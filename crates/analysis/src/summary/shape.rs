//! What analysis says of loads that change over time: each shape asks a
//! question of its own, and these are the figures that answer it.

use super::{Distribution, KeptUp, Point};
use model::{Nanos, Span, Stage};

/// One stage of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct StageFigures {
    /// The load that was planned, in its shape's unit.
    pub stage: Stage,
    /// Arrivals a second that its beginning and its end mean; `None` where
    /// that is up to the service.
    pub planned_per_s: Option<(f64, f64)>,
    /// When, from the start of the counted part.
    pub span: Span,
    /// Requests due in it.
    pub scheduled: u64,
    /// Of these: answered as expected.
    pub ok: u64,
    /// Of these: failed, of any kind.
    pub failed: u64,
    /// Of these: unanswered at the run's end, or never sent.
    pub cut_off: u64,
    /// Answers a second that came within it, whichever stage asked for them.
    pub rate_per_s: f64,
    /// What users wait who came in it.
    pub response_time: Distribution,
    /// Whether the service kept up within it.
    pub kept_up: KeptUp,
}

/// One burst of one run. Moments count from the start of the counted part.
#[derive(Clone, Debug, PartialEq)]
pub struct BurstFigures {
    /// Before, during and after.
    pub before: BurstPart,
    /// The burst itself.
    pub during: BurstPart,
    /// Afterwards, recovery included.
    pub after: BurstPart,
    /// The most requests due and not over at once, from the burst's beginning on.
    pub peak_backlog: u64,
    /// When that was.
    pub peak_at: Nanos,
    /// The 99th percentile over time of the backlog before the burst.
    pub usual_backlog: u64,
    /// The backlog is looked at in steps of this length: a 2²⁰th of the counted
    /// part. Moments are known to one step, and `peak_backlog` at the steps' edges.
    pub resolution: Nanos,
    /// How long recovery took.
    pub recovery: Recovery,
    /// The backlog for a picture, from the beginning of `before` to the end of
    /// `after` in 120 stretches of equal length: of the edges of steps in each
    /// stretch the least and the largest backlog, each at the first edge where
    /// it is that, in order of time; one point where the two are the same edge.
    /// A request is in the backlog from its scheduled moment until it is over:
    /// an answer as expected when it is done; what failed at its time limit, or
    /// when it failed if that is later; what was cut off never.
    pub backlog: Vec<(Nanos, u64)>,
}

/// The requests due in one part of a burst.
#[derive(Clone, Debug, PartialEq)]
pub struct BurstPart {
    /// When.
    pub span: Span,
    /// Requests due in it.
    pub scheduled: u64,
    /// Of these: failed, unanswered or never sent.
    pub not_ok: u64,
    /// What their users waited.
    pub response_time: Distribution,
}

/// The time from a burst's end until the backlog is back to what was usual
/// before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// So long.
    Took(Nanos),
    /// Not within so long: to the next burst's beginning, or the run's end.
    NotWithin(Nanos),
    /// Nothing was due before the burst, so nothing is usual; or the run ended
    /// before the burst did.
    CannotSay,
}

/// One burst over all rounds of an arm, those of void runs left out.
#[derive(Clone, Debug, PartialEq)]
pub struct BurstRounds {
    /// Rounds that have this burst.
    pub rounds: u32,
    /// Of these: in which the backlog came back to what was usual.
    pub recovered: u32,
    /// How long recovery took, where every round recovered; from three rounds
    /// on with an interval.
    pub recovery: Option<LengthEstimate>,
    /// The p99 of those who came before it: the middle one of the rounds'.
    pub before_p99: Option<Point>,
    /// The same of those who came during it.
    pub during_p99: Option<Point>,
    /// The same of those who came afterwards.
    pub after_p99: Option<Point>,
    /// The largest backlog of the round in the middle by its size.
    pub peak_backlog: u64,
    /// The usual backlog of the round in the middle by its size.
    pub usual_backlog: u64,
    /// Requests of all rounds that were due during it.
    pub during_scheduled: u64,
    /// Of these: failed, unanswered or never sent.
    pub during_not_ok: u64,
}

/// A length of time over rounds: their median, with Student's 95 % interval
/// around it from three rounds on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LengthEstimate {
    /// The estimate.
    pub value: Nanos,
    /// The interval's ends; never below zero.
    pub interval: Option<(Nanos, Nanos)>,
}

/// How something grew over the counted part of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Growth {
    /// What: `response time p50`, or a reading's name and column.
    pub of: String,
    /// Its unit: `ns`, `bytes`, or empty for a count.
    pub unit: String,
    /// Its value in each of twelve windows of equal length: the median of
    /// response times, the least of a reading; `None` where a window has none.
    pub windows: Vec<Option<f64>>,
    /// Length of a window.
    pub window: Nanos,
    /// Kendall's S over the windows that have a value.
    pub s: i64,
    /// p of the exact Mann–Kendall test, two-sided.
    pub p: Option<f64>,
    /// Theil–Sen slope, a second.
    pub slope: Option<f64>,
    /// The slope's interval (Kendall's), a second.
    pub slope_interval: Option<(f64, f64)>,
    /// Correlation of each window with the next, once the slope is taken out.
    pub correlation: Option<f64>,
    /// What is said of it.
    pub says: Grows,
    /// What it must not reach, where the plan states that.
    pub limit: Option<f64>,
    /// The time until it does: at least, at most; `None` for no upper end.
    pub until_limit: Option<(Nanos, Option<Nanos>)>,
}

/// Whether something grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grows {
    /// It does, beyond chance and by 1 % of its level or more over the run.
    Yes,
    /// It falls in the same way.
    Falls,
    /// No growth can be told from chance.
    NotSeen,
    /// There is a trend, of less than 1 % of its level over the run.
    Negligible,
    /// Too few windows, or windows that are not independent of each other and
    /// do not all step one way.
    TooShort,
}

impl Grows {
    /// The words in results.
    pub fn name(self) -> &'static str {
        match self {
            Grows::Yes => "grows",
            Grows::Falls => "falls",
            Grows::NotSeen => "no growth seen",
            Grows::Negligible => "negligible",
            Grows::TooShort => "too short to tell",
        }
    }
}

/// A rate with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateEstimate {
    /// The estimate, a second.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// What the interval's width comes from.
    pub from: IntervalFrom,
}

/// What an interval of a rate rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntervalFrom {
    /// Student's 95 % interval over so many rounds, three or more.
    Rounds(u32),
    /// The rate lies between two steps of the ramp, and no closer is known:
    /// the last step below it and the first above it, in any round.
    Steps,
    /// Student's 95 % interval over so many saturated steps of all rounds.
    Saturated(u32),
    /// One saturated step: 95 % by the scatter of its count alone.
    Count,
}

impl IntervalFrom {
    /// The word in results.
    pub fn name(self) -> &'static str {
        match self {
            IntervalFrom::Rounds(_) => "rounds",
            IntervalFrom::Steps => "steps",
            IntervalFrom::Saturated(_) => "saturated-steps",
            IntervalFrom::Count => "count",
        }
    }
}

/// A figure of a ramp: a rate, or why there is none.
#[derive(Clone, Debug, PartialEq)]
pub enum RampRate {
    /// The rate.
    Is(RateEstimate),
    /// It lies above the highest rate that was asked for.
    Above(f64),
    /// It lies below the lowest.
    Below(f64),
    /// Why it cannot be said.
    CannotSay(String),
}

/// What an arm's ramp shows, over all its rounds.
#[derive(Clone, Debug, PartialEq)]
pub struct RampFigures {
    /// Where answers a second stop following arrivals a second.
    pub saturation: RampRate,
    /// Where each bound of the plan is crossed, in the plan's order.
    pub bounds: Vec<(model::Bound, RampRate)>,
    /// Where the median is twice that of the lowest rate.
    pub p50_doubles: RampRate,
    /// Why the load rises too fast for these to be exact; `None` where it does not.
    pub too_steep: Option<String>,
}
