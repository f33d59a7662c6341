//! Readings of every past format stay readable, as they were meant.
//!
//! `tests/golden/v1-readings` holds one run that ended and one that was killed
//! while it wrote a line. Its files never change; a new format gets a folder of
//! its own.

use doorclock_store::{Folder, StoreError};
use model::{
    ColumnFacts, ConnectionPolicy, CpuUse, Load, Nanos, Reading, ReadingFacts, ReadingUnit, Readings, RunEnd,
    RunFacts, Seed, SendPrecision,
};
use std::fs;
use std::path::{Path, PathBuf};

const FINISHED: &str = "R1-closed-2";
const KILLED: &str = "R2-closed-2";

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/v1-readings")
}

/// Numbers of two readings, a gap of one column and one of a whole reading.
fn rows() -> Vec<Reading> {
    let row = |reading: &str, column: &str, asked: u64, value: Result<f64, &str>| Reading {
        reading: reading.into(),
        column: column.into(),
        asked: Nanos(asked),
        answered: Nanos(asked + 1_250_001),
        value: value.ok(),
        note: value.err().map(Into::into),
    };
    vec![
        row("queue", "queued", 1_000, Ok(17.0)),
        row("queue", "oldest", 1_000, Ok(0.1)),
        row("machine", "load", 500_001_000, Ok(1.0 / 3.0)),
        row("queue", "queued", 1_000_001_000, Ok(-5e-324)),
        row("queue", "oldest", 1_000_001_000, Err("it is null")),
        row("queue", "", 2_000_001_000, Err("no answer within 500 ms: \"…\"\n")),
    ]
}

fn reading_facts() -> Vec<ReadingFacts> {
    let reading = |name: &str, kind: &str, unit| ReadingFacts {
        name: name.to_owned(),
        kind: kind.to_owned(),
        asks: "postgres://me:***@127.0.0.1:5432/shop: select …".to_owned(),
        every: Nanos::from_secs(1),
        timeout: Nanos::from_millis(500),
        unit,
        limit: None,
        columns: Vec::new(),
    };
    let oldest =
        ColumnFacts { column: "oldest".to_owned(), unit: Some(ReadingUnit::Seconds), limit: Some(300.1) };
    let queue = ReadingFacts { columns: vec![oldest], ..reading("queue", "sql", Some(ReadingUnit::Count)) };
    vec![queue, reading("machine", "machine", None)]
}

fn facts(round: u32) -> RunFacts {
    RunFacts {
        arm: "closed-2".to_owned(),
        round,
        url: "http://127.0.0.1:8600/score".to_owned(),
        method: "GET".to_owned(),
        load: Load::Closed { connections: 2 },
        shape: None,
        seed: Seed(1),
        warm_up: Nanos::ZERO,
        measure: Nanos::from_secs(3),
        timeout: Nanos::from_secs(10),
        grace: Nanos::from_secs(5),
        connection_policy: ConnectionPolicy::Reuse,
        connection_limit: 2,
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
        counted_until: Nanos::from_secs(3),
        ended: Nanos::from_secs(3),
        interrupted: false,
        taken: 0,
        taken_counted: 0,
        area: 0,
        samples_lost: 0,
        cpu: CpuUse::default(),
        peak_rss_bytes: None,
        connections_opened: 0,
        connections_peak: 0,
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

/// Writes the same folder with today's code.
fn write_folder(path: &Path) -> Result<(), StoreError> {
    let folder = Folder::create(path)?;
    let mut run = folder.start_run(&facts(1))?;
    let mut readings = run.readings(&reading_facts())?;
    rows().chunks(2).try_for_each(|rows| readings.append(rows))?;
    run.finish(&end())?;
    let mut killed = folder.start_run(&facts(2))?;
    killed.readings(&reading_facts())?.append(&rows())?;
    let spool = killed.path().join("readings.jsonl");
    drop(killed);
    let bytes = fs::read(&spool).unwrap();
    fs::write(&spool, &bytes[..bytes.len() - 20]).unwrap();
    Ok(())
}

#[test]
fn readings_of_format_1_are_read_as_they_were_meant() {
    let runs = Folder::open(golden()).unwrap().runs().unwrap();
    let [finished, killed] = &runs[..] else { panic!("{} runs", runs.len()) };
    let read = |rows| Some(Readings { facts: reading_facts(), rows });
    assert_eq!(finished.readings().unwrap(), read(rows()));
    assert_eq!(killed.readings().unwrap(), read(rows()[..5].to_vec()));
    assert_eq!((finished.name(), killed.name()), (FINISHED, KILLED));
}

/// The columns are left out, and with them their length and checksum: the
/// library that packs them may pack them better.
#[test]
fn todays_code_still_writes_readings_of_format_1_byte_for_byte() {
    let place = tempfile::TempDir::new().unwrap();
    let path = place.path().join("v1");
    write_folder(&path).unwrap();
    for (run, name) in [(FINISHED, "run.json"), (KILLED, "run.json"), (KILLED, "readings.jsonl")] {
        let [then, now] = [golden(), path.clone()]
            .map(|folder| fs::read_to_string(folder.join("runs").join(run).join(name)).unwrap());
        let without_sums = |text: String| {
            let is_sum = |line: &&str| !line.contains("\"bytes\": ") && !line.contains("\"crc32\": ");
            text.lines().filter(is_sum).collect::<Vec<_>>().join("\n")
        };
        assert_eq!(without_sums(then), without_sums(now), "{run}/{name} is written in another way");
    }
    assert!(path.join("runs").join(FINISHED).join("readings.parquet").exists());
}

#[test]
#[ignore = "writes the golden folder; its files never change once format 1 is out"]
fn write_the_golden_readings() {
    assert!(!golden().exists(), "the golden folder is there already");
    write_folder(&golden()).unwrap();
}
