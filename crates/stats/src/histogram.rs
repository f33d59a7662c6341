//! Counts of integers in buckets whose width grows with the value.

/// A histogram over all of `u64` with integer bucket bounds.
///
/// Values below `2^bits` have a bucket each; above, every power of two is cut
/// into `2^bits` buckets of equal width, so that a bucket is never wider than
/// `2^-bits` of its values. Two histograms of the same `bits` have the same
/// buckets and are merged by adding counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    bits: u32,
    counts: Vec<u64>,
    count: u64,
    min: u64,
    max: u64,
}

/// The values from `low` to `high`, both included, and how many there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// Smallest value that falls into it.
    pub low: u64,
    /// Largest value that falls into it.
    pub high: u64,
    /// How many values fell into it.
    pub count: u64,
    /// How many fell into the buckets below it.
    pub below: u64,
}

impl Histogram {
    /// An empty histogram with buckets of at most `2^-bits` of their values.
    /// It takes `(65 − bits) × 2^bits` counters: 450 KB for 10 bits.
    ///
    /// # Panics
    ///
    /// If `bits` is above 16, which nobody needs and would take 25 MB.
    pub fn new(bits: u32) -> Histogram {
        assert!(bits <= 16, "a histogram of {bits} bits is too large");
        let buckets = (65 - bits as usize) << bits;
        Histogram { bits, counts: resident(buckets), count: 0, min: u64::MAX, max: 0 }
    }

    /// Counts a value.
    pub fn record(&mut self, value: u64) {
        self.record_n(value, 1);
    }

    /// Counts a value `n` times.
    pub fn record_n(&mut self, value: u64, n: u64) {
        if n == 0 {
            return;
        }
        let index = self.index(value);
        self.counts[index] += n;
        self.count += n;
        self.min = self.min.min(value);
        self.max = self.max.max(value);
    }

    /// Adds all that `other` has counted.
    ///
    /// # Panics
    ///
    /// If the two have different buckets.
    pub fn merge(&mut self, other: &Histogram) {
        assert_eq!(self.bits, other.bits, "histograms of different buckets cannot be merged");
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine += theirs;
        }
        self.count += other.count;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// How many values were counted.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The smallest value, exactly.
    pub fn min(&self) -> Option<u64> {
        (self.count > 0).then_some(self.min)
    }

    /// The largest value, exactly.
    pub fn max(&self) -> Option<u64> {
        (self.count > 0).then_some(self.max)
    }

    /// The buckets that hold anything, in rising order.
    pub fn buckets(&self) -> impl Iterator<Item = Bucket> {
        let filled = self.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        filled.scan(0, |below, (index, &count)| {
            let (low, high) = self.bounds(index);
            let bucket = Bucket { low, high, count, below: *below };
            *below += count;
            Some(bucket)
        })
    }

    /// The bucket that holds the value of this rank, counted from 1; `None`
    /// if there is no such rank.
    pub fn bucket_at_rank(&self, rank: u64) -> Option<Bucket> {
        if rank == 0 {
            return None;
        }
        self.buckets().find(|bucket| bucket.below + bucket.count >= rank)
    }

    /// The value of this rank, rounded up to its bucket's upper edge (and never above
    /// the maximum): at most `2^-bits` too large. [`crate::Selection`] finds it exactly.
    pub fn value_at_rank(&self, rank: u64) -> Option<u64> {
        self.bucket_at_rank(rank).map(|bucket| bucket.high.min(self.max))
    }

    /// An empty histogram with the same buckets.
    pub(crate) fn like(&self) -> Histogram {
        Histogram::new(self.bits)
    }

    /// The smallest value that shares a bucket with `value`.
    pub(crate) fn bucket_low(&self, value: u64) -> u64 {
        self.bounds(self.index(value)).0
    }

    fn index(&self, value: u64) -> usize {
        if value >> self.bits == 0 {
            return value as usize;
        }
        // `value` lies in [2^(bits + shift), 2^(bits + shift + 1)); its top
        // bits + 1 bits, the highest of which is always set, pick the bucket.
        let shift = 63 - value.leading_zeros() - self.bits;
        ((shift as usize) << self.bits) + (value >> shift) as usize
    }

    fn bounds(&self, index: usize) -> (u64, u64) {
        let octave = (index >> self.bits) as u32;
        if octave == 0 {
            return (index as u64, index as u64);
        }
        let shift = octave - 1;
        let top = index as u64 - (u64::from(shift) << self.bits);
        let low = top << shift;
        (low, low + ((1 << shift) - 1))
    }
}

/// Zeros that lie in memory from the start. Zeroed memory as the allocator
/// gives it becomes resident page by page as it is first written, so that a
/// longer run would seem to need more and more of it.
fn resident(buckets: usize) -> Vec<u64> {
    let mut counts = Vec::with_capacity(buckets);
    counts.extend(std::iter::repeat_n(std::hint::black_box(0), buckets));
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(bits: u32, values: &[u64]) -> Histogram {
        let mut histogram = Histogram::new(bits);
        for &value in values {
            histogram.record(value);
        }
        histogram
    }

    #[test]
    fn buckets_join_without_gap_from_zero_to_the_largest_integer() {
        for bits in [0, 1, 3, 10] {
            let histogram = Histogram::new(bits);
            let mut next = 0;
            for index in 0..histogram.counts.len() {
                let (low, high) = histogram.bounds(index);
                assert_eq!(low, next, "{bits} bits, bucket {index}");
                assert_eq!((histogram.index(low), histogram.index(high)), (index, index));
                next = high.wrapping_add(1);
            }
            assert_eq!(next, 0, "the last bucket ends at u64::MAX");
        }
    }

    #[test]
    fn merged_percentiles_are_those_of_all_values_and_not_a_mean_of_two() {
        let mut a = Histogram::new(10);
        a.record_n(10, 900);
        let mut b = Histogram::new(10);
        b.record_n(110, 100);
        let p99 = |h: &Histogram| h.value_at_rank(crate::Quantile::P99.rank(h.count()));
        assert_eq!((p99(&a), p99(&b)), (Some(10), Some(110)), "their mean is 60");
        a.merge(&b);
        assert_eq!(p99(&a), Some(110));
    }

    #[test]
    fn an_empty_histogram_knows_nothing() {
        let empty = Histogram::new(7);
        assert_eq!((empty.count(), empty.min(), empty.max(), empty.value_at_rank(1)), (0, None, None, None));
        assert_eq!(of(7, &[5]).bucket_at_rank(0), None);
        assert_eq!(of(7, &[5]).bucket_at_rank(2), None);
    }

    proptest! {
        #[test]
        fn a_value_at_a_rank_is_the_true_one_or_at_most_a_bucket_above(
            mut values in prop::collection::vec(prop_oneof![any::<u64>(), 0..5_000u64], 1..200),
            share in 0.0..1.0f64,
        ) {
            let histogram = of(7, &values);
            values.sort_unstable();
            let at = (share * values.len() as f64) as usize;
            let (truth, found) = (values[at], histogram.value_at_rank(at as u64 + 1).unwrap());
            prop_assert!(found >= truth && found - truth <= truth >> 7, "{truth} as {found}");
            prop_assert_eq!(histogram.max(), values.last().copied());
            prop_assert_eq!(histogram.min(), values.first().copied());
        }

        #[test]
        fn merging_is_the_same_as_recording_all(
            a in prop::collection::vec(any::<u64>(), 0..50),
            b in prop::collection::vec(any::<u64>(), 0..50),
        ) {
            let mut merged = of(5, &a);
            merged.merge(&of(5, &b));
            prop_assert_eq!(merged, of(5, &[a, b].concat()));
        }
    }
}
