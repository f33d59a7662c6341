//! The service under test, started anew for each run by a command of the plan
//! and stopped after it, with all that it started.

use crate::ready::{Ready, taken};
use crate::shell::{Words, guarded};
use engine::{Clock as _, MonotonicClock};
use model::Nanos;
use rustix::process::{Pid, Signal, kill_process_group};
use std::net::SocketAddr;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use thiserror::Error;

/// How often it is looked whether something has come about.
const LOOK_EVERY: Nanos = Nanos::from_millis(5);

/// How long a service may take to stop when asked, before it is killed, and
/// how long its port may stay taken after that.
const STOP_PATIENCE: Nanos = Nanos::from_secs(3);

/// What is wrong with a service that we start.
#[derive(Debug, Error)]
pub enum TargetError {
    /// Something listens at its address before it was started.
    #[error("something else answers at {peer} already: it would be measured in the service's place")]
    PortTaken {
        /// The address.
        peer: SocketAddr,
    },
    /// The command cannot be run.
    #[error("cannot run `{command}`: {source}")]
    Spawn {
        /// The command line.
        command: String,
        /// The kernel's reason.
        source: std::io::Error,
    },
    /// It ended before it was ready.
    #[error("`{command}` ended before it was ready ({status}){}", said(words))]
    EndedEarly {
        /// The command line.
        command: String,
        /// How it ended.
        status: ExitStatus,
        /// The last that it printed.
        words: String,
    },
    /// It did not become ready.
    #[error("`{command}` was not ready within {within}: {seen}{}", said(words))]
    NeverReady {
        /// The command line; the addresses where it runs by itself.
        command: String,
        /// How long was waited.
        within: Nanos,
        /// What its last answer was, or why there was none.
        seen: String,
        /// The last that it printed.
        words: String,
    },
    /// It ended in the middle of a run.
    #[error("`{command}` ended in the middle of the run ({status}){}", said(words))]
    Died {
        /// The command line.
        command: String,
        /// How it ended.
        status: ExitStatus,
        /// The last that it printed.
        words: String,
    },
    /// It was stopped, and its address still answers.
    #[error("`{command}` was stopped, and {peer} still answers: it left a process of its own behind")]
    LeftPort {
        /// The command line.
        command: String,
        /// The address.
        peer: SocketAddr,
    },
}

fn said(words: &str) -> String {
    if words.is_empty() { String::new() } else { format!(": {words}") }
}

/// A running service; ends with its value, and with us if we are killed.
pub(crate) struct TargetProcess {
    child: Child,
    group: Pid,
    command: String,
    peers: Vec<SocketAddr>,
    words: Words,
}

impl TargetProcess {
    /// Starts `command` in `folder`, to listen at any of `peers`.
    pub(crate) fn start(
        command: &str,
        folder: &Path,
        peers: &[SocketAddr],
    ) -> Result<TargetProcess, TargetError> {
        if let Some(peer) = taken(peers) {
            return Err(TargetError::PortTaken { peer });
        }
        let mut shell = guarded(command, folder);
        // The pipe's other end closes when we end; the guard waits for that.
        shell.stdin(Stdio::piped()).process_group(0);
        Words::pipe(&mut shell);
        let mut child =
            shell.spawn().map_err(|source| TargetError::Spawn { command: command.to_owned(), source })?;
        let words = Words::of(&mut child);
        let group = Pid::from_child(&child);
        Ok(TargetProcess { child, group, command: command.to_owned(), peers: peers.to_vec(), words })
    }

    /// Its process group.
    pub(crate) fn group(&self) -> Pid {
        self.group
    }

    /// How it ended, if it has.
    pub(crate) fn has_ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// Waits until it is ready, and says where; `None` if told to stop before.
    pub(crate) fn wait_until_ready(
        &mut self,
        ready: Ready<'_>,
        stop: &AtomicBool,
    ) -> Result<Option<SocketAddr>, TargetError> {
        let clock = MonotonicClock::starting_in(Nanos::ZERO);
        while !stop.load(Relaxed) {
            let seen = match ready.look() {
                Ok(peer) => return Ok(Some(peer)),
                Err(seen) => seen,
            };
            let command = || self.command.clone();
            if let Some(status) = self.child.try_wait().ok().flatten() {
                let words = self.words.last();
                return Err(TargetError::EndedEarly { command: command(), status, words });
            }
            if clock.now() >= ready.within {
                let words = self.words.so_far();
                return Err(TargetError::NeverReady {
                    command: command(),
                    within: ready.within,
                    seen,
                    words,
                });
            }
            clock.sleep_until(clock.now() + LOOK_EVERY);
        }
        Ok(None)
    }

    /// An error if it has ended by itself.
    pub(crate) fn hold_it_lives(&mut self) -> Result<(), TargetError> {
        match self.has_ended() {
            None => Ok(()),
            Some(status) => {
                let (command, words) = (self.command.clone(), self.words.last());
                Err(TargetError::Died { command, status, words })
            }
        }
    }

    /// Stops it, and holds that its port is free again.
    pub(crate) fn stop(mut self) -> Result<(), TargetError> {
        self.end();
        let clock = MonotonicClock::starting_in(Nanos::ZERO);
        while let Some(peer) = taken(&self.peers) {
            if clock.now() >= STOP_PATIENCE {
                return Err(TargetError::LeftPort { command: self.command.clone(), peer });
            }
            clock.sleep_until(clock.now() + LOOK_EVERY);
        }
        Ok(())
    }

    fn end(&mut self) {
        // A stopped process hears nothing until it goes on.
        for signal in [Signal::TERM, Signal::CONT] {
            // It may have ended already; waiting below finds that out.
            let _ = kill_process_group(self.group, signal);
        }
        let clock = MonotonicClock::starting_in(Nanos::ZERO);
        while self.has_ended().is_none() && clock.now() < STOP_PATIENCE {
            clock.sleep_until(clock.now() + LOOK_EVERY);
        }
        // Whatever is left of the group: its guard, at least.
        let _ = kill_process_group(self.group, Signal::KILL);
        let _ = self.child.wait();
    }
}

impl Drop for TargetProcess {
    fn drop(&mut self) {
        self.end();
    }
}

/// Waits for a service that runs by itself, and says where it is ready; `None`
/// if told to stop before.
pub(crate) fn wait_for_running(
    ready: Ready<'_>,
    stop: &AtomicBool,
) -> Result<Option<SocketAddr>, TargetError> {
    let clock = MonotonicClock::starting_in(Nanos::ZERO);
    while !stop.load(Relaxed) {
        let seen = match ready.look() {
            Ok(peer) => return Ok(Some(peer)),
            Err(seen) => seen,
        };
        if clock.now() >= ready.within {
            let (command, words) = (ready.listed(), String::new());
            return Err(TargetError::NeverReady { command, within: ready.within, seen, words });
        }
        clock.sleep_until(clock.now() + LOOK_EVERY);
    }
    Ok(None)
}

#[cfg(test)]
mod tests;
