//! What the manifest says, and how a folder is compared with it.

use crate::StoreError;
use crate::disk::each_chunk;
use crate::folder::MANIFEST;
use crate::format::{FileEntry, RunEntry};
use crate::stored_run::StoredRun;
use model::{MachineFacts, PlanFacts, Seed};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io;
use std::path::Path;

/// What the experiment is, as far as the folder keeps it outside the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestFacts {
    /// Version of doorclock that measures.
    pub tool_version: String,
    /// When the experiment began: UTC, RFC 3339.
    pub began: String,
    /// What it asks, in a person's words.
    pub question: String,
    /// The experiment's seed, from which each round's derives.
    pub seed: Seed,
}

/// The manifest as it was read. What a killed tester had not noted down is `None`.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    /// Whether the experiment came to its end; only then are there runs and
    /// files below.
    pub sealed: bool,
    /// Version of doorclock that measured.
    pub tool_version: Option<String>,
    /// When the experiment began: UTC, RFC 3339.
    pub began: Option<String>,
    /// What it asks.
    pub question: Option<String>,
    /// The experiment's seed.
    pub seed: Option<Seed>,
    /// The machine it ran on.
    pub machine: Option<MachineFacts>,
    /// What the plan decides beyond single runs; `None` where there was no plan.
    pub plan: Option<PlanFacts>,
    /// Its runs in the order in which they were made.
    pub runs: Vec<ManifestRun>,
    /// Every file but the manifest itself, sorted by path.
    pub files: Vec<KeptFile>,
}

/// One run, as the manifest names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestRun {
    /// Its folder, relative to the results folder.
    pub folder: String,
    /// The arm's name.
    pub arm: String,
    /// The round, from 1.
    pub round: u32,
    /// The run's seed.
    pub seed: Seed,
    /// SHA-256 over all planned arrivals, hex (open model).
    pub schedule_hash: Option<String>,
}

/// One file, as the manifest names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptFile {
    /// Its path relative to the folder, with `/` between names.
    pub path: String,
    /// Its length.
    pub bytes: u64,
    /// Its SHA-256, hex.
    pub sha256: String,
}

/// One way in which a folder is not as it was sealed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Damage {
    /// The manifest names this file, and it is gone.
    Missing(String),
    /// This file's content is not what it was.
    Changed(String),
    /// This file came later.
    Extra(String),
}

impl fmt::Display for Damage {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Damage::Missing(path) => write!(out, "{path} is missing"),
            Damage::Changed(path) => write!(out, "{path} was changed"),
            Damage::Extra(path) => write!(out, "{path} was added"),
        }
    }
}

/// The run's line in the manifest.
pub(crate) fn run_entry(run: &StoredRun) -> RunEntry {
    let facts = &run.record().facts;
    RunEntry {
        folder: format!("runs/{}", run.name()),
        arm: facts.arm.clone(),
        round: facts.round,
        seed: facts.seed.to_string(),
        schedule_sha256: facts.schedule_hash.clone(),
    }
}

/// Every file under `root` but the manifest, with its checksum, sorted by path.
pub(crate) fn list_files(root: &Path) -> Result<Vec<FileEntry>, StoreError> {
    let mut files = Vec::new();
    list_into(root, "", &mut files)?;
    files.retain(|file| file.path != MANIFEST);
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// Adds the files of one folder, whose path from the root is `prefix`. Links
/// are left out: they could lead anywhere, and this crate makes none.
fn list_into(folder: &Path, prefix: &str, files: &mut Vec<FileEntry>) -> Result<(), StoreError> {
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    for entry in entries.map_err(StoreError::on("read", folder))? {
        let path = entry.path();
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let kind = entry.file_type().map_err(StoreError::on("read", &path))?;
        if kind.is_dir() {
            list_into(&path, &format!("{name}/"), files)?;
        } else if kind.is_file() {
            let (bytes, sha256) = sum_of(&path)?;
            files.push(FileEntry { path: name, bytes, sha256 });
        }
    }
    Ok(())
}

/// Length and SHA-256 of a file.
fn sum_of(path: &Path) -> Result<(u64, String), StoreError> {
    let mut hasher = Sha256::new();
    let bytes = each_chunk(path, |chunk| hasher.update(chunk))?;
    Ok((bytes, hex(&hasher.finalize())))
}

/// SHA-256 of `bytes`, hex.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What differs between the files that were kept and those that are there.
pub(crate) fn compare(kept: &[KeptFile], found: &[FileEntry]) -> Vec<Damage> {
    let mut found: BTreeMap<&str, &FileEntry> = found.iter().map(|file| (file.path.as_str(), file)).collect();
    let mut damage = Vec::new();
    for file in kept {
        match found.remove(file.path.as_str()) {
            None => damage.push(Damage::Missing(file.path.clone())),
            Some(now) if (now.bytes, &now.sha256) != (file.bytes, &file.sha256) => {
                damage.push(Damage::Changed(file.path.clone()));
            }
            Some(_) => {}
        }
    }
    damage.extend(found.into_keys().map(|path| Damage::Extra(path.to_owned())));
    damage
}
