//! The spool: where samples go while a run is on.
//!
//! A head of 12 bytes (`dc-spool`, format), then batches. A batch is a magic
//! number, its number of rows, a CRC-32 over that number and the rows, and the
//! rows themselves (`row.rs`), all little-endian. Between them lie signs of
//! life (`sign.rs`), which tell how far a run had come that was killed while
//! no request ended. Each batch and each sign is one write to
//! the end of the file, so a tester that is killed leaves whole batches and at
//! most one torn one, and what a returned `append` was given is never lost.
//!
//! **Budget:** under 100 ns a sample, no allocation: the buffer is made once.
//! `cargo test --release -p doorclock-store --test figures -- --ignored` shows it.

mod reader;
mod sign;

pub(crate) use reader::SpoolReader;

use crate::disk::{Disk, Sink};
use crate::error::is_full;
use crate::row::{self, ROW_BYTES};
use crate::{FORMAT, StoreError};
use model::{LastSign, Sample};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The first bytes of a spool, before its format.
const HEAD_MAGIC: [u8; 8] = *b"dc-spool";
/// Bytes of the head: the magic and the format.
const HEAD_BYTES: usize = 12;
/// The first bytes of a batch. None of them is ASCII or zero, so that neither
/// text nor an unwritten block looks like one.
const BATCH_MAGIC: [u8; 4] = [0xd0, 0x0c, 0xba, 0x7c];
/// Bytes of a batch before its rows: magic, number of rows, checksum.
const BATCH_HEAD_BYTES: usize = 12;
/// Most rows in a batch: bounds the buffers of writer and reader to 0.7 MB.
const BATCH_ROWS: usize = 8192;

/// The head of a spool of this version.
fn head() -> [u8; HEAD_BYTES] {
    let mut head = [0; HEAD_BYTES];
    head[..8].copy_from_slice(&HEAD_MAGIC);
    head[8..].copy_from_slice(&FORMAT.to_le_bytes());
    head
}

/// The checksum of a batch: over its number of rows and the rows.
fn checksum(row_count: [u8; 4], rows: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&row_count);
    hasher.update(rows);
    hasher.finalize()
}

/// Appends samples to a spool.
pub(crate) struct SpoolWriter {
    sink: Box<dyn Sink>,
    path: PathBuf,
    /// One batch, reused.
    batch: Vec<u8>,
    /// Bytes of the head and of all whole batches.
    bytes: u64,
    rows: u64,
    /// Something may lie behind `bytes` that has to go before the next write.
    torn: bool,
}

impl SpoolWriter {
    /// Makes an empty spool.
    pub(crate) fn create(disk: &dyn Disk, path: &Path) -> Result<SpoolWriter, StoreError> {
        let made = disk.create(path).and_then(|mut sink| sink.write_all(&head()).map(|()| sink));
        Ok(SpoolWriter {
            sink: made.map_err(StoreError::on("write", path))?,
            path: path.to_path_buf(),
            batch: Vec::with_capacity(BATCH_HEAD_BYTES + BATCH_ROWS * ROW_BYTES),
            bytes: HEAD_BYTES as u64,
            rows: 0,
            torn: false,
        })
    }

    /// Where it lies.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Samples in it.
    pub(crate) fn rows(&self) -> u64 {
        self.rows
    }

    /// Appends all samples or, on an error, none of them.
    pub(crate) fn append(&mut self, samples: &[Sample]) -> Result<(), StoreError> {
        let written = self.write_batches(samples);
        self.settle(written)?;
        self.rows += samples.len() as u64;
        Ok(())
    }

    /// Appends a sign of life.
    pub(crate) fn sign(&mut self, sign: LastSign) -> Result<(), StoreError> {
        let frame = sign::frame(sign);
        let written = self.cut_torn_end().and_then(|()| self.sink.write_all(&frame));
        self.settle(written.map(|()| frame.len() as u64))
    }

    /// Takes a write as done, or undoes what there is of it.
    fn settle(&mut self, written: io::Result<u64>) -> Result<(), StoreError> {
        match written {
            Ok(bytes) => {
                self.bytes += bytes;
                Ok(())
            }
            Err(source) => {
                self.torn = true;
                // If the cut fails as well, the next append tries it again.
                let _ = self.cut_torn_end();
                Err(self.refused(source))
            }
        }
    }

    /// Writes the samples in batches and returns how many bytes that took.
    fn write_batches(&mut self, samples: &[Sample]) -> io::Result<u64> {
        self.cut_torn_end()?;
        let mut bytes = 0;
        for rows in samples.chunks(BATCH_ROWS) {
            self.fill_batch(rows);
            self.sink.write_all(&self.batch)?;
            bytes += self.batch.len() as u64;
        }
        Ok(bytes)
    }

    fn fill_batch(&mut self, samples: &[Sample]) {
        let row_count = (samples.len() as u32).to_le_bytes();
        self.batch.clear();
        self.batch.extend_from_slice(&BATCH_MAGIC);
        self.batch.extend_from_slice(&row_count);
        self.batch.extend_from_slice(&[0; 4]);
        for sample in samples {
            row::write(sample, &mut self.batch);
        }
        let sum = checksum(row_count, &self.batch[BATCH_HEAD_BYTES..]);
        self.batch[8..BATCH_HEAD_BYTES].copy_from_slice(&sum.to_le_bytes());
    }

    /// A write that failed may have left a part of a batch. Later batches must
    /// not follow it, or it would look like damage.
    fn cut_torn_end(&mut self) -> io::Result<()> {
        if self.torn {
            self.sink.cut(self.bytes)?;
            self.torn = false;
        }
        Ok(())
    }

    fn refused(&self, source: io::Error) -> StoreError {
        if is_full(&source) {
            StoreError::SpoolFull { path: self.path.clone(), rows_kept: self.rows, source }
        } else {
            StoreError::io("write", &self.path, source)
        }
    }
}

#[cfg(test)]
mod tests;
