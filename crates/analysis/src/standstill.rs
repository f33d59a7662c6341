//! Stalls of a service that does not tell of any, from the samples alone.
//!
//! A stall is a time without an answer, while at least one request was out,
//! longer than both three times the p95 and twenty times the usual gap between
//! answers. A request that is slow by itself, while others are answered, is none.
//!
//! Answers are kept by bins of the counted part: whether one came, and how
//! many requests were out at the bin's edge. So memory does not grow with the
//! run, and a stall is known to one bin at either end: a 20,000th of the part,
//! 0.75 ms of 15 s. One that is shorter than two bins is not seen.

use model::{Nanos, Sample, Span};

const BINS: usize = 20_000;
/// A stall lasts longer than this many times the p95 of service times.
pub(crate) const P95S: u64 = 3;
/// And than this many usual gaps between answers.
const GAPS: u64 = 20;

/// What was answered when, while a pass goes on.
pub(crate) struct Standstill {
    span: Span,
    answered: Vec<bool>,
    /// Net change of the number of requests out in each bin.
    net: Vec<i32>,
    out_at_start: i64,
    answers: u64,
}

impl Standstill {
    /// Nothing yet of the counted part `span`.
    pub(crate) fn new(span: Span) -> Standstill {
        Standstill { span, answered: vec![false; BINS], net: vec![0; BINS], out_at_start: 0, answers: 0 }
    }

    /// Takes any sample of the run in.
    pub(crate) fn observe(&mut self, sample: &Sample) {
        let Some(sent) = sample.sent else { return };
        self.change(sent, 1);
        self.change(sample.done, -1);
        if self.span.contains(sample.done) && sample.outcome.is_answered() {
            let at = crate::slices::place(self.span, sample.done, BINS);
            self.answered[at] = true;
            self.answers += 1;
        }
    }

    fn change(&mut self, moment: Nanos, by: i32) {
        if moment < self.span.began {
            self.out_at_start += i64::from(by);
        } else if self.span.contains(moment) {
            self.net[crate::slices::place(self.span, moment, BINS)] += by;
        }
    }

    /// All stalls, given the p95 of service times. The mean gap between answers
    /// stands for the usual one.
    pub(crate) fn stalls(&self, p95: Nanos) -> Vec<Span> {
        let length = self.span.length().0;
        let gap = length / self.answers.max(1);
        let least = p95.0.saturating_mul(P95S).max(gap.saturating_mul(GAPS));
        let bin = length as f64 / BINS as f64;
        let (mut stalls, mut quiet, mut out) = (Vec::new(), 0_u64, self.out_at_start);
        let edge =
            |bin: u64| self.span.began + Nanos((u128::from(length) * u128::from(bin) / BINS as u128) as u64);
        for (at, (answered, net)) in (0u64..).zip(self.answered.iter().zip(&self.net)) {
            let waiting = out > 0 || *net > 0;
            out += i64::from(*net);
            if waiting && !answered {
                quiet += 1;
                continue;
            }
            let stall = (quiet as f64 * bin) as u64;
            if quiet >= 2 && stall > least {
                stalls.push(Span { began: edge(at - quiet), ended: edge(at) });
            }
            quiet = 0;
        }
        stalls
    }
}
