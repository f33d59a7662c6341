//! The counted part in slices of equal length, by the scheduled moment.

use crate::summary::Slice;
use crate::timing::Took;
use model::{Nanos, Sample, Span};
use stats::{Histogram, Quantile, Selection};

/// At most this many, so that they fit beside each other on a page.
const MOST: u64 = 60;
/// At least this many, so that a short run still shows a course.
const FEWEST: u64 = 10;
/// Coarse buckets do: a slice has few samples, and its p99 is found exactly.
const BITS: u32 = 7;

/// Slices while the first pass goes on.
pub(crate) struct Slices {
    span: Span,
    parts: Vec<Part>,
}

struct Part {
    histogram: Histogram,
    failed: u64,
}

impl Slices {
    /// Of a second each, as far as that gives between 10 and 60.
    pub(crate) fn new(span: Span) -> Slices {
        let count = (span.length().0 / 1_000_000_000).clamp(FEWEST, MOST);
        let parts = (0..count).map(|_| Part { histogram: Histogram::new(BITS), failed: 0 });
        Slices { span, parts: parts.collect() }
    }

    pub(crate) fn observe(&mut self, sample: &Sample, response: Took) {
        let at = self.place(sample);
        let part = &mut self.parts[at];
        part.histogram.record(response.length.0);
        part.failed += u64::from(response.at_least);
    }

    /// The slice of a sample. What a loop sent at the very end of the counted
    /// part belongs to the last.
    pub(crate) fn place(&self, sample: &Sample) -> usize {
        place(self.span, sample.scheduled, self.parts.len())
    }

    /// What finds each slice's p99, in their order.
    pub(crate) fn selections(&self) -> impl Iterator<Item = Selection> {
        self.parts.iter().map(|part| {
            let rank = Quantile::P99.rank(part.histogram.count());
            Selection::new(&part.histogram, &[rank])
        })
    }

    /// The slices, given what [`Self::selections`] found.
    pub(crate) fn finish(&self, found: &[Vec<Option<u64>>]) -> Vec<Slice> {
        let (length, count) = (self.span.length(), self.parts.len() as u64);
        let edge = |at: u64| Nanos((u128::from(length.0) * u128::from(at) / u128::from(count)) as u64);
        let slices = self.parts.iter().zip(found).zip(0u64..).map(|((part, values), at)| Slice {
            began: edge(at),
            length: edge(at + 1) - edge(at),
            scheduled: part.histogram.count(),
            failed: part.failed,
            p99: values.first().copied().flatten().map(Nanos),
            max: part.histogram.max().map(Nanos),
        });
        slices.collect()
    }
}

/// Which of `count` equal parts of `span` holds `moment`; the nearest one if none does.
pub(crate) fn place(span: Span, moment: Nanos, count: usize) -> usize {
    let offset = u128::from(moment.saturating_sub(span.began).0);
    let length = u128::from(span.length().0).max(1);
    ((offset * count as u128 / length) as usize).min(count - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_are_about_a_second_and_neither_too_few_nor_too_many() {
        let count = |secs: u64| {
            let span = Span { began: Nanos::from_secs(2), ended: Nanos::from_secs(2 + secs) };
            Slices::new(span).parts.len()
        };
        assert_eq!([0, 5, 30, 60, 600].map(count), [10, 10, 30, 60, 60]);
    }

    #[test]
    fn a_moment_falls_into_the_part_that_begins_with_it() {
        let span = Span { began: Nanos(100), ended: Nanos(200) };
        let cases = [(0, 0), (100, 0), (109, 0), (110, 1), (199, 9), (200, 9), (900, 9)];
        for (moment, part) in cases {
            assert_eq!(place(span, Nanos(moment), 10), part, "{moment}");
        }
    }

    #[test]
    fn slices_join_and_cover_the_span_to_the_last_nanosecond() {
        let slices = Slices::new(Span { began: Nanos(5), ended: Nanos(1_008) });
        let slices = slices.finish(&vec![vec![None]; 10]);
        let mut next = Nanos::ZERO;
        for slice in &slices {
            assert_eq!(slice.began, next);
            assert_eq!((slice.scheduled, slice.p99), (0, None));
            next = slice.began + slice.length;
        }
        assert_eq!(next, Nanos(1_003));
    }
}
