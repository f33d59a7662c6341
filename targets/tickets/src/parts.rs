//! The parts that every process is made of, real or embedded: database, cache
//! and blob store.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::args::PartsArgs;
use crate::blobs::{Blobs, Files};
use crate::cache::{Cache, Memory, Redis};
use crate::customers::{Customer, DataSet};
use crate::database::{Database, DatabaseError, Postgres, Sqlite};
use crate::error::Why;

/// How long a looked-up profile is good for.
const KEEP_PROFILE: Duration = Duration::from_secs(300);

/// The parts, each behind its trait.
#[derive(Clone)]
pub(crate) struct Parts {
    pub(crate) database: Arc<dyn Database>,
    pub(crate) cache: Arc<dyn Cache>,
    pub(crate) blobs: Arc<dyn Blobs>,
}

impl Parts {
    /// The parts that were asked for. None of them is connected to yet: a
    /// database that is down is no reason not to start.
    pub(crate) fn new(args: &PartsArgs) -> Result<Parts, Why> {
        let data_set = DataSet { seed: args.seed, customers: args.customers };
        let connections = usize::from(args.db_connections);
        make_folder(&args.data)?;
        let database: Arc<dyn Database> = match &args.database {
            Some(url) => {
                let postgres = Postgres::new(url, data_set, connections, args.db_patience);
                Arc::new(postgres.map_err(|source| Why::DatabaseUrl { source })?)
            }
            None => {
                let path = args.data.join("tickets.sqlite");
                Arc::new(Sqlite::new(&path, data_set, connections, args.db_patience))
            }
        };
        let cache: Arc<dyn Cache> = match &args.cache {
            Some(url) => Arc::new(Redis::new(url)?),
            None => Arc::new(Memory::default()),
        };
        Ok(Parts { database, cache, blobs: Arc::new(Files::new(args.data.join("blobs"))) })
    }
}

/// Makes the data folder, and keeps what is in it out of everybody's commits.
fn make_folder(folder: &Path) -> Result<(), Why> {
    let cannot = |source| Why::Folder { folder: folder.to_owned(), source };
    let is_new = !folder.exists();
    fs::create_dir_all(folder).map_err(cannot)?;
    if is_new {
        fs::write(folder.join(".gitignore"), "*\n").map_err(cannot)?;
    }
    Ok(())
}

/// A customer's profile, from the cache or else from the database.
pub(crate) async fn profile(parts: &Parts, id: &str) -> Result<Option<Customer>, DatabaseError> {
    let key = format!("customer:{id}");
    if let Some(kept) = parts.cache.get(&key).await
        && let Ok(customer) = serde_json::from_str(&kept)
    {
        return Ok(Some(customer));
    }
    let found = parts.database.customer(id).await?;
    if let Some(customer) = &found {
        let text = serde_json::to_string(customer).expect("texts always become JSON");
        parts.cache.put(&key, &text, KEEP_PROFILE).await;
    }
    Ok(found)
}

/// Back to the seeded data set: no ticket, no job, no attachment, nothing cached.
pub(crate) async fn reset(parts: &Parts) -> Result<(), crate::refusal::Refusal> {
    parts.database.reset().await?;
    parts.blobs.clear().await?;
    parts.cache.flush().await?;
    Ok(())
}
