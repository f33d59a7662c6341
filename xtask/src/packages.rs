//! Programs of Debian packages: found, or installed where that may be done.

use crate::failure::Failure;
use crate::{command, say};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program, and the Debian package that brings it.
#[derive(Clone, Copy)]
pub struct Package {
    /// The program's name.
    pub program: &'static str,
    /// The package's name.
    pub package: &'static str,
}

/// A real server, older than we are.
pub const NGINX: Package = Package { program: "nginx", package: "nginx" };
/// The tester that we measure our cost against.
pub const WRK: Package = Package { program: "wrk", package: "wrk" };

/// True on a machine that checks changes: what is missing there is a failure
/// rather than something to skip.
pub fn in_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| value == "true" || value == "1")
}

/// Where the program is; installs its package first if it is missing and we
/// are root.
pub fn find_or_install(wanted: Package) -> Result<PathBuf, Failure> {
    if let Some(path) = find(wanted.program) {
        return Ok(path);
    }
    install(wanted)?;
    find(wanted.program)
        .ok_or_else(|| missing(wanted, format!("the package {} is there without it", wanted.package)))
}

fn missing(wanted: Package, remedy: String) -> Failure {
    Failure::Missing { program: wanted.program, remedy }
}

/// Looks through PATH, and where Debian keeps servers: an ordinary user's
/// PATH leaves those out, and everyone's leaves PostgreSQL's out.
pub fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let postgres = versions.map(|version| version.path().join("bin"));
    let folders = std::env::split_paths(&path).chain([PathBuf::from("/usr/sbin")]).chain(postgres);
    folders.map(|folder| folder.join(program)).find(|path| path.is_file())
}

/// Installs the package, which only root may do.
pub fn install(wanted: Package) -> Result<(), Failure> {
    let package = wanted.package;
    if !rustix::process::geteuid().is_root() {
        return Err(missing(wanted, format!("install it with `sudo apt-get install {package}`")));
    }
    say::line(format_args!("installing {package}"));
    let _quiet = NoServices::new(Path::new("/usr/sbin/policy-rc.d"))?;
    let apt_get = |arguments: &[&str]| {
        let mut command = Command::new("apt-get");
        command::run(command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive"))
    };
    apt_get(&["update", "-qq"])?;
    apt_get(&["install", "-qq", "-y", "--no-install-recommends", package])
}

/// While this lives, Debian starts no service that it installs: ours run on
/// ports of their own, and port 80 is none of our business. A policy that the
/// machine already has is left as it is.
struct NoServices(Option<PathBuf>);

impl NoServices {
    fn new(policy: &Path) -> Result<NoServices, Failure> {
        use std::os::unix::fs::PermissionsExt;
        if policy.exists() {
            return Ok(NoServices(None));
        }
        // 101: "action forbidden by policy", as invoke-rc.d(8) defines it.
        std::fs::write(policy, "#!/bin/sh\nexit 101\n").map_err(Failure::file("write", policy))?;
        let guard = NoServices(Some(policy.to_owned()));
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(policy, executable).map_err(Failure::file("make executable", policy))?;
        Ok(guard)
    }
}

impl Drop for NoServices {
    fn drop(&mut self) {
        if let Some(policy) = &self.0 {
            // If it cannot be removed now, it could not have been written.
            let _ = std::fs::remove_file(policy);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::Folder;

    #[test]
    fn a_program_is_found_by_its_name_and_a_stranger_is_not() {
        assert!(find("sh").is_some());
        assert_eq!(find("no-such-program"), None);
    }

    #[test]
    fn no_service_starts_while_we_install_and_the_policy_goes_away_after() {
        let folder = Folder::new("test-policy").expect("a folder");
        let policy = folder.path().join("policy-rc.d");
        let guard = NoServices::new(&policy).expect("a policy");
        let status = Command::new(&policy).status().expect("it can be run");
        assert_eq!(status.code(), Some(101));
        drop(guard);
        assert!(!policy.exists());
    }

    #[test]
    fn the_machines_own_policy_stays() {
        let folder = Folder::new("test-own-policy").expect("a folder");
        let policy = folder.path().join("policy-rc.d");
        std::fs::write(&policy, "theirs").expect("written");
        drop(NoServices::new(&policy).expect("left alone"));
        assert_eq!(std::fs::read_to_string(&policy).expect("still there"), "theirs");
    }
}
