//! The embedded cache: a table inside the process.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;

use super::{Cache, CacheError};
use crate::bucket::{Allowance, Bucket};
use crate::clock;

/// A table swept at this many entries: more than there are customers, and small.
const SWEEP_AT: usize = 10_000;

/// A cache inside the process.
#[derive(Default)]
pub(crate) struct Memory {
    tables: Mutex<Tables>,
}

#[derive(Default)]
struct Tables {
    values: HashMap<String, (String, Duration)>,
    buckets: HashMap<String, Bucket>,
}

impl Memory {
    fn tables(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().expect("nothing panics while it holds this lock")
    }
}

#[async_trait]
impl Cache for Memory {
    async fn get(&self, key: &str) -> Option<String> {
        let tables = self.tables();
        let (value, until) = tables.values.get(key)?;
        (clock::now() < *until).then(|| value.clone())
    }

    async fn put(&self, key: &str, value: &str, keep: Duration) {
        let (now, mut tables) = (clock::now(), self.tables());
        if tables.values.len() >= SWEEP_AT {
            tables.values.retain(|_, (_, until)| now < *until);
        }
        tables.values.insert(key.to_owned(), (value.to_owned(), now + keep));
    }

    async fn admit(&self, customer: &str, allowance: Allowance) -> Result<(), Duration> {
        let (now, mut tables) = (clock::now(), self.tables());
        if tables.buckets.len() >= SWEEP_AT {
            // A full bucket says no more than none.
            tables.buckets.retain(|_, bucket| bucket.level(allowance, now) < allowance.burst);
        }
        let bucket =
            tables.buckets.entry(customer.to_owned()).or_insert_with(|| Bucket::full(allowance, now));
        bucket.take(allowance, now)
    }

    async fn flush(&self) -> Result<(), CacheError> {
        *self.tables() = Tables::default();
        Ok(())
    }
}
