//! Reads how much CPU time and memory a command and all it started have used,
//! from `/proc`.
//!
//! The kernel gives these times in ticks of 10 ms, so a reading is up to two
//! ticks too low; over a run of many seconds that is below one percent. Only
//! descendants are read, not every process of the machine: watching costs the
//! machine a fraction of a percent of one core.

use model::{Nanos, Span};
use rustix::param::clock_ticks_per_second;
use rustix::process::Pid;
use std::fs::{read_dir, read_to_string};

/// Watches the process that leads a command, and its descendants.
#[derive(Debug)]
pub(super) struct Meter {
    leader: Pid,
    /// Moment and CPU time up to then, both never falling; starts at zero.
    readings: Vec<(Nanos, Nanos)>,
    peak_rss_bytes: u64,
}

impl Meter {
    /// Of a process that was started at `began`.
    pub(super) fn new(leader: Pid, began: Nanos) -> Meter {
        Meter { leader, readings: vec![(began, Nanos::ZERO)], peak_rss_bytes: 0 }
    }

    /// Takes a reading. The leader may have ended, as long as nobody has waited
    /// for it: then it stands for all that it waited for, and the reading is final.
    pub(super) fn read(&mut self, now: Nanos) {
        let (mut cpu, mut rss_bytes) = (Nanos::ZERO, 0);
        let mut processes = vec![self.leader.as_raw_nonzero().get()];
        while let Some(pid) = processes.pop() {
            // A process may end between two of these lines; then it is its
            // parent's to tell from the next reading on.
            let stat = read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            cpu += cpu_time(&stat).unwrap_or(Nanos::ZERO);
            let status = read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
            rss_bytes += peak_rss_bytes(&status).unwrap_or(0);
            processes.extend(children(pid));
        }
        let (last, used) = self.last();
        self.readings.push((now.max(last), cpu.max(used)));
        self.peak_rss_bytes = self.peak_rss_bytes.max(rss_bytes);
    }

    /// CPU time of the whole life up to the last reading.
    pub(super) fn used(&self) -> Nanos {
        self.last().1
    }

    /// CPU time within `span`; between two readings it is taken to be used evenly.
    pub(super) fn used_within(&self, span: Span) -> Nanos {
        self.used_by(span.ended).saturating_sub(self.used_by(span.began))
    }

    /// The most memory that was resident: the sum of each process's own peak,
    /// which need not have come at one moment. `None` if it could not be read.
    pub(super) fn peak_rss_bytes(&self) -> Option<u64> {
        (self.peak_rss_bytes > 0).then_some(self.peak_rss_bytes)
    }

    fn last(&self) -> (Nanos, Nanos) {
        self.readings[self.readings.len() - 1]
    }

    fn used_by(&self, moment: Nanos) -> Nanos {
        let after = self.readings.partition_point(|(at, _)| *at <= moment);
        let Some(&(from, before)) = after.checked_sub(1).and_then(|last| self.readings.get(last)) else {
            return Nanos::ZERO;
        };
        let Some(&(to, then)) = self.readings.get(after) else { return before };
        let share = (moment - from).0 as f64 / (to - from).0 as f64;
        before + Nanos(((then - before).0 as f64 * share) as u64)
    }
}

/// User and system time of a process, and of those of its children that it has
/// waited for: fields 14 to 17 of its `stat`. The second field is the
/// program's name in parentheses, which may itself hold any of both.
pub(crate) fn cpu_time(stat: &str) -> Option<Nanos> {
    let (_, after_name) = stat.rsplit_once(')')?;
    let mut fields = after_name.split_whitespace().skip(11);
    let mut ticks = 0u64;
    for _ in 0..4 {
        ticks = ticks.checked_add(fields.next()?.parse().ok()?)?;
    }
    Some(Nanos(ticks.checked_mul(1_000_000_000)? / clock_ticks_per_second()))
}

/// The line `VmHWM:     5096 kB` of a process's `status`; a dead one has none.
fn peak_rss_bytes(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib * 1_024)
}

/// Processes that any thread of `pid` has started and that still run.
fn children(pid: i32) -> Vec<i32> {
    let threads = read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let lists = threads.filter_map(|thread| read_to_string(thread.path().join("children")).ok());
    lists
        .flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meter(readings: &[(u64, u64)]) -> Meter {
        let readings = readings.iter().map(|(at, used)| (Nanos(*at), Nanos(*used))).collect();
        Meter { leader: rustix::process::getpid(), readings, peak_rss_bytes: 0 }
    }

    #[test]
    fn between_two_readings_cpu_is_used_evenly_and_beyond_them_not_at_all() {
        let meter = meter(&[(100, 0), (200, 50), (300, 50), (400, 90)]);
        let within = |began, ended| meter.used_within(Span { began: Nanos(began), ended: Nanos(ended) }).0;
        assert_eq!((within(0, 100), within(100, 200), within(150, 250)), (0, 50, 25));
        assert_eq!((within(300, 350), within(0, 1_000), within(500, 600)), (20, 90, 0));
        assert_eq!(meter.used(), Nanos(90));
    }

    #[test]
    fn the_times_of_a_process_are_found_behind_any_name() {
        let stat = "7 (a b) c) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 20 0";
        let tick = 1_000_000_000 / clock_ticks_per_second();
        assert_eq!(cpu_time(stat), Some(Nanos((11 + 12 + 13 + 14) * tick)));
        assert_eq!((cpu_time(""), cpu_time("7 (a) S 1")), (None, None));
    }

    #[test]
    fn memory_is_read_in_bytes_and_unknown_where_there_is_none() {
        assert_eq!(peak_rss_bytes("Name:\tcat\nVmHWM:\t    5096 kB\nVmRSS:\t 1 kB\n"), Some(5_096 * 1_024));
        assert_eq!(peak_rss_bytes("Name:\tcat\nState:\tZ (zombie)\n"), None);
    }

    #[test]
    fn this_process_and_its_children_are_read() {
        let mut child = std::process::Command::new("cat")
            .stdin(std::process::Stdio::piped())
            .spawn()
            .expect("cat starts");
        let me = rustix::process::getpid();
        assert!(children(me.as_raw_nonzero().get()).contains(&(child.id() as i32)));
        let mut meter = Meter::new(me, Nanos::ZERO);
        meter.read(Nanos(1));
        assert!(meter.peak_rss_bytes().is_some_and(|bytes| bytes > 100_000));
        drop(child.stdin.take());
        child.wait().expect("cat ends");
    }
}
