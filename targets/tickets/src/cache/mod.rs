//! What may be forgotten at any moment: looked-up profiles, and how much each
//! customer has sent lately.
//!
//! A cache that cannot be reached holds nothing and limits nobody: customers
//! wait a little longer then, but no ticket is lost for it.

mod memory;
mod redis;
mod resp;

use std::time::Duration;

use async_trait::async_trait;

use crate::bucket::Allowance;

pub(crate) use memory::Memory;
pub(crate) use redis::Redis;

/// A cache.
#[async_trait]
pub(crate) trait Cache: Send + Sync {
    /// What was put under `key`, if it is still there.
    async fn get(&self, key: &str) -> Option<String>;
    /// Keeps a value for a while.
    async fn put(&self, key: &str, value: &str, keep: Duration);
    /// Counts one ticket of a customer against the allowance; if that is used
    /// up, says how long until there is room.
    async fn admit(&self, customer: &str, allowance: Allowance) -> Result<(), Duration>;
    /// Forgets everything.
    async fn flush(&self) -> Result<(), CacheError>;
}

/// Why the cache did not do as asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CacheError {
    /// The address is none.
    #[error("`{url}` is no address of a cache: {why}; write redis://HOST:PORT")]
    Address { url: String, why: &'static str },
    /// It could not be reached, or did not answer in time.
    #[error("the cache does not answer")]
    Unreachable { source: std::io::Error },
    /// It answered with an error, or with something that is no answer.
    #[error("the cache refused: {0}")]
    Refused(String),
}
