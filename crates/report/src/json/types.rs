//! The words of `summary.json`, in the order in which they are written.

use super::shape::{Burst, Grown, Ramp, Shape, Stage};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

/// An object whose keys keep their order.
#[derive(Debug)]
pub(super) struct Ordered<T>(pub(super) Vec<(String, T)>);

impl<T: Serialize> Serialize for Ordered<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

#[derive(Debug, Serialize)]
pub(super) struct SummaryFile {
    pub format: u32,
    pub question: String,
    pub answer: String,
    pub verdict: &'static str,
    pub doubts: Vec<DoubtEntry>,
    pub tool_version: String,
    pub began: String,
    pub machine: Machine,
    pub arms: Ordered<Arm>,
    pub comparisons: Vec<Comparison>,
    pub guesses: Vec<Guess>,
    pub bounds: Vec<Bound>,
    /// Runs that the plan asks for, done or not.
    pub planned_runs: Option<u32>,
}

#[derive(Debug, Serialize)]
pub(super) struct DoubtEntry {
    pub code: &'static str,
    pub weight: &'static str,
    pub says: String,
    pub hint: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct Machine {
    pub processor: Option<String>,
    pub cores: Option<u32>,
    pub memory_bytes: Option<u64>,
    pub kernel: Option<String>,
    pub clock_source: Option<String>,
    pub virtual_machine: Option<bool>,
    pub governor: Option<String>,
    pub descriptors_soft: Option<u64>,
    pub descriptors_hard: Option<u64>,
    pub port_first: Option<u16>,
    pub port_last: Option<u16>,
    pub load_1m: Option<f64>,
    pub idle_share: Option<f64>,
    pub steal_share: Option<f64>,
    pub watched_ns: Option<u64>,
}

#[derive(Debug, Serialize)]
pub(super) struct Arm {
    pub model: Option<&'static str>,
    pub target_rate_per_s: Option<f64>,
    pub arrivals: Option<&'static str>,
    pub connections: Option<u32>,
    pub stalls: Option<bool>,
    /// The other tool that sent, and its command line.
    pub tool: Option<String>,
    pub command: Option<String>,
    /// All runs together, void ones left out.
    pub pooled_response_time_ns: Option<Times>,
    pub windows: Option<WindowSpread>,
    pub ramp: Option<Ramp>,
    pub runs: Vec<Run>,
}

#[derive(Debug, Serialize)]
pub(super) struct Run {
    pub round: u32,
    pub verdict: &'static str,
    pub doubts: Vec<DoubtEntry>,
    pub interrupted: bool,
    pub url: String,
    pub method: String,
    pub seed: u64,
    pub duration_s: f64,
    pub warm_up_s: f64,
    pub timeout_s: f64,
    pub schedule_hash: Option<String>,
    pub connection_policy: &'static str,
    pub connection_limit: u32,
    pub scheduled: u64,
    pub ok: u64,
    pub failed: Ordered<u64>,
    pub unfinished: u64,
    pub never_sent: u64,
    pub resent: u64,
    pub rate_per_s: f64,
    pub kept_up: &'static str,
    pub smallest_visible_shortfall: f64,
    pub response_time_ns: Times,
    pub ok_response_time_ns: Times,
    pub service_time_ns: Times,
    pub connect_time_ns: Times,
    pub lateness_ns: Lateness,
    pub corrected_p99_ns: Option<Corrected>,
    pub stalls: Option<Stalls>,
    pub tester: Tester,
    pub little: Option<Little>,
    pub windows: Vec<Window>,
    pub shape: Option<Shape>,
    pub stages: Vec<Stage>,
    pub bursts: Vec<Burst>,
    pub growth: Vec<Grown>,
    pub completion: Option<Completion>,
    pub readings: Vec<Reading>,
    pub reading_gaps: Vec<ReadingGap>,
    pub near_mean_share: Option<f64>,
    pub told: Option<Told>,
    pub machine: Option<Story>,
    pub examples: Ordered<String>,
}

/// Work that was followed past its answer.
#[derive(Debug, Serialize)]
pub(super) struct Completion {
    pub by: &'static str,
    pub every_ns: Option<u64>,
    pub within_ns: u64,
    pub at_most_ns: Option<u64>,
    pub quota_per_s: Option<f64>,
    pub accepted: u64,
    pub accepted_in_all: u64,
    pub accepted_per_s: Option<f64>,
    pub busiest_minute_per_s: Option<f64>,
    pub done: u64,
    pub given_up: u64,
    pub unfinished: u64,
    pub nameless: u64,
    pub submit_to_result_ns: Times,
    pub resolution_ns: Option<u64>,
    pub peak: u64,
    pub peak_at_s: f64,
    pub drained_after_ns: Option<u64>,
    pub late: Option<u64>,
    pub held: Option<&'static str>,
    pub followed: Option<Followed>,
    pub course: Vec<CoursePoint>,
}

#[derive(Debug, Serialize)]
pub(super) struct Followed {
    pub until_ns: u64,
    pub cut_short: bool,
    pub asked: u64,
    pub failed: u64,
    pub example: Option<String>,
    pub strangers: u64,
    pub repeated: u64,
    pub cpu_ns: u64,
    pub stored: Option<u64>,
    pub stored_unknown: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct CoursePoint {
    pub at_s: f64,
    pub submitted: u64,
    pub ended: u64,
}

/// One column of a reading.
#[derive(Debug, Serialize)]
pub(super) struct Reading {
    pub reading: String,
    pub column: String,
    pub kind: String,
    pub asks: String,
    pub every_s: f64,
    pub unit: Option<&'static str>,
    pub limit: Option<f64>,
    pub n: u64,
    pub first: f64,
    pub last: f64,
    pub least: f64,
    pub most: f64,
    pub most_at_s: f64,
}

/// Where a reading gave nothing; `column` is `null` where all of it was missing.
#[derive(Debug, Serialize)]
pub(super) struct ReadingGap {
    pub reading: String,
    pub column: Option<String>,
    pub asked: u64,
    pub gaps: u64,
    pub first: String,
    pub first_at_ns: u64,
}

/// A distribution of times in nanoseconds. Only the response time's p99 has an
/// interval; elsewhere `p99_low` and its like are left out.
#[derive(Debug, Serialize)]
pub(super) struct Times {
    pub n: u64,
    pub censored: u64,
    pub mean: Option<f64>,
    pub p50: Option<u64>,
    pub p90: Option<u64>,
    pub p95: Option<u64>,
    pub p99: Option<u64>,
    pub p999: Option<u64>,
    pub max: Option<u64>,
    /// Names of the percentiles that are lower bounds.
    pub at_least: Vec<&'static str>,
    #[serde(flatten)]
    pub interval: Option<P99Interval>,
}

#[derive(Debug, Serialize)]
pub(super) struct P99Interval {
    pub p99_low: Option<u64>,
    pub p99_high: Option<u64>,
    pub p99_episodes: u64,
}

/// The whole lateness, and under it the two parts that it is the sum of.
#[derive(Debug, Serialize)]
pub(super) struct Lateness {
    #[serde(flatten)]
    pub all: Times,
    pub waiting: Times,
    pub own: Times,
}

#[derive(Debug, Serialize)]
pub(super) struct Corrected {
    pub raw: u64,
    pub hdr: Option<u64>,
    pub utilisation: Option<u64>,
    pub replay: Option<u64>,
    pub expected_interval: u64,
    pub utilisation_share: Option<f64>,
    pub assumptions: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct Stalls {
    pub planned: u64,
    pub seen: u64,
    pub mean_length_ns: Option<u64>,
    pub sent_during: u64,
    pub overlapped_share: f64,
    pub around: Vec<Around>,
}

#[derive(Debug, Serialize)]
pub(super) struct Around {
    pub from_ms: i64,
    pub sent_per_stall: f64,
}

#[derive(Debug, Serialize)]
pub(super) struct Tester {
    pub cpu_ns_per_request: Option<f64>,
    pub sender_cpu_ns_per_request: Option<f64>,
    pub core_share: Option<f64>,
    pub backend: String,
    pub threads: u32,
    pub peak_rss_bytes: Option<u64>,
    pub connections_opened: Option<u64>,
    pub connections_peak: Option<u32>,
    pub waited_at_limit: Option<u64>,
    pub limit_lowered_to: Option<u32>,
    pub own_reading: Option<OwnReading>,
    pub tls: Option<Tls>,
}

/// What secured connections agreed on.
#[derive(Debug, Serialize)]
pub(super) struct Tls {
    pub agreed: Option<String>,
    pub verifies: bool,
    pub handshakes: u64,
    pub resumed: u64,
    pub p50_ns: Option<u64>,
    pub p99_ns: Option<u64>,
    pub max_ns: Option<u64>,
}

/// How long answers lay in the kernel until they were read.
#[derive(Debug, Serialize)]
pub(super) struct OwnReading {
    pub stamped: u64,
    pub unstamped: u64,
    pub p50_ns: Option<u64>,
    pub p99_ns: Option<u64>,
    pub max_ns: Option<u64>,
}

/// One of a run's twelve windows.
#[derive(Debug, Serialize)]
pub(super) struct Window {
    pub began_s: f64,
    pub length_s: f64,
    pub n: u64,
    pub p99_ns: Option<u64>,
    pub at_least: bool,
}

/// Least and largest p99, over the rounds.
#[derive(Debug, Serialize)]
pub(super) struct WindowSpread {
    pub length_s: f64,
    pub first_ns: [u64; 2],
    pub whole_ns: [u64; 2],
    pub any_ns: [u64; 2],
}

/// What another tool says of its own run.
#[derive(Debug, Serialize)]
pub(super) struct Told {
    pub requests: Option<u64>,
    pub failed: Option<u64>,
    pub rate_per_s: Option<f64>,
    pub mean_ns: Option<u64>,
    pub p50_ns: Option<u64>,
    pub p90_ns: Option<u64>,
    pub p95_ns: Option<u64>,
    pub p99_ns: Option<u64>,
    pub p999_ns: Option<u64>,
    pub max_ns: Option<u64>,
    pub gave_samples: bool,
}

/// The machine before and during one run.
#[derive(Debug, Serialize)]
pub(super) struct Story {
    pub idle_before: Option<f64>,
    pub load_before: Option<f64>,
    pub waited_for_quiet_s: f64,
    pub was_quiet: Option<bool>,
    pub steal_share: Option<f64>,
    pub other_cores: Option<f64>,
    pub throttled: Option<u64>,
    pub log_lines: Option<u64>,
    pub sessions: Option<u32>,
    pub service_core_share: Option<f64>,
}

/// Two arms: b against a. Effects are shares of a: 0.06 is 6 % more.
#[derive(Debug, Serialize)]
pub(super) struct Comparison {
    pub a: String,
    pub b: String,
    pub number: &'static str,
    pub twin: bool,
    pub rounds: u32,
    pub ratios: Vec<f64>,
    pub effect: Option<f64>,
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub coverage: Option<f64>,
    pub p: Option<f64>,
    pub p_floor: Option<f64>,
    pub p_holm: Option<f64>,
    pub told_apart: Option<bool>,
    pub plain_rule: Option<bool>,
    pub smallest_visible: Option<f64>,
    pub same_within: Option<f64>,
    pub sd_rounds: Option<f64>,
    pub sd_paired: Option<f64>,
}

#[derive(Debug, Serialize)]
pub(super) struct Guess {
    pub name: String,
    pub says: String,
    pub holds: String,
    /// It was added after the first run had begun.
    pub late: bool,
    pub verdict: &'static str,
    pub figures: Vec<GuessFigure>,
}

#[derive(Debug, Serialize)]
pub(super) struct GuessFigure {
    pub arm: String,
    pub figure: String,
    pub values: Option<Vec<f64>>,
}

#[derive(Debug, Serialize)]
pub(super) struct Bound {
    pub number: &'static str,
    pub at_most_ns: u64,
    pub arms: Vec<BoundArm>,
    pub highest: Option<BoundRate>,
    pub unbounded: Option<BoundRate>,
}

#[derive(Debug, Serialize)]
pub(super) struct BoundArm {
    pub arm: String,
    pub rate_per_s: f64,
    pub held: u32,
    pub rounds: u32,
    pub worst_ns: Option<u64>,
    pub at_least: bool,
}

#[derive(Debug, Serialize)]
pub(super) struct BoundRate {
    pub arm: String,
    pub rate_per_s: f64,
    /// How many times the highest rate that held the bound this is.
    pub times: Option<f64>,
}

#[derive(Debug, Serialize)]
pub(super) struct Little {
    pub mean_in_system: f64,
    pub rate_times_mean: f64,
}
