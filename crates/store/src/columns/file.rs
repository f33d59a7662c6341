//! Writes a spool into one Parquet file, and reads such a file, in bounded
//! memory: one row group at a time going out, one slice of it coming in.

use super::kinds::{Column, Scratch};
use super::{all, blank, schema};
use crate::StoreError;
use crate::disk::Sink;
use crate::spool::SpoolReader;
use model::Sample;
use parquet::basic::{Compression, ZstdLevel};
use parquet::column::reader::ColumnReader;
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::ColumnPath;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

/// Rows of a row group: what the writer holds in memory (7 MB of samples).
/// Readers of other tools work on one group a thread, so not many more.
const GROUP_ROWS: usize = 65_536;
/// Rows decoded at once: small enough that the samples (115 kB) and the
/// values of a column stay in the cache while 15 columns are filled in.
const SLICE_ROWS: usize = 1024;

/// A file of columns as it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    /// Rows in it.
    pub(crate) rows: u64,
    /// Its length.
    pub(crate) bytes: u64,
    /// Its checksum.
    pub(crate) crc32: u32,
}

/// Writes every sample of the spool to `sink`, which becomes the file `path`.
pub(crate) fn write(
    spool: &mut SpoolReader,
    sink: Box<dyn Sink>,
    path: &Path,
) -> Result<Written, StoreError> {
    let unwritten = |error: ParquetError| refused(path, error);
    let mut table = TableWriter::new(sink).map_err(unwritten)?;
    while let Some(samples) = spool.next_batch()? {
        table.add(samples).map_err(unwritten)?;
    }
    table.finish().map_err(unwritten)
}

/// A full disk stays a full disk, also when the library hands it on.
pub(super) fn refused(path: &Path, error: ParquetError) -> StoreError {
    let reason = error.to_string();
    if let ParquetError::External(source) = error
        && let Ok(source) = source.downcast::<io::Error>()
    {
        return StoreError::io("write", path, *source);
    }
    StoreError::Columns { path: path.to_path_buf(), reason }
}

/// A file of columns that is being written.
struct TableWriter {
    columns: Vec<Box<dyn Column>>,
    file: SerializedFileWriter<Summed>,
    /// The row group that is being filled.
    group: Vec<Sample>,
    scratch: Scratch,
    rows: u64,
}

impl TableWriter {
    fn new(sink: Box<dyn Sink>) -> Result<TableWriter, ParquetError> {
        let columns = all();
        let properties = Arc::new(properties(&columns)?);
        let file = SerializedFileWriter::new(Summed::new(sink), schema(&columns)?, properties)?;
        let group = Vec::with_capacity(GROUP_ROWS);
        Ok(TableWriter { columns, file, group, scratch: Scratch::default(), rows: 0 })
    }

    fn add(&mut self, mut samples: &[Sample]) -> Result<(), ParquetError> {
        while !samples.is_empty() {
            let room = GROUP_ROWS - self.group.len();
            let (now, later) = samples.split_at(room.min(samples.len()));
            self.group.extend_from_slice(now);
            samples = later;
            if self.group.len() == GROUP_ROWS {
                self.write_group()?;
            }
        }
        Ok(())
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        let mut group = self.file.next_row_group()?;
        for column in &self.columns {
            let mut to = group.next_column()?.ok_or_else(|| missing(column.name()))?;
            for samples in self.group.chunks(SLICE_ROWS) {
                column.write(samples, &mut to, &mut self.scratch)?;
            }
            to.close()?;
        }
        group.close()?;
        self.rows += self.group.len() as u64;
        self.group.clear();
        Ok(())
    }

    fn finish(mut self) -> Result<Written, ParquetError> {
        if !self.group.is_empty() {
            self.write_group()?;
        }
        // Not `into_inner`, which turns a full disk into a mere text.
        self.file.finish()?;
        Ok(self.file.inner_mut().finish(self.rows)?)
    }
}

/// How the columns are packed. Differences, packed to as few bits as they need,
/// suit moments and counters; zstd then finds what repeats.
fn properties(columns: &[Box<dyn Column>]) -> Result<WriterProperties, ParquetError> {
    let mut properties = WriterProperties::builder()
        .set_created_by(concat!("doorclock ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
        .set_dictionary_enabled(false)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_max_row_group_row_count(Some(GROUP_ROWS));
    for column in columns {
        let path = ColumnPath::from(column.name());
        properties = match column.encoding() {
            Some(encoding) => properties.set_column_encoding(path, encoding),
            None => properties.set_column_dictionary_enabled(path, true),
        };
    }
    Ok(properties.build())
}

/// A sink that sums up what goes through it.
pub(super) struct Summed {
    sink: Box<dyn Sink>,
    sum: crc32fast::Hasher,
    bytes: u64,
}

impl Summed {
    pub(super) fn new(sink: Box<dyn Sink>) -> Summed {
        Summed { sink, sum: crc32fast::Hasher::new(), bytes: 0 }
    }

    /// Nothing more goes through: `rows` rows did.
    pub(super) fn finish(&mut self, rows: u64) -> io::Result<Written> {
        self.sink.sync()?;
        Ok(Written { rows, bytes: self.bytes, crc32: self.sum.clone().finalize() })
    }
}

impl Write for Summed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.sink.write(bytes)?;
        self.sum.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}

/// Hands every sample of the file to `each`, in the order of the file.
pub(crate) fn read(path: &Path, each: &mut dyn FnMut(&[Sample])) -> Result<(), StoreError> {
    let columns = all();
    let file = File::open(path).map_err(StoreError::on("read", path))?;
    let damaged = |offset: i64, error: ParquetError| StoreError::Damaged {
        path: path.to_path_buf(),
        offset: u64::try_from(offset).unwrap_or(0),
        what: error.to_string(),
    };
    let file = SerializedFileReader::new(file).map_err(|error| damaged(0, error))?;
    check_schema(&file, &columns).map_err(|error| damaged(0, error))?;

    let mut samples = vec![blank(); SLICE_ROWS];
    let mut scratch = Scratch::default();
    for group in 0..file.num_row_groups() {
        let offset = file.metadata().row_group(group).file_offset().unwrap_or(0);
        read_group(&file, group, &columns, &mut samples, &mut scratch, each)
            .map_err(|error| damaged(offset, error))?;
    }
    Ok(())
}

fn check_schema(file: &SerializedFileReader<File>, columns: &[Box<dyn Column>]) -> Result<(), ParquetError> {
    let expected = schema(columns)?;
    let found = file.metadata().file_metadata().schema();
    if found.get_fields() == expected.get_fields() {
        return Ok(());
    }
    Err(ParquetError::General("its columns are not those of format 1".to_owned()))
}

fn read_group(
    file: &SerializedFileReader<File>,
    group: usize,
    columns: &[Box<dyn Column>],
    samples: &mut [Sample],
    scratch: &mut Scratch,
    each: &mut dyn FnMut(&[Sample]),
) -> Result<(), ParquetError> {
    let group = file.get_row_group(group)?;
    let mut readers: Vec<ColumnReader> =
        (0..columns.len()).map(|at| group.get_column_reader(at)).collect::<Result<_, _>>()?;
    let mut left = usize::try_from(group.metadata().num_rows())?;
    while left > 0 {
        let slice = left.min(samples.len());
        let samples = &mut samples[..slice];
        for (column, reader) in columns.iter().zip(&mut readers) {
            column.read(reader, samples, scratch)?;
        }
        each(samples);
        left -= slice;
    }
    Ok(())
}

fn missing(column: &str) -> ParquetError {
    ParquetError::General(format!("column {column} is missing"))
}
