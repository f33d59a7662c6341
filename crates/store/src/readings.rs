//! The readings of a run: `readings.jsonl` while it goes on, a line each, and
//! `readings.parquet` after it.
//!
//! Lines are appended as answers come, so that a killed tester keeps what was
//! read by then. DuckDB, pandas and polars read either file as it is.

use crate::StoreError;
use crate::columns::{self, Written};
use crate::disk::{Disk, Sink, discard, part_of, put_in_place};
use crate::error::is_full;
use model::{Nanos, Reading};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The files' names in a run's folder.
pub(crate) const SPOOL: &str = "readings.jsonl";
pub(crate) const COLUMNS: &str = "readings.parquet";

/// Lines put into columns at once.
const BATCH: usize = 4_096;

#[derive(Serialize, Deserialize)]
struct Line<'a> {
    reading: std::borrow::Cow<'a, str>,
    column: std::borrow::Cow<'a, str>,
    asked_ns: u64,
    answered_ns: u64,
    value: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<std::borrow::Cow<'a, str>>,
}

/// Appends readings to a run's file.
pub struct ReadingWriter {
    path: PathBuf,
    sink: Box<dyn Sink>,
    /// Bytes that are safely in it.
    bytes: u64,
    text: Vec<u8>,
}

impl ReadingWriter {
    /// Opens the file in a run's folder.
    pub(crate) fn create(disk: &dyn Disk, run: &Path) -> Result<ReadingWriter, StoreError> {
        let path = run.join(SPOOL);
        let sink = disk.create(&path).map_err(StoreError::on("write", &path))?;
        Ok(ReadingWriter { path, sink, bytes: 0, text: Vec::new() })
    }

    /// Keeps the readings. Once this returns, killing the tester does not lose
    /// them. On an error none of them is kept, and a later call may try again.
    pub fn append(&mut self, readings: &[Reading]) -> Result<(), StoreError> {
        self.text.clear();
        for one in readings {
            let line = Line {
                reading: (&*one.reading).into(),
                column: (&*one.column).into(),
                asked_ns: one.asked.0,
                answered_ns: one.answered.0,
                // JSON has no other numbers.
                value: one.value.filter(|value| value.is_finite()),
                note: one.note.as_deref().map(Into::into),
            };
            serde_json::to_writer(&mut self.text, &line).expect("plain values are JSON");
            self.text.push(b'\n');
        }
        match self.sink.write_all(&self.text) {
            Ok(()) => {
                self.bytes += self.text.len() as u64;
                Ok(())
            }
            Err(error) => {
                // Part of a line would end the file for whoever reads it. If
                // it cannot be cut off either, reading stops right before it.
                let _ = self.sink.cut(self.bytes);
                let path = self.path.clone();
                Err(if is_full(&error) {
                    StoreError::DiskFull { path, source: error }
                } else {
                    StoreError::io("write", &path, error)
                })
            }
        }
    }
}

impl std::fmt::Debug for ReadingWriter {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("ReadingWriter").field("path", &self.path).finish_non_exhaustive()
    }
}

/// Puts the lines of a run that has ended into columns, and gives what `keep`
/// must vouch for before they count.
pub(crate) fn convert(
    disk: &dyn Disk,
    run: &Path,
    keep: impl FnOnce(Written) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let (spool, path) = (run.join(SPOOL), run.join(COLUMNS));
    let part = part_of(&path);
    let convert = || {
        let sink = disk.create(&part).map_err(StoreError::on("write", &part))?;
        let mut lines = Lines::open(&spool)?;
        keep(columns::write_readings(&mut || lines.next_batch(), sink, &part)?)?;
        put_in_place(&part, &path)
    };
    convert().inspect_err(|_| discard(&part))?;
    fs::remove_file(&spool).map_err(StoreError::on("remove", &spool))
}

/// Every reading in the lines of a run's folder.
pub(crate) fn read_lines(run: &Path) -> Result<Vec<Reading>, StoreError> {
    let mut lines = Lines::open(&run.join(SPOOL))?;
    let mut all = Vec::new();
    loop {
        let more = lines.next_batch()?;
        if more.is_empty() {
            return Ok(all);
        }
        all.extend(more);
    }
}

/// Reads the lines, texts that repeat kept once.
struct Lines {
    path: PathBuf,
    reader: BufReader<File>,
    offset: u64,
    texts: BTreeSet<Arc<str>>,
}

impl Lines {
    fn open(path: &Path) -> Result<Lines, StoreError> {
        let file = File::open(path).map_err(StoreError::on("read", path))?;
        let reader = BufReader::new(file);
        Ok(Lines { path: path.to_path_buf(), reader, offset: 0, texts: BTreeSet::new() })
    }

    /// The next ones; none at the end. What stands behind the last line's end
    /// was cut off as the tester was killed.
    fn next_batch(&mut self) -> Result<Vec<Reading>, StoreError> {
        let (mut batch, mut line) = (Vec::new(), Vec::new());
        while batch.len() < BATCH {
            line.clear();
            let length = self.reader.read_until(b'\n', &mut line);
            let length = length.map_err(StoreError::on("read", &self.path))?;
            if !line.ends_with(b"\n") {
                break;
            }
            let read: Line<'_> = serde_json::from_slice(&line).map_err(|_| StoreError::Damaged {
                path: self.path.clone(),
                offset: self.offset,
                what: "it is no reading".to_owned(),
            })?;
            batch.push(Reading {
                reading: self.text(&read.reading),
                column: self.text(&read.column),
                asked: Nanos(read.asked_ns),
                answered: Nanos(read.answered_ns),
                value: read.value,
                note: read.note.map(|note| self.text(&note)),
            });
            self.offset += length as u64;
        }
        Ok(batch)
    }

    fn text(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.texts.get(text) {
            return Arc::clone(known);
        }
        let text: Arc<str> = text.into();
        self.texts.insert(Arc::clone(&text));
        text
    }
}

#[cfg(test)]
mod tests;
