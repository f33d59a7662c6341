//! Runs programs, without input, and turns how they end into a [`Failure`].

use crate::failure::Failure;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

/// The project's top folder.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// The cargo that runs us, in the project's top folder.
pub fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root());
    // `cargo run` describes this package in the environment. A build script
    // that watches these would see them differ between `cargo test` and
    // `cargo xtask test`, and build again each time.
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&*name);
        }
    }
    command
}

/// Runs to the end; what it prints goes where ours goes.
pub fn run(command: &mut Command) -> Result<(), Failure> {
    let status = command.stdin(Stdio::null()).status().map_err(not_started(command))?;
    ended(command, status)
}

/// Runs to the end and gives back what it printed on stdout.
pub fn output(command: &mut Command) -> Result<String, Failure> {
    let output =
        command.stdin(Stdio::null()).stderr(Stdio::inherit()).output().map_err(not_started(command))?;
    ended(command, output.status)?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs to the end and hands over each line of its stdout as it comes.
pub fn each_line(command: &mut Command, mut each: impl FnMut(&str)) -> Result<(), Failure> {
    let command = command.stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = command.spawn().map_err(not_started(command))?;
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).split(b'\n') {
            let line = line.map_err(Failure::system("read what a program prints"))?;
            each(&String::from_utf8_lossy(&line));
        }
    }
    let status = child.wait().map_err(Failure::system("wait for a program"))?;
    ended(command, status)
}

/// The command as a person would type it.
pub fn text(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let words = std::iter::once(program).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

/// For `map_err` on whatever starts `command`.
pub fn not_started(command: &Command) -> impl FnOnce(std::io::Error) -> Failure + use<> {
    let command = text(command);
    move |source| Failure::NotStarted { command, source }
}

fn ended(command: &Command, status: ExitStatus) -> Result<(), Failure> {
    if status.success() { Ok(()) } else { Err(Failure::Ended { command: text(command), status }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_program_is_named_as_it_was_typed() {
        let failure = run(Command::new("/bin/sh").args(["-c", "exit 3"])).expect_err("exit code 3");
        assert_eq!(failure.to_string(), "`sh -c exit 3` ended with exit status: 3");
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let failure = output(&mut Command::new("no-such-program")).expect_err("not there");
        assert_eq!(failure.to_string(), "could not start `no-such-program`");
    }

    #[test]
    fn every_line_is_handed_over_even_the_last_without_an_end() {
        let mut lines = Vec::new();
        each_line(Command::new("printf").arg("a\\nb"), |line| lines.push(line.to_owned())).expect("printf");
        assert_eq!(lines, ["a", "b"]);
    }
}
