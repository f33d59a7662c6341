//! `completions.jsonl`: the work that answers accepted, a line each once its end
//! is known.
//!
//! Appended to while the run goes on, so that a killed tester loses no end that
//! it had learnt; DuckDB, pandas and polars read it as it is.

use crate::StoreError;
use model::{Completion, Nanos, WorkEnd};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

/// The file's name in a run's folder.
pub(crate) const COMPLETIONS: &str = "completions.jsonl";

#[derive(Serialize, Deserialize)]
struct Line {
    index: u64,
    scheduled_ns: u64,
    answered_ns: u64,
    counted: bool,
    name: String,
    end: String,
    not_before_ns: u64,
    ended_ns: u64,
}

/// Appends ends to a run's file.
#[derive(Debug)]
pub struct CompletionWriter {
    path: PathBuf,
    file: File,
    text: Vec<u8>,
}

impl CompletionWriter {
    /// Opens the file in a run's folder.
    pub fn create(run: &Path) -> Result<CompletionWriter, StoreError> {
        let path = run.join(COMPLETIONS);
        let file = File::create(&path).map_err(StoreError::on("write", &path))?;
        Ok(CompletionWriter { path, file, text: Vec::new() })
    }

    /// Keeps the ends. Once this returns, killing the tester does not lose them.
    pub fn append(&mut self, ends: &[Completion]) -> Result<(), StoreError> {
        self.text.clear();
        for one in ends {
            let line = Line {
                index: one.index,
                scheduled_ns: one.scheduled.0,
                answered_ns: one.answered.0,
                counted: one.counted,
                name: one.name.clone(),
                end: one.end.name().to_owned(),
                not_before_ns: one.not_before.0,
                ended_ns: one.at.0,
            };
            serde_json::to_writer(&mut self.text, &line).expect("plain values are JSON");
            self.text.push(b'\n');
        }
        self.file.write_all(&self.text).map_err(StoreError::on("write", &self.path))
    }
}

/// The ends that a run's folder holds; `None` if nobody followed its work. What
/// stands behind the last line's end was cut off as the tester was killed.
pub(crate) fn read(run: &Path) -> Result<Option<Vec<Completion>>, StoreError> {
    let path = run.join(COMPLETIONS);
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(StoreError::on("read", &path)(error)),
    };
    let mut reader = BufReader::new(file);
    let (mut all, mut line, mut offset) = (Vec::new(), Vec::new(), 0);
    loop {
        line.clear();
        let length = reader.read_until(b'\n', &mut line).map_err(StoreError::on("read", &path))?;
        if !line.ends_with(b"\n") {
            return Ok(Some(all));
        }
        let damaged = |what: &str| StoreError::Damaged { path: path.clone(), offset, what: what.to_owned() };
        let read: Line = serde_json::from_slice(&line).map_err(|_| damaged("it is no completion"))?;
        let end = WorkEnd::named(&read.end).ok_or_else(|| damaged("it has an unknown end"))?;
        all.push(Completion {
            index: read.index,
            scheduled: Nanos(read.scheduled_ns),
            answered: Nanos(read.answered_ns),
            counted: read.counted,
            name: read.name,
            end,
            not_before: Nanos(read.not_before_ns),
            at: Nanos(read.ended_ns),
        });
        offset += length as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn completion(index: u64, end: WorkEnd) -> Completion {
        Completion {
            index,
            scheduled: Nanos(index * 1_000),
            answered: Nanos(index * 1_000 + 17),
            counted: index > 0,
            name: format!("/tickets/\"{index}\"\n"),
            end,
            not_before: Nanos(u64::MAX - 1),
            at: Nanos(u64::MAX),
        }
    }

    #[test]
    fn ends_come_back_as_they_were_and_what_a_kill_cut_off_is_left_out() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(read(folder.path()).expect("read"), None);
        let all: Vec<Completion> = (0..).zip(WorkEnd::ALL).map(|(n, end)| completion(n, end)).collect();
        let mut writer = CompletionWriter::create(folder.path()).expect("created");
        writer.append(&all[..2]).expect("kept");
        writer.append(&all[2..]).expect("kept");
        assert_eq!(read(folder.path()).expect("read"), Some(all.clone()));
        let mut file = File::options().append(true).open(folder.path().join(COMPLETIONS)).expect("opened");
        file.write_all(b"{\"index\": 4, \"sched").expect("written");
        assert_eq!(read(folder.path()).expect("read"), Some(all));
        file.write_all(b"\n").expect("written");
        let error = read(folder.path()).expect_err("a whole line that is none");
        assert!(error.to_string().contains("completion"), "{error}");
    }
}
