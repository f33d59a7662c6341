//! What is measured, part by part, with its goals.

use super::doorclock::{Doorclock, Figures};
use super::options::Options;
use super::peers;
use super::table::Table;
use super::wrk::Wrk;
use crate::failure::Failure;
use crate::nginx::Nginx;
use crate::say;

const MEMORY: &str = "memory of the tester, closed loop, 64 connections";

/// Numbers of a machine that others use at the same time are about them too.
pub const QUIET: &str = "machine idle right before";

/// Testers, server, and the table being filled.
pub struct Bench {
    /// Ours.
    pub doorclock: Doorclock,
    /// The one we are held against.
    pub wrk: Wrk,
    /// What both of them ask.
    pub nginx: Nginx,
    /// How often and how long.
    pub options: Options,
    /// The result.
    pub table: Table,
}

/// Measures every part.
pub fn measure(bench: &mut Bench) -> Result<(), Failure> {
    let rate_per_s = closed_loop(bench)?;
    open_loop(bench)?;
    peers::measure(bench)?;
    many_samples(bench, rate_per_s)
}

/// CPU per request with 64 connections that are never idle; gives back the
/// requests a second that doorclock reached.
fn closed_loop(bench: &mut Bench) -> Result<f64, Failure> {
    const PART: &str = "closed loop, 64 connections, tiny answers";
    let seconds = bench.options.seconds;
    let length = format!("{seconds}s");
    let flags = ["--closed", "64", "-d", &length];
    let (mut theirs, mut whole, mut own) = (Vec::new(), Vec::new(), Vec::new());
    let (mut their_rates, mut our_rates, mut idle) = (Vec::new(), Vec::new(), Vec::new());
    for turn in 1..=bench.options.repeats {
        say::line(format_args!("closed loop, turn {turn} of {}", bench.options.repeats));
        let url = bench.nginx.url();
        let ((ran, rate), served) = counted(&bench.nginx, || bench.wrk.closed_64(&url, seconds))?;
        theirs.push(ran.cpu.as_secs_f64() * 1e6 / served);
        their_rates.push(rate);
        let ((ran, figures, _), served) = counted(&bench.nginx, || bench.doorclock.measure(&url, &flags))?;
        whole.push(ran.cpu.as_secs_f64() * 1e6 / served);
        own.push(figures.cpu_ns_per_request / 1e3);
        our_rates.push(figures.rate_per_s);
        idle.extend(idle_percent(&figures));
        note(&mut bench.table, PART, &figures);
    }
    let table = &mut bench.table;
    table.add(PART, "wrk: CPU", "µs/request", &theirs);
    table.add(PART, "doorclock: CPU while it counts", "µs/request", &own);
    table.add(PART, "doorclock: CPU from start to end", "µs/request", &whole);
    table.add_with_goal(PART, "while it counts, against wrk", "×", &ratios(&own, &theirs), 1.0);
    table.add_with_goal(PART, "from start to end, against wrk", "×", &ratios(&whole, &theirs), 1.5);
    table.add(PART, "wrk: answers", "/s", &their_rates);
    table.add(PART, "doorclock: answers", "/s", &our_rates);
    table.add(PART, QUIET, "%", &idle);
    Ok(our_rates.iter().sum::<f64>() / our_rates.len() as f64)
}

/// How late requests are sent at a moderate rate, asleep and spinning.
fn open_loop(bench: &mut Bench) -> Result<(), Failure> {
    const ASLEEP: &str = "open loop, 5,000/s, sleeping until each arrival";
    const SPINNING: &str = "open loop, 5,000/s, spinning for the last stretch (--spin)";
    let length = format!("{}s", bench.options.seconds);
    let spinning = ["-r", "5000/s", "-d", &length, "--spin"];
    let asleep = &spinning[..4];
    let (mut slept, mut spun) = (Vec::new(), Vec::new());
    for turn in 1..=bench.options.repeats {
        say::line(format_args!("open loop, turn {turn} of {}", bench.options.repeats));
        let url = bench.nginx.url();
        for (part, flags, all) in [(ASLEEP, asleep, &mut slept), (SPINNING, &spinning, &mut spun)] {
            let (_, figures, _) = bench.doorclock.measure(&url, flags)?;
            note(&mut bench.table, part, &figures);
            all.push(figures);
        }
    }
    for (part, all, goal) in [(ASLEEP, &slept, 200.0), (SPINNING, &spun, 50.0)] {
        let micros = |number: fn(&Figures) -> f64| all.iter().map(|f| number(f) / 1e3).collect::<Vec<f64>>();
        let table = &mut bench.table;
        table.add(part, "lateness p50", "µs", &micros(|f| f.late_ns[0]));
        table.add_with_goal(part, "lateness p99", "µs", &micros(|f| f.late_ns[1]), goal);
        table.add(part, "lateness max", "µs", &micros(|f| f.late_ns[2]));
        table.add(part, "CPU while it counts", "µs/request", &micros(|f| f.cpu_ns_per_request));
        table.add(part, QUIET, "%", &all.iter().filter_map(idle_percent).collect::<Vec<_>>());
    }
    Ok(())
}

/// Memory after one and after ten million requests, and the time of a report
/// on the million.
fn many_samples(bench: &mut Bench, rate_per_s: f64) -> Result<(), Failure> {
    const REPORT: &str = "report of the folder with one million samples";
    let (mut after_one, mut reports) = (Vec::new(), Vec::new());
    for turn in 1..=bench.options.repeats {
        say::line(format_args!("a million requests, turn {turn} of {}", bench.options.repeats));
        let (figures, folder) = as_many_as(bench, 1e6, rate_per_s)?;
        after_one.push(figures);
        reports.push(bench.doorclock.report(&folder)?.as_secs_f64());
    }
    let mut after_ten = Vec::new();
    if bench.options.ten_million {
        say::line("ten million requests, once: some minutes");
        after_ten.push(as_many_as(bench, 1e7, rate_per_s)?.0);
    }
    let count = |all: &[Figures]| all.iter().map(|f| f.n).collect::<Vec<_>>();
    let memory = |all: &[Figures]| all.iter().map(|f| f.peak_rss_bytes / 1_048_576.0).collect::<Vec<_>>();
    let growth: Vec<f64> =
        memory(&after_ten).iter().flat_map(|ten| ratios(&[*ten], &memory(&after_one))).collect();
    let table = &mut bench.table;
    table.add(MEMORY, "a million: requests", "", &count(&after_one));
    table.add(MEMORY, "a million: peak", "MiB", &memory(&after_one));
    table.add(MEMORY, "ten million: requests", "", &count(&after_ten));
    table.add(MEMORY, "ten million: peak", "MiB", &memory(&after_ten));
    table.add_with_goal(MEMORY, "ten million against a million", "×", &growth, 1.2);
    table.add_with_goal(REPORT, "doorclock report", "s", &reports, 2.0);
    Ok(())
}

/// A run long enough for about `requests`, at the rate seen before.
fn as_many_as(
    bench: &mut Bench,
    requests: f64,
    rate_per_s: f64,
) -> Result<(Figures, std::path::PathBuf), Failure> {
    let length = format!("{}s", (requests / rate_per_s).ceil());
    let flags = ["--closed", "64", "-d", &length];
    let (_, figures, folder) = bench.doorclock.measure(&bench.nginx.url(), &flags)?;
    note(&mut bench.table, MEMORY, &figures);
    Ok((figures, folder))
}

/// Runs `work` and tells how many requests nginx has served meanwhile.
pub fn counted<T>(nginx: &Nginx, work: impl FnOnce() -> Result<T, Failure>) -> Result<(T, f64), Failure> {
    let before = nginx.requests_served()?;
    let result = work()?;
    // The second question is a request too.
    let served = nginx.requests_served()?.saturating_sub(before + 1);
    Ok((result, served as f64))
}

/// A run that doorclock itself does not call valid is shown as such.
pub fn note(table: &mut Table, part: &'static str, figures: &Figures) {
    // Doubts may stand beside a valid verdict; those are about p99s we do not use.
    if !figures.verdict.starts_with("valid") {
        table.remark(part, &figures.verdict);
    }
}

pub fn idle_percent(figures: &Figures) -> Option<f64> {
    figures.idle_share.map(|share| share * 100.0)
}

pub fn ratios(ours: &[f64], theirs: &[f64]) -> Vec<f64> {
    // A single value of ours stands against each of theirs.
    let ours = ours.iter().cycle().take(theirs.len().max(ours.len()));
    ours.zip(theirs).map(|(ours, theirs)| ours / theirs).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_taken_turn_by_turn_and_one_value_stands_against_all() {
        assert_eq!(ratios(&[2.0, 9.0], &[1.0, 3.0]), [2.0, 3.0]);
        assert_eq!(ratios(&[6.0], &[1.0, 3.0]), [6.0, 2.0]);
    }
}
