//! The one way in which samples become counts and distributions: every final
//! number starts here.

use crate::summary::{Distribution, Point};
use crate::timing::{Timing, Took};
use model::{Nanos, Outcome, Sample};
use stats::{Histogram, Quantile};

/// Buckets of at most 0.1 % of their values: fine enough to be read off where
/// an exact value is not needed, small enough to keep one for each timing.
pub(crate) const BITS: u32 = 10;

/// The quantiles of a [`Distribution`], in its order.
pub(crate) const QUANTILES: [Quantile; 5] =
    [Quantile::P50, Quantile::P90, Quantile::P95, Quantile::P99, Quantile::P999];

/// Counted requests by outcome, and how long each stretch of them took. Any
/// split and order of the same samples gives the same tally.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally {
    timeout: Nanos,
    outcomes: [u64; Outcome::ALL.len()],
    resent: u64,
    columns: [Column; Timing::ALL.len()],
}

/// All that was seen of one timing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) histogram: Histogram,
    sum: u128,
    censored: u64,
    /// The smallest lower bound: quantiles below it are exact.
    least_censored: Option<u64>,
    /// Requests of which nothing is known but that they were due. Their lower
    /// bound is zero, so they come first in every ranking.
    unseen: u64,
}

impl Tally {
    /// Nothing yet, for a run with this time limit.
    pub fn new(timeout: Nanos) -> Tally {
        let columns = Timing::ALL.map(|_| Column::new(BITS));
        Tally { timeout, outcomes: [0; Outcome::ALL.len()], resent: 0, columns }
    }

    /// Takes a sample in, if it is a counted one.
    pub fn observe(&mut self, sample: &Sample) {
        if !sample.counted {
            return;
        }
        self.outcomes[sample.outcome as usize] += 1;
        self.resent += u64::from(sample.resent);
        for timing in Timing::ALL {
            if let Some(took) = timing.of(sample, self.timeout) {
                self.columns[timing as usize].observe(took);
            }
        }
    }

    /// Takes in counted requests that were due and of which nothing else is
    /// known: each waited for no time at least.
    pub(crate) fn observe_unseen(&mut self, count: u64) {
        if count > 0 {
            let response = &mut self.columns[Timing::Response as usize];
            response.unseen += count;
            response.censored += count;
            response.least_censored = Some(0);
        }
    }

    /// Adds all that `other`, of the same run, has taken in.
    pub fn merge(&mut self, other: &Tally) {
        for (mine, theirs) in self.outcomes.iter_mut().zip(other.outcomes) {
            *mine += theirs;
        }
        self.resent += other.resent;
        for (mine, theirs) in self.columns.iter_mut().zip(&other.columns) {
            mine.merge(theirs);
        }
    }

    /// Counted requests with this outcome.
    pub fn count(&self, outcome: Outcome) -> u64 {
        self.outcomes[outcome as usize]
    }

    /// Counted requests, however they ended.
    pub fn total(&self) -> u64 {
        self.outcomes.iter().sum()
    }

    /// Counted requests that failed, by outcome name, largest first.
    pub fn failed(&self) -> Vec<(&'static str, u64)> {
        let failures = Outcome::ALL.into_iter().filter(|outcome| outcome.is_failure());
        let mut failed: Vec<_> = failures
            .map(|outcome| (outcome.name(), self.count(outcome)))
            .filter(|(_, count)| *count > 0)
            .collect();
        failed.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        failed
    }

    /// How often a counted request was sent again.
    pub fn resent(&self) -> u64 {
        self.resent
    }

    /// The distribution of a timing as far as a tally knows it: quantiles are
    /// at most 0.1 % too high.
    pub fn rough(&self, timing: Timing) -> Distribution {
        let column = self.column(timing);
        column.distribution(&column.ranks().map(|rank| column.histogram.value_at_rank(rank)))
    }

    pub(crate) fn column(&self, timing: Timing) -> &Column {
        &self.columns[timing as usize]
    }
}

impl Column {
    /// Nothing yet, in buckets of so many bits.
    pub(crate) fn new(bits: u32) -> Column {
        Column { histogram: Histogram::new(bits), sum: 0, censored: 0, least_censored: None, unseen: 0 }
    }

    pub(crate) fn observe(&mut self, took: Took) {
        let length = took.length.0;
        self.histogram.record(length);
        self.sum += u128::from(length);
        if took.at_least {
            self.censored += 1;
            self.least_censored = Some(self.least_censored.map_or(length, |least| least.min(length)));
        }
    }

    fn merge(&mut self, other: &Column) {
        self.histogram.merge(&other.histogram);
        self.sum += other.sum;
        self.censored += other.censored;
        self.least_censored = self.least_censored.into_iter().chain(other.least_censored).min();
        self.unseen += other.unseen;
    }

    /// Whether requests that failed or were cut off may reach down to this value.
    pub(crate) fn is_lower_bound(&self, value: u64) -> bool {
        self.least_censored.is_some_and(|least| value >= least)
    }

    /// The ranks of [`QUANTILES`].
    pub(crate) fn ranks(&self) -> [u64; QUANTILES.len()] {
        QUANTILES.map(|quantile| self.rank_of_seen(quantile.rank(self.n())))
    }

    /// All requests of this timing, those that nothing is known of included.
    fn n(&self) -> u64 {
        self.histogram.count() + self.unseen
    }

    /// A rank among all as one among those seen: zero for the unseen.
    pub(crate) fn rank_of_seen(&self, rank: u64) -> u64 {
        rank.saturating_sub(self.unseen)
    }

    /// The distribution, given the values at [`Self::ranks`].
    pub(crate) fn distribution(&self, values: &[Option<u64>; QUANTILES.len()]) -> Distribution {
        let n = self.n();
        let unseen = self.unseen > 0;
        let point = |value: u64| Point { value: Nanos(value), at_least: self.is_lower_bound(value) };
        let [p50, p90, p95, p99, p999] = values.map(|value| value.or(unseen.then_some(0)).map(point));
        let mean = (n > 0).then(|| self.sum as f64 / n as f64);
        let max = self.histogram.max().or(unseen.then_some(0)).map(point);
        Distribution { n, censored: self.censored, mean, p50, p90, p95, p99, p999, max }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::any_samples;
    use proptest::prelude::*;

    fn tally(samples: &[Sample]) -> Tally {
        let mut tally = Tally::new(Nanos(1_000_000));
        samples.iter().for_each(|sample| tally.observe(sample));
        tally
    }

    #[test]
    fn warm_up_enters_no_number() {
        let mut samples = any_samples(7, 100);
        samples.iter_mut().for_each(|sample| sample.counted = false);
        assert_eq!(tally(&samples), tally(&[]));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn any_split_and_order_of_samples_gives_the_same_tally(
            seed in any::<u64>(), split in 0..200usize, turn in 0..200usize,
        ) {
            let samples = any_samples(seed, 200);
            let whole = tally(&samples);
            let mut turned = samples.clone();
            turned.rotate_left(turn);
            turned.reverse();
            let mut parts = tally(&turned[..split]);
            parts.merge(&tally(&turned[split..]));
            prop_assert_eq!(parts, whole);
        }
    }
}
