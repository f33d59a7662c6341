//! Exact values at given ranks, in memory that does not grow with the data.
//!
//! A first pass over the data fills a [`Histogram`], which tells the bucket of
//! every wanted rank. A second pass looks inside those buckets alone. Only
//! where very many values crowd into one very wide bucket does a third pass
//! follow, inside a narrower one.

use crate::Histogram;

/// Cells (values kept, or counters) that one bucket may take: 32 KB.
const CELLS: u64 = 1 << 12;

/// The second pass of finding values at ranks.
#[derive(Clone, Debug)]
pub struct Selection {
    ranks: Vec<u64>,
    /// In rising order, without overlap.
    ranges: Vec<Range>,
}

/// What a pass came to.
#[derive(Clone, Debug)]
pub enum Selected {
    /// The values, in the order of the ranks asked for; `None` where there is no such rank.
    Exact(Vec<Option<u64>>),
    /// One more pass is needed, through this.
    Again(Selection),
}

/// The values from `low` to `high`, among which at least one wanted rank falls.
#[derive(Clone, Debug)]
struct Range {
    low: u64,
    high: u64,
    /// How many values lie below `low`.
    below: u64,
    /// How many lie inside.
    count: u64,
    cells: Cells,
}

#[derive(Clone, Debug)]
enum Cells {
    /// Few values: all of them.
    Kept(Vec<u64>),
    /// Many values: a counter for each 2^`shift` neighbours.
    Counted { shift: u32, counts: Vec<u64> },
}

impl Selection {
    /// Looks for the values of `ranks` (counted from 1) among the values that
    /// `histogram` holds.
    pub fn new(histogram: &Histogram, ranks: &[u64]) -> Selection {
        let mut wanted = ranks.to_vec();
        wanted.sort_unstable();
        wanted.dedup();
        let mut wanted = wanted.into_iter().peekable();
        let mut ranges = Vec::new();
        for bucket in histogram.buckets() {
            let last = bucket.below + bucket.count;
            let mut hit = false;
            while let Some(rank) = wanted.next_if(|rank| *rank <= last) {
                hit |= rank > bucket.below;
            }
            if hit {
                ranges.push(Range::new(bucket.low, bucket.high, bucket.below, bucket.count));
            }
        }
        Selection { ranks: ranks.to_vec(), ranges }
    }

    /// Hands over one value. Every value that the histogram holds must come
    /// once in every pass, in any order.
    pub fn observe(&mut self, value: u64) {
        let at = self.ranges.partition_point(|range| range.high < value);
        if let Some(range) = self.ranges.get_mut(at)
            && range.low <= value
        {
            range.observe(value);
        }
    }

    /// Ends a pass.
    pub fn finish(mut self) -> Selected {
        if self.ranges.iter().all(Range::is_exact) {
            self.ranges.iter_mut().for_each(Range::sort);
            let values = self.ranks.iter().map(|rank| self.range_of(*rank)?.value(*rank));
            return Selected::Exact(values.collect());
        }
        let mut ranges: Vec<Range> = Vec::new();
        let mut ranks = self.ranks.clone();
        ranks.sort_unstable();
        for rank in ranks {
            if ranges.last().is_some_and(|last| last.holds(rank)) {
                continue;
            }
            ranges.extend(self.range_of(rank).and_then(|range| range.narrowed(rank)));
        }
        Selected::Again(Selection { ranks: self.ranks, ranges })
    }

    fn range_of(&self, rank: u64) -> Option<&Range> {
        self.ranges.iter().find(|range| range.holds(rank))
    }
}

impl Range {
    fn new(low: u64, high: u64, below: u64, count: u64) -> Range {
        let cells = if count <= CELLS {
            Cells::Kept(Vec::with_capacity(count as usize))
        } else {
            let last = high - low;
            let shift = (64 - last.leading_zeros()).saturating_sub(CELLS.ilog2());
            Cells::Counted { shift, counts: vec![0; (last >> shift) as usize + 1] }
        };
        Range { low, high, below, count, cells }
    }

    fn holds(&self, rank: u64) -> bool {
        self.below < rank && rank <= self.below + self.count
    }

    fn observe(&mut self, value: u64) {
        match &mut self.cells {
            Cells::Kept(values) => values.push(value),
            Cells::Counted { shift, counts } => counts[((value - self.low) >> *shift) as usize] += 1,
        }
    }

    fn is_exact(&self) -> bool {
        !matches!(self.cells, Cells::Counted { shift: 1.., .. })
    }

    fn sort(&mut self) {
        if let Cells::Kept(values) = &mut self.cells {
            values.sort_unstable();
        }
    }

    /// The value of `rank`; the range is exact, sorted and holds it.
    fn value(&self, rank: u64) -> Option<u64> {
        match &self.cells {
            Cells::Kept(values) => values.get((rank - self.below - 1) as usize).copied(),
            Cells::Counted { .. } => self.cell_of(rank).map(|cell| cell.low),
        }
    }

    /// A range for the next pass that holds `rank`: one cell of this.
    fn narrowed(&self, rank: u64) -> Option<Range> {
        match &self.cells {
            Cells::Kept(_) => Some(Range::new(self.low, self.high, self.below, self.count)),
            Cells::Counted { .. } => self.cell_of(rank),
        }
    }

    fn cell_of(&self, rank: u64) -> Option<Range> {
        let Cells::Counted { shift, counts } = &self.cells else { return None };
        let mut below = self.below;
        for (at, &count) in counts.iter().enumerate() {
            if below + count >= rank {
                let low = self.low + ((at as u64) << shift);
                let high = (low + ((1 << shift) - 1)).min(self.high);
                return Some(Range::new(low, high, below, count));
            }
            below += count;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The values at `ranks`, and how many passes they took after the first.
    fn select(values: &[u64], bits: u32, ranks: &[u64]) -> (Vec<Option<u64>>, u32) {
        let mut histogram = Histogram::new(bits);
        values.iter().for_each(|value| histogram.record(*value));
        let mut selection = Selection::new(&histogram, ranks);
        for passes in 1.. {
            values.iter().for_each(|value| selection.observe(*value));
            match selection.finish() {
                Selected::Exact(found) => return (found, passes),
                Selected::Again(next) => selection = next,
            }
        }
        unreachable!("every pass narrows")
    }

    #[test]
    fn a_rank_that_does_not_exist_has_no_value() {
        assert_eq!(select(&[], 7, &[1]).0, [None]);
        assert_eq!(select(&[5, 6], 7, &[0, 2, 3, 1]).0, [None, Some(6), None, Some(5)]);
    }

    #[test]
    fn crowded_values_of_a_narrow_bucket_are_counted_in_one_more_pass() {
        let values: Vec<u64> = (0..100_000).map(|i| 1_000_000 + i % 700).collect();
        let mut sorted = values.clone();
        sorted.sort_unstable();
        let (found, passes) = select(&values, 7, &[1, 50_000, 99_000]);
        assert_eq!(found, [Some(sorted[0]), Some(sorted[49_999]), Some(sorted[98_999])]);
        assert_eq!(passes, 1);
    }

    #[test]
    fn crowded_values_of_a_wide_bucket_take_a_third_pass_and_stay_exact() {
        // As when ten thousands of waits all end at a time limit of 10 s.
        let values: Vec<u64> = (0..40_000u64).map(|i| 10_000_000_000 + (i * 7_919) % 4_000_003).collect();
        let mut sorted = values.clone();
        sorted.sort_unstable();
        let ranks = [1, 20_000, 39_600, 39_960, 40_000];
        let (found, passes) = select(&values, 10, &ranks);
        assert_eq!(found, ranks.map(|rank| Some(sorted[rank as usize - 1])));
        assert_eq!(passes, 2);
    }

    #[test]
    fn memory_is_bounded_by_the_ranks_and_not_by_the_values() {
        let mut histogram = Histogram::new(10);
        (0..20).for_each(|power| histogram.record_n(1 << (power + 30), 1 << 40));
        let ranks: Vec<u64> = (0..20).map(|at| (at << 40) + 1).collect();
        let selection = Selection::new(&histogram, &ranks);
        assert_eq!(selection.ranges.len(), 20);
        for range in &selection.ranges {
            let Cells::Counted { counts, .. } = &range.cells else { panic!("too many values to keep") };
            assert!(counts.len() as u64 <= CELLS, "{} cells", counts.len());
        }
    }

    proptest! {
        #[test]
        fn selection_agrees_with_sorting(
            values in prop::collection::vec(
                prop_oneof![any::<u64>(), 0..300u64, 1_000_000..1_001_000u64], 1..400),
            bits in 0..11u32,
            shares in prop::collection::vec(0.0..1.0f64, 1..6),
        ) {
            let ranks: Vec<u64> = shares.iter().map(|s| (s * values.len() as f64) as u64 + 1).collect();
            let mut sorted = values.clone();
            sorted.sort_unstable();
            let truth: Vec<_> = ranks.iter().map(|rank| Some(sorted[*rank as usize - 1])).collect();
            prop_assert_eq!(select(&values, bits, &ranks).0, truth);
        }
    }
}
