//! What is kept of one request.

use crate::Nanos;

/// How a request ended. The numbers are those of the stored format and are
/// never given to another outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Outcome {
    /// Answered in full, with the expected status and content.
    Ok = 0,
    /// Answered in full, with another status than expected.
    WrongStatus = 1,
    /// Answered in full with the expected status, but the content failed its check.
    FailedCheck = 2,
    /// Not answered in full within the time limit.
    TimedOut = 3,
    /// No connection could be made.
    Refused = 4,
    /// The connection broke before the whole answer was there.
    Reset = 5,
    /// What came back is not HTTP, or breaks its rules.
    ProtocolError = 6,
    /// Sent, and without an answer when the run ended. Its wait is a lower bound.
    Unfinished = 7,
    /// Due, and not sent when the run ended. Its wait is a lower bound.
    NeverSent = 8,
}

impl Outcome {
    /// Every outcome, in the order of the stored numbers.
    pub const ALL: [Outcome; 9] = [
        Outcome::Ok,
        Outcome::WrongStatus,
        Outcome::FailedCheck,
        Outcome::TimedOut,
        Outcome::Refused,
        Outcome::Reset,
        Outcome::ProtocolError,
        Outcome::Unfinished,
        Outcome::NeverSent,
    ];

    /// The outcome with this stored number.
    pub fn from_number(number: u8) -> Option<Outcome> {
        Outcome::ALL.get(usize::from(number)).copied()
    }

    /// The name in `summary.json` and in the samples' dictionary: snake case.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Ok => "ok",
            Outcome::WrongStatus => "wrong_status",
            Outcome::FailedCheck => "failed_check",
            Outcome::TimedOut => "timed_out",
            Outcome::Refused => "refused",
            Outcome::Reset => "reset",
            Outcome::ProtocolError => "protocol_error",
            Outcome::Unfinished => "unfinished",
            Outcome::NeverSent => "never_sent",
        }
    }

    /// The run ended before the request did, so its wait is only a lower bound.
    pub fn is_cut_off(self) -> bool {
        matches!(self, Outcome::Unfinished | Outcome::NeverSent)
    }

    /// A whole answer came, whatever it said.
    pub fn is_answered(self) -> bool {
        matches!(self, Outcome::Ok | Outcome::WrongStatus | Outcome::FailedCheck)
    }

    /// The request ended, and badly.
    pub fn is_failure(self) -> bool {
        self != Outcome::Ok && !self.is_cut_off()
    }
}

/// One request: `scheduled → sent → first_byte → done`.
///
/// Every moment is counted from the run's start on one monotonic clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The arrival's number in the run's schedule, from 0. With several
    /// sending threads the numbers are still those of the one schedule.
    pub index: u64,
    /// The user (closed and paced loops) that sent it; 0 in the open model.
    pub user: u32,
    /// The connection that carried it last: numbered from 1 in the order of
    /// opening with one sending thread, and never the same for two connections
    /// of a run; 0 if it was never given one.
    pub connection: u32,
    /// When it was meant to be sent.
    pub scheduled: Nanos,
    /// How long it waited at the tester for a connection, connecting included.
    pub waited: Nanos,
    /// When its first byte was handed to the kernel (the first time, if it was resent).
    pub sent: Option<Nanos>,
    /// When the first byte of its answer was there.
    pub first_byte: Option<Nanos>,
    /// When its outcome was known: the last byte of the answer, the failure,
    /// the time limit, or the moment at which the run stopped waiting.
    pub done: Nanos,
    /// How long its connection took to open, if this was the first request on it.
    pub connect: Option<Nanos>,
    /// Bytes of the answer, head and body.
    pub bytes_in: u64,
    /// Bytes of the request, head and body.
    pub bytes_out: u32,
    /// The answer's status code; 0 if none was read.
    pub status: u16,
    /// How it ended.
    pub outcome: Outcome,
    /// How often it was sent again because a kept-alive connection was closed
    /// before any byte of the answer.
    pub resent: u8,
    /// False for warm-up: sent, kept, and left out of every number.
    pub counted: bool,
}

impl Sample {
    /// What a user waits: from the scheduled moment until done.
    pub fn response_time(&self) -> Nanos {
        self.done.saturating_sub(self.scheduled)
    }

    /// From sending until done; `None` if it was never sent.
    pub fn service_time(&self) -> Option<Nanos> {
        self.sent.map(|sent| self.done.saturating_sub(sent))
    }

    /// The tester's share: from the scheduled moment until sent.
    pub fn lateness(&self) -> Option<Nanos> {
        self.sent.map(|sent| sent.saturating_sub(self.scheduled))
    }

    /// The part of the lateness that is the tester's own delay: lateness less
    /// the wait for a connection.
    pub fn own_delay(&self) -> Option<Nanos> {
        self.lateness().map(|late| late.saturating_sub(self.waited))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_numbers_and_outcomes_name_each_other() {
        for (number, outcome) in Outcome::ALL.into_iter().enumerate() {
            assert_eq!(outcome as usize, number);
            assert_eq!(Outcome::from_number(number as u8), Some(outcome));
        }
        assert_eq!(Outcome::from_number(9), None);
    }

    #[test]
    fn an_outcome_is_ok_a_failure_or_cut_off_and_only_one_of_them() {
        for outcome in Outcome::ALL {
            let kinds = [outcome == Outcome::Ok, outcome.is_failure(), outcome.is_cut_off()];
            assert_eq!(kinds.into_iter().filter(|kind| *kind).count(), 1, "{outcome:?}");
        }
    }
}
