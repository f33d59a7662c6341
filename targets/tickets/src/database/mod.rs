//! What the service asks of its database: tickets and jobs saved together, and
//! a queue in which no job is lost and no ticket is answered twice.
//!
//! A job is *queued*, then *running* under a lease, then *succeeded* or *dead*.
//! Who takes a job gets a token; every later word on that job is a
//! compare-and-set on the token, so that a worker whose lease ran out, and whose
//! job somebody else has now, can no longer do anything to it. All moments are
//! the database's own clock, in milliseconds since 1970.
//!
//! The statements stand in `queries.rs`, once for both kinds of database.

mod postgres;
mod queries;
mod sqlite;
#[cfg(test)]
mod tests;

use std::time::Duration;

use async_trait::async_trait;
use serde::Serialize;

use crate::customers::Customer;

pub(crate) use postgres::Postgres;
pub(crate) use sqlite::Sqlite;

/// A database with its queue.
#[async_trait]
pub(crate) trait Database: Send + Sync {
    /// Whether it answers.
    async fn check(&self) -> Result<(), DatabaseError>;
    /// Back to the seeded data set: no ticket, no job, the customers as at first.
    async fn reset(&self) -> Result<(), DatabaseError>;
    /// One customer's profile.
    async fn customer(&self, id: &str) -> Result<Option<Customer>, DatabaseError>;
    /// Every customer, in order of their ids.
    async fn customers(&self) -> Result<Vec<Customer>, DatabaseError>;

    /// Saves a ticket and its job in one transaction.
    async fn accept(&self, ticket: NewTicket, key: Option<Key>) -> Result<Accepted, DatabaseError>;
    /// A ticket as it stands.
    async fn ticket(&self, id: i64) -> Result<Option<Ticket>, DatabaseError>;
    /// Adds an attachment to a ticket, in place of one with the same name;
    /// false if there is no such ticket.
    async fn attach(&self, ticket: i64, attachment: Attachment) -> Result<bool, DatabaseError>;
    /// One attachment of a ticket.
    async fn attachment(&self, ticket: i64, name: &str) -> Result<Option<Attachment>, DatabaseError>;
    /// How many jobs are in which state.
    async fn counts(&self) -> Result<Counts, DatabaseError>;

    /// Takes the job that has been ready for longest, under a lease.
    async fn take(&self, lease: Duration) -> Result<Option<Job>, DatabaseError>;
    /// Makes a lease last `lease` from now; false if it is held no more.
    async fn heartbeat(&self, held: &Held, lease: Duration) -> Result<bool, DatabaseError>;
    /// Keeps the first half of the work, so that it need not be paid for again.
    async fn keep_category(&self, held: &Held, category: &str, spent: Spent) -> Result<bool, DatabaseError>;
    /// Saves the reply and ends the job; false if the lease is held no more,
    /// and nothing is saved then.
    async fn finish(&self, held: &Held, reply: &str, spent: Spent) -> Result<bool, DatabaseError>;
    /// Ends a try that failed: the job is ready again after `pause`, or dead if
    /// this was its last try. `None` if the lease is held no more.
    async fn fail(
        &self,
        held: &Held,
        failed: &FailedTry,
        spent: Spent,
    ) -> Result<Option<State>, DatabaseError>;
    /// Puts a job back as if it had not been taken; it is ready after `pause`,
    /// and without one where it stood in the queue.
    async fn give_back(
        &self,
        held: &Held,
        pause: Option<Duration>,
        spent: Spent,
    ) -> Result<bool, DatabaseError>;
    /// Takes jobs whose lease ran out from workers that are gone; says how many.
    async fn reap(&self, most_tries: i64) -> Result<usize, DatabaseError>;
    /// Waits until a job may have come, and at most for `patience`.
    async fn wait_for_news(&self, patience: Duration);
}

/// Why the database did not do as asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DatabaseError {
    /// It cannot be reached, is going down, or is too busy: trying later may help.
    #[error("the database cannot {doing} now: {source}")]
    Unavailable { doing: &'static str, source: Cause },
    /// It did not understand or not accept: trying later does not help.
    #[error("the database refused to {doing}: {source}")]
    Refused { doing: &'static str, source: Cause },
}

/// What a driver said.
pub(crate) type Cause = Box<dyn std::error::Error + Send + Sync>;

/// A ticket to be saved.
#[derive(Clone, Debug)]
pub(crate) struct NewTicket {
    pub(crate) customer: String,
    pub(crate) subject: String,
    pub(crate) body: String,
    pub(crate) attachment: Option<Attachment>,
}

/// An idempotency key, with a digest of the request that it stands for.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    pub(crate) key: String,
    pub(crate) digest: String,
}

/// What came of saving a ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Accepted {
    /// Saved under this id.
    New(i64),
    /// The same request was saved before, under this id.
    Again(i64),
    /// The key stands for another request.
    KeyTaken,
}

/// An attachment: what is known of it, and the blob that holds it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Attachment {
    pub(crate) name: String,
    pub(crate) content_type: String,
    pub(crate) bytes: i64,
    #[serde(skip)]
    pub(crate) blob: String,
}

/// Where a job stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum State {
    Queued,
    Running,
    Succeeded,
    Dead,
}

impl State {
    /// As it stands in the database. A word that we never write counts as dead,
    /// so that nobody waits for it.
    fn read(word: &str) -> State {
        match word {
            "queued" => State::Queued,
            "running" => State::Running,
            "succeeded" => State::Succeeded,
            _ => State::Dead,
        }
    }
}

/// A ticket as its sender sees it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Ticket {
    pub(crate) id: i64,
    pub(crate) customer: String,
    pub(crate) subject: String,
    pub(crate) state: State,
    pub(crate) category: Option<String>,
    pub(crate) reply: Option<String>,
    /// Why the last try failed, if it did.
    pub(crate) error: Option<String>,
    pub(crate) tries: i64,
    pub(crate) created_ms: i64,
    pub(crate) started_ms: Option<i64>,
    pub(crate) finished_ms: Option<i64>,
    pub(crate) attachments: Vec<Attachment>,
}

/// The right to work on a job.
#[derive(Clone, Debug)]
pub(crate) struct Held {
    pub(crate) ticket: i64,
    pub(crate) token: String,
}

/// A job that was taken.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) held: Held,
    /// This try included.
    pub(crate) tries: i64,
    /// Kept by an earlier try.
    pub(crate) category: Option<String>,
    pub(crate) customer: String,
    pub(crate) subject: String,
    pub(crate) body: String,
}

/// Calls to the provider that are to be added to a job's account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spent {
    /// Those that got something else than "too many".
    pub(crate) calls: i64,
    /// Those that were refused with 429.
    pub(crate) refusals: i64,
}

/// A try that failed.
#[derive(Clone, Debug)]
pub(crate) struct FailedTry {
    pub(crate) error: String,
    pub(crate) pause: Duration,
    pub(crate) most_tries: i64,
}

/// How many jobs are in which state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) queued: i64,
    /// Those of the queued whose time has come.
    pub(crate) ready: i64,
    pub(crate) running: i64,
    pub(crate) succeeded: i64,
    pub(crate) dead: i64,
    /// Succeeded within the last 60 s.
    pub(crate) succeeded_last_min: i64,
    /// For how long the oldest queued job has been waiting; `None` with none queued.
    pub(crate) oldest_ms: Option<i64>,
    pub(crate) spent: Spent,
}

fn ms(length: Duration) -> i64 {
    i64::try_from(length.as_millis()).unwrap_or(i64::MAX / 4)
}
