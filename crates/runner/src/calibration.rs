//! How far this machine can be trusted as a tester, kept from one run of
//! `doorclock calibrate` for every later run on it.

use crate::machine::read_machine;
use model::{MachineFacts, Nanos, Trusted};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::PathBuf;

/// What a calibration found, and of which machine.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    per_s: f64,
    within_ns: u64,
    day: String,
    processor: Option<String>,
    cores: Option<u32>,
    kernel: Option<String>,
}

/// The file of this user: below `$XDG_STATE_HOME`, or `~/.local/state`. `None`
/// where neither is known.
fn file() -> Option<PathBuf> {
    let of = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = of("XDG_STATE_HOME").or_else(|| Some(of("HOME")?.join(".local/state")))?;
    Some(state.join("doorclock/calibration.json"))
}

/// Keeps what was found on this machine, and says where.
pub fn keep(trusted: &Trusted, machine: &MachineFacts) -> io::Result<PathBuf> {
    let file = file().ok_or_else(|| io::Error::other("neither XDG_STATE_HOME nor HOME is set"))?;
    let MachineFacts { processor, cores, kernel, .. } = machine.clone();
    let Trusted { per_s, within, day } = trusted.clone();
    let kept = Kept { per_s, within_ns: within.0, day, processor, cores, kernel };
    let text = serde_json::to_string_pretty(&kept).expect("strings and numbers always become JSON");
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(&file, text + "\n")?;
    Ok(file)
}

/// What was found on this machine, if it was calibrated as it is now: with this
/// processor, these cores and this kernel.
pub fn kept() -> Option<Trusted> {
    let text = std::fs::read_to_string(file()?).ok()?;
    let kept: Kept = serde_json::from_str(&text).ok()?;
    let now = read_machine(Nanos::ZERO);
    let is_this = (&kept.processor, kept.cores, &kept.kernel) == (&now.processor, now.cores, &now.kernel);
    let is_sound = kept.per_s.is_finite() && kept.per_s >= 0.0;
    (is_this && is_sound).then_some(Trusted {
        per_s: kept.per_s,
        within: Nanos(kept.within_ns),
        day: kept.day,
    })
}
