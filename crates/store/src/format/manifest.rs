//! `manifest.json`: what the folder is, and the checksum of everything in it.

use super::machine::MachineEntry;
use super::number;
use super::planned::PlanEntry;
use crate::manifest::{KeptFile, Manifest, ManifestFacts, ManifestRun};
use crate::{FORMAT, StoreError};
use model::{MachineFacts, PlanFacts, Seed};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The file's content. Written when the folder is made, and again when it is
/// sealed; only then does it list files.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ManifestFile {
    format: u32,
    sealed: bool,
    tool_version: Option<String>,
    began_utc: Option<String>,
    #[serde(default)]
    question: Option<String>,
    seed: Option<String>,
    machine: Option<MachineEntry>,
    /// Left out where there was no plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    plan: Option<PlanEntry>,
    runs: Vec<RunEntry>,
    files: Vec<FileEntry>,
}

/// One run's part in it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RunEntry {
    pub(crate) folder: String,
    pub(crate) arm: String,
    pub(crate) round: u32,
    pub(crate) seed: String,
    pub(crate) schedule_sha256: Option<String>,
}

/// One file's part in it. The path is relative to the folder, with `/`.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct FileEntry {
    pub(crate) path: String,
    pub(crate) bytes: u64,
    pub(crate) sha256: String,
}

impl ManifestFile {
    /// The manifest of a folder that was just made.
    pub(crate) fn unsealed() -> ManifestFile {
        ManifestFile {
            format: FORMAT,
            sealed: false,
            tool_version: None,
            began_utc: None,
            question: None,
            seed: None,
            machine: None,
            plan: None,
            runs: Vec::new(),
            files: Vec::new(),
        }
    }

    pub(crate) fn set_facts(&mut self, facts: &ManifestFacts) {
        self.tool_version = Some(facts.tool_version.clone());
        self.began_utc = Some(facts.began.clone());
        self.question = Some(facts.question.clone());
        self.seed = Some(facts.seed.to_string());
    }

    pub(crate) fn set_plan(&mut self, plan: &PlanFacts) {
        self.plan = Some(PlanEntry::new(plan));
    }

    pub(crate) fn set_machine(&mut self, facts: &MachineFacts) {
        self.machine = Some(MachineEntry::new(facts));
    }

    pub(crate) fn seal(&mut self, runs: Vec<RunEntry>, files: Vec<FileEntry>) {
        self.format = FORMAT;
        self.sealed = true;
        self.runs = runs;
        self.files = files;
    }

    pub(crate) fn manifest(self, path: &Path) -> Result<Manifest, StoreError> {
        let seed = self.seed.map(|seed| number(path, "seed", &seed).map(Seed)).transpose()?;
        let runs = self.runs.into_iter().map(|run| run.manifest_run(path)).collect::<Result<_, _>>()?;
        Ok(Manifest {
            sealed: self.sealed,
            tool_version: self.tool_version,
            began: self.began_utc,
            question: self.question,
            seed,
            machine: self.machine.map(MachineEntry::facts),
            plan: self.plan.map(|plan| plan.facts(path)).transpose()?,
            runs,
            files: self.files.into_iter().map(FileEntry::kept_file).collect(),
        })
    }
}

impl RunEntry {
    fn manifest_run(self, path: &Path) -> Result<ManifestRun, StoreError> {
        Ok(ManifestRun {
            seed: Seed(number(path, "runs.seed", &self.seed)?),
            folder: self.folder,
            arm: self.arm,
            round: self.round,
            schedule_hash: self.schedule_sha256,
        })
    }
}

impl FileEntry {
    fn kept_file(self) -> KeptFile {
        KeptFile { path: self.path, bytes: self.bytes, sha256: self.sha256 }
    }
}
