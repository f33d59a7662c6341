//! The results folder: where the samples of every run are kept, with what is
//! needed to trust them later.
//!
//! While a run goes on, its samples go into an append-only spool, so that a
//! tester that is killed loses nothing that was handed over. When the run ends
//! they are put into columns that pandas, polars and DuckDB read as they are.
//! The folder is sealed with a manifest that names every file's checksum.
//!
//! This crate must not know what the samples mean: it neither counts outcomes
//! nor subtracts moments. It reads no clock and writes nothing outside the
//! folder it was given.
//!
//! Start at [`Folder`]. From there, writing goes through [`RunWriter`] to the
//! spool (`spool.rs`) and the columns (`columns/`), reading through
//! [`StoredRun`]. What lies in the folder, byte by byte, is in `FORMAT.md`
//! beside this crate's manifest; the JSON files are the types of `format/`.

mod columns;
mod completions;
mod disk;
mod error;
mod folder;
mod format;
mod manifest;
mod readings;
mod row;
mod run_writer;
mod spool;
mod stored_run;

pub use completions::CompletionWriter;
pub use disk::{Disk, LocalDisk, Sink};
pub use error::StoreError;
pub use folder::Folder;
pub use format::FORMAT;
pub use manifest::{Damage, KeptFile, Manifest, ManifestFacts, ManifestRun, sha256_hex};
pub use readings::ReadingWriter;
pub use run_writer::RunWriter;
pub use stored_run::StoredRun;

#[cfg(test)]
mod testing;
