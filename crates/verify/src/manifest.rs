//! The manifest's checksums, taken again.

use crate::folder::{entries, name_of, read, read_json};
use crate::{Damage, VerifyError};
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// The manifest's own name: the one file that it cannot list.
const NAME: &str = "manifest.json";

#[derive(Debug, Deserialize)]
pub(crate) struct Manifest {
    sealed: bool,
    /// The machine's facts, word for word those of the summary.
    pub(crate) machine: Option<Value>,
    pub(crate) runs: Vec<ManifestRun>,
    files: Vec<File>,
}

/// One run, as the manifest names it.
#[derive(Debug, Deserialize)]
pub(crate) struct ManifestRun {
    /// Relative to the results folder.
    pub(crate) folder: String,
    pub(crate) seed: String,
    pub(crate) schedule_sha256: Option<String>,
}

#[derive(Debug, Deserialize)]
struct File {
    path: String,
    bytes: u64,
    sha256: String,
}

impl Manifest {
    pub(crate) fn read(folder: &Path) -> Result<Manifest, VerifyError> {
        read_json(&folder.join(NAME))
    }

    /// How the folder's files differ from those that were sealed.
    pub(crate) fn damage(&self, folder: &Path) -> Result<Vec<Damage>, VerifyError> {
        if !self.sealed {
            return Ok(vec![Damage::NotSealed]);
        }
        let mut found = BTreeMap::new();
        list(folder, "", &mut found)?;
        found.remove(NAME);
        let mut damage = Vec::new();
        for file in &self.files {
            match found.remove(&file.path) {
                None => damage.push(Damage::Missing(file.path.clone())),
                Some(now) if now != (file.bytes, file.sha256.clone()) => {
                    damage.push(Damage::Changed(file.path.clone()));
                }
                Some(_) => {}
            }
        }
        damage.extend(found.into_keys().map(Damage::Extra));
        damage.sort();
        Ok(damage)
    }
}

/// Length and checksum of every file below `folder`, links left out.
fn list(folder: &Path, prefix: &str, found: &mut BTreeMap<String, (u64, String)>) -> Result<(), VerifyError> {
    for path in entries(folder)? {
        let name = format!("{prefix}{}", name_of(&path));
        if path.is_symlink() {
            continue;
        }
        if path.is_dir() {
            list(&path, &format!("{name}/"), found)?;
        } else {
            let bytes = read(&path)?;
            found.insert(name, (bytes.len() as u64, sha256(&bytes)));
        }
    }
    Ok(())
}

/// SHA-256 in hex.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").expect("a string takes all that is written to it");
        hex
    })
}
