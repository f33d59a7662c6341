//! The embedded database: SQLite in one file, with nothing installed. Several
//! processes may share the file; each sees the others' jobs at its next look.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use rusqlite::{Connection, ErrorCode, OptionalExtension, Params, Row, TransactionBehavior, params};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::queries::{Dialect, Queries};
use super::{
    Accepted, Attachment, Cause, Counts, Database, DatabaseError, FailedTry, Held, Job, Key, NewTicket,
    Spent, State, Ticket, ms,
};
use crate::customers::{Customer, DataSet};

const DIALECT: Dialect = Dialect {
    now_ms: "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
    token: "lower(hex(randomblob(16)))",
    numbered: "INTEGER PRIMARY KEY",
    // There is one writer at a time.
    skip_locked: "",
    parameter: "?",
};

/// How often a job that another process saved is looked for.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// A database in one file.
pub(crate) struct Sqlite {
    shared: Arc<Shared>,
    /// So many requests may be in the database at once.
    permits: Arc<Semaphore>,
    /// SQLite lets one write at a time and makes the others sleep and try
    /// again; inside one process they wait in line instead.
    writer: Arc<Semaphore>,
    patience: Duration,
    news: Notify,
}

struct Shared {
    path: PathBuf,
    data_set: DataSet,
    patience: Duration,
    queries: Queries,
    idle: Mutex<Vec<Connection>>,
}

impl Sqlite {
    /// The database in the file `path`, which is made at its first use.
    pub(crate) fn new(path: &Path, data_set: DataSet, connections: usize, patience: Duration) -> Sqlite {
        let queries = Queries::new(&DIALECT);
        let idle = Mutex::default();
        Sqlite {
            shared: Arc::new(Shared { path: path.to_owned(), data_set, patience, queries, idle }),
            permits: Arc::new(Semaphore::new(connections)),
            writer: Arc::new(Semaphore::new(1)),
            patience,
            news: Notify::new(),
        }
    }

    async fn read<T: Send + 'static>(
        &self,
        doing: &'static str,
        work: impl FnOnce(&mut Connection, &Queries) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, DatabaseError> {
        let permit = self.permit(doing, &self.permits).await?;
        self.on_a_thread(doing, permit, None, work).await
    }

    async fn write<T: Send + 'static>(
        &self,
        doing: &'static str,
        work: impl FnOnce(&mut Connection, &Queries) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, DatabaseError> {
        let permit = self.permit(doing, &self.permits).await?;
        let writer = self.permit(doing, &self.writer).await?;
        self.on_a_thread(doing, permit, Some(writer), work).await
    }

    /// Runs one statement that changes at most one job; whether it did.
    async fn change(
        &self,
        doing: &'static str,
        query: fn(&Queries) -> &str,
        params: impl Params + Send + 'static,
    ) -> Result<bool, DatabaseError> {
        self.write(doing, move |connection, queries| {
            Ok(connection.prepare_cached(query(queries))?.execute(params)? == 1)
        })
        .await
    }

    async fn permit(
        &self,
        doing: &'static str,
        of: &Arc<Semaphore>,
    ) -> Result<OwnedSemaphorePermit, DatabaseError> {
        match timeout(self.patience, Arc::clone(of).acquire_owned()).await {
            Ok(permit) => Ok(permit.expect("these semaphores are never closed")),
            Err(elapsed) => Err(DatabaseError::Unavailable { doing, source: Box::new(elapsed) }),
        }
    }

    /// The permits travel with the work: whoever asked may have stopped waiting,
    /// and the connection is busy all the same.
    async fn on_a_thread<T: Send + 'static>(
        &self,
        doing: &'static str,
        permit: OwnedSemaphorePermit,
        writer: Option<OwnedSemaphorePermit>,
        work: impl FnOnce(&mut Connection, &Queries) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, DatabaseError> {
        let shared = Arc::clone(&self.shared);
        let done = tokio::task::spawn_blocking(move || {
            let _held = (permit, writer);
            shared.with_connection(work)
        });
        let result = done.await.map_err(|gone| DatabaseError::Refused { doing, source: Box::new(gone) })?;
        result.map_err(|error| database_error(doing, error))
    }
}

impl Shared {
    fn with_connection<T>(
        &self,
        work: impl FnOnce(&mut Connection, &Queries) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        let idle = self.idle.lock().expect("nothing panics while it holds this lock").pop();
        let mut connection = idle.map_or_else(|| self.open(), Ok)?;
        // A connection on which something failed is closed, in case it was its fault.
        let result = work(&mut connection, &self.queries)?;
        self.idle.lock().expect("nothing panics while it holds this lock").push(connection);
        Ok(result)
    }

    fn open(&self) -> rusqlite::Result<Connection> {
        // SQLite waits for no lock while it takes a new file into WAL mode: of two
        // processes that start together, one would be told that it is locked.
        let _alone = lock_beside(&self.path).map_err(|error| cannot_open(&error))?;
        let mut connection = Connection::open(&self.path)?;
        connection.busy_timeout(self.patience)?;
        connection.set_prepared_statement_cache_capacity(64);
        connection.pragma_update(None, "journal_mode", "WAL")?;
        // What was accepted outlasts a power cut: every commit is synced.
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "foreign_keys", true)?;
        let is_there = "SELECT count(*) FROM sqlite_master WHERE name = 'idempotency_keys'";
        if connection.query_row(is_there, [], |row| row.get::<_, i64>(0))? == 0 {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            transaction.execute_batch(&self.queries.schema)?;
            if transaction.query_row(&self.queries.empty, [], |row| row.get::<_, i64>(0))? == 0 {
                add_customers(&transaction, self.data_set)?;
            }
            transaction.commit()?;
        }
        Ok(connection)
    }
}

/// Held by one process at a time, for as long as the file lives.
fn lock_beside(path: &Path) -> io::Result<File> {
    let file = File::create(path.with_extension("lock"))?;
    file.lock()?;
    Ok(file)
}

fn cannot_open(error: &io::Error) -> rusqlite::Error {
    let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CANTOPEN);
    rusqlite::Error::SqliteFailure(code, Some(error.to_string()))
}

fn add_customers(connection: &Connection, data_set: DataSet) -> rusqlite::Result<()> {
    let mut add = connection.prepare("INSERT INTO customers (id, name, plan) VALUES (?1, ?2, ?3)")?;
    data_set.customers().try_for_each(|one| add.execute(params![one.id, one.name, one.plan]).map(drop))
}

fn database_error(doing: &'static str, error: rusqlite::Error) -> DatabaseError {
    let unavailable = matches!(
        error.sqlite_error_code(),
        Some(
            ErrorCode::DatabaseBusy
                | ErrorCode::DatabaseLocked
                | ErrorCode::CannotOpen
                | ErrorCode::DiskFull
                | ErrorCode::SystemIoFailure
                | ErrorCode::ReadOnly
                | ErrorCode::PermissionDenied
        )
    );
    let source: Cause = Box::new(error);
    if unavailable {
        DatabaseError::Unavailable { doing, source }
    } else {
        DatabaseError::Refused { doing, source }
    }
}

#[async_trait]
impl Database for Sqlite {
    async fn check(&self) -> Result<(), DatabaseError> {
        self.read("answer", |connection, queries| connection.query_row(&queries.empty, [], |_| Ok(()))).await
    }

    async fn reset(&self) -> Result<(), DatabaseError> {
        let data_set = self.shared.data_set;
        self.write("reset", move |connection, _| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            for table in ["idempotency_keys", "attachments", "replies", "jobs", "tickets", "customers"] {
                transaction.execute(&format!("DELETE FROM {table}"), [])?;
            }
            add_customers(&transaction, data_set)?;
            transaction.commit()
        })
        .await
    }

    async fn customer(&self, id: &str) -> Result<Option<Customer>, DatabaseError> {
        let id = id.to_owned();
        self.read("look a customer up", move |connection, queries| {
            connection.prepare_cached(&queries.customer)?.query_row([id], customer).optional()
        })
        .await
    }

    async fn customers(&self) -> Result<Vec<Customer>, DatabaseError> {
        self.read("list customers", |connection, queries| {
            connection.prepare_cached(&queries.customers)?.query_map([], customer)?.collect()
        })
        .await
    }

    async fn accept(&self, ticket: NewTicket, key: Option<Key>) -> Result<Accepted, DatabaseError> {
        let accepted = self.write("save a ticket", move |connection, queries| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            if let Some(Key { key, digest }) = &key {
                let added = transaction.prepare_cached(&queries.add_key)?.execute(params![key, digest])?;
                if added == 0 {
                    let known = |row: &Row<'_>| {
                        let same = row.get::<_, String>(0)? == *digest;
                        Ok(if same { Accepted::Again(row.get(1)?) } else { Accepted::KeyTaken })
                    };
                    return transaction.prepare_cached(&queries.key)?.query_row([key], known);
                }
            }
            let NewTicket { customer, subject, body, attachment } = ticket;
            let id: i64 = transaction
                .prepare_cached(&queries.add_ticket)?
                .query_row(params![customer, subject, body], |row| row.get(0))?;
            transaction.prepare_cached(&queries.add_job)?.execute([id])?;
            if let Some(attachment) = &attachment {
                attach(&transaction, queries, id, attachment)?;
            }
            if let Some(Key { key, .. }) = &key {
                transaction.prepare_cached(&queries.bind_key)?.execute(params![key, id])?;
            }
            transaction.commit()?;
            Ok(Accepted::New(id))
        });
        let accepted = accepted.await?;
        if matches!(accepted, Accepted::New(_)) {
            self.news.notify_one();
        }
        Ok(accepted)
    }

    async fn ticket(&self, id: i64) -> Result<Option<Ticket>, DatabaseError> {
        self.read("look a ticket up", move |connection, queries| {
            let found = connection.prepare_cached(&queries.ticket)?.query_row([id], ticket).optional()?;
            let Some(mut ticket) = found else { return Ok(None) };
            let mut select = connection.prepare_cached(&queries.attachments)?;
            ticket.attachments = select.query_map([id], attachment)?.collect::<rusqlite::Result<_>>()?;
            Ok(Some(ticket))
        })
        .await
    }

    async fn attach(&self, ticket: i64, attachment: Attachment) -> Result<bool, DatabaseError> {
        self.write("save an attachment", move |connection, queries| {
            attach(connection, queries, ticket, &attachment)
        })
        .await
    }

    async fn attachment(&self, ticket: i64, name: &str) -> Result<Option<Attachment>, DatabaseError> {
        let name = name.to_owned();
        self.read("look an attachment up", move |connection, queries| {
            let mut select = connection.prepare_cached(&queries.attachments)?;
            let mut all = select.query_map([ticket], attachment)?;
            all.find(|one| one.as_ref().map_or(true, |one| one.name == name)).transpose()
        })
        .await
    }

    async fn counts(&self) -> Result<Counts, DatabaseError> {
        self.read("count jobs", |connection, queries| {
            connection.prepare_cached(&queries.counts)?.query_row([], |row| {
                Ok(Counts {
                    queued: row.get(0)?,
                    ready: row.get(1)?,
                    running: row.get(2)?,
                    succeeded: row.get(3)?,
                    dead: row.get(4)?,
                    succeeded_last_min: row.get(5)?,
                    oldest_ms: row.get(6)?,
                    spent: Spent { calls: row.get(7)?, refusals: row.get(8)? },
                })
            })
        })
        .await
    }

    async fn take(&self, lease: Duration) -> Result<Option<Job>, DatabaseError> {
        self.write("take a job", move |connection, queries| {
            connection.prepare_cached(&queries.take)?.query_row([ms(lease)], job).optional()
        })
        .await
    }

    async fn heartbeat(&self, held: &Held, lease: Duration) -> Result<bool, DatabaseError> {
        let Held { ticket, token } = held.clone();
        self.change("renew a lease", |queries| &queries.heartbeat, (ticket, token, ms(lease))).await
    }

    async fn keep_category(&self, held: &Held, category: &str, spent: Spent) -> Result<bool, DatabaseError> {
        let (Held { ticket, token }, category) = (held.clone(), category.to_owned());
        let params = (ticket, token, category, spent.calls, spent.refusals);
        self.change("keep a category", |queries| &queries.keep_category, params).await
    }

    async fn finish(&self, held: &Held, reply: &str, spent: Spent) -> Result<bool, DatabaseError> {
        let (Held { ticket, token }, reply) = (held.clone(), reply.to_owned());
        self.write("save a reply", move |connection, queries| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let params = params![ticket, token, spent.calls, spent.refusals];
            if transaction.prepare_cached(&queries.finish)?.execute(params)? == 0 {
                return Ok(false);
            }
            transaction.prepare_cached(&queries.add_reply)?.execute(params![ticket, reply])?;
            transaction.commit()?;
            Ok(true)
        })
        .await
    }

    async fn fail(
        &self,
        held: &Held,
        failed: &FailedTry,
        spent: Spent,
    ) -> Result<Option<State>, DatabaseError> {
        let (Held { ticket, token }, failed) = (held.clone(), failed.clone());
        self.write("end a try", move |connection, queries| {
            let FailedTry { error, pause, most_tries } = failed;
            let params = params![ticket, token, ms(pause), most_tries, error, spent.calls, spent.refusals];
            let state = |row: &Row<'_>| Ok(State::read(&row.get::<_, String>(0)?));
            connection.prepare_cached(&queries.fail)?.query_row(params, state).optional()
        })
        .await
    }

    async fn give_back(
        &self,
        held: &Held,
        pause: Option<Duration>,
        spent: Spent,
    ) -> Result<bool, DatabaseError> {
        let Held { ticket, token } = held.clone();
        let params = (ticket, token, pause.map_or(-1, ms), spent.calls, spent.refusals);
        let given = self.change("give a job back", |queries| &queries.give_back, params).await?;
        self.news.notify_one();
        Ok(given)
    }

    async fn reap(&self, most_tries: i64) -> Result<usize, DatabaseError> {
        self.write("take jobs from workers that are gone", move |connection, queries| {
            connection.prepare_cached(&queries.reap)?.execute([most_tries])
        })
        .await
    }

    async fn wait_for_news(&self, patience: Duration) {
        // Either way it is time to look.
        let _ = timeout(patience.min(LOOK_EVERY), self.news.notified()).await;
    }
}

fn attach(
    connection: &Connection,
    queries: &Queries,
    ticket: i64,
    Attachment { name, content_type, bytes, blob }: &Attachment,
) -> rusqlite::Result<bool> {
    let mut attach = connection.prepare_cached(&queries.attach)?;
    Ok(attach.execute(params![ticket, name, content_type, bytes, blob])? == 1)
}

fn customer(row: &Row<'_>) -> rusqlite::Result<Customer> {
    Ok(Customer { id: row.get(0)?, name: row.get(1)?, plan: row.get(2)? })
}

fn attachment(row: &Row<'_>) -> rusqlite::Result<Attachment> {
    Ok(Attachment { name: row.get(0)?, content_type: row.get(1)?, bytes: row.get(2)?, blob: row.get(3)? })
}

fn ticket(row: &Row<'_>) -> rusqlite::Result<Ticket> {
    Ok(Ticket {
        id: row.get(0)?,
        customer: row.get(1)?,
        subject: row.get(2)?,
        state: State::read(&row.get::<_, String>(3)?),
        category: row.get(4)?,
        reply: row.get(5)?,
        error: row.get(6)?,
        tries: row.get(7)?,
        created_ms: row.get(8)?,
        started_ms: row.get(9)?,
        finished_ms: row.get(10)?,
        attachments: Vec::new(),
    })
}

fn job(row: &Row<'_>) -> rusqlite::Result<Job> {
    Ok(Job {
        held: Held { ticket: row.get(0)?, token: row.get(1)? },
        tries: row.get(2)?,
        category: row.get(3)?,
        customer: row.get(4)?,
        subject: row.get(5)?,
        body: row.get(6)?,
    })
}
