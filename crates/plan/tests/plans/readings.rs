//! Plans with readings: what they mean, and what is said about bad ones.

use crate::common::{HEAD, errors, resolve};
use model::{Database, Nanos, Pick, PlannedReading, Probe, ReadingUnit, WhichProcess};

fn readings(text: &str) -> Vec<PlannedReading> {
    resolve(&format!("{HEAD}{text}")).unwrap_or_else(|errors| panic!("{errors}")).readings
}

fn probe(text: &str) -> Probe {
    readings(&format!("[readings.x]\n{text}")).remove(0).probe
}

fn pick(column: &str, at: &str) -> Pick {
    Pick { column: column.to_owned(), at: at.to_owned() }
}

#[test]
fn a_plan_without_readings_has_none() {
    assert!(readings("").is_empty());
}

#[test]
fn a_reading_has_a_period_a_time_limit_and_units() {
    let found = readings(
        r#"
[readings.queue]
sql   = { url = "sqlite:shop.db", query = "select 1 as queued" }
limit = 500
unit  = "count"
[readings.queue.columns.oldest]
unit  = "seconds"
limit = 300
[readings.api]
process = { target = true }
every   = "30s"
columns = { rss_bytes = { limit = 2e9 } }
"#,
    );
    let [queue, api] = &found[..] else { panic!("{found:?}") };
    let database = Database::Sqlite("./shop.db".into());
    assert_eq!(queue.probe, Probe::Sql { database, query: "select 1 as queued".to_owned() });
    let facts = &queue.facts;
    assert_eq!((facts.name.as_str(), facts.kind.as_str()), ("queue", "sql"));
    assert_eq!((facts.every, facts.timeout), (Nanos::from_secs(1), Nanos::from_secs(1)));
    assert_eq!((facts.unit_of("queued"), facts.limit_of("queued")), (Some(ReadingUnit::Count), Some(500.0)));
    assert_eq!(
        (facts.unit_of("oldest"), facts.limit_of("oldest")),
        (Some(ReadingUnit::Seconds), Some(300.0))
    );
    assert_eq!(api.probe, Probe::Process(WhichProcess::Target));
    assert_eq!((api.facts.every, api.facts.timeout), (Nanos::from_secs(30), Nanos::from_secs(5)));
    assert_eq!(api.facts.unit_of("rss_bytes"), Some(ReadingUnit::Bytes));
    assert_eq!((api.facts.limit_of("rss_bytes"), api.facts.limit_of("threads")), (Some(2e9), None));
}

#[test]
fn every_kind_of_probe_can_be_asked_for() {
    let url = "postgres://me:pw@127.0.0.1:5432/shop";
    assert_eq!(
        probe(&format!("sql = {{ url = \"{url}\", query = \"select 1\" }}")),
        Probe::Sql { database: Database::Postgres(url.to_owned()), query: "select 1".to_owned() }
    );
    assert_eq!(
        probe(
            r#"redis = { url = "redis://127.0.0.1/1", info = ["used_memory"], commands = { jobs = "LLEN jobs" } }"#
        ),
        Probe::Redis {
            url: "redis://127.0.0.1/1".to_owned(),
            info: vec!["used_memory".to_owned()],
            commands: vec![pick("jobs", "LLEN jobs")],
        }
    );
    let at = "http://127.0.0.1:1/x";
    assert_eq!(
        probe(&format!("http = {{ url = \"{at}\", parts = {{ queued = \"/jobs/queued\" }} }}")),
        Probe::Http { url: at.to_owned(), parts: vec![pick("queued", "/jobs/queued")] }
    );
    assert_eq!(
        probe(&format!("prometheus = {{ url = \"{at}\", metrics = {{ q = \"jobs{{state='queued'}}\" }} }}")),
        Probe::Prometheus { url: at.to_owned(), metrics: vec![pick("q", "jobs{state=\"queued\"}")] }
    );
    assert_eq!(probe("process = { pid = 7 }"), Probe::Process(WhichProcess::Pid(7)));
    assert_eq!(probe("process = { port = 7 }"), Probe::Process(WhichProcess::Port(7)));
    assert_eq!(probe("process = { name = \"x\" }"), Probe::Process(WhichProcess::Name("x".to_owned())));
    assert_eq!(probe("machine = true"), Probe::Machine);
    assert!(matches!(probe("command = \"echo 1\""), Probe::Command { line, .. } if line == "echo 1"));
}

#[test]
fn readings_that_cannot_be_taken_say_why_and_where() {
    let of = |text: &str| {
        let said = errors(&format!("{HEAD}[readings.x]\n{text}"));
        said.lines().next().unwrap_or_default().to_owned()
    };
    for (text, says) in [
        ("every = \"1s\"", "nothing says what reading `x` asks"),
        ("machine = false", "nothing says what reading `x` asks"),
        ("machine = true\ncommand = \"x\"", "reading `x` asks more than one"),
        ("machine = true\nevery = 1", "has no unit"),
        ("machine = true\nevery = \"0s\"", "the `every` of reading `x` is nothing"),
        ("sql = { url = \"mysql://x\", query = \"select 1\" }", "names no database that we can ask"),
        ("sql = { url = \"sqlite:x\" }", "lacks `query`"),
        ("redis = { url = \"redis://x\" }", "nothing says which numbers of Redis are read"),
        ("redis = { url = \"x\", info = [\"a\"] }", "names no Redis server"),
        ("http = { url = \"http://x/\", parts = { } }", "`parts` names no number"),
        ("http = { url = \"http://x/\", parts = { a = \"b\" } }", "`b` is no JSON pointer"),
        ("http = { url = \"ftp://x/\", parts = { a = \"/b\" } }", "is no URL that we can ask"),
        ("process = { }", "no process is named"),
        ("process = { pid = 1, port = 2 }", "processes are named in several ways"),
        ("process = { pid = 0 }", "must be at least 1"),
        ("machine = true\nunit = \"apples\"", "cannot be `apples`"),
        ("machine = true\nlimits = 3", "has no key `limits`"),
    ] {
        let found = of(text);
        assert!(found.contains(says), "{text}: {found}");
    }
}
