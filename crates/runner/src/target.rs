//! The service under test, started afresh for one run by the plan's command and
//! stopped after it: its whole process group, and its port free again.

use crate::control::Control;
use engine::{Clock as _, MonotonicClock};
use model::Nanos;
use rustix::process::{Pid, Signal, kill_process_group};
use std::ffi::OsString;
use std::io::Read;
use std::net::{SocketAddr, TcpStream};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use thiserror::Error;

/// How often it is looked whether something has come about.
const LOOK_EVERY: Nanos = Nanos::from_millis(5);

/// How long a service may take to stop when asked, before it is killed, and
/// how long its port may stay taken after that.
const STOP_PATIENCE: Nanos = Nanos::from_secs(3);

/// How long one look at the port, or one question to it, may take.
const KNOCK_PATIENCE: Duration = Duration::from_millis(500);

/// Bytes of a command's last words.
const LAST_WORDS: usize = 600;

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
        /// The command line; the address where it runs by itself.
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

/// A running service; ends with its value.
pub(crate) struct TargetProcess {
    child: Child,
    group: Pid,
    command: String,
    peer: SocketAddr,
    words: Arc<Mutex<Vec<u8>>>,
}

impl TargetProcess {
    /// Starts `command` by `sh -c` in `folder`. Its standard input stays open
    /// for as long as we live, so that it can end with us.
    pub(crate) fn start(
        command: &str,
        folder: &Path,
        peer: SocketAddr,
    ) -> Result<TargetProcess, TargetError> {
        if is_taken(peer) {
            return Err(TargetError::PortTaken { peer });
        }
        let mut shell = shell(command, folder);
        shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        let mut child =
            shell.spawn().map_err(|source| TargetError::Spawn { command: command.to_owned(), source })?;
        let words = Arc::new(Mutex::new(Vec::new()));
        let outputs: [Option<Box<dyn Read + Send>>; 2] = [
            child.stdout.take().map(|out| Box::new(out) as Box<dyn Read + Send>),
            child.stderr.take().map(|err| Box::new(err) as Box<dyn Read + Send>),
        ];
        for output in outputs.into_iter().flatten() {
            let words = Arc::clone(&words);
            std::thread::spawn(move || drain(output, &words));
        }
        let group = Pid::from_child(&child);
        Ok(TargetProcess { child, group, command: command.to_owned(), peer, words })
    }

    /// Its process group.
    pub(crate) fn group(&self) -> Pid {
        self.group
    }

    /// How it ended, if it has.
    pub(crate) fn has_ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// Waits until it is ready.
    pub(crate) fn wait_until_ready(
        &mut self,
        ready: Ready<'_>,
        stop: &AtomicBool,
    ) -> Result<(), TargetError> {
        let clock = MonotonicClock::starting_in(Nanos::ZERO);
        loop {
            let seen = match ready.look() {
                Ok(()) => return Ok(()),
                Err(seen) => seen,
            };
            if let Some(status) = self.has_ended() {
                let (command, words) = (self.command.clone(), self.last_words());
                return Err(TargetError::EndedEarly { command, status, words });
            }
            if clock.now() >= ready.within || stop.load(Relaxed) {
                let (command, words) = (self.command.clone(), self.last_words());
                return Err(TargetError::NeverReady { command, within: ready.within, seen, words });
            }
            clock.sleep_until(clock.now() + LOOK_EVERY);
        }
    }

    /// An error if it has ended by itself.
    pub(crate) fn hold_it_lives(&mut self) -> Result<(), TargetError> {
        match self.has_ended() {
            None => Ok(()),
            Some(status) => {
                let (command, words) = (self.command.clone(), self.last_words());
                Err(TargetError::Died { command, status, words })
            }
        }
    }

    /// Stops it, and holds that its port is free again.
    pub(crate) fn stop(mut self) -> Result<(), TargetError> {
        self.end();
        let clock = MonotonicClock::starting_in(Nanos::ZERO);
        while is_taken(self.peer) {
            if clock.now() >= STOP_PATIENCE {
                return Err(TargetError::LeftPort { command: self.command.clone(), peer: self.peer });
            }
            clock.sleep_until(clock.now() + LOOK_EVERY);
        }
        Ok(())
    }

    fn end(&mut self) {
        drop(self.child.stdin.take());
        // A stopped process hears nothing until it goes on.
        for signal in [Signal::TERM, Signal::CONT] {
            // It may have ended already; waiting below finds that out.
            let _ = kill_process_group(self.group, signal);
        }
        let clock = MonotonicClock::starting_in(Nanos::ZERO);
        while self.has_ended().is_none() && clock.now() < STOP_PATIENCE {
            clock.sleep_until(clock.now() + LOOK_EVERY);
        }
        // Whatever is left of the group, its first process included.
        let _ = kill_process_group(self.group, Signal::KILL);
        let _ = self.child.wait();
    }

    /// The end of what it printed, in one line.
    fn last_words(&self) -> String {
        let words = self.words.lock().map(|words| words.clone()).unwrap_or_default();
        let text = String::from_utf8_lossy(&words);
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        lines[lines.len().saturating_sub(3)..].join(" / ").replace(char::is_control, " ")
    }
}

impl Drop for TargetProcess {
    fn drop(&mut self) {
        self.end();
    }
}

/// When a service counts as ready.
#[derive(Clone, Copy)]
pub(crate) struct Ready<'a> {
    pub peer: SocketAddr,
    /// The host, as requests name it.
    pub host: &'a str,
    /// A path that answers 200; without one, taking a connection is enough.
    pub path: Option<&'a str>,
    /// How long it may take.
    pub within: Nanos,
}

impl Ready<'_> {
    /// What was seen, if it is not ready.
    fn look(&self) -> Result<(), String> {
        let Some(path) = self.path else {
            return if is_taken(self.peer) {
                Ok(())
            } else {
                Err(format!("nothing listens at {}", self.peer))
            };
        };
        match Control::new(self.peer, self.host).with_patience(KNOCK_PATIENCE).ask("GET", path, None) {
            Ok(response) if response.status == 200 => Ok(()),
            Ok(response) => Err(format!("{path} answers {}", response.status)),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Looks once.
    pub fn wait_briefly(&self) -> Result<(), String> {
        self.look()
    }

    /// Waits for a service that runs by itself.
    pub(crate) fn wait(&self, stop: &AtomicBool) -> Result<(), TargetError> {
        let clock = MonotonicClock::starting_in(Nanos::ZERO);
        loop {
            let Err(seen) = self.look() else { return Ok(()) };
            if clock.now() >= self.within || stop.load(Relaxed) {
                let (command, words) = (self.peer.to_string(), String::new());
                return Err(TargetError::NeverReady { command, within: self.within, seen, words });
            }
            clock.sleep_until(clock.now() + LOOK_EVERY);
        }
    }
}

/// A command of the plan: run in the plan's folder, and with this program's own
/// folder first where commands are looked for, so that a plan that says
/// `doorclock target …` means the doorclock that runs it.
pub(crate) fn shell(command: &str, folder: &Path) -> Command {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(command).current_dir(folder);
    if let Some(path) = path_with_own_folder() {
        shell.env("PATH", path);
    }
    shell
}

/// The search path with this program's own folder before all others.
pub(crate) fn path_with_own_folder() -> Option<OsString> {
    let own = std::env::current_exe().ok()?.parent()?.to_path_buf();
    let rest = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths([own].into_iter().chain(std::env::split_paths(&rest))).ok()
}

/// Whether something listens there. One whose queue is full takes no connection
/// and refuses none either.
fn is_taken(peer: SocketAddr) -> bool {
    match TcpStream::connect_timeout(&peer, KNOCK_PATIENCE) {
        Ok(_) => true,
        Err(error) => error.kind() == std::io::ErrorKind::TimedOut,
    }
}

/// Reads all that a command prints, so that it never blocks on a full pipe,
/// and keeps the end of it.
fn drain(mut output: impl Read, words: &Mutex<Vec<u8>>) {
    let mut buffer = [0; 4_096];
    while let Ok(count @ 1..) = output.read(&mut buffer) {
        let Ok(mut words) = words.lock() else { return };
        words.extend_from_slice(&buffer[..count]);
        let beyond = words.len().saturating_sub(LAST_WORDS);
        words.drain(..beyond);
    }
}

#[cfg(test)]
mod tests;
