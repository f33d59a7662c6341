//! What the machine did before and during a run besides it, from `/proc`, `/sys`
//! and the system's log. No line of the log is kept, only how many came.

use crate::machine::CpuTimes;
use crate::system_log::SystemLog;
use crate::tool::cpu_time;
use engine::{Clock as _, MonotonicClock};
use model::{MachineStory, Nanos};
use rustix::process::Pid;
use std::fs::{self, read_to_string};

/// What was seen before a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Before {
    pub idle: Option<f64>,
    pub load: Option<f64>,
    pub waited: Nanos,
    pub was_quiet: Option<bool>,
}

/// Counters of the machine at one moment.
struct Counters {
    cores: Option<CpuTimes>,
    /// CPU time of this process and of every child that it has waited for.
    own: Option<Nanos>,
    service: Option<Nanos>,
    throttled: Option<u64>,
    at: Nanos,
}

/// Watches the machine over one run.
pub(crate) struct StoryWatch {
    before: Before,
    service: Option<Pid>,
    clock: MonotonicClock,
    began: Counters,
    log: Option<SystemLog>,
}

impl StoryWatch {
    /// From now on; `service` is the service's process group.
    pub(crate) fn begin(before: Before, service: Option<Pid>) -> StoryWatch {
        let clock = MonotonicClock::starting_in(Nanos::ZERO);
        let (began, log) = (Counters::read(service, &clock), SystemLog::from_now_on());
        StoryWatch { before, service, clock, began, log }
    }

    /// Up to now.
    pub(crate) fn end(self) -> MachineStory {
        let ended = Counters::read(self.service, &self.clock);
        MachineStory {
            idle_before: self.before.idle,
            load_before: self.before.load,
            waited_for_quiet: self.before.waited,
            was_quiet: self.before.was_quiet,
            log_lines: self.log.and_then(SystemLog::lines),
            sessions: fs::read("/run/utmp").ok().map(|utmp| sessions(&utmp)),
            ..ended.since(&self.began)
        }
    }
}

impl Counters {
    fn read(service: Option<Pid>, clock: &MonotonicClock) -> Counters {
        Counters {
            cores: CpuTimes::read(),
            own: read_to_string("/proc/self/stat").ok().and_then(|stat| cpu_time(&stat)),
            service: service.map(group_cpu),
            throttled: cgroup_stat().and_then(|stat| throttled(&stat)),
            at: clock.now(),
        }
    }

    /// What they tell of the time since `before`.
    fn since(&self, before: &Counters) -> MachineStory {
        let length = self.at.saturating_sub(before.at).as_secs_f64();
        let cores = |time: Nanos| (length > 0.0).then(|| time.as_secs_f64() / length);
        let used = |now: Option<Nanos>, then| Some(now?.saturating_sub(then?));
        let service = used(self.service, before.service);
        let own = used(self.own, before.own);
        let times = self.cores.zip(before.cores);
        let busy = times.map(|(now, then)| now.busy_since(then));
        // Ticks are counted one by one for each process and all together for
        // the machine, so the difference may come out a little below nothing.
        let others = busy
            .zip(own)
            .map(|(busy, own)| busy.saturating_sub(own).saturating_sub(service.unwrap_or(Nanos::ZERO)));
        MachineStory {
            steal_share: times.and_then(|(now, then)| now.shares_since(then).1),
            other_cores: others.and_then(cores),
            throttled: self.throttled.zip(before.throttled).map(|(now, then)| now.saturating_sub(then)),
            service_core_share: service.and_then(cores),
            ..MachineStory::default()
        }
    }
}

/// CPU time of every process in a group, and of the children they waited for.
fn group_cpu(group: Pid) -> Nanos {
    let group = group.as_raw_nonzero().to_string();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let stats = processes.filter_map(|entry| read_to_string(entry.path().join("stat")).ok());
    let of_group = stats.filter(|stat| process_group(stat) == Some(&group));
    of_group.filter_map(|stat| cpu_time(&stat)).fold(Nanos::ZERO, |sum, cpu| sum + cpu)
}

/// Field 5 of `stat`, the third after the program's name.
fn process_group(stat: &str) -> Option<&str> {
    stat.rsplit_once(')')?.1.split_whitespace().nth(2)
}

/// `cpu.stat` of the control group that we are in.
fn cgroup_stat() -> Option<String> {
    let groups = read_to_string("/proc/self/cgroup").ok()?;
    cgroup_stats(&groups).into_iter().find_map(|path| read_to_string(path).ok())
}

/// Where it may lie, by the lines `NUMBER:CONTROLLERS:GROUP` of
/// `/proc/self/cgroup`: version 1 names its controllers, version 2 none.
fn cgroup_stats(groups: &str) -> Vec<String> {
    let stat = |line: &str| {
        let (controllers, group) = line.split_once(':')?.1.split_once(':')?;
        let group = group.trim_end_matches('/');
        match controllers {
            "" => Some(format!("/sys/fs/cgroup{group}/cpu.stat")),
            _ if controllers.split(',').any(|one| one == "cpu") => {
                Some(format!("/sys/fs/cgroup/{controllers}{group}/cpu.stat"))
            }
            _ => None,
        }
    };
    groups.lines().filter_map(stat).collect()
}

fn throttled(stat: &str) -> Option<u64> {
    stat.lines().find_map(|line| line.strip_prefix("nr_throttled "))?.trim().parse().ok()
}

/// Records of people's sessions (type 7) in a utmp file, whose records are 384
/// bytes long and begin with their type as a 16-bit number.
fn sessions(utmp: &[u8]) -> u32 {
    const RECORD: usize = 384;
    const USER: [u8; 2] = 7u16.to_ne_bytes();
    utmp.chunks_exact(RECORD).filter(|record| record[..2] == USER).count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At a moment in seconds: all cores' ticks (busy, idle, stolen), and the
    /// CPU time of tester and service.
    fn at(seconds: u64, [busy, idle, steal]: [u64; 3], own: Option<u64>, service: Option<u64>) -> Counters {
        let per_second = rustix::param::clock_ticks_per_second();
        let [busy, idle, steal] = [busy, idle, steal].map(|seconds| seconds * per_second);
        Counters {
            cores: CpuTimes::parse(&format!("cpu  {busy} 0 0 {idle} 0 0 0 {steal} 0 0\n")),
            own: own.map(Nanos::from_secs),
            service: service.map(Nanos::from_secs),
            throttled: Some(seconds),
            at: Nanos::from_secs(seconds),
        }
    }

    #[test]
    fn what_others_do_is_what_is_busy_beside_tester_and_service() {
        let before = at(10, [100, 100, 0], Some(3), Some(50));
        // Over ten seconds of two cores: 12 busy, of them 1 ours and 9 the service's.
        let story = at(20, [112, 106, 2], Some(4), Some(59)).since(&before);
        assert_eq!(story.other_cores, Some(0.2));
        assert_eq!(story.service_core_share, Some(0.9));
        assert_eq!((story.steal_share, story.throttled), (Some(0.1), Some(10)));
        let story = at(20, [112, 108, 0], None, None).since(&before);
        assert_eq!((story.other_cores, story.service_core_share), (None, None));
        let story = at(20, [101, 119, 0], Some(5), Some(50)).since(&before);
        assert_eq!(story.other_cores, Some(0.0), "never below nothing");
    }

    #[test]
    fn a_run_on_this_machine_has_a_story() {
        let before = Before { load: Some(0.4), was_quiet: Some(true), ..Before::default() };
        let watch = StoryWatch::begin(before, Some(rustix::process::getpgrp()));
        watch.clock.sleep_until(Nanos::from_millis(50));
        let story = watch.end();
        assert_eq!((story.load_before, story.was_quiet), (Some(0.4), Some(true)));
        assert!(story.other_cores.is_some() && story.service_core_share.is_some(), "{story:?}");
    }

    #[test]
    fn counters_are_read_and_garbage_is_unknown() {
        assert_eq!(throttled("nr_periods 9\nnr_throttled 4\nthrottled_usec 12\n"), Some(4));
        assert_eq!(throttled("nr_throttled many"), None);
        assert_eq!(
            cgroup_stats("3:memory:/a\n2:cpu,cpuacct:/a/b\n1:name=systemd:/\n0::/\nodd"),
            ["/sys/fs/cgroup/cpu,cpuacct/a/b/cpu.stat", "/sys/fs/cgroup/cpu.stat"]
        );
        assert_eq!(process_group("17 (a) b) S 1 12 12 0"), Some("12"));
        let mut utmp = vec![0; 384 * 3];
        utmp[384..386].copy_from_slice(&7u16.to_ne_bytes());
        assert_eq!((sessions(&utmp), sessions(b"short")), (1, 0));
    }
}
