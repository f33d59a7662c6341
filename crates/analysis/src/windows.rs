//! The counted part in twelve windows, by the scheduled moment: what a tester
//! would have said that had run for a twelfth of the time.

use crate::growth::WINDOWS;
use crate::slices::place;
use crate::summary::{Point, Window};
use crate::timing::Took;
use model::{Nanos, Sample, Span};
use stats::{Histogram, Quantile, Selection};

const COUNT: usize = WINDOWS;
/// With fewer requests a window's median says little.
pub(crate) const FEWEST_FOR_MEDIAN: u64 = 10;
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

    /// What finds each window's p99 and its median, in their order.
    pub(crate) fn selections(&self) -> impl Iterator<Item = Selection> {
        self.parts.iter().map(|part| {
            let ranks = [Quantile::P99, Quantile::P50].map(|one| one.rank(part.histogram.count()));
            Selection::new(&part.histogram, &ranks)
        })
    }

    /// Each window's median in nanoseconds, given what [`Self::selections`] found;
    /// `None` of one with fewer than ten requests.
    pub(crate) fn medians(&self, found: &[Vec<Option<u64>>]) -> Vec<Option<f64>> {
        let median = |(part, values): (&Part, &Vec<Option<u64>>)| {
            let value = values.get(1).copied().flatten()?;
            (part.histogram.count() >= FEWEST_FOR_MEDIAN).then_some(value as f64)
        };
        self.parts.iter().zip(found).map(median).collect()
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

#[cfg(test)]
mod tests {
    use crate::fixture::Run;
    use crate::timing::Timing;
    use model::{Nanos, Outcome, Sample};

    #[test]
    fn each_window_has_the_exact_p99_of_its_own_requests() {
        let mut run = Run::calm();
        // Of the third window so many fail that its p99 is one of them.
        run.change(|at| (2_500..2_520).contains(&at), |sample| sample.outcome = Outcome::Reset);
        let summary = run.judged();
        assert_eq!(summary.windows.len(), 12);
        let mut next = Nanos::ZERO;
        for (at, window) in (0u64..).zip(&summary.windows) {
            assert_eq!((window.began, window.length), (next, Nanos::from_millis(2_500)));
            next = window.began + window.length;
            let inside = |sample: &&Sample| {
                let due = sample.scheduled.saturating_sub(Nanos::from_secs(1));
                sample.counted && window.began <= due && due < next
            };
            let mut lengths: Vec<u64> = run
                .samples
                .iter()
                .filter(inside)
                .filter_map(|sample| Timing::Response.of(sample, run.record.facts.timeout))
                .map(|took| took.length.0)
                .collect();
            lengths.sort_unstable();
            let rank = (lengths.len() * 99).div_ceil(100);
            let p99 = window.p99.expect("a p99");
            assert_eq!(
                (window.n, p99.value),
                (lengths.len() as u64, Nanos(lengths[rank - 1])),
                "window {at}"
            );
            assert_eq!(p99.at_least, at == 2);
        }
    }

    #[test]
    fn a_run_with_less_than_a_hundred_requests_a_window_has_none() {
        let windows = |counted: u64| {
            let mut run = Run::calm();
            run.samples.retain(|sample| !sample.counted || sample.index < 500 + counted);
            run.agree();
            run.judged().windows.len()
        };
        assert_eq!((windows(1_199), windows(1_200)), (0, 12));
    }
}
