//! The manifest's checksums, taken again.

use crate::folder::{entries, name_of, read, read_json};
use crate::record::Facts;
use crate::{Damage, Verification, VerifyError};
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// The manifest's own name: the one file that it cannot list.
const NAME: &str = "manifest.json";
/// The plan's file, where there was one.
const PLAN: &str = "plan.toml";

#[derive(Debug, Deserialize)]
pub(crate) struct Manifest {
    sealed: bool,
    pub(crate) question: Option<String>,
    pub(crate) tool_version: Option<String>,
    pub(crate) began_utc: Option<String>,
    /// The machine's facts, word for word those of the summary.
    pub(crate) machine: Option<Value>,
    /// What the plan decides, where there was one.
    pub(crate) plan: Option<Plan>,
    pub(crate) runs: Vec<ManifestRun>,
    files: Vec<File>,
}

/// What the plan decides beyond single runs.
#[derive(Debug, Deserialize)]
pub(crate) struct Plan {
    /// Of the plan's file, and of the flags that changed it, a line each.
    sha256: String,
    flags: Vec<String>,
    pub(crate) arms: Vec<String>,
    pub(crate) rounds: u64,
    pub(crate) comparisons: Vec<Pairing>,
    pub(crate) bounds: Vec<Bound>,
    pub(crate) guesses: Vec<KeptGuess>,
}

impl Plan {
    /// How many runs it asks for.
    pub(crate) fn runs(&self) -> Option<u64> {
        (self.rounds > 0).then(|| (self.arms.len() as u64).saturating_mul(self.rounds))
    }

    /// Whether a run is one of them.
    pub(crate) fn asks_for(&self, run: &Facts) -> bool {
        self.arms.contains(&run.arm) && (1..=self.rounds).contains(&run.round)
    }
}

/// Two arms to compare.
#[derive(Debug, Deserialize)]
pub(crate) struct Pairing {
    pub(crate) a: String,
    pub(crate) b: String,
    pub(crate) number: String,
    pub(crate) is_twin: bool,
}

/// The slowest that is accepted.
#[derive(Debug, Deserialize)]
pub(crate) struct Bound {
    pub(crate) number: String,
    pub(crate) at_most_ns: u64,
}

/// A guess from before the first run.
#[derive(Debug, Deserialize)]
pub(crate) struct KeptGuess {
    pub(crate) name: String,
    pub(crate) says: String,
    pub(crate) holds: String,
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

    /// Says so if the plan's file is not the one from before the first run. It
    /// may gain late guesses, so that this makes no number wrong.
    pub(crate) fn note_edited_plan(
        &self,
        folder: &Path,
        found: &mut Verification,
    ) -> Result<(), VerifyError> {
        let path = folder.join(PLAN);
        let Some(plan) = self.plan.as_ref().filter(|_| path.exists()) else { return Ok(()) };
        let flags: String = plan.flags.iter().map(|flag| format!("\n{flag}")).collect();
        if sha256(&[&read(&path)?, flags.as_bytes()].concat()) != plan.sha256 {
            let says =
                format!("{PLAN}: it was edited after the first run began; the manifest has what was run");
            found.not_checked.push(says);
        }
        Ok(())
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
