//! The correction by replay: the planned rate's arrivals sent once more, in
//! thought, through one server that stands still when this one did.
//!
//! The rate at which the server works is the service's capacity where that is
//! known. Where it is not, it is the rate at which the service got through the
//! requests that were out when each stall ended: all of them together by the
//! time from each stall's end to the last of its answers.
//!
//! Ordinary response times are those of requests answered as expected that no
//! stall touched: a stall touches what is out during it, or due within its own
//! length after it, while the queue that it left is worked off. They enter as a
//! thousand values, that of rank ⌈(i − ½) n ÷ 1000⌉ for each i from 1, each at
//! the upper edge of its bucket (0.1 %).
//!
//! [`stats::Replay`] says exactly what is drawn and how it is added up.

use crate::corrected::{FEWEST_STALLS, MOST_UTILISATION};
use crate::tally::BITS;
use model::{Nanos, Outcome, Rate, RunFacts, Sample, SampleSource, SourceError, Span};
use stats::{Histogram, Quantile, Replay};

/// Ordinary response times that are drawn from.
const ORDINARY: u64 = 1_000;

/// What the replay says.
pub(crate) struct Replayed {
    pub(crate) p99: Option<Nanos>,
    /// What must hold for it, or why it is refused.
    pub(crate) says: String,
}

/// Replays a loop that plans a rate; `None` for one that plans none. `stalls`
/// are those that began in the counted part `span`, `long` the number of them
/// that can be told from slow requests.
pub(crate) fn replayed(
    facts: &RunFacts,
    span: Span,
    stalls: &[Span],
    long: usize,
    samples: &dyn SampleSource,
) -> Result<Replayed, SourceError> {
    let refused = |why: String| Ok(Replayed { p99: None, says: format!("no replay: {why}") });
    let Some(rate) = facts.load.target_rate().map(Rate::as_per_second) else {
        return refused("a closed loop plans no rate whose arrivals could be sent again".to_owned());
    };
    if long < FEWEST_STALLS {
        return refused(format!(
            "it rests on the stalls, and there were {long} that can be told from slow requests"
        ));
    }
    let seen = Seen::of(stalls, samples)?;
    let Some(service_rate) = facts.capacity_per_s.filter(|capacity| *capacity > 0.0).or(seen.drain_rate())
    else {
        return refused(
            "the service's capacity is not known, and nothing was out when a stall ended".to_owned(),
        );
    };
    let utilisation = rate / service_rate;
    if utilisation > MOST_UTILISATION {
        return refused(format!(
            "{rate:.0}/s is {:.0} % of the {service_rate:.0}/s that the service does",
            utilisation * 100.0
        ));
    }
    let inside = |stall: &Span| {
        let offset = |moment: Nanos| moment.min(span.ended).saturating_sub(span.began).0;
        (offset(stall.began), offset(stall.ended))
    };
    let stalls: Vec<(u64, u64)> = stalls.iter().map(inside).collect();
    let ordinary = seen.ordinary();
    let replay = Replay {
        rate_per_s: rate,
        service_rate_per_s: service_rate,
        stalls: &stalls,
        window: span.length().0,
        seed: facts.seed.0,
        ordinary: &ordinary,
    };
    let p99 = replay.value_at(Quantile::P99).map(Nanos);
    let says = format!(
        "the replay sends Poisson arrivals at {rate:.0}/s through one server that does {service_rate:.0}/s and stands \
         still when this one did; it takes the service for one queue, and every stall for one of the whole service"
    );
    Ok(Replayed { p99, says })
}

/// What one pass tells of the requests around stalls.
struct Seen<'a> {
    stalls: &'a [Span],
    /// How far each stall and those before it reach: to the latest moment at
    /// which a request can be due and still be touched by one of them.
    reach: Vec<Nanos>,
    /// For each stall: requests out at its end, and the last of their answers.
    out: Vec<(u64, Nanos)>,
    untouched: Histogram,
}

impl<'a> Seen<'a> {
    fn of(stalls: &'a [Span], samples: &dyn SampleSource) -> Result<Seen<'a>, SourceError> {
        let reach = stalls.iter().scan(Nanos::ZERO, |furthest, stall| {
            *furthest = (*furthest).max(stall.ended.saturating_add(stall.length()));
            Some(*furthest)
        });
        let mut seen = Seen {
            stalls,
            reach: reach.collect(),
            out: vec![(0, Nanos::ZERO); stalls.len()],
            untouched: Histogram::new(BITS),
        };
        samples.pass(&mut |batch| {
            batch.iter().filter(|sample| sample.counted).for_each(|sample| seen.observe(sample));
        })?;
        Ok(seen)
    }

    fn observe(&mut self, sample: &Sample) {
        if let Some(sent) = sample.sent
            && sample.outcome.is_answered()
        {
            // Stalls do not overlap: those that end between sending and answer.
            let first = self.stalls.partition_point(|stall| stall.ended <= sent);
            let out = self.stalls[first..].iter().zip(&mut self.out[first..]);
            for (_, (count, last)) in out.take_while(|(stall, _)| stall.ended < sample.done) {
                *count += 1;
                *last = (*last).max(sample.done);
            }
        }
        if sample.outcome == Outcome::Ok && !self.is_touched(sample) {
            self.untouched.record(sample.response_time().0);
        }
    }

    fn is_touched(&self, sample: &Sample) -> bool {
        // Of all that reach as far as the request, the first began earliest.
        let first = self.reach.partition_point(|reach| *reach <= sample.scheduled);
        self.stalls.get(first).is_some_and(|stall| stall.began < sample.done)
    }

    fn drain_rate(&self) -> Option<f64> {
        let both = self.stalls.iter().zip(&self.out).filter(|(_, (count, _))| *count > 0);
        let (count, time) = both.fold((0, 0.0), |(all, time), (stall, (count, last))| {
            (all + count, time + (*last - stall.ended).as_secs_f64())
        });
        (time > 0.0).then(|| count as f64 / time)
    }

    fn ordinary(&self) -> Vec<u64> {
        let n = self.untouched.count();
        let rank = |i: u64| (u128::from(2 * i - 1) * u128::from(n)).div_ceil(u128::from(2 * ORDINARY)) as u64;
        (1..=ORDINARY).filter_map(|i| self.untouched.value_at_rank(rank(i).max(1))).collect()
    }
}

#[cfg(test)]
mod tests;
