//! What load a run asks for.

use crate::{Nanos, Rate};
use std::fmt;

/// How the moments of an open load are spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrivalProcess {
    /// Exponential gaps: users who know nothing of each other.
    Poisson,
    /// Equal gaps. Hides the queueing that chance arrivals cause.
    Even,
}

impl ArrivalProcess {
    /// The word in plans, on the command line and in results.
    pub fn name(self) -> &'static str {
        match self {
            ArrivalProcess::Poisson => "poisson",
            ArrivalProcess::Even => "even",
        }
    }
}

/// The load model of a run: who decides when the next request is due.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Load {
    /// Arrivals on their own clock, whatever the service does.
    Open {
        /// Arrivals a second.
        rate: Rate,
        /// How they are spread.
        arrivals: ArrivalProcess,
    },
    /// A closed loop that also aims at a rate.
    Paced {
        /// The rate that all connections aim at together.
        rate: Rate,
        /// Connections, each with one request at a time.
        connections: u32,
    },
    /// Each connection sends again after its answer.
    Closed {
        /// Connections, each with one request at a time.
        connections: u32,
    },
}

impl Load {
    /// The model's word: `open`, `paced` or `closed`.
    pub fn name(self) -> &'static str {
        match self {
            Load::Open { .. } => "open",
            Load::Paced { .. } => "paced",
            Load::Closed { .. } => "closed",
        }
    }

    /// The rate that was asked for, if the model has one.
    pub fn target_rate(self) -> Option<Rate> {
        match self {
            Load::Open { rate, .. } | Load::Paced { rate, .. } => Some(rate),
            Load::Closed { .. } => None,
        }
    }

    /// The number of users, each with one request at a time, if the model has users.
    pub fn users(self) -> Option<u32> {
        match self {
            Load::Open { .. } => None,
            Load::Paced { connections, .. } | Load::Closed { connections } => Some(connections),
        }
    }
}

/// As a person reads it: `open loop · Poisson arrivals, 500/s`.
impl fmt::Display for Load {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = |n: u32| if n == 1 { "" } else { "s" };
        match *self {
            Load::Open { rate, arrivals: ArrivalProcess::Poisson } => {
                write!(out, "open loop · Poisson arrivals, {rate}")
            }
            Load::Open { rate, arrivals: ArrivalProcess::Even } => {
                write!(out, "open loop · even arrivals, {rate}")
            }
            Load::Paced { rate, connections: n } => {
                write!(out, "paced loop · {n} connection{}, {rate}", plural(n))
            }
            Load::Closed { connections: n } => write!(out, "closed loop · {n} connection{}", plural(n)),
        }
    }
}

/// When connections are opened and kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionPolicy {
    /// Keep answered connections and give them to whichever request is next.
    Reuse,
    /// Each user (closed and paced loops) keeps one of its own.
    PerUser,
    /// A new connection for every request.
    PerRequest,
}

impl ConnectionPolicy {
    /// The word in plans, on the command line and in results.
    pub fn name(self) -> &'static str {
        match self {
            ConnectionPolicy::Reuse => "reuse",
            ConnectionPolicy::PerUser => "per-user",
            ConnectionPolicy::PerRequest => "per-request",
        }
    }
}

/// How the tester waits for the next scheduled moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendPrecision {
    /// Sleep in the kernel until the moment: cheap, late by a wake-up.
    Sleep,
    /// Sleep, then spin for the last stretch: exact, and burns a core for it.
    Spin {
        /// How long before the moment the spinning starts.
        last: Nanos,
    },
}
