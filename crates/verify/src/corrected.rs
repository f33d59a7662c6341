//! A loop's p99 with the omitted requests put back.
//!
//! HdrHistogram's rule: for every time above the expected interval `I` also
//! the ones that others would have had, `v − I`, `v − 2I`, … down to `I`. The
//! correction by utilisation does the same with `(1 − ρ) I`.
//!
//! Both are defined on a histogram: times are taken at the upper edge of
//! buckets of eleven significant bits (at most 0.1 % high), and so is the
//! result. Without that rounding the two sides could differ by far more than
//! 0.1 %, since what is left of a long time after many intervals is mostly the
//! rounding. So it is part of the definition here, and the result is compared
//! to the nanosecond.

use crate::check::List;
use crate::record::{Facts, Load};
use crate::times::{Times, rank};

/// Above this share of the capacity every correction is refused.
const MOST_UTILISATION: f64 = 0.9;
/// With fewer stalls than these too.
const FEWEST_STALLS: usize = 3;
/// Significant bits of a time in the histogram.
const BITS: u32 = 11;

/// Everything that is reported of corrections; all of it unknown for an open
/// loop, and where nothing was done. `stalls` are the lengths of the run's
/// stalls, `p95` is that of service times, and `replayed` what the replay says,
/// if it was made.
pub(crate) fn list(
    facts: &Facts,
    times: &Times,
    rate_per_s: f64,
    (stalls, p95): (&[u64], u64),
    replayed: Option<Option<u64>>,
    list: &mut List,
) {
    let rate = facts.load.target_rate().unwrap_or(rate_per_s);
    let (Some(connections), Some(p99)) = (facts.load.connections(), times.percentile("p99")) else {
        return list.maybe("corrected_p99_ns", None);
    };
    if rate <= 0.0 {
        return list.maybe("corrected_p99_ns", None);
    }
    let interval = nanos(connections as f64 / rate);
    let long = stalls.iter().filter(|stall| **stall > p95.saturating_mul(3)).count();
    // Where the load changes there is no one interval at which requests were to come.
    let with_stalls = long >= FEWEST_STALLS && !facts.load_changes();
    let share = utilisation(facts);
    let shortened = share.and_then(|share| shortened(interval, share, times));
    let filled = |interval: u64| p99_filled(&times.sorted, interval).unwrap_or(p99);
    list.whole("corrected_p99_ns.raw", p99);
    // Near the capacity the omitted ones would have queued.
    let is_too_busy = share.is_some_and(|share| share > MOST_UTILISATION);
    list.maybe("corrected_p99_ns.hdr", (with_stalls && !is_too_busy).then(|| filled(interval)));
    list.maybe("corrected_p99_ns.utilisation", shortened.filter(|_| with_stalls).map(filled));
    if let Some(replayed) = replayed {
        list.maybe("corrected_p99_ns.replay", replayed.filter(|_| with_stalls));
    }
    list.whole("corrected_p99_ns.expected_interval", interval);
    list.real("corrected_p99_ns.utilisation_share", share);
}

/// Planned rate over capacity; a closed loop plans none.
fn utilisation(facts: &Facts) -> Option<f64> {
    let Load::Paced { rate_per_s, .. } = facts.load else { return None };
    facts.capacity_per_s.filter(|capacity| *capacity > 0.0).map(|capacity| rate_per_s / capacity)
}

/// The interval by utilisation; `None` where it is refused: too close to the
/// capacity, or where ordinary requests would be taken for stalls.
fn shortened(interval: u64, share: f64, times: &Times) -> Option<u64> {
    if share > MOST_UTILISATION {
        return None;
    }
    let shortened = nanos(interval as f64 / 1e9 * (1.0 - share));
    let largest = times.sorted.last().copied().unwrap_or(0);
    let median = times.percentile("p50").map(|median| upper_edge(median).min(largest));
    median.is_none_or(|median| median < shortened.saturating_mul(2)).then_some(shortened)
}

/// The p99 of the times and all that were omitted; `None` if none were.
///
/// The omitted ones are counted, not made: of a time `v`, those up to `x` are
/// the whole numbers `k` from 1 with `I ≤ v − kI ≤ x`. The p99 is then the
/// smallest `x` that enough of all lie at or below.
fn p99_filled(sorted: &[u64], interval: u64) -> Option<u64> {
    let largest = *sorted.last()?;
    if interval == 0 {
        return None;
    }
    let times: Vec<u64> = sorted.iter().map(|time| upper_edge(*time).min(largest)).collect();
    let omitted = |time: u64| (time / interval).saturating_sub(1);
    let omitted_up_to = |time: u64, most: u64| {
        let first = time.saturating_sub(most).div_ceil(interval).max(1);
        (omitted(time) + 1).saturating_sub(first)
    };
    let sum_of = |each: &dyn Fn(u64) -> u64| times.iter().map(|time| u128::from(each(*time))).sum::<u128>();
    let added = sum_of(&omitted);
    if added == 0 {
        return None;
    }
    let wanted = rank(u64::try_from(times.len() as u128 + added).unwrap_or(u64::MAX), 99, 100);
    let up_to = |most: u64| sum_of(&|time| u64::from(time <= most) + omitted_up_to(time, most));
    let (mut low, mut high) = (0, largest);
    while low < high {
        let middle = low + (high - low) / 2;
        if up_to(middle) >= u128::from(wanted) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Some(upper_edge(low).min(largest))
}

/// The largest number that has the same first eleven significant bits.
pub(crate) fn upper_edge(time: u64) -> u64 {
    let bits = u64::BITS - time.leading_zeros();
    time | ((1u64 << bits.saturating_sub(BITS)) - 1)
}

fn nanos(seconds: f64) -> u64 {
    (seconds * 1e9).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rule as it is told, one omitted time after the other.
    fn p99_told(sorted: &[u64], interval: u64) -> u64 {
        let largest = sorted[sorted.len() - 1];
        let mut all: Vec<u64> = sorted.iter().map(|time| upper_edge(*time).min(largest)).collect();
        for at in 0..sorted.len() {
            let mut left = all[at].saturating_sub(interval);
            while left >= interval {
                all.push(left);
                left -= interval;
            }
        }
        all.sort_unstable();
        let rank = (all.len() * 99).div_ceil(100);
        upper_edge(all[rank - 1]).min(largest)
    }

    #[test]
    fn counting_what_was_omitted_gives_what_making_it_gives() {
        let mut drawn = 88_172_645_463_325_252u64;
        let mut draw = |below: u64| {
            drawn ^= drawn << 13;
            drawn ^= drawn >> 7;
            drawn ^= drawn << 17;
            drawn % below
        };
        for _ in 0..200 {
            let interval = 1 + draw(5_000);
            let mut times: Vec<u64> = (0..50).map(|_| draw(2_000) * draw(100)).collect();
            times.extend([interval, 2 * interval, 7 * interval + 1]);
            times.sort_unstable();
            assert_eq!(p99_filled(&times, interval), Some(p99_told(&times, interval)), "{interval}");
        }
    }

    #[test]
    fn where_nothing_was_omitted_nothing_is_corrected() {
        assert_eq!(p99_filled(&[5, 9, 19], 10), None);
        assert_eq!(p99_filled(&[5, 9, 20], 10), Some(20));
        assert_eq!(p99_filled(&[], 10), None);
        assert_eq!(p99_filled(&[5], 0), None);
    }

    #[test]
    fn an_upper_edge_is_at_most_a_thousandth_high() {
        assert_eq!([0, 1, 2_047].map(upper_edge), [0, 1, 2_047]);
        assert_eq!([2_048, 2_049, 4_096].map(upper_edge), [2_049, 2_049, 4_099]);
        assert_eq!(upper_edge(u64::MAX), u64::MAX);
    }
}
