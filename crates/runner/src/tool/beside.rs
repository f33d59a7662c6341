//! What goes on beside a tool's run, and is none of the tool's business: stalls
//! of the service, and the machine.

use crate::run::RunError;
use engine::MonotonicClock;
use model::{MachineStory, Nanos, Span};

/// Accompanies one run.
pub trait Beside {
    /// The command is about to be started. Stalls are wanted from `stalls.began`
    /// until `stalls.ended` on `clock`: where the counted part will lie in there
    /// is known only afterwards.
    fn begin(&mut self, clock: &MonotonicClock, stalls: Span) -> Result<(), RunError>;

    /// The command has ended.
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

/// The stalls of a service while a command ran.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeenStalls {
    /// When each was planned to begin.
    pub planned: Vec<Nanos>,
    /// When each began and ended.
    pub seen: Vec<Span>,
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
