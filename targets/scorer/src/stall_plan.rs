//! When the service will stand still: all moments drawn up front from a seed.
//!
//! The first stall begins one gap after the start, each next one gap after the
//! one before; a gap is the least gap plus an exponential time, so that it has
//! the stated mean and no two stalls begin within the least gap. No stall ends
//! after the window. This must not know a clock or an event loop: it is handed
//! the time.

use std::time::Duration;

use serde::Deserialize;

use crate::random::Random;

/// Separates a plan's numbers from customer numbers under the same seed.
const STALL_STREAM: u64 = u64::MAX;

/// The longest that any part of an order may be: a day.
const LONGEST_MS: u64 = 86_400_000;

/// More than a day of stalls every second; an order beyond it is a slip.
const MOST_STALLS: usize = 100_000;

const NS_PER_MS: u64 = 1_000_000;

/// The body of `/arm`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Order {
    pub(crate) seed: u64,
    /// Mean time from one stall's beginning to the next one's.
    pub(crate) mean_gap_ms: u64,
    /// Least such time.
    pub(crate) least_gap_ms: u64,
    pub(crate) length_ms: u64,
    pub(crate) how: How,
    /// The window's beginning on CLOCK_MONOTONIC; now if it is not given.
    pub(crate) start_ns: Option<u64>,
    /// The window's length.
    pub(crate) for_ms: u64,
}

/// What the thread does while it stands still.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum How {
    /// It sleeps: others may use the core.
    Sleep,
    /// It spins: the core is lost to others too.
    Burn,
}

/// Why an order was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum OrderError {
    #[error("{name} must be from 1 to {LONGEST_MS}, not {value}")]
    OutOfRange { name: &'static str, value: u64 },
    #[error("{smaller} ({smaller_ms}) must not exceed {larger} ({larger_ms})")]
    TooLong { smaller: &'static str, smaller_ms: u64, larger: &'static str, larger_ms: u64 },
    #[error("start_ns {start_ns} is too late for the clock")]
    BeyondTheClock { start_ns: u64 },
    #[error("the first stall was due {late_ns} ns ago: start_ns has passed")]
    AlreadyDue { late_ns: u64 },
    #[error("this order asks for more than {MOST_STALLS} stalls")]
    TooMany,
}

/// What will happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StallPlan {
    pub(crate) how: How,
    pub(crate) length: Duration,
    /// When each stall is to begin, in order.
    pub(crate) moments_ns: Vec<u64>,
}

impl Order {
    /// The plan that this order means at `now_ns`.
    pub(crate) fn resolve(&self, now_ns: u64) -> Result<StallPlan, OrderError> {
        self.check()?;
        let moments_ns = self.moments(self.start_ns.unwrap_or(now_ns))?;
        match moments_ns.first() {
            Some(first_ns) if *first_ns < now_ns => {
                Err(OrderError::AlreadyDue { late_ns: now_ns - first_ns })
            }
            _ => Ok(StallPlan { how: self.how, length: Duration::from_millis(self.length_ms), moments_ns }),
        }
    }

    fn check(&self) -> Result<(), OrderError> {
        let length = ("length_ms", self.length_ms);
        let least = ("least_gap_ms", self.least_gap_ms);
        let mean = ("mean_gap_ms", self.mean_gap_ms);
        let window = ("for_ms", self.for_ms);
        for (name, value) in [length, least, mean, window] {
            if !(1..=LONGEST_MS).contains(&value) {
                return Err(OrderError::OutOfRange { name, value });
            }
        }
        // A stall longer than the least gap could run into the next one.
        for ((smaller, smaller_ms), (larger, larger_ms)) in [(length, least), (least, mean), (length, window)]
        {
            if smaller_ms > larger_ms {
                return Err(OrderError::TooLong { smaller, smaller_ms, larger, larger_ms });
            }
        }
        Ok(())
    }

    fn moments(&self, start_ns: u64) -> Result<Vec<u64>, OrderError> {
        let last_ns = start_ns
            .checked_add((self.for_ms - self.length_ms) * NS_PER_MS)
            // One gap further must fit too: a gap drawn is below 40 times its mean.
            .filter(|last_ns| last_ns.checked_add(50 * LONGEST_MS * NS_PER_MS).is_some())
            .ok_or(OrderError::BeyondTheClock { start_ns })?;
        let mut random = Random::new(self.seed, STALL_STREAM);
        let mut moments_ns = Vec::new();
        let mut at_ns = start_ns + self.gap_ns(&mut random);
        while at_ns <= last_ns {
            if moments_ns.len() == MOST_STALLS {
                return Err(OrderError::TooMany);
            }
            moments_ns.push(at_ns);
            at_ns += self.gap_ns(&mut random);
        }
        Ok(moments_ns)
    }

    fn gap_ns(&self, random: &mut Random) -> u64 {
        let beyond_least_ns = ((self.mean_gap_ms - self.least_gap_ms) * NS_PER_MS) as f64;
        self.least_gap_ms * NS_PER_MS + random.exponential(beyond_least_ns) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START_NS: u64 = 7_000_000_000;

    fn order() -> Order {
        Order {
            seed: 1,
            mean_gap_ms: 4_000,
            least_gap_ms: 500,
            length_ms: 100,
            how: How::Sleep,
            start_ns: Some(START_NS),
            for_ms: 30_000,
        }
    }

    fn moments(order: &Order) -> Vec<u64> {
        order.resolve(START_NS).expect("a sound order").moments_ns
    }

    fn refusal(change: impl FnOnce(&mut Order)) -> String {
        let mut order = order();
        change(&mut order);
        order.resolve(START_NS).expect_err("a refusal").to_string()
    }

    #[test]
    fn one_seed_always_gives_one_plan_and_another_seed_another() {
        assert_eq!(moments(&order()), moments(&order()));
        assert_ne!(moments(&order()), moments(&Order { seed: 2, ..order() }));
    }

    #[test]
    fn the_plan_moves_with_its_start_and_not_with_the_moment_of_arming() {
        let later = Order { start_ns: Some(START_NS + 5), ..order() };
        let shifted: Vec<u64> = moments(&order()).iter().map(|at| at + 5).collect();
        assert_eq!(moments(&later), shifted);
        assert_eq!(order().resolve(START_NS), order().resolve(START_NS - 1));
    }

    #[test]
    fn without_a_start_the_window_begins_now() {
        let now = Order { start_ns: None, ..order() };
        assert_eq!(now.resolve(START_NS), order().resolve(START_NS));
    }

    #[test]
    fn gaps_have_the_stated_mean_and_keep_the_least() {
        let day = Order { for_ms: LONGEST_MS, ..order() };
        let mut from = START_NS;
        let mut sum_ns = 0;
        let moments = moments(&day);
        for at in &moments {
            assert!(at - from >= 500 * NS_PER_MS);
            sum_ns += at - from;
            from = *at;
        }
        // 21,600 gaps: the mean's deviation is 3,500 ms / √21,600 = 24 ms.
        let mean_ms = sum_ns as f64 / moments.len() as f64 / NS_PER_MS as f64;
        assert!((mean_ms - 4_000.0).abs() < 100.0, "mean gap {mean_ms} ms");
    }

    #[test]
    fn every_stall_ends_inside_the_window() {
        for seed in 0..1_000 {
            for at in moments(&Order { seed, ..order() }) {
                assert!(at + 100 * NS_PER_MS <= START_NS + 30_000 * NS_PER_MS);
            }
        }
    }

    #[test]
    fn a_mean_gap_equal_to_the_least_spaces_stalls_evenly_to_the_very_end() {
        let even = Order { mean_gap_ms: 500, for_ms: 1_100, ..order() };
        assert_eq!(moments(&even), [START_NS + 500 * NS_PER_MS, START_NS + 1_000 * NS_PER_MS]);
        assert_eq!(moments(&Order { for_ms: 1_099, ..even }).len(), 1);
    }

    #[test]
    fn an_order_that_cannot_be_kept_is_refused_with_its_reason() {
        assert_eq!(refusal(|order| order.length_ms = 0), "length_ms must be from 1 to 86400000, not 0");
        assert_eq!(
            refusal(|order| order.for_ms = LONGEST_MS + 1),
            "for_ms must be from 1 to 86400000, not 86400001"
        );
        assert_eq!(
            refusal(|order| order.length_ms = 501),
            "length_ms (501) must not exceed least_gap_ms (500)"
        );
        assert_eq!(
            refusal(|order| order.mean_gap_ms = 499),
            "least_gap_ms (500) must not exceed mean_gap_ms (499)"
        );
        assert_eq!(refusal(|order| order.for_ms = 99), "length_ms (100) must not exceed for_ms (99)");
        assert!(refusal(|order| order.start_ns = Some(u64::MAX)).ends_with("is too late for the clock"));
        let endless = |order: &mut Order| {
            (order.length_ms, order.least_gap_ms, order.mean_gap_ms) = (1, 1, 1);
            order.for_ms = LONGEST_MS;
        };
        assert_eq!(refusal(endless), "this order asks for more than 100000 stalls");
    }

    #[test]
    fn arming_after_the_first_stall_was_due_is_refused() {
        let first_ns = moments(&order())[0];
        assert!(order().resolve(first_ns).is_ok());
        assert_eq!(order().resolve(first_ns + 1), Err(OrderError::AlreadyDue { late_ns: 1 }));
    }
}
