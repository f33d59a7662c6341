//! How many separate events a set of moments comes from.

use std::collections::BTreeMap;

/// Groups moments into episodes: two neighbours belong to one if less than
/// `gap` lies between them. The order in which moments come does not matter,
/// and memory grows with the episodes, not with the moments.
#[derive(Clone, Debug)]
pub struct Episodes {
    gap: u64,
    /// First to last moment of each, at least `gap` apart.
    spans: BTreeMap<u64, u64>,
}

impl Episodes {
    /// No moments yet.
    pub fn new(gap: u64) -> Episodes {
        Episodes { gap, spans: BTreeMap::new() }
    }

    /// Adds a moment.
    pub fn observe(&mut self, at: u64) {
        let (mut first, mut last) = (at, at);
        if let Some((&began, &ended)) = self.spans.range(..=at).next_back()
            && (ended >= at || at - ended < self.gap)
        {
            (first, last) = (began, ended.max(at));
        }
        if let Some((&began, &ended)) = self.spans.range(at..).find(|(began, _)| **began > at)
            && began - at < self.gap
        {
            self.spans.remove(&began);
            last = last.max(ended);
        }
        self.spans.insert(first, last);
    }

    /// How many episodes there are.
    pub fn count(&self) -> u64 {
        self.spans.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn count(gap: u64, moments: &[u64]) -> u64 {
        let mut episodes = Episodes::new(gap);
        moments.iter().for_each(|at| episodes.observe(*at));
        episodes.count()
    }

    #[test]
    fn moments_closer_than_the_gap_are_one_episode() {
        assert_eq!(count(10, &[]), 0);
        assert_eq!(count(10, &[5, 5, 5]), 1);
        assert_eq!(count(10, &[0, 9, 18, 27]), 1);
        assert_eq!(count(10, &[0, 10, 20]), 3);
        assert_eq!(count(10, &[0, 18, 9]), 1, "the one between joins both");
    }

    proptest! {
        #[test]
        fn any_order_gives_the_episodes_of_the_sorted_moments(
            moments in prop::collection::vec(0..2_000u64, 0..100), gap in 0..50u64,
        ) {
            let mut sorted = moments.clone();
            sorted.sort_unstable();
            sorted.dedup();
            let splits = sorted.windows(2).filter(|pair| pair[1] - pair[0] >= gap).count() as u64;
            let truth = if sorted.is_empty() { 0 } else { splits + 1 };
            prop_assert_eq!(count(gap, &moments), truth);
        }
    }
}
