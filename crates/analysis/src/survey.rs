//! The first pass: everything that one look at each sample can tell.

use crate::dots::Dots;
use crate::shaped::Shaped;
use crate::slices::Slices;
use crate::stalls::StallTally;
use crate::standstill::Standstill;
use crate::tally::Tally;
use crate::timing::Timing;
use crate::windows::Windows;
use model::{Load, Nanos, RunRecord, Sample, SampleSource, SourceError, Span};
use stats::Backlog;

/// What the first pass collects.
pub(crate) struct Survey {
    /// The counted part.
    pub(crate) span: Span,
    pub(crate) tally: Tally,
    pub(crate) slices: Slices,
    pub(crate) windows: Windows,
    pub(crate) dots: Dots,
    pub(crate) backlog: Backlog,
    pub(crate) stalls: Option<StallTally>,
    pub(crate) standstill: Standstill,
    /// Where the load changes over time.
    pub(crate) shaped: Option<Shaped>,
    /// Samples of the whole run, warm-up included.
    pub(crate) all: u64,
    /// Sum over the whole run of the time from due to done, in request-nanoseconds.
    pub(crate) area: u128,
    /// Counted requests that were due before the tester was killed, and have no row.
    pub(crate) unseen: u64,
}

impl Survey {
    /// Takes the first pass over a run's samples.
    pub(crate) fn of(record: &RunRecord, samples: &dyn SampleSource) -> Result<Survey, SourceError> {
        let mut survey = Survey::new(record, counted_part(record, samples)?);
        let timeout = record.facts.timeout;
        samples.pass(&mut |batch| batch.iter().for_each(|sample| survey.observe(sample, timeout)))?;
        if let Some(shaped) = &mut survey.shaped {
            shaped.seal();
        }
        survey.unseen = unseen(record, survey.tally.total());
        survey.tally.observe_unseen(survey.unseen);
        Ok(survey)
    }

    fn new(record: &RunRecord, span: Span) -> Survey {
        let stalls = record.end.as_ref().and_then(|end| end.stalls.as_ref());
        Survey {
            span,
            tally: Tally::new(record.facts.timeout),
            slices: Slices::new(span),
            windows: Windows::new(span),
            dots: Dots::new(record.facts.seed, span),
            backlog: Backlog::new(span.began.0, span.ended.0),
            stalls: stalls.map(|stalls| StallTally::new(stalls, span)),
            standstill: Standstill::new(span),
            shaped: Shaped::new(&record.facts, span),
            all: 0,
            area: 0,
            unseen: 0,
        }
    }

    fn observe(&mut self, sample: &Sample, timeout: Nanos) {
        self.all += 1;
        self.area += u128::from(sample.response_time().0);
        self.backlog.arrive(sample.scheduled.0);
        // A refusal or a time limit is no work that the service got through, so
        // what fails stays in the backlog for good.
        if sample.outcome.is_answered() {
            self.backlog.complete(sample.done.0);
        }
        self.standstill.observe(sample);
        if let Some(shaped) = &mut self.shaped {
            shaped.observe(sample, timeout);
        }
        if !sample.counted {
            return;
        }
        self.tally.observe(sample);
        if let Some(stalls) = &mut self.stalls {
            stalls.observe(sample);
        }
        if let Some(response) = Timing::Response.of(sample, timeout) {
            self.slices.observe(sample, response);
            self.windows.observe(sample, response);
            self.dots.observe(sample, response);
        }
    }

    /// Answers a second that came inside the counted part; zero for one
    /// without length. Those that came while only answers were awaited belong
    /// to no second of it; those to the warm-up's last requests do, as the
    /// service gave them then.
    pub(crate) fn rate_per_s(&self) -> f64 {
        let seconds = self.span.length().as_secs_f64();
        if seconds > 0.0 { self.backlog.completed() as f64 / seconds } else { 0.0 }
    }
}

/// When the counted part began and ended. A run that was killed did not say,
/// so its part ends with the last that is known of it.
fn counted_part(record: &RunRecord, samples: &dyn SampleSource) -> Result<Span, SourceError> {
    let began = record.facts.warm_up;
    let ended = match &record.end {
        Some(end) => end.counted_until,
        None => {
            let last_sign = record.last_sign.map_or(Nanos::ZERO, |sign| sign.at);
            last_done(samples)?.max(last_sign).min(began + record.facts.measure)
        }
    };
    Ok(Span { began, ended: ended.max(began) })
}

/// Of a run that was killed: counted requests that were due by its last sign
/// of life, less the `rows` that remain.
fn unseen(record: &RunRecord, rows: u64) -> u64 {
    let sign = record.last_sign.filter(|_| record.end.is_none());
    sign.and_then(|sign| sign.due_counted).map_or(0, |due| due.saturating_sub(rows))
}

fn last_done(samples: &dyn SampleSource) -> Result<Nanos, SourceError> {
    let mut last = Nanos::ZERO;
    samples.pass(&mut |batch| {
        last = batch.iter().map(|sample| sample.done).fold(last, Nanos::max);
    })?;
    Ok(last)
}

/// Whether a load has a schedule of its own that the tester can be late for.
pub(crate) fn has_schedule(load: Load) -> bool {
    load.target_rate().is_some()
}
