//! Commands that put data back into the same state before each run.

use crate::failure::{ExperimentError, What};
use crate::shell::{Words, shell};
use engine::{Clock as _, MonotonicClock};
use model::Nanos;
use rustix::process::{Pid, Signal, kill_process_group};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// How often it is looked whether a command has ended.
const LOOK_EVERY: Nanos = Nanos::from_millis(5);

/// Runs each command to its end, in the plan's folder. When told to stop, it
/// ends the one that runs, and that is no error.
pub(crate) fn reset(commands: &[String], folder: &Path, stop: &AtomicBool) -> Result<(), ExperimentError> {
    for command in commands {
        run(command, folder, stop).map_err(|how| {
            ExperimentError::at("environment.reset", What::Reset { command: command.clone(), how })
        })?;
    }
    Ok(())
}

/// Says how it failed, if it did.
fn run(command: &str, folder: &Path, stop: &AtomicBool) -> Result<(), String> {
    let mut shell = shell(command, folder);
    // In a group of its own, for Ctrl-C is ours to act on.
    shell.stdin(Stdio::null()).process_group(0);
    Words::pipe(&mut shell);
    let mut child = shell.spawn().map_err(|error| error.to_string())?;
    let words = Words::of(&mut child);
    let group = Pid::from_child(&child);
    let clock = MonotonicClock::starting_in(Nanos::ZERO);
    let mut is_stopped = false;
    loop {
        // Only the command itself is waited for: it may start a database that stays.
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            if status.success() || is_stopped {
                return Ok(());
            }
            let said = words.last();
            let said = if said.is_empty() { said } else { format!(": {said}") };
            return Err(format!("{status}{said}"));
        }
        if stop.load(Relaxed) && !is_stopped {
            is_stopped = true;
            // It may have ended just now; the next turn finds that out.
            let _ = kill_process_group(group, Signal::TERM);
        }
        clock.sleep_until(clock.now() + LOOK_EVERY);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reset_by(command: &str, folder: &Path, stop: bool) -> Result<(), String> {
        let commands = ["touch first".to_owned(), command.to_owned()];
        reset(&commands, folder, &AtomicBool::new(stop)).map_err(|error| {
            assert_eq!(error.key.as_deref(), Some("environment.reset"));
            error.to_string()
        })
    }

    #[test]
    fn commands_run_one_after_the_other_in_the_plans_folder_until_one_fails() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(reset_by("mv first second", folder.path(), false), Ok(()));
        assert!(folder.path().join("second").exists());
        let error = reset_by("echo no such table >&2; exit 3", folder.path(), false).expect_err("it failed");
        assert_eq!(
            error,
            "`echo no such table >&2; exit 3` failed, so the data is not as it was: exit status: 3: no such table"
        );
        assert!(
            reset_by("exit 3", folder.path(), false).is_err_and(|error| error.ends_with("exit status: 3"))
        );
    }

    #[test]
    fn a_daemon_that_it_leaves_behind_is_not_waited_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let clock = MonotonicClock::starting_in(Nanos::ZERO);
        assert_eq!(reset_by("sleep 20 &", folder.path(), false), Ok(()));
        assert!(clock.now() < Nanos::from_secs(10));
    }

    #[test]
    fn told_to_stop_it_ends_what_runs() {
        let folder = tempfile::tempdir().expect("a folder");
        let clock = MonotonicClock::starting_in(Nanos::ZERO);
        assert_eq!(reset_by("sleep 20", folder.path(), true), Ok(()));
        assert!(clock.now() < Nanos::from_secs(10));
    }
}
