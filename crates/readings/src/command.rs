//! What a command prints: one number, or lines of a name and a number.

use crate::probe::{Ask, beginning, number};
use crate::taking::Hands;
use crate::{Now, Numbers};
use model::Nanos;
use rustix::process::{Pid, Signal, kill_process_group};
use std::io::Read;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// The column of a command that prints one number.
const VALUE: &str = "value";

/// What is read of an output at most.
const MOST: u64 = 64 * 1024;

pub(crate) struct CommandProbe {
    line: String,
    folder: PathBuf,
    now: Now,
}

impl CommandProbe {
    pub(crate) fn new(line: &str, folder: &Path, hands: &Hands) -> CommandProbe {
        CommandProbe { line: line.to_owned(), folder: folder.to_owned(), now: hands.now.clone() }
    }

    fn start(&self) -> Result<Child, String> {
        let mut command = Command::new("sh");
        command.args(["-c", &self.line]).current_dir(&self.folder).process_group(0);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().map_err(|error| format!("it cannot be run: {error}"))
    }
}

impl Ask for CommandProbe {
    fn ask(&mut self, patience: Duration) -> Result<Numbers, String> {
        let limit = (self.now)().saturating_add(Nanos(patience.as_nanos() as u64));
        let mut child = self.start()?;
        let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let (printed, said) = (read(child.stdout.take()), read(child.stderr.take()));
        let left = || Duration::from_nanos(limit.saturating_sub((self.now)()).0);
        // Its output ends when the last of its processes has ended or closed it.
        let whole = printed.recv_timeout(left()).and_then(|text| Ok((text, said.recv_timeout(left())?)));
        let Ok((text, said)) = whole else {
            // It may have ended by itself just now; nothing of it is left then.
            let _ = group.map(|group| kill_process_group(group, Signal::KILL));
            let _ = child.wait();
            return Err(format!("it did not end within {}", Nanos(patience.as_nanos() as u64)));
        };
        let status = child.wait().map_err(|error| format!("how it ended is unknown: {error}"))?;
        if !status.success() {
            return Err(ended(status, &said));
        }
        numbers(&text)
    }
}

/// A stream's whole text, read on a thread of its own.
fn read(stream: Option<impl Read + Send + 'static>) -> Receiver<String> {
    let (tell, told) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(stream) = stream {
            // What cannot be read is not there.
            let _ = stream.take(MOST).read_to_end(&mut bytes);
        }
        let _ = tell.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    told
}

fn ended(status: ExitStatus, said: &str) -> String {
    match said.trim().lines().last() {
        Some(last) => format!("it ended with {status}: {}", beginning(last)),
        None => format!("it ended with {status}"),
    }
}

fn numbers(text: &str) -> Result<Numbers, String> {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    match lines[..] {
        [] => Err("it printed nothing".to_owned()),
        [one] if one.split_whitespace().count() == 1 => {
            number(one).map(|value| vec![(VALUE.to_owned(), Ok(value))])
        }
        _ => lines.iter().map(|line| pair(line)).collect(),
    }
}

fn pair(line: &str) -> Result<(String, Result<f64, String>), String> {
    let (name, value) = line
        .rsplit_once(|c: char| c.is_whitespace() || c == '=' || c == ':')
        .ok_or_else(|| format!("{:?} is no name and number", beginning(line)))?;
    let name = name.trim().trim_end_matches([':', '=']).trim();
    Ok((name.to_owned(), number(value)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::taking::test_hands;

    fn ask(line: &str) -> Result<Numbers, String> {
        let folder = tempfile::tempdir().expect("a folder");
        CommandProbe::new(line, folder.path(), &test_hands()).ask(Duration::from_secs(20))
    }

    #[test]
    fn one_number_or_lines_of_names_and_numbers() {
        assert_eq!(ask("echo 12.5"), Ok(vec![("value".to_owned(), Ok(12.5))]));
        let found = ask("printf 'queued 3\\ndead: 0\\noldest=1.5\\nstate x\\n'");
        let column = |name: &str, value: Result<f64, &str>| (name.to_owned(), value.map_err(str::to_owned));
        let expected = [
            column("queued", Ok(3.0)),
            column("dead", Ok(0.0)),
            column("oldest", Ok(1.5)),
            column("state", Err("it is text: \"x\"")),
        ];
        assert_eq!(found, Ok(expected.to_vec()));
    }

    #[test]
    fn a_command_that_fails_or_says_nothing_is_a_gap() {
        assert_eq!(ask("true"), Err("it printed nothing".to_owned()));
        assert_eq!(ask("echo soon"), Err("it is text: \"soon\"".to_owned()));
        assert_eq!(ask("echo sorry >&2; exit 3"), Err("it ended with exit status: 3: sorry".to_owned()));
    }

    #[test]
    fn a_command_that_does_not_end_is_ended_with_all_it_started() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut probe = CommandProbe::new("sleep 600 & echo $! > child; wait", folder.path(), &test_hands());
        let said = probe.ask(Duration::from_millis(500)).expect_err("no number");
        assert_eq!(said, "it did not end within 500 ms");
        let child = std::fs::read_to_string(folder.path().join("child")).expect("its number");
        let path = format!("/proc/{}/stat", child.trim());
        let lives = || std::fs::read_to_string(&path).is_ok_and(|stat| !stat.contains(") Z "));
        // A signal takes effect a moment after it was sent.
        let (_never, wait) = channel::<()>();
        for _ in 0..100 {
            if !lives() {
                return;
            }
            let _ = wait.recv_timeout(Duration::from_millis(50));
        }
        panic!("it goes on: {:?}", std::fs::read_to_string(&path));
    }
}
