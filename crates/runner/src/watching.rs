//! Readings alone: taken live, with no load and nothing kept.

use crate::readings_taken::hands;
use ::readings::Taking;
use engine::{Clock as _, MonotonicClock};
use model::{Nanos, PlannedReading, Probe, Reading, WhichProcess};
use plan::Plan;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;
use wire::url::Target;

/// How often `each` is called while nothing is read: a watcher sees that the
/// clock goes on, and Ctrl-C is noticed.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Takes the readings of a plan until `stop`, or for so long. `each` is called
/// with the time since the beginning and the numbers of one answer, or with
/// none of them when nothing has come for a while.
///
/// A reading of the plan's own service is taken of the process that listens at
/// the target's address: it was started by somebody else.
pub fn watch(plan: &Plan, stop: &AtomicBool, lasts: Nanos, each: &mut dyn FnMut(Nanos, &[Reading])) {
    let planned: Vec<PlannedReading> =
        plan.readings.iter().map(|one| without_target(one, &plan.target.url)).collect();
    let clock = MonotonicClock::starting_in(Nanos::ZERO);
    let (taking, told) = Taking::begin(&planned, &hands(clock, None));
    while !stop.load(Relaxed) && clock.now() < lasts {
        match told.recv_timeout(LOOK_EVERY) {
            Ok(rows) => each(clock.now(), &rows),
            Err(RecvTimeoutError::Timeout) => each(clock.now(), &[]),
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    taking.end();
}

fn without_target(one: &PlannedReading, url: &str) -> PlannedReading {
    let probe = match (&one.probe, url.parse::<Target>()) {
        (Probe::Process(WhichProcess::Target), Ok(target)) => {
            Probe::Process(WhichProcess::Port(target.port()))
        }
        (probe, _) => probe.clone(),
    };
    PlannedReading { probe, facts: one.facts.clone() }
}
