//! Work that goes on after its answer: what was accepted, and when it was done.

use crate::{Nanos, Rate};

/// How the end of accepted work is learnt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FollowKind {
    /// By asking the service for it again and again.
    Poll,
    /// By the service, which calls.
    Callback,
    /// By a query of its database.
    Sql,
    /// By a stream of server-sent events.
    Events,
}

impl FollowKind {
    /// The word in plans and results.
    pub fn name(self) -> &'static str {
        match self {
            FollowKind::Poll => "poll",
            FollowKind::Callback => "callback",
            FollowKind::Sql => "sql",
            FollowKind::Events => "events",
        }
    }

    /// The kind with this name.
    pub fn named(name: &str) -> Option<FollowKind> {
        use FollowKind::{Callback, Events, Poll, Sql};
        [Poll, Callback, Sql, Events].into_iter().find(|kind| kind.name() == name)
    }
}

/// How work is followed past its answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FollowFacts {
    /// How its end is learnt.
    pub kind: FollowKind,
    /// The time between two looks; `None` where the service tells by itself.
    pub every: Option<Nanos>,
    /// How long after sending has ended the rest is waited for.
    pub within: Nanos,
    /// The slowest that the plan accepts, from the scheduled moment.
    pub at_most: Option<Nanos>,
    /// The work that the service can do at most, as the plan says it.
    pub quota: Option<Rate>,
}

/// How much work the service took in during a run, by its own account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stored {
    /// So much more than before the run.
    Count(u64),
    /// It could not be counted, for this reason.
    Unknown(String),
}

/// What became of accepted work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkEnd {
    /// It is done.
    Done,
    /// The service gave it up.
    GivenUp,
    /// It was not done when it was no longer followed.
    Unfinished,
    /// Its answer did not name it, so nobody could follow it.
    Nameless,
}

impl WorkEnd {
    /// All of them.
    pub const ALL: [WorkEnd; 4] = [WorkEnd::Done, WorkEnd::GivenUp, WorkEnd::Unfinished, WorkEnd::Nameless];

    /// The word in results.
    pub fn name(self) -> &'static str {
        match self {
            WorkEnd::Done => "done",
            WorkEnd::GivenUp => "given-up",
            WorkEnd::Unfinished => "unfinished",
            WorkEnd::Nameless => "nameless",
        }
    }

    /// The end with this name.
    pub fn named(name: &str) -> Option<WorkEnd> {
        WorkEnd::ALL.into_iter().find(|end| end.name() == name)
    }
}

/// One piece of work that an answer accepted, and its end. Moments are those of
/// the run's clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The request's number in the schedule.
    pub index: u64,
    /// When the request was due: a user's wait begins here.
    pub scheduled: Nanos,
    /// When its answer was whole.
    pub answered: Nanos,
    /// Whether the request counts.
    pub counted: bool,
    /// What the answer called the work; empty for work without a name.
    pub name: String,
    /// What became of it.
    pub end: WorkEnd,
    /// The last moment at which it was known not to have ended yet.
    pub not_before: Nanos,
    /// When its end was learnt, or when it was no longer followed: the end lies
    /// between `not_before` and here. For work that has not ended it is a lower bound.
    pub at: Nanos,
}

/// What following the work of a run came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Followed {
    /// When following ended.
    pub until: Nanos,
    /// Whether it was told to end before its time.
    pub is_cut_short: bool,
    /// How often the service was asked: polls, queries, or messages taken in.
    pub asked: u64,
    /// How many of them gave nothing that could be read.
    pub failed: u64,
    /// The first such failure, in words.
    pub example: Option<String>,
    /// Ends told of work that no answer of this run had named.
    pub strangers: u64,
    /// Ends told of work that had ended before.
    pub repeated: u64,
    /// CPU time that following took.
    pub cpu: Nanos,
    /// The service's own count; `None` if the plan does not ask for it.
    pub stored: Option<Stored>,
}
