//! What keeping samples costs. Run by hand, in release, on a quiet machine:
//! `cargo test --release -p doorclock-store --test figures -- --ignored --nocapture`

use doorclock_store::{Folder, ManifestFacts};
use model::{
    ArrivalProcess, ConnectionPolicy, CpuUse, Load, Nanos, Outcome, Rate, RunEnd, RunFacts, Sample,
    SampleSource, Seed, SendPrecision,
};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

const SAMPLES: u64 = 1_000_000;
/// As many as the engine's buffers hand over at once.
const APPEND: usize = 4096;

/// Samples with times as random as real ones are: they decide the file's size.
fn samples() -> Vec<Sample> {
    let seed = Seed(2026);
    let part = |index: u64, purpose: &str, below: u64| Nanos(seed.derive(purpose).mark(index) % below);
    let mut scheduled = Nanos::ZERO;
    (0..SAMPLES)
        .map(|index| {
            scheduled += part(index, "gap", 200_000);
            let sent = scheduled + Nanos(900) + part(index, "late", 40_000);
            let first_byte = sent + Nanos(400_000) + part(index, "service", 800_000);
            let outcome = if index % 1000 == 0 { Outcome::TimedOut } else { Outcome::Ok };
            Sample {
                index,
                user: 0,
                connection: 1 + part(index, "connection", 64).0 as u32,
                scheduled,
                waited: if index % 64 == 0 { part(index, "waited", 100_000) } else { Nanos::ZERO },
                sent: Some(sent),
                first_byte: (outcome == Outcome::Ok).then_some(first_byte),
                done: first_byte + Nanos(2_000) + part(index, "rest", 10_000),
                connect: (index % 10_000 == 0).then_some(Nanos(90_000)),
                bytes_in: 231 + part(index, "bytes", 5).0,
                bytes_out: 120,
                status: if outcome == Outcome::Ok { 200 } else { 0 },
                outcome,
                resent: 0,
                counted: index > 10_000,
            }
        })
        .collect()
}

fn facts() -> RunFacts {
    RunFacts {
        arm: "open".to_owned(),
        round: 1,
        url: "http://127.0.0.1/".to_owned(),
        method: "GET".to_owned(),
        load: Load::Open {
            rate: Rate::per_second(10_000.0).expect("above zero"),
            arrivals: ArrivalProcess::Poisson,
        },
        shape: None,
        seed: Seed(2026),
        warm_up: Nanos::from_secs(1),
        measure: Nanos::from_secs(100),
        timeout: Nanos::from_secs(10),
        grace: Nanos::from_secs(5),
        connection_policy: ConnectionPolicy::Reuse,
        connection_limit: 1024,
        precision: SendPrecision::Sleep,
        threads: 1,
        backend: "epoll".to_owned(),
        planned: None,
        schedule_hash: None,
        stalls_asked: None,
        capacity_per_s: None,
        trusted: None,
        follow: None,
        tool: None,
    }
}

fn end() -> RunEnd {
    RunEnd {
        counted_until: Nanos::from_secs(101),
        ended: Nanos::from_secs(102),
        interrupted: false,
        taken: SAMPLES,
        taken_counted: SAMPLES,
        area: 0,
        samples_lost: 0,
        cpu: CpuUse::default(),
        peak_rss_bytes: None,
        connections_opened: 64,
        connections_peak: 64,
        waited_at_limit: 0,
        limit_lowered_to: None,
        wakeups: 0,
        own_reading: None,
        tls: None,
        examples: Vec::new(),
        stalls: None,
        followed: None,
        told: None,
        machine: None,
    }
}

/// Shows the time on a CPU beside the time on the wall: on a busy machine only
/// the first can be compared.
fn timed<T>(what: &str, work: impl FnOnce() -> T) -> T {
    #[expect(clippy::disallowed_methods, reason = "a measurement by hand, of real time")]
    let (began, cpu_began) = (Instant::now(), cpu_ns());
    let result = work();
    let (wall_ms, cpu_ms) = (began.elapsed().as_secs_f64() * 1e3, (cpu_ns() - cpu_began) as f64 / 1e6);
    let per_sample = cpu_ms * 1e6 / SAMPLES as f64;
    say(&format!("{what:<22}{wall_ms:>8.1} ms, on a CPU {cpu_ms:>7.1} ms = {per_sample:>6.1} ns/sample"));
    result
}

/// Time this thread has spent on a CPU.
fn cpu_ns() -> u64 {
    let stat = fs::read_to_string("/proc/thread-self/schedstat").expect("Linux has it");
    stat.split_whitespace().next().and_then(|ns| ns.parse().ok()).expect("a number")
}

fn say(line: &str) {
    writeln!(std::io::stderr(), "{line}").expect("stderr is open");
}

/// Most memory resident so far, in MB.
fn peak_mb() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("Linux has it");
    let line = status.lines().find(|line| line.starts_with("VmHWM")).expect("it has this line");
    line.split_whitespace().nth(1).and_then(|kb| kb.parse::<u64>().ok()).expect("a number") / 1024
}

#[test]
#[ignore = "a measurement, not a promise"]
fn what_a_million_samples_cost() {
    let place = tempfile::TempDir::new().expect("a place for the files");
    let folder = Folder::create(place.path().join("results")).expect("a folder");
    let samples = samples();
    let mut run = folder.start_run(&facts()).expect("a run");
    let path = run.path().to_path_buf();
    timed("append", || samples.chunks(APPEND).try_for_each(|batch| run.append(batch))).expect("room");
    drop(samples);
    say(&format!("spool                 {:>8.1} MB", megabytes(&path.join("samples.spool"))));
    timed("survey of the spool", || folder.runs().map(drop)).expect("a readable spool");

    // Give the samples' memory back to the peak, so that the peak is finish's own.
    let before = reset_peak();
    timed("finish", || run.finish(&end())).expect("room");
    say(&format!("memory for finish     {:>8} MB more", peak_mb() - before));
    say(&format!("columns               {:>8.1} MB", megabytes(&path.join("samples.parquet"))));

    let runs = folder.runs().expect("readable runs");
    for pass in ["first pass", "second pass", "third pass"] {
        let mut sum = 0;
        let mut each = |batch: &[Sample]| sum += batch.iter().map(|s| s.response_time().0).sum::<u64>();
        timed(pass, || runs[0].pass(&mut each)).expect("a readable run");
        assert!(sum > 0);
    }
    timed("seal", || folder.seal(&manifest())).expect("room");
}

fn manifest() -> ManifestFacts {
    ManifestFacts {
        tool_version: "0.1.0".to_owned(),
        began: "2026-12-01T10:15:00Z".to_owned(),
        question: "What do users wait?".to_owned(),
        seed: Seed(2026),
    }
}

fn megabytes(path: &Path) -> f64 {
    fs::metadata(path).expect("the file").len() as f64 / 1e6
}

/// Lets the peak begin anew at what is resident now, and gives that in MB.
fn reset_peak() -> u64 {
    fs::write("/proc/self/clear_refs", "5").expect("a process may clear its own peak");
    peak_mb()
}
