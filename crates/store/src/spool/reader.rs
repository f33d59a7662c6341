//! Reads a spool batch by batch, and keeps the last sign of life on the way.
//!
//! A batch or sign that is not whole is *torn* if no whole one follows it: the tester
//! was killed while writing it, and it is left out and told. If one follows,
//! the file was *damaged* after it was written, and that is an error.

use super::sign::{self, SIGN_BYTES, SIGN_MAGIC};
use super::{BATCH_HEAD_BYTES, BATCH_MAGIC, BATCH_ROWS, HEAD_BYTES, HEAD_MAGIC, checksum, head};
use crate::row::{self, ROW_BYTES};
use crate::{FORMAT, StoreError};
use model::{LastSign, Sample};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Bytes looked through at once when searching for a whole batch.
const WINDOW: usize = 1 << 20;

/// A spool that is being read.
pub(crate) struct SpoolReader {
    file: File,
    path: PathBuf,
    /// Where the next batch begins.
    at: u64,
    /// Where reading ends: the file's length when it was opened, less what is torn.
    end: u64,
    torn_bytes: u64,
    last_sign: Option<LastSign>,
    /// The rows of one batch, as bytes and as samples, reused.
    rows: Vec<u8>,
    samples: Vec<Sample>,
}

impl SpoolReader {
    /// Opens a spool and reads its head.
    pub(crate) fn open(path: &Path) -> Result<SpoolReader, StoreError> {
        let file = File::open(path).map_err(StoreError::on("read", path))?;
        let length = file.metadata().map_err(StoreError::on("read", path))?.len();
        let mut reader = SpoolReader {
            file,
            path: path.to_path_buf(),
            at: 0,
            end: length,
            torn_bytes: 0,
            last_sign: None,
            rows: Vec::new(),
            samples: Vec::new(),
        };
        reader.read_head()?;
        Ok(reader)
    }

    /// Bytes at the end that hold no whole batch; known once all batches are read.
    pub(crate) fn torn_bytes(&self) -> u64 {
        self.torn_bytes
    }

    /// The last sign of life among what was read so far.
    pub(crate) fn last_sign(&self) -> Option<LastSign> {
        self.last_sign
    }

    /// Where the next batch begins: after the last one, the end of what is whole.
    pub(crate) fn position(&self) -> u64 {
        self.at
    }

    /// Leaves out what lies behind the first `bytes`.
    pub(crate) fn stop_at(&mut self, bytes: u64) {
        self.end = self.end.min(bytes);
    }

    /// The next batch; `None` at the end.
    pub(crate) fn next_batch(&mut self) -> Result<Option<&[Sample]>, StoreError> {
        while let Some(sign) = self.read_sign(self.at)? {
            self.at += SIGN_BYTES as u64;
            self.last_sign = Some(sign);
        }
        if self.at == self.end {
            return Ok(None);
        }
        match self.read_batch(self.at)? {
            Some(bytes) => {
                self.at += bytes;
                Ok(Some(&self.samples))
            }
            None if self.whole_frame_follows()? => {
                Err(self.damaged(self.at, "a batch of samples is not as it was written"))
            }
            None => {
                self.leave_out_the_rest();
                Ok(None)
            }
        }
    }

    fn read_head(&mut self) -> Result<(), StoreError> {
        let mut found = [0; HEAD_BYTES];
        let length = found.len().min(usize::try_from(self.end).unwrap_or(usize::MAX));
        self.read_at(0, &mut found[..length])?;
        if length < HEAD_BYTES && head().starts_with(&found[..length]) {
            self.leave_out_the_rest();
            return Ok(());
        }
        if found[..8] != HEAD_MAGIC {
            return Err(self.damaged(0, "it does not begin like a spool"));
        }
        let [.., a, b, c, d] = found;
        match u32::from_le_bytes([a, b, c, d]) {
            0 => Err(self.damaged(8, "format 0 does not exist")),
            format if format > FORMAT => {
                Err(StoreError::NewerFormat { path: self.path.clone(), found: format, known: FORMAT })
            }
            _ => {
                self.at = HEAD_BYTES as u64;
                Ok(())
            }
        }
    }

    fn leave_out_the_rest(&mut self) {
        self.torn_bytes = self.end - self.at;
        self.end = self.at;
    }

    /// Reads the sign of life that begins at byte `at`; `None` if there is no whole one.
    fn read_sign(&self, at: u64) -> Result<Option<LastSign>, StoreError> {
        let mut frame = [0; SIGN_BYTES];
        if self.end - at < frame.len() as u64 {
            return Ok(None);
        }
        self.read_at(at, &mut frame)?;
        Ok(sign::read(&frame))
    }

    /// Whether a whole batch or sign begins at byte `at`, where `magic` was found.
    fn is_whole_at(&mut self, at: u64, magic: &[u8]) -> Result<bool, StoreError> {
        if magic == BATCH_MAGIC {
            return Ok(self.read_batch(at)?.is_some());
        }
        Ok(magic == SIGN_MAGIC && self.read_sign(at)?.is_some())
    }

    /// Reads the batch that begins at byte `at` into `self.samples` and gives
    /// its length; `None` if there is no whole batch.
    fn read_batch(&mut self, at: u64) -> Result<Option<u64>, StoreError> {
        let mut head = [0; BATCH_HEAD_BYTES];
        if self.end - at < head.len() as u64 {
            return Ok(None);
        }
        self.read_at(at, &mut head)?;
        let [m0, m1, m2, m3, n0, n1, n2, n3, sum @ ..] = head;
        let row_count = u32::from_le_bytes([n0, n1, n2, n3]) as usize;
        let bytes = (BATCH_HEAD_BYTES + row_count * ROW_BYTES) as u64;
        if [m0, m1, m2, m3] != BATCH_MAGIC || row_count > BATCH_ROWS || self.end - at < bytes {
            return Ok(None);
        }
        let mut rows = std::mem::take(&mut self.rows);
        rows.resize(row_count * ROW_BYTES, 0);
        self.read_at(at + BATCH_HEAD_BYTES as u64, &mut rows)?;
        let whole = checksum([n0, n1, n2, n3], &rows) == u32::from_le_bytes(sum);
        self.rows = rows;
        if whole {
            self.decode(at)?;
        }
        Ok(whole.then_some(bytes))
    }

    /// Turns `self.rows` into `self.samples`.
    fn decode(&mut self, at: u64) -> Result<(), StoreError> {
        self.samples.clear();
        let (rows, _) = self.rows.as_chunks::<ROW_BYTES>();
        for row in rows {
            match row::read(row) {
                Some(sample) => self.samples.push(sample),
                None => return Err(self.damaged(at, "a sample has an unknown outcome")),
            }
        }
        Ok(())
    }

    /// Whether a whole batch or sign begins anywhere behind the bad one at `self.at`.
    fn whole_frame_follows(&mut self) -> Result<bool, StoreError> {
        let mut from = self.at + 1;
        let mut window = vec![0; WINDOW.min(usize::try_from(self.end - from).unwrap_or(WINDOW))];
        while self.end - from >= BATCH_MAGIC.len() as u64 {
            let length = window.len().min(usize::try_from(self.end - from).unwrap_or(WINDOW));
            self.read_at(from, &mut window[..length])?;
            for (offset, bytes) in window[..length].windows(BATCH_MAGIC.len()).enumerate() {
                if self.is_whole_at(from + offset as u64, bytes)? {
                    return Ok(true);
                }
            }
            // Windows overlap, so that no magic number lies across a border.
            from += (length - (BATCH_MAGIC.len() - 1)) as u64;
        }
        Ok(false)
    }

    fn read_at(&self, at: u64, bytes: &mut [u8]) -> Result<(), StoreError> {
        self.file.read_exact_at(bytes, at).map_err(StoreError::on("read", &self.path))
    }

    fn damaged(&self, offset: u64, what: &str) -> StoreError {
        StoreError::Damaged { path: self.path.clone(), offset, what: what.to_owned() }
    }
}
