//! What this machine's clock costs, and how late its waits end.

use crate::clock::{Clock as _, MonotonicClock};
use model::Nanos;
use std::hint::black_box;

/// Readings of the clock that are timed together.
const READINGS: u32 = 200_000;

/// What one reading of the clock takes, in nanoseconds.
pub fn clock_cost() -> f64 {
    let clock = MonotonicClock::starting_in(Nanos::ZERO);
    let began = clock.now();
    for _ in 0..READINGS {
        black_box(clock.now());
    }
    clock.now().saturating_sub(began).0 as f64 / f64::from(READINGS)
}

/// By how much each of `count` waits of `length` ended late, the least first.
/// The last `spin` of each is spent looking at the clock.
pub fn late_waits(count: u32, length: Nanos, spin: Nanos) -> Vec<Nanos> {
    // Best effort, as where it matters: without it waits end up to 50 µs later.
    let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
    let clock = MonotonicClock::starting_in(Nanos::ZERO);
    let mut late: Vec<Nanos> = (0..count)
        .map(|_| {
            let until = clock.now() + length;
            clock.sleep_until(until.saturating_sub(spin));
            loop {
                let now = clock.now();
                if now >= until {
                    return now.saturating_sub(until);
                }
            }
        })
        .collect();
    late.sort_unstable();
    late
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_end_late_and_never_early() {
        let late = late_waits(5, Nanos::from_micros(200), Nanos::from_micros(50));
        assert_eq!(late.len(), 5);
        assert!(late.is_sorted() && late[4] < Nanos::from_secs(10));
        assert!(clock_cost() > 0.0);
    }
}
