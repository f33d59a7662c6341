//! Inside `run.json`: what another tool says of its run, and what the machine
//! did besides.

use model::{MachineStory, Nanos, Told};
use serde::{Deserialize, Serialize};

/// [`Told`], each time with its unit.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ToldEntry {
    requests: Option<u64>,
    failed: Option<u64>,
    rate_per_s: Option<f64>,
    mean_ns: Option<u64>,
    p50_ns: Option<u64>,
    p90_ns: Option<u64>,
    p95_ns: Option<u64>,
    p99_ns: Option<u64>,
    p999_ns: Option<u64>,
    max_ns: Option<u64>,
    gave_samples: bool,
}

impl ToldEntry {
    pub(crate) fn new(told: &Told) -> ToldEntry {
        let ns = |time: Option<Nanos>| time.map(|nanos| nanos.0);
        ToldEntry {
            requests: told.requests,
            failed: told.failed,
            rate_per_s: told.rate_per_s,
            mean_ns: ns(told.mean),
            p50_ns: ns(told.p50),
            p90_ns: ns(told.p90),
            p95_ns: ns(told.p95),
            p99_ns: ns(told.p99),
            p999_ns: ns(told.p999),
            max_ns: ns(told.max),
            gave_samples: told.gave_samples,
        }
    }

    pub(crate) fn told(&self) -> Told {
        let time = |ns: Option<u64>| ns.map(Nanos);
        Told {
            requests: self.requests,
            failed: self.failed,
            rate_per_s: self.rate_per_s,
            mean: time(self.mean_ns),
            p50: time(self.p50_ns),
            p90: time(self.p90_ns),
            p95: time(self.p95_ns),
            p99: time(self.p99_ns),
            p999: time(self.p999_ns),
            max: time(self.max_ns),
            gave_samples: self.gave_samples,
        }
    }
}

/// [`MachineStory`], each time with its unit.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct MachineStoryEntry {
    idle_before: Option<f64>,
    load_before: Option<f64>,
    waited_for_quiet_ns: u64,
    was_quiet: Option<bool>,
    steal_share: Option<f64>,
    other_cores: Option<f64>,
    throttled: Option<u64>,
    log_lines: Option<u64>,
    sessions: Option<u32>,
    service_core_share: Option<f64>,
}

impl MachineStoryEntry {
    pub(crate) fn new(story: &MachineStory) -> MachineStoryEntry {
        MachineStoryEntry {
            idle_before: story.idle_before,
            load_before: story.load_before,
            waited_for_quiet_ns: story.waited_for_quiet.0,
            was_quiet: story.was_quiet,
            steal_share: story.steal_share,
            other_cores: story.other_cores,
            throttled: story.throttled,
            log_lines: story.log_lines,
            sessions: story.sessions,
            service_core_share: story.service_core_share,
        }
    }

    pub(crate) fn story(&self) -> MachineStory {
        MachineStory {
            idle_before: self.idle_before,
            load_before: self.load_before,
            waited_for_quiet: Nanos(self.waited_for_quiet_ns),
            was_quiet: self.was_quiet,
            steal_share: self.steal_share,
            other_cores: self.other_cores,
            throttled: self.throttled,
            log_lines: self.log_lines,
            sessions: self.sessions,
            service_core_share: self.service_core_share,
        }
    }
}
