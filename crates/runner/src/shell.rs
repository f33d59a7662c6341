//! Commands of a plan, run by `sh -c` in the plan's folder: how they are found,
//! how they end with us, and the last that they said.

use engine::{Clock as _, MonotonicClock};
use model::Nanos;
use std::ffi::OsString;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

/// Bytes of a command's last words that are kept, of which the last lines are told.
const LAST_BYTES: usize = 600;
const LAST_LINES: usize = 3;

/// How long the rest of what a command said is waited for once it has ended. A
/// process that it left behind may hold its output open for ever.
const READ_PATIENCE: Nanos = Nanos::from_millis(200);

/// Runs a command as the leading process of its group, beside a guard that
/// reads the standard input of both. Nothing is ever written there, so the guard
/// wakes when the other end is closed: when we have ended, however that was.
/// Then it ends the whole group, first kindly. It hears no kind signal itself.
const GUARDED: &str = r#"
exec 3<&0
{ trap '' TERM INT HUP; read -r _ <&3; kill -TERM 0; sleep 3; kill -KILL 0; } </dev/null >/dev/null 2>&1 &
exec 3<&-
exec sh -c "$1"
"#;

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

/// The same for a command that must not outlive us, not even if we are killed.
/// Its standard input must be a pipe, and it must lead a group of its own.
pub(crate) fn guarded(command: &str, folder: &Path) -> Command {
    let mut shell = shell(GUARDED, folder);
    shell.arg("sh").arg(command);
    shell
}

/// The search path with this program's own folder before all others.
pub(crate) fn path_with_own_folder() -> Option<OsString> {
    let own = std::env::current_exe().ok()?.parent()?.to_path_buf();
    let rest = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths([own].into_iter().chain(std::env::split_paths(&rest))).ok()
}

/// The end of what a command prints.
pub(crate) struct Words {
    bytes: Arc<Mutex<Vec<u8>>>,
}

impl Words {
    /// Pipes both outputs of a command, for [`Words::of`] to read.
    pub(crate) fn pipe(command: &mut Command) {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
    }

    /// Reads all that `child` prints, on threads of their own, so that it never
    /// blocks on a full pipe.
    pub(crate) fn of(child: &mut Child) -> Words {
        let words = Words { bytes: Arc::default() };
        words.read(child.stdout.take());
        words.read(child.stderr.take());
        words
    }

    fn read(&self, output: Option<impl Read + Send + 'static>) {
        let Some(mut output) = output else { return };
        let bytes = Arc::clone(&self.bytes);
        std::thread::spawn(move || {
            let mut buffer = [0; 4_096];
            while let Ok(count @ 1..) = output.read(&mut buffer) {
                let Ok(mut bytes) = bytes.lock() else { return };
                bytes.extend_from_slice(&buffer[..count]);
                let beyond = bytes.len().saturating_sub(LAST_BYTES);
                bytes.drain(..beyond);
            }
        });
    }

    /// The last of it so far, in one line.
    pub(crate) fn so_far(&self) -> String {
        let bytes = self.bytes.lock().map(|bytes| bytes.clone()).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        lines[lines.len().saturating_sub(LAST_LINES)..].join(" / ").replace(char::is_control, " ")
    }

    /// The last of what a command said that has ended.
    pub(crate) fn last(&self) -> String {
        let clock = MonotonicClock::starting_in(Nanos::ZERO);
        // Each thread that still reads holds the bytes too.
        while Arc::strong_count(&self.bytes) > 1 && clock.now() < READ_PATIENCE {
            clock.sleep_until(clock.now() + Nanos::from_millis(1));
        }
        self.so_far()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last_of(command: &str) -> String {
        let mut command = shell(command, Path::new("."));
        Words::pipe(&mut command);
        let mut child = command.spawn().expect("sh starts");
        let words = Words::of(&mut child);
        child.wait().expect("it ends, for all is read");
        words.last()
    }

    #[test]
    fn the_last_lines_of_a_command_are_told_in_one_whichever_output_they_came_by() {
        assert_eq!(last_of("seq 1 100000; printf 'no such\\ttable\\n\\n'"), "99999 / 100000 / no such table");
        assert_eq!(last_of("seq 1 100000 >&2"), "99998 / 99999 / 100000");
        let both = last_of("echo out; echo err >&2");
        assert!(both == "out / err" || both == "err / out", "{both}");
        assert_eq!(last_of("sleep 5 & echo gone"), "gone", "what it left behind is not waited for");
    }

    #[test]
    fn commands_are_looked_for_beside_this_program_first() {
        let path = path_with_own_folder().expect("a path");
        let own = std::env::current_exe().expect("this program");
        assert_eq!(std::env::split_paths(&path).next().as_deref(), own.parent());
    }
}
