//! The one clock of the service, and the two ways to stand still on it.
//!
//! Times are CLOCK_MONOTONIC in nanoseconds: every process on the machine reads
//! the same clock, so that a tester can lay the stalls over its own samples.

use std::hint;
use std::thread;
use std::time::Duration;

use rustix::time::{ClockId, Timespec, clock_gettime};

/// Now, in nanoseconds.
pub(crate) fn now_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    // Neither part of a monotonic time is negative, and 2^64 ns are 584 years.
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// The same moment in the system's own form.
pub(crate) fn timespec(at_ns: u64) -> Timespec {
    // Both parts fit: at most 1.8 · 10^10 seconds.
    Timespec { tv_sec: (at_ns / 1_000_000_000) as i64, tv_nsec: (at_ns % 1_000_000_000) as _ }
}

/// A length in nanoseconds; one beyond 584 years counts as that.
pub(crate) fn length_ns(length: Duration) -> u64 {
    u64::try_from(length.as_nanos()).unwrap_or(u64::MAX)
}

/// Holds this thread for `length` and leaves the core to others.
#[expect(
    clippy::disallowed_methods,
    reason = "a stall is the product here: the only thread must really stand still"
)]
pub(crate) fn sleep(length: Duration) {
    thread::sleep(length);
}

/// Holds this thread and its core until `end_ns`.
pub(crate) fn burn_until(end_ns: u64) {
    while now_ns() < end_ns {
        hint::spin_loop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HELD: Duration = Duration::from_millis(50);

    /// How long `hold` took, and how much of the core this thread had.
    fn cost(hold: impl FnOnce()) -> (Duration, Duration) {
        let (began, cpu_before) = (now_ns(), clock_gettime(ClockId::ThreadCPUTime));
        hold();
        let cpu = clock_gettime(ClockId::ThreadCPUTime) - cpu_before;
        let cpu = Duration::try_from(cpu).expect("CPU time grows");
        (Duration::from_nanos(now_ns() - began), cpu)
    }

    #[test]
    fn burning_holds_the_core_for_the_whole_length() {
        let (took, cpu) = cost(|| burn_until(now_ns() + length_ns(HELD)));
        assert!(took >= HELD, "took {took:?}");
        // Neighbours on a loaded machine may take their share of the core.
        assert!(cpu >= HELD / 5, "had {cpu:?} of the core");
    }

    #[test]
    fn sleeping_holds_the_thread_and_leaves_the_core_free() {
        let (took, cpu) = cost(|| sleep(HELD));
        assert!(took >= HELD, "took {took:?}");
        assert!(cpu < HELD / 10, "had {cpu:?} of the core");
    }

    #[test]
    fn a_moment_keeps_its_nanoseconds_in_the_systems_form() {
        let at = timespec(12_000_000_345);
        assert_eq!((at.tv_sec, at.tv_nsec), (12, 345));
    }
}
