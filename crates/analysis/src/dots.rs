//! Some requests as dots: enough to show a cloud, and every one that stands out.

use crate::summary::Dot;
use crate::timing::Took;
use model::{Sample, Seed, Span};
use std::collections::BinaryHeap;

/// A choice of all requests, the same for the same seed whatever the order.
const CHOSEN: usize = 1000;
/// The slowest of all, which a choice would mostly miss.
const SLOWEST: usize = 200;

/// Dots while a pass goes on.
pub(crate) struct Dots {
    seed: Seed,
    span: Span,
    chosen: Least,
    slowest: Least,
}

impl Dots {
    /// No dots yet. `span` is the counted part.
    pub(crate) fn new(seed: Seed, span: Span) -> Dots {
        Dots { seed: seed.derive("dots"), span, chosen: Least::new(CHOSEN), slowest: Least::new(SLOWEST) }
    }

    pub(crate) fn observe(&mut self, sample: &Sample, response: Took) {
        let dot = Dot {
            at: sample.scheduled.saturating_sub(self.span.began),
            response: response.length,
            ok: sample.outcome == model::Outcome::Ok,
        };
        self.chosen.offer((self.seed.mark(sample.index), sample.index, dot));
        self.slowest.offer((u64::MAX - response.length.0, sample.index, dot));
    }

    /// All dots in the order of their moments, each request once.
    pub(crate) fn finish(self) -> Vec<Dot> {
        let both = self.chosen.heap.into_iter().chain(self.slowest.heap);
        let mut dots: Vec<(Dot, u64)> = both.map(|(_, index, dot)| (dot, index)).collect();
        dots.sort_unstable();
        dots.dedup();
        dots.into_iter().map(|(dot, _)| dot).collect()
    }
}

/// The entries with the smallest keys.
struct Least {
    limit: usize,
    heap: BinaryHeap<(u64, u64, Dot)>,
}

impl Least {
    fn new(limit: usize) -> Least {
        Least { limit, heap: BinaryHeap::with_capacity(limit + 1) }
    }

    fn offer(&mut self, entry: (u64, u64, Dot)) {
        if self.heap.len() == self.limit && self.heap.peek().is_some_and(|largest| *largest <= entry) {
            return;
        }
        self.heap.push(entry);
        if self.heap.len() > self.limit {
            self.heap.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::sample;
    use model::Nanos;

    fn dots(samples: &[Sample]) -> Vec<Dot> {
        let mut dots = Dots::new(Seed(7), Span { began: Nanos(1000), ended: Nanos(100_000) });
        for sample in samples {
            dots.observe(sample, Took { length: sample.response_time(), at_least: false });
        }
        dots.finish()
    }

    #[test]
    fn a_small_run_shows_every_request_once() {
        let samples: Vec<Sample> = (0..150).map(|i| sample(i, 1000 + i, 1000 + i, 2000 + i)).collect();
        let dots = dots(&samples);
        assert_eq!(dots.len(), 150);
        assert_eq!(dots[3], Dot { at: Nanos(3), response: Nanos(1000), ok: true });
    }

    #[test]
    fn a_large_run_shows_its_slowest_and_a_choice_that_order_does_not_change() {
        let mut samples: Vec<Sample> =
            (0..50_000).map(|i| sample(i, 1000 + i, 1000 + i, 1100 + i + (i * 7_919) % 50_021)).collect();
        let shown = dots(&samples);
        assert!((1001..=1200).contains(&shown.len()), "{} dots", shown.len());
        let mut responses: Vec<Nanos> = samples.iter().map(Sample::response_time).collect();
        responses.sort_unstable();
        for slow in &responses[49_800..] {
            assert!(shown.iter().any(|dot| dot.response == *slow), "{slow} is missing");
        }
        samples.reverse();
        assert_eq!(dots(&samples), shown);
    }
}
