//! Readings of real servers. `cargo xtask test` starts them, and names them in
//! the environment.

use doorclock_readings::{Cell, Connection, Fetch, Hands, Now, Taking};
use model::{Database, Nanos, Pick, PlannedReading, Probe, Reading, ReadingFacts};
use std::sync::Arc;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(20);

/// A time limit that even a machine with much else to do reaches soon.
const SHORT: Duration = Duration::from_millis(300);

fn server(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} names a server"))
}

/// A clock that stands still: no test here goes by what time it is.
fn still() -> Now {
    Arc::new(|| Nanos::ZERO)
}

fn postgres() -> Connection {
    Connection::new(&Database::Postgres(server("DOORCLOCK_TEST_POSTGRES")), still())
}

/// The first answer of a reading.
fn first(probe: Probe) -> Vec<Reading> {
    let fetch: Fetch = Arc::new(|_, _| Err("nobody is asked over HTTP here".to_owned()));
    let facts = ReadingFacts {
        name: "one".to_owned(),
        kind: probe.kind().to_owned(),
        asks: probe.asks(),
        every: Nanos::from_secs(60),
        timeout: Nanos(PATIENCE.as_nanos() as u64),
        unit: None,
        limit: None,
        columns: Vec::new(),
    };
    let hands = Hands { now: still(), fetch, target: None };
    let (taking, told) = Taking::begin(&[PlannedReading { probe, facts }], &hands);
    let rows = told.recv_timeout(PATIENCE).expect("an answer");
    taking.end();
    rows
}

fn number(rows: &[Reading], column: &str) -> Option<f64> {
    rows.iter().find(|row| &*row.column == column).unwrap_or_else(|| panic!("no {column} in {rows:?}")).value
}

fn note<'a>(rows: &'a [Reading], column: &str) -> &'a str {
    let row = rows.iter().find(|row| &*row.column == column);
    row.and_then(|row| row.note.as_deref()).unwrap_or_else(|| panic!("no note on {column} in {rows:?}"))
}

fn sql(query: &str) -> Probe {
    let database = Database::Postgres(server("DOORCLOCK_TEST_POSTGRES"));
    Probe::Sql { database, query: query.to_owned() }
}

#[test]
#[ignore = "needs postgres: `cargo xtask test` brings it"]
fn postgres_gives_numbers_of_every_type_and_names_what_is_none() {
    let rows =
        first(sql("select 412 as queued, 73.25::numeric as oldest, 2.5::float8 as load, true as up, \
         'many' as words, null::int as nothing, 'NaN'::float8 as not_a_number"));
    assert_eq!((number(&rows, "queued"), number(&rows, "oldest")), (Some(412.0), Some(73.25)));
    assert_eq!((number(&rows, "load"), number(&rows, "up")), (Some(2.5), Some(1.0)));
    assert_eq!((number(&rows, "words"), note(&rows, "words")), (None, "it is text: \"many\""));
    assert_eq!((number(&rows, "nothing"), note(&rows, "nothing")), (None, "it is null"));
    assert_eq!(number(&rows, "not_a_number"), None, "{rows:?}");
}

#[test]
#[ignore = "needs postgres: `cargo xtask test` brings it"]
fn a_query_that_postgres_refuses_is_a_gap_with_its_words() {
    for (query, says) in [
        ("select speed from jobs_that_are_not_there", "does not exist"),
        ("select 1 where false", "the query gave no row"),
        ("select generate_series(1, 3)", "the query gave 3 rows, and a reading is one"),
        ("sel ect", "syntax error"),
    ] {
        let rows = first(sql(query));
        assert_eq!((rows.len(), rows[0].value), (1, None), "{query}: {rows:?}");
        assert!(note(&rows, "").contains(says), "{query}: {rows:?}");
    }
}

#[test]
#[ignore = "needs postgres: `cargo xtask test` brings it"]
fn a_plan_cannot_change_what_postgres_holds() {
    let mut connection = postgres();
    for query in ["create table mine (a int)", "begin; create table mine (a int); commit"] {
        let said = connection.rows(query, PATIENCE).expect_err("refused");
        assert!(said.contains("read-only transaction"), "{query}: {said}");
    }
    let _ = connection.rows("rollback", PATIENCE);
    let found = connection.rows("select count(*) from pg_tables where tablename = 'mine'", PATIENCE);
    assert_eq!(found.expect("a count").rows, [[Cell::Text("0".to_owned())]]);
}

#[test]
#[ignore = "needs postgres: `cargo xtask test` brings it"]
fn postgres_that_is_late_or_lost_is_asked_anew_and_no_late_answer_is_taken_for_a_newer_one() {
    let mut connection = postgres();
    let said = connection.rows("select 1 from pg_sleep(2)", SHORT).expect_err("late");
    assert_eq!(said, "it gave no answer within 300 ms");
    let found = connection.rows("select 2, pg_backend_pid()", PATIENCE).expect("the next");
    assert_eq!(found.rows[0][0], Cell::Text("2".to_owned()));
    // The server ends the connection in the middle: one gap, and the next is answered.
    let pid = found.rows[0][1].name().expect("a number");
    let mut other = postgres();
    other.rows(&format!("select pg_terminate_backend({pid})"), PATIENCE).expect("ended");
    connection.rows("select 3", PATIENCE).expect_err("its connection is gone");
    assert_eq!(connection.rows("select 4", PATIENCE).expect("anew").rows, [[Cell::Text("4".to_owned())]]);
}

#[test]
#[ignore = "needs redis: `cargo xtask test` brings it"]
fn redis_gives_fields_of_info_and_answers_of_commands() {
    let pick = |column: &str, at: &str| Pick { column: column.to_owned(), at: at.to_owned() };
    let rows = first(Probe::Redis {
        url: server("DOORCLOCK_TEST_REDIS"),
        info: vec!["used_memory".to_owned(), "speed".to_owned(), "redis_mode".to_owned()],
        commands: vec![
            pick("length", "LLEN doorclock-readings-nobody"),
            pick("none", "GET doorclock-readings-nobody"),
            pick("unknown", "FROBNICATE"),
            pick("after", "DBSIZE"),
        ],
    });
    assert!(number(&rows, "used_memory").is_some_and(|bytes| bytes > 100_000.0), "{rows:?}");
    assert_eq!((number(&rows, "speed"), note(&rows, "speed")), (None, "INFO has no field speed"));
    assert_eq!(note(&rows, "redis_mode"), "it is text: \"standalone\"");
    assert_eq!(number(&rows, "length"), Some(0.0));
    assert_eq!((number(&rows, "none"), note(&rows, "none")), (None, "it is nil"));
    // What one command is refused concerns no other.
    assert!(note(&rows, "unknown").contains("unknown command"), "{rows:?}");
    assert!(number(&rows, "after").is_some(), "{rows:?}");
}
