//! Reads what the machine is and whether it is quiet, from `/proc` and `/sys`.

use engine::{Clock as _, MonotonicClock};
use model::{MachineFacts, Nanos};
use rustix::param::clock_ticks_per_second;
use rustix::process::{Resource, getrlimit};
use rustix::thread::{CpuSet, sched_getaffinity};
use std::fs::read_to_string;

/// The machine's facts; idle and steal are watched for `window` (not at all
/// if it is zero).
pub fn read_machine(window: Nanos) -> MachineFacts {
    let cpuinfo = read_to_string("/proc/cpuinfo").unwrap_or_default();
    let before = CpuTimes::read();
    let (mut idle_share, mut steal_share, mut watched) = (None, None, None);
    if window > Nanos::ZERO {
        let clock = MonotonicClock::starting_in(Nanos::ZERO);
        clock.sleep_until(window);
        if let (Some(before), Some(after)) = (before, CpuTimes::read()) {
            (idle_share, steal_share) = after.shares_since(before);
            watched = Some(clock.now());
        }
    }
    MachineFacts {
        processor: field(&cpuinfo, "model name"),
        cores: usable_cores(),
        memory_bytes: read_to_string("/proc/meminfo").ok().and_then(|text| memory_bytes(&text)),
        kernel: trimmed("/proc/sys/kernel/osrelease"),
        clock_source: trimmed("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        virtual_machine: field(&cpuinfo, "flags")
            .map(|flags| flags.split(' ').any(|flag| flag == "hypervisor")),
        governor: trimmed("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        descriptors: descriptors(),
        ports: trimmed("/proc/sys/net/ipv4/ip_local_port_range").and_then(|text| ports(&text)),
        load_1m: load_average(),
        idle_share,
        steal_share,
        watched,
    }
}

/// Load average over one minute.
pub(crate) fn load_average() -> Option<f64> {
    trimmed("/proc/loadavg").and_then(|text| text.split(' ').next()?.parse().ok())
}

/// Open files allowed to this process, soft and hard.
pub(crate) fn descriptors() -> Option<(u64, u64)> {
    let limit = getrlimit(Resource::Nofile);
    Some((limit.current?, limit.maximum?))
}

/// Most memory this process had resident so far.
pub(crate) fn peak_rss_bytes() -> Option<u64> {
    let text = read_to_string("/proc/self/status").ok()?;
    kibibytes(&text, "VmHWM")
}

/// First and last port for outgoing connections.
pub(crate) fn port_range() -> Option<(u16, u16)> {
    trimmed("/proc/sys/net/ipv4/ip_local_port_range").and_then(|text| ports(&text))
}

/// Whether this process may run on a core.
pub(crate) fn may_use(cpu: usize) -> bool {
    let exists = cpu < CpuSet::MAX_CPU;
    exists && sched_getaffinity(None).is_ok_and(|cores| cores.is_set(cpu))
}

fn usable_cores() -> Option<u32> {
    sched_getaffinity(None).ok().map(|cores| cores.count())
}

fn trimmed(path: &str) -> Option<String> {
    read_to_string(path).ok().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// The value of the first `name : value` line.
fn field(text: &str, name: &str) -> Option<String> {
    let line = text.lines().find(|line| line.split(':').next().is_some_and(|key| key.trim() == name))?;
    line.split_once(':').map(|(_, value)| value.trim().to_owned())
}

fn kibibytes(text: &str, name: &str) -> Option<u64> {
    field(text, name)?.strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib * 1_024)
}

fn memory_bytes(meminfo: &str) -> Option<u64> {
    kibibytes(meminfo, "MemTotal")
}

fn ports(text: &str) -> Option<(u16, u16)> {
    let mut numbers = text.split_whitespace().map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

/// Ticks of all cores since the machine started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CpuTimes {
    idle: u64,
    steal: u64,
    all: u64,
}

impl CpuTimes {
    pub(crate) fn read() -> Option<CpuTimes> {
        CpuTimes::parse(&read_to_string("/proc/stat").ok()?)
    }

    /// The line `cpu user nice system idle iowait irq softirq steal …`; guest
    /// times, which follow, are part of user already.
    pub(crate) fn parse(stat: &str) -> Option<CpuTimes> {
        let line = stat.lines().find_map(|line| line.strip_prefix("cpu "))?;
        let ticks: Vec<u64> = line.split_whitespace().take(8).map_while(|word| word.parse().ok()).collect();
        let [_, _, _, idle, iowait, _, _, steal] = ticks[..] else { return None };
        Some(CpuTimes { idle: idle + iowait, steal, all: ticks.iter().sum() })
    }

    /// CPU time that was neither idle nor stolen since `before`, of all cores together.
    pub(crate) fn busy_since(self, before: CpuTimes) -> Nanos {
        let busy = |times: CpuTimes| times.all.saturating_sub(times.idle + times.steal);
        Nanos(busy(self).saturating_sub(busy(before)) * 1_000_000_000 / clock_ticks_per_second())
    }

    /// Shares of all time that were idle and stolen since `before`; `None` if no tick has passed.
    pub(crate) fn shares_since(self, before: CpuTimes) -> (Option<f64>, Option<f64>) {
        let all = self.all.saturating_sub(before.all) as f64;
        let share = |now: u64, then: u64| (all > 0.0).then(|| now.saturating_sub(then) as f64 / all);
        (share(self.idle, before.idle), share(self.steal, before.steal))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_and_steal_are_shares_of_all_ticks_between_two_readings() {
        let before = CpuTimes::parse("cpu  100 0 50 800 50 0 0 0 0 0\ncpu0 1 2 3").expect("a cpu line");
        let after = CpuTimes::parse("cpu  110 0 60 860 60 0 0 10 0 0\n").expect("a cpu line");
        assert_eq!(after.shares_since(before), (Some(0.7), Some(0.1)));
        assert_eq!(after.shares_since(after), (None, None));
        assert_eq!(CpuTimes::parse("cpu 1 2 3"), None);
    }

    #[test]
    fn fields_and_numbers_are_read_and_garbage_is_unknown() {
        assert_eq!(memory_bytes("MemFree: 1 kB\nMemTotal:       24576 kB\n"), Some(24_576 * 1_024));
        assert_eq!(memory_bytes("MemTotal: lots"), None);
        assert_eq!(ports("32768\t60999"), Some((32_768, 60_999)));
        assert_eq!(ports("32768"), None);
        assert_eq!(field("model name\t: A: B\n", "model name").as_deref(), Some("A: B"));
    }

    #[test]
    fn this_machine_has_facts() {
        let facts = read_machine(Nanos::ZERO);
        assert!(facts.cores.is_some_and(|cores| cores > 0));
        assert!(facts.memory_bytes.is_some() && facts.descriptors.is_some() && facts.watched.is_none());
        assert!(peak_rss_bytes().is_some_and(|bytes| bytes > 100_000));
    }
}
