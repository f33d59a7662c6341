//! The counted part in twelve windows, by the scheduled moment: what a tester
//! would have said that had run for a twelfth of the time.

use crate::slices::place;
use crate::summary::{Point, Window};
use crate::timing::Took;
use model::{Nanos, Sample, Span};
use stats::{Histogram, Quantile, Selection};

const COUNT: usize = 12;
/// With fewer requests in a window on average its p99 is its slowest one.
const FEWEST: u64 = 100;
/// Coarse buckets do: each window's p99 is found exactly.
const BITS: u32 = 7;

/// Windows while the first pass goes on.
pub(crate) struct Windows {
    span: Span,
    parts: Vec<Part>,
}

struct Part {
    histogram: Histogram,
    /// The smallest lower bound: values below it are exact.
    least_censored: Option<u64>,
}

impl Windows {
    pub(crate) fn new(span: Span) -> Windows {
        let parts = (0..COUNT).map(|_| Part { histogram: Histogram::new(BITS), least_censored: None });
        Windows { span, parts: parts.collect() }
    }

    /// Takes a counted sample in.
    pub(crate) fn observe(&mut self, sample: &Sample, response: Took) {
        let at = self.place(sample);
        let (part, length) = (&mut self.parts[at], response.length.0);
        part.histogram.record(length);
        if response.at_least {
            part.least_censored = Some(part.least_censored.map_or(length, |least| least.min(length)));
        }
    }

    /// The window of a sample.
    pub(crate) fn place(&self, sample: &Sample) -> usize {
        place(self.span, sample.scheduled, COUNT)
    }

    /// What finds each window's p99, in their order.
    pub(crate) fn selections(&self) -> impl Iterator<Item = Selection> {
        self.parts
            .iter()
            .map(|part| Selection::new(&part.histogram, &[Quantile::P99.rank(part.histogram.count())]))
    }

    /// The windows, given what [`Self::selections`] found; none if they are too small.
    pub(crate) fn finish(&self, found: &[Vec<Option<u64>>]) -> Vec<Window> {
        let all: u64 = self.parts.iter().map(|part| part.histogram.count()).sum();
        if all / (COUNT as u64) < FEWEST {
            return Vec::new();
        }
        let length = u128::from(self.span.length().0);
        let edge = |at: usize| Nanos((length * at as u128 / COUNT as u128) as u64);
        let point = |part: &Part, value: u64| Point {
            value: Nanos(value),
            at_least: part.least_censored.is_some_and(|least| value >= least),
        };
        let window = |(at, (part, values)): (usize, (&Part, &Vec<Option<u64>>))| Window {
            began: edge(at),
            length: edge(at + 1) - edge(at),
            n: part.histogram.count(),
            p99: values.first().copied().flatten().map(|value| point(part, value)),
        };
        self.parts.iter().zip(found).enumerate().map(window).collect()
    }
}
