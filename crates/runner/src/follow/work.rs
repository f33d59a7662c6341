//! How work is followed, as whoever plans a run says it.

use crate::control::Control;
use model::{Database, FollowFacts, FollowKind, Nanos, Rate};
use serde_json::Value;
use std::fmt;
use std::sync::Arc;

/// A condition on a JSON value.
#[derive(Clone)]
pub struct Condition {
    /// Whether it holds.
    pub holds: Arc<dyn Fn(&Value) -> bool + Send + Sync>,
    /// As it was written.
    pub shown: String,
}

impl fmt::Debug for Condition {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.shown)
    }
}

/// How the work of a run is followed.
#[derive(Clone, Debug)]
pub struct FollowOrder {
    /// How its end is learnt.
    pub by: FollowBy,
    /// How long after sending has ended the rest is waited for.
    pub within: Nanos,
    /// The slowest that is accepted, from the scheduled moment.
    pub at_most: Option<Nanos>,
    /// The work that the service can do at most.
    pub quota: Option<Rate>,
    /// Where the service's own count of its work is asked for: a database and a query.
    pub stored: Option<(Database, String)>,
}

/// How the end of accepted work is learnt.
#[derive(Clone, Debug)]
pub enum FollowBy {
    /// By asking for it again and again.
    Poll(PollOrder),
    /// By being called.
    Callback(CallbackOrder),
    /// By a stream of server-sent events.
    Events(EventsOrder),
    /// By a query of the service's database.
    Sql(SqlOrder),
}

/// Ask for each piece of work until it has ended.
#[derive(Clone, Debug)]
pub struct PollOrder {
    /// Who is asked.
    pub control: Control,
    /// The path is the work's name between these two. A name that is a whole
    /// URL gives its path.
    pub around_name: (String, String),
    /// The time from an answer that says "not yet" to the next question.
    pub every: Nanos,
    /// The work is done when this holds of an answer's JSON.
    pub done: Condition,
    /// The service has given it up when this holds.
    pub given_up: Option<Condition>,
}

/// Listen for calls, each with a JSON body that names work.
#[derive(Clone, Debug)]
pub struct CallbackOrder {
    /// Where to listen: `127.0.0.1:8700`.
    pub listen: String,
    /// The path that is called.
    pub path: String,
    /// Where the body names the work (RFC 6901).
    pub name: String,
    /// The work is given up, not done, when this holds of the body.
    pub given_up: Option<Condition>,
}

/// Listen to a stream of events, each with JSON data that names work.
#[derive(Clone, Debug)]
pub struct EventsOrder {
    /// Who sends them.
    pub control: Control,
    /// The path of the stream.
    pub path: String,
    /// Where an event's data names the work (RFC 6901).
    pub name: String,
    /// The work is done when this holds of the data.
    pub done: Condition,
    /// The service has given it up when this holds.
    pub given_up: Option<Condition>,
}

/// Ask the service's database which work has ended.
#[derive(Clone, Debug)]
pub struct SqlOrder {
    /// The database.
    pub database: Database,
    /// A row for each piece of work that has ended: its name, and in a second
    /// column, if there is one, whether it was given up.
    pub query: String,
    /// The time from one answer to the next question.
    pub every: Nanos,
}

impl FollowOrder {
    /// What results keep of it.
    pub fn facts(&self) -> FollowFacts {
        let (kind, every) = match &self.by {
            FollowBy::Poll(poll) => (FollowKind::Poll, Some(poll.every)),
            FollowBy::Callback(_) => (FollowKind::Callback, None),
            FollowBy::Events(_) => (FollowKind::Events, None),
            FollowBy::Sql(sql) => (FollowKind::Sql, Some(sql.every)),
        };
        FollowFacts { kind, every, within: self.within, at_most: self.at_most, quota: self.quota }
    }
}
