//! `run.json` and `stalls.json`: the facts of one run beside its samples.

use super::follow::{FollowEntry, FollowedEntry};
use super::reading::ReadingsEntry;
use super::shape::ShapeEntry;
use super::tls::TlsEntry;
use super::told::{MachineStoryEntry, ToldEntry};
use super::{bad_value, number};
use crate::columns::Written;
use crate::{FORMAT, StoreError};
use model::{
    ArrivalProcess, ConnectionPolicy, CpuUse, Load, Nanos, OwnReading, Rate, ReadingFacts, RunEnd, RunFacts,
    Seed, SendPrecision, Span, Stalls, ToolFacts, Trusted,
};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// `run.json`. Written before the first request, with its end after the last,
/// and once more when the samples lie in columns.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RunFile {
    format: u32,
    /// This run's place in the order in which the runs were made, from 1.
    pub(crate) sequence: u32,
    facts: FactsEntry,
    end: Option<EndEntry>,
    /// Left out where nothing was to be read beside the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) readings: Option<ReadingsEntry>,
    /// The file of columns, once it is whole.
    pub(crate) samples: Option<SampleFile>,
}

impl RunFile {
    /// A run that is about to begin.
    pub(crate) fn new(sequence: u32, facts: &RunFacts) -> RunFile {
        let facts = FactsEntry::new(facts);
        RunFile { format: FORMAT, sequence, facts, end: None, readings: None, samples: None }
    }

    pub(crate) fn set_end(&mut self, end: &RunEnd) {
        self.end = Some(EndEntry::new(end));
    }

    /// What is to be read beside the run.
    pub(crate) fn set_readings(&mut self, facts: &[ReadingFacts]) {
        self.readings = Some(ReadingsEntry::new(facts));
    }

    /// The run's facts; `path` is where they were read, for errors.
    pub(crate) fn facts(&self, path: &Path) -> Result<RunFacts, StoreError> {
        self.facts.facts(path)
    }

    /// Whether the run ended by itself or in good order.
    pub(crate) fn has_end(&self) -> bool {
        self.end.is_some()
    }

    /// Whether `stalls.json` lies beside.
    pub(crate) fn stalls_told(&self) -> bool {
        self.end.as_ref().is_some_and(|end| end.stalls_told)
    }

    /// The run's end, with the stalls that `stalls.json` tells.
    pub(crate) fn end(&self, path: &Path, stalls: Option<Stalls>) -> Result<Option<RunEnd>, StoreError> {
        self.end.as_ref().map(|end| end.end(path, stalls)).transpose()
    }
}

/// The finished file of columns.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct SampleFile {
    pub(crate) rows: u64,
    pub(crate) bytes: u64,
    pub(crate) crc32: u32,
}

impl From<Written> for SampleFile {
    fn from(written: Written) -> SampleFile {
        SampleFile { rows: written.rows, bytes: written.bytes, crc32: written.crc32 }
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct FactsEntry {
    arm: String,
    round: u32,
    url: String,
    method: String,
    load: LoadEntry,
    /// Left out where the load stays the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shape: Option<ShapeEntry>,
    seed: String,
    warm_up_ns: u64,
    measure_ns: u64,
    timeout_ns: u64,
    grace_ns: u64,
    connection_policy: String,
    connection_limit: u32,
    /// How long before each moment the sender spins; `null` if it only sleeps.
    spin_ns: Option<u64>,
    threads: u32,
    backend: String,
    planned_warm_up: Option<u64>,
    planned_counted: Option<u64>,
    schedule_sha256: Option<String>,
    stalls_asked: Option<bool>,
    capacity_per_s: Option<f64>,
    /// Left out where the machine was not calibrated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    trusted: Option<TrustedEntry>,
    /// Left out where an answer is the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    follow: Option<FollowEntry>,
    /// Left out where doorclock itself sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tool: Option<ToolEntry>,
}

#[derive(Debug, Serialize, Deserialize)]
struct TrustedEntry {
    per_s: f64,
    within_ns: u64,
    day: String,
}

impl TrustedEntry {
    fn new(trusted: &Trusted) -> TrustedEntry {
        let Trusted { per_s, within, day } = trusted.clone();
        TrustedEntry { per_s, within_ns: within.0, day }
    }

    fn trusted(&self) -> Trusted {
        Trusted { per_s: self.per_s, within: Nanos(self.within_ns), day: self.day.clone() }
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct ToolEntry {
    name: String,
    command: String,
}

impl FactsEntry {
    fn new(facts: &RunFacts) -> FactsEntry {
        FactsEntry {
            arm: facts.arm.clone(),
            round: facts.round,
            url: facts.url.clone(),
            method: facts.method.clone(),
            load: LoadEntry::new(facts.load),
            shape: facts.shape.as_ref().map(ShapeEntry::new),
            seed: facts.seed.to_string(),
            warm_up_ns: facts.warm_up.0,
            measure_ns: facts.measure.0,
            timeout_ns: facts.timeout.0,
            grace_ns: facts.grace.0,
            connection_policy: facts.connection_policy.name().to_owned(),
            connection_limit: facts.connection_limit,
            spin_ns: match facts.precision {
                SendPrecision::Sleep => None,
                SendPrecision::Spin { last } => Some(last.0),
            },
            threads: facts.threads,
            backend: facts.backend.clone(),
            planned_warm_up: facts.planned.map(|(warm_up, _)| warm_up),
            planned_counted: facts.planned.map(|(_, counted)| counted),
            schedule_sha256: facts.schedule_hash.clone(),
            stalls_asked: facts.stalls_asked,
            capacity_per_s: facts.capacity_per_s,
            trusted: facts.trusted.as_ref().map(TrustedEntry::new),
            follow: facts.follow.map(FollowEntry::new),
            tool: facts
                .tool
                .as_ref()
                .map(|tool| ToolEntry { name: tool.name.clone(), command: tool.command.clone() }),
        }
    }

    fn facts(&self, path: &Path) -> Result<RunFacts, StoreError> {
        Ok(RunFacts {
            arm: self.arm.clone(),
            round: self.round,
            url: self.url.clone(),
            method: self.method.clone(),
            load: self.load.load(path)?,
            shape: self.shape.as_ref().map(|shape| shape.shape(path)).transpose()?,
            seed: Seed(number(path, "facts.seed", &self.seed)?),
            warm_up: Nanos(self.warm_up_ns),
            measure: Nanos(self.measure_ns),
            timeout: Nanos(self.timeout_ns),
            grace: Nanos(self.grace_ns),
            connection_policy: policy_named(&self.connection_policy)
                .ok_or_else(|| bad_value(path, "facts.connection_policy", &self.connection_policy))?,
            connection_limit: self.connection_limit,
            precision: match self.spin_ns {
                None => SendPrecision::Sleep,
                Some(last) => SendPrecision::Spin { last: Nanos(last) },
            },
            threads: self.threads,
            backend: self.backend.clone(),
            planned: self.planned_warm_up.zip(self.planned_counted),
            schedule_hash: self.schedule_sha256.clone(),
            stalls_asked: self.stalls_asked,
            capacity_per_s: self.capacity_per_s,
            trusted: self.trusted.as_ref().map(TrustedEntry::trusted),
            follow: self.follow.as_ref().map(|follow| follow.facts(path)).transpose()?,
            tool: self
                .tool
                .as_ref()
                .map(|tool| ToolFacts { name: tool.name.clone(), command: tool.command.clone() }),
        })
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "model", rename_all = "lowercase")]
enum LoadEntry {
    Open { rate_per_s: f64, arrivals: String },
    Paced { rate_per_s: f64, connections: u32 },
    Closed { connections: u32 },
}

impl LoadEntry {
    fn new(load: Load) -> LoadEntry {
        match load {
            Load::Open { rate, arrivals } => {
                LoadEntry::Open { rate_per_s: rate.as_per_second(), arrivals: arrivals.name().to_owned() }
            }
            Load::Paced { rate, connections } => {
                LoadEntry::Paced { rate_per_s: rate.as_per_second(), connections }
            }
            Load::Closed { connections } => LoadEntry::Closed { connections },
        }
    }

    fn load(&self, path: &Path) -> Result<Load, StoreError> {
        let rate = |per_second: f64| {
            Rate::per_second(per_second).ok_or_else(|| bad_value(path, "facts.load.rate_per_s", &per_second))
        };
        Ok(match self {
            LoadEntry::Open { rate_per_s, arrivals } => Load::Open {
                rate: rate(*rate_per_s)?,
                arrivals: arrivals_named(arrivals)
                    .ok_or_else(|| bad_value(path, "facts.load.arrivals", arrivals))?,
            },
            LoadEntry::Paced { rate_per_s, connections } => {
                Load::Paced { rate: rate(*rate_per_s)?, connections: *connections }
            }
            LoadEntry::Closed { connections } => Load::Closed { connections: *connections },
        })
    }
}

fn arrivals_named(name: &str) -> Option<ArrivalProcess> {
    [ArrivalProcess::Poisson, ArrivalProcess::Even].into_iter().find(|arrivals| arrivals.name() == name)
}

fn policy_named(name: &str) -> Option<ConnectionPolicy> {
    [ConnectionPolicy::Reuse, ConnectionPolicy::PerUser, ConnectionPolicy::PerRequest]
        .into_iter()
        .find(|policy| policy.name() == name)
}

#[derive(Debug, Serialize, Deserialize)]
struct EndEntry {
    counted_until_ns: u64,
    ended_ns: u64,
    interrupted: bool,
    taken: u64,
    taken_counted: u64,
    area_request_ns: String,
    samples_lost: u64,
    cpu_process_ns: u64,
    cpu_senders_ns: u64,
    peak_rss_bytes: Option<u64>,
    connections_opened: u64,
    connections_peak: u32,
    #[serde(default)]
    waited_at_limit: u64,
    #[serde(default)]
    limit_lowered_to: Option<u32>,
    wakeups: u64,
    /// Left out where doorclock did not send.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    own_reading: Option<OwnReadingEntry>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tls: Option<TlsEntry>,
    examples: Vec<ExampleEntry>,
    /// Whether the service told its stalls: they are in `stalls.json`.
    stalls_told: bool,
    /// Left out where an answer was the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    followed: Option<FollowedEntry>,
    /// What another tool says of its run; left out where doorclock sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    told: Option<ToldEntry>,
    /// Left out where nobody watched the machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    machine: Option<MachineStoryEntry>,
}

#[derive(Debug, Serialize, Deserialize)]
struct OwnReadingEntry {
    stamped: u64,
    unstamped: u64,
    p50_ns: Option<u64>,
    p99_ns: Option<u64>,
    max_ns: Option<u64>,
}

impl From<OwnReading> for OwnReadingEntry {
    fn from(of: OwnReading) -> OwnReadingEntry {
        OwnReadingEntry {
            stamped: of.stamped,
            unstamped: of.unstamped,
            p50_ns: of.p50.map(|p50| p50.0),
            p99_ns: of.p99.map(|p99| p99.0),
            max_ns: of.max.map(|max| max.0),
        }
    }
}

impl OwnReadingEntry {
    fn own_reading(&self) -> OwnReading {
        OwnReading {
            stamped: self.stamped,
            unstamped: self.unstamped,
            p50: self.p50_ns.map(Nanos),
            p99: self.p99_ns.map(Nanos),
            max: self.max_ns.map(Nanos),
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct ExampleEntry {
    outcome: String,
    seen: String,
}

impl EndEntry {
    fn new(end: &RunEnd) -> EndEntry {
        let example = |(outcome, seen): &(String, String)| ExampleEntry {
            outcome: outcome.clone(),
            seen: seen.clone(),
        };
        EndEntry {
            counted_until_ns: end.counted_until.0,
            ended_ns: end.ended.0,
            interrupted: end.interrupted,
            taken: end.taken,
            taken_counted: end.taken_counted,
            area_request_ns: end.area.to_string(),
            samples_lost: end.samples_lost,
            cpu_process_ns: end.cpu.process.0,
            cpu_senders_ns: end.cpu.senders.0,
            peak_rss_bytes: end.peak_rss_bytes,
            connections_opened: end.connections_opened,
            connections_peak: end.connections_peak,
            waited_at_limit: end.waited_at_limit,
            limit_lowered_to: end.limit_lowered_to,
            wakeups: end.wakeups,
            own_reading: end.own_reading.map(OwnReadingEntry::from),
            tls: end.tls.as_ref().map(TlsEntry::new),
            examples: end.examples.iter().map(example).collect(),
            stalls_told: end.stalls.is_some(),
            followed: end.followed.as_ref().map(FollowedEntry::new),
            told: end.told.as_ref().map(ToldEntry::new),
            machine: end.machine.as_ref().map(MachineStoryEntry::new),
        }
    }

    fn end(&self, path: &Path, stalls: Option<Stalls>) -> Result<RunEnd, StoreError> {
        Ok(RunEnd {
            counted_until: Nanos(self.counted_until_ns),
            ended: Nanos(self.ended_ns),
            interrupted: self.interrupted,
            taken: self.taken,
            taken_counted: self.taken_counted,
            area: number(path, "end.area_request_ns", &self.area_request_ns)?,
            samples_lost: self.samples_lost,
            cpu: CpuUse { process: Nanos(self.cpu_process_ns), senders: Nanos(self.cpu_senders_ns) },
            peak_rss_bytes: self.peak_rss_bytes,
            connections_opened: self.connections_opened,
            connections_peak: self.connections_peak,
            waited_at_limit: self.waited_at_limit,
            limit_lowered_to: self.limit_lowered_to,
            wakeups: self.wakeups,
            own_reading: self.own_reading.as_ref().map(OwnReadingEntry::own_reading),
            tls: self.tls.as_ref().map(TlsEntry::told),
            examples: self.examples.iter().map(|e| (e.outcome.clone(), e.seen.clone())).collect(),
            stalls,
            followed: self.followed.as_ref().map(FollowedEntry::followed),
            told: self.told.as_ref().map(ToldEntry::told),
            machine: self.machine.as_ref().map(MachineStoryEntry::story),
        })
    }
}

/// `stalls.json`: when the service stood still, as it tells it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct StallsFile {
    format: u32,
    planned: u64,
    seen: Vec<SpanEntry>,
}

#[derive(Debug, Serialize, Deserialize)]
struct SpanEntry {
    began_ns: u64,
    ended_ns: u64,
}

impl StallsFile {
    pub(crate) fn new(stalls: &Stalls) -> StallsFile {
        let entry = |span: &Span| SpanEntry { began_ns: span.began.0, ended_ns: span.ended.0 };
        StallsFile { format: FORMAT, planned: stalls.planned, seen: stalls.seen.iter().map(entry).collect() }
    }

    pub(crate) fn stalls(self) -> Stalls {
        let span = |entry: SpanEntry| Span { began: Nanos(entry.began_ns), ended: Nanos(entry.ended_ns) };
        Stalls { planned: self.planned, seen: self.seen.into_iter().map(span).collect() }
    }
}
