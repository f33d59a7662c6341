//! PostgreSQL and SQLite, asked one query at a time, and only to read.

use crate::Now;
use crate::probe::{beginning, finite};
use model::{Database, Nanos};
use rusqlite::OpenFlags;
use rusqlite::types::ValueRef;
use std::path::Path;
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::time::timeout;
use tokio_postgres::error::Severity;
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};

/// What one cell of an answer holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Nothing.
    Null,
    /// A whole number.
    Integer(i64),
    /// Another number.
    Real(f64),
    /// Text; PostgreSQL gives every value so.
    Text(String),
}

impl Cell {
    /// Its number, or in words why it is none. Yes is 1 and no is 0.
    pub(crate) fn number(&self) -> Result<f64, String> {
        match self {
            Cell::Null => Err("it is null".to_owned()),
            Cell::Integer(value) => Ok(*value as f64),
            Cell::Real(value) => finite(*value),
            Cell::Text(text) => match text.as_str() {
                "t" => Ok(1.0),
                "f" => Ok(0.0),
                text => crate::probe::number(text),
            },
        }
    }

    /// As a name of work is written; `None` if there is none.
    pub fn name(&self) -> Option<String> {
        match self {
            Cell::Null => None,
            Cell::Integer(value) => Some(value.to_string()),
            Cell::Real(value) => Some(value.to_string()),
            Cell::Text(text) => Some(text.clone()),
        }
    }

    /// Whether it says yes: true, or a number that is not 0.
    pub fn is_yes(&self) -> bool {
        self.number().is_ok_and(|value| value != 0.0) || *self == Cell::Text("true".to_owned())
    }
}

/// Rows of an answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// The columns' names.
    pub columns: Vec<String>,
    /// The rows, each with a cell for every column.
    pub rows: Vec<Vec<Cell>>,
}

/// A database that is asked again and again over one connection, made when it
/// is first needed and anew after it broke.
pub struct Connection {
    database: Database,
    now: Now,
    open: Option<Open>,
}

enum Open {
    Sqlite(rusqlite::Connection),
    Postgres(Postgres),
}

impl Connection {
    /// Asks this database. Nothing is opened yet.
    pub fn new(database: &Database, now: Now) -> Connection {
        Connection { database: database.clone(), now, open: None }
    }

    /// The rows of a query that only reads, within `patience`.
    ///
    /// # Errors
    ///
    /// In words: the database cannot be reached, does not answer in time, or
    /// refuses the query. The next call tries anew.
    pub fn rows(&mut self, query: &str, patience: Duration) -> Result<Table, String> {
        let open = match self.open.take() {
            Some(open) => open,
            None => Open::new(&self.database, patience)?,
        };
        match open {
            Open::Sqlite(mut connection) => {
                let rows = sqlite_rows(&mut connection, query, patience, &self.now);
                self.open = Some(Open::Sqlite(connection));
                rows
            }
            Open::Postgres(mut postgres) => {
                let rows = postgres.rows(query, patience);
                // One that is late may answer yet, to a question that is over.
                if !postgres.is_lost {
                    self.open = Some(Open::Postgres(postgres));
                }
                rows
            }
        }
    }
}

impl Open {
    fn new(database: &Database, patience: Duration) -> Result<Open, String> {
        match database {
            Database::Sqlite(file) => open_sqlite(file).map(Open::Sqlite),
            Database::Postgres(url) => Postgres::new(url, patience).map(Open::Postgres),
        }
    }
}

fn open_sqlite(file: &Path) -> Result<rusqlite::Connection, String> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    rusqlite::Connection::open_with_flags(file, flags)
        .map_err(|error| format!("cannot open {}: {error}", file.display()))
}

/// Steps of SQLite's machine between two looks at the time limit.
const STEPS: i32 = 1_000;

fn sqlite_rows(
    connection: &mut rusqlite::Connection,
    query: &str,
    patience: Duration,
    now: &Now,
) -> Result<Table, String> {
    let limit = now().saturating_add(Nanos(patience.as_nanos() as u64));
    let clock = now.clone();
    let says = |error: rusqlite::Error| match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::OperationInterrupted) => {
            format!("the query took longer than {}", Nanos(patience.as_nanos() as u64))
        }
        _ => error.to_string(),
    };
    connection.busy_timeout(patience).map_err(says)?;
    connection.progress_handler(STEPS, Some(move || clock() > limit)).map_err(says)?;
    let mut statement = connection.prepare(query).map_err(says)?;
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut found = Vec::new();
    let mut rows = statement.query([]).map_err(says)?;
    while let Some(row) = rows.next().map_err(says)? {
        let cells = (0..columns.len()).map(|at| row.get_ref(at).map(cell)).collect::<Result<_, _>>();
        found.push(cells.map_err(says)?);
    }
    Ok(Table { columns, rows: found })
}

fn cell(value: ValueRef<'_>) -> Cell {
    match value {
        ValueRef::Null => Cell::Null,
        ValueRef::Integer(value) => Cell::Integer(value),
        ValueRef::Real(value) => Cell::Real(value),
        ValueRef::Text(text) | ValueRef::Blob(text) => Cell::Text(String::from_utf8_lossy(text).into_owned()),
    }
}

/// One connection to PostgreSQL, which lives on this thread.
struct Postgres {
    runtime: Runtime,
    client: Client,
    is_lost: bool,
}

impl Postgres {
    fn new(url: &str, patience: Duration) -> Result<Postgres, String> {
        let mut config: tokio_postgres::Config =
            url.parse().map_err(|error| format!("the database's URL: {}", why(&error)))?;
        config.application_name("doorclock").connect_timeout(patience);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| format!("no way to wait for it: {error}"))?;
        let connect = async {
            let (client, connection) = config.connect(NoTls).await?;
            // It ends with the client; what it says of its end, the client says too.
            tokio::spawn(connection);
            client.batch_execute("SET default_transaction_read_only = on").await?;
            Ok::<_, tokio_postgres::Error>(client)
        };
        match runtime.block_on(async { timeout(patience, connect).await }) {
            Ok(Ok(client)) => Ok(Postgres { runtime, client, is_lost: false }),
            Ok(Err(error)) => Err(why(&error)),
            Err(_) => Err(late("it could not be reached within", patience)),
        }
    }

    fn rows(&mut self, query: &str, patience: Duration) -> Result<Table, String> {
        let asked = self.client.simple_query(query);
        let messages = match self.runtime.block_on(async { timeout(patience, asked).await }) {
            Ok(Ok(messages)) => messages,
            Ok(Err(error)) => {
                self.is_lost = self.client.is_closed() || ends_connection(&error);
                return Err(why(&error));
            }
            Err(_) => {
                self.is_lost = true;
                return Err(late("it gave no answer within", patience));
            }
        };
        let mut table = Table::default();
        for message in messages {
            match message {
                SimpleQueryMessage::RowDescription(columns) => {
                    table.columns = columns.iter().map(|column| column.name().to_owned()).collect();
                }
                SimpleQueryMessage::Row(row) => {
                    let cell = |at| row.get(at).map_or(Cell::Null, |text| Cell::Text(text.to_owned()));
                    table.rows.push((0..row.len()).map(cell).collect());
                }
                _ => {}
            }
        }
        Ok(table)
    }
}

/// Whether the server has ended the connection with this error, or nobody knows.
fn ends_connection(error: &tokio_postgres::Error) -> bool {
    match error.as_db_error() {
        Some(said) => matches!(said.parsed_severity(), Some(Severity::Fatal | Severity::Panic)),
        None => true,
    }
}

fn late(says: &str, patience: Duration) -> String {
    format!("{says} {}", Nanos(patience.as_nanos() as u64))
}

/// An error of PostgreSQL in one line: what the server says, else the causes.
fn why(error: &tokio_postgres::Error) -> String {
    if let Some(said) = error.as_db_error() {
        return beginning(said.message());
    }
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(source) = cause {
        let says = source.to_string();
        if !text.contains(&says) {
            text = format!("{text}: {says}");
        }
        cause = source.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::taking::test_hands;

    #[test]
    fn a_query_that_never_ends_is_ended_at_its_limit() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.db");
        rusqlite::Connection::open(&file)
            .and_then(|made| made.execute_batch("create table t (a)"))
            .expect("made");
        let mut connection = Connection::new(&Database::Sqlite(file), test_hands().now);
        let endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n";
        let said = connection.rows(endless, Duration::from_millis(50)).expect_err("no rows");
        assert_eq!(said, "the query took longer than 50.0 ms");
        assert_eq!(
            connection.rows("select 7", Duration::from_secs(5)).expect("a row").rows,
            [[Cell::Integer(7)]]
        );
    }

    #[test]
    fn a_database_that_is_not_there_says_so_each_time() {
        let nowhere = Database::Sqlite("/nowhere/a.db".into());
        let mut connection = Connection::new(&nowhere, test_hands().now);
        for _ in 0..2 {
            let said = connection.rows("select 1", Duration::from_secs(1)).expect_err("nothing there");
            assert!(said.starts_with("cannot open /nowhere/a.db"), "{said}");
        }
        // Nothing listens on port 1.
        let nobody = Database::Postgres("postgres://a:b@127.0.0.1:1/c".to_owned());
        let said = Connection::new(&nobody, test_hands().now).rows("select 1", Duration::from_secs(5));
        assert!(
            said.as_ref().is_err_and(|said| said.contains("refused") && !said.contains("b@")),
            "{said:?}"
        );
    }

    #[test]
    fn a_cell_is_a_number_a_name_and_a_yes_or_no() {
        let text = |text: &str| Cell::Text(text.to_owned());
        assert_eq!(text("t").number(), Ok(1.0));
        assert_eq!(text("12").number(), Ok(12.0));
        assert_eq!((Cell::Integer(7).name().as_deref(), Cell::Null.name()), (Some("7"), None));
        assert!(text("t").is_yes() && text("true").is_yes() && Cell::Integer(1).is_yes());
        assert!(!text("f").is_yes() && !Cell::Null.is_yes() && !Cell::Integer(0).is_yes());
    }
}
