//! What analysis says of loads that change over time: each shape asks a
//! question of its own, and these are the figures that answer it.

use super::{Distribution, KeptUp};
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
    /// The most requests due and not answered at once, from the burst's beginning on.
    pub peak_backlog: u64,
    /// When that was.
    pub peak_at: Nanos,
    /// The 99th percentile over time of the backlog before the burst.
    pub usual_backlog: u64,
    /// How long recovery took.
    pub recovery: Recovery,
    /// The backlog for a picture, from the beginning of `before` to the end of
    /// `after` in 120 stretches of equal length: of each stretch its least and its
    /// largest backlog, each with the first moment at which it was that, in
    /// order of time; one point where the two are the same. A request is in the
    /// backlog from its scheduled moment up to, not including, its `done`.
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
    /// Too little was sent before the burst to say what is usual.
    CannotSay,
}

/// How something grew over the counted part of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Growth {
    /// What: `response time p50`, or a reading's name and column.
    pub of: String,
    /// Its unit: `ns`, `bytes`, or empty for a count.
    pub unit: String,
    /// Its value in each window of equal length: the median of response times,
    /// the least of a reading.
    pub windows: Vec<f64>,
    /// Length of a window.
    pub window: Nanos,
    /// Kendall's S over the windows.
    pub s: i64,
    /// p of the exact Mann–Kendall test, two-sided.
    pub p: Option<f64>,
    /// Theil–Sen slope, a second.
    pub slope: Option<f64>,
    /// The slope's interval (Kendall's), a second.
    pub slope_interval: Option<(f64, f64)>,
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
    /// Too few windows, or windows that are not independent of each other.
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

/// A rate with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateEstimate {
    /// The estimate, a second.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
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
