//! The words of `summary.json`, in the order in which they are written.

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
    /// Plans ask for no comparisons, guesses or bounds so far. The names are
    /// there so that a reader need not ask whether they are.
    pub comparisons: [(); 0],
    pub guesses: [(); 0],
    pub bounds: [(); 0],
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
    pub examples: Ordered<String>,
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
    /// Not computed so far.
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
}

#[derive(Debug, Serialize)]
pub(super) struct Little {
    pub mean_in_system: f64,
    pub rate_times_mean: f64,
}
