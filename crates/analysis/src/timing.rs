//! Which stretch of a request is timed, and how a request that failed or was
//! cut off enters: as a lower bound, never as a fast success and never left out.

use model::{Nanos, Outcome, Sample};

/// A stretch of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// Scheduled → done: what a user waits.
    Response,
    /// The same of requests answered as expected alone.
    ResponseOk,
    /// Sent → done, of all that were sent.
    Service,
    /// Opening the connection, of requests that opened one.
    Connect,
    /// Scheduled → sent.
    Lateness,
    /// The part of the lateness spent waiting for a connection.
    Waiting,
    /// The rest of the lateness: the tester's own delay.
    OwnDelay,
}

/// How long a stretch took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Took {
    /// Its length, or the most that is known of it.
    pub length: Nanos,
    /// True if it took at least this long, and how long is not known.
    pub at_least: bool,
}

impl Timing {
    /// Every timing; `timing as usize` is its place here.
    pub const ALL: [Timing; 7] = [
        Timing::Response,
        Timing::ResponseOk,
        Timing::Service,
        Timing::Connect,
        Timing::Lateness,
        Timing::Waiting,
        Timing::OwnDelay,
    ];

    /// What `sample` took; `None` if it has no such stretch. `timeout` is the
    /// run's time limit: a user whose request fails waits at least that long
    /// for an answer.
    pub fn of(self, sample: &Sample, timeout: Nanos) -> Option<Took> {
        match self {
            Timing::Response => Some(until_done(sample, sample.response_time(), timeout)),
            Timing::ResponseOk => (sample.outcome == Outcome::Ok).then(|| exactly(sample.response_time())),
            Timing::Service => Some(until_done(sample, sample.service_time()?, timeout)),
            Timing::Connect => sample.connect.map(exactly),
            Timing::Lateness => Some(until_sent(sample, sample.lateness(), Nanos::ZERO)),
            Timing::Waiting => Some(until_sent(sample, Some(sample.waited), Nanos::ZERO)),
            Timing::OwnDelay => Some(until_sent(sample, sample.own_delay(), sample.waited)),
        }
    }
}

fn exactly(length: Nanos) -> Took {
    Took { length, at_least: false }
}

/// A stretch that ends with the request: known if it was answered as expected.
fn until_done(sample: &Sample, elapsed: Nanos, timeout: Nanos) -> Took {
    match sample.outcome {
        Outcome::Ok => exactly(elapsed),
        outcome if outcome.is_cut_off() => Took { length: elapsed, at_least: true },
        _ => Took { length: elapsed.max(timeout), at_least: true },
    }
}

/// A stretch that ends with the sending. Of a request never sent, `known` is
/// what is known of it; if nothing is, all of its wait less `apart` stands in.
fn until_sent(sample: &Sample, known: Option<Nanos>, apart: Nanos) -> Took {
    let so_far = || sample.response_time().saturating_sub(apart);
    Took { length: known.unwrap_or_else(so_far), at_least: sample.sent.is_none() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::sample;

    const LIMIT: Nanos = Nanos(1000);

    #[test]
    fn timings_are_numbered_by_their_place() {
        for (at, timing) in Timing::ALL.into_iter().enumerate() {
            assert_eq!(timing as usize, at);
        }
    }

    #[test]
    fn an_answer_counts_as_it_took_and_a_failure_as_at_least_the_time_limit() {
        let cases = [
            (Outcome::Ok, 300, 300, false),
            (Outcome::WrongStatus, 300, 1000, true),
            (Outcome::Refused, 5, 1000, true),
            (Outcome::TimedOut, 1007, 1007, true),
            (Outcome::Unfinished, 300, 300, true),
            (Outcome::NeverSent, 300, 300, true),
        ];
        for (outcome, elapsed, length, at_least) in cases {
            let sample = Sample { outcome, ..sample(0, 50, 50, 50 + elapsed) };
            let took = Timing::Response.of(&sample, LIMIT);
            assert_eq!(took, Some(Took { length: Nanos(length), at_least }), "{outcome:?}");
            let only_ok = (outcome == Outcome::Ok).then_some(Took { length: Nanos(length), at_least });
            assert_eq!(Timing::ResponseOk.of(&sample, LIMIT), only_ok);
        }
    }

    #[test]
    fn a_sent_request_knows_its_lateness_and_its_parts() {
        let sample = Sample { waited: Nanos(30), ..sample(0, 50, 90, 200) };
        let took = |timing: Timing| timing.of(&sample, LIMIT).map(|took| (took.length.0, took.at_least));
        assert_eq!(took(Timing::Service), Some((110, false)));
        assert_eq!(took(Timing::Lateness), Some((40, false)));
        assert_eq!(took(Timing::Waiting), Some((30, false)));
        assert_eq!(took(Timing::OwnDelay), Some((10, false)));
        assert_eq!(took(Timing::Connect), None);
    }

    #[test]
    fn a_request_never_sent_was_late_by_at_least_its_whole_wait() {
        let sample =
            Sample { sent: None, outcome: Outcome::NeverSent, waited: Nanos(120), ..sample(0, 50, 50, 200) };
        let took = |timing: Timing| timing.of(&sample, LIMIT).map(|took| (took.length.0, took.at_least));
        assert_eq!(took(Timing::Service), None);
        assert_eq!(took(Timing::Lateness), Some((150, true)));
        assert_eq!(took(Timing::Waiting), Some((120, true)));
        assert_eq!(took(Timing::OwnDelay), Some((30, true)));
    }
}
