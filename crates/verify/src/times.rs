//! Distributions of times by nearest rank: sort all of them and count.
//!
//! A request that failed enters as at least the time limit, one that was cut
//! off as at least the time it had waited by then. A percentile is a lower
//! bound (`at_least`) from the smallest such time on.

use crate::check::{Computed, List};
use crate::samples::Row;

/// The percentiles with their shares as fractions, since 99.9 / 100 is no float.
const PERCENTILES: [(&str, u128, u128); 5] =
    [("p50", 50, 100), ("p90", 90, 100), ("p95", 95, 100), ("p99", 99, 100), ("p999", 999, 1000)];

/// One stretch of one request: how long it took, and whether that is a lower bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Took {
    pub(crate) length: u64,
    pub(crate) at_least: bool,
}

/// What users waited, from the scheduled moment.
pub(crate) fn response(row: &Row, timeout: u64) -> Took {
    until_done(row, row.stay(), timeout)
}

/// From sending, of those that were sent.
pub(crate) fn service(row: &Row, timeout: u64) -> Option<Took> {
    row.sent.map(|sent| until_done(row, row.done.saturating_sub(sent), timeout))
}

fn until_done(row: &Row, stay: u64, timeout: u64) -> Took {
    let length = if row.is_ok() || row.is_cut_off() { stay } else { stay.max(timeout) };
    Took { length, at_least: !row.is_ok() }
}

/// From the scheduled moment until sent; of one never sent, all of its stay.
pub(crate) fn lateness(row: &Row) -> Took {
    Took { length: row.sent.unwrap_or(row.done).saturating_sub(row.scheduled), at_least: row.sent.is_none() }
}

/// The part of the lateness that was a wait for a connection.
pub(crate) fn waiting(row: &Row) -> Took {
    Took { length: row.waited, at_least: row.sent.is_none() }
}

/// The rest of the lateness: the tester's own delay.
pub(crate) fn own_delay(row: &Row) -> Took {
    let late = lateness(row);
    Took { length: late.length.saturating_sub(row.waited), ..late }
}

/// A time that is known exactly.
pub(crate) fn exactly(length: u64) -> Took {
    Took { length, at_least: false }
}

/// All times of one kind, in rising order.
pub(crate) struct Times {
    pub(crate) sorted: Vec<u64>,
    censored: u64,
    /// The smallest lower bound.
    least_censored: Option<u64>,
}

impl Times {
    pub(crate) fn new(all: impl IntoIterator<Item = Took>) -> Times {
        let all: Vec<Took> = all.into_iter().collect();
        let bounds = all.iter().filter(|took| took.at_least);
        let (censored, least_censored) =
            (bounds.clone().count() as u64, bounds.map(|took| took.length).min());
        let mut sorted: Vec<u64> = all.iter().map(|took| took.length).collect();
        sorted.sort_unstable();
        Times { sorted, censored, least_censored }
    }

    pub(crate) fn n(&self) -> u64 {
        self.sorted.len() as u64
    }

    /// The percentile of this name.
    pub(crate) fn percentile(&self, name: &str) -> Option<u64> {
        let (_, num, den) = PERCENTILES.into_iter().find(|(known, ..)| *known == name)?;
        self.at_rank(rank(self.n(), num, den))
    }

    /// The value of this rank, counted from 1.
    pub(crate) fn at_rank(&self, rank: u64) -> Option<u64> {
        let at = usize::try_from(rank.checked_sub(1)?).ok()?;
        self.sorted.get(at).copied()
    }

    /// Whether a value may be larger in truth.
    pub(crate) fn is_lower_bound(&self, value: u64) -> bool {
        self.least_censored.is_some_and(|least| value >= least)
    }

    /// Everything that is reported of a distribution, under `name`.
    pub(crate) fn list(&self, name: &str, list: &mut List) {
        let sum: u128 = self.sorted.iter().map(|length| u128::from(*length)).sum();
        let mean = (self.n() > 0).then(|| sum as f64 / self.n() as f64);
        list.whole(format!("{name}.n"), self.n());
        list.whole(format!("{name}.censored"), self.censored);
        list.real(format!("{name}.mean"), mean);
        let percentiles = PERCENTILES.map(|(percentile, num, den)| (percentile, rank(self.n(), num, den)));
        let mut at_least = Vec::new();
        for (percentile, rank) in percentiles.into_iter().chain([("max", self.n())]) {
            let value = self.at_rank(rank);
            list.maybe(format!("{name}.{percentile}"), value);
            if value.is_some_and(|value| self.is_lower_bound(value)) {
                at_least.push(percentile.to_owned());
            }
        }
        list.add(format!("{name}.at_least"), Computed::Words(at_least));
    }
}

/// The smallest rank that has at least this share of `n` at or below it.
pub(crate) fn rank(n: u64, num: u128, den: u128) -> u64 {
    u64::try_from((u128::from(n) * num).div_ceil(den)).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_the_value_of_its_nearest_rank() {
        let times = Times::new((1..=1000).map(exactly));
        let found = ["p50", "p90", "p95", "p99", "p999"].map(|name| times.percentile(name));
        assert_eq!(found, [500, 900, 950, 990, 999].map(Some));
        assert_eq!(Times::new([exactly(7)]).percentile("p50"), Some(7));
        assert_eq!(Times::new([]).percentile("p50"), None);
    }

    #[test]
    fn percentiles_are_lower_bounds_from_the_smallest_one_on() {
        let times = Times::new([exactly(5), Took { length: 6, at_least: true }, exactly(7)]);
        assert_eq!([5, 6, 7].map(|value| times.is_lower_bound(value)), [false, true, true]);
    }
}
