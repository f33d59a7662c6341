//! Readings as columns. Few against samples, and of other kinds: texts that
//! repeat, and numbers with gaps.

use super::Written;
use super::file::{Summed, refused};
use crate::StoreError;
use crate::disk::Sink;
use model::{Nanos, Reading};
use parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{ColumnPath, Type};
use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

/// Rows of a row group.
const GROUP_ROWS: usize = 65_536;

/// The columns in their order in the file: a promise, like those of samples.
const TEXTS: [&str; 2] = ["reading", "column"];
const MOMENTS: [&str; 2] = ["asked_ns", "answered_ns"];
const VALUE: &str = "value";
const NOTE: &str = "note";

/// Writes readings to `sink`, which becomes the file `path`. `next` gives the
/// next rows, and none at the end.
pub(crate) fn write(
    next: &mut dyn FnMut() -> Result<Vec<Reading>, StoreError>,
    sink: Box<dyn Sink>,
    path: &Path,
) -> Result<Written, StoreError> {
    let unwritten = |error: ParquetError| refused(path, error);
    let properties = Arc::new(properties().map_err(unwritten)?);
    let schema = schema().map_err(unwritten)?;
    let mut file = SerializedFileWriter::new(Summed::new(sink), schema, properties).map_err(unwritten)?;
    let (mut rows, mut group) = (0, Vec::new());
    loop {
        let more = next()?;
        let is_end = more.is_empty();
        group.extend(more);
        while group.len() >= GROUP_ROWS || is_end && !group.is_empty() {
            let rest = group.split_off(group.len().min(GROUP_ROWS));
            write_group(&mut file, &group).map_err(unwritten)?;
            rows += group.len() as u64;
            group = rest;
        }
        if is_end {
            break;
        }
    }
    file.finish().map_err(unwritten)?;
    file.inner_mut().finish(rows).map_err(|error| unwritten(error.into()))
}

fn write_group(file: &mut SerializedFileWriter<Summed>, rows: &[Reading]) -> Result<(), ParquetError> {
    let mut group = file.next_row_group()?;
    let text = |text: &Arc<str>| ByteArray::from(&**text);
    let moment = |moment: Nanos| moment.0.cast_signed();
    put::<ByteArrayType>(&mut group, rows.iter().map(|row| Some(text(&row.reading))), false)?;
    put::<ByteArrayType>(&mut group, rows.iter().map(|row| Some(text(&row.column))), false)?;
    put::<Int64Type>(&mut group, rows.iter().map(|row| Some(moment(row.asked))), false)?;
    put::<Int64Type>(&mut group, rows.iter().map(|row| Some(moment(row.answered))), false)?;
    put::<DoubleType>(&mut group, rows.iter().map(|row| row.value), true)?;
    put::<ByteArrayType>(&mut group, rows.iter().map(|row| row.note.as_ref().map(text)), true)?;
    group.close().map(drop)
}

/// Writes the next column of the group.
fn put<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, Summed>,
    values: impl Iterator<Item = Option<T::T>>,
    has_gaps: bool,
) -> Result<(), ParquetError> {
    let values: Vec<Option<T::T>> = values.collect();
    let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
    let known: Vec<T::T> = values.into_iter().flatten().collect();
    let mut column = group.next_column()?.ok_or_else(|| wrong("it has too few columns"))?;
    column.typed::<T>().write_batch(&known, has_gaps.then_some(&levels[..]), None)?;
    column.close()
}

fn schema() -> Result<Arc<Type>, ParquetError> {
    let text = |name: &str, repetition| {
        Type::primitive_type_builder(name, Physical::BYTE_ARRAY)
            .with_repetition(repetition)
            .with_logical_type(Some(LogicalType::String))
            .build()
    };
    let plain = |name: &str, of, kept| Type::primitive_type_builder(name, of).with_repetition(kept).build();
    let mut fields = Vec::new();
    for name in TEXTS {
        fields.push(Arc::new(text(name, Repetition::REQUIRED)?));
    }
    for name in MOMENTS {
        fields.push(Arc::new(plain(name, Physical::INT64, Repetition::REQUIRED)?));
    }
    fields.push(Arc::new(plain(VALUE, Physical::DOUBLE, Repetition::OPTIONAL)?));
    fields.push(Arc::new(text(NOTE, Repetition::OPTIONAL)?));
    Ok(Arc::new(Type::group_type_builder("reading").with_fields(fields).build()?))
}

/// Texts repeat, moments come at even distances, and numbers are of any kind.
fn properties() -> Result<WriterProperties, ParquetError> {
    let mut properties = WriterProperties::builder()
        .set_created_by(concat!("doorclock ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
        .set_dictionary_enabled(true)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_max_row_group_row_count(Some(GROUP_ROWS));
    for name in MOMENTS {
        let path = ColumnPath::from(name);
        properties = properties
            .set_column_dictionary_enabled(path.clone(), false)
            .set_column_encoding(path, Encoding::DELTA_BINARY_PACKED);
    }
    Ok(properties.build())
}

/// Every reading of the file, in its order.
pub(crate) fn read(path: &Path) -> Result<Vec<Reading>, StoreError> {
    let file = File::open(path).map_err(StoreError::on("read", path))?;
    let damaged = |error: ParquetError| StoreError::Damaged {
        path: path.to_path_buf(),
        offset: 0,
        what: error.to_string(),
    };
    read_all(file).map_err(damaged)
}

fn read_all(file: File) -> Result<Vec<Reading>, ParquetError> {
    let file = SerializedFileReader::new(file)?;
    if file.metadata().file_metadata().schema().get_fields() != schema()?.get_fields() {
        return Err(wrong("its columns are not those of format 1"));
    }
    let mut texts = Texts::default();
    let mut all = Vec::new();
    for group in 0..file.num_row_groups() {
        let group = file.get_row_group(group)?;
        let rows = usize::try_from(group.metadata().num_rows())?;
        let mut reading = text_column(group.get_column_reader(0)?, rows, false)?.into_iter();
        let mut column = text_column(group.get_column_reader(1)?, rows, false)?.into_iter();
        let mut asked = moment_column(group.get_column_reader(2)?, rows)?.into_iter();
        let mut answered = moment_column(group.get_column_reader(3)?, rows)?.into_iter();
        let ColumnReader::DoubleColumnReader(mut values) = group.get_column_reader(4)? else {
            return Err(wrong("its values are no numbers"));
        };
        let mut value = next(&mut values, rows, true)?.into_iter();
        let mut note = text_column(group.get_column_reader(5)?, rows, true)?.into_iter();
        for _ in 0..rows {
            let short = || wrong("a column ends before the others");
            all.push(Reading {
                reading: texts.take(&reading.next().flatten().ok_or_else(short)?)?,
                column: texts.take(&column.next().flatten().ok_or_else(short)?)?,
                asked: asked.next().ok_or_else(short)?,
                answered: answered.next().ok_or_else(short)?,
                value: value.next().ok_or_else(short)?,
                note: note.next().ok_or_else(short)?.map(|note| texts.take(&note)).transpose()?,
            });
        }
    }
    Ok(all)
}

fn text_column(
    column: ColumnReader,
    rows: usize,
    has_gaps: bool,
) -> Result<Vec<Option<ByteArray>>, ParquetError> {
    let ColumnReader::ByteArrayColumnReader(mut column) = column else {
        return Err(wrong("a text is of another type"));
    };
    next(&mut column, rows, has_gaps)
}

fn moment_column(column: ColumnReader, rows: usize) -> Result<Vec<Nanos>, ParquetError> {
    let ColumnReader::Int64ColumnReader(mut column) = column else {
        return Err(wrong("a moment is of another type"));
    };
    Ok(next(&mut column, rows, false)?.into_iter().flatten().map(|ns| Nanos(ns.cast_unsigned())).collect())
}

/// The column's next values, with `None` for gaps.
fn next<T: DataType>(
    column: &mut ColumnReaderImpl<T>,
    rows: usize,
    has_gaps: bool,
) -> Result<Vec<Option<T::T>>, ParquetError> {
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    let (read, _, _) = column.read_records(rows, has_gaps.then_some(&mut levels), None, &mut values)?;
    if read != rows {
        return Err(wrong("a column ends before the others"));
    }
    if !has_gaps {
        return Ok(values.into_iter().map(Some).collect());
    }
    let mut known = values.into_iter();
    Ok(levels.into_iter().map(|level| if level == 1 { known.next() } else { None }).collect())
}

/// Texts that repeat, each kept once.
#[derive(Default)]
struct Texts(BTreeSet<Arc<str>>);

impl Texts {
    fn take(&mut self, bytes: &ByteArray) -> Result<Arc<str>, ParquetError> {
        let text = bytes.as_utf8()?;
        if let Some(known) = self.0.get(text) {
            return Ok(Arc::clone(known));
        }
        let text: Arc<str> = text.into();
        self.0.insert(Arc::clone(&text));
        Ok(text)
    }
}

fn wrong(what: &str) -> ParquetError {
    ParquetError::General(what.to_owned())
}
