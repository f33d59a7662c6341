//! Runs a command to its end, in a process group of its own, and watches what
//! it costs. Whatever happens, nothing of it is left running.

use super::error::ToolProblem;
use super::meter::Meter;
use engine::{Clock as _, MonotonicClock};
use model::Nanos;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// How often it is looked whether the command has ended.
const LOOK_EVERY: Nanos = Nanos::from_millis(20);

/// How often its CPU time is read. At both edges of the counted part the time
/// between two readings is interpolated.
const READ_EVERY: Nanos = Nanos::from_millis(100);

/// How long a command may take to end when it is asked to, before it is
/// killed: Locust writes its last files then.
const STOP_PATIENCE: Nanos = Nanos::from_secs(5);

/// A command that runs; ends with its value.
pub(super) struct Running {
    child: Child,
    group: Pid,
    clock: MonotonicClock,
    meter: Meter,
    stop_patience: Nanos,
    ended: bool,
}

/// How a command came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// By itself.
    Exited(ExitStatus),
    /// We were told to stop, and so was it.
    Stopped,
    /// Its time was up.
    Overran,
}

impl Running {
    /// Starts it. `clock` starts at this moment or before.
    pub(super) fn start(mut command: Command, clock: MonotonicClock) -> Result<Running, ToolProblem> {
        // A guarded command ends when our end of this pipe is closed.
        command.stdin(Stdio::piped()).process_group(0);
        let child = command.spawn().map_err(|source| ToolProblem::System { doing: "start", source })?;
        let group = Pid::from_child(&child);
        let meter = Meter::new(group, clock.now());
        Ok(Running { child, group, clock, meter, stop_patience: STOP_PATIENCE, ended: false })
    }

    /// Waits for its end: its own, or at `limit`, or when `stop` is set.
    /// `look` is called many times a second meanwhile.
    pub(super) fn wait(
        mut self,
        limit: Nanos,
        stop: &AtomicBool,
        look: &mut dyn FnMut(Nanos),
    ) -> Result<(Ending, Meter), ToolProblem> {
        let mut read = Nanos::ZERO;
        let ending = loop {
            let now = self.clock.now();
            if self.has_ended()? {
                break Ending::Exited(self.reap()?);
            }
            if stop.load(Relaxed) || now >= limit {
                self.ask_to_end()?;
                self.reap()?;
                break if stop.load(Relaxed) { Ending::Stopped } else { Ending::Overran };
            }
            if now >= read + READ_EVERY {
                self.meter.read(now);
                read = now;
            }
            look(now);
            self.clock.sleep_until(now + LOOK_EVERY);
        };
        Ok((ending, std::mem::replace(&mut self.meter, Meter::new(self.group, Nanos::ZERO))))
    }

    /// Whether its first process has ended. It is left for [`Running::reap`],
    /// so that its last CPU time can still be read.
    fn has_ended(&self) -> Result<bool, ToolProblem> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let status = waitid(WaitId::Pid(self.group), options);
        let status = status.map_err(|error| ToolProblem::System { doing: "watch", source: error.into() })?;
        Ok(status.is_some())
    }

    /// Takes the last reading, ends whatever it left behind and waits for it.
    fn reap(&mut self) -> Result<ExitStatus, ToolProblem> {
        self.meter.read(self.clock.now());
        self.kill();
        self.ended = true;
        self.child.wait().map_err(|source| ToolProblem::System { doing: "wait for", source })
    }

    fn ask_to_end(&self) -> Result<(), ToolProblem> {
        // It may have ended by itself; waiting finds that out.
        let _ = kill_process_group(self.group, Signal::TERM);
        let limit = self.clock.now() + self.stop_patience;
        while !self.has_ended()? {
            if self.clock.now() >= limit {
                self.kill();
            }
            self.clock.sleep_until(self.clock.now() + LOOK_EVERY);
        }
        Ok(())
    }

    /// Kills the whole group. The first process is ours to wait for until
    /// [`Running::reap`] is over, so the group's number is still its own.
    fn kill(&self) {
        let _ = kill_process_group(self.group, Signal::KILL);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.ended {
            self.kill();
            let _ = self.child.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Running {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        Running::start(command, MonotonicClock::starting_in(Nanos::ZERO)).expect("sh starts")
    }

    fn wait(running: Running, limit: Nanos, stop: bool) -> (Ending, Meter) {
        running.wait(limit, &AtomicBool::new(stop), &mut |_| {}).expect("it is waited for")
    }

    #[test]
    fn its_own_end_is_told_with_its_status_and_the_cpu_of_all_it_started() {
        let busy = "sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done' & wait; exit 3";
        let (ending, meter) = wait(shell(busy), Nanos::from_secs(60), false);
        let Ending::Exited(status) = ending else { panic!("{ending:?}") };
        assert_eq!(status.code(), Some(3));
        assert!(meter.used() >= Nanos::from_millis(20), "{:?}", meter.used());
    }

    #[test]
    fn one_that_overruns_or_is_stopped_is_ended_though_it_does_not_want_to() {
        let stubborn = "trap '' TERM; echo; while :; do sleep 0.01; done";
        for (script, limit, stop, expected) in [
            (stubborn, Nanos::from_millis(200), false, Ending::Overran),
            ("exec sleep 60", Nanos::from_secs(60), true, Ending::Stopped),
        ] {
            let mut running = shell(script);
            running.stop_patience = Nanos::from_millis(50);
            let group = running.group;
            assert_eq!(wait(running, limit, stop).0, expected);
            assert!(all_gone(group), "something of `{script}` still runs");
        }
    }

    #[test]
    fn what_it_leaves_in_the_background_ends_with_it() {
        let running = shell("sleep 60 & exit 0");
        let group = running.group;
        let (ending, _) = wait(running, Nanos::from_secs(60), false);
        assert!(matches!(ending, Ending::Exited(status) if status.success()));
        assert!(all_gone(group));
    }

    #[test]
    fn one_that_is_guarded_ends_with_all_it_started_when_we_are_gone() {
        let command = crate::shell::guarded("sleep 60 & exec sleep 60", std::path::Path::new("."));
        let mut running =
            Running::start(command, MonotonicClock::starting_in(Nanos::ZERO)).expect("sh starts");
        // What the kernel does when we are killed: it closes our end of the pipe.
        drop(running.child.stdin.take());
        let group = running.group;
        let (ending, _) = wait(running, Nanos::from_secs(60), false);
        let Ending::Exited(status) = ending else { panic!("{ending:?}") };
        assert!(!status.success(), "it was ended by the guard: {status}");
        assert!(all_gone(group));
    }

    #[test]
    fn one_that_is_dropped_is_killed() {
        let running = shell("exec sleep 60");
        let group = running.group;
        assert_eq!(alive(group), 1);
        drop(running);
        assert!(all_gone(group));
    }

    /// A killed process takes a moment to die.
    fn all_gone(group: Pid) -> bool {
        let clock = MonotonicClock::starting_in(Nanos::ZERO);
        while alive(group) > 0 && clock.now() < Nanos::from_secs(5) {
            clock.sleep_until(clock.now() + Nanos::from_millis(1));
        }
        alive(group) == 0
    }

    /// Processes of a group that are neither dead nor dying: a killed orphan
    /// may stay listed until the machine's first process has waited for it.
    fn alive(group: Pid) -> usize {
        let processes = std::fs::read_dir("/proc").expect("/proc").flatten();
        let stats = processes.filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok());
        let group = group.as_raw_nonzero().to_string();
        stats
            .filter(|stat| {
                let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
                let fields: Vec<&str> = after_name.split_whitespace().take(3).collect();
                matches!(fields[..], [state, _, of] if of == group && !matches!(state, "Z" | "X"))
            })
            .count()
    }
}
