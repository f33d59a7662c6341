//! The facts of one run, beside its samples.

use crate::{ConnectionPolicy, FollowFacts, Followed, Load, Nanos, Seed, SendPrecision, Shape};

/// An interval on the run's clock: from `began` up to, not including, `ended`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// First moment inside.
    pub began: Nanos,
    /// First moment after.
    pub ended: Nanos,
}

impl Span {
    /// Its length.
    pub fn length(self) -> Nanos {
        self.ended.saturating_sub(self.began)
    }

    /// Whether `moment` lies inside.
    pub fn contains(self, moment: Nanos) -> bool {
        self.began <= moment && moment < self.ended
    }
}

/// The stalls of a run's service, as the service itself tells them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stalls {
    /// How many were planned to begin in the counted part.
    pub planned: u64,
    /// When each really began and ended, in order.
    pub seen: Vec<Span>,
}

/// CPU time used since a process or thread began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuUse {
    /// By the whole process.
    pub process: Nanos,
    /// By its sending threads alone.
    pub senders: Nanos,
}

/// What is known of a run before its first request.
#[derive(Clone, Debug, PartialEq)]
pub struct RunFacts {
    /// The arm's name, such as `open-546`.
    pub arm: String,
    /// The round, from 1.
    pub round: u32,
    /// The URL under test.
    pub url: String,
    /// The request's method.
    pub method: String,
    /// Who decides when the next request is due. Where the load changes over
    /// time, its rate is the mean and its connections are the most.
    pub load: Load,
    /// How the load changes over time; `None` where it stays the same.
    pub shape: Option<Shape>,
    /// The run's seed; arrivals, work and stalls derive theirs from it.
    pub seed: Seed,
    /// The first part of the schedule, sent and not counted.
    pub warm_up: Nanos,
    /// The counted part that follows.
    pub measure: Nanos,
    /// Time limit of a request, from its scheduled moment.
    pub timeout: Nanos,
    /// How long after the last arrival answers are waited for.
    pub grace: Nanos,
    /// When connections are opened and kept.
    pub connection_policy: ConnectionPolicy,
    /// Connections allowed at once, all threads together.
    pub connection_limit: u32,
    /// How the tester waits for the next scheduled moment.
    pub precision: SendPrecision,
    /// Sending threads.
    pub threads: u32,
    /// The event loop's back end, such as `epoll`.
    pub backend: String,
    /// Arrivals planned in the warm-up and in the counted part (open model);
    /// `None` where the service decides.
    pub planned: Option<(u64, u64)>,
    /// SHA-256 over all planned arrivals, hex (open model).
    pub schedule_hash: Option<String>,
    /// Whether the service was asked to stall; `None` where it cannot be asked.
    pub stalls_asked: Option<bool>,
    /// Answers a second that the service can give, where another run showed it.
    pub capacity_per_s: Option<f64>,
    /// How far this machine can be trusted as a tester, where it was calibrated.
    pub trusted: Option<Trusted>,
    /// How work is followed past its answer; `None` where an answer is the end.
    pub follow: Option<FollowFacts>,
    /// The other tool that sends in doorclock's place; `None` where doorclock
    /// sends. `load` is then what that tool was told to do.
    pub tool: Option<ToolFacts>,
}

/// What `doorclock calibrate` found: up to so many requests a second, each
/// sending thread is on time.
#[derive(Clone, Debug, PartialEq)]
pub struct Trusted {
    /// Requests a second of one sending thread.
    pub per_s: f64,
    /// The tester's own delay that 99 of 100 requests kept to.
    pub within: Nanos,
    /// The day on which it was found, such as `2026-12-01`.
    pub day: String,
}

/// Another tool, run as an arm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolFacts {
    /// Its name, such as `locust`; `command` where its output is not read.
    pub name: String,
    /// Its command line, as the plan has it.
    pub command: String,
}

/// What another tool says of its own run, for a reader to compare. Times are
/// from the moment at which that tool starts its clock, which is that of
/// sending in all that are known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Told {
    /// Requests that it counts.
    pub requests: Option<u64>,
    /// Of them, those that it says failed.
    pub failed: Option<u64>,
    /// Requests a second.
    pub rate_per_s: Option<f64>,
    /// Its mean response time.
    pub mean: Option<Nanos>,
    /// Its median.
    pub p50: Option<Nanos>,
    /// Its 90th percentile.
    pub p90: Option<Nanos>,
    /// Its 95th percentile.
    pub p95: Option<Nanos>,
    /// Its 99th percentile.
    pub p99: Option<Nanos>,
    /// Its 99.9th percentile.
    pub p999: Option<Nanos>,
    /// The slowest response it saw.
    pub max: Option<Nanos>,
    /// Whether it gave the time of every request: then the run has samples,
    /// and every figure is computed from those.
    pub gave_samples: bool,
}

/// What the machine did before a run and during it, besides the run. What
/// could not be read is `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MachineStory {
    /// Share of all cores that was idle right before the run, 0 to 1.
    pub idle_before: Option<f64>,
    /// Load average over a minute right before the run.
    pub load_before: Option<f64>,
    /// How long the run waited for a quiet machine.
    pub waited_for_quiet: Nanos,
    /// Whether the machine was as quiet as the plan asks; `None` if it asks for nothing.
    pub was_quiet: Option<bool>,
    /// Share of all cores' time that the hypervisor gave to others during the run, 0 to 1.
    pub steal_share: Option<f64>,
    /// CPU time during the run of processes that are neither tester nor
    /// service, in cores (1 is one core's whole time).
    pub other_cores: Option<f64>,
    /// Times that the control group was throttled during the run.
    pub throttled: Option<u64>,
    /// Lines that the system's log gained during the run.
    pub log_lines: Option<u64>,
    /// People's sessions open at the run's end.
    pub sessions: Option<u32>,
    /// CPU time of the service's process during the run, as a share of one core.
    pub service_core_share: Option<f64>,
}

/// What is known of a run when it has ended by itself or was interrupted in good order.
#[derive(Clone, Debug, PartialEq)]
pub struct RunEnd {
    /// When the last arrival of the counted part was due, or sending was
    /// interrupted: the end of the counted part on the run's clock.
    pub counted_until: Nanos,
    /// When the run stopped waiting for answers.
    pub ended: Nanos,
    /// Whether a person or a full disk stopped it before its time.
    pub interrupted: bool,
    /// Requests that became due over the whole run, warm-up included, as the
    /// engine counted them; not taken from the samples.
    pub taken: u64,
    /// The same for the counted part alone.
    pub taken_counted: u64,
    /// The integral over the whole run of the number of requests due and not
    /// done, in request-nanoseconds, as the engine summed it up event by
    /// event; not taken from the samples. Feeds the check by Little's law.
    pub area: u128,
    /// Samples that could not be kept.
    pub samples_lost: u64,
    /// CPU used over the counted part.
    pub cpu: CpuUse,
    /// Most memory the process had resident, in bytes, up to the run's end.
    pub peak_rss_bytes: Option<u64>,
    /// Connections opened.
    pub connections_opened: u64,
    /// Most connections open at once; with several sending threads, the sum of
    /// their peaks, which need not have come at one moment.
    pub connections_peak: u32,
    /// Counted requests that waited at the tester while no further connection
    /// could be opened.
    pub waited_at_limit: u64,
    /// The fewest connections that this machine allowed at some moment, where
    /// it refused more (no descriptor, port or memory left).
    pub limit_lowered_to: Option<u32>,
    /// Times the event loop waited and was woken.
    pub wakeups: u64,
    /// How long answers lay in the kernel until they were read; `None` where
    /// doorclock did not send, and in older runs.
    pub own_reading: Option<OwnReading>,
    /// What was agreed on, where connections were secured.
    pub tls: Option<TlsTold>,
    /// One example of each kind of failure: outcome name and what was seen.
    pub examples: Vec<(String, String)>,
    /// The stalls of the service, where it tells them.
    pub stalls: Option<Stalls>,
    /// What following the work came to, where it was followed.
    pub followed: Option<Followed>,
    /// What the other tool says of the run, where one sent.
    pub told: Option<Told>,
    /// What the machine did besides; `None` where nobody watched it.
    pub machine: Option<MachineStory>,
}

/// How long whole answers lay in the kernel until the tester read them. Where
/// the kernel tells when bytes came, a sample's `done` is that moment, and this
/// delay is in no time that is reported; where it does not, answers are read at
/// once, and `done` is the moment of reading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OwnReading {
    /// Counted answers whose arrival the kernel told.
    pub stamped: u64,
    /// Counted answers for which the moment of reading stands.
    pub unstamped: u64,
    /// Median delay, at most an eighth too high.
    pub p50: Option<Nanos>,
    /// Its 99th percentile, at most an eighth too high.
    pub p99: Option<Nanos>,
    /// The longest.
    pub max: Option<Nanos>,
}

/// What connections agreed on, and what their handshakes took. A handshake is
/// inside `connect`, and so inside the response time of the request that
/// waited for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TlsTold {
    /// Version, cipher and key exchange of the first connection.
    pub agreed: Option<String>,
    /// Whether the peer had to show who it is.
    pub verifies: bool,
    /// Handshakes made.
    pub handshakes: u64,
    /// Those of them that went on from an older session.
    pub resumed: u64,
    /// Median length of a handshake, at most an eighth too high.
    pub p50: Option<Nanos>,
    /// Its 99th percentile, at most an eighth too high.
    pub p99: Option<Nanos>,
    /// The longest.
    pub max: Option<Nanos>,
}

impl TlsTold {
    /// Two threads together; percentiles are the larger of the two.
    #[must_use]
    pub fn and(self, other: TlsTold) -> TlsTold {
        TlsTold {
            agreed: self.agreed.or(other.agreed),
            verifies: self.verifies && other.verifies,
            handshakes: self.handshakes + other.handshakes,
            resumed: self.resumed + other.resumed,
            p50: self.p50.max(other.p50),
            p99: self.p99.max(other.p99),
            max: self.max.max(other.max),
        }
    }
}

/// The last that is known of a run that was killed: it was alive then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastSign {
    /// When, on the run's clock.
    pub at: Nanos,
    /// Counted requests that the schedule had made due by then (open model);
    /// `None` where the service decides.
    pub due_counted: Option<u64>,
}

/// A run's facts, and how it ended; `end` is `None` for a run that was killed.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRecord {
    /// Known before the first request.
    pub facts: RunFacts,
    /// Known after the last.
    pub end: Option<RunEnd>,
    /// The last sign of life that the results folder holds.
    pub last_sign: Option<LastSign>,
}
