//! `cargo xtask test`: all that CI runs, and nothing that CI runs besides.
//!
//! A test that needs a real server is marked `#[ignore = "needs nginx"]`, so
//! that plain `cargo test` works anywhere, and carries the server's name in its
//! own. The last step starts the server, says where it is in an environment
//! variable, and runs every ignored test with that name.

use crate::failure::Failure;
use crate::nginx::Nginx;
use crate::steps::{Ending, Steps};
use crate::{command, packages, say, tidy};
use std::process::Command;

/// Where tests marked as needing nginx find one that answers `GET /` with a
/// tiny 200 and counts requests at `/status`.
const NGINX_URL: &str = "DOORCLOCK_TEST_NGINX";

/// Runs every check.
pub fn run(arguments: &[String]) -> Result<(), Failure> {
    if let Some(argument) = arguments.first() {
        return Err(Failure::Usage(format!(
            "`cargo xtask test` takes no `{argument}`: it always runs everything"
        )));
    }
    let mut steps = Steps::default();
    steps.take("format", || cargo(&["fmt", "--all", "--check"]));
    steps.take("rules", || tidy::run(&[]).map(|()| Ending::passed()));
    steps.take("lints", || {
        cargo(&["clippy", "--quiet", "--keep-going", "--workspace", "--all-targets", "--", "-D", "warnings"])
    });
    steps.take("docs", docs);
    steps.take("tests", || tests(&mut command::cargo(&["test", "--workspace", "--no-fail-fast"])));
    steps.take("real parts", real_parts);
    steps.finish()
}

fn cargo(arguments: &[&str]) -> Result<Ending, Failure> {
    command::run(&mut command::cargo(arguments)).map(|()| Ending::passed())
}

/// Private items too: their readers are the ones who change them.
fn docs() -> Result<Ending, Failure> {
    let mut command = command::cargo(&[
        "doc",
        "--quiet",
        "--keep-going",
        "--workspace",
        "--no-deps",
        "--document-private-items",
    ]);
    command::run(command.env("RUSTDOCFLAGS", "-D warnings")).map(|()| Ending::passed())
}

fn real_parts() -> Result<Ending, Failure> {
    let nginx = match Nginx::start(None) {
        Ok(nginx) => nginx,
        Err(missing @ Failure::Missing { .. }) if !packages::in_ci() => {
            say::error(&format!("tests against a real server are SKIPPED: {missing}"));
            return Ok(Ending::Skipped(missing.to_string()));
        }
        Err(failure) => return Err(failure),
    };
    let mut command =
        command::cargo(&["test", "--workspace", "--tests", "--no-fail-fast", "--", "--ignored", "nginx"]);
    tests(command.env(NGINX_URL, nginx.url()))
}

/// Runs tests, shows their output, and adds up what they say at their ends.
fn tests(command: &mut Command) -> Result<Ending, Failure> {
    let mut tally = Tally::default();
    let result = command::each_line(command, |line| {
        say::line(line);
        tally.read(line);
    });
    say::line(format_args!("all together: {}", tally.text()));
    result.map(|()| Ending::Passed(tally.text()))
}

/// What all test programs said together.
#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    passed: u64,
    failed: u64,
    ignored: u64,
}

impl Tally {
    /// Takes in one line of output. The line that counts reads
    /// `test result: ok. 12 passed; 0 failed; 3 ignored; 0 measured; …`.
    fn read(&mut self, line: &str) {
        let Some((_, counts)) = line.strip_prefix("test result: ").and_then(|rest| rest.split_once(". "))
        else {
            return;
        };
        for count in counts.split("; ") {
            match count.split_once(' ') {
                Some((n, "passed")) => self.passed += n.parse().unwrap_or(0),
                Some((n, "failed")) => self.failed += n.parse().unwrap_or(0),
                Some((n, "ignored")) => self.ignored += n.parse().unwrap_or(0),
                _ => {}
            }
        }
    }

    fn text(&self) -> String {
        format!("{} passed, {} failed, {} ignored", self.passed, self.failed, self.ignored)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_endings_of_all_test_programs_add_up() {
        let mut tally = Tally::default();
        for line in [
            "running 12 tests",
            "test result: ok. 12 passed; 0 failed; 3 ignored; 0 measured; 1 filtered out; finished in 0.01s",
            "test result: FAILED. 4 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s",
            "12 passed; 9 failed",
        ] {
            tally.read(line);
        }
        assert_eq!(tally, Tally { passed: 16, failed: 2, ignored: 3 });
    }
}
