//! Reads one run: its record, and its samples as often as asked.

use crate::StoreError;
use crate::columns;
use crate::completions;
use crate::disk::each_chunk;
use crate::format::{RunFile, SampleFile, StallsFile, read_json};
use crate::readings;
use crate::run_writer::{COLUMNS, RUN, SPOOL, STALLS};
use crate::spool::SpoolReader;
use model::{Completion, LastSign, ReadingFacts, Readings, RunRecord, Sample, SampleSource, SourceError};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A run in a results folder.
#[derive(Debug)]
pub struct StoredRun {
    path: PathBuf,
    name: String,
    sequence: u32,
    record: RunRecord,
    samples: Kept,
    /// What was to be read beside the run, and the file it was put into.
    readings: Option<(Vec<ReadingFacts>, Option<SampleFile>)>,
}

/// Where the samples lie.
#[derive(Debug)]
enum Kept {
    /// In columns, after the run's end.
    Columns { path: PathBuf, file: SampleFile, sound: OnceLock<()> },
    /// In the spool: the run was killed, goes on, or could not be put into columns.
    Spool { path: PathBuf, whole_bytes: u64, rows: u64, torn_bytes: u64, last_sign: Option<LastSign> },
    /// Nowhere: the tester was killed before the spool was made.
    Nowhere,
}

impl StoredRun {
    /// Opens a run's folder; `None` if nothing was written into it.
    pub(crate) fn open(path: PathBuf) -> Result<Option<StoredRun>, StoreError> {
        let run_path = path.join(RUN);
        let Some(run) = read_json::<RunFile>(&run_path)? else {
            let empty = !path.join(SPOOL).exists() && !path.join(COLUMNS).exists();
            return if empty { Ok(None) } else { Err(StoreError::Missing { path: run_path }) };
        };
        let stalls = if run.stalls_told() { Some(read_stalls(&path)?.stalls()) } else { None };
        let (facts, end) = (run.facts(&run_path)?, run.end(&run_path, stalls)?);
        let samples = Kept::find(&path, &run)?;
        let last_sign = if end.is_none() { samples.last_sign() } else { None };
        let record = RunRecord { facts, end, last_sign };
        let readings = run.readings.as_ref();
        let readings = readings.map(|read| Ok((read.facts(&run_path)?, read.file))).transpose()?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Some(StoredRun { path, name, sequence: run.sequence, record, samples, readings }))
    }

    /// The run's folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The name of the run's folder, such as `R1-open-546`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The run's place in the order in which the runs were made, from 1.
    pub fn sequence(&self) -> u32 {
        self.sequence
    }

    /// The run's facts and its end.
    pub fn record(&self) -> &RunRecord {
        &self.record
    }

    /// Samples that a pass hands over.
    pub fn rows(&self) -> u64 {
        match &self.samples {
            Kept::Columns { file, .. } => file.rows,
            Kept::Spool { rows, .. } => *rows,
            Kept::Nowhere => 0,
        }
    }

    /// Whether the samples still lie in the spool: the run was killed, goes
    /// on, or could not be put into columns.
    pub fn from_spool(&self) -> bool {
        !matches!(self.samples, Kept::Columns { .. })
    }

    /// The work that answers accepted and whose end is known, in the order in
    /// which ends were learnt; `None` where nobody followed it.
    pub fn completions(&self) -> Result<Option<Vec<Completion>>, StoreError> {
        completions::read(&self.path)
    }

    /// What was read beside the run; `None` where nothing was to be. A run that
    /// was killed, or goes on, gives what was read by now.
    pub fn readings(&self) -> Result<Option<Readings>, StoreError> {
        let Some((facts, file)) = &self.readings else { return Ok(None) };
        let columns = self.path.join(readings::COLUMNS);
        let rows = match file {
            Some(file) if columns.exists() => {
                check_sum(&columns, *file)?;
                let rows = columns::read_readings(&columns)?;
                expect_rows(&columns, rows.len() as u64, file.rows)?;
                rows
            }
            _ if self.path.join(readings::SPOOL).exists() => readings::read_lines(&self.path)?,
            Some(_) => return Err(StoreError::Missing { path: columns }),
            // Killed between noting down what was to be read and reading it.
            None if self.record.end.is_none() => Vec::new(),
            None => return Err(StoreError::Missing { path: self.path.join(readings::SPOOL) }),
        };
        Ok(Some(Readings { facts: facts.clone(), rows }))
    }

    /// Bytes at the end of the spool that hold no whole batch: what the tester
    /// was writing when it was killed.
    pub fn torn_bytes(&self) -> u64 {
        match self.samples {
            Kept::Spool { torn_bytes, .. } => torn_bytes,
            Kept::Columns { .. } | Kept::Nowhere => 0,
        }
    }

    /// Hands every sample to `each`, in the order in which they were appended.
    pub fn read(&self, each: &mut dyn FnMut(&[Sample])) -> Result<(), StoreError> {
        match &self.samples {
            Kept::Columns { path, file, sound } => {
                if sound.get().is_none() {
                    check_sum(path, *file)?;
                    let _ = sound.set(());
                }
                let rows = count_rows(each, |each| columns::read(path, each))?;
                expect_rows(path, rows, file.rows)
            }
            Kept::Spool { path, whole_bytes, rows, .. } => {
                let found = count_rows(each, |each| read_spool(path, *whole_bytes, each))?;
                expect_rows(path, found, *rows)
            }
            Kept::Nowhere => Ok(()),
        }
    }
}

impl SampleSource for StoredRun {
    fn pass(&self, each: &mut dyn FnMut(&[Sample])) -> Result<(), SourceError> {
        self.read(each).map_err(|error| SourceError(error.to_string()))
    }
}

impl Kept {
    /// Columns count only if `run.json` vouches for them: others may be half
    /// written. Without them the spool must be there, unless the run was
    /// killed at its very beginning.
    fn find(folder: &Path, run: &RunFile) -> Result<Kept, StoreError> {
        let (columns, spool) = (folder.join(COLUMNS), folder.join(SPOOL));
        match run.samples {
            Some(file) if columns.exists() => {
                Ok(Kept::Columns { path: columns, file, sound: OnceLock::new() })
            }
            _ if spool.exists() => Kept::survey(spool),
            Some(_) => Err(StoreError::Missing { path: columns }),
            None if run.has_end() || columns.exists() => Err(StoreError::Missing { path: spool }),
            None => Ok(Kept::Nowhere),
        }
    }

    /// Reads the spool once, to know what of it is whole.
    fn survey(path: PathBuf) -> Result<Kept, StoreError> {
        let mut spool = SpoolReader::open(&path)?;
        let mut rows = 0;
        while let Some(samples) = spool.next_batch()? {
            rows += samples.len() as u64;
        }
        let (whole_bytes, torn_bytes) = (spool.position(), spool.torn_bytes());
        Ok(Kept::Spool { path, whole_bytes, rows, torn_bytes, last_sign: spool.last_sign() })
    }

    fn last_sign(&self) -> Option<LastSign> {
        match self {
            Kept::Spool { last_sign, .. } => *last_sign,
            Kept::Columns { .. } | Kept::Nowhere => None,
        }
    }
}

fn read_stalls(folder: &Path) -> Result<StallsFile, StoreError> {
    let path = folder.join(STALLS);
    read_json(&path)?.ok_or(StoreError::Missing { path })
}

/// Reads the part of the spool that was whole when it was surveyed, so that
/// every pass gives the same samples even if the run goes on.
fn read_spool(path: &Path, whole_bytes: u64, each: &mut dyn FnMut(&[Sample])) -> Result<(), StoreError> {
    let mut spool = SpoolReader::open(path)?;
    spool.stop_at(whole_bytes);
    while let Some(samples) = spool.next_batch()? {
        each(samples);
    }
    Ok(())
}

/// Runs a pass and counts what it hands over.
fn count_rows(
    each: &mut dyn FnMut(&[Sample]),
    pass: impl FnOnce(&mut dyn FnMut(&[Sample])) -> Result<(), StoreError>,
) -> Result<u64, StoreError> {
    let mut rows = 0;
    pass(&mut |samples| {
        rows += samples.len() as u64;
        each(samples);
    })?;
    Ok(rows)
}

fn expect_rows(path: &Path, found: u64, expected: u64) -> Result<(), StoreError> {
    if found == expected {
        return Ok(());
    }
    let what = format!("it holds {found} of {expected} rows");
    Err(StoreError::Damaged { path: path.to_path_buf(), offset: 0, what })
}

/// Compares a file of columns with what was written. Parquet's own pages carry
/// no checksum, so a flipped bit could otherwise pass for another number, and
/// only bytes that we wrote ourselves are given to its decoder.
fn check_sum(path: &Path, expected: SampleFile) -> Result<(), StoreError> {
    let mut sum = crc32fast::Hasher::new();
    let bytes = each_chunk(path, |chunk| sum.update(chunk))?;
    let damaged = |offset, what: String| Err(StoreError::Damaged { path: path.to_path_buf(), offset, what });
    if bytes != expected.bytes {
        return damaged(
            bytes.min(expected.bytes),
            format!("it is {bytes} bytes long, not {}", expected.bytes),
        );
    }
    if sum.finalize() != expected.crc32 {
        return damaged(0, "its checksum is not the one in run.json".to_owned());
    }
    Ok(())
}
