//! What the slowest requests rest on: the p99's interval and its episodes.

use crate::exact::find;
use crate::slices::place;
use crate::summary::Interval;
use crate::tally::Column;
use crate::timing::Timing;
use model::{Nanos, Sample, SampleSource, SourceError, Span};
use stats::{Batch, Episodes, Selection, woodruff};

/// Batches of equal time from which the interval takes its variance.
const BATCHES: usize = 20;
/// Slow requests belong to one episode while the gap is less than this many
/// times the p99: a queue that emptied has been empty for long by then.
const GAP_P99S: u64 = 10;
/// Nor do they part before this many requests were due in between.
const GAP_REQUESTS: u64 = 50;

/// What is within this share of the mean is near it.
const NEAR: f64 = 0.1;

/// The slow requests of a run, while the third pass goes on.
pub(crate) struct Tail {
    span: Span,
    timeout: Nanos,
    p99: Nanos,
    batches: [Batch; BATCHES],
    episodes: Episodes,
    /// The mean gap between requests.
    gap: Nanos,
    /// Lengths within 10 % of the mean.
    near_mean: std::ops::RangeInclusive<f64>,
    /// Requests that took so long.
    pub(crate) near: u64,
    /// Requests that the tester itself held up for longer than that.
    pub(crate) own_delay_above_gap: u64,
}

impl Tail {
    /// Nothing yet. `requests` are those of the counted part `span`; their
    /// response times have this `p99` and `mean`.
    pub(crate) fn new(span: Span, timeout: Nanos, p99: Nanos, mean: f64, requests: u64) -> Tail {
        let gap = Nanos(span.length().0 / requests.max(1));
        let apart = p99.0.saturating_mul(GAP_P99S).max(gap.0.saturating_mul(GAP_REQUESTS));
        Tail {
            span,
            timeout,
            p99,
            batches: [Batch::default(); BATCHES],
            episodes: Episodes::new(apart),
            gap,
            near_mean: mean * (1.0 - NEAR)..=mean * (1.0 + NEAR),
            near: 0,
            own_delay_above_gap: 0,
        }
    }

    /// Takes a counted sample in.
    pub(crate) fn observe(&mut self, sample: &Sample) {
        let Some(response) = Timing::Response.of(sample, self.timeout) else { return };
        let batch = &mut self.batches[place(self.span, sample.scheduled, BATCHES)];
        batch.n += 1;
        if response.length > self.p99 {
            batch.above += 1;
            self.episodes.observe(sample.scheduled.0);
        }
        self.near += u64::from(self.near_mean.contains(&(response.length.0 as f64)));
        let own_delay = Timing::OwnDelay.of(sample, self.timeout);
        self.own_delay_above_gap += u64::from(own_delay.is_some_and(|own| own.length > self.gap));
    }

    /// The p99's interval, with its ends read off in one more pass.
    pub(crate) fn interval(
        &self,
        response: &Column,
        samples: &dyn SampleSource,
    ) -> Result<Interval, SourceError> {
        let episodes = self.episodes.count();
        let Some(ranks) = woodruff(&self.batches) else {
            return Ok(Interval { low: None, high: None, episodes });
        };
        let wanted =
            [Some(ranks.low), ranks.high].map(|rank| response.rank_of_seen(rank.unwrap_or_default()));
        let selection = Selection::new(&response.histogram, &wanted);
        let found = find(samples, vec![selection], |sample, give| {
            if sample.counted
                && let Some(took) = Timing::Response.of(sample, self.timeout)
            {
                give(0, took.length.0);
            }
        })?;
        let end = |at: usize| found.first().and_then(|values| *values.get(at)?).map(Nanos);
        // Among lower bounds the true value at a rank may be any larger one.
        let high = end(1).filter(|high| !response.is_lower_bound(high.0));
        Ok(Interval { low: end(0), high, episodes })
    }
}
