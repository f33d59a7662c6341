//! The one place that reads the clock.

use model::{CpuUse, Nanos};
use rustix::thread::clock_nanosleep_absolute;
use rustix::time::{ClockId, Timespec, clock_gettime};

/// Where the engine learns what time it is.
pub trait Clock {
    /// Now, since the run's start. Never goes backwards.
    fn now(&self) -> Nanos;

    /// CPU used so far: by the process, and (as `senders`) by the calling thread.
    fn cpu(&self) -> CpuUse;
}

/// CLOCK_MONOTONIC, counted from a moment that all threads of a run share.
/// Steps of the wall clock do not reach it.
#[derive(Clone, Copy, Debug)]
pub struct MonotonicClock {
    start: Nanos,
}

impl MonotonicClock {
    /// A clock whose zero lies `delay` from now, so that every thread can be
    /// there when the run starts.
    pub fn starting_in(delay: Nanos) -> MonotonicClock {
        MonotonicClock { start: read(ClockId::Monotonic) + delay }
    }

    /// The run's start on CLOCK_MONOTONIC itself, which other processes of
    /// this machine read too.
    pub fn start(&self) -> Nanos {
        self.start
    }

    /// A moment on CLOCK_MONOTONIC as a moment of this run; before the run's
    /// start it is zero.
    pub fn from_absolute(&self, moment: Nanos) -> Nanos {
        moment.saturating_sub(self.start)
    }

    /// How far the wall clock is ahead of this one, in nanoseconds: what takes a
    /// kernel's stamp of received bytes to the run's clock.
    pub(crate) fn wall_ahead(&self) -> i64 {
        let now = self.now_signed();
        read(ClockId::Realtime).0 as i64 - now
    }

    fn now_signed(&self) -> i64 {
        read(ClockId::Monotonic).0 as i64 - self.start.0 as i64
    }

    /// Sleeps until `moment` on this clock; returns at once if it has passed.
    pub fn sleep_until(&self, moment: Nanos) {
        let until = timespec(self.start.saturating_add(moment));
        // A signal may end the sleep early; the absolute time makes asking again harmless.
        while clock_nanosleep_absolute(ClockId::Monotonic, &until).is_err() {}
    }
}

impl Clock for MonotonicClock {
    fn now(&self) -> Nanos {
        read(ClockId::Monotonic).saturating_sub(self.start)
    }

    fn cpu(&self) -> CpuUse {
        CpuUse { process: read(ClockId::ProcessCPUTime), senders: read(ClockId::ThreadCPUTime) }
    }
}

fn read(clock: ClockId) -> Nanos {
    let Timespec { tv_sec, tv_nsec } = clock_gettime(clock);
    Nanos(tv_sec as u64 * 1_000_000_000 + tv_nsec as u64)
}

/// A length or moment as the kernel wants it.
pub(crate) fn timespec(nanos: Nanos) -> Timespec {
    Timespec { tv_sec: (nanos.0 / 1_000_000_000) as i64, tv_nsec: (nanos.0 % 1_000_000_000) as i64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_is_at_zero_until_its_start_and_never_goes_back() {
        let clock = MonotonicClock::starting_in(Nanos::from_secs(60));
        assert_eq!(clock.now(), Nanos::ZERO);
        let clock = MonotonicClock::starting_in(Nanos::ZERO);
        let moments: Vec<Nanos> = (0..1_000).map(|_| clock.now()).collect();
        assert!(moments.is_sorted());
    }

    #[test]
    fn a_sleep_ends_at_its_moment_or_after() {
        let clock = MonotonicClock::starting_in(Nanos::ZERO);
        let moment = clock.now() + Nanos::from_micros(300);
        clock.sleep_until(moment);
        assert!(clock.now() >= moment);
    }
}
