//! Samples as columns: one Parquet file a run.
//!
//! [`all`] is the whole table, one line a column; `kinds.rs` knows how each
//! kind of column goes into Parquet and out of it, `file.rs` writes and reads
//! whole files. Readings have a table of their own, in `readings.rs`. Only this
//! folder knows the library for Parquet.

mod file;
mod kinds;
mod readings;

pub(crate) use file::{Written, read, write};
pub(crate) use readings::{read as read_readings, write as write_readings};

use kinds::{Column, flag, maybe_moment, narrow, outcome_name, wide};
use model::{Nanos, Sample};
use parquet::errors::ParquetError;
use parquet::schema::types::Type;
use std::sync::Arc;

/// The columns in their order in the file. Names and kinds are a promise to
/// whoever reads the files with other tools: they change only with `FORMAT`.
fn all() -> Vec<Box<dyn Column>> {
    vec![
        wide("index", |s| s.index, |s, v| s.index = v),
        narrow("user", |s| s.user, |s, v| s.user = v),
        narrow("connection", |s| s.connection, |s, v| s.connection = v),
        wide("scheduled_ns", |s| s.scheduled.0, |s, v| s.scheduled = Nanos(v)),
        wide("waited_ns", |s| s.waited.0, |s, v| s.waited = Nanos(v)),
        maybe_moment("sent_ns", |s| s.sent, |s, v| s.sent = v),
        maybe_moment("first_byte_ns", |s| s.first_byte, |s, v| s.first_byte = v),
        wide("done_ns", |s| s.done.0, |s, v| s.done = Nanos(v)),
        maybe_moment("connect_ns", |s| s.connect, |s, v| s.connect = v),
        wide("bytes_in", |s| s.bytes_in, |s, v| s.bytes_in = v),
        narrow("bytes_out", |s| s.bytes_out, |s, v| s.bytes_out = v),
        narrow("status", |s| s.status, |s, v| s.status = v),
        outcome_name("outcome"),
        narrow("resent", |s| s.resent, |s, v| s.resent = v),
        flag("counted", |s| s.counted, |s, v| s.counted = v),
    ]
}

/// The Parquet schema of the columns.
fn schema(columns: &[Box<dyn Column>]) -> Result<Arc<Type>, ParquetError> {
    let fields = columns.iter().map(|column| column.field().map(Arc::new)).collect::<Result<_, _>>()?;
    Ok(Arc::new(Type::group_type_builder("sample").with_fields(fields).build()?))
}

/// A sample for columns to fill in.
fn blank() -> Sample {
    Sample {
        index: 0,
        user: 0,
        connection: 0,
        scheduled: Nanos::ZERO,
        waited: Nanos::ZERO,
        sent: None,
        first_byte: None,
        done: Nanos::ZERO,
        connect: None,
        bytes_in: 0,
        bytes_out: 0,
        status: 0,
        outcome: model::Outcome::NeverSent,
        resent: 0,
        counted: false,
    }
}

#[cfg(test)]
mod tests;
