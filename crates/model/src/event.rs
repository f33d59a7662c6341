//! What happens while an experiment runs, for whoever watches.

use crate::Nanos;

/// Where a run stands. Watching changes nothing: a slow watcher misses some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Time since the run's start.
    pub at: Nanos,
    /// When sending ends.
    pub until: Nanos,
    /// Requests done so far, warm-up included.
    pub done: u64,
    /// Those of them that failed.
    pub failed: u64,
    /// p99 of the response times of the last second with answers, if any.
    pub p99: Option<Nanos>,
}

/// What is waited for before a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waits {
    /// A quiet machine.
    Quiet,
    /// Data that is being put back into the same state.
    Reset,
    /// A service that is starting.
    Ready,
}

/// One event of an experiment, in order: for each run, ahead and waiting (where
/// there is a plan), started, then any number of progress, then finished.
#[derive(Clone, Debug, PartialEq)]
pub enum RunEvent {
    /// A run of a planned experiment is next.
    Ahead {
        /// The arm's name.
        arm: String,
        /// The round, from 1.
        round: u32,
        /// This run's number in the experiment, from 1, and how many there are.
        number: (u32, u32),
        /// How long this run and those after it will take, about.
        left: Nanos,
    },
    /// Something is waited for before the run can start.
    Waiting(Waits),
    /// A run is about to send.
    Started {
        /// The arm's name.
        arm: String,
        /// This run's number in the experiment, from 1, and how many there are.
        number: (u32, u32),
    },
    /// A run goes on.
    Progress(Progress),
    /// Sending is over, and accepted work is waited for.
    Following {
        /// Work whose end is known.
        ended: u64,
        /// Work that was accepted.
        accepted: u64,
        /// How long it is waited for at most, from now.
        left: Nanos,
    },
    /// Sending is over and the samples are being put away.
    Finished {
        /// The arm's name.
        arm: String,
    },
}
