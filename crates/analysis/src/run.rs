//! One run: a few passes over its samples, then a verdict.
//!
//! The first pass fills histograms and counts ([`Survey`]). The second finds
//! the exact values of every percentile, the third looks at the requests
//! beyond the p99, the fourth reads off the ends of its interval. A loop that is
//! to be replayed takes a fifth, for what its stalls touched. A run with very
//! many values in one place may take one more. Memory is that of the
//! histograms, however many samples there are.

use crate::completion::completion;
use crate::corrected::{corrected, long_enough, refuse_where_load_changes, refuse_without_stalls};
use crate::doubts::{self, Case};
use crate::exact::find;
use crate::growth::growth;
use crate::pace::kept_up;
use crate::readings;
use crate::replayed::{Replayed, replayed};
use crate::shaped::{Shaped, is_level};
use crate::summary::{Distribution, Growth, Interval, Lateness, Little, RunSummary, TesterFigures, Verdict};
use crate::survey::Survey;
use crate::tail::Tail;
use crate::tally::QUANTILES;
use crate::timing::Timing;
use crate::told::{self, told_alone};
use model::{
    Completion, Nanos, Outcome, Readings, RunEnd, RunFacts, RunRecord, Sample, SampleSource, ShapeKind,
    SourceError, Span,
};
use stats::{Histogram, Selection};

/// Points of the curve.
const CURVE_POINTS: u32 = 100;
/// The curve's last point leaves out no less than one in this many (as a power of ten).
const CURVE_NINES: f64 = 6.0;

/// What was learnt beside the requests of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alongside<'a> {
    /// The accepted work whose end is known; `None` where nobody followed it.
    pub completions: Option<&'a [Completion]>,
    /// What was read; `None` where nothing was to be.
    pub readings: Option<&'a Readings>,
}

impl Alongside<'_> {
    /// Adds what it says to what the requests say.
    fn enter(self, record: &RunRecord, counted: Span, summary: &mut RunSummary) {
        summary.completion = self.completions.and_then(|all| completion(record, all));
        if let Some(readings) = self.readings {
            summary.readings = readings::figures(readings, counted.began);
            summary.reading_gaps = readings.gaps();
            summary.growth.extend(readings::growths(&record.facts, readings, counted));
        }
    }
}

/// Everything that one run's record and samples say, and what was learnt beside them.
///
/// # Errors
///
/// If a pass over the samples fails.
pub fn run(
    record: &RunRecord,
    samples: &dyn SampleSource,
    alongside: Alongside<'_>,
) -> Result<RunSummary, SourceError> {
    if let Some((end, told)) = told_alone(record) {
        let mut summary = told::summary(record, end, &told);
        let counted = Span { began: record.facts.warm_up, ended: end.counted_until };
        alongside.enter(record, counted, &mut summary);
        return Ok(summary);
    }
    let survey = Survey::of(record, samples)?;
    let exact = Exact::of(&survey, record.facts.timeout, samples)?;
    let tail = tail(&survey, record.facts.timeout, exact.distribution(Timing::Response), samples)?;
    let own_delay_above_gap = tail.as_ref().map_or(0, |tail| tail.own_delay_above_gap);
    let near = tail.as_ref().map_or(0, |tail| tail.near);
    let interval = match tail {
        Some(tail) => tail.interval(survey.tally.column(Timing::Response), samples)?,
        None => Interval::default(),
    };
    let all = survey.all;
    let (samples_counted, unseen) = (survey.tally.total(), survey.unseen);
    let replayed = replay(record, &survey, &exact, samples)?;
    let counted = survey.span;
    let mut summary = summarise(record, survey, &exact, interval);
    alongside.enter(record, counted, &mut summary);
    let n = summary.response_time.n;
    summary.near_mean = (n > 0).then(|| near as f64 / n as f64);
    if let (Some(corrected), Some(replayed)) = (&mut summary.corrected, replayed) {
        corrected.replay = replayed.p99;
        corrected.assumptions.push(replayed.says);
    }
    summary.doubts = doubts::all(&Case {
        record,
        summary: &summary,
        samples_all: all,
        samples_counted,
        own_delay_above_gap,
        unseen,
    });
    let verdict = summary.doubts.iter().map(|doubt| doubt.weight).max();
    summary.verdict = verdict.unwrap_or(Verdict::Valid);
    Ok(summary)
}

/// The exact percentiles of every timing and every part of a shape, and those
/// of each slice and window.
struct Exact {
    distributions: [Distribution; Timing::ALL.len()],
    slices: Vec<Vec<Option<u64>>>,
    windows: Vec<Vec<Option<u64>>>,
    parts: Vec<Vec<Option<u64>>>,
}

/// Where the searches of each kind begin: those of timings come first.
struct Places {
    windows: usize,
    parts: usize,
}

impl Exact {
    fn of(survey: &Survey, timeout: Nanos, samples: &dyn SampleSource) -> Result<Exact, SourceError> {
        let whole = Timing::ALL.map(|timing| {
            let column = survey.tally.column(timing);
            Selection::new(&column.histogram, &column.ranks())
        });
        let slices: Vec<Selection> = survey.slices.selections().collect();
        let windows: Vec<Selection> = survey.windows.selections().collect();
        let first_window = Timing::ALL.len() + slices.len();
        let places = Places { windows: first_window, parts: first_window + windows.len() };
        let parts = survey.shaped.iter().flat_map(Shaped::selections);
        let selections = whole.into_iter().chain(slices).chain(windows).chain(parts).collect();
        let mut found = find(samples, selections, |sample, give| {
            feed(survey, &places, sample, timeout, give);
        })?;
        let parts = found.split_off(places.parts);
        let windows = found.split_off(places.windows);
        let slices = found.split_off(Timing::ALL.len());
        let distributions = Timing::ALL.map(|timing| {
            let mut values = [None; QUANTILES.len()];
            values.copy_from_slice(&found[timing as usize]);
            survey.tally.column(timing).distribution(&values)
        });
        Ok(Exact { distributions, slices, windows, parts })
    }

    fn distribution(&self, timing: Timing) -> &Distribution {
        &self.distributions[timing as usize]
    }
}

/// Hands a sample's lengths to the search of each timing, and to those of its
/// slice, its window and its parts of a shape.
fn feed(survey: &Survey, places: &Places, sample: &Sample, timeout: Nanos, give: &mut dyn FnMut(usize, u64)) {
    if !sample.counted {
        return;
    }
    for timing in Timing::ALL {
        if let Some(took) = timing.of(sample, timeout) {
            give(timing as usize, took.length.0);
        }
    }
    if let Some(response) = Timing::Response.of(sample, timeout) {
        give(Timing::ALL.len() + survey.slices.place(sample), response.length.0);
        give(places.windows + survey.windows.place(sample), response.length.0);
        for at in survey.shaped.iter().flat_map(|shaped| shaped.places(sample)) {
            give(places.parts + at, response.length.0);
        }
    }
}

/// The third pass; `None` if there is no p99 to look beyond.
fn tail(
    survey: &Survey,
    timeout: Nanos,
    response: &Distribution,
    samples: &dyn SampleSource,
) -> Result<Option<Tail>, SourceError> {
    let Some(p99) = response.p99 else { return Ok(None) };
    let mean = response.mean.unwrap_or_default();
    let mut tail = Tail::new(survey.span, timeout, p99.value, mean, response.n);
    samples.pass(&mut |batch| {
        batch.iter().filter(|sample| sample.counted).for_each(|sample| tail.observe(sample));
    })?;
    Ok(Some(tail))
}

/// All figures, before anything is doubted.
fn summarise(record: &RunRecord, survey: Survey, exact: &Exact, p99_interval: Interval) -> RunSummary {
    let (facts, end) = (&record.facts, record.end.as_ref());
    let response = &survey.tally.column(Timing::Response).histogram;
    let p99 = exact.distribution(Timing::Response).p99.map(|point| point.value);
    let p95 = exact.distribution(Timing::Service).p95.map_or(Nanos::ZERO, |point| point.value);
    let rate_per_s = survey.rate_per_s();
    let of = |timing| exact.distribution(timing).clone();
    let length = survey.span.length();
    let shaped = survey.shaped.as_ref();
    let scheduled = end.map_or(survey.tally.total() + survey.unseen, |end| end.taken_counted);
    let mut kept_up = kept_up(facts.load, &survey.backlog, length, facts.capacity_per_s);
    // When the unseen were due is not known, so they are in no backlog.
    kept_up.kept_up = kept_up.kept_up.filter(|kept_up| survey.unseen == 0 || !kept_up);
    RunSummary {
        facts: facts.clone(),
        verdict: Verdict::Valid,
        doubts: Vec::new(),
        interrupted: end.is_none_or(|end| end.interrupted),
        duration: length,
        scheduled,
        ok: survey.tally.count(Outcome::Ok),
        failed: survey.tally.failed(),
        unfinished: survey.tally.count(Outcome::Unfinished) + survey.unseen,
        never_sent: survey.tally.count(Outcome::NeverSent),
        resent: survey.tally.resent(),
        rate_per_s,
        kept_up,
        response_time: of(Timing::Response),
        response_time_ok: of(Timing::ResponseOk),
        service_time: of(Timing::Service),
        connect_time: of(Timing::Connect),
        p99_interval,
        lateness: lateness(facts, exact),
        corrected: corrected(facts, response, p99, rate_per_s).map(|corrected| {
            let long = long_enough(&stalls_met(record, &survey, p95), p95);
            refuse_where_load_changes(refuse_without_stalls(corrected, long), facts)
        }),
        stalls: survey.stalls.as_ref().map(crate::stalls::StallTally::finish),
        tester: end.map(|end| tester(end, survey.span)).unwrap_or_default(),
        little: end.and_then(|end| little(end, survey.area)),
        examples: end.map(|end| end.examples.clone()).unwrap_or_default(),
        slices: survey.slices.finish(&exact.slices),
        windows: survey.windows.finish(&exact.windows),
        stages: shaped.map_or_else(Vec::new, |shaped| shaped.stages(&exact.parts, survey.unseen == 0)),
        bursts: shaped.map_or_else(Vec::new, |shaped| shaped.bursts(&exact.parts)),
        growth: drift(facts, &survey, exact).into_iter().collect(),
        completion: None,
        readings: Vec::new(),
        reading_gaps: Vec::new(),
        near_mean: None,
        told: end.and_then(|end| end.told.clone()),
        story: end.and_then(|end| end.machine.clone()),
        curve: curve(response),
        dots: survey.dots.finish(),
    }
}

/// How the median drifted over a load that stays level and asks for that.
fn drift(facts: &RunFacts, survey: &Survey, exact: &Exact) -> Option<Growth> {
    let kind = facts.shape.as_ref()?.kind;
    matches!(kind, ShapeKind::Steady | ShapeKind::Soak).then(|| {
        let medians = survey.windows.medians(&exact.windows);
        growth("response time p50", "ns", medians, survey.span.length(), None)
    })
}

/// When another tool should have sent, it does not tell: its requests are
/// scheduled when its clock for them starts, so that its lateness is unknown
/// and not zero.
fn lateness(facts: &RunFacts, exact: &Exact) -> Lateness {
    if facts.tool.is_some() {
        return Lateness::default();
    }
    let of = |timing| exact.distribution(timing).clone();
    Lateness { all: of(Timing::Lateness), waiting: of(Timing::Waiting), own: of(Timing::OwnDelay) }
}

/// The correction by replay, for a loop that can be corrected at all.
fn replay(
    record: &RunRecord,
    survey: &Survey,
    exact: &Exact,
    samples: &dyn SampleSource,
) -> Result<Option<Replayed>, SourceError> {
    let changes = record.facts.shape.as_ref().is_some_and(|shape| !is_level(shape));
    if record.facts.load.users().is_none() || changes {
        return Ok(None);
    }
    let p95 = exact.distribution(Timing::Service).p95.map_or(Nanos::ZERO, |point| point.value);
    let stalls = stalls_met(record, survey, p95);
    replayed(&record.facts, survey.span, &stalls, long_enough(&stalls, p95), samples).map(Some)
}

/// The counted part's stalls, in order: as the service tells them, else as
/// they show in the samples.
fn stalls_met(record: &RunRecord, survey: &Survey, p95: Nanos) -> Vec<Span> {
    let told = record.end.as_ref().and_then(|end| end.stalls.as_ref());
    let Some(told) = told else { return survey.standstill.stalls(p95) };
    let mut met: Vec<Span> =
        told.seen.iter().copied().filter(|stall| survey.span.contains(stall.began)).collect();
    met.sort_unstable_by_key(|stall| stall.began);
    met
}

fn tester(end: &RunEnd, span: Span) -> TesterFigures {
    let per_request = |cpu: Nanos| (end.taken_counted > 0).then(|| cpu.0 as f64 / end.taken_counted as f64);
    let length = span.length().as_secs_f64();
    TesterFigures {
        cpu_ns_per_request: per_request(end.cpu.process),
        sender_cpu_ns_per_request: per_request(end.cpu.senders),
        core_share: (length > 0.0).then(|| end.cpu.process.as_secs_f64() / length),
        peak_rss_bytes: end.peak_rss_bytes,
        connections_opened: Some(end.connections_opened),
        connections_peak: Some(end.connections_peak),
        waited_at_limit: Some(end.waited_at_limit),
        limit_lowered_to: end.limit_lowered_to,
        own_reading: end.own_reading,
        tls: end.tls.clone(),
    }
}

/// Both sides over the whole run: rate × mean is the sum of all waits over its length.
fn little(end: &RunEnd, area: u128) -> Option<Little> {
    let length = end.ended.0 as f64;
    (end.ended > Nanos::ZERO)
        .then(|| Little { mean_in_system: end.area as f64 / length, rate_times_mean: area as f64 / length })
}

/// Quantiles from 0 towards 1, each step leaving out the same share of what
/// the last left: as many points for the slowest 1 % of 1 % as for the rest.
fn curve(response: &Histogram) -> Vec<(f64, Nanos)> {
    let n = response.count() as f64;
    let nines = n.max(1.0).log10().min(CURVE_NINES);
    let point = |at: u32| {
        let quantile = 1.0 - 10f64.powf(-nines * f64::from(at) / f64::from(CURVE_POINTS - 1));
        let rank = (quantile * n).ceil().clamp(1.0, n.max(1.0)) as u64;
        response.value_at_rank(rank).map(|value| (quantile, Nanos(value)))
    };
    (0..CURVE_POINTS).filter_map(point).collect()
}

#[cfg(test)]
mod tests;
