//! The JSON files of the folder as types of their own, converted by hand from
//! and to the shared words. They are a promise: a field keeps its name, unit
//! and meaning for as long as [`FORMAT`] is the same. Fields may be added.
//!
//! Names carry units, what is unknown is `null`, and whole numbers that may
//! pass 2⁵³ (seeds, the area) are text, since JavaScript and jq would round them.

mod follow;
mod machine;
mod manifest;
mod planned;
mod reading;
mod run;
mod shape;
mod tls;
mod told;

pub(crate) use manifest::{FileEntry, ManifestFile, RunEntry};
pub(crate) use run::{RunFile, SampleFile, StallsFile};

use crate::StoreError;
use crate::disk::{Disk, write_whole};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::Path;
use std::str::FromStr;

/// The format of folders that this version writes. It counts up when the
/// meaning of anything in a folder changes; every older one stays readable.
pub const FORMAT: u32 = 1;

/// What every JSON file begins with, whatever its format.
#[derive(Deserialize)]
struct Versioned {
    format: u32,
}

/// Reads one of the folder's JSON files; `None` if it does not exist.
pub(crate) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, StoreError> {
    let text = match fs::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(StoreError::io("read", path, error)),
    };
    let bad_json = |source| StoreError::BadJson { path: path.to_path_buf(), source };
    let Versioned { format } = serde_json::from_slice(&text).map_err(bad_json)?;
    if format > FORMAT {
        return Err(StoreError::NewerFormat { path: path.to_path_buf(), found: format, known: FORMAT });
    }
    serde_json::from_slice(&text).map(Some).map_err(bad_json)
}

/// Writes one of the folder's JSON files, whole or not at all.
pub(crate) fn write_json<T: Serialize>(disk: &dyn Disk, path: &Path, value: &T) -> Result<(), StoreError> {
    let mut text = serde_json::to_vec_pretty(value)
        .map_err(|source| StoreError::BadJson { path: path.to_path_buf(), source })?;
    text.push(b'\n');
    write_whole(disk, path, &text)
}

/// A value that the types of a file allow and its meaning does not.
fn bad_value(path: &Path, field: &'static str, value: &(impl ToString + ?Sized)) -> StoreError {
    StoreError::BadValue { path: path.to_path_buf(), field, value: value.to_string() }
}

/// A whole number kept as text.
fn number<T: FromStr>(path: &Path, field: &'static str, text: &str) -> Result<T, StoreError> {
    text.parse().map_err(|_| bad_value(path, field, text))
}
