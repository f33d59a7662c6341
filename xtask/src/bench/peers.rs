//! Other testers beside ours: closed loops, fixed rates, and TLS. Those that
//! Debian packages are installed; others are measured where they are found.

use super::doorclock::Figures;
use super::foundation::{Bench, QUIET, counted, idle_percent, note, ratios};
use super::measure::{self, Ran};
use crate::failure::Failure;
use crate::packages::{self, Package};
use crate::say;
use std::path::PathBuf;

/// A tester, and how it is told what to do.
struct Peer {
    name: &'static str,
    program: PathBuf,
    /// Flags of a closed loop with 64 connections, for so many seconds.
    closed: Closed,
    /// Flags of a fixed rate, a second, if it has any.
    fixed: Option<Fixed>,
    /// Whether it takes a server whose certificate nobody vouches for.
    tls: bool,
}

/// Seconds.
type Closed = fn(&str) -> Vec<String>;
/// Seconds and requests a second.
type Fixed = fn(&str, u64) -> Vec<String>;

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

/// wrk is measured beside the foundation; it takes part in TLS.
fn peers() -> Result<Vec<Peer>, Failure> {
    let packaged = |program, package| packages::find_or_install(Package { program, package });
    let mut all = vec![
        Peer {
            name: "wrk",
            program: packages::find_or_install(packages::WRK)?,
            closed: |seconds| words(&format!("-t1 -c64 -d{seconds}s")),
            fixed: None,
            tls: true,
        },
        Peer {
            name: "ab",
            program: packaged("ab", "apache2-utils")?,
            closed: |seconds| words(&format!("-q -k -c 64 -n 100000000 -t {seconds}")),
            fixed: None,
            tls: true,
        },
        Peer {
            name: "h2load",
            program: packaged("h2load", "nghttp2-client")?,
            closed: |seconds| words(&format!("--h1 -t1 -c64 -D {seconds}")),
            // It wants the rate of each connection.
            fixed: Some(|seconds, rate| {
                words(&format!("--h1 -t1 -c64 -D {seconds} --rps {}", rate as f64 / 64.0))
            }),
            tls: true,
        },
    ];
    let found: [(&'static str, Closed, Option<Fixed>); 3] = [
        (
            "wrk2",
            |seconds| words(&format!("-t1 -c64 -d{seconds}s -R 1000000")),
            Some(|seconds, rate| words(&format!("-t1 -c64 -d{seconds}s -R {rate}"))),
        ),
        (
            "oha",
            |seconds| words(&format!("--no-tui -c 64 -z {seconds}s")),
            Some(|seconds, rate| {
                words(&format!("--no-tui -c 64 -z {seconds}s -q {rate} --latency-correction"))
            }),
        ),
        ("hey", |seconds| words(&format!("-c 64 -z {seconds}s")), None),
    ];
    for (name, closed, fixed) in found {
        if let Some(program) = packages::find(name) {
            all.push(Peer { name, program, closed, fixed, tls: false });
        }
    }
    Ok(all)
}

/// Every part, in turn with ours.
pub fn measure(bench: &mut Bench) -> Result<(), Failure> {
    let peers = peers()?;
    let url = bench.nginx.url();
    beside_each(bench, &peers, "closed loop, 64 connections, beside others", &url)?;
    if let Some(url) = bench.nginx.tls_url() {
        let over_tls: Vec<Peer> = peers.into_iter().filter(|peer| peer.tls).collect();
        beside_each(bench, &over_tls, "closed loop over TLS, 64 connections, beside others", &url)?;
        return fixed_rates(bench, &over_tls);
    }
    fixed_rates(bench, &peers)
}

/// CPU per request from outside, by nginx's count, for all alike.
fn beside_each(bench: &mut Bench, peers: &[Peer], part: &'static str, url: &str) -> Result<(), Failure> {
    let seconds = bench.options.seconds.to_string();
    let length = format!("{seconds}s");
    let mut flags = vec!["--closed", "64", "-d", &length];
    if url.starts_with("https") {
        flags.push("--insecure");
    }
    let (mut ours, mut idle) = (Vec::new(), Vec::new());
    let mut theirs: Vec<Vec<f64>> = vec![Vec::new(); peers.len()];
    for turn in 1..=bench.options.repeats {
        say::line(format_args!("{part}: turn {turn} of {}", bench.options.repeats));
        let ((ran, figures, _), served) = counted(&bench.nginx, || bench.doorclock.measure(url, &flags))?;
        ours.push(micros(&ran, served));
        idle.extend(idle_percent(&figures));
        for (peer, all) in peers.iter().zip(&mut theirs) {
            let (ran, served) = counted(&bench.nginx, || peer.run(bench, &(peer.closed)(&seconds), url))?;
            all.push(micros(&ran, served));
        }
    }
    bench.table.add(part, "doorclock: CPU from start to end", "µs/request", &ours);
    for (peer, all) in peers.iter().zip(&theirs) {
        bench.table.add(part, format!("{}: CPU from start to end", peer.name), "µs/request", all);
        bench.table.add(part, format!("doorclock against {}", peer.name), "×", &ratios(&ours, all));
    }
    bench.table.add(part, QUIET, "%", &idle);
    Ok(())
}

/// At four fixed rates: what a request costs, how late it is sent, and whether
/// the rate is met.
fn fixed_rates(bench: &mut Bench, peers: &[Peer]) -> Result<(), Failure> {
    const PARTS: [(u64, &str); 4] = [
        (1_000, "open loop, 1,000/s, beside others"),
        (5_000, "open loop, 5,000/s, beside others"),
        (20_000, "open loop, 20,000/s, beside others"),
        (50_000, "open loop, 50,000/s, beside others"),
    ];
    let seconds = bench.options.seconds.to_string();
    let url = bench.nginx.url();
    for (rate, part) in PARTS {
        let (length, asked) = (format!("{seconds}s"), format!("{rate}/s"));
        let flags = ["-r", &asked, "-d", &length, "--connections", "512"];
        let mut ours: Vec<Figures> = Vec::new();
        let paced: Vec<&Peer> = peers.iter().filter(|peer| peer.fixed.is_some()).collect();
        let mut theirs: Vec<Vec<f64>> = vec![Vec::new(); paced.len()];
        for turn in 1..=bench.options.repeats {
            say::line(format_args!("{part}: turn {turn} of {}", bench.options.repeats));
            let (_, figures, _) = bench.doorclock.measure(&url, &flags)?;
            note(&mut bench.table, part, &figures);
            ours.push(figures);
            for (peer, all) in paced.iter().zip(&mut theirs) {
                let Some(fixed) = peer.fixed else { continue };
                let (ran, served) = counted(&bench.nginx, || peer.run(bench, &fixed(&seconds, rate), &url))?;
                all.push(micros(&ran, served));
            }
        }
        let each = |of: fn(&Figures) -> f64| ours.iter().map(of).collect::<Vec<f64>>();
        let cost = each(|f| f.cpu_ns_per_request / 1e3);
        let table = &mut bench.table;
        table.add(part, "doorclock: CPU while it counts", "µs/request", &cost);
        for (peer, all) in paced.iter().zip(&theirs) {
            table.add(part, format!("{}: CPU from start to end", peer.name), "µs/request", all);
            table.add(part, format!("doorclock against {}", peer.name), "×", &ratios(&cost, all));
        }
        table.add(part, "lateness p50", "µs", &each(|f| f.late_ns[0] / 1e3));
        table.add_with_goal(part, "lateness p99", "µs", &each(|f| f.late_ns[1] / 1e3), 150.0);
        table.add(part, "service time p50", "µs", &each(|f| f.service_p50_ns / 1e3));
        table.add(part, "answered of what was due", "%", &each(|f| 100.0 * f.ok / f.n));
        table.add(part, QUIET, "%", &ours.iter().filter_map(idle_percent).collect::<Vec<_>>());
    }
    Ok(())
}

impl Peer {
    fn run(&self, bench: &Bench, flags: &[String], url: &str) -> Result<Ran, Failure> {
        let mut command = measure::on_core(bench.doorclock.core, &self.program);
        measure::run(command.args(flags).arg(url))
    }
}

fn micros(ran: &Ran, served: f64) -> f64 {
    ran.cpu.as_secs_f64() * 1e6 / served
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_words_and_rates_are_shared_out() {
        assert_eq!(words("-t1  -c64"), ["-t1", "-c64"]);
        assert_eq!(words("").len(), 0);
    }
}
