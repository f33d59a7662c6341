//! The kinds of columns: how a field of many samples goes into Parquet and out
//! of it. One dynamic call handles a whole batch; inside, the compiler sees
//! plain loops over one field.

use model::{Nanos, Outcome, Sample};
use parquet::basic::{Encoding, LogicalType, Repetition, Type as Physical};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::writer::SerializedColumnWriter;
use parquet::schema::types::Type;
use std::marker::PhantomData;

/// One column of the table of samples.
pub(super) trait Column: Send + Sync {
    /// Its name in the file.
    fn name(&self) -> &'static str;

    /// Its type in the file.
    fn field(&self) -> Result<Type, ParquetError>;

    /// How its values are packed; `None` for a dictionary.
    fn encoding(&self) -> Option<Encoding>;

    /// Writes the field of every sample.
    fn write(
        &self,
        samples: &[Sample],
        to: &mut SerializedColumnWriter<'_>,
        scratch: &mut Scratch,
    ) -> Result<(), ParquetError>;

    /// Fills the field of every sample in from the next values.
    fn read(
        &self,
        from: &mut ColumnReader,
        samples: &mut [Sample],
        scratch: &mut Scratch,
    ) -> Result<(), ParquetError>;
}

/// Values on their way, kept so that no batch allocates.
#[derive(Default)]
pub(super) struct Scratch {
    /// 1 where an optional value is known, else 0.
    levels: Vec<i16>,
    longs: Vec<i64>,
    ints: Vec<i32>,
    flags: Vec<bool>,
    texts: Vec<ByteArray>,
}

/// A 64-bit number that is always known.
///
/// It is signed in the file, because a difference of unsigned columns wraps
/// around in pandas and is an error in DuckDB. The bits are kept as they are,
/// so that even 2⁶⁴−1, which no real run holds, is read back exactly.
struct Wide<G, S> {
    name: &'static str,
    get: G,
    set: S,
}

/// A column of this kind.
pub(super) fn wide<G, S>(name: &'static str, get: G, set: S) -> Box<dyn Column>
where
    G: Fn(&Sample) -> u64 + Send + Sync + 'static,
    S: Fn(&mut Sample, u64) + Send + Sync + 'static,
{
    Box::new(Wide { name, get, set })
}

impl<G, S> Column for Wide<G, S>
where
    G: Fn(&Sample) -> u64 + Send + Sync,
    S: Fn(&mut Sample, u64) + Send + Sync,
{
    fn name(&self) -> &'static str {
        self.name
    }

    fn field(&self) -> Result<Type, ParquetError> {
        Type::primitive_type_builder(self.name, Physical::INT64).with_repetition(Repetition::REQUIRED).build()
    }

    fn encoding(&self) -> Option<Encoding> {
        Some(Encoding::DELTA_BINARY_PACKED)
    }

    fn write(
        &self,
        samples: &[Sample],
        to: &mut SerializedColumnWriter<'_>,
        scratch: &mut Scratch,
    ) -> Result<(), ParquetError> {
        scratch.longs.clear();
        scratch.longs.extend(samples.iter().map(|sample| (self.get)(sample).cast_signed()));
        to.typed::<Int64Type>().write_batch(&scratch.longs, None, None).map(drop)
    }

    fn read(
        &self,
        from: &mut ColumnReader,
        samples: &mut [Sample],
        scratch: &mut Scratch,
    ) -> Result<(), ParquetError> {
        let ColumnReader::Int64ColumnReader(from) = from else { return Err(wrong_type(self.name)) };
        next_values(from, samples.len(), None, &mut scratch.longs)?;
        for (sample, value) in samples.iter_mut().zip(&scratch.longs) {
            (self.set)(sample, value.cast_unsigned());
        }
        Ok(())
    }
}

/// A moment or length of time that may be unknown; signed like [`Wide`].
struct MaybeMoment<G, S> {
    name: &'static str,
    get: G,
    set: S,
}

/// A column of this kind.
pub(super) fn maybe_moment<G, S>(name: &'static str, get: G, set: S) -> Box<dyn Column>
where
    G: Fn(&Sample) -> Option<Nanos> + Send + Sync + 'static,
    S: Fn(&mut Sample, Option<Nanos>) + Send + Sync + 'static,
{
    Box::new(MaybeMoment { name, get, set })
}

impl<G, S> Column for MaybeMoment<G, S>
where
    G: Fn(&Sample) -> Option<Nanos> + Send + Sync,
    S: Fn(&mut Sample, Option<Nanos>) + Send + Sync,
{
    fn name(&self) -> &'static str {
        self.name
    }

    fn field(&self) -> Result<Type, ParquetError> {
        Type::primitive_type_builder(self.name, Physical::INT64).with_repetition(Repetition::OPTIONAL).build()
    }

    fn encoding(&self) -> Option<Encoding> {
        Some(Encoding::DELTA_BINARY_PACKED)
    }

    fn write(
        &self,
        samples: &[Sample],
        to: &mut SerializedColumnWriter<'_>,
        scratch: &mut Scratch,
    ) -> Result<(), ParquetError> {
        scratch.levels.clear();
        scratch.longs.clear();
        for moment in samples.iter().map(&self.get) {
            scratch.levels.push(i16::from(moment.is_some()));
            scratch.longs.extend(moment.map(|nanos| nanos.0.cast_signed()));
        }
        to.typed::<Int64Type>().write_batch(&scratch.longs, Some(&scratch.levels), None).map(drop)
    }

    fn read(
        &self,
        from: &mut ColumnReader,
        samples: &mut [Sample],
        scratch: &mut Scratch,
    ) -> Result<(), ParquetError> {
        let ColumnReader::Int64ColumnReader(from) = from else { return Err(wrong_type(self.name)) };
        next_values(from, samples.len(), Some(&mut scratch.levels), &mut scratch.longs)?;
        let mut known = scratch.longs.iter();
        for (sample, level) in samples.iter_mut().zip(&scratch.levels) {
            let moment = if *level == 1 { known.next() } else { None };
            (self.set)(sample, moment.map(|nanos| Nanos(nanos.cast_unsigned())));
        }
        Ok(())
    }
}

/// An unsigned number of at most 32 bits that is always known.
struct Narrow<T, G, S> {
    name: &'static str,
    get: G,
    set: S,
    number: PhantomData<fn() -> T>,
}

/// A column of this kind.
pub(super) fn narrow<T, G, S>(name: &'static str, get: G, set: S) -> Box<dyn Column>
where
    T: Into<u32> + TryFrom<u32> + 'static,
    G: Fn(&Sample) -> T + Send + Sync + 'static,
    S: Fn(&mut Sample, T) + Send + Sync + 'static,
{
    Box::new(Narrow { name, get, set, number: PhantomData })
}

impl<T, G, S> Column for Narrow<T, G, S>
where
    T: Into<u32> + TryFrom<u32>,
    G: Fn(&Sample) -> T + Send + Sync,
    S: Fn(&mut Sample, T) + Send + Sync,
{
    fn name(&self) -> &'static str {
        self.name
    }

    fn field(&self) -> Result<Type, ParquetError> {
        let bit_width = 8 * size_of::<T>() as i8;
        Type::primitive_type_builder(self.name, Physical::INT32)
            .with_repetition(Repetition::REQUIRED)
            .with_logical_type(Some(LogicalType::integer(bit_width, false)))
            .build()
    }

    fn encoding(&self) -> Option<Encoding> {
        Some(Encoding::DELTA_BINARY_PACKED)
    }

    fn write(
        &self,
        samples: &[Sample],
        to: &mut SerializedColumnWriter<'_>,
        scratch: &mut Scratch,
    ) -> Result<(), ParquetError> {
        scratch.ints.clear();
        scratch.ints.extend(samples.iter().map(|sample| (self.get)(sample).into().cast_signed()));
        to.typed::<Int32Type>().write_batch(&scratch.ints, None, None).map(drop)
    }

    fn read(
        &self,
        from: &mut ColumnReader,
        samples: &mut [Sample],
        scratch: &mut Scratch,
    ) -> Result<(), ParquetError> {
        let ColumnReader::Int32ColumnReader(from) = from else { return Err(wrong_type(self.name)) };
        next_values(from, samples.len(), None, &mut scratch.ints)?;
        for (sample, value) in samples.iter_mut().zip(&scratch.ints) {
            let value = T::try_from(value.cast_unsigned());
            (self.set)(sample, value.map_err(|_| bad_value(self.name, "a number out of range"))?);
        }
        Ok(())
    }
}

/// Yes or no.
struct Flag<G, S> {
    name: &'static str,
    get: G,
    set: S,
}

/// A column of this kind.
pub(super) fn flag<G, S>(name: &'static str, get: G, set: S) -> Box<dyn Column>
where
    G: Fn(&Sample) -> bool + Send + Sync + 'static,
    S: Fn(&mut Sample, bool) + Send + Sync + 'static,
{
    Box::new(Flag { name, get, set })
}

impl<G, S> Column for Flag<G, S>
where
    G: Fn(&Sample) -> bool + Send + Sync,
    S: Fn(&mut Sample, bool) + Send + Sync,
{
    fn name(&self) -> &'static str {
        self.name
    }

    fn field(&self) -> Result<Type, ParquetError> {
        Type::primitive_type_builder(self.name, Physical::BOOLEAN)
            .with_repetition(Repetition::REQUIRED)
            .build()
    }

    fn encoding(&self) -> Option<Encoding> {
        Some(Encoding::PLAIN)
    }

    fn write(
        &self,
        samples: &[Sample],
        to: &mut SerializedColumnWriter<'_>,
        scratch: &mut Scratch,
    ) -> Result<(), ParquetError> {
        scratch.flags.clear();
        scratch.flags.extend(samples.iter().map(&self.get));
        to.typed::<BoolType>().write_batch(&scratch.flags, None, None).map(drop)
    }

    fn read(
        &self,
        from: &mut ColumnReader,
        samples: &mut [Sample],
        scratch: &mut Scratch,
    ) -> Result<(), ParquetError> {
        let ColumnReader::BoolColumnReader(from) = from else { return Err(wrong_type(self.name)) };
        next_values(from, samples.len(), None, &mut scratch.flags)?;
        for (sample, value) in samples.iter_mut().zip(&scratch.flags) {
            (self.set)(sample, *value);
        }
        Ok(())
    }
}

/// The outcome by its name, so that `df[df.outcome == "ok"]` reads as it is
/// meant. A dictionary keeps it at a few bits a row.
struct OutcomeName {
    name: &'static str,
}

/// The column of outcomes.
pub(super) fn outcome_name(name: &'static str) -> Box<dyn Column> {
    Box::new(OutcomeName { name })
}

impl Column for OutcomeName {
    fn name(&self) -> &'static str {
        self.name
    }

    fn field(&self) -> Result<Type, ParquetError> {
        Type::primitive_type_builder(self.name, Physical::BYTE_ARRAY)
            .with_repetition(Repetition::REQUIRED)
            .with_logical_type(Some(LogicalType::String))
            .build()
    }

    fn encoding(&self) -> Option<Encoding> {
        None
    }

    fn write(
        &self,
        samples: &[Sample],
        to: &mut SerializedColumnWriter<'_>,
        scratch: &mut Scratch,
    ) -> Result<(), ParquetError> {
        // Clones of one name share its bytes.
        let names = Outcome::ALL.map(|outcome| ByteArray::from(outcome.name()));
        scratch.texts.clear();
        scratch.texts.extend(samples.iter().map(|sample| names[sample.outcome as usize].clone()));
        to.typed::<ByteArrayType>().write_batch(&scratch.texts, None, None).map(drop)
    }

    fn read(
        &self,
        from: &mut ColumnReader,
        samples: &mut [Sample],
        scratch: &mut Scratch,
    ) -> Result<(), ParquetError> {
        let ColumnReader::ByteArrayColumnReader(from) = from else { return Err(wrong_type(self.name)) };
        next_values(from, samples.len(), None, &mut scratch.texts)?;
        // Neighbours mostly have one outcome: its name is tried first.
        let mut last = Outcome::Ok;
        for (sample, text) in samples.iter_mut().zip(&scratch.texts) {
            if text.data() != last.name().as_bytes() {
                last = outcome_named(text.data()).ok_or_else(|| bad_value(self.name, "an unknown name"))?;
            }
            sample.outcome = last;
        }
        Ok(())
    }
}

fn outcome_named(name: &[u8]) -> Option<Outcome> {
    Outcome::ALL.into_iter().find(|outcome| outcome.name().as_bytes() == name)
}

/// Reads the next values of exactly `rows` rows in place of what `levels` and
/// `values` held.
fn next_values<T: DataType>(
    from: &mut ColumnReaderImpl<T>,
    rows: usize,
    mut levels: Option<&mut Vec<i16>>,
    values: &mut Vec<T::T>,
) -> Result<(), ParquetError> {
    if let Some(levels) = &mut levels {
        levels.clear();
    }
    values.clear();
    let (read, _, _) = from.read_records(rows, levels, None, values)?;
    if read == rows { Ok(()) } else { Err(ParquetError::EOF("a column ends before the others".to_owned())) }
}

fn wrong_type(column: &str) -> ParquetError {
    ParquetError::General(format!("column {column} has another type than in format 1"))
}

fn bad_value(column: &str, what: &str) -> ParquetError {
    ParquetError::General(format!("column {column} holds {what}"))
}
