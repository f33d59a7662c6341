//! `cargo xtask test`: all that CI runs, and nothing that CI runs besides.
//!
//! A test that needs a real program is marked `#[ignore = "needs nginx"]`, so
//! that plain `cargo test` works anywhere, and carries the program's name in its
//! own. The last step finds or installs each program, says where it is in an
//! environment variable, and runs every ignored test with one of these names.

use crate::failure::Failure;
use crate::nginx::Nginx;
use crate::servers::{Postgres, Redis};
use crate::steps::{Ending, Steps};
use crate::{command, locust, packages, say, tidy};
use std::ffi::OsString;
use std::process::Command;

/// Where tests marked as needing nginx find one that answers `GET /` with a
/// tiny 200 and counts requests at `/status`.
const NGINX_URL: &str = "DOORCLOCK_TEST_NGINX";
/// Where tests of the ticket service, and of readings, find real servers.
const POSTGRES: &str = "DOORCLOCK_TEST_POSTGRES";
/// One that a test may stop and kill.
const POSTGRES_TO_STOP: &str = "DOORCLOCK_TEST_POSTGRES_TO_STOP";
const REDIS: &str = "DOORCLOCK_TEST_REDIS";
/// Where tests that run another tester as an arm find it.
const WRK: &str = "DOORCLOCK_TEST_WRK";
const LOCUST: &str = "DOORCLOCK_TEST_LOCUST";

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
    let mut parts = RealParts::default();
    // Each runs for as long as it is held.
    let nginx = parts.have("nginx", Nginx::start(None))?;
    let redis = parts.have("redis", Redis::start())?;
    let postgres = parts.have("postgres", Postgres::start("postgres"))?;
    // The second is one more of what there is by then.
    let to_stop = postgres.as_ref().map(|_| Postgres::start("postgres-to-stop")).transpose()?;
    let wrk = parts.have("wrk", packages::find_or_install(packages::WRK))?;
    let locust = parts.have("locust", locust::find_or_install())?;
    if parts.there.is_empty() {
        return Ok(Ending::Skipped(parts.missing.join("; ")));
    }
    let mut command =
        command::cargo(&["test", "--workspace", "--tests", "--no-fail-fast", "--", "--ignored"]);
    let places = [
        (NGINX_URL, nginx.as_ref().map(|nginx| OsString::from(nginx.url()))),
        (POSTGRES, postgres.as_ref().map(|postgres| OsString::from(postgres.url()))),
        (POSTGRES_TO_STOP, to_stop.as_ref().map(|postgres| OsString::from(postgres.url()))),
        (REDIS, redis.as_ref().map(|redis| OsString::from(redis.url()))),
        (WRK, wrk.map(OsString::from)),
        (LOCUST, locust.map(OsString::from)),
    ];
    let places = places.into_iter().filter_map(|(name, place)| Some((name, place?)));
    command.args(&parts.there).envs(places);
    match tests(&mut command)? {
        Ending::Passed(tally) if !parts.missing.is_empty() => {
            Ok(Ending::Passed(format!("{tally}; SKIPPED: {}", parts.missing.join("; "))))
        }
        ending => Ok(ending),
    }
}

/// Programs that some tests need, by the names that those tests carry.
#[derive(Default)]
struct RealParts {
    there: Vec<&'static str>,
    missing: Vec<String>,
}

impl RealParts {
    /// Takes one in. One that cannot be had is a failure only where changes
    /// are checked; elsewhere its tests are left out, and that is told.
    fn have<T>(&mut self, name: &'static str, found: Result<T, Failure>) -> Result<Option<T>, Failure> {
        match found {
            Ok(found) => {
                self.there.push(name);
                Ok(Some(found))
            }
            Err(missing @ Failure::Missing { .. }) if !packages::in_ci() => {
                say::error(&format!("tests that need {name} are SKIPPED: {missing}"));
                self.missing.push(missing.to_string());
                Ok(None)
            }
            Err(failure) => Err(failure),
        }
    }
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

    #[test]
    fn a_program_that_is_missing_leaves_out_its_own_tests_and_no_others() {
        let mut parts = RealParts::default();
        assert!(matches!(parts.have("wrk", Ok(5)), Ok(Some(5))));
        let gone = Failure::Missing { program: "locust", remedy: "get it".to_owned() };
        let had = parts.have("locust", Err::<(), Failure>(gone));
        assert_eq!(parts.there, ["wrk"]);
        if packages::in_ci() {
            assert!(had.is_err());
        } else {
            assert!(matches!(had, Ok(None)));
            assert_eq!(parts.missing, ["`locust` is missing: get it"]);
        }
        assert!(
            parts.have("nginx", Err::<(), Failure>(Failure::Untidy(1))).is_err(),
            "any other failure is one"
        );
    }
}
