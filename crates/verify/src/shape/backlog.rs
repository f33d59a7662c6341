//! A backlog at given moments: what came before each less what went before it,
//! counted in two sorted lists.

use crate::record::Part;
use std::ops::RangeInclusive;

/// The backlog is looked at at the edges of so many equal bins of the counted part.
const BINS: u64 = 1 << 20;

/// All that came and all that went.
pub(crate) struct Backlog {
    part: Part,
    came: Vec<u64>,
    went: Vec<u64>,
}

impl Backlog {
    pub(crate) fn new(part: Part, mut came: Vec<u64>, mut went: Vec<u64>) -> Backlog {
        came.sort_unstable();
        went.sort_unstable();
        Backlog { part, came, went }
    }

    /// The length of a bin, rounded up.
    pub(crate) fn resolution(&self) -> u64 {
        self.part.length().div_ceil(BINS)
    }

    /// The edges within these moments, each with the backlog there.
    pub(crate) fn within(&self, moments: RangeInclusive<u64>) -> Vec<(u64, i64)> {
        if self.part.length() == 0 || moments.is_empty() {
            return Vec::new();
        }
        // An edge is at its exact place or less than 1 ns after it.
        let offset = moments.start().saturating_sub(self.part.began);
        let first = u128::from(offset) * u128::from(BINS) / u128::from(self.part.length());
        let first = u64::try_from(first).unwrap_or(BINS).saturating_sub(1);
        let edges = (first..=BINS).map(|edge| self.part.edge(edge, BINS));
        let edges = edges.skip_while(|edge| edge < moments.start()).take_while(|edge| edge <= moments.end());
        let (mut came, mut went) = (0, 0);
        let backlog = |edge: u64| {
            came = advanced(&self.came, came, edge);
            went = advanced(&self.went, went, edge);
            (edge, came as i64 - went as i64)
        };
        edges.map(backlog).collect()
    }

    /// The smallest in each of twenty equal blocks; `None` if one holds no edge.
    pub(crate) fn floors(&self, of: Part) -> Option<Vec<i64>> {
        let floor = |block: u64| {
            let (from, to) = (of.edge(block, 20), of.edge(block + 1, 20));
            let inside = self.within(from..=to.checked_sub(1)?);
            inside.into_iter().map(|(_, backlog)| backlog).min()
        };
        (0..20).map(floor).collect()
    }
}

/// How many of a sorted list lie before a moment, of which `known` do.
fn advanced(sorted: &[u64], known: usize, before: u64) -> usize {
    match sorted.get(known) {
        Some(next) if *next < before => known + sorted[known..].partition_point(|moment| *moment < before),
        _ => known,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_at_an_edge_is_not_yet_in_it() {
        let part = Part { began: 100, ended: 100 + (1 << 21) };
        let backlog = Backlog::new(part, vec![5, 100, 104], vec![103]);
        assert_eq!(backlog.within(100..=106), [(100, 1), (102, 2), (104, 1), (106, 2)]);
        assert_eq!(backlog.within(101..=101), []);
        assert_eq!(backlog.resolution(), 2);
        assert_eq!(backlog.within(part.ended..=u64::MAX), [(part.ended, 2)]);
    }
}
