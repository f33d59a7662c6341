//! One probe, opened: asked again and again on its own thread.

use crate::command::CommandProbe;
use crate::database::Connection;
use crate::http::HttpProbe;
use crate::machine::MachineProbe;
use crate::process::ProcessProbe;
use crate::prometheus::PrometheusProbe;
use crate::redis_server::RedisProbe;
use crate::taking::Hands;
use crate::{Cell, Numbers, Table};
use model::{Database, Probe};
use std::time::Duration;

/// Something that can be asked for numbers. An error says in words why there are none.
pub(crate) trait Ask: Send {
    /// Asks once, for no longer than `patience` where it can help it.
    fn ask(&mut self, patience: Duration) -> Result<Numbers, String>;
}

/// Opens a probe. Nothing is asked yet, so it cannot fail.
pub(crate) fn open(probe: &Probe, hands: &Hands) -> Box<dyn Ask> {
    match probe {
        Probe::Process(which) => Box::new(ProcessProbe::new(which.clone(), hands)),
        Probe::Machine => Box::new(MachineProbe::default()),
        Probe::Sql { database, query } => Box::new(SqlProbe::new(database, query, hands)),
        Probe::Redis { url, info, commands } => Box::new(RedisProbe::new(url, info, commands)),
        Probe::Http { url, parts } => Box::new(HttpProbe::new(url, parts, hands)),
        Probe::Prometheus { url, metrics } => Box::new(PrometheusProbe::new(url, metrics, hands)),
        Probe::Command { line, folder } => Box::new(CommandProbe::new(line, folder, hands)),
    }
}

/// One row of a database, each of its columns a number.
struct SqlProbe {
    connection: Connection,
    query: String,
}

impl SqlProbe {
    fn new(database: &Database, query: &str, hands: &Hands) -> SqlProbe {
        SqlProbe { connection: Connection::new(database, hands.now.clone()), query: query.to_owned() }
    }
}

impl Ask for SqlProbe {
    fn ask(&mut self, patience: Duration) -> Result<Numbers, String> {
        let Table { columns, rows } = self.connection.rows(&self.query, patience)?;
        let row = match <[Vec<Cell>; 1]>::try_from(rows) {
            Ok([row]) => row,
            Err(rows) if rows.is_empty() => return Err("the query gave no row".to_owned()),
            Err(rows) => return Err(format!("the query gave {} rows, and a reading is one", rows.len())),
        };
        Ok(columns.into_iter().zip(row.iter().map(Cell::number)).collect())
    }
}

/// A number that JSON has no word for is none.
pub(crate) fn finite(value: f64) -> Result<f64, String> {
    if value.is_finite() { Ok(value) } else { Err(format!("it is {value}")) }
}

/// A text as a number, or that it is none, quoting its beginning.
pub(crate) fn number(text: &str) -> Result<f64, String> {
    let text = text.trim();
    text.parse().map_err(|_| format!("it is text: {:?}", beginning(text))).and_then(finite)
}

/// As much of a text as an error quotes.
pub(crate) fn beginning(text: &str) -> String {
    const LETTERS: usize = 60;
    let mut start: String = text.chars().take(LETTERS).collect();
    if start.len() < text.len() {
        start.push('…');
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::taking::test_hands;

    fn ask(query: &str) -> Result<Numbers, String> {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("shop.db");
        let database = rusqlite::Connection::open(&file).expect("a database");
        database
            .execute_batch("create table jobs (state text); insert into jobs values ('queued'), ('queued')")
            .expect("a table");
        let mut probe = SqlProbe::new(&Database::Sqlite(file), query, &test_hands());
        probe.ask(Duration::from_secs(5))
    }

    #[test]
    fn every_column_of_the_one_row_is_a_number_or_says_why_not() {
        let found = ask("select count(*) as queued, null as oldest, 1.5 as age, 'x' as state from jobs");
        let expected = [
            ("queued".to_owned(), Ok(2.0)),
            ("oldest".to_owned(), Err("it is null".to_owned())),
            ("age".to_owned(), Ok(1.5)),
            ("state".to_owned(), Err("it is text: \"x\"".to_owned())),
        ];
        assert_eq!(found, Ok(expected.to_vec()));
    }

    #[test]
    fn no_row_many_rows_and_a_wrong_query_are_gaps_with_a_reason() {
        let says = |query: &str| ask(query).expect_err("no numbers");
        assert_eq!(says("select 1 where 1 = 0"), "the query gave no row");
        assert_eq!(says("select state from jobs"), "the query gave 2 rows, and a reading is one");
        assert!(says("select speed from jobs").contains("no such column"));
        assert!(says("delete from jobs").contains("readonly"));
    }

    #[test]
    fn texts_that_are_numbers_are_read_and_others_are_quoted() {
        assert_eq!(number(" 12.5\n"), Ok(12.5));
        assert_eq!(number("soon"), Err("it is text: \"soon\"".to_owned()));
        assert_eq!(number("inf"), Err("it is inf".to_owned()));
        assert_eq!(beginning(&"é".repeat(80)).chars().count(), 61);
    }
}
