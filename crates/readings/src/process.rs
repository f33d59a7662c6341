//! Processes, as Linux tells of them, each with all that descend from it.

use crate::probe::Ask;
use crate::taking::Hands;
use crate::{Now, Numbers};
use model::{Nanos, WhichProcess};
use rustix::param::{clock_ticks_per_second, page_size};
use std::collections::BTreeMap;
use std::fs::{read_dir, read_link, read_to_string};
use std::time::Duration;

pub(crate) struct ProcessProbe {
    which: WhichProcess,
    target: Option<u32>,
    now: Now,
    /// The one that has the wanted number, by when it started: a number is given
    /// again to another process some day.
    known: Option<(u32, u64)>,
    before: Option<(Nanos, BTreeMap<u32, u64>)>,
}

/// What `/proc/PID/stat` says of one process.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stat {
    pid: u32,
    name: String,
    parent: u32,
    ticks: u64,
    threads: u64,
    started: u64,
    resident_pages: u64,
}

impl ProcessProbe {
    pub(crate) fn new(which: WhichProcess, hands: &Hands) -> ProcessProbe {
        ProcessProbe { which, target: hands.target, now: hands.now.clone(), known: None, before: None }
    }

    /// The processes that are meant, without their descendants.
    fn roots(&mut self, all: &[Stat]) -> Result<Vec<u32>, String> {
        let pid = match &self.which {
            WhichProcess::Pid(pid) => *pid,
            WhichProcess::Target => self.target.ok_or("the target was not started by us")?,
            WhichProcess::Name(name) => {
                let named: Vec<u32> =
                    all.iter().filter(|one| is_named(one, name)).map(|one| one.pid).collect();
                return if named.is_empty() { Err(format!("no process is named {name}")) } else { Ok(named) };
            }
            WhichProcess::Port(port) => match self.known {
                // Looking through all descriptors of the machine is dear: once is enough.
                Some((pid, started)) if all.iter().any(|one| (one.pid, one.started) == (pid, started)) => pid,
                _ => listener(*port, all)?,
            },
        };
        let found =
            all.iter().find(|one| one.pid == pid).ok_or_else(|| format!("there is no process {pid}"))?;
        let is_port = matches!(self.which, WhichProcess::Port(_));
        match self.known.filter(|_| !is_port) {
            Some((_, started)) if started != found.started => Err(format!("process {pid} has ended")),
            _ => {
                self.known = Some((pid, found.started));
                Ok(vec![pid])
            }
        }
    }

    /// CPU time since the last asking as a share of a core; the first has none.
    /// A process that ended in between takes its time with it.
    fn cpu_share(&mut self, family: &[&Stat]) -> Option<Result<f64, String>> {
        let now = (self.now)();
        let ticks: BTreeMap<u32, u64> = family.iter().map(|one| (one.pid, one.ticks)).collect();
        let (then, before) = self.before.replace((now, ticks.clone()))?;
        let seconds = now.saturating_sub(then).as_secs_f64();
        let spent: u64 = ticks
            .iter()
            .map(|(pid, now)| now.saturating_sub(before.get(pid).copied().unwrap_or_default()))
            .sum();
        let spent = spent as f64 / clock_ticks_per_second() as f64;
        Some(if seconds > 0.0 { Ok(spent / seconds) } else { Err("no time has passed".to_owned()) })
    }
}

impl Ask for ProcessProbe {
    fn ask(&mut self, _patience: Duration) -> Result<Numbers, String> {
        let all = all()?;
        let roots = self.roots(&all)?;
        let family = family(&all, &roots);
        let share = self.cpu_share(&family).map(|share| ("cpu_share".to_owned(), share));
        let sum = |of: &dyn Fn(&Stat) -> u64| family.iter().map(|one| of(one)).sum::<u64>() as f64;
        let page = page_size() as u64;
        let each = |of: &dyn Fn(u32) -> Result<u64, String>| {
            family.iter().map(|one| of(one.pid)).sum::<Result<u64, String>>().map(|sum| sum as f64)
        };
        let mut numbers: Numbers = share.into_iter().collect();
        numbers.extend([
            ("rss_bytes".to_owned(), Ok(sum(&|one| one.resident_pages * page))),
            ("pss_bytes".to_owned(), each(&pss)),
            ("threads".to_owned(), Ok(sum(&|one| one.threads))),
            ("descriptors".to_owned(), each(&descriptors)),
            ("children".to_owned(), Ok((family.len() - roots.len()) as f64)),
        ]);
        Ok(numbers)
    }
}

/// Every process that can be seen. One that ends while it is looked at is left out.
fn all() -> Result<Vec<Stat>, String> {
    let folder = read_dir("/proc").map_err(|error| format!("/proc: {error}"))?;
    let numbers = folder.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let texts = numbers.filter_map(|pid| read_to_string(format!("/proc/{pid}/stat")).ok());
    Ok(texts.filter_map(|text| stat(&text)).collect())
}

/// `PID (name) state ppid …`; a name may have spaces and brackets in it.
fn stat(text: &str) -> Option<Stat> {
    let (pid, rest) = text.split_once(" (")?;
    let (name, rest) = rest.rsplit_once(") ")?;
    // Of proc(5), field 3 is the first of these.
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
    Some(Stat {
        pid: pid.parse().ok()?,
        name: name.to_owned(),
        parent: u32::try_from(number(4)?).ok()?,
        ticks: number(14)? + number(15)?,
        threads: number(20)?,
        started: number(22)?,
        resident_pages: number(24)?,
    })
}

/// The kernel keeps 15 letters of a name; the command line has all of it.
fn is_named(one: &Stat, name: &str) -> bool {
    if one.name == name {
        return true;
    }
    let is_longer = name.len() > 15 && name.starts_with(&one.name) && !one.name.is_empty();
    is_longer
        && read_to_string(format!("/proc/{}/cmdline", one.pid)).is_ok_and(|line| {
            line.split('\0').next().is_some_and(|program| program.rsplit('/').next() == Some(name))
        })
}

/// These processes and all that descend from them.
fn family<'a>(all: &'a [Stat], roots: &[u32]) -> Vec<&'a Stat> {
    let mut family: Vec<&Stat> = all.iter().filter(|one| roots.contains(&one.pid)).collect();
    let mut at = 0;
    while at < family.len() {
        let parent = family[at].pid;
        let is_new = |one: &&Stat| one.parent == parent && !family.iter().any(|known| known.pid == one.pid);
        let children: Vec<&Stat> = all.iter().filter(is_new).collect();
        family.extend(children);
        at += 1;
    }
    family
}

fn pss(pid: u32) -> Result<u64, String> {
    let path = format!("/proc/{pid}/smaps_rollup");
    let text = read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
    let line = text.lines().find_map(|line| line.strip_prefix("Pss:"));
    let kib: Option<u64> = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse().ok());
    kib.map(|kib| kib * 1_024).ok_or_else(|| format!("{path} has another form"))
}

fn descriptors(pid: u32) -> Result<u64, String> {
    let path = format!("/proc/{pid}/fd");
    read_dir(&path).map(|entries| entries.count() as u64).map_err(|error| format!("{path}: {error}"))
}

/// The process that listens on a TCP port. Of several that share one socket, it
/// is the first of them: the others descend from it as a rule.
fn listener(port: u16, all: &[Stat]) -> Result<u32, String> {
    let sockets: Vec<String> = ["/proc/net/tcp", "/proc/net/tcp6"]
        .iter()
        .filter_map(|path| read_to_string(path).ok())
        .flat_map(|text| inodes(&text, port))
        .map(|inode| format!("socket:[{inode}]"))
        .collect();
    if sockets.is_empty() {
        return Err(format!("nothing listens on port {port}"));
    }
    let holds = |pid: u32| {
        let links = read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
        links
            .filter_map(|entry| read_link(entry.path()).ok())
            .any(|link| link.to_str().is_some_and(|link| sockets.iter().any(|socket| socket == link)))
    };
    let mut pids: Vec<u32> = all.iter().map(|one| one.pid).collect();
    pids.sort_unstable();
    pids.into_iter()
        .find(|pid| holds(*pid))
        .ok_or_else(|| format!("whoever listens on port {port} cannot be seen by this user"))
}

/// Sockets in state LISTEN (0A) on a port: `sl local_address rem_address st …
/// inode`, addresses as `0100007F:1F90`.
fn inodes(text: &str, port: u16) -> Vec<String> {
    let end = format!(":{port:04X}");
    let of_line = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let is_it = fields.get(1)?.ends_with(&end) && *fields.get(3)? == "0A";
        is_it.then(|| fields.get(9).map(|inode| (*inode).to_owned()))?
    };
    text.lines().skip(1).filter_map(of_line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::taking::test_hands;
    use std::process::Command;

    const PATIENCE: Duration = Duration::from_secs(1);

    fn value(numbers: &Numbers, name: &str) -> f64 {
        let found = numbers.iter().find(|(column, _)| column == name).expect("the column");
        found.1.clone().unwrap_or_else(|why| panic!("{name}: {why}"))
    }

    #[test]
    fn this_process_is_found_by_its_number_and_by_a_port_it_listens_on() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        for which in [WhichProcess::Pid(std::process::id()), WhichProcess::Port(port)] {
            let mut probe = ProcessProbe::new(which, &test_hands());
            let first = probe.ask(PATIENCE).expect("numbers");
            assert!(first.iter().all(|(name, _)| name != "cpu_share"));
            let second = probe.ask(PATIENCE).expect("numbers");
            assert!(value(&second, "cpu_share") >= 0.0);
            assert!(value(&second, "rss_bytes") >= 1e6 && value(&second, "pss_bytes") >= 1e5, "{second:?}");
            assert!(value(&second, "threads") >= 1.0 && value(&second, "descriptors") >= 3.0);
        }
    }

    #[test]
    fn a_process_that_ends_is_a_gap_and_so_is_one_that_never_was() {
        let mut child = Command::new("sleep").arg("600").spawn().expect("a child");
        let mut probe = ProcessProbe::new(WhichProcess::Pid(child.id()), &test_hands());
        assert!(probe.ask(PATIENCE).is_ok());
        child.kill().and_then(|()| child.wait()).expect("it ends");
        assert_eq!(probe.ask(PATIENCE), Err(format!("there is no process {}", child.id())));
        let says = |which| ProcessProbe::new(which, &test_hands()).ask(PATIENCE).expect_err("nobody");
        assert_eq!(says(WhichProcess::Name("no-such-name".to_owned())), "no process is named no-such-name");
        assert_eq!(says(WhichProcess::Port(1)), "nothing listens on port 1");
        assert_eq!(says(WhichProcess::Target), "the target was not started by us");
    }

    #[test]
    fn a_number_that_was_given_again_is_another_process() {
        let mut probe = ProcessProbe::new(WhichProcess::Pid(std::process::id()), &test_hands());
        probe.known = Some((std::process::id(), 0));
        assert_eq!(probe.ask(PATIENCE), Err(format!("process {} has ended", std::process::id())));
    }

    #[test]
    fn children_and_theirs_belong_to_it() {
        let one = |pid, parent| Stat {
            pid,
            name: "x".to_owned(),
            parent,
            ticks: 0,
            threads: 1,
            started: 0,
            resident_pages: 1,
        };
        let all = [one(1, 0), one(5, 1), one(6, 5), one(7, 6), one(8, 1)];
        let pids = |roots: &[u32]| family(&all, roots).iter().map(|one| one.pid).collect::<Vec<_>>();
        assert_eq!(pids(&[5]), [5, 6, 7]);
        assert_eq!(pids(&[5, 6]), [5, 6, 7], "nobody counts twice");
    }

    #[test]
    fn a_name_with_brackets_and_spaces_is_read() {
        let text = "42 (a) b (c) S 1 42 42 0 -1 4194304 1 2 3 4 10 20 0 0 20 0 3 0 555 1000 77 0";
        let found = stat(text).expect("a process");
        assert_eq!((found.name.as_str(), found.parent, found.ticks), ("a) b (c", 1, 30));
        assert_eq!((found.threads, found.started, found.resident_pages), (3, 555, 77));
    }

    #[test]
    fn listening_sockets_of_a_port_are_told_from_others() {
        let text = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n\
            0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 4711 1 0\n\
            1: 0100007F:1F90 0100007F:C000 01 00000000:00000000 00:00000000 00000000 0 0 4712 1 0\n\
            2: 0100007F:1F91 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 4713 1 0\n";
        assert_eq!(inodes(text, 8_080), ["4711"]);
        assert!(inodes(text, 80).is_empty());
    }
}
