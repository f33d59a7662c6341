//! What analysis says of work that goes on after its answer.

use super::Distribution;
use model::{FollowFacts, Followed, Nanos, Stored};

/// The accepted work of one run and its ends. Only work of counted requests is
/// in here; moments count from the start of the counted part.
#[derive(Clone, Debug, PartialEq)]
pub struct CompletionFigures {
    /// How it was followed.
    pub facts: FollowFacts,
    /// What following came to; `None` if the tester was killed.
    pub followed: Option<Followed>,
    /// Answers that accepted work.
    pub accepted: u64,
    /// The same with those of the warm-up.
    pub accepted_in_all: u64,
    /// Accepted a second over the counted part, by when it was due.
    pub accepted_per_s: Option<f64>,
    /// Accepted a second in the minute in which most was due; in the whole
    /// counted part if that is shorter.
    pub busiest_minute_per_s: Option<f64>,
    /// Of what counts: done.
    pub done: u64,
    /// Of these: given up by the service.
    pub given_up: u64,
    /// Of these: not ended when they were no longer followed.
    pub unfinished: u64,
    /// Of these: never named, so that nobody could follow them.
    pub nameless: u64,
    /// From the scheduled moment to the moment at which the end was learnt. Work
    /// that never gave its result enters as a lower bound: up to when following ended.
    pub submit_to_result: Distribution,
    /// How much later than it came an end was learnt, at most, for 99 of 100
    /// pieces of work; `None` where the service tells ends by itself.
    pub resolution: Option<Nanos>,
    /// The most work submitted and not ended at once.
    pub peak: u64,
    /// When that was first so.
    pub peak_at: Nanos,
    /// From the end of sending to the last end; `None` if something never ended.
    pub drained_after: Option<Nanos>,
    /// Submitted and ended, counted from the start, at moments equally far apart.
    pub course: Vec<CoursePoint>,
    /// With a bound: work that certainly took longer, or never gave its result.
    pub late: Option<u64>,
    /// With a bound: whether all work held it; `None` without one, or where it
    /// cannot be said.
    pub held: Option<bool>,
}

impl CompletionFigures {
    /// Whether the service holds less work than its answers accepted.
    pub fn is_any_lost(&self) -> bool {
        let stored = self.followed.as_ref().and_then(|followed| followed.stored.as_ref());
        matches!(stored, Some(Stored::Count(stored)) if *stored < self.accepted_in_all)
    }
}

/// How far work had come by one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoursePoint {
    /// The moment.
    pub at: Nanos,
    /// Work submitted by then: its requests were due.
    pub submitted: u64,
    /// Work whose end was learnt by then.
    pub ended: u64,
}
