//! What analysis says about runs, as plain data for whoever draws it: here of
//! one run, and in [`experiment`] of all of them.
//!
//! A number that is not known is `None`; zero never stands for it.

mod completion;
mod experiment;
mod readings;
mod shape;

pub use completion::*;
pub use experiment::*;
pub use readings::*;
pub use shape::*;

use model::{Load, MachineStory, Nanos, OwnReading, ReadingGaps, RunFacts, TlsTold, Told};

/// How far a measurement can be trusted, worst last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Nothing speaks against its numbers.
    Valid,
    /// Its numbers stand, with the doubts beside them.
    Doubtful,
    /// No number of it should be used.
    Void,
}

impl Verdict {
    /// The word in results: `valid`, `doubtful`, `void`.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Valid => "valid",
            Verdict::Doubtful => "doubtful",
            Verdict::Void => "void",
        }
    }
}

/// A reason to trust a run less.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// A short fixed name, such as `few-episodes`, for machines.
    pub code: &'static str,
    /// What it makes of the run at best; `Valid` for a remark that costs it nothing.
    pub weight: Verdict,
    /// One sentence for people: what was seen.
    pub says: String,
    /// What to do about it, if anything can be done.
    pub hint: Option<String>,
}

/// One quantile of a distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// The nearest-rank value.
    pub value: Nanos,
    /// True if requests that failed or were cut off reach down to it, so that
    /// the true value may be larger: print `≥`.
    pub at_least: bool,
}

/// A distribution of times by nearest rank, failed and cut-off requests
/// included as lower bounds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Distribution {
    /// How many requests it holds.
    pub n: u64,
    /// How many of them are lower bounds.
    pub censored: u64,
    /// Mean in nanoseconds (a lower bound where `censored` is not zero).
    pub mean: Option<f64>,
    /// Median.
    pub p50: Option<Point>,
    /// 90th percentile.
    pub p90: Option<Point>,
    /// 95th percentile.
    pub p95: Option<Point>,
    /// 99th percentile.
    pub p99: Option<Point>,
    /// 99.9th percentile.
    pub p999: Option<Point>,
    /// The largest.
    pub max: Option<Point>,
}

/// The interval of a run's p99 and what it rests on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Interval {
    /// Lower end of the 95 % interval.
    pub low: Option<Nanos>,
    /// Upper end; `None` where the run does not bound it.
    pub high: Option<Nanos>,
    /// Separate slow events that the slowest 1 % came from.
    pub episodes: u64,
}

/// Whether the service kept up with what it was asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeptUp {
    /// `Some(true)` kept up, `Some(false)` fell behind, `None` cannot tell.
    pub kept_up: Option<bool>,
    /// The smallest shortfall, as a share of the rate, that this run could
    /// have seen; 1 where it could see none.
    pub smallest_visible: f64,
}

/// The tester's lateness and its parts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lateness {
    /// Sent − scheduled.
    pub all: Distribution,
    /// The part spent waiting for a connection, connecting included.
    pub waiting: Distribution,
    /// The rest: the tester's own delay.
    pub own: Distribution,
}

/// A p99 as measured and as three corrections for coordinated omission would
/// have it. Only for closed and paced runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Corrected {
    /// As measured.
    pub raw: Nanos,
    /// HdrHistogram's rule: missing requests at every expected interval.
    pub hdr: Option<Nanos>,
    /// The same with the interval shortened to its idle share, because what
    /// was omitted would have queued too.
    pub utilisation: Option<Nanos>,
    /// The planned rate's arrivals sent once more, in thought, through one
    /// server that stands still when this one did.
    pub replay: Option<Nanos>,
    /// The expected interval between one connection's requests.
    pub expected_interval: Nanos,
    /// Planned rate over capacity, where the capacity is known.
    pub utilisation_share: Option<f64>,
    /// Why a number is missing, or what must hold for these to be right.
    pub assumptions: Vec<String>,
}

/// What the run's stalls did.
#[derive(Clone, Debug, PartialEq)]
pub struct StallFigures {
    /// Stalls planned for the counted part.
    pub planned: u64,
    /// Stalls that the service reports to have had.
    pub seen: u64,
    /// Mean length of those seen; `None` if there were none.
    pub mean_length: Option<Nanos>,
    /// Counted requests sent while the service stood still.
    pub sent_during: u64,
    /// Share of counted requests that were out during some part of a stall.
    pub overlapped_share: f64,
    /// Requests sent around a stall, in bins, a mean over all stalls.
    pub around: Vec<AroundBin>,
}

/// Requests sent in one bin of time around a stall's beginning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AroundBin {
    /// The bin's start, in milliseconds from the stall's beginning; negative before it.
    pub from_ms: i64,
    /// Mean number of requests sent in it, per stall.
    pub sent_per_stall: f64,
}

/// One slice of the counted part.
#[derive(Clone, Debug, PartialEq)]
pub struct Slice {
    /// Its beginning, from the start of the counted part.
    pub began: Nanos,
    /// Its length.
    pub length: Nanos,
    /// Requests due in it.
    pub scheduled: u64,
    /// Those of them that failed or were cut off.
    pub failed: u64,
    /// p99 of their response times, `None` if none was due.
    pub p99: Option<Nanos>,
    /// The slowest response.
    pub max: Option<Nanos>,
}

/// One request as a dot: when it was due (from the start of the counted part)
/// and how long its user waited (at least, where it failed or was cut off).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dot {
    /// Scheduled moment, from the start of the counted part.
    pub at: Nanos,
    /// Response time.
    pub response: Nanos,
    /// Whether it was answered as expected.
    pub ok: bool,
}

/// One of a run's windows: what a tester would have said that had run for no
/// longer than this.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Its beginning, from the start of the counted part.
    pub began: Nanos,
    /// Its length.
    pub length: Nanos,
    /// Requests due in it.
    pub n: u64,
    /// p99 of their response times, `None` if none was due.
    pub p99: Option<Point>,
}

/// What the run cost the tester.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TesterFigures {
    /// CPU of the whole process per counted request, in nanoseconds.
    pub cpu_ns_per_request: Option<f64>,
    /// The same of the sending threads alone.
    pub sender_cpu_ns_per_request: Option<f64>,
    /// CPU of the whole process as a share of one core over the counted part.
    pub core_share: Option<f64>,
    /// Most memory resident, in bytes.
    pub peak_rss_bytes: Option<u64>,
    /// Connections opened over the whole run.
    pub connections_opened: Option<u64>,
    /// Most connections open at once.
    pub connections_peak: Option<u32>,
    /// Counted requests that waited while no further connection could be opened.
    pub waited_at_limit: Option<u64>,
    /// The fewest connections that the machine allowed, where it refused more.
    pub limit_lowered_to: Option<u32>,
    /// How long answers lay in the kernel until they were read.
    pub own_reading: Option<OwnReading>,
    /// What secured connections agreed on.
    pub tls: Option<TlsTold>,
}

/// Little's law as a check on our own books: mean number of requests in the
/// system, summed by the engine, against rate × mean response time of the samples.
///
/// The engine's sum over time is, term by term, the sum of all stays. So the
/// two can differ only where a row was lost, doubled or altered between the
/// engine and here; of queueing, or of a moment that was wrong when the engine
/// took it, the check says nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Little {
    /// Mean number in the system, from the engine's own sum.
    pub mean_in_system: f64,
    /// Rate × mean response time, from the samples.
    pub rate_times_mean: f64,
}

/// Everything analysis says about one run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSummary {
    /// The run's facts.
    pub facts: RunFacts,
    /// How far to trust it.
    pub verdict: Verdict,
    /// Why not further.
    pub doubts: Vec<Doubt>,
    /// Whether it was interrupted or killed.
    pub interrupted: bool,
    /// Length of the counted part.
    pub duration: Nanos,
    /// Counted requests that became due.
    pub scheduled: u64,
    /// Of these: answered as expected.
    pub ok: u64,
    /// Of these: failed, by outcome name, largest first.
    pub failed: Vec<(&'static str, u64)>,
    /// Of these: sent and unanswered at the end.
    pub unfinished: u64,
    /// Of these: never sent.
    pub never_sent: u64,
    /// How often a counted request was sent again.
    pub resent: u64,
    /// Answers a second that came inside the counted part, whatever they said;
    /// a request that failed without an answer is no work that was done.
    pub rate_per_s: f64,
    /// Whether the service kept up.
    pub kept_up: KeptUp,
    /// What users wait: from the scheduled moment.
    pub response_time: Distribution,
    /// The same of the requests answered as expected alone; label it so.
    pub response_time_ok: Distribution,
    /// From the moment of sending.
    pub service_time: Distribution,
    /// Time to open a connection, of requests that opened one.
    pub connect_time: Distribution,
    /// The interval of the response time's p99.
    pub p99_interval: Interval,
    /// The tester's share.
    pub lateness: Lateness,
    /// Corrections for coordinated omission, for closed and paced runs.
    pub corrected: Option<Corrected>,
    /// What the stalls did, where the service tells them.
    pub stalls: Option<StallFigures>,
    /// What the tester cost.
    pub tester: TesterFigures,
    /// The check by Little's law.
    pub little: Option<Little>,
    /// One example of each kind of failure: outcome name, and what was seen.
    pub examples: Vec<(String, String)>,
    /// The counted part in at most 60 slices of equal length.
    pub slices: Vec<Slice>,
    /// The counted part in twelve windows of equal length; empty where they
    /// would hold fewer than a hundred requests each, whose p99 is their slowest.
    pub windows: Vec<Window>,
    /// Its stages, where the load changes over time.
    pub stages: Vec<StageFigures>,
    /// Its bursts, where the load has any.
    pub bursts: Vec<BurstFigures>,
    /// What grew, where the load asks for that: response times and readings.
    pub growth: Vec<Growth>,
    /// What became of the work that answers accepted, where it was followed.
    pub completion: Option<CompletionFigures>,
    /// What was read beside the load: every column that gave a number.
    pub readings: Vec<ReadingFigures>,
    /// Where readings gave nothing, and why.
    pub reading_gaps: Vec<ReadingGaps>,
    /// Share of requests whose response time lies within 10 % of the mean, 0 to 1.
    pub near_mean: Option<f64>,
    /// What another tool says of the run, where one sent.
    pub told: Option<Told>,
    /// What the machine did besides, where it was watched.
    pub story: Option<MachineStory>,
    /// Some requests as dots: a seeded choice of all, and the slowest.
    pub dots: Vec<Dot>,
    /// Response time at 100 quantiles from 0 towards 1, for a curve: (quantile, value).
    pub curve: Vec<(f64, Nanos)>,
}

impl RunSummary {
    /// The run's load model.
    pub fn load(&self) -> Load {
        self.facts.load
    }

    /// Counted requests that failed, of any kind.
    pub fn failed_total(&self) -> u64 {
        self.failed.iter().map(|(_, n)| n).sum()
    }
}
