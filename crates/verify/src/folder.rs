//! Reading files: bytes, and JSON of a known format.

use crate::VerifyError;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::fs;
use std::path::{Path, PathBuf};

/// The format that this crate knows, of the folder and of the summary.
const FORMAT: u64 = 1;

/// What every JSON file begins with.
#[derive(Deserialize)]
struct Versioned {
    format: u64,
}

pub(crate) fn read(path: &Path) -> Result<Vec<u8>, VerifyError> {
    fs::read(path).map_err(|source| VerifyError::Io { path: path.to_path_buf(), source })
}

/// A JSON file of format 1.
pub(crate) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, VerifyError> {
    let bytes = read(path)?;
    let bad = |source| VerifyError::BadJson { path: path.to_path_buf(), source };
    let Versioned { format } = serde_json::from_slice(&bytes).map_err(bad)?;
    if format != FORMAT {
        return Err(VerifyError::UnknownFormat { path: path.to_path_buf(), found: format, known: FORMAT });
    }
    serde_json::from_slice(&bytes).map_err(bad)
}

/// Everything that lies directly in `folder`, sorted.
pub(crate) fn entries(folder: &Path) -> Result<Vec<PathBuf>, VerifyError> {
    let unread = |source| VerifyError::Io { path: folder.to_path_buf(), source };
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(unread)? {
        paths.push(entry.map_err(unread)?.path());
    }
    paths.sort();
    Ok(paths)
}

/// The last part of a path, as text.
pub(crate) fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
