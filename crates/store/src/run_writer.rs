//! Writes one run: its facts, its samples while it goes on, and its end.
//!
//! The order of the steps in [`RunWriter::finish`] is what makes a folder
//! readable wherever a crash or a full disk stops them: the spool goes last,
//! and the columns count only once `run.json` vouches for them.

use crate::StoreError;
use crate::columns::{self, Written};
use crate::disk::{Disk, discard, part_of, put_in_place};
use crate::format::{RunFile, StallsFile, write_json};
use crate::readings::{self, ReadingWriter};
use crate::spool::{SpoolReader, SpoolWriter};
use model::{LastSign, ReadingFacts, RunEnd, RunFacts, Sample};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Names of the files in a run's folder.
pub(crate) const RUN: &str = "run.json";
pub(crate) const SPOOL: &str = "samples.spool";
pub(crate) const COLUMNS: &str = "samples.parquet";
pub(crate) const STALLS: &str = "stalls.json";

/// Keeps the samples of a run that goes on. Dropping it without
/// [`RunWriter::finish`] leaves what a killed tester leaves: a run that can be
/// read and has no end.
pub struct RunWriter {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    run: RunFile,
    spool: SpoolWriter,
}

impl RunWriter {
    /// Writes the facts and opens the spool in the run's empty folder.
    pub(crate) fn start(
        disk: Arc<dyn Disk>,
        path: PathBuf,
        sequence: u32,
        facts: &RunFacts,
    ) -> Result<RunWriter, StoreError> {
        let run = RunFile::new(sequence, facts);
        write_json(&*disk, &path.join(RUN), &run)?;
        let spool = SpoolWriter::create(&*disk, &path.join(SPOOL))?;
        Ok(RunWriter { disk, path, run, spool })
    }

    /// The run's folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Samples kept so far.
    pub fn rows(&self) -> u64 {
        self.spool.rows()
    }

    /// Keeps the samples. Once this returns, killing the tester does not lose
    /// them. On an error none of them is kept, and a later call may try again.
    pub fn append(&mut self, samples: &[Sample]) -> Result<(), StoreError> {
        self.spool.append(samples)
    }

    /// Keeps a sign of life: how far the run had come, should it be killed
    /// before the next one. Meant for a few times a second; a run that ends
    /// needs none.
    pub fn sign(&mut self, sign: LastSign) -> Result<(), StoreError> {
        self.spool.sign(sign)
    }

    /// Notes down what is to be read beside the run, and gives the writer for it.
    /// That one may be used on a thread of its own, and must be done before the
    /// run's end is written.
    pub fn readings(&mut self, facts: &[ReadingFacts]) -> Result<ReadingWriter, StoreError> {
        self.run.set_readings(facts);
        self.write_run_file()?;
        ReadingWriter::create(&*self.disk, &self.path)
    }

    /// Writes the run's end and puts its samples and readings into columns. Whatever fails,
    /// all of them stay readable: from the spools, if not from the columns.
    pub fn finish(mut self, end: &RunEnd) -> Result<(), StoreError> {
        if let Some(stalls) = &end.stalls {
            write_json(&*self.disk, &self.path.join(STALLS), &StallsFile::new(stalls))?;
        }
        self.run.set_end(end);
        self.write_run_file()?;
        self.convert().map_err(|source| StoreError::NotConverted {
            spool: self.spool.path().to_path_buf(),
            rows: self.spool.rows(),
            source: Box::new(source),
        })?;
        self.convert_readings()
    }

    fn convert_readings(&mut self) -> Result<(), StoreError> {
        if self.run.readings.is_none() {
            return Ok(());
        }
        let (disk, path) = (Arc::clone(&self.disk), self.path.clone());
        readings::convert(&*disk, &path, |written| {
            if let Some(readings) = &mut self.run.readings {
                readings.file = Some(written.into());
            }
            self.write_run_file()
        })
    }

    fn convert(&mut self) -> Result<(), StoreError> {
        let path = self.path.join(COLUMNS);
        let part = part_of(&path);
        self.convert_into(&part, &path).inspect_err(|_| discard(&part))?;
        fs::remove_file(self.spool.path()).map_err(StoreError::on("remove", self.spool.path()))
    }

    fn convert_into(&mut self, part: &Path, path: &Path) -> Result<(), StoreError> {
        let written = self.write_columns(part)?;
        self.run.samples = Some(written.into());
        self.write_run_file()?;
        put_in_place(part, path)
    }

    fn write_columns(&self, part: &Path) -> Result<Written, StoreError> {
        let sink = self.disk.create(part).map_err(StoreError::on("write", part))?;
        let mut spool = SpoolReader::open(self.spool.path())?;
        let written = columns::write(&mut spool, sink, part)?;
        if written.rows == self.spool.rows() {
            return Ok(written);
        }
        Err(StoreError::Damaged {
            path: self.spool.path().to_path_buf(),
            offset: spool.position(),
            what: format!("it holds {} of {} samples", written.rows, self.spool.rows()),
        })
    }

    fn write_run_file(&self) -> Result<(), StoreError> {
        write_json(&*self.disk, &self.path.join(RUN), &self.run)
    }
}

impl fmt::Debug for RunWriter {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = self.spool.rows();
        out.debug_struct("RunWriter").field("path", &self.path).field("rows", &rows).finish_non_exhaustive()
    }
}
