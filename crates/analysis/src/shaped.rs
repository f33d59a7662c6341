//! The figures of a load that changes over time: by stage, and around bursts.
//!
//! Which requests count where: a request belongs to the stage, and to the parts
//! of bursts, in which it was due (its scheduled moment, from the beginning of
//! the counted part). One that a loop sent at the very end, or later, belongs
//! where the last moment does. Percentiles are exact nearest ranks; what failed
//! or was cut off enters as a lower bound, as everywhere.
//!
//! Two backlogs are kept, each at the edges of 2²⁰ bins of the counted part
//! ([`stats::Course`]), of all samples of the run, warm-up included:
//!
//! - of answers: what was due less what was answered. A failure is no work that
//!   was done, so it never leaves. Open stages are judged by it.
//! - of waiting: what was due less what is over. An answer as expected is over
//!   when it is done; a request that failed is over at its time limit, or when
//!   it failed if that is later, for its user got no answer until then; one that
//!   was cut off never is. Recovery is told by it. A service that refuses all
//!   that comes has not recovered.
//!
//! Start at [`Shaped`]; which stages have figures is in [`layout`].

mod layout;

use crate::pace::reached;
use crate::summary::{BurstFigures, BurstPart, Distribution, KeptUp, Recovery, StageFigures};
use crate::tally::{Column, QUANTILES};
use crate::timing::Timing;
pub(crate) use layout::{is_level, load_at, measured_bursts, measured_stages, rises};
use model::{BurstSpans, Load, Nanos, Outcome, RunFacts, Sample, Shape, Span, Stage};
use stats::{Course, KeepingUp, Levels, Quantile, Selection};
use std::ops::Range;

/// Coarse buckets do: every percentile is found exactly.
const BITS: u32 = 7;

/// Stretches of a backlog's picture.
const OUTLINE: u32 = 120;

/// What the first pass collects of a load that changes over time.
pub(crate) struct Shaped {
    /// The counted part.
    span: Span,
    load: Load,
    shape: Shape,
    stages: Vec<Stage>,
    bursts: Vec<BurstSpans>,
    /// Of each stage, then of each burst before, during and after.
    parts: Vec<Part>,
    answers: Backlog,
    /// Where there are bursts.
    waiting: Option<Backlog>,
}

/// A stretch of time and the counted requests that were due in it.
struct Part {
    /// From the start of the counted part.
    span: Span,
    column: Column,
    ok: u64,
    failed: u64,
    cut_off: u64,
    /// Answers that came in it.
    answered: u64,
}

/// A backlog in its making, and then made.
enum Backlog {
    Filling(Course),
    Known(Levels),
}

impl Shaped {
    /// Nothing yet of a run over `span`; `None` where its load stays the same.
    pub(crate) fn new(facts: &RunFacts, span: Span) -> Option<Shaped> {
        let shape = facts.shape.clone()?;
        let (stages, stage_spans) = begun(measured_stages(&shape), span.length());
        let bursts = measured_bursts(&shape, span.length());
        let of_bursts = bursts.iter().flat_map(|burst| [burst.before, burst.during, burst.after]);
        let parts = stage_spans.into_iter().chain(of_bursts).map(Part::new).collect();
        let course = || Backlog::Filling(Course::new(span.began.0..span.ended.0));
        let waiting = (!bursts.is_empty()).then(course);
        Some(Shaped { span, load: facts.load, shape, stages, bursts, parts, answers: course(), waiting })
    }

    /// Takes any sample of the run in.
    pub(crate) fn observe(&mut self, sample: &Sample, timeout: Nanos) {
        self.answers.arrive(sample.scheduled);
        if sample.outcome.is_answered() {
            self.answers.leave(sample.done);
            if self.span.contains(sample.done) {
                let at = self.stage_at(sample.done - self.span.began);
                if let Some(at) = at {
                    self.parts[at].answered += 1;
                }
            }
        }
        let Some(response) = Timing::Response.of(sample, timeout) else { return };
        if let Some(waiting) = &mut self.waiting {
            waiting.arrive(sample.scheduled);
            if !sample.outcome.is_cut_off() {
                waiting.leave(sample.scheduled.saturating_add(response.length));
            }
        }
        if sample.counted {
            for at in self.places(sample) {
                let part = &mut self.parts[at];
                part.column.observe(response);
                match sample.outcome {
                    Outcome::Ok => part.ok += 1,
                    outcome if outcome.is_cut_off() => part.cut_off += 1,
                    _ => part.failed += 1,
                }
            }
        }
    }

    /// All samples were taken in.
    pub(crate) fn seal(&mut self) {
        self.answers.seal();
        if let Some(waiting) = &mut self.waiting {
            waiting.seal();
        }
    }

    /// The parts that a counted sample belongs to.
    pub(crate) fn places(&self, sample: &Sample) -> impl Iterator<Item = usize> + use<> {
        let last = Nanos(self.span.length().0.saturating_sub(1));
        let due = sample.scheduled.saturating_sub(self.span.began).min(last);
        let stage = self.stage_at(due);
        // A moment lies in one part of a burst at most, and as parts of two
        // neighbours overlap, in three of all at most.
        let mut found = [None; 4];
        found[0] = stage;
        let of_bursts = (self.stages.len()..self.parts.len()).filter(|at| self.parts[*at].span.contains(due));
        found[1..].iter_mut().zip(of_bursts).for_each(|(place, at)| *place = Some(at));
        found.into_iter().flatten()
    }

    /// The stage that holds a moment, from the start of the counted part.
    fn stage_at(&self, moment: Nanos) -> Option<usize> {
        self.parts[..self.stages.len()].partition_point(|part| part.span.began <= moment).checked_sub(1)
    }

    /// What finds each part's percentiles, in their order.
    pub(crate) fn selections(&self) -> impl Iterator<Item = Selection> {
        self.parts.iter().map(|part| Selection::new(&part.column.histogram, &part.column.ranks()))
    }

    /// The stages, given what [`Self::selections`] found. Whether a run that was
    /// killed kept up is not known: `all_seen` is then false.
    pub(crate) fn stages(&self, found: &[Vec<Option<u64>>], all_seen: bool) -> Vec<StageFigures> {
        let all = self.stages.iter().zip(&self.parts).zip(found);
        let figures = all.map(|((stage, part), values)| {
            let planned_per_s = self.shape.per_second(stage.from).zip(self.shape.per_second(stage.to));
            let seconds = part.span.length().as_secs_f64();
            let mut kept_up = self.kept_up(part, planned_per_s);
            kept_up.kept_up = kept_up.kept_up.filter(|kept_up| all_seen || !kept_up);
            StageFigures {
                stage: *stage,
                planned_per_s,
                span: part.span,
                scheduled: part.scheduled(),
                ok: part.ok,
                failed: part.failed,
                cut_off: part.cut_off,
                rate_per_s: if seconds > 0.0 { part.answered as f64 / seconds } else { 0.0 },
                response_time: part.distribution(values),
                kept_up,
            }
        });
        figures.collect()
    }

    /// By the backlog of answers in an open loop, by the rate reached in a loop
    /// whose users pace themselves; a closed loop asks for no rate.
    fn kept_up(&self, part: &Part, planned: Option<(f64, f64)>) -> KeptUp {
        match (self.load, planned) {
            (Load::Open { .. }, _) => {
                let levels = self.answers.levels();
                let KeepingUp { kept_up, smallest_visible } =
                    levels.judge(self.absolute(part.span), part.scheduled(), part.answered);
                KeptUp { kept_up, smallest_visible }
            }
            (Load::Paced { .. }, Some((from, to))) => {
                reached(part.answered, f64::midpoint(from, to) * part.span.length().as_secs_f64())
            }
            _ => KeptUp { kept_up: None, smallest_visible: 1.0 },
        }
    }

    /// The bursts, given what [`Self::selections`] found.
    ///
    /// What is usual is the 99th percentile over time of the backlog of waiting
    /// at the edges before the burst; recovery, the time from the burst's end to the
    /// first edge at which the backlog is no larger, up to the end of what comes
    /// after; the peak, the largest at the edges from the burst's beginning to there.
    pub(crate) fn bursts(&self, found: &[Vec<Option<u64>>]) -> Vec<BurstFigures> {
        let Some(waiting) = &self.waiting else { return Vec::new() };
        let levels = waiting.levels();
        let of_bursts = self.bursts.iter().zip(self.parts[self.stages.len()..].chunks(3));
        let all = of_bursts.zip(found[self.stages.len()..].chunks(3));
        let figures = all.filter_map(|((spans, parts), values)| {
            let usual_backlog = levels.quantile(self.absolute(spans.before), Quantile::P99)?;
            let whole = Span { began: spans.during.began, ended: spans.after.ended };
            let (peak_backlog, peak_at) = levels.peak(self.absolute(whole))?;
            let part = |at: usize| parts[at].burst_part(&values[at]);
            Some(BurstFigures {
                before: part(0),
                during: part(1),
                after: part(2),
                peak_backlog,
                peak_at: Nanos(peak_at).saturating_sub(self.span.began),
                usual_backlog,
                resolution: Nanos(levels.step()),
                backlog: self.outline(levels, spans),
                recovery: self.recovery(levels, spans, &parts[0], usual_backlog),
            })
        });
        figures.collect()
    }

    fn outline(&self, levels: &Levels, spans: &BurstSpans) -> Vec<(Nanos, u64)> {
        let all = Span { began: spans.before.began, ended: spans.after.ended };
        let points = levels.outline(self.absolute(all), OUTLINE);
        points.into_iter().map(|(at, backlog)| (Nanos(at).saturating_sub(self.span.began), backlog)).collect()
    }

    fn recovery(&self, levels: &Levels, spans: &BurstSpans, before: &Part, usual: u64) -> Recovery {
        let nothing_is_usual = before.scheduled() == 0 && load_at(&self.shape, spans.before.began) > 0.0;
        if nothing_is_usual || spans.after.length() == Nanos::ZERO {
            return Recovery::CannotSay;
        }
        let after = self.absolute(spans.after);
        let over = after.start;
        match levels.first_at_most(after, usual) {
            Some(back) => Recovery::Took(Nanos(back - over)),
            None => Recovery::NotWithin(spans.after.length()),
        }
    }

    /// A part of the counted part on the run's clock.
    fn absolute(&self, part: Span) -> Range<u64> {
        (self.span.began + part.began).0..(self.span.began + part.ended).0
    }
}

/// The stages that had begun when the counted part ended, and when they were;
/// the last of them ends with it.
fn begun(stages: Vec<Stage>, length: Nanos) -> (Vec<Stage>, Vec<Span>) {
    let mut began = Nanos::ZERO;
    let mut both: Vec<(Stage, Span)> = Vec::new();
    for stage in stages {
        let span = Span { began, ended: began.saturating_add(stage.length).min(length) };
        began = span.ended;
        if span.length() > Nanos::ZERO {
            both.push((stage, span));
        }
    }
    if let Some((_, last)) = both.last_mut() {
        last.ended = length;
    }
    both.into_iter().unzip()
}

impl Part {
    fn new(span: Span) -> Part {
        Part { span, column: Column::new(BITS), ok: 0, failed: 0, cut_off: 0, answered: 0 }
    }

    fn scheduled(&self) -> u64 {
        self.ok + self.failed + self.cut_off
    }

    fn distribution(&self, found: &[Option<u64>]) -> Distribution {
        let mut values = [None; QUANTILES.len()];
        values.copy_from_slice(found);
        self.column.distribution(&values)
    }

    fn burst_part(&self, found: &[Option<u64>]) -> BurstPart {
        BurstPart {
            span: self.span,
            scheduled: self.scheduled(),
            not_ok: self.failed + self.cut_off,
            response_time: self.distribution(found),
        }
    }
}

impl Backlog {
    fn arrive(&mut self, at: Nanos) {
        if let Backlog::Filling(course) = self {
            course.arrive(at.0);
        }
    }

    fn leave(&mut self, at: Nanos) {
        if let Backlog::Filling(course) = self {
            course.leave(at.0);
        }
    }

    fn seal(&mut self) {
        if let Backlog::Filling(course) = self {
            let course = std::mem::replace(course, Course::new(0..0));
            *self = Backlog::Known(course.finish());
        }
    }

    fn levels(&self) -> &Levels {
        match self {
            Backlog::Known(levels) => levels,
            Backlog::Filling(_) => unreachable!("it is sealed after the first pass"),
        }
    }
}

#[cfg(test)]
mod tests;
