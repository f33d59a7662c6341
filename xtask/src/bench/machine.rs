//! What the machine is, as far as it bears on a number. Nothing here names the
//! machine, its owner or its network.

use crate::command;
use crate::failure::Failure;
use std::fmt;
use std::process::Command;

/// Facts that go beside every result.
#[derive(Debug)]
pub struct Machine {
    date: String,
    commit: String,
    cores: usize,
    processor: String,
    kernel: String,
    load: String,
}

impl Machine {
    /// Reads them.
    pub fn read() -> Result<Machine, Failure> {
        let ask = |program: &str, arguments: &[&str]| {
            let mut command = Command::new(program);
            let text = command::output(command.args(arguments).current_dir(command::root()))?;
            Ok(text.trim().to_owned())
        };
        let load = file("/proc/loadavg");
        Ok(Machine {
            date: ask("date", &["-u", "+%F"])?,
            commit: ask("git", &["rev-parse", "--short", "HEAD"])?,
            cores: allowed_cores()?.len(),
            processor: processor(&file("/proc/cpuinfo")),
            kernel: file("/proc/sys/kernel/osrelease").trim().to_owned(),
            load: load.split(' ').next().unwrap_or_default().to_owned(),
        })
    }

    /// `2026-11-30-2-cores-intel-r-xeon-r-processor`.
    pub fn slug(&self) -> String {
        let words = format!("{} {} cores {}", self.date, self.cores, self.processor).to_lowercase();
        let parts = words.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join("-")
    }

    /// A few lines under a heading.
    pub fn markdown(&self) -> String {
        format!(
            "{self}\n\nMedians, with the least and the largest beside them. Ratios are taken turn by turn."
        )
    }

    /// The same for machines.
    pub fn json(&self) -> serde_json::Value {
        serde_json::json!({
            "date": self.date, "commit": self.commit, "cores": self.cores,
            "processor": self.processor, "kernel": self.kernel, "load_1m": self.load.parse::<f64>().ok(),
        })
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Machine { date, commit, cores, processor, kernel, load } = self;
        write!(out, "{date}, commit {commit}: {cores} cores, {processor}, Linux {kernel}, load {load}")
    }
}

/// Which core nginx has and which the tester.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cores {
    /// nginx's.
    pub server: Option<usize>,
    /// The tester's.
    pub tester: Option<usize>,
}

impl Cores {
    /// The first two that we may use; none on a machine with one.
    pub fn choose() -> Result<Cores, Failure> {
        Ok(match *allowed_cores()? {
            [server, tester, ..] => Cores { server: Some(server), tester: Some(tester) },
            _ => Cores { server: None, tester: None },
        })
    }
}

impl fmt::Display for Cores {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.server, self.tester) {
            (Some(server), Some(tester)) => {
                write!(out, "nginx on core {server}, testers on core {tester}, in turn")
            }
            _ => out.write_str("one core for nginx and testers alike: they disturb each other"),
        }
    }
}

fn allowed_cores() -> Result<Vec<usize>, Failure> {
    let allowed =
        rustix::thread::sched_getaffinity(None).map_err(Failure::system("read which cores we may use"))?;
    Ok((0..rustix::thread::CpuSet::MAX_CPU).filter(|core| allowed.is_set(*core)).collect())
}

/// Empty if it cannot be read: a fact that is missing stops no measurement.
fn file(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

fn processor(cpuinfo: &str) -> String {
    let named = cpuinfo.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    named.map_or_else(|| "unknown processor".to_owned(), |(_, name)| name.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_is_named_as_the_kernel_names_it() {
        assert_eq!(processor("processor\t: 0\nmodel name\t: Some CPU @ 2 GHz\n"), "Some CPU @ 2 GHz");
        assert_eq!(processor(""), "unknown processor");
    }

    #[test]
    fn a_folders_name_says_the_date_and_the_machine_in_plain_letters() {
        let machine = Machine {
            date: "2026-11-30".to_owned(),
            commit: "abc".to_owned(),
            cores: 2,
            processor: "Some(R) CPU @ 2.10GHz".to_owned(),
            kernel: "6.1".to_owned(),
            load: "0.1".to_owned(),
        };
        assert_eq!(machine.slug(), "2026-11-30-2-cores-some-r-cpu-2-10ghz");
    }
}
