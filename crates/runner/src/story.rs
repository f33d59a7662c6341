//! What the machine did before and during a run besides it, from `/proc`, `/sys`
//! and the system's log. No line of the log is kept, only how many came.

use crate::machine::CpuTimes;
use crate::tool::cpu_time;
use engine::{Clock as _, MonotonicClock};
use model::{MachineStory, Nanos};
use rustix::process::Pid;
use std::fs::{self, File, read_to_string};
use std::io::{Read as _, Seek as _, SeekFrom};

/// Where the system's log may lie, most telling first.
const LOGS: [&str; 3] = ["/var/log/kern.log", "/var/log/syslog", "/var/log/messages"];

/// A log that grew by more than this is counted up to here.
const MOST_LOG: u64 = 1 << 20;

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
    log: Option<(&'static str, u64)>,
}

impl StoryWatch {
    /// From now on; `service` is the service's process group.
    pub(crate) fn begin(before: Before, service: Option<Pid>) -> StoryWatch {
        let clock = MonotonicClock::starting_in(Nanos::ZERO);
        let log = LOGS.into_iter().find_map(|path| Some((path, fs::metadata(path).ok()?.len())));
        StoryWatch { before, service, clock, began: Counters::read(service, &clock), log }
    }

    /// Up to now.
    pub(crate) fn end(self) -> MachineStory {
        let (began, ended) = (&self.began, Counters::read(self.service, &self.clock));
        let length = ended.at.saturating_sub(began.at).as_secs_f64();
        let cores = |time: Nanos| (length > 0.0).then(|| time.as_secs_f64() / length);
        let service = ended.service.zip(began.service).map(|(now, then)| now.saturating_sub(then));
        let own = ended.own.zip(began.own).map(|(now, then)| now.saturating_sub(then));
        let busy = ended.cores.zip(began.cores).map(|(now, then)| now.busy_since(then));
        // Ticks are counted one by one for each process and all together for
        // the machine, so the difference may come out a little below nothing.
        let others = busy
            .zip(own)
            .map(|(busy, own)| busy.saturating_sub(own).saturating_sub(service.unwrap_or(Nanos::ZERO)));
        MachineStory {
            idle_before: self.before.idle,
            load_before: self.before.load,
            waited_for_quiet: self.before.waited,
            was_quiet: self.before.was_quiet,
            steal_share: ended.cores.zip(began.cores).and_then(|(now, then)| now.shares_since(then).1),
            other_cores: others.and_then(cores),
            throttled: ended.throttled.zip(began.throttled).map(|(now, then)| now.saturating_sub(then)),
            log_lines: self.log.and_then(|(path, from)| lines_since(path, from)),
            sessions: fs::read("/run/utmp").ok().map(|utmp| sessions(&utmp)),
            service_core_share: service.and_then(cores),
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

/// `cpu.stat` of the control group that we are in, of either version.
fn cgroup_stat() -> Option<String> {
    let groups = read_to_string("/proc/self/cgroup").ok()?;
    let path = groups.lines().find_map(|line| line.strip_prefix("0::")).unwrap_or("/");
    let version_2 = read_to_string(format!("/sys/fs/cgroup{}/cpu.stat", path.trim_end_matches('/')));
    version_2.or_else(|_| read_to_string("/sys/fs/cgroup/cpu/cpu.stat")).ok()
}

fn throttled(stat: &str) -> Option<u64> {
    stat.lines().find_map(|line| line.strip_prefix("nr_throttled "))?.trim().parse().ok()
}

/// Lines that a file gained since it was `from` bytes long; `None` if it was begun anew.
fn lines_since(path: &str, from: u64) -> Option<u64> {
    let mut file = File::open(path).ok()?;
    file.seek(SeekFrom::Start(from)).ok().filter(|_| file.metadata().is_ok_and(|now| now.len() >= from))?;
    let mut gained = Vec::new();
    file.take(MOST_LOG).read_to_end(&mut gained).ok()?;
    Some(gained.iter().filter(|byte| **byte == b'\n').count() as u64)
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

    #[test]
    fn what_others_do_is_what_is_busy_beside_tester_and_service() {
        let watch = StoryWatch::begin(Before { load: Some(0.4), ..Before::default() }, None);
        let clock = MonotonicClock::starting_in(Nanos::ZERO);
        let mut sum = 0u64;
        while clock.now() < Nanos::from_millis(300) {
            sum = sum.wrapping_mul(31).wrapping_add(clock.now().0);
        }
        let story = watch.end();
        assert!(sum > 0 && story.load_before == Some(0.4));
        // Our own burning is not the others'.
        let all = std::thread::available_parallelism().expect("cores").get() as f64;
        assert!(story.other_cores.is_some_and(|cores| cores <= all - 0.5), "{story:?}");
        assert_eq!(story.service_core_share, None);
    }

    #[test]
    fn counters_are_read_and_garbage_is_unknown() {
        assert_eq!(throttled("nr_periods 9\nnr_throttled 4\nthrottled_usec 12\n"), Some(4));
        assert_eq!(throttled("nr_throttled many"), None);
        assert_eq!(process_group("17 (a) b) S 1 12 12 0"), Some("12"));
        let mut utmp = vec![0; 384 * 3];
        utmp[384..386].copy_from_slice(&7u16.to_ne_bytes());
        assert_eq!((sessions(&utmp), sessions(b"short")), (1, 0));
    }

    #[test]
    fn lines_of_a_log_are_counted_from_where_it_was() {
        let log = tempfile::NamedTempFile::new().expect("a file");
        let path = log.path().to_str().expect("a path");
        fs::write(path, "old\n").expect("written");
        assert_eq!(lines_since(path, 4), Some(0));
        fs::write(path, "old\nnew\nnewer\n").expect("written");
        assert_eq!(lines_since(path, 4), Some(2));
        fs::write(path, "\n").expect("written");
        assert_eq!(lines_since(path, 4), None, "it was begun anew");
    }
}
