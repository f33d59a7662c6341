//! What can go wrong with a results folder. Each text says what to do where
//! something can be done.

use std::io;
use std::path::{Path, PathBuf};

/// Why a results folder could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The folder to create holds something already.
    #[error("{} exists and is not empty: name a new folder, results are never written over", path.display())]
    NotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// The folder to open was not written by this tool.
    #[error("{} is not a results folder: it has neither manifest.json nor runs/", path.display())]
    NotResults {
        /// The folder.
        path: PathBuf,
    },
    /// A newer version of this tool wrote the file.
    #[error("{} has format {found}, and this version reads up to {known}: read it with a newer doorclock",
            path.display())]
    NewerFormat {
        /// The file that says so.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// The newest format known here.
        known: u32,
    },
    /// A name that cannot be a file's.
    #[error("{name:?} cannot name a file in a results folder: {reason}")]
    BadName {
        /// The name.
        name: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// This arm has run in this round already.
    #[error("{} exists: an arm runs once in a round", path.display())]
    RunExists {
        /// The run's folder.
        path: PathBuf,
    },
    /// A file that must be there is not.
    #[error("{} is missing: the run is incomplete; move its folder out of runs/ to read the others",
            path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// A JSON file is not JSON, or lacks a field.
    #[error("{} cannot be read: {source}", path.display())]
    BadJson {
        /// The file.
        path: PathBuf,
        /// What the parser said, with line and column.
        source: serde_json::Error,
    },
    /// A JSON file holds a value that means nothing.
    #[error("{}: {field} cannot be {value:?}", path.display())]
    BadValue {
        /// The file.
        path: PathBuf,
        /// The field, with its unit.
        field: &'static str,
        /// What it holds.
        value: String,
    },
    /// A file of samples was changed after it was written.
    #[error("{} is damaged at byte {offset}: {what}; restore the file, or move its run out of runs/ to read the others",
            path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where the damage shows: the start of the batch or row group.
        offset: u64,
        /// What is wrong there.
        what: String,
    },
    /// There is no room left for a small file. What it held before stays.
    #[error("no room left on the disk for {}", path.display())]
    DiskFull {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// There is no room left for more samples. Nothing of the append that
    /// failed is kept; everything before it is.
    #[error("no room left on the disk for {}: the {rows_kept} samples before are kept", path.display())]
    SpoolFull {
        /// The spool.
        path: PathBuf,
        /// Samples that are safely in it.
        rows_kept: u64,
        /// What the system said.
        source: io::Error,
    },
    /// The run's end was written, but its samples could not be put into columns.
    #[error("the {rows} samples stay in {}, from which they are read as well: {source}", spool.display())]
    NotConverted {
        /// The spool, untouched.
        spool: PathBuf,
        /// Samples in it.
        rows: u64,
        /// Why.
        source: Box<StoreError>,
    },
    /// The folder has no list of checksums to compare with.
    #[error("{} was never sealed, so there are no checksums to compare with: its experiment was cut short",
            path.display())]
    NotSealed {
        /// The folder.
        path: PathBuf,
    },
    /// The columns could not be written for a reason other than the disk.
    #[error("{} cannot be written: {reason}", path.display())]
    Columns {
        /// The file.
        path: PathBuf,
        /// What the library for columns said.
        reason: String,
    },
    /// Anything else that the system refused.
    #[error("cannot {doing} {}: {source}", path.display())]
    Io {
        /// What was tried: `read`, `write`, …
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl StoreError {
    /// Names the path, and tells a full disk from other refusals.
    pub(crate) fn io(doing: &'static str, path: &Path, source: io::Error) -> StoreError {
        let path = path.to_path_buf();
        if is_full(&source) {
            StoreError::DiskFull { path, source }
        } else {
            StoreError::Io { doing, path, source }
        }
    }

    /// For `map_err` on calls that give an [`io::Error`].
    pub(crate) fn on(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> StoreError + use<> {
        let path = path.to_path_buf();
        move |source| StoreError::io(doing, &path, source)
    }
}

/// Whether more room would have helped.
pub(crate) fn is_full(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge)
}
