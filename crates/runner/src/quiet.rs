//! Is the machine quiet? Asked before each run, and waited for as long as the
//! plan says.

use crate::machine::{CpuTimes, load_average};
use crate::story::Before;
use engine::{Clock as _, MonotonicClock};
use model::Nanos;
use plan::{Otherwise, Quiet};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// How long a machine is glanced at of which nothing is asked.
const GLANCE: Nanos = Nanos::from_millis(200);

/// A machine that did not become quiet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Restless {
    /// Share that was idle at last.
    pub idle: Option<f64>,
    /// Load average over a minute at last.
    pub load: Option<f64>,
    /// How long was waited.
    pub waited: Nanos,
}

/// Waits until the machine is as quiet as asked, and says what it was like. It
/// is an error only if the plan refuses to run otherwise. `wait` is called
/// whenever it must be waited for once more.
pub(crate) fn wait_for_quiet(
    asked: Option<&Quiet>,
    stop: &AtomicBool,
    wait: &mut dyn FnMut(),
) -> Result<Before, Restless> {
    let clock = MonotonicClock::starting_in(Nanos::ZERO);
    let Some(asked) = asked else {
        let idle = watch_idle(&clock, GLANCE);
        return Ok(Before { idle, load: load_average(), waited: Nanos::ZERO, was_quiet: None });
    };
    loop {
        let idle = watch_idle(&clock, asked.over);
        let load = load_average();
        // The first look is part of every run and no wait.
        let waited = clock.now().saturating_sub(asked.over);
        let is_quiet = is_quiet(asked, idle, load);
        if is_quiet || waited >= asked.wait || stop.load(Relaxed) {
            return match asked.otherwise {
                Otherwise::Refuse if !is_quiet && !stop.load(Relaxed) => Err(Restless { idle, load, waited }),
                _ => Ok(Before { idle, load, waited, was_quiet: Some(is_quiet) }),
            };
        }
        wait();
    }
}

/// What cannot be read is not held against the machine.
fn is_quiet(asked: &Quiet, idle: Option<f64>, load: Option<f64>) -> bool {
    let is_busy = idle.is_some_and(|idle| idle < asked.idle);
    let is_loaded = load.zip(asked.load).is_some_and(|(load, most)| load > most);
    !is_busy && !is_loaded
}

fn watch_idle(clock: &MonotonicClock, over: Nanos) -> Option<f64> {
    let before = CpuTimes::read()?;
    clock.sleep_until(clock.now() + over);
    CpuTimes::read()?.shares_since(before).0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(idle: f64, load: Option<f64>, otherwise: Otherwise) -> Quiet {
        Quiet { idle, over: Nanos::from_millis(60), load, wait: Nanos::from_millis(100), otherwise }
    }

    #[test]
    fn a_machine_is_quiet_if_it_is_idle_enough_and_its_load_is_low() {
        let asked = asked(0.95, Some(3.0), Otherwise::Doubt);
        for (idle, load, quiet) in [
            (Some(0.95), Some(3.0), true),
            (Some(0.94), Some(0.1), false),
            (Some(0.99), Some(3.1), false),
            (None, None, true),
        ] {
            assert_eq!(is_quiet(&asked, idle, load), quiet, "{idle:?} idle, load {load:?}");
        }
    }

    #[test]
    fn a_machine_that_never_becomes_quiet_is_refused_or_doubted_as_the_plan_says() {
        let stop = AtomicBool::new(false);
        // No machine's load is below zero.
        let mut waits = 0;
        let doubted =
            wait_for_quiet(Some(&asked(0.0, Some(-1.0), Otherwise::Doubt)), &stop, &mut || waits += 1);
        let doubted = doubted.expect("it runs all the same");
        assert_eq!(doubted.was_quiet, Some(false));
        assert!(waits >= 1 && doubted.waited >= Nanos::from_millis(100), "{doubted:?}, {waits} waits");
        let refused = wait_for_quiet(Some(&asked(0.0, Some(-1.0), Otherwise::Refuse)), &stop, &mut || {});
        assert!(refused.is_err_and(|restless| restless.load.is_some()));
    }

    #[test]
    fn a_quiet_machine_is_waited_for_no_longer_than_it_is_watched() {
        let quiet =
            wait_for_quiet(Some(&asked(0.0, None, Otherwise::Refuse)), &AtomicBool::new(false), &mut || {
                panic!("it was waited for")
            });
        let quiet = quiet.expect("quiet");
        assert_eq!(quiet.was_quiet, Some(true));
        assert!(quiet.idle.is_some());
        assert_eq!(
            wait_for_quiet(None, &AtomicBool::new(false), &mut || {}).expect("asked of nothing").was_quiet,
            None
        );
    }
}
