//! One program, run to its end on one core, and the CPU time it took as the
//! kernel counts it.

use crate::command;
use crate::failure::Failure;
use crate::say;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

/// What a program did.
pub struct Ran {
    /// What it printed.
    pub stdout: String,
    /// How it ended.
    pub status: ExitStatus,
    /// CPU time of it and all its threads, start and end included. The kernel
    /// shows it in hundredths of a second: 0.2 % of five seconds.
    pub cpu: Duration,
    /// By the clock on the wall.
    pub took: Duration,
}

/// A command that runs on `core` alone, if one is given.
pub fn on_core(core: Option<usize>, program: &Path) -> Command {
    match core {
        Some(core) => {
            let mut command = Command::new("taskset");
            command.arg("-c").arg(core.to_string()).arg(program);
            command
        }
        None => Command::new(program),
    }
}

/// Runs `command` to its end. No other child of ours may end meanwhile.
pub fn run(command: &mut Command) -> Result<Ran, Failure> {
    let before = ended_children_cpu()?;
    let (output, took) = say::timed(|| command.stdin(Stdio::null()).stderr(Stdio::piped()).output());
    let output = output.map_err(command::not_started(command))?;
    let cpu = ended_children_cpu()?.saturating_sub(before);
    if output.stdout.is_empty() {
        // Its words are the only hint at why there is nothing to read.
        say::error(String::from_utf8_lossy(&output.stderr).trim());
    }
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(Ran { stdout, status: output.status, cpu, took })
}

/// CPU time of all children that have ended and been waited for.
fn ended_children_cpu() -> Result<Duration, Failure> {
    let path = Path::new("/proc/self/stat");
    let stat = std::fs::read_to_string(path).map_err(Failure::file("read", path))?;
    let ticks = children_ticks(&stat)
        .ok_or_else(|| Failure::Output { command: "cat /proc/self/stat".to_owned(), what: stat.clone() })?;
    Ok(Duration::from_secs_f64(ticks as f64 / rustix::param::clock_ticks_per_second() as f64))
}

/// The fields cutime and cstime, 16 and 17, added. The name in the second may
/// hold anything, so we count from its closing bracket.
fn children_ticks(stat: &str) -> Option<u64> {
    let (_, rest) = stat.rsplit_once(") ")?;
    let mut fields = rest.split(' ').skip(16 - 3);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(user + system)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn childrens_time_is_read_behind_whatever_name() {
        let stat = "12 (a) b) S 1 2 3 4 5 6 7 8 9 10 111 222 30 4 20 0 1";
        assert_eq!(children_ticks(stat), Some(34));
        assert_eq!(children_ticks("12 (a) S 1"), None);
    }

    #[test]
    fn a_busy_child_is_charged_and_an_idle_one_is_not() {
        let mut busy = Command::new("sh");
        let busy = run(busy.args(["-c", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; echo done"]));
        let busy = busy.expect("it ran");
        assert_eq!(busy.stdout, "done\n");
        assert!(busy.status.success());
        let idle = run(Command::new("sleep").arg("0.05")).expect("it ran");
        assert!(idle.took >= Duration::from_millis(50), "{:?}", idle.took);
        // Children of other tests may end meanwhile, and are charged to us too.
        assert!(idle.cpu < busy.cpu / 2, "{:?} against {:?}", idle.cpu, busy.cpu);
    }
}
