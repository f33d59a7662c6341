//! What corrections for coordinated omission make of a p99, and when none may
//! be believed. The third of them, by replay, is in [`crate::replayed`].
//!
//! A loop whose connections wait for a standing service sends nothing
//! meanwhile, so its slow requests are too few. Both corrections here put the
//! missing ones back. HdrHistogram's lets the waits of the missing requests
//! fall as fast as time passes, as if they needed no service themselves; in
//! truth they would have queued, and the wait falls only by the service's
//! idle share. With a stall of S every T and utilisation ρ the wait that a
//! share x exceeds is S − x(1−ρ)T, where HdrHistogram's rule gives S − xT.
//! One changed argument mends that: an interval of (1−ρ)I instead of I.
//! Near the capacity neither rule is any use, as what users wait for there is
//! the queue itself. A closed loop plans no rate, so that its ρ is not defined
//! and HdrHistogram's number is shown with what it assumes.
//!
//! None holds where the tester has fewer connections than the service works
//! on at once, as it then never sees the service stand still. How many those
//! are cannot be known from outside, so that this is not refused, only said.

use crate::shaped::is_level;
use crate::standstill::P95S;
use crate::summary::Corrected;
use model::{Load, Nanos, Rate, RunFacts, Span};
use stats::{Histogram, Quantile, fill_omitted};

/// At 0.8 the mended rule is already about 15 % too low in simulated queues,
/// and it worsens from there.
pub(crate) const MOST_UTILISATION: f64 = 0.9;
/// With fewer stalls a correction rests on chance.
pub(crate) const FEWEST_STALLS: usize = 3;

/// The corrections for a closed or paced run, from its response times and the
/// rate that it reached. `None` for an open loop, and where nothing was done.
pub(crate) fn corrected(
    facts: &RunFacts,
    response: &Histogram,
    p99: Option<Nanos>,
    rate_per_s: f64,
) -> Option<Corrected> {
    let connections = facts.load.users()?;
    let rate = facts.load.target_rate().map_or(rate_per_s, Rate::as_per_second);
    if rate <= 0.0 {
        return None;
    }
    let raw = p99?;
    let expected_interval = Nanos::from_secs_f64(f64::from(connections) / rate);
    let utilisation = Utilisation::of(facts, expected_interval, response);
    let too_busy = utilisation.share.filter(|share| *share > MOST_UTILISATION);
    let hdr_says = match too_busy {
        Some(share) => hdr_refused(share),
        None => hdr_says(facts.load, expected_interval),
    };
    Some(Corrected {
        raw,
        hdr: too_busy.is_none().then(|| p99_filled(response, raw, expected_interval)),
        utilisation: utilisation.interval.map(|interval| p99_filled(response, raw, interval)),
        replay: None,
        expected_interval,
        utilisation_share: utilisation.share,
        assumptions: vec![hdr_says, utilisation.says],
    })
}

/// Both corrections take every slow request for a stall of the whole service.
/// Where there were none, they make a p99 many times too high of single slow
/// requests, so a run must show its stalls, by their lengths, before either
/// number is given: `long` of them were [`long_enough`].
pub(crate) fn refuse_without_stalls(corrected: Corrected, long: usize) -> Corrected {
    if long >= FEWEST_STALLS {
        return corrected;
    }
    let says = format!(
        "no corrected number: the service stood still {long} times for longer than three times the p95, and fewer \
         than {FEWEST_STALLS} stalls cannot be told from single slow requests"
    );
    Corrected { hdr: None, utilisation: None, replay: None, assumptions: vec![says], ..corrected }
}

/// Where the load changes over time there is no one interval at which requests
/// were to come, so that none can be said to be missing.
pub(crate) fn refuse_where_load_changes(corrected: Corrected, facts: &RunFacts) -> Corrected {
    if facts.shape.as_ref().is_none_or(is_level) {
        return corrected;
    }
    let says = "no corrected number: the load changes over time, so there is no one interval at which requests \
                were to come";
    Corrected { hdr: None, utilisation: None, replay: None, assumptions: vec![says.to_owned()], ..corrected }
}

/// How many stalls can be told from slow requests. `p95` is that of service times.
pub(crate) fn long_enough(stalls: &[Span], p95: Nanos) -> usize {
    stalls.iter().filter(|stall| stall.length() > p95 * P95S).count()
}

/// The p99 once the omitted values are filled in: to 0.1 %, or exactly as it
/// was if nothing was omitted.
fn p99_filled(response: &Histogram, raw: Nanos, interval: Nanos) -> Nanos {
    let filled = fill_omitted(response, interval.0);
    if filled.count() == response.count() {
        return raw;
    }
    filled.value_at_rank(Quantile::P99.rank(filled.count())).map_or(raw, Nanos)
}

fn hdr_says(load: Load, interval: Nanos) -> String {
    let expected = match load {
        Load::Closed { .. } => "each connection's mean time from one request to the next",
        Load::Open { .. } | Load::Paced { .. } => "the pace planned for each connection",
    };
    format!(
        "HdrHistogram's rule expects a request every {interval} ({expected}), takes every slow request for a \
         stall of the whole service, and the omitted ones to need no service of their own: too low where \
         they would have queued, far too high where single requests are slow"
    )
}

fn hdr_refused(share: f64) -> String {
    format!(
        "no number by HdrHistogram's rule: at {:.0} % of the capacity the omitted requests would have queued, and it \
         takes them to need no service",
        share * 100.0
    )
}

/// What the correction by utilisation goes by.
struct Utilisation {
    /// Planned rate over capacity.
    share: Option<f64>,
    /// The interval to fill by; `None` where the correction is refused.
    interval: Option<Nanos>,
    /// What must hold for it, or why it is refused.
    says: String,
}

impl Utilisation {
    fn of(facts: &RunFacts, expected: Nanos, response: &Histogram) -> Utilisation {
        let refused = |share, why: String| {
            let says = format!("no correction by utilisation: {why}");
            Utilisation { share, interval: None, says }
        };
        let Some(rate) = facts.load.target_rate().map(Rate::as_per_second) else {
            return refused(None, "a closed loop plans no rate to set against the capacity".to_owned());
        };
        let Some(capacity) = facts.capacity_per_s.filter(|capacity| *capacity > 0.0) else {
            return refused(None, "the service's capacity is not known".to_owned());
        };
        let share = rate / capacity;
        let percent = share * 100.0;
        if share > MOST_UTILISATION {
            return refused(Some(share), format!("at {percent:.0} % of the capacity it is far too low"));
        }
        let interval = Nanos::from_secs_f64(expected.as_secs_f64() * (1.0 - share));
        // A wait of two intervals or more brings phantoms. Where the median
        // is such a wait, ordinary requests would be taken for stalls.
        let median = response.value_at_rank(Quantile::P50.rank(response.count())).map(Nanos);
        if median.is_some_and(|median| median >= interval * 2) {
            let why = format!("even ordinary requests take longer than its interval of {interval}");
            return refused(Some(share), why);
        }
        let says = format!(
            "the correction by utilisation lets the omitted requests queue at {percent:.0} % of the service's \
             capacity of {capacity:.0}/s, and takes every slow request for a stall of the whole service"
        );
        Utilisation { share: Some(share), interval: Some(interval), says }
    }
}

#[cfg(test)]
mod tests;
