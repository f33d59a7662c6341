//! What HdrHistogram does about omitted values.

use crate::Histogram;

/// HdrHistogram's correction for coordinated omission: for every value `v`
/// above the `interval` at which values were expected, also the ones that
/// would have been seen had others started at every interval meanwhile:
/// `v − interval`, `v − 2·interval`, … down to `interval`.
///
/// It is right only where a delay holds up everything at once and what was
/// omitted would have needed no time of its own. An interval of zero adds nothing.
///
/// Values are taken at their bucket's upper edge. Phantoms are counted by the
/// bucket they fall into, not one by one, so the time this takes is bounded by
/// the buckets even where `v / interval` is huge.
#[must_use]
pub fn fill_omitted(histogram: &Histogram, interval: u64) -> Histogram {
    let mut filled = histogram.clone();
    if interval == 0 {
        return filled;
    }
    let max = histogram.max().unwrap_or(0);
    let mut phantoms = histogram.like();
    for bucket in histogram.buckets() {
        fill_below(&mut phantoms, bucket.high.min(max), bucket.count, interval);
    }
    filled.merge(&phantoms);
    filled
}

/// Adds the phantoms of `count` values at `value`.
fn fill_below(phantoms: &mut Histogram, value: u64, count: u64, interval: u64) {
    let mut next = value.saturating_sub(interval);
    while next >= interval {
        // As many as fall between `next` and the lower edge of its bucket.
        let edge = phantoms.bucket_low(next).max(interval);
        let here = (next - edge) / interval + 1;
        phantoms.record_n(next, here.saturating_mul(count));
        let Some(rest) = interval.checked_mul(here).and_then(|gone| next.checked_sub(gone)) else { return };
        next = rest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Quantile;
    use proptest::prelude::*;

    fn values(histogram: &Histogram) -> Vec<(u64, u64)> {
        histogram.buckets().map(|bucket| (bucket.low, bucket.count)).collect()
    }

    #[test]
    fn a_long_value_brings_those_it_held_up() {
        let mut histogram = Histogram::new(10);
        histogram.record(100);
        histogram.record(7);
        let filled = fill_omitted(&histogram, 30);
        assert_eq!(values(&filled), [(7, 1), (40, 1), (70, 1), (100, 1)]);
        assert_eq!(fill_omitted(&histogram, 0), histogram);
        assert_eq!(fill_omitted(&histogram, 100), histogram);
        assert_eq!(values(&fill_omitted(&histogram, 50)), [(7, 1), (50, 1), (100, 1)]);
    }

    #[test]
    fn a_huge_value_over_a_tiny_interval_takes_no_longer_than_its_buckets() {
        let mut histogram = Histogram::new(7);
        histogram.record(u64::MAX / 4);
        let filled = fill_omitted(&histogram, 1);
        assert_eq!(filled.count(), u64::MAX / 4);
    }

    #[test]
    fn a_stall_seen_once_becomes_the_fluid_closed_form() {
        // Stalls of S = 100 ms every T = 4 s and an expected interval I: the
        // value at share x from the top is S − xT (plus one interval's grain).
        let (stall, every, interval) = (100_000_000_u64, 4_000_000_000_u64, 100_000_u64);
        let mut histogram = Histogram::new(10);
        histogram.record_n(stall, 10);
        histogram.record_n(1_000, 10 * (every - stall) / interval);
        let filled = fill_omitted(&histogram, interval);
        let p99 = filled.value_at_rank(Quantile::P99.rank(filled.count())).unwrap() as f64;
        let fluid = (stall - every / 100) as f64;
        assert!((p99 / fluid - 1.0).abs() < 0.005, "{p99} is not {fluid}");
    }

    proptest! {
        #[test]
        fn counting_by_buckets_is_the_same_as_one_by_one(
            recorded in prop::collection::vec(1..1_000_000u64, 1..20), interval in 1_000..200_000u64,
        ) {
            let mut histogram = Histogram::new(6);
            recorded.iter().for_each(|value| histogram.record(*value));
            let mut naive = histogram.clone();
            for bucket in histogram.buckets() {
                let mut phantom = bucket.high.min(histogram.max().unwrap()).saturating_sub(interval);
                while phantom >= interval {
                    naive.record_n(phantom, bucket.count);
                    phantom -= interval;
                }
            }
            prop_assert_eq!(values(&fill_omitted(&histogram, interval)), values(&naive));
        }
    }
}
