//! How long answers lay in the kernel until they were read: the tester's own
//! share, counted in buckets so that memory does not grow with the run.

use model::{Nanos, OwnReading};

/// Buckets for each doubling: a quantile is at most an eighth too high.
const STEPS: u64 = 8;
const BUCKETS: usize = 64 * STEPS as usize;

/// Times between an answer's arrival in the kernel and its being read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadLag {
    counts: Vec<u64>,
    stamped: u64,
    unstamped: u64,
    max: Nanos,
}

impl Default for ReadLag {
    fn default() -> ReadLag {
        ReadLag { counts: vec![0; BUCKETS], stamped: 0, unstamped: 0, max: Nanos::ZERO }
    }
}

impl ReadLag {
    /// An answer that came and was read at these moments; the same moment twice
    /// is one of which the kernel told no stamp.
    #[inline]
    pub fn add(&mut self, came: Nanos, read: Nanos) {
        if came == read {
            self.unstamped += 1;
            return;
        }
        let lag = read.saturating_sub(came);
        self.stamped += 1;
        self.max = self.max.max(lag);
        self.counts[bucket(lag.0)] += 1;
    }

    /// Both together.
    pub fn merge(&mut self, other: &ReadLag) {
        self.counts.iter_mut().zip(&other.counts).for_each(|(sum, more)| *sum += more);
        self.stamped += other.stamped;
        self.unstamped += other.unstamped;
        self.max = self.max.max(other.max);
    }

    /// What results keep of it.
    pub fn told(&self) -> OwnReading {
        OwnReading {
            stamped: self.stamped,
            unstamped: self.unstamped,
            p50: self.quantile(50),
            p99: self.quantile(99),
            max: (self.stamped > 0).then_some(self.max),
        }
    }

    /// The upper end of the bucket with the value of this rank, of 100, and
    /// never more than the largest value.
    fn quantile(&self, of_100: u64) -> Option<Nanos> {
        let rank = (self.stamped * of_100).div_ceil(100).max(1);
        let mut sum = 0;
        let at = self.counts.iter().position(|count| {
            sum += count;
            sum >= rank
        })?;
        Some(Nanos(upper(at)).min(self.max))
    }
}

/// Values below 8 have a bucket each; above, each doubling has eight.
fn bucket(value: u64) -> usize {
    if value < STEPS {
        return value as usize;
    }
    let doubling = u64::from(value.ilog2()) - 3;
    ((doubling + 1) * STEPS + ((value >> doubling) - STEPS)) as usize
}

/// The largest value of a bucket.
fn upper(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    if bucket < STEPS {
        return bucket;
    }
    let (doubling, step) = (bucket / STEPS - 1, bucket % STEPS);
    ((STEPS + step + 1) << doubling) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_lies_in_its_bucket_and_no_bucket_is_wider_than_an_eighth() {
        for value in (0..2_000).chain([4_095, 4_096, 123_456_789, u64::MAX / 2]) {
            let end = upper(bucket(value));
            assert!(value <= end && end <= value + value / 8, "{value} in a bucket up to {end}");
        }
        assert!((0..100_000).map(bucket).is_sorted());
        assert!(bucket(u64::MAX) < BUCKETS);
    }

    #[test]
    fn quantiles_are_those_of_the_values_to_an_eighth() {
        let mut lag = ReadLag::default();
        for micros in 1..=1_000 {
            lag.add(Nanos::ZERO, Nanos::from_micros(micros));
        }
        lag.add(Nanos(5), Nanos(5));
        let told = lag.told();
        assert_eq!((told.stamped, told.unstamped, told.max), (1_000, 1, Some(Nanos::from_micros(1_000))));
        let within = |found: Option<Nanos>, micros: u64| {
            let found = found.expect("a value").0;
            assert!((micros * 1_000..=micros * 1_125).contains(&found), "{found} ns for {micros} µs");
        };
        within(told.p50, 500);
        within(told.p99, 990);
        let mut both = ReadLag::default();
        both.merge(&lag);
        both.merge(&lag);
        assert_eq!((both.told().stamped, both.told().p50), (2_000, told.p50));
        assert_eq!(ReadLag::default().told(), OwnReading::default());
    }
}
