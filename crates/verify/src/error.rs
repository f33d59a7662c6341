//! Why a folder cannot be verified at all. A number that is wrong is no error
//! of this kind: it is a [`crate::Mismatch`].

use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why there is no second opinion.
#[derive(Debug, Error)]
pub enum VerifyError {
    /// The folder has no summary: its experiment was killed or still runs.
    #[error("{} has no summary.json: its experiment was cut short, or still runs", folder.display())]
    NoSummary {
        /// The results folder.
        folder: PathBuf,
    },
    /// A run has no samples that its facts vouch for: it was killed or still runs.
    #[error("the run in {} did not come to its end, so no number of it can be final", run.display())]
    NoEnd {
        /// The run's folder.
        run: PathBuf,
    },
    /// A file or folder cannot be read.
    #[error("cannot read {}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file is not the JSON that its format promises.
    #[error("{} is not what its format promises", path.display())]
    BadJson {
        /// Which.
        path: PathBuf,
        /// Where and why.
        source: serde_json::Error,
    },
    /// A file is of a format that this version does not know.
    #[error("{} is of format {found}, and this version knows format {known}", path.display())]
    UnknownFormat {
        /// Which.
        path: PathBuf,
        /// The format it says to be of.
        found: u64,
        /// The format known here.
        known: u64,
    },
    /// Samples are not as they were written.
    #[error("{} is damaged: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// How that shows.
        what: String,
    },
}
