//! Readings as they come, without a run: `doorclock watch`.

use super::bars::spark;
use super::screen::{Screen, shortened};
use crate::experiment::readings::value;
use crate::numbers::length;
use model::{Nanos, Reading, ReadingFacts};
use std::collections::VecDeque;

/// Columns of a number's name, of the number, and answers drawn beside it.
const NAME: usize = 20;
const NUMBER: usize = 12;
const DRAWN: usize = 20;
/// What stands behind them.
const SAYS: usize = 22;

/// What has been read so far, as much of it as is shown.
pub struct Watched {
    question: String,
    readings: Vec<Watch>,
}

/// One reading with the numbers that it has given.
struct Watch {
    facts: ReadingFacts,
    columns: Vec<Column>,
    /// Why the last answer had no number at all.
    gap: Option<String>,
    asked: u64,
    answered: u64,
}

struct Column {
    name: String,
    /// The last of them, the newest at the end; `None` where there was none.
    last: VecDeque<Option<f64>>,
    note: Option<String>,
}

impl Watched {
    /// Nothing read yet.
    pub fn new(question: &str, facts: Vec<ReadingFacts>) -> Watched {
        let watch = |facts| Watch { facts, columns: Vec::new(), gap: None, asked: 0, answered: 0 };
        Watched { question: question.to_owned(), readings: facts.into_iter().map(watch).collect() }
    }

    /// Takes in the numbers of one answer.
    pub fn take(&mut self, rows: &[Reading]) {
        let Some(first) = rows.first() else { return };
        let of = |watch: &&mut Watch| watch.facts.name == *first.reading;
        if let Some(watch) = self.readings.iter_mut().find(of) {
            watch.asked += 1;
            watch.answered += u64::from(rows.iter().any(|row| row.value.is_some()));
            rows.iter().for_each(|row| watch.take(row));
        }
    }

    /// Readings that have never given a number.
    pub fn silent(&self) -> Vec<&str> {
        let silent = self.readings.iter().filter(|watch| watch.answered == 0);
        silent.map(|watch| watch.facts.name.as_str()).collect()
    }

    /// Everything as it stands, on a screen that takes the place of the one before.
    pub fn screen(&self, at: Nanos) -> String {
        let mut screen = Screen::default();
        screen.paragraph(&self.question);
        screen.line(&format!("{} s of watching; Ctrl-C ends it", at.0 / Nanos::from_secs(1).0));
        for watch in &self.readings {
            screen.blank();
            screen.line(&format!("{}, every {}", watch.facts.name, length(watch.facts.every)));
            if watch.asked == 0 {
                screen.line("  not answered yet");
            }
            if let Some(gap) = &watch.gap {
                screen.indented(&format!("no number: {gap}"));
            }
            watch.columns.iter().for_each(|column| screen.line(&line(&watch.facts, column)));
        }
        screen.finish()
    }

    /// The numbers of one answer in a line: `12.0 s  queue: queued 412, running 10`.
    pub fn line(&self, at: Nanos, rows: &[Reading]) -> Option<String> {
        let name = &rows.first()?.reading;
        let watch = self.readings.iter().find(|watch| watch.facts.name == **name)?;
        let shown = |row: &Reading| {
            let number = row.value.map(|number| value(number, watch.facts.unit_of(&row.column)));
            let note = row.note.as_deref().unwrap_or("no number");
            match (&*row.column, number) {
                ("", _) => note.to_owned(),
                ("value", Some(number)) => number,
                (column, Some(number)) => format!("{column} {number}"),
                (column, None) => format!("{column} – ({note})"),
            }
        };
        let numbers: Vec<String> = rows.iter().map(shown).collect();
        Some(format!("{:>7.1} s  {name}: {}", at.as_secs_f64(), numbers.join(", ")))
    }
}

impl Watch {
    fn take(&mut self, row: &Reading) {
        if row.column.is_empty() {
            self.gap = row.note.as_deref().map(str::to_owned);
            self.columns.iter_mut().for_each(|column| column.push(None));
            return;
        }
        self.gap = None;
        let at = self.columns.iter().position(|column| column.name == *row.column).unwrap_or_else(|| {
            self.columns.push(Column { name: row.column.to_string(), last: VecDeque::new(), note: None });
            self.columns.len() - 1
        });
        self.columns[at].push(row.value);
        self.columns[at].note = row.note.as_deref().map(str::to_owned);
    }
}

impl Column {
    fn push(&mut self, number: Option<f64>) {
        if self.last.len() == DRAWN {
            self.last.pop_front();
        }
        self.last.push_back(number);
    }
}

fn line(facts: &ReadingFacts, column: &Column) -> String {
    let unit = facts.unit_of(&column.name);
    let newest = column.last.back().copied().flatten();
    let number = newest.map_or("–".to_owned(), |number| value(number, unit));
    let name = shortened(&column.name, NAME);
    let values: Vec<Option<f64>> = column.last.iter().copied().collect();
    let drawn = spark(&values).map_or(String::new(), |(line, _)| line);
    let limit = facts.limit_of(&column.name).map(|limit| (limit, value(limit, unit)));
    let says = match (&column.note, limit) {
        (Some(note), _) if newest.is_none() => shortened(&format!("({note})"), SAYS),
        (_, Some((limit, shown))) if newest.is_some_and(|number| number >= limit) => {
            format!("limit {shown} reached")
        }
        (_, Some((_, shown))) => format!("limit {shown}"),
        _ => String::new(),
    };
    format!("  {name:<NAME$}{number:>NUMBER$}  {drawn:<DRAWN$}  {says}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{ColumnFacts, ReadingUnit};

    fn facts(name: &str, every: Nanos) -> ReadingFacts {
        let oldest =
            ColumnFacts { column: "oldest".into(), unit: Some(ReadingUnit::Seconds), limit: Some(300.0) };
        let resident =
            ColumnFacts { column: "rss_bytes".into(), unit: Some(ReadingUnit::Bytes), limit: None };
        ReadingFacts {
            name: name.into(),
            kind: "sql".into(),
            asks: "sqlite:tickets.sqlite".into(),
            every,
            timeout: Nanos::from_secs(5),
            unit: None,
            limit: None,
            columns: vec![oldest, resident],
        }
    }

    fn row(reading: &str, column: &str, value: Option<f64>, note: Option<&str>) -> Reading {
        Reading {
            reading: reading.into(),
            column: column.into(),
            asked: Nanos::ZERO,
            answered: Nanos::from_millis(2),
            value,
            note: note.map(Into::into),
        }
    }

    fn watched() -> Watched {
        let facts = vec![facts("queue", Nanos::from_secs(1)), facts("service", Nanos::from_secs(30))];
        Watched::new("Is every ticket answered within five minutes?", facts)
    }

    #[test]
    fn what_is_read_is_drawn_with_its_past_and_a_gap_is_no_number() {
        let mut watched = watched();
        for (queued, oldest) in [(3.0, 2.5), (120.0, 61.0), (412.0, 301.0)] {
            watched.take(&[
                row("queue", "queued", Some(queued), None),
                row("queue", "oldest", Some(oldest), None),
            ]);
        }
        let full = watched.screen(Nanos::from_millis(3_200));
        watched.take(&[row("queue", "", None, Some("it did not answer within 5.00 s"))]);
        watched.take(&[row("service", "rss_bytes", Some(67_108_864.0), None)]);
        insta::assert_snapshot!(format!("{full}\n{}", watched.screen(Nanos::from_secs(8))));
    }

    #[test]
    fn what_never_gave_a_number_is_named() {
        let mut watched = watched();
        assert_eq!(watched.silent(), ["queue", "service"]);
        watched.take(&[row("queue", "", None, Some("refused"))]);
        watched.take(&[row("service", "threads", Some(9.0), None)]);
        assert_eq!(watched.silent(), ["queue"]);
    }

    #[test]
    fn an_answer_is_one_line_where_no_screen_is() {
        let watched = watched();
        let rows = [
            row("queue", "queued", Some(412.0), None),
            row("queue", "oldest", Some(73.25), None),
            row("queue", "words", None, Some("it is text: \"many\"")),
        ];
        assert_eq!(
            watched.line(Nanos::from_secs(12), &rows).as_deref(),
            Some("   12.0 s  queue: queued 412, oldest 73.2 s, words – (it is text: \"many\")")
        );
        let gap = [row("service", "", None, Some("it did not answer within 5.00 s"))];
        assert_eq!(
            watched.line(Nanos::from_secs(30), &gap).as_deref(),
            Some("   30.0 s  service: it did not answer within 5.00 s")
        );
        assert_eq!(watched.line(Nanos::ZERO, &[]), None);
    }

    #[test]
    fn memory_does_not_grow_with_what_was_read() {
        let mut watched = watched();
        for number in 0..1_000 {
            watched.take(&[row("queue", "queued", Some(f64::from(number)), None)]);
        }
        assert_eq!(watched.readings[0].columns[0].last.len(), DRAWN);
    }
}
