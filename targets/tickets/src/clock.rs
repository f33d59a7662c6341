//! The service's one clock: how much time has passed, and nothing else.
//!
//! What must be compared between processes (when a job is ready, when a lease
//! ends, when a ticket was saved) is timed by the database, whose clock all of
//! them share.

use std::sync::LazyLock;
use std::time::Duration;

use tokio::time::Instant;

/// Time since this process first asked; it never goes back.
pub(crate) fn now() -> Duration {
    static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);
    BEGAN.elapsed()
}
