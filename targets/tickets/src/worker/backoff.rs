//! How long to stay away, so that many who failed together do not come back
//! together. Pure: chance is handed in, at least 0 and below 1.

use std::time::Duration;

/// The longest pause between two tries of one job.
const LONGEST: Duration = Duration::from_secs(30);

/// After a try that failed: twice as long each time, from `first` up to half a
/// minute, and anything from half of that to all of it.
pub(crate) fn after_failure(tries: i64, first: Duration, chance: f64) -> Duration {
    let doublings = u32::try_from(tries - 1).unwrap_or(0).min(20);
    let whole = first.saturating_mul(1 << doublings).min(LONGEST);
    whole.mul_f64(0.5 + 0.5 * chance)
}

/// After a refusal that named a time: never before it, and up to a quarter later.
pub(crate) fn after_refusal(named: Duration, chance: f64) -> Duration {
    named + named.mul_f64(0.25 * chance)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn pauses_double_up_to_the_longest_and_spread_over_their_upper_half() {
        for (tries, whole_s) in [(1, 1.0), (2, 2.0), (3, 4.0), (5, 16.0), (6, 30.0), (60, 30.0)] {
            let pause_s = |chance| after_failure(tries, SECOND, chance).as_secs_f64();
            assert!((pause_s(0.0) - whole_s / 2.0).abs() < 1e-9, "try {tries}");
            assert!((pause_s(1.0) - whole_s).abs() < 1e-9, "try {tries}");
        }
    }

    #[test]
    fn nobody_comes_back_before_the_time_that_was_named() {
        for chance in [0.0, 0.5, 0.999] {
            let pause = after_refusal(SECOND, chance);
            assert!((SECOND..SECOND * 5 / 4).contains(&pause), "{pause:?}");
        }
    }
}
