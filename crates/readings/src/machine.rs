//! The machine, as Linux tells of it: CPU, steal, memory, load.

use crate::Numbers;
use crate::probe::Ask;
use std::fs::read_to_string;
use std::time::Duration;

/// Remembers the CPU's counters, whose difference is a share.
#[derive(Default)]
pub(crate) struct MachineProbe {
    before: Option<Ticks>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Ticks {
    all: u64,
    idle: u64,
    steal: u64,
}

impl Ask for MachineProbe {
    fn ask(&mut self, _patience: Duration) -> Result<Numbers, String> {
        let text = |path: &str| read_to_string(path).map_err(|error| format!("{path}: {error}"));
        let memory = text("/proc/meminfo")?;
        let now = ticks(&text("/proc/stat")?).ok_or("/proc/stat has another form")?;
        let mut numbers = Vec::new();
        // Shares are those of the time since the last asking, and the first has none.
        if let Some(before) = self.before.replace(now) {
            numbers.extend(shares(before, now));
        }
        let load = text("/proc/loadavg")?;
        let load = load.split(' ').next().and_then(|load| load.parse().ok());
        numbers.push(("load_1m".to_owned(), load.ok_or_else(|| "/proc/loadavg has another form".to_owned())));
        let of = |name: &str| kibibytes(&memory, name).ok_or_else(|| format!("/proc/meminfo has no {name}"));
        let used = of("MemTotal").and_then(|total| Ok(total - of("MemAvailable")?));
        numbers.push(("memory_used_bytes".to_owned(), used.map(|kib| (kib * 1_024) as f64)));
        Ok(numbers)
    }
}

fn shares(before: Ticks, now: Ticks) -> Numbers {
    let passed = now.all.saturating_sub(before.all);
    let share = |before: u64, now: u64| {
        if passed == 0 {
            Err("no time has passed".to_owned())
        } else {
            Ok(now.saturating_sub(before) as f64 / passed as f64)
        }
    };
    let busy = share(before.idle, now.idle).map(|idle| (1.0 - idle).max(0.0));
    vec![("cpu_busy_share".to_owned(), busy), ("steal_share".to_owned(), share(before.steal, now.steal))]
}

/// The first line: `cpu user nice system idle iowait irq softirq steal guest guest_nice`.
/// Guests' time is part of user and nice.
fn ticks(stat: &str) -> Option<Ticks> {
    let numbers = stat.lines().next()?.strip_prefix("cpu ")?.split_whitespace();
    let numbers: Vec<u64> = numbers.take(8).map(|number| number.parse().ok()).collect::<Option<_>>()?;
    let [user, nice, system, idle, iowait, irq, softirq, steal] = numbers[..] else { return None };
    let idle = idle + iowait;
    Some(Ticks { all: user + nice + system + idle + irq + softirq + steal, idle, steal })
}

fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_those_of_the_time_between_two_askings() {
        let stat = "cpu  100 0 50 800 50 0 0 0 0 0\ncpu0 1 2\n";
        let later = "cpu  130 0 60 840 60 0 0 10 0 0\n";
        let found = shares(ticks(stat).expect("ticks"), ticks(later).expect("ticks"));
        assert_eq!(found, [("cpu_busy_share".to_owned(), Ok(0.5)), ("steal_share".to_owned(), Ok(0.1))]);
        assert_eq!(ticks("cpu 1 2 3"), None);
    }

    #[test]
    fn this_machine_has_a_load_and_memory_and_from_the_second_time_shares() {
        let mut probe = MachineProbe::default();
        let names = |numbers: Numbers| numbers.into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        let patience = Duration::from_secs(1);
        assert_eq!(names(probe.ask(patience).expect("numbers")), ["load_1m", "memory_used_bytes"]);
        let second = probe.ask(patience).expect("numbers");
        assert!(second.iter().any(
            |(name, value)| name == "memory_used_bytes" && value.as_ref().is_ok_and(|bytes| *bytes > 1e6)
        ));
        assert_eq!(names(second), ["cpu_busy_share", "steal_share", "load_1m", "memory_used_bytes"]);
    }
}
