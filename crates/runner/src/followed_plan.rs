//! From a plan's `[completion]` to how its work is followed.

use crate::control::Control;
use crate::follow::{CallbackOrder, Condition, EventsOrder, FollowBy, FollowOrder, PollOrder, SqlOrder};
use engine::{Capture, Tls};
use plan::{Completion, CompletionBy, When, WorkName};
use std::net::SocketAddr;
use std::sync::Arc;

/// How the work that `peer` accepts is followed.
pub(crate) fn follow(
    completion: &Completion,
    host: &str,
    peer: SocketAddr,
    tls: Option<&Tls>,
) -> FollowOrder {
    let control = || Control::new(peer, host).over(tls);
    let by = match &completion.by {
        CompletionBy::Poll { around_name, every, done, given_up } => FollowBy::Poll(PollOrder {
            control: control(),
            around_name: around_name.clone(),
            every: *every,
            done: condition(done),
            given_up: given_up.as_ref().map(condition),
        }),
        CompletionBy::Callback { listen, path, name, given_up } => FollowBy::Callback(CallbackOrder {
            listen: listen.clone(),
            path: path.clone(),
            name: name.clone(),
            given_up: given_up.as_ref().map(condition),
        }),
        CompletionBy::Events { path, name, done, given_up } => FollowBy::Events(EventsOrder {
            control: control(),
            path: path.clone(),
            name: name.clone(),
            done: condition(done),
            given_up: given_up.as_ref().map(condition),
        }),
        CompletionBy::Sql { database, query, every } => {
            FollowBy::Sql(SqlOrder { database: database.clone(), query: query.clone(), every: *every })
        }
    };
    FollowOrder {
        by,
        within: completion.within,
        at_most: completion.at_most,
        quota: completion.quota,
        stored: completion.stored.clone(),
    }
}

/// Where an answer names the work that it accepted.
pub(crate) fn capture(completion: &Completion) -> Capture {
    match &completion.name {
        WorkName::Header(name) => Capture::Header(name.clone()),
        WorkName::Json(pointer) => Capture::Json(pointer.clone()),
    }
}

fn condition(when: &When) -> Condition {
    let shown = when.to_string();
    let when = when.clone();
    Condition { holds: Arc::new(move |json| when.holds(json)), shown }
}
