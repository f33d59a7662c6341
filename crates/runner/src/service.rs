//! A service under test that we start ourselves: a child process with a port
//! of its own, stopped after the run.

use engine::Clock as _;
use engine::MonotonicClock;
use model::Nanos;
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;
use thiserror::Error;

/// How long a service may take until it listens.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long a service may take to stop when asked, before it is killed.
const STOP_PATIENCE: Nanos = Nanos::from_secs(3);

/// What a service prints when it is ready, before its address.
const READY: &str = "listening on ";

/// A running service; ends with its value.
pub struct Service {
    child: Child,
    address: SocketAddr,
}

/// Why a service could not be started.
#[derive(Debug, Error)]
pub enum ServiceError {
    /// The program cannot be run.
    #[error("cannot run `{command}`: {source}")]
    Spawn {
        /// The command line.
        command: String,
        /// The kernel's reason.
        source: std::io::Error,
    },
    /// It ended before it listened.
    #[error("`{command}` ended before it was ready{}", said(stderr))]
    Ended {
        /// The command line.
        command: String,
        /// The last it wrote to standard error.
        stderr: String,
    },
    /// It did not listen in time.
    #[error("`{command}` was not ready within {} s", PATIENCE.as_secs())]
    NotReady {
        /// The command line.
        command: String,
    },
    /// It printed something else than its address.
    #[error("`{command}` printed `{line}` instead of `{READY}ADDRESS`")]
    Garbled {
        /// The command line.
        command: String,
        /// What it printed.
        line: String,
    },
}

fn said(stderr: &str) -> String {
    if stderr.is_empty() { String::new() } else { format!(": {stderr}") }
}

impl Service {
    /// Starts `command` and waits until it prints `listening on ADDRESS`. Its
    /// standard input stays open as long as we live, so that it can end with us.
    pub fn start(mut command: Command) -> Result<Service, ServiceError> {
        let shown = format!("{command:?}").replace('"', "");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = match command.spawn() {
            Ok(child) => child,
            Err(source) => return Err(ServiceError::Spawn { command: shown, source }),
        };
        let (line_out, line_in) = channel();
        if let Some(stdout) = child.stdout.take() {
            std::thread::spawn(move || {
                // Reads on after the first line, so that the service never
                // blocks on a full pipe.
                for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                    let _ = line_out.send(line);
                }
            });
        }
        let stderr = child.stderr.take();
        let mut service = Service { child, address: SocketAddr::from(([127, 0, 0, 1], 0)) };
        match line_in.recv_timeout(PATIENCE) {
            Ok(line) => match line.strip_prefix(READY).map(str::trim).map(str::parse) {
                Some(Ok(address)) => service.address = address,
                _ => return Err(ServiceError::Garbled { command: shown, line }),
            },
            Err(RecvTimeoutError::Timeout) => return Err(ServiceError::NotReady { command: shown }),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(ServiceError::Ended { command: shown, stderr: last_words(stderr) });
            }
        }
        if let Some(mut stderr) = stderr {
            std::thread::spawn(move || std::io::copy(&mut stderr, &mut std::io::sink()));
        }
        Ok(service)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }
}

/// Asks it to stop, and kills it if it does not.
impl Drop for Service {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        if let Some(pid) = rustix::process::Pid::from_raw(self.child.id() as i32) {
            // It may have ended already; waiting below finds that out.
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        }
        let clock = MonotonicClock::starting_in(Nanos::ZERO);
        while matches!(self.child.try_wait(), Ok(None)) {
            if clock.now() > STOP_PATIENCE {
                let _ = self.child.kill();
                let _ = self.child.wait();
                return;
            }
            clock.sleep_until(clock.now() + Nanos::from_millis(2));
        }
    }
}

/// The end of what a service wrote before it ended.
fn last_words(stderr: Option<ChildStderr>) -> String {
    let mut text = Vec::new();
    if let Some(stderr) = stderr {
        // What cannot be read any more is not worth an error of its own here.
        let _ = stderr.take(4_096).read_to_end(&mut text);
    }
    String::from_utf8_lossy(&text).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Result<Service, ServiceError> {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        Service::start(command)
    }

    #[test]
    fn a_service_is_ready_when_it_tells_its_address_and_ends_with_its_value() {
        let service = shell("echo listening on 127.0.0.1:4711; exec cat").expect("started");
        assert_eq!(service.address(), SocketAddr::from(([127, 0, 0, 1], 4711)));
        let pid = rustix::process::Pid::from_raw(service.pid() as i32).expect("a pid");
        drop(service);
        assert!(rustix::process::test_kill_process(pid).is_err(), "its process is gone");
    }

    #[test]
    fn a_service_that_fails_to_start_says_why() {
        let cases = [
            ("echo no such table >&2; exit 1", "ended before it was ready: no such table"),
            ("echo hello; exec cat", "printed `hello` instead of `listening on ADDRESS`"),
            ("echo listening on nowhere; exec cat", "printed `listening on nowhere`"),
        ];
        for (script, expected) in cases {
            let Err(error) = shell(script) else { panic!("started: {script}") };
            assert!(error.to_string().contains(expected), "{error}");
        }
        let Err(error) = Service::start(Command::new("/no/such/program")) else { panic!("started") };
        assert!(error.to_string().contains("cannot run `/no/such/program`"), "{error}");
    }
}
