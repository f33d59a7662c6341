//! Readings: measurements of the service or the machine over time, and what is
//! asked for them.

use crate::Nanos;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a number of a reading is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadingUnit {
    /// Bytes.
    Bytes,
    /// How many.
    Count,
    /// Seconds.
    Seconds,
    /// A share of a whole, 1 being all of it: of a core's time, for one.
    Share,
}

impl ReadingUnit {
    /// All of them.
    pub const ALL: [ReadingUnit; 4] =
        [ReadingUnit::Bytes, ReadingUnit::Count, ReadingUnit::Seconds, ReadingUnit::Share];

    /// The word in plans and results.
    pub fn name(self) -> &'static str {
        match self {
            ReadingUnit::Bytes => "bytes",
            ReadingUnit::Count => "count",
            ReadingUnit::Seconds => "seconds",
            ReadingUnit::Share => "share",
        }
    }

    /// The unit with this name.
    pub fn named(name: &str) -> Option<ReadingUnit> {
        ReadingUnit::ALL.into_iter().find(|unit| unit.name() == name)
    }
}

/// Which processes a reading is of. Their descendants are part of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WhichProcess {
    /// The service that was started for the run.
    Target,
    /// The one with this number.
    Pid(u32),
    /// Every one whose program has this name.
    Name(String),
    /// Every one that listens on this TCP port.
    Port(u16),
}

/// A name of the user's for one number, and where that number is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pick {
    /// The name, which the number's column has.
    pub column: String,
    /// A JSON pointer, a metric with its labels, or a command, by the kind of probe.
    pub at: String,
}

/// A database that can be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Database {
    /// A file of SQLite.
    Sqlite(PathBuf),
    /// A server, as `postgres://user:password@host:port/database`.
    Postgres(String),
}

impl Database {
    /// The database of a URL: `sqlite:FILE`, `postgres://…` or `postgresql://…`.
    pub fn named(url: &str) -> Option<Database> {
        if let Some(file) = url.strip_prefix("sqlite:") {
            let file = file.strip_prefix("//").unwrap_or(file);
            return (!file.is_empty()).then(|| Database::Sqlite(file.into()));
        }
        let is_postgres = url.starts_with("postgres://") || url.starts_with("postgresql://");
        is_postgres.then(|| Database::Postgres(url.to_owned()))
    }

    /// The same, where a file without a folder lies in `folder`.
    pub fn below(&self, folder: &Path) -> Database {
        match self {
            Database::Sqlite(file) => Database::Sqlite(folder.join(file)),
            Database::Postgres(url) => Database::Postgres(url.clone()),
        }
    }

    /// In words that name no password.
    pub fn shown(&self) -> String {
        match self {
            Database::Sqlite(file) => file.display().to_string(),
            Database::Postgres(url) => without_password(url),
        }
    }
}

/// What is asked, and whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Probe {
    /// Processes: CPU, memory, threads, descriptors, children.
    Process(WhichProcess),
    /// The machine: CPU, memory, load, steal.
    Machine,
    /// One row of a database, each column a number.
    Sql {
        /// The database.
        database: Database,
        /// The query.
        query: String,
    },
    /// Redis or Valkey.
    Redis {
        /// `redis://:password@host:port/database`.
        url: String,
        /// Fields of `INFO`, by their names there.
        info: Vec<String>,
        /// Commands that answer with a number.
        commands: Vec<Pick>,
    },
    /// Parts of a JSON answer, by JSON pointer.
    Http {
        /// `http://host:port/path`.
        url: String,
        /// The parts.
        parts: Vec<Pick>,
    },
    /// Metrics in Prometheus' text form.
    Prometheus {
        /// `http://host:port/metrics`.
        url: String,
        /// The metrics, each with the labels it must have.
        metrics: Vec<Pick>,
    },
    /// What a command prints: a number, or lines of a name and a number.
    Command {
        /// For `sh -c`.
        line: String,
        /// Where it runs.
        folder: PathBuf,
    },
}

impl Probe {
    /// The word in plans and results.
    pub fn kind(&self) -> &'static str {
        match self {
            Probe::Process(_) => "process",
            Probe::Machine => "machine",
            Probe::Sql { .. } => "sql",
            Probe::Redis { .. } => "redis",
            Probe::Http { .. } => "http",
            Probe::Prometheus { .. } => "prometheus",
            Probe::Command { .. } => "command",
        }
    }

    /// The columns that Linux tells of a process or the machine, and their units.
    /// Empty for what names its columns itself.
    pub fn own_columns(&self) -> &'static [(&'static str, ReadingUnit)] {
        use ReadingUnit::{Bytes, Count, Share};
        match self {
            Probe::Process(_) => &[
                ("cpu_share", Share),
                ("rss_bytes", Bytes),
                ("pss_bytes", Bytes),
                ("threads", Count),
                ("descriptors", Count),
                ("children", Count),
            ],
            Probe::Machine => &[
                ("cpu_busy_share", Share),
                ("steal_share", Share),
                ("load_1m", Count),
                ("memory_used_bytes", Bytes),
            ],
            _ => &[],
        }
    }

    /// What is asked, and whom, in words that name no password.
    pub fn asks(&self) -> String {
        match self {
            Probe::Process(WhichProcess::Target) => "the target".to_owned(),
            Probe::Process(WhichProcess::Pid(pid)) => format!("process {pid}"),
            Probe::Process(WhichProcess::Name(name)) => format!("processes named {name}"),
            Probe::Process(WhichProcess::Port(port)) => format!("the listener on port {port}"),
            Probe::Machine => "this machine".to_owned(),
            Probe::Sql { database, query } => format!("{}: {query}", database.shown()),
            Probe::Redis { url, .. } | Probe::Http { url, .. } | Probe::Prometheus { url, .. } => {
                without_password(url)
            }
            Probe::Command { line, .. } => line.clone(),
        }
    }
}

/// A URL with stars where a password stood: before the host, or in the query.
fn without_password(url: &str) -> String {
    let (url, query) = url.split_once('?').map_or((url, None), |(url, query)| (url, Some(query)));
    let hidden = || {
        let (scheme, rest) = url.split_once("://")?;
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let (user, host) = authority.rsplit_once('@')?;
        let (name, _) = user.split_once(':')?;
        Some(format!("{scheme}://{name}:***@{host}{path}"))
    };
    let url = hidden().unwrap_or_else(|| url.to_owned());
    let part = |part: &str| match part.split_once('=') {
        Some((key, _)) if key.to_ascii_lowercase().contains("pass") => format!("{key}=***"),
        _ => part.to_owned(),
    };
    match query {
        Some(query) => format!("{url}?{}", query.split('&').map(part).collect::<Vec<_>>().join("&")),
        None => url,
    }
}

/// A reading that is to be taken during a run.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedReading {
    /// What is asked, and whom.
    pub probe: Probe,
    /// What results keep of it.
    pub facts: ReadingFacts,
}

/// What is known of a reading before it is taken.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadingFacts {
    /// Its name in the plan, such as `queue`.
    pub name: String,
    /// The kind of probe: `process`, `sql`, …
    pub kind: String,
    /// What is asked, and whom.
    pub asks: String,
    /// The time from one asking to the next.
    pub every: Nanos,
    /// How long an answer is waited for.
    pub timeout: Nanos,
    /// The unit of every column that has none of its own; `None` if nobody said it.
    pub unit: Option<ReadingUnit>,
    /// What no column that has none of its own may reach; `None` if nobody said it.
    pub limit: Option<f64>,
    /// What is said of single columns.
    pub columns: Vec<ColumnFacts>,
}

/// What is said of one column of a reading.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnFacts {
    /// Its name.
    pub column: String,
    /// Its unit.
    pub unit: Option<ReadingUnit>,
    /// What it must not reach, in its unit.
    pub limit: Option<f64>,
}

impl ReadingFacts {
    /// A column's unit, if it is known.
    pub fn unit_of(&self, column: &str) -> Option<ReadingUnit> {
        self.of(column).and_then(|facts| facts.unit).or(self.unit)
    }

    /// What a column must not reach, if that was said.
    pub fn limit_of(&self, column: &str) -> Option<f64> {
        self.of(column).and_then(|facts| facts.limit).or(self.limit)
    }

    fn of(&self, column: &str) -> Option<&ColumnFacts> {
        self.columns.iter().find(|facts| facts.column == column)
    }
}

/// One number of a reading at one moment, or that there was none. Moments are
/// those of the run's clock.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// The reading's name in the plan.
    pub reading: Arc<str>,
    /// Which number of it, such as `queued`; empty for a gap of the whole reading.
    pub column: Arc<str>,
    /// When it was asked for.
    pub asked: Nanos,
    /// When it was answered, or given up.
    pub answered: Nanos,
    /// The number; `None` is a gap, and finite otherwise.
    pub value: Option<f64>,
    /// Why there is a gap.
    pub note: Option<Arc<str>>,
}

impl Reading {
    /// The moment that its number belongs to: the middle between asking and
    /// answering. It was true at some moment between the two, and the middle is
    /// never wrong by more than half of that time.
    pub fn at(&self) -> Nanos {
        Nanos(self.asked.0 + self.answered.saturating_sub(self.asked).0 / 2)
    }
}

/// Every reading of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Readings {
    /// What was to be read, in the order of the plan.
    pub facts: Vec<ReadingFacts>,
    /// What was read, in the order of the answers.
    pub rows: Vec<Reading>,
}

/// How often a reading gave nothing, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadingGaps {
    /// The reading's name.
    pub reading: String,
    /// The column that was missing; empty where all of them were.
    pub column: String,
    /// How often it was asked for.
    pub asked: u64,
    /// How often there was no number.
    pub gaps: u64,
    /// Why the first time.
    pub first: String,
    /// When the first time.
    pub first_at: Nanos,
}

impl Readings {
    /// Every column that gave a number at least once, in the order of the
    /// plan and then of its first number.
    pub fn columns(&self) -> Vec<(&ReadingFacts, &str)> {
        let mut found: Vec<(&ReadingFacts, &str)> = Vec::new();
        for facts in &self.facts {
            let first = found.len();
            for row in self.rows.iter().filter(|row| *row.reading == *facts.name && row.value.is_some()) {
                if !found[first..].iter().any(|(_, column)| *column == &*row.column) {
                    found.push((facts, &row.column));
                }
            }
        }
        found
    }

    /// The numbers of one column with their moments, in their order; gaps are left out.
    pub fn points<'a>(
        &'a self,
        reading: &'a str,
        column: &'a str,
    ) -> impl Iterator<Item = (Nanos, f64)> + use<'a> {
        let of_column = move |row: &&Reading| *row.reading == *reading && *row.column == *column;
        self.rows.iter().filter(of_column).filter_map(|row| Some((row.at(), row.value?)))
    }

    /// Where there were gaps: of whole readings, and of single columns.
    pub fn gaps(&self) -> Vec<ReadingGaps> {
        let mut found: Vec<ReadingGaps> = Vec::new();
        for row in self.rows.iter().filter(|row| row.value.is_none()) {
            match found.iter_mut().find(|gaps| *gaps.reading == *row.reading && *gaps.column == *row.column) {
                Some(gaps) => gaps.gaps += 1,
                None => found.push(ReadingGaps {
                    reading: row.reading.to_string(),
                    column: row.column.to_string(),
                    asked: self.times_asked(&row.reading),
                    gaps: 1,
                    first: row.note.as_deref().unwrap_or("no reason is known").to_owned(),
                    first_at: row.asked,
                }),
            }
        }
        found
    }

    /// How often a reading was asked for: all numbers of one answer share the
    /// moment of asking, and stand together.
    fn times_asked(&self, reading: &str) -> u64 {
        let mut last = None;
        let asked = self.rows.iter().filter(|row| *row.reading == *reading).map(|row| row.asked);
        asked.filter(|moment| last.replace(*moment) != Some(*moment)).count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(reading: &str, column: &str, asked: u64, value: Result<f64, &str>) -> Reading {
        Reading {
            reading: reading.into(),
            column: column.into(),
            asked: Nanos(asked),
            answered: Nanos(asked + 10),
            value: value.ok(),
            note: value.err().map(Into::into),
        }
    }

    fn facts(name: &str) -> ReadingFacts {
        ReadingFacts {
            name: name.to_owned(),
            kind: "sql".to_owned(),
            asks: String::new(),
            every: Nanos::from_secs(1),
            timeout: Nanos::from_secs(1),
            unit: Some(ReadingUnit::Count),
            limit: None,
            columns: vec![ColumnFacts {
                column: "oldest".to_owned(),
                unit: Some(ReadingUnit::Seconds),
                limit: Some(300.0),
            }],
        }
    }

    #[test]
    fn gaps_are_counted_with_their_first_reason_and_leave_no_number_behind() {
        let rows = vec![
            row("queue", "queued", 100, Ok(5.0)),
            row("queue", "oldest", 100, Ok(1.5)),
            row("other", "", 150, Err("no such command")),
            row("queue", "", 200, Err("no answer")),
            row("queue", "", 300, Err("connection refused")),
            row("queue", "queued", 400, Ok(7.0)),
            row("queue", "oldest", 400, Err("it is null")),
        ];
        let readings = Readings { facts: vec![facts("queue"), facts("other")], rows };
        let gap = |reading: &str, column: &str, asked, gaps, first: &str, first_at| ReadingGaps {
            reading: reading.to_owned(),
            column: column.to_owned(),
            asked,
            gaps,
            first: first.to_owned(),
            first_at: Nanos(first_at),
        };
        let expected = [
            gap("other", "", 1, 1, "no such command", 150),
            gap("queue", "", 4, 2, "no answer", 200),
            gap("queue", "oldest", 4, 1, "it is null", 400),
        ];
        assert_eq!(readings.gaps(), expected);
        let points: Vec<_> = readings.points("queue", "queued").collect();
        assert_eq!(points, [(Nanos(105), 5.0), (Nanos(405), 7.0)]);
        let columns = readings.columns();
        assert_eq!(columns.iter().map(|(_, column)| *column).collect::<Vec<_>>(), ["queued", "oldest"]);
    }

    #[test]
    fn a_column_has_its_own_unit_and_limit_before_those_of_its_reading() {
        let facts = facts("queue");
        assert_eq!((facts.unit_of("queued"), facts.limit_of("queued")), (Some(ReadingUnit::Count), None));
        assert_eq!(facts.unit_of("oldest"), Some(ReadingUnit::Seconds));
        assert_eq!(facts.limit_of("oldest"), Some(300.0));
        for unit in ReadingUnit::ALL {
            assert_eq!(ReadingUnit::named(unit.name()), Some(unit));
        }
    }

    #[test]
    fn a_database_is_named_by_its_url() {
        let sqlite = |file: &str| Some(Database::Sqlite(file.into()));
        assert_eq!(Database::named("sqlite:a/b.db"), sqlite("a/b.db"));
        assert_eq!(Database::named("sqlite:///a/b.db"), sqlite("/a/b.db"));
        let postgres = "postgresql://me:secret@db/x";
        assert_eq!(
            Database::named(postgres).map(|named| named.shown()).as_deref(),
            Some("postgresql://me:***@db/x")
        );
        assert_eq!((Database::named("mysql://x"), Database::named("sqlite:")), (None, None));
        let below = |file: &str| Database::Sqlite(file.into()).below(Path::new("/plans"));
        assert_eq!(
            (below("a.db"), below("/a.db")),
            (Database::Sqlite("/plans/a.db".into()), Database::Sqlite("/a.db".into()))
        );
    }

    #[test]
    fn what_is_asked_names_no_password() {
        let asks =
            |url: &str| Probe::Redis { url: url.to_owned(), info: Vec::new(), commands: Vec::new() }.asks();
        assert_eq!(asks("redis://:s3cret@127.0.0.1:6379/0"), "redis://:***@127.0.0.1:6379/0");
        assert_eq!(asks("postgres://me:p@ss@db/x?a=b@c"), "postgres://me:***@db/x?a=b@c");
        assert_eq!(asks("redis://127.0.0.1/a:b@c"), "redis://127.0.0.1/a:b@c");
        assert_eq!(asks("postgres://me@db/x"), "postgres://me@db/x");
        assert_eq!(asks("postgres://db/x?password=p&sslmode=no"), "postgres://db/x?password=***&sslmode=no");
    }
}
