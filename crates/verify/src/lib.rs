//! The second opinion: computes every number of a results folder again, from
//! its files alone, and says where `summary.json` tells something else.
//!
//! It must not know any other crate of ours, nor share a line with them: a
//! mistake made once in a common function would be made by both and found by
//! neither. So it has types of its own for what `FORMAT.md` promises, holds all
//! samples in memory, sorts them, and counts. Slow and obvious is the point.
//!
//! Start at [`verify()`]. `run.rs` lists what is computed of one run, by the
//! names that `summary.json` has for it; each other file is one definition.

mod alongside;
mod check;
mod corrected;
mod crc32;
mod draws;
mod error;
mod experiment;
mod folder;
mod guess;
mod keeping_up;
mod manifest;
mod own;
mod page;
mod paired;
mod record;
mod replay;
mod run;
mod samples;
mod shape;
mod stalls;
mod standstill;
mod summary;
mod tail;
mod times;
mod told;
mod verification;
mod windows;

pub use error::VerifyError;
pub use summary::verify;
pub use verification::{Damage, Mismatch, Verification};
