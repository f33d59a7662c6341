//! Everything that a machine does to this project, as `cargo xtask TASK`:
//! test it, hold its rules, measure it against others.
//!
//! It must not know how doorclock measures, nor link any of its crates: it
//! builds, checks and runs them from outside, as a stranger would.
//!
//! Start at [`TASKS`]: a new task is one function and one line there.

mod bench;
mod command;
mod failure;
mod folder;
mod locust;
mod nginx;
mod packages;
mod say;
mod servers;
mod steps;
mod test;
mod tidy;

use failure::Failure;
use std::error::Error;
use std::process::ExitCode;

/// One thing that can be asked for by name.
struct Task {
    name: &'static str,
    about: &'static str,
    run: fn(&[String]) -> Result<(), Failure>,
}

/// Every task there is.
const TASKS: &[Task] = &[
    Task { name: "test", about: "all that CI runs: format, rules, lints, docs, every test", run: test::run },
    Task { name: "tidy", about: "the rules of ARCHITECTURE.md alone, in a second", run: tidy::run },
    Task { name: "bench", about: "measure against wrk; --write keeps it in bench-runs/", run: bench::run },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            say::error(&describe(&failure));
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<(), Failure> {
    let (name, rest) = arguments.split_first().ok_or_else(|| usage("which task?"))?;
    let task = TASKS.iter().find(|task| task.name == name);
    let task = task.ok_or_else(|| usage(&format!("there is no task `{name}`")))?;
    (task.run)(rest)
}

fn usage(why: &str) -> Failure {
    let list: Vec<String> = TASKS.iter().map(|task| format!("  {:<7}{}", task.name, task.about)).collect();
    Failure::Usage(format!("{why}\n\nusage: cargo xtask TASK\n{}", list.join("\n")))
}

/// A failure and all that caused it, on one line each.
fn describe(failure: &Failure) -> String {
    let mut text = failure.to_string();
    let mut cause = failure.source();
    while let Some(source) = cause {
        text.push_str(&format!("\n  because: {source}"));
        cause = source.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_task_is_named_and_the_known_ones_are_listed() {
        let failure = run(&["tset".to_owned()]).expect_err("no such task");
        let text = describe(&failure);
        assert!(text.starts_with("there is no task `tset`"), "{text}");
        for task in TASKS {
            assert!(text.contains(task.name), "{text}");
        }
    }

    #[test]
    fn a_failure_is_described_with_its_cause() {
        let source = std::io::Error::other("disk on fire");
        let failure = Failure::File { doing: "read", path: "a.txt".into(), source };
        assert_eq!(describe(&failure), "could not read a.txt\n  because: disk on fire");
    }
}
