//! What goes on beside a run: stalls of the service, and the machine's story.

use crate::beside::{Beside, Seen, SeenStalls};
use crate::control::Control;
use crate::run::RunError;
use crate::signal_stalls::{SignalOrder, SignalStalls};
use crate::stalls::{self, StallOrder};
use crate::story::{Before, StoryWatch};
use engine::MonotonicClock;
use model::{Nanos, Span};
use rustix::process::Pid;

/// By whom the service is made to stand still.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StallBy {
    /// By itself, when told at its `/arm`.
    Target(StallOrder),
    /// By stopping its processes and letting them go on.
    Signal(SignalOrder),
}

/// Accompanies one run.
pub struct Company {
    stalls: Option<StallBy>,
    control: Control,
    /// The process group of the service, where we have started it.
    service: Option<Pid>,
    /// What the machine was like before; with it, the machine is watched.
    before: Option<Before>,
    under_way: Option<UnderWay>,
    story: Option<StoryWatch>,
}

/// Stalls that have been ordered.
enum UnderWay {
    Target(Vec<Nanos>),
    Signal(SignalStalls),
}

impl Company {
    /// Company for a run against the service that `control` asks: it stalls
    /// by `stalls`, and nobody watches the machine.
    pub fn new(control: Control, stalls: Option<StallBy>) -> Company {
        Company { stalls, control, service: None, before: None, under_way: None, story: None }
    }

    /// The same with the machine watched, and the service's processes known.
    pub(crate) fn watching(self, before: Before, service: Option<Pid>) -> Company {
        Company { before: Some(before), service, ..self }
    }
}

impl Beside for Company {
    fn begin(&mut self, clock: &MonotonicClock, span: Span) -> Result<(), RunError> {
        self.under_way = match self.stalls {
            Some(StallBy::Target(order)) => {
                Some(UnderWay::Target(order.arm(&self.control, clock, span.began, span.length())?))
            }
            Some(StallBy::Signal(order)) => self
                .service
                .map(|service| UnderWay::Signal(SignalStalls::begin(order, service, *clock, span))),
            None => None,
        };
        self.story = self.before.take().map(|before| StoryWatch::begin(before, self.service));
        Ok(())
    }

    fn end(&mut self, clock: &MonotonicClock) -> Result<Seen, RunError> {
        // The story first: fetching stalls costs the service some time.
        let machine = self.story.take().map(StoryWatch::end);
        let stalls = match self.under_way.take() {
            None => None,
            Some(UnderWay::Target(planned)) => {
                Some(SeenStalls { planned, seen: stalls::fetch(&self.control, clock)? })
            }
            Some(UnderWay::Signal(stalls)) => {
                let (planned, seen) = stalls.end();
                Some(SeenStalls { planned, seen })
            }
        };
        Ok(Seen { stalls, machine })
    }
}
