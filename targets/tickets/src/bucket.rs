//! A bucket of tokens: full at first, emptied by use, refilled steadily.
//!
//! The provider's quota is one; so is each customer's share of the API. Pure:
//! it is told the time.

use std::time::Duration;

/// How large a bucket is, and how fast it fills.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Allowance {
    /// So many may come at once.
    pub burst: f64,
    /// So many come back in a minute.
    pub per_min: f64,
}

impl Allowance {
    fn per_s(self) -> f64 {
        self.per_min / 60.0
    }

    /// How long an empty bucket takes to fill.
    pub(crate) fn refill_time(self) -> Duration {
        Duration::try_from_secs_f64(self.burst / self.per_s()).unwrap_or(Duration::MAX)
    }
}

/// The tokens that are there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bucket {
    tokens: f64,
    at: Duration,
}

impl Bucket {
    pub(crate) fn full(allowance: Allowance, now: Duration) -> Bucket {
        Bucket { tokens: allowance.burst, at: now }
    }

    /// Takes one token, or says how long until there is one.
    pub(crate) fn take(&mut self, allowance: Allowance, now: Duration) -> Result<(), Duration> {
        self.tokens = self.level(allowance, now);
        self.at = now;
        if self.tokens >= 1.0 {
            self.tokens -= 1.0;
            return Ok(());
        }
        // An allowance that never refills asks to come back in a year.
        let wait_s = (1.0 - self.tokens) / allowance.per_s();
        Err(Duration::try_from_secs_f64(wait_s).unwrap_or(Duration::from_secs(365 * 24 * 3_600)))
    }

    /// How many tokens are there now.
    pub(crate) fn level(&self, allowance: Allowance, now: Duration) -> f64 {
        let passed_s = now.saturating_sub(self.at).as_secs_f64();
        // A millionth of a token is given away, so that who comes back after
        // exactly the time told is not refused for a rounding error.
        (self.tokens + passed_s * allowance.per_s() + 1e-6).min(allowance.burst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUOTA: Allowance = Allowance { burst: 100.0, per_min: 100.0 };

    #[test]
    fn a_full_bucket_gives_all_at_once_and_then_one_each_refill() {
        let mut bucket = Bucket::full(QUOTA, Duration::ZERO);
        assert!((0..100).all(|_| bucket.take(QUOTA, Duration::ZERO).is_ok()));
        let wait = bucket.take(QUOTA, Duration::ZERO).expect_err("empty");
        assert!((wait.as_secs_f64() - 0.6).abs() < 1e-3, "{wait:?}");
        assert!(bucket.take(QUOTA, wait - Duration::from_millis(2)).is_err());
        assert!(bucket.take(QUOTA, wait).is_ok(), "the time told was too short");
        assert!(bucket.take(QUOTA, wait).is_err());
    }

    #[test]
    fn ten_minutes_of_asking_get_the_burst_and_ten_minutes_of_refill() {
        let mut bucket = Bucket::full(QUOTA, Duration::ZERO);
        let given = (0..6_000).filter(|i| bucket.take(QUOTA, Duration::from_millis(i * 100)).is_ok()).count();
        // The last refill falls on the last moment asked for, or just after.
        assert!((1_098..=1_100).contains(&given), "{given}");
    }

    #[test]
    fn a_rest_fills_no_more_than_the_bucket() {
        let mut bucket = Bucket::full(QUOTA, Duration::ZERO);
        let later = Duration::from_secs(3_600);
        assert_eq!((0..200).filter(|_| bucket.take(QUOTA, later).is_ok()).count(), 100);
    }

    #[test]
    fn a_bucket_that_is_never_refilled_gives_what_it_holds_and_no_more() {
        let never = Allowance { burst: 1.0, per_min: 0.0 };
        let mut bucket = Bucket::full(never, Duration::ZERO);
        assert!(bucket.take(never, Duration::ZERO).is_ok());
        assert!(
            bucket.take(never, Duration::from_secs(1_000)).expect_err("empty") > Duration::from_secs(3_600)
        );
    }
}
