//! Locust in a Python environment of its own, so that neither the machine's
//! Python nor any other project is touched.
//!
//! It stays under `target/` between runs, one folder a version: installing it
//! takes half a minute and the network.

use crate::failure::Failure;
use crate::packages::{self, Package};
use crate::{command, say};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The version that our tests run against, and that `plans/locustfile.py` names.
const VERSION: &str = "2.47.0";

/// Debian keeps the part that makes environments in a package of its own.
const PYTHON: Package = Package { program: "python3", package: "python3-venv" };

/// Written last: an environment without it was never finished.
const FINISHED: &str = "finished";

/// Where the program is; installs it first if it is not there.
pub fn find_or_install() -> Result<PathBuf, Failure> {
    let place = command::root().join("target/xtask").join(format!("locust-{VERSION}"));
    if !place.join(FINISHED).exists() {
        say::line(format_args!("installing locust {VERSION} into {}", place.display()));
        install(&place)?;
    }
    Ok(place.join("bin/locust"))
}

fn install(place: &Path) -> Result<(), Failure> {
    if place.exists() {
        std::fs::remove_dir_all(place).map_err(Failure::file("clear", place))?;
    }
    let python = packages::find_or_install(PYTHON)?;
    make_environment(&python, place)?;
    let mut pip = Command::new(place.join("bin/pip"));
    pip.args(["install", "--quiet", "--disable-pip-version-check", &format!("locust=={VERSION}")]);
    command::run(&mut pip).map_err(|failure| Failure::Missing {
        program: "locust",
        remedy: format!("{failure}; it needs the network, or an index that pip is told of"),
    })?;
    let finished = place.join(FINISHED);
    std::fs::write(&finished, "").map_err(Failure::file("write", &finished))
}

/// A python3 that is there may still be without the part that does this.
fn make_environment(python: &Path, place: &Path) -> Result<(), Failure> {
    let make = || command::run(Command::new(python).args(["-m", "venv", "--clear"]).arg(place));
    make().or_else(|_| packages::install(PYTHON).and_then(|()| make()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_locustfile_names_the_version_that_is_tested() {
        let path = command::root().join("plans/locustfile.py");
        let text = std::fs::read_to_string(&path).expect("the locustfile");
        assert!(text.contains(&format!("locust=={VERSION}")), "another version than {VERSION} is named");
    }

    #[test]
    #[ignore = "needs locust: `cargo xtask test` brings it"]
    fn the_locust_that_is_brought_is_of_that_version() {
        let locust = find_or_install().expect("locust");
        let said = command::output(Command::new(locust).arg("--version")).expect("its version");
        assert!(said.starts_with(&format!("locust {VERSION} ")), "{said}");
    }
}
