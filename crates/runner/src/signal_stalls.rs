//! Stalls for any service: its processes are stopped and let go on again
//! (SIGSTOP and SIGCONT) at moments drawn from a seed.
//!
//! A stopped process reads nothing and answers nothing, as one does whose
//! machine is paused. The kernel still takes connections and bytes for it, up
//! to its buffers.

use engine::{Clock as _, MonotonicClock};
use model::{Nanos, Seed, Span};
use rustix::process::{Pid, Signal, kill_process_group};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::JoinHandle;

/// The longest sleep, so that a request to end is noticed.
const LOOK_EVERY: Nanos = Nanos::from_millis(20);

/// When to stop the service's processes, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignalOrder {
    /// Seeds the moments.
    pub seed: Seed,
    /// Mean time from one stall's beginning to the next one's.
    pub every: Nanos,
    /// Least such time; at least `length`.
    pub apart: Nanos,
    /// How long each lasts.
    pub length: Nanos,
}

impl SignalOrder {
    /// When each stall begins within `span`: the first a gap after its start,
    /// each next a gap after the one before, a gap being the least one plus an
    /// exponential time. None ends after the span.
    fn moments(&self, span: Span) -> Vec<Nanos> {
        let beyond_least = self.every.saturating_sub(self.apart).0 as f64;
        let gap = |number: u64| {
            let unit = ((self.seed.mark(number) >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
            self.apart + Nanos((-unit.ln() * beyond_least) as u64)
        };
        let first = span.began;
        let all = (0..).scan(first, |at, number| {
            *at += gap(number);
            Some(*at)
        });
        all.take_while(|at| *at + self.length <= span.ended).collect()
    }
}

/// Stalls under way, on a thread of their own.
pub(crate) struct SignalStalls {
    planned: Vec<Nanos>,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<Vec<Span>>>,
    service: Pid,
}

impl SignalStalls {
    /// Begins to stall the process group `service` within `span`.
    pub(crate) fn begin(order: SignalOrder, service: Pid, clock: MonotonicClock, span: Span) -> SignalStalls {
        let planned = order.moments(span);
        let over = Arc::new(AtomicBool::new(false));
        let (moments, is_over) = (planned.clone(), Arc::clone(&over));
        let thread = std::thread::spawn(move || {
            let mut seen = Vec::new();
            for moment in moments {
                if !sleep_until(&clock, moment, &is_over) {
                    break;
                }
                seen.extend(stall(service, &clock, moment + order.length, &is_over));
            }
            seen
        });
        SignalStalls { planned, over, thread: Some(thread), service }
    }

    /// Ends them: when each was planned, and when those that came to pass began and ended.
    pub(crate) fn end(mut self) -> (Vec<Nanos>, Vec<Span>) {
        self.over.store(true, Relaxed);
        let seen = self.thread.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        (std::mem::take(&mut self.planned), seen)
    }
}

/// Whatever happens, the service goes on.
impl Drop for SignalStalls {
    fn drop(&mut self) {
        self.over.store(true, Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        // It may be gone; then there is nothing to let go on.
        let _ = kill_process_group(self.service, Signal::CONT);
    }
}

/// One stall; `None` if the service could not be stopped. It counts from when
/// the service had been stopped until right before it was let go on: at `until`,
/// or when all is over.
fn stall(service: Pid, clock: &MonotonicClock, until: Nanos, is_over: &AtomicBool) -> Option<Span> {
    kill_process_group(service, Signal::STOP).ok()?;
    let began = clock.now();
    sleep_until(clock, until, is_over);
    let ended = clock.now();
    let _ = kill_process_group(service, Signal::CONT);
    Some(Span { began, ended })
}

/// False if it was told to end before `moment`.
fn sleep_until(clock: &MonotonicClock, moment: Nanos, is_over: &AtomicBool) -> bool {
    while clock.now() < moment {
        if is_over.load(Relaxed) {
            return false;
        }
        clock.sleep_until(moment.min(clock.now() + LOOK_EVERY));
    }
    !is_over.load(Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::CommandExt as _;
    use std::process::{Child, Command};

    fn order(every: u64, apart: u64, length: u64) -> SignalOrder {
        let [every, apart, length] = [every, apart, length].map(Nanos::from_millis);
        SignalOrder { seed: Seed(7), every, apart, length }
    }

    fn span(began: u64, ended: u64) -> Span {
        Span { began: Nanos::from_secs(began), ended: Nanos::from_secs(ended) }
    }

    #[test]
    fn moments_have_their_mean_gap_their_least_gap_and_stay_inside() {
        let order = order(4_000, 500, 100);
        let moments = order.moments(span(10, 40_010));
        assert!((9_700..10_300).contains(&moments.len()), "{} in 40,000 s", moments.len());
        assert!(moments.windows(2).all(|two| two[1] - two[0] >= order.apart));
        assert!(moments[0] >= Nanos::from_millis(10_500));
        assert!(moments.iter().all(|at| *at + order.length <= Nanos::from_secs(40_010)));
        assert_eq!(moments, order.moments(span(10, 40_010)), "the same seed, the same moments");
        // A longer span only adds: a run that is armed for longer meets the same stalls.
        assert_eq!(moments[..9_000], order.moments(span(10, 50_010))[..9_000]);
    }

    /// A process that sleeps; ends with its value, also if it stands still.
    struct Sleeper(Child);

    impl Sleeper {
        fn start() -> (Sleeper, Pid) {
            let child = Command::new("sleep").arg("60").process_group(0).spawn().expect("sleep starts");
            let group = Pid::from_child(&child);
            (Sleeper(child), group)
        }
    }

    impl Drop for Sleeper {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    fn state(pid: Pid) -> char {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).expect("alive");
        stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next()).expect("a state")
    }

    /// Waits until the process stands still, or goes on. A signal takes a moment
    /// to arrive.
    fn wait_until(pid: Pid, stands: bool, clock: &MonotonicClock) -> Nanos {
        let limit = clock.now() + Nanos::from_secs(10);
        while (state(pid) == 'T') != stands {
            assert!(clock.now() < limit, "for 10 s it is {}", state(pid));
            clock.sleep_until(clock.now() + Nanos::from_millis(1));
        }
        clock.now()
    }

    #[test]
    fn a_process_stands_still_during_its_stalls_and_goes_on_after_them() {
        let (_sleeper, group) = Sleeper::start();
        let clock = MonotonicClock::starting_in(Nanos::ZERO);
        let stalls = SignalStalls::begin(order(600, 600, 300), group, clock, span(0, 60));
        let stood = wait_until(group, true, &clock);
        let went_on = wait_until(group, false, &clock);
        let (planned, seen) = stalls.end();
        assert_eq!((planned.len(), planned[0]), (99, Nanos::from_millis(600)));
        let first = seen[0];
        assert!(planned[0] <= first.began && first.began <= stood, "{first:?}, seen to stand at {stood}");
        assert!(first.ended <= went_on, "{first:?}, seen to go on at {went_on}");
        assert!(first.ended >= planned[0] + Nanos::from_millis(300), "{first:?}");
        wait_until(group, false, &clock);
    }

    #[test]
    fn a_stall_that_is_cut_short_is_told_as_long_as_it_was() {
        let (_sleeper, group) = Sleeper::start();
        let clock = MonotonicClock::starting_in(Nanos::ZERO);
        let stalls = SignalStalls::begin(order(20_000, 20_000, 20_000), group, clock, span(0, 60));
        assert_eq!(stalls.end().1, [], "none had begun");
        // The first begins soon, and as long as it lasts no other does.
        let stalls = SignalStalls::begin(order(50, 50, 20_000), group, clock, span(0, 60));
        wait_until(group, true, &clock);
        let (_, seen) = stalls.end();
        assert!(matches!(seen[..], [stall] if stall.length() < Nanos::from_secs(15)), "{seen:?}");
        wait_until(group, false, &clock);
    }

    #[test]
    fn stalls_that_are_dropped_let_the_process_go_on() {
        let (_sleeper, group) = Sleeper::start();
        let clock = MonotonicClock::starting_in(Nanos::ZERO);
        kill_process_group(group, Signal::STOP).expect("stopped");
        wait_until(group, true, &clock);
        drop(SignalStalls::begin(order(10_000, 10_000, 100), group, clock, span(0, 60)));
        wait_until(group, false, &clock);
    }
}
