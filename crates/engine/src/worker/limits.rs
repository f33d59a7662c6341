//! What a worker keeps to, and what it did.

use crate::connections::Numbers;
use crate::lag::ReadLag;
use model::{ConnectionPolicy, CpuUse, Nanos, Outcome, TlsTold};

/// The moments and limits that a worker keeps to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Requests due before this are warm-up.
    pub warm_up: Nanos,
    /// No request is due from here on: the end of the counted part.
    pub until: Nanos,
    /// How long after `until` answers are waited for.
    pub grace: Nanos,
    /// A request's time limit, from its scheduled moment.
    pub timeout: Nanos,
    /// When connections are opened and kept.
    pub connection_policy: ConnectionPolicy,
    /// Connections of this worker at once; at least 1, and at least one for
    /// each user where users own connections.
    pub connection_limit: u32,
    /// The numbers it gives to its connections.
    pub connection_numbers: Numbers,
    /// Whether answers may lie in the kernel, which knows when they came, until
    /// the next request is due: where no answer makes one due.
    pub may_read_later: bool,
}

/// What a worker did, beside its samples.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorkerEnd {
    /// When sending ended.
    pub until: Nanos,
    /// When it stopped waiting for answers.
    pub ended: Nanos,
    /// Whether it was told to stop before its time.
    pub interrupted: bool,
    /// Requests that became due.
    pub taken: u64,
    /// Those of them that count.
    pub taken_counted: u64,
    /// The time integral of the number of requests due and not done, in
    /// request-nanoseconds.
    pub area: u128,
    /// Samples that could not be kept.
    pub samples_lost: u64,
    /// CPU used over the counted part.
    pub cpu: CpuUse,
    /// Connections opened.
    pub connections_opened: u64,
    /// Most connections open at once.
    pub connections_peak: u32,
    /// Counted requests that waited while no further connection could be opened.
    pub waited_at_limit: u64,
    /// The fewest connections that the machine allowed, where it refused more.
    pub limit_lowered_to: Option<u32>,
    /// Times the loop waited and was woken.
    pub wakeups: u64,
    /// How long counted answers lay in the kernel until they were read.
    pub read_lag: ReadLag,
    /// What was agreed on and what handshakes took, where connections are secured.
    pub tls: Option<TlsTold>,
    /// One example of each kind of failure.
    pub examples: Vec<(Outcome, String)>,
}
