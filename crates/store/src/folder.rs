//! One results folder: made, written, sealed, and read again.
//!
//! ```text
//! plan.toml  summary.json  report.html     what others write as text
//! manifest.json                            what the folder is, and its checksums
//! runs/R1-open-546/run.json                the run's facts and its end
//! runs/R1-open-546/samples.spool           its samples while it runs …
//! runs/R1-open-546/samples.parquet         … and after it
//! runs/R1-open-546/stalls.json             the stalls, where the service tells them
//! runs/R1-open-546/readings.jsonl          what is read beside it while it runs …
//! runs/R1-open-546/readings.parquet        … and after it
//! interrupted/R1-open-546-1/               a run that was broken off and made once more
//! ```

use crate::disk::{Disk, LocalDisk, write_whole};
use crate::format::{ManifestFile, read_json, write_json};
use crate::manifest::{self, Damage, Manifest, ManifestFacts};
use crate::run_writer::RunWriter;
use crate::stored_run::StoredRun;
use crate::{StoreError, disk};
use model::{MachineFacts, PlanFacts, RunFacts};
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The manifest's name.
pub(crate) const MANIFEST: &str = "manifest.json";
/// The folder of the runs' folders.
const RUNS: &str = "runs";
/// The folder of runs that were broken off and made once more.
const INTERRUPTED: &str = "interrupted";

/// A results folder.
pub struct Folder {
    path: PathBuf,
    disk: Arc<dyn Disk>,
}

impl Folder {
    /// Makes a results folder at `path`, which must not exist or be empty.
    pub fn create(path: impl AsRef<Path>) -> Result<Folder, StoreError> {
        Folder::create_on(Arc::new(LocalDisk), path)
    }

    /// The same, with everything written through `disk`.
    pub fn create_on(disk: Arc<dyn Disk>, path: impl AsRef<Path>) -> Result<Folder, StoreError> {
        let path = path.as_ref();
        fs::create_dir_all(path).map_err(StoreError::on("create", path))?;
        let mut entries = fs::read_dir(path).map_err(StoreError::on("read", path))?;
        if entries.next().is_some() {
            return Err(StoreError::NotEmpty { path: path.to_path_buf() });
        }
        let folder = Folder { path: path.to_path_buf(), disk };
        let runs = folder.runs_path();
        fs::create_dir(&runs).map_err(StoreError::on("create", &runs))?;
        folder.write_manifest(&ManifestFile::unsealed())?;
        Ok(folder)
    }

    /// Opens a results folder, sealed or left behind by a tester that was killed.
    pub fn open(path: impl AsRef<Path>) -> Result<Folder, StoreError> {
        let path = path.as_ref();
        fs::read_dir(path).map_err(StoreError::on("open", path))?;
        let folder = Folder { path: path.to_path_buf(), disk: Arc::new(LocalDisk) };
        let manifest = folder.read_manifest();
        let newer = matches!(manifest, Err(StoreError::NewerFormat { .. }));
        // A manifest.json alone says little: web pages have files of that name.
        if !newer && !folder.runs_path().is_dir() {
            return Err(StoreError::NotResults { path: folder.path });
        }
        manifest.map(|_| folder)
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a text such as `plan.toml` or `report.html`: whole, or not at all.
    pub fn write_text(&self, name: &str, text: &str) -> Result<(), StoreError> {
        check_name(name)?;
        write_whole(&*self.disk, &self.path.join(name), text.as_bytes())
    }

    /// Reads a text; `None` if the folder has no such file.
    pub fn read_text(&self, name: &str) -> Result<Option<String>, StoreError> {
        check_name(name)?;
        let path = self.path.join(name);
        match fs::read_to_string(&path) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(StoreError::io("read", &path, error)),
        }
    }

    /// Notes down in the manifest what is known when the experiment begins, so
    /// that a folder left behind by a killed tester tells it as well.
    pub fn begin(&self, facts: &ManifestFacts) -> Result<(), StoreError> {
        self.change_manifest(|file| file.set_facts(facts))
    }

    /// Notes down in the manifest what the machine is.
    pub fn write_machine(&self, facts: &MachineFacts) -> Result<(), StoreError> {
        self.change_manifest(|file| file.set_machine(facts))
    }

    /// Notes down in the manifest what the plan decides beyond single runs: its
    /// checksum and its guesses are fixed from here on.
    pub fn write_plan(&self, plan: &PlanFacts) -> Result<(), StoreError> {
        self.change_manifest(|file| file.set_plan(plan))
    }

    /// Where the run of `arm` in `round` keeps its files.
    pub fn run_path(&self, arm: &str, round: u32) -> PathBuf {
        self.runs_path().join(run_name(arm, round))
    }

    /// Moves a run that did not come to its end out of the way, so that it can
    /// be made once more. Its samples are kept under `interrupted/`, where no
    /// number is computed from them.
    pub fn set_aside(&self, run: &StoredRun) -> Result<(), StoreError> {
        let aside = self.path.join(INTERRUPTED);
        fs::create_dir_all(&aside).map_err(StoreError::on("create", &aside))?;
        let free =
            (1..).map(|turn: u32| aside.join(format!("{}-{turn}", run.name()))).find(|path| !path.exists());
        let to = free.expect("a folder holds fewer entries than there are numbers");
        fs::rename(run.path(), &to).map_err(StoreError::on("move", run.path()))
    }

    /// Makes the run's folder and gives the writer for its samples.
    pub fn start_run(&self, facts: &RunFacts) -> Result<RunWriter, StoreError> {
        let name = run_name(&facts.arm, facts.round);
        check_name(&name)?;
        let sequence = self.runs()?.iter().map(StoredRun::sequence).max().unwrap_or(0) + 1;
        let path = self.runs_path().join(name);
        match fs::create_dir(&path) {
            Ok(()) => RunWriter::start(Arc::clone(&self.disk), path, sequence, facts),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(StoreError::RunExists { path }),
            Err(error) => Err(StoreError::io("create", &path, error)),
        }
    }

    /// All runs in the order in which they were made. A folder in which the
    /// tester was killed before it had written the run's facts is left out:
    /// nothing was sent for it.
    pub fn runs(&self) -> Result<Vec<StoredRun>, StoreError> {
        let mut runs = Vec::new();
        for path in self.run_folders()? {
            runs.extend(StoredRun::open(path)?);
        }
        runs.sort_by(|a, b| (a.sequence(), a.name()).cmp(&(b.sequence(), b.name())));
        Ok(runs)
    }

    /// Seals the folder: the manifest now names the size and SHA-256 of every
    /// file. Whoever changes a file later, be it a report drawn again, seals
    /// the folder again, or [`Folder::check`] tells of it.
    pub fn seal(&self, facts: &ManifestFacts) -> Result<(), StoreError> {
        let runs = self.runs()?.iter().map(manifest::run_entry).collect();
        let files = manifest::list_files(&self.path)?;
        self.change_manifest(|file| {
            file.set_facts(facts);
            file.seal(runs, files);
        })
    }

    /// The manifest. `None` if there is none; one that is not `sealed` belongs
    /// to an experiment that still runs or was killed.
    pub fn manifest(&self) -> Result<Option<Manifest>, StoreError> {
        let path = self.path.join(MANIFEST);
        self.read_manifest()?.map(|file| file.manifest(&path)).transpose()
    }

    /// Compares every file with the manifest; an empty list means that all is
    /// as it was when the folder was sealed.
    pub fn check(&self) -> Result<Vec<Damage>, StoreError> {
        match self.manifest()? {
            Some(manifest) if manifest.sealed => {
                let found = manifest::list_files(&self.path)?;
                Ok(manifest::compare(&manifest.files, &found))
            }
            _ => Err(StoreError::NotSealed { path: self.path.clone() }),
        }
    }

    fn runs_path(&self) -> PathBuf {
        self.path.join(RUNS)
    }

    /// The runs' folders, in no order.
    fn run_folders(&self) -> Result<Vec<PathBuf>, StoreError> {
        let runs = self.runs_path();
        let entries = fs::read_dir(&runs).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let paths = entries.map_err(StoreError::on("read", &runs))?.into_iter().map(|entry| entry.path());
        Ok(paths.filter(|path| path.is_dir()).collect())
    }

    fn read_manifest(&self) -> Result<Option<ManifestFile>, StoreError> {
        read_json(&self.path.join(MANIFEST))
    }

    fn write_manifest(&self, file: &ManifestFile) -> Result<(), StoreError> {
        write_json(&*self.disk, &self.path.join(MANIFEST), file)
    }

    fn change_manifest(&self, change: impl FnOnce(&mut ManifestFile)) -> Result<(), StoreError> {
        let mut file = self.read_manifest()?.unwrap_or_else(ManifestFile::unsealed);
        change(&mut file);
        self.write_manifest(&file)
    }
}

impl fmt::Debug for Folder {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Folder").field("path", &self.path).finish_non_exhaustive()
    }
}

fn run_name(arm: &str, round: u32) -> String {
    format!("R{round}-{arm}")
}

/// Refuses names that lead out of the folder, that a terminal or another
/// system would stumble over, or that the folder itself uses.
fn check_name(name: &str) -> Result<(), StoreError> {
    let bad = |reason| Err(StoreError::BadName { name: name.to_owned(), reason });
    match name {
        "" | "." | ".." => bad("it names no file"),
        MANIFEST => bad("the manifest is written by sealing the folder"),
        _ if name.contains(['/', '\\']) => bad("it contains a slash"),
        _ if name.contains(char::is_control) => bad("it contains a control character"),
        _ if name.ends_with(disk::PART) => bad("it ends like a file that is not whole"),
        // 255 bytes is the limit of most file systems; `.part` comes on top.
        _ if name.len() > 240 => bad("it is longer than 240 bytes"),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
