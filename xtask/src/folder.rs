//! A folder of our own that goes away with its owner.

use crate::command;
use crate::failure::Failure;
use std::path::{Path, PathBuf};

/// An empty folder, removed when this is dropped.
pub struct Folder(PathBuf);

impl Folder {
    /// A folder called `name` under `target/xtask`, apart from that of any other running task.
    pub fn new(name: &str) -> Result<Folder, Failure> {
        Folder::at(command::root().join("target/xtask").join(format!("{name}-{}", std::process::id())))
    }

    /// The same for a program of another user, who may not be let into ours.
    pub fn for_others(name: &str) -> Result<Folder, Failure> {
        Folder::at(std::env::temp_dir().join(format!("doorclock-{name}-{}", std::process::id())))
    }

    fn at(path: PathBuf) -> Result<Folder, Failure> {
        if path.exists() {
            std::fs::remove_dir_all(&path).map_err(Failure::file("clear", &path))?;
        }
        std::fs::create_dir_all(&path).map_err(Failure::file("make", &path))?;
        Ok(Folder(path))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Nothing rests on it being gone: the next owner clears it.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
