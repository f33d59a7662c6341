//! The backlog over the course of a window: how it stood at over a million
//! moments of it, for questions about parts of the window.
//!
//! The moments are the edges of 2²⁰ bins of equal length, both ends of the
//! window among them: with b its beginning and L its length, edge k is
//! b + ⌈k L ÷ 2²⁰⌉. The backlog at an edge is exact: what arrived before that
//! moment less what left before it, in whatever order that was told. Between
//! edges nothing is known, so a moment is known to one bin: 0.06 ms of a
//! minute, 82 ms of a day.

use crate::Quantile;
use crate::backlog::{BLOCKS, KeepingUp, of_floors, smallest_visible_shortfall};
use std::ops::Range;

const BINS: usize = 1 << 20;

/// Arrivals and departures, while they are told.
#[derive(Clone, Debug)]
pub struct Course {
    window: Range<u64>,
    at_start: i64,
    /// Net change of the backlog in each bin.
    net: Vec<i64>,
}

/// The backlog at every edge.
#[derive(Clone, Debug)]
pub struct Levels {
    window: Range<u64>,
    /// One more than bins.
    levels: Vec<i64>,
}

impl Course {
    /// Nothing yet, over this window.
    pub fn new(window: Range<u64>) -> Course {
        Course { window, at_start: 0, net: vec![0; BINS] }
    }

    /// Something arrived; before the window counts too, as it may leave inside.
    pub fn arrive(&mut self, at: u64) {
        self.change(at, 1);
    }

    /// Something that had arrived left.
    pub fn leave(&mut self, at: u64) {
        self.change(at, -1);
    }

    /// All is told.
    pub fn finish(self) -> Levels {
        let mut levels = self.net;
        let mut level = self.at_start;
        for change in &mut levels {
            let net = std::mem::replace(change, level);
            level += net;
        }
        levels.push(level);
        Levels { window: self.window, levels }
    }

    fn change(&mut self, at: u64, by: i64) {
        if at < self.window.start {
            self.at_start += by;
        } else if at < self.window.end {
            let share = u128::from(at - self.window.start) * BINS as u128;
            self.net[(share / u128::from(self.window.end - self.window.start)) as usize] += by;
        }
    }
}

impl Levels {
    /// The length of a bin, rounded up.
    pub fn step(&self) -> u64 {
        (self.window.end - self.window.start).div_ceil(BINS as u64)
    }

    /// The nearest-rank quantile, over time, of the backlog at the edges from
    /// `part`'s beginning up to, not including, its end. `None` if it holds none.
    pub fn quantile(&self, part: Range<u64>, quantile: Quantile) -> Option<u64> {
        let mut levels = self.levels[self.first_edge(part.start)..self.first_edge(part.end)].to_vec();
        let place = (quantile.rank(levels.len() as u64) as usize).checked_sub(1)?;
        let (_, level, _) = levels.select_nth_unstable(place);
        Some((*level).max(0) as u64)
    }

    /// The first edge from `part`'s beginning up to and with its end at which
    /// the backlog is no larger than `most`.
    pub fn first_at_most(&self, part: Range<u64>, most: u64) -> Option<u64> {
        let edges = self.edges_up_to(part);
        edges.into_iter().find(|edge| self.levels[*edge] <= most as i64).map(|edge| self.moment(edge))
    }

    /// The largest backlog at the edges from `part`'s beginning up to and with
    /// its end, and the first edge where it is so large.
    pub fn peak(&self, part: Range<u64>) -> Option<(u64, u64)> {
        let edges = self.edges_up_to(part);
        let first_largest = |largest: usize, edge: usize| {
            if self.levels[edge] > self.levels[largest] { edge } else { largest }
        };
        let edge = edges.into_iter().reduce(first_largest)?;
        Some((self.levels[edge].max(0) as u64, self.moment(edge)))
    }

    /// The backlog's outline for a picture: `part` in so many stretches of equal
    /// length (edge k at ⌈k L ÷ stretches⌉), and of the edges in each its least and its
    /// largest backlog, each at the first edge where it is that, in order of
    /// time; one point where the two are the same edge.
    pub fn outline(&self, part: Range<u64>, stretches: u32) -> Vec<(u64, u64)> {
        let length = u128::from(part.end - part.start);
        let bound = |at: u32| part.start + (length * u128::from(at)).div_ceil(u128::from(stretches)) as u64;
        let points = (0..stretches).flat_map(|at| {
            let edges = self.first_edge(bound(at))..self.first_edge(bound(at + 1));
            let least = edges.clone().min_by_key(|edge| self.levels[*edge]);
            let largest = edges.min_by_key(|edge| std::cmp::Reverse(self.levels[*edge]));
            let mut both: Vec<usize> = least.into_iter().chain(largest).collect();
            both.sort_unstable();
            both.dedup();
            both
        });
        points.map(|edge| (self.moment(edge), self.levels[edge].max(0) as u64)).collect()
    }

    /// Whether departures kept up with arrivals in `part`, of which `arrived`
    /// and `left` are the counts: [`crate::Backlog`]'s rule, by the smallest
    /// backlog at the edges of each of its twenty equal blocks. What left
    /// stands for what could have. A part that has a block without an edge
    /// cannot be told.
    pub fn judge(&self, part: Range<u64>, arrived: u64, left: u64) -> KeepingUp {
        let length = u128::from(part.end - part.start);
        let bound = |block: usize| part.start + (length * block as u128).div_ceil(BLOCKS as u128) as u64;
        let floor = |block: usize| {
            let edges = self.first_edge(bound(block))..self.first_edge(bound(block + 1));
            self.levels[edges].iter().min().map(|floor| *floor as f64)
        };
        let floors: Option<Vec<f64>> = (0..BLOCKS).map(floor).collect();
        KeepingUp {
            kept_up: floors.and_then(|floors| of_floors(&floors, arrived)),
            smallest_visible: smallest_visible_shortfall(left as f64),
        }
    }

    fn edges_up_to(&self, part: Range<u64>) -> Range<usize> {
        self.first_edge(part.start)..self.first_edge(part.end.saturating_add(1))
    }

    /// The first edge at or after a moment; one more than there are if none is.
    fn first_edge(&self, moment: u64) -> usize {
        let (mut low, mut high) = (0, self.levels.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.moment(middle) < moment { low = middle + 1 } else { high = middle }
        }
        low
    }

    fn moment(&self, edge: usize) -> u64 {
        let length = u128::from(self.window.end - self.window.start);
        self.window.start + (length * edge as u128).div_ceil(BINS as u128) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SECOND: u64 = 1_000_000_000;

    /// What arrived before `moment` less what left before it.
    fn truth(events: &[(u64, u64)], moment: u64) -> i64 {
        let before = |at: u64| i64::from(at < moment);
        events.iter().map(|(came, left)| before(*came) - before(*left)).sum()
    }

    fn levels(window: Range<u64>, events: &[(u64, u64)]) -> Levels {
        let mut course = Course::new(window);
        for (came, left) in events {
            course.arrive(*came);
            course.leave(*left);
        }
        course.finish()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]
        #[test]
        fn every_edge_has_the_backlog_of_that_moment_in_any_order(
            start in 0..5_000_000u64, length in 1..9_000_000u64,
            events in prop::collection::vec((0..12_000_000u64, 0..3_000_000u64), 0..60),
            edges in prop::collection::vec(0..=BINS, 30),
        ) {
            let mut events: Vec<(u64, u64)> = events.into_iter().map(|(at, took)| (at, at + took)).collect();
            let window = start..start + length;
            let found = levels(window.clone(), &events);
            events.reverse();
            prop_assert_eq!(&found.levels, &levels(window, &events).levels);
            for edge in edges {
                prop_assert_eq!(found.levels[edge], truth(&events, found.moment(edge)), "edge {}", edge);
                prop_assert!(found.first_edge(found.moment(edge)) <= edge);
            }
        }
    }

    #[test]
    fn peaks_returns_and_quantiles_are_those_of_a_burst_worked_by_hand() {
        // Level 1 for 10 s (one always out), then 5 more from 10 s on, that
        // leave one by one from 12 s on.
        let mut events = vec![(0, 60 * SECOND)];
        events.extend((0..5).map(|n| (10 * SECOND, (12 + n) * SECOND)));
        let levels = levels(0..20 * SECOND, &events);
        let step = levels.step();
        assert_eq!(levels.quantile(0..10 * SECOND, Quantile::P99), Some(1));
        let (peak, at) = levels.peak(10 * SECOND..20 * SECOND).unwrap();
        assert_eq!(peak, 6);
        assert!((10 * SECOND..=10 * SECOND + step).contains(&at), "{at}");
        let back = levels.first_at_most(11 * SECOND..20 * SECOND, 1).unwrap();
        assert!((16 * SECOND..=16 * SECOND + step).contains(&back), "{back}");
        assert_eq!(levels.first_at_most(11 * SECOND..20 * SECOND, 0), None);
        assert_eq!(levels.first_at_most(11 * SECOND..15 * SECOND, 1), None);
        assert_eq!(levels.quantile(5..5, Quantile::P99), None);
    }

    #[test]
    fn an_outline_has_the_least_and_the_largest_of_each_stretch_in_order_of_time() {
        let events = [(0, 60 * SECOND), (3 * SECOND, 5 * SECOND), (4 * SECOND, 5 * SECOND)];
        let levels = levels(0..20 * SECOND, &events);
        let seconds = |(at, level): (u64, u64)| (at as f64 / 1e9, level);
        let outline: Vec<(f64, u64)> =
            levels.outline(2 * SECOND..10 * SECOND, 2).into_iter().map(seconds).collect();
        let expected = [(2.0, 1), (4.0, 3), (6.0, 1)];
        for ((at, level), (moment, expected)) in outline.iter().zip(expected) {
            assert!((at - moment).abs() < 0.001 && *level == expected, "{outline:?}");
        }
        assert_eq!(outline.len(), 3, "the second stretch stays on one level: {outline:?}");
    }

    #[test]
    fn a_window_without_length_has_no_part_and_no_panic() {
        let levels = levels(7..7, &[(1, 9)]);
        assert_eq!((levels.step(), levels.peak(7..7)), (0, Some((1, 7))));
        assert_eq!(levels.quantile(7..7, Quantile::P99), None);
        assert_eq!(levels.judge(7..7, 500, 500).kept_up, None);
    }

    #[test]
    fn each_part_is_judged_by_itself() {
        // 1,000/s; a server of 800/s from 10 s to 20 s, and of 5,000/s otherwise.
        let mut free = 0;
        let mut events = Vec::new();
        for n in 0..30_000u64 {
            let came = n * SECOND / 1000;
            let gap = if (10 * SECOND..20 * SECOND).contains(&free) { 1_250_000 } else { 200_000 };
            free = free.max(came) + gap;
            events.push((came, free));
        }
        let levels = levels(0..30 * SECOND, &events);
        let judged = |from: u64| {
            let part = from * SECOND..(from + 10) * SECOND;
            let left = events.iter().filter(|(_, left)| part.contains(left)).count() as u64;
            levels.judge(part, 10_000, left).kept_up
        };
        assert_eq!([judged(0), judged(10), judged(20)], [Some(true), Some(false), Some(true)]);
        assert_eq!(levels.judge(0..10 * SECOND, 99, 99).kept_up, None);
        let seen = levels.judge(0..10 * SECOND, 10_000, 18_000).smallest_visible;
        assert!((seen - 0.031_6).abs() < 1e-4, "{seen}");
    }
}
