//! Processes of the service, ended with the test.

use std::io::{BufRead, BufReader, Lines};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::parts::Parts;

/// One process.
pub struct Process {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    /// Where it listens, if it does.
    pub address: String,
}

impl Process {
    /// Starts `tickets` with these words, and reads its line that begins so.
    fn start(words: &[String], first_words: &str) -> Process {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tickets"));
        // Should the test be killed, the pipe breaks and the process ends.
        command.args(words).arg("--with-parent").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let line = lines.by_ref().map_while(Result::ok).find(|line| line.starts_with(first_words));
        let line = line.unwrap_or_else(|| panic!("{words:?} ended without saying `{first_words}`"));
        let address = line.rsplit(' ').next().unwrap_or_default().to_owned();
        Process { child, lines, address }
    }

    pub fn all(parts: &Parts, flags: &[&str]) -> Process {
        Process::start(&words("all", parts, &[&["--port", "0"], flags].concat()), "listening on")
    }

    pub fn api(parts: &Parts, flags: &[&str]) -> Process {
        Process::start(&words("api", parts, &[&["--port", "0"], flags].concat()), "listening on")
    }

    pub fn worker(parts: &Parts, provider: &str, flags: &[&str]) -> Process {
        let url = format!("http://{provider}");
        Process::start(&words("worker", parts, &[&["--provider", url.as_str()], flags].concat()), "working")
    }

    /// On a free port, unless the flags say where.
    pub fn provider(flags: &[&str]) -> Process {
        let place: &[&str] =
            if flags.contains(&"--provider-address") { &[] } else { &["--provider-port", "0"] };
        let all = [&["provider"], place, flags].concat();
        Process::start(&all.into_iter().map(str::to_owned).collect::<Vec<_>>(), "listening on")
    }

    /// SIGTERM; gives how it ended.
    pub fn terminate(mut self) -> ExitStatus {
        kill_process(self.pid(), Signal::TERM).expect("it runs");
        self.child.wait().expect("it ends")
    }

    /// Closes its standard input; gives how it ended.
    pub fn orphan(mut self) -> ExitStatus {
        drop(self.child.stdin.take());
        self.child.wait().expect("it ends")
    }

    /// SIGKILL.
    pub fn kill(mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        // The pipe's other end is gone now.
        let _ = self.lines.by_ref().count();
    }
}

fn words(process: &str, parts: &Parts, flags: &[&str]) -> Vec<String> {
    let flags = flags.iter().map(|flag| (*flag).to_owned());
    std::iter::once(process.to_owned()).chain(parts.flags()).chain(flags).collect()
}
