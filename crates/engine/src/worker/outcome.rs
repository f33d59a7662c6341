//! How requests end badly, and the engine's own books.

use crate::net::NetError;
use model::{Nanos, Outcome};
use wire::h1::{ProtocolError, Truncated};

/// Why a request failed.
pub(super) enum Failure {
    Status(u16),
    Content,
    /// A check, in words.
    Check(String),
    TimedOut,
    NotOpened(NetError),
    PeerClosed,
    Truncated(Truncated),
    Broken(NetError),
    Protocol(ProtocolError),
}

impl Failure {
    pub fn outcome(&self) -> Outcome {
        match self {
            Failure::Status(_) => Outcome::WrongStatus,
            Failure::Content | Failure::Check(_) => Outcome::FailedCheck,
            Failure::TimedOut => Outcome::TimedOut,
            Failure::NotOpened(_) => Outcome::Refused,
            Failure::PeerClosed | Failure::Truncated(_) | Failure::Broken(_) => Outcome::Reset,
            Failure::Protocol(_) => Outcome::ProtocolError,
        }
    }

    fn describe(&self) -> String {
        match self {
            Failure::Status(status) => format!("status {status}"),
            Failure::Content => "the body is not the expected one".to_owned(),
            Failure::Check(says) => says.clone(),
            Failure::TimedOut => "no whole answer within the time limit".to_owned(),
            Failure::NotOpened(error) => format!("no connection: {error}"),
            Failure::PeerClosed => "the peer closed the connection before any of the answer".to_owned(),
            Failure::Truncated(where_cut) => where_cut.to_string(),
            Failure::Broken(error) => format!("the connection broke: {error}"),
            Failure::Protocol(error) => format!("not a valid HTTP/1.1 answer: {error}"),
        }
    }
}

/// One example of each kind of failure: only the first is put into words.
#[derive(Default)]
pub(super) struct Examples {
    seen: u16,
    pub all: Vec<(Outcome, String)>,
}

impl Examples {
    pub fn add(&mut self, failure: &Failure) {
        let bit = 1 << failure.outcome() as u8;
        if self.seen & bit == 0 {
            self.seen |= bit;
            self.all.push((failure.outcome(), failure.describe()));
        }
    }
}

/// The time integral of the number of requests in the system, summed event by
/// event, in whatever order events are told. It is the sum of all stays, so it
/// shows when a row is lost, doubled or altered between here and the report;
/// of queueing it says nothing that the rows do not.
#[derive(Default)]
pub(super) struct Area {
    last: i128,
    inside: i128,
    sum: i128,
}

impl Area {
    pub fn enter(&mut self, at: Nanos) {
        self.advance(at);
        self.inside += 1;
    }

    pub fn leave(&mut self, at: Nanos) {
        self.advance(at);
        self.inside -= 1;
    }

    /// A request may be taken a little after its moment, so moments may step
    /// back; what one step adds too much the next takes away.
    fn advance(&mut self, at: Nanos) {
        let at = i128::from(at.0);
        self.sum += self.inside * (at - self.last);
        self.last = at;
    }

    pub fn sum(&self) -> u128 {
        self.sum.max(0) as u128
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_area_is_the_sum_of_all_stays_in_whatever_order_events_are_told() {
        // Stays: 0 to 10, 4 to 6, and 5 to 25, the last told after a leaving at 6.
        let mut area = Area::default();
        area.enter(Nanos(0));
        area.enter(Nanos(4));
        area.leave(Nanos(6));
        area.enter(Nanos(5));
        area.leave(Nanos(10));
        area.leave(Nanos(25));
        assert_eq!(area.sum(), 10 + 2 + 20);
    }

    #[test]
    fn only_the_first_failure_of_a_kind_becomes_its_example() {
        let mut examples = Examples::default();
        for failure in [Failure::Status(503), Failure::Status(429), Failure::TimedOut] {
            examples.add(&failure);
        }
        assert_eq!(
            examples.all,
            [
                (Outcome::WrongStatus, "status 503".to_owned()),
                (Outcome::TimedOut, "no whole answer within the time limit".to_owned())
            ]
        );
    }
}
