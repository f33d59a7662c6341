//! What goes on beside a run, and is no business of whoever sends: stalls of the
//! service, and the machine.

use crate::run::RunError;
use engine::MonotonicClock;
use model::{MachineStory, Nanos, Span, Stalls};

/// Accompanies one run.
pub trait Beside {
    /// Sending is about to begin. Stalls are wanted from `stalls.began` until
    /// `stalls.ended` on `clock`. Where another tool sends, the counted part lies
    /// somewhere in there, and only afterwards it is known where.
    fn begin(&mut self, clock: &MonotonicClock, stalls: Span) -> Result<(), RunError>;

    /// Sending has ended.
    fn end(&mut self, clock: &MonotonicClock) -> Result<Seen, RunError>;
}

/// What was seen beside a run, on the clock that it was begun with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seen {
    /// The stalls; `None` where the service does not tell them or has none.
    pub stalls: Option<SeenStalls>,
    /// What the machine did.
    pub machine: Option<MachineStory>,
}

/// The stalls of a service during a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeenStalls {
    /// When each was planned to begin.
    pub planned: Vec<Nanos>,
    /// When each began and ended.
    pub seen: Vec<Span>,
}

impl SeenStalls {
    /// As stalls of a run that counts `counted`: only those planned to begin in
    /// there are expected.
    pub(crate) fn within(self, counted: Span) -> Stalls {
        let planned = self.planned.iter().filter(|moment| counted.contains(**moment)).count() as u64;
        Stalls { planned, seen: self.seen }
    }
}

/// Nothing goes on beside the run.
impl Beside for () {
    fn begin(&mut self, _: &MonotonicClock, _: Span) -> Result<(), RunError> {
        Ok(())
    }

    fn end(&mut self, _: &MonotonicClock) -> Result<Seen, RunError> {
        Ok(Seen::default())
    }
}
