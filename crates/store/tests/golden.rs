//! A results folder of every past format stays readable, as it was meant.
//!
//! `tests/golden/v1` holds one run that ended, with stalls, and one that was
//! killed while it wrote its third batch. Its files never change; a new format
//! gets a folder of its own.

use doorclock_store::{Folder, ManifestFacts, StoreError, StoredRun};
use model::{
    ArrivalProcess, ConnectionPolicy, CpuUse, LastSign, Load, MachineFacts, Nanos, Outcome, Rate, RunEnd,
    RunFacts, RunRecord, Sample, Seed, SendPrecision, Span, Stalls,
};
use std::fs;
use std::path::{Path, PathBuf};

const PLAN: &str = "question = \"Is a folder of format 1 still read?\"\n";

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/v1")
}

/// One sample of each outcome, with every optional moment known and unknown.
fn samples() -> Vec<Sample> {
    let sample = |(index, outcome): (usize, Outcome)| {
        let index = index as u64;
        let scheduled = Nanos(index * 20_000_000);
        let sent = (outcome != Outcome::NeverSent).then_some(Nanos(scheduled.0 + 1_500));
        Sample {
            index,
            user: index as u32 % 2,
            connection: u32::from(sent.is_some()),
            scheduled,
            waited: Nanos(index * 10),
            sent,
            first_byte: (index < 3).then_some(Nanos(scheduled.0 + 900_000)),
            done: Nanos(scheduled.0 + 1_000_000 + index),
            connect: (index == 0).then_some(Nanos(70_000)),
            bytes_in: if index < 3 { 231 } else { 0 },
            bytes_out: 120,
            status: [200, 503, 200].get(index as usize).copied().unwrap_or(0),
            outcome,
            resent: u8::from(index == 5),
            counted: index > 0,
        }
    };
    Outcome::ALL.into_iter().enumerate().map(sample).collect()
}

fn open_record() -> RunRecord {
    RunRecord { facts: open_facts(), end: Some(end()), last_sign: None }
}

fn open_facts() -> RunFacts {
    RunFacts {
        arm: "open-50".to_owned(),
        round: 1,
        url: "http://127.0.0.1:8600/score".to_owned(),
        method: "POST".to_owned(),
        load: Load::Open { rate: Rate::per_second(50.1).unwrap(), arrivals: ArrivalProcess::Poisson },
        shape: None,
        seed: Seed(17_446_744_073_709_551_615),
        warm_up: Nanos::from_millis(20),
        measure: Nanos::from_millis(160),
        timeout: Nanos::from_secs(10),
        grace: Nanos::from_secs(5),
        connection_policy: ConnectionPolicy::Reuse,
        connection_limit: 1024,
        precision: SendPrecision::Spin { last: Nanos::from_micros(150) },
        threads: 1,
        backend: "epoll".to_owned(),
        planned: Some((1, 8)),
        schedule_hash: Some("0123456789abcdef".repeat(4)),
        stalls_asked: Some(true),
        capacity_per_s: Some(1091.9),
        trusted: None,
        follow: None,
        tool: None,
    }
}

fn end() -> RunEnd {
    RunEnd {
        counted_until: Nanos::from_millis(180),
        ended: Nanos(5_180_000_001),
        interrupted: false,
        taken: 9,
        taken_counted: 8,
        area: 36_893_488_147_419_103_232,
        samples_lost: 0,
        cpu: CpuUse { process: Nanos(2_000_001), senders: Nanos(1_000_001) },
        peak_rss_bytes: Some(9_000_000),
        connections_opened: 1,
        connections_peak: 1,
        waited_at_limit: 0,
        limit_lowered_to: None,
        wakeups: 18,
        own_reading: None,
        tls: None,
        examples: vec![("wrong_status".to_owned(), "503 Service Unavailable".to_owned())],
        stalls: Some(Stalls {
            planned: 1,
            seen: vec![Span { began: Nanos::from_millis(60), ended: Nanos(160_000_123) }],
        }),
        followed: None,
        told: None,
        machine: None,
    }
}

fn killed_record() -> RunRecord {
    let facts = RunFacts {
        arm: "closed-2".to_owned(),
        load: Load::Closed { connections: 2 },
        connection_policy: ConnectionPolicy::PerUser,
        precision: SendPrecision::Sleep,
        planned: None,
        schedule_hash: None,
        stalls_asked: None,
        capacity_per_s: None,
        trusted: None,
        follow: None,
        tool: None,
        ..open_facts()
    };
    RunRecord { facts, end: None, last_sign: Some(LAST_SIGN) }
}

const LAST_SIGN: LastSign = LastSign { at: Nanos::from_millis(250), due_counted: None };

fn manifest_facts() -> ManifestFacts {
    ManifestFacts {
        tool_version: "0.1.0".to_owned(),
        began: "2026-12-01T10:15:00Z".to_owned(),
        question: "What do users wait?".to_owned(),
        seed: Seed(2026),
    }
}

fn machine() -> MachineFacts {
    MachineFacts {
        processor: Some("Some Processor".to_owned()),
        cores: Some(2),
        memory_bytes: Some(8_000_000_000),
        kernel: None,
        clock_source: Some("tsc".to_owned()),
        virtual_machine: Some(true),
        governor: None,
        descriptors: Some((1024, 1_048_576)),
        ports: Some((32_768, 60_999)),
        load_1m: Some(0.1),
        idle_share: Some(0.975),
        steal_share: Some(0.0),
        watched: Some(Nanos::from_secs(2)),
    }
}

/// Writes the same folder with today's code.
fn write_folder(path: &Path) -> Result<(), StoreError> {
    let folder = Folder::create(path)?;
    folder.begin(&manifest_facts())?;
    folder.write_machine(&machine())?;
    folder.write_text("plan.toml", PLAN)?;
    let mut run = folder.start_run(&open_facts())?;
    run.append(&samples())?;
    run.finish(&end())?;
    let mut killed = folder.start_run(&killed_record().facts)?;
    let spool = killed.path().join("samples.spool");
    killed.sign(LAST_SIGN)?;
    for batch in samples().chunks(3) {
        killed.append(batch)?;
    }
    drop(killed);
    let bytes = fs::read(&spool).unwrap();
    fs::write(&spool, &bytes[..bytes.len() - 100]).unwrap();
    folder.seal(&manifest_facts())
}

fn read_all(run: &StoredRun) -> Vec<Sample> {
    let mut all = Vec::new();
    run.read(&mut |samples| all.extend_from_slice(samples)).unwrap();
    all
}

#[test]
fn a_folder_of_format_1_is_read_as_it_was_meant() {
    let folder = Folder::open(golden()).unwrap();
    assert_eq!(folder.read_text("plan.toml").unwrap().as_deref(), Some(PLAN));
    assert_eq!(folder.check().unwrap(), []);

    let manifest = folder.manifest().unwrap().unwrap();
    assert_eq!(manifest.machine, Some(machine()));
    assert_eq!(manifest.began.as_deref(), Some("2026-12-01T10:15:00Z"));
    assert_eq!(manifest.seed, Some(Seed(2026)));

    let runs = folder.runs().unwrap();
    let [open, killed] = &runs[..] else { panic!("{} runs", runs.len()) };
    assert_eq!(open.record(), &open_record());
    assert_eq!((open.from_spool(), read_all(open)), (false, samples()));
    assert_eq!(killed.record(), &killed_record());
    assert_eq!((killed.from_spool(), killed.torn_bytes()), (true, 12 + 3 * 81 - 100));
    assert_eq!(read_all(killed), samples()[..6]);
}

/// The columns are left out, and with them their length and checksum at the end
/// of `run.json`: the library that packs them may pack them better.
#[test]
fn todays_code_still_writes_format_1_byte_for_byte() {
    let place = tempfile::TempDir::new().unwrap();
    let path = place.path().join("v1");
    write_folder(&path).unwrap();
    for name in
        ["R1-open-50/run.json", "R1-open-50/stalls.json", "R1-closed-2/run.json", "R1-closed-2/samples.spool"]
    {
        let [then, now] =
            [golden(), path.clone()].map(|folder| fs::read(folder.join("runs").join(name)).unwrap());
        let without_sums = |bytes: Vec<u8>| {
            let sums = b"\"samples\": {";
            let end = bytes.windows(sums.len()).position(|part| part == sums);
            bytes[..end.unwrap_or(bytes.len())].to_vec()
        };
        assert!(without_sums(then) == without_sums(now), "{name} is written in another way");
    }
}

#[test]
#[ignore = "writes the golden folder; its files never change once format 1 is out"]
fn write_the_golden_folder() {
    assert!(!golden().exists(), "the golden folder is there already");
    write_folder(&golden()).unwrap();
}
