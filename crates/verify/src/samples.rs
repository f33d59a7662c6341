//! A run's samples, all of them in memory: one row a request.

use crate::alongside::ReadingRow;
use crate::folder::read;
use crate::record::SampleFile;
use crate::{VerifyError, crc32};
use parquet::column::reader::{ColumnReader, get_typed_column_reader};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, FileReader, SerializedFileReader};
use std::fs::File;
use std::path::Path;

/// Rows that are decoded at once.
const CHUNK: usize = 65_536;

/// A request that was answered as expected.
const OK: &str = "ok";
/// Ways to be answered otherwise.
const ANSWERED_BADLY: [&str; 2] = ["wrong_status", "failed_check"];
/// Every way to fail, in the order of the format.
pub(crate) const FAILURES: [&str; 6] =
    ["wrong_status", "failed_check", "timed_out", "refused", "reset", "protocol_error"];
/// Sent, and not answered when the run ended.
pub(crate) const UNFINISHED: &str = "unfinished";
/// Due, and not sent when the run ended.
pub(crate) const NEVER_SENT: &str = "never_sent";

/// One request, as far as any number needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) index: u64,
    pub(crate) scheduled: u64,
    pub(crate) waited: u64,
    pub(crate) sent: Option<u64>,
    pub(crate) done: u64,
    pub(crate) connect: Option<u64>,
    pub(crate) outcome: &'static str,
    pub(crate) resent: u64,
    pub(crate) counted: bool,
}

impl Row {
    pub(crate) fn is_ok(&self) -> bool {
        self.outcome == OK
    }

    /// Whether the run ended before the request did.
    pub(crate) fn is_cut_off(&self) -> bool {
        [UNFINISHED, NEVER_SENT].contains(&self.outcome)
    }

    /// Whether a whole answer came, whatever it said.
    pub(crate) fn is_answered(&self) -> bool {
        self.is_ok() || ANSWERED_BADLY.contains(&self.outcome)
    }

    /// From the scheduled moment until done.
    pub(crate) fn stay(&self) -> u64 {
        self.done.saturating_sub(self.scheduled)
    }
}

/// Every row of a run's file, which must be as `run.json` vouches for it:
/// Parquet's own pages carry no checksum.
pub(crate) fn rows(path: &Path, vouched: &SampleFile) -> Result<Vec<Row>, VerifyError> {
    let damaged = |what: String| VerifyError::Damaged { path: path.to_path_buf(), what };
    let bytes = read(path)?;
    if bytes.len() as u64 != vouched.bytes {
        return Err(damaged(format!("it has {} bytes, and was written with {}", bytes.len(), vouched.bytes)));
    }
    if crc32::of(&bytes) != vouched.crc32 {
        return Err(damaged("its checksum is not the one it was written with".to_owned()));
    }
    let file = File::open(path).map_err(|source| VerifyError::Io { path: path.to_path_buf(), source })?;
    let rows = decode(file).map_err(|error| damaged(error.to_string()))?;
    if rows.len() as u64 != vouched.rows {
        return Err(damaged(format!("it has {} rows, and was written with {}", rows.len(), vouched.rows)));
    }
    Ok(rows)
}

fn decode<R: ChunkReader + 'static>(from: R) -> Result<Vec<Row>, ParquetError> {
    let table = SerializedFileReader::new(from)?;
    let index = known(column::<Int64Type>(&table, "index")?)?;
    let scheduled = known(column::<Int64Type>(&table, "scheduled_ns")?)?;
    let waited = known(column::<Int64Type>(&table, "waited_ns")?)?;
    let sent = column::<Int64Type>(&table, "sent_ns")?;
    let done = known(column::<Int64Type>(&table, "done_ns")?)?;
    let connect = column::<Int64Type>(&table, "connect_ns")?;
    let outcome = known(column::<ByteArrayType>(&table, "outcome")?)?;
    let resent = known(column::<Int32Type>(&table, "resent")?)?;
    let counted = known(column::<BoolType>(&table, "counted")?)?;
    let lengths = [
        index.len(),
        scheduled.len(),
        waited.len(),
        sent.len(),
        done.len(),
        connect.len(),
        outcome.len(),
        resent.len(),
    ];
    if lengths.iter().any(|length| *length != counted.len()) {
        return Err(ParquetError::General("its columns are of different lengths".to_owned()));
    }
    let row = |at: usize| {
        Ok(Row {
            index: index[at].cast_unsigned(),
            scheduled: scheduled[at].cast_unsigned(),
            waited: waited[at].cast_unsigned(),
            sent: sent[at].map(i64::cast_unsigned),
            done: done[at].cast_unsigned(),
            connect: connect[at].map(i64::cast_unsigned),
            outcome: outcome_named(outcome[at].data())?,
            resent: u64::from(resent[at].cast_unsigned()),
            counted: counted[at],
        })
    };
    (0..counted.len()).map(row).collect()
}

/// Every row of a file of readings.
pub(crate) fn reading_rows(path: &Path) -> Result<Vec<ReadingRow>, VerifyError> {
    let file = File::open(path).map_err(|source| VerifyError::Io { path: path.to_path_buf(), source })?;
    decode_readings(file)
        .map_err(|error| VerifyError::Damaged { path: path.to_path_buf(), what: error.to_string() })
}

fn decode_readings<R: ChunkReader + 'static>(from: R) -> Result<Vec<ReadingRow>, ParquetError> {
    let table = SerializedFileReader::new(from)?;
    let reading = known(column::<ByteArrayType>(&table, "reading")?)?;
    let name = known(column::<ByteArrayType>(&table, "column")?)?;
    let asked = known(column::<Int64Type>(&table, "asked_ns")?)?;
    let answered = known(column::<Int64Type>(&table, "answered_ns")?)?;
    let value = column::<DoubleType>(&table, "value")?;
    let note = column::<ByteArrayType>(&table, "note")?;
    let lengths = [name.len(), asked.len(), answered.len(), value.len(), note.len()];
    if lengths.iter().any(|length| *length != reading.len()) {
        return Err(ParquetError::General("its columns are of different lengths".to_owned()));
    }
    let text = |bytes: &ByteArray| String::from_utf8_lossy(bytes.data()).into_owned();
    let row = |at: usize| ReadingRow {
        reading: text(&reading[at]),
        column: text(&name[at]),
        asked: asked[at].cast_unsigned(),
        answered: answered[at].cast_unsigned(),
        value: value[at],
        note: note[at].as_ref().map(text),
    };
    Ok((0..reading.len()).map(row).collect())
}

fn outcome_named(name: &[u8]) -> Result<&'static str, ParquetError> {
    let mut names = [OK, UNFINISHED, NEVER_SENT].into_iter().chain(FAILURES);
    let unknown = || ParquetError::General(format!("`{}` is no outcome", String::from_utf8_lossy(name)));
    names.find(|known| known.as_bytes() == name).ok_or_else(unknown)
}

/// All values of a column that may have no gaps.
fn known<T>(values: Vec<Option<T>>) -> Result<Vec<T>, ParquetError> {
    let all = values.into_iter().collect::<Option<Vec<T>>>();
    all.ok_or_else(|| ParquetError::General("a value is missing where one must be".to_owned()))
}

/// All values of the column of this name.
fn column<T: DataType>(table: &dyn FileReader, name: &str) -> Result<Vec<Option<T::T>>, ParquetError> {
    let columns = table.metadata().file_metadata().schema_descr().columns();
    let is_ours = |column: &parquet::schema::types::ColumnDescPtr| {
        column.name() == name
            && column.physical_type() == T::get_physical_type()
            && column.max_rep_level() == 0
            && column.max_def_level() <= 1
    };
    let Some(at) = columns.iter().position(is_ours) else {
        return Err(ParquetError::General(format!("it has no column `{name}` as format 1 has it")));
    };
    let may_be_null = columns[at].max_def_level() == 1;
    let mut values = Vec::new();
    for group in 0..table.num_row_groups() {
        let reader = table.get_row_group(group)?.get_column_reader(at)?;
        read_group::<T>(reader, may_be_null, &mut values)?;
    }
    Ok(values)
}

fn read_group<T: DataType>(
    reader: ColumnReader,
    may_be_null: bool,
    values: &mut Vec<Option<T::T>>,
) -> Result<(), ParquetError> {
    let mut reader = get_typed_column_reader::<T>(reader);
    let (mut levels, mut present) = (Vec::new(), Vec::new());
    loop {
        levels.clear();
        present.clear();
        let (read, _, _) = reader.read_records(CHUNK, Some(&mut levels), None, &mut present)?;
        if read == 0 {
            return Ok(());
        }
        if may_be_null {
            let mut present = present.drain(..);
            values.extend(levels.iter().map(|level| if *level == 1 { present.next() } else { None }));
        } else {
            values.extend(present.drain(..).map(Some));
        }
    }
}
