//! What the end-to-end tests share: the real program under a time limit, the
//! scorer as a service to measure, and services that always say the same.
//!
//! Nothing in here outlives its test: whoever starts a process holds a value
//! that ends it.
#![expect(dead_code, reason = "each test program uses a part of this")]

pub mod plans;
pub mod tickets;

use engine::{Clock as _, MonotonicClock};
use model::Nanos;
use runner::Service;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

/// The program under test.
pub const DOORCLOCK: &str = env!("CARGO_BIN_EXE_doorclock");

/// Long enough for every command but the demo on a machine with much else to do.
const PATIENCE: Nanos = Nanos::from_secs(60);

/// How often a condition is looked at again.
const LOOK_AGAIN: Nanos = Nanos::from_millis(5);

/// Runs doorclock to its end.
pub fn doorclock<const N: usize>(args: [&str; N]) -> Ended {
    Program::start(&args).end()
}

/// Runs a script to its end with a shell, which may have others before it, as
/// in `unshare -m sh`. In the script `"$0"` is doorclock and `"$1"` the first
/// of `args`.
pub fn script_in(shell: &[&str], script: &str, args: &[&str]) -> Ended {
    let mut command = Command::new(shell[0]);
    command.args(&shell[1..]).args(["-c", script, DOORCLOCK]).args(args);
    Program::spawn(command).end()
}

/// A path as an argument.
pub fn text(path: &Path) -> &str {
    path.to_str().expect("temporary folders have plain names")
}

/// The one run of a summary with one arm.
pub fn only_run(summary: &Value) -> &Value {
    let arms = summary["arms"].as_object().expect("arms");
    assert_eq!(arms.len(), 1, "one arm in {summary:#}");
    &arms.values().next().expect("one arm")["runs"][0]
}

/// A count or a time of a summary.
pub fn number(of: &Value, path: &str) -> u64 {
    let value = of.pointer(path).unwrap_or_else(|| panic!("no {path} in {of:#}"));
    value.as_u64().unwrap_or_else(|| panic!("{path} is {value}"))
}

/// Holds that every scheduled request has exactly one fate.
pub fn assert_conservation(run: &Value) {
    let failed: u64 = failures(run).iter().map(|(_, count)| count).sum();
    let fates = number(run, "/ok") + failed + number(run, "/unfinished") + number(run, "/never_sent");
    assert_eq!(number(run, "/scheduled"), fates, "{run:#}");
}

/// Every kind of failure with its count.
pub fn failures(run: &Value) -> Vec<(String, u64)> {
    let kinds = run["failed"].as_object().expect("kinds of failures");
    kinds.iter().map(|(kind, count)| (kind.clone(), count.as_u64().expect("a count"))).collect()
}

/// Holds that every scheduled request was answered as expected.
pub fn assert_all_ok(run: &Value) {
    assert_conservation(run);
    assert!(number(run, "/ok") > 0, "{run:#}");
    assert_eq!(number(run, "/ok"), number(run, "/scheduled"), "{run:#}");
}

/// Waits until `probe` finds something.
pub fn eventually<T>(what: &str, mut probe: impl FnMut() -> Option<T>) -> T {
    let clock = MonotonicClock::starting_in(Nanos::ZERO);
    loop {
        if let Some(found) = probe() {
            return found;
        }
        assert!(clock.now() < PATIENCE, "in vain waited for: {what}");
        clock.sleep_until(clock.now() + LOOK_AGAIN);
    }
}

/// How a program ended, and what it said.
#[derive(Debug)]
pub struct Ended {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Ended {
    /// What it printed for machines; it must have printed nothing else there.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error} in {self:#?}"))
    }

    /// The same program, if it ended with this code and did not panic.
    #[track_caller]
    pub fn with_code(self, code: i32) -> Ended {
        assert_eq!(self.code, Some(code), "{self:#?}");
        assert!(!self.stderr.contains("panicked"), "{self:#?}");
        self
    }

    /// Holds what every error promises: its exit code, one line that says what
    /// and where (each of `says`), and nothing on standard output.
    #[track_caller]
    pub fn fails_with(self, code: i32, says: &[&str]) -> Ended {
        let ended = self.with_code(code);
        let errors: Vec<&str> = ended.stderr.lines().filter(|line| line.starts_with("error: ")).collect();
        assert_eq!(errors.len(), 1, "one error in {ended:#?}");
        for part in says {
            assert!(errors[0].contains(part), "`{part}` in {ended:#?}");
        }
        assert_eq!(ended.stdout, "", "{ended:#?}");
        ended
    }

    /// Holds that the error is followed by a hint with this in it.
    #[track_caller]
    pub fn and_hints(self, part: &str) -> Ended {
        let mut hints = self.stderr.lines().filter(|line| line.starts_with("hint: "));
        assert!(hints.any(|hint| hint.contains(part)), "a hint with `{part}` in {self:#?}");
        self
    }
}

/// A program under way; killed if it is let go before its end.
pub struct Program {
    child: Child,
    stdout: Option<JoinHandle<String>>,
    stderr: Option<JoinHandle<String>>,
}

impl Program {
    /// Starts doorclock.
    pub fn start(args: &[&str]) -> Program {
        let mut command = Command::new(DOORCLOCK);
        command.args(args);
        Program::spawn(command)
    }

    fn spawn(mut command: Command) -> Program {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program can be run");
        let (stdout, stderr) = (child.stdout.take().map(reader), child.stderr.take().map(reader));
        Program { child, stdout, stderr }
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) {
        kill_process(pid(self.child.id()), signal).expect("the program runs");
    }

    /// Waits for its end.
    pub fn end(self) -> Ended {
        self.end_within(PATIENCE)
    }

    /// Waits for its end, which must come in time.
    pub fn end_within(mut self, limit: Nanos) -> Ended {
        let clock = MonotonicClock::starting_in(Nanos::ZERO);
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("its state") {
                break status;
            }
            assert!(clock.now() < limit, "the program ends within {limit}");
            clock.sleep_until(clock.now() + LOOK_AGAIN);
        };
        let said = |reader: Option<JoinHandle<String>>| {
            reader.expect("read once").join().expect("a program's words are text")
        };
        Ended { code: status.code(), stdout: said(self.stdout.take()), stderr: said(self.stderr.take()) }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended already, which is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn reader(mut from: impl Read + Send + 'static) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let mut text = String::new();
        from.read_to_string(&mut text).expect("a program's words are text");
        text
    })
}

fn pid(number: u32) -> Pid {
    i32::try_from(number).ok().and_then(Pid::from_raw).expect("a process id")
}

/// The scorer as a child process on a port of its own.
pub struct Scorer(Service);

impl Scorer {
    /// Starts one and waits until it listens.
    pub fn start() -> Scorer {
        let mut command = Command::new(DOORCLOCK);
        command.args(["target", "scorer", "--port", "0", "--with-parent"]);
        Scorer(Service::start(command).expect("the scorer starts"))
    }

    /// The URL of one of its pages.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.0.address())
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.0.address()
    }

    /// Stops its process until the value is let go.
    pub fn stopped(&self) -> Stopped {
        let pid = pid(self.0.pid());
        kill_process(pid, Signal::STOP).expect("the scorer runs");
        Stopped(pid)
    }
}

/// A process that stands still; it goes on when this is let go.
pub struct Stopped(Pid);

impl Drop for Stopped {
    fn drop(&mut self) {
        let _ = kill_process(self.0, Signal::CONT);
    }
}

/// A port that says the same on every connection and closes it.
pub struct Parrot {
    address: SocketAddr,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Parrot {
    /// Listens on a free port; its thread ends with the test program.
    pub fn saying(words: &'static str) -> Parrot {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let heard = Arc::new(Mutex::new(Vec::new()));
        let hears = Arc::clone(&heard);
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let mut request = [0; 4_096];
                // Each request of these tests fits into one segment.
                let count = stream.read(&mut request).unwrap_or(0);
                let text = String::from_utf8_lossy(&request[..count]).into_owned();
                hears.lock().expect("nobody panics with it").push(text);
                let _ = stream.write_all(words.as_bytes());
            }
        });
        Parrot { address, heard }
    }

    /// The URL of one of its pages.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Every request so far, as text.
    pub fn heard(&self) -> Vec<String> {
        self.heard.lock().expect("nobody panics with it").clone()
    }
}
