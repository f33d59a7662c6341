//! What the tests of this crate share: samples of all kinds, the facts of a
//! run, and a disk that gets full.

use crate::{Disk, LocalDisk, Sink};
use model::{
    ArrivalProcess, ConnectionPolicy, CpuUse, FollowFacts, FollowKind, Followed, Load, MachineStory, Nanos,
    Outcome, Rate, ReplayFacts, RunEnd, RunFacts, Sample, Seed, SendPrecision, Shape, ShapeKind, Span, Stage,
    StageUnit, Stalls, Stored, Told, ToolFacts,
};
use proptest::prelude::*;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// An ordinary sample; different for each index.
pub(crate) fn sample(index: u64) -> Sample {
    let scheduled = Nanos(index * 1_831_502);
    let sent = Nanos(scheduled.0 + 21_000 + index % 977);
    let outcome = if index % 50 == 49 { Outcome::TimedOut } else { Outcome::Ok };
    Sample {
        index,
        user: 0,
        connection: 1 + (index % 8) as u32,
        scheduled,
        waited: Nanos(index % 3),
        sent: Some(sent),
        first_byte: (outcome == Outcome::Ok).then_some(Nanos(sent.0 + 830_000 + index % 7919)),
        done: Nanos(sent.0 + 850_000 + index % 7919),
        connect: (index < 8).then_some(Nanos(120_000)),
        bytes_in: 231 + index % 4,
        bytes_out: 120,
        status: if outcome == Outcome::Ok { 200 } else { 0 },
        outcome,
        resent: u8::from(index % 100 == 7),
        counted: index >= 20,
    }
}

/// The ordinary samples from `first` up to, not including, `end`.
pub(crate) fn samples(first: u64, end: u64) -> Vec<Sample> {
    (first..end).map(sample).collect()
}

/// Any 64-bit number, its edges often.
fn wide() -> impl Strategy<Value = u64> {
    let edges = [0, 1, i64::MAX as u64, i64::MAX as u64 + 1, u64::MAX];
    prop_oneof![any::<u64>(), proptest::sample::select(edges.to_vec()), 0..1_000_000_000_u64]
}

/// Any 32-bit number, its edges often.
fn narrow() -> impl Strategy<Value = u32> {
    let edges = [0, 1, i32::MAX as u32, i32::MAX as u32 + 1, u32::MAX];
    prop_oneof![any::<u32>(), proptest::sample::select(edges.to_vec()), 0..300_u32]
}

/// Any sample that the types allow.
pub(crate) fn any_sample() -> impl Strategy<Value = Sample> {
    let moments = (wide(), wide(), wide());
    let maybe = || proptest::option::of(wide().prop_map(Nanos));
    let unknowns = (maybe(), maybe(), maybe());
    let counts = (wide(), wide(), narrow(), narrow(), narrow());
    let end = (any::<u16>(), proptest::sample::select(Outcome::ALL.to_vec()), any::<u8>(), any::<bool>());
    (moments, unknowns, counts, end).prop_map(|(moments, unknowns, counts, end)| {
        let (scheduled, waited, done) = moments;
        let (sent, first_byte, connect) = unknowns;
        let (index, bytes_in, user, connection, bytes_out) = counts;
        let (status, outcome, resent, counted) = end;
        let [scheduled, waited, done] = [scheduled, waited, done].map(Nanos);
        #[rustfmt::skip]
        let sample = Sample {
            index, user, connection, scheduled, waited, sent, first_byte, done, connect, bytes_in, bytes_out,
            status, outcome, resent, counted,
        };
        sample
    })
}

/// The facts of an open run with every optional fact known.
pub(crate) fn facts(arm: &str) -> RunFacts {
    RunFacts {
        arm: arm.to_owned(),
        round: 1,
        url: "http://127.0.0.1:8600/score".to_owned(),
        method: "POST".to_owned(),
        load: Load::Open {
            rate: Rate::per_second(546.1).expect("above zero"),
            arrivals: ArrivalProcess::Poisson,
        },
        shape: Some(shape()),
        seed: Seed(u64::MAX),
        warm_up: Nanos::from_secs(1),
        measure: Nanos::from_secs(30),
        timeout: Nanos::from_secs(10),
        grace: Nanos::from_secs(5),
        connection_policy: ConnectionPolicy::Reuse,
        connection_limit: 1024,
        precision: SendPrecision::Spin { last: Nanos::from_micros(150) },
        threads: 2,
        backend: "epoll".to_owned(),
        planned: Some((546, 16_380)),
        schedule_hash: Some("5eed".repeat(16)),
        stalls_asked: Some(true),
        capacity_per_s: Some(1091.9),
        trusted: None,
        follow: Some(FollowFacts {
            kind: FollowKind::Poll,
            every: Some(Nanos::from_millis(500)),
            within: Nanos::from_secs(600),
            at_most: Some(Nanos::from_secs(300)),
            quota: Rate::per_second(0.75),
        }),
        tool: Some(ToolFacts { name: "locust".to_owned(), command: "locust -f \"x\"".to_owned() }),
    }
}

/// A replay, which has every part that a shape can have.
fn shape() -> Shape {
    let replay = ReplayFacts {
        file: "access.log".to_owned(),
        format: "combined".to_owned(),
        speed: 2.5,
        lines: 16_400,
        skipped: 20,
        resolution: Nanos::from_secs(1),
    };
    Shape {
        kind: ShapeKind::Replay,
        unit: StageUnit::Users,
        pace: Some(Nanos::from_millis(1_500)),
        stages: vec![
            Stage::level(Nanos::from_secs(10), 0.1),
            Stage { length: Nanos::from_secs(20), from: 0.0, to: 819.15 },
        ],
        replay: Some(replay),
    }
}

/// The facts of a closed run with no optional fact known.
pub(crate) fn bare_facts(arm: &str) -> RunFacts {
    RunFacts {
        load: Load::Closed { connections: 8 },
        shape: None,
        connection_policy: ConnectionPolicy::PerUser,
        precision: SendPrecision::Sleep,
        planned: None,
        schedule_hash: None,
        stalls_asked: None,
        capacity_per_s: None,
        trusted: None,
        follow: None,
        tool: None,
        ..facts(arm)
    }
}

/// A run's end with everything known.
pub(crate) fn end() -> RunEnd {
    let span = |began: u64, ended: u64| Span { began: Nanos::from_millis(began), ended: Nanos(ended) };
    RunEnd {
        counted_until: Nanos::from_secs(31),
        ended: Nanos(31_000_000_001),
        interrupted: true,
        taken: 16_926,
        taken_counted: 16_380,
        area: u128::MAX,
        samples_lost: 3,
        cpu: CpuUse { process: Nanos(2_000_000_001), senders: Nanos(1_500_000_001) },
        peak_rss_bytes: Some(20 << 20),
        connections_opened: 77,
        connections_peak: 42,
        waited_at_limit: 0,
        limit_lowered_to: None,
        wakeups: 33_000,
        own_reading: Some(model::OwnReading {
            stamped: 9_000,
            unstamped: 7,
            p50: Some(Nanos(28_000)),
            p99: Some(Nanos(90_111)),
            max: Some(Nanos(2_000_003)),
        }),
        tls: Some(model::TlsTold {
            agreed: Some("TLS 1.3, AES_256_GCM_SHA384, X25519".to_owned()),
            verifies: true,
            handshakes: 64,
            resumed: 3,
            p50: Some(Nanos(900_000)),
            p99: Some(Nanos(1_900_001)),
            max: Some(Nanos(2_000_003)),
        }),
        examples: vec![("timed_out".to_owned(), "no answer within 10 s: \"…\"\n".to_owned())],
        stalls: Some(Stalls { planned: 7, seen: vec![span(4_000, 4_100_000_003), span(8_000, u64::MAX)] }),
        followed: Some(Followed {
            until: Nanos(525_000_000_001),
            is_cut_short: true,
            asked: 40_000,
            failed: 2,
            example: Some("GET /tickets/7: status 404".to_owned()),
            strangers: 1,
            repeated: 5,
            cpu: Nanos(1_234_567_891),
            stored: Some(Stored::Count(476)),
        }),
        told: Some(Told {
            requests: Some(15_420),
            failed: Some(1),
            rate_per_s: Some(514.2),
            mean: Some(Nanos(2_000_001)),
            p50: Some(Nanos(1_400_003)),
            p90: None,
            p95: Some(Nanos(3_100_007)),
            p99: Some(Nanos(9_060_011)),
            p999: None,
            max: Some(Nanos(101_000_013)),
            gave_samples: true,
        }),
        machine: Some(MachineStory {
            idle_before: Some(0.97),
            load_before: Some(0.4),
            waited_for_quiet: Nanos(2_000_000_017),
            was_quiet: Some(true),
            steal_share: Some(0.001),
            other_cores: Some(0.02),
            throttled: Some(3),
            log_lines: None,
            sessions: Some(1),
            service_core_share: Some(0.51),
        }),
    }
}

/// A disk with room for so many more bytes, all its files together.
#[derive(Clone)]
pub(crate) struct SmallDisk {
    room: Arc<AtomicU64>,
}

impl SmallDisk {
    pub(crate) fn with_room(bytes: u64) -> SmallDisk {
        SmallDisk { room: Arc::new(AtomicU64::new(bytes)) }
    }

    pub(crate) fn set_room(&self, bytes: u64) {
        self.room.store(bytes, Ordering::Relaxed);
    }
}

impl Disk for SmallDisk {
    fn create(&self, path: &Path) -> io::Result<Box<dyn Sink>> {
        Ok(Box::new(SmallSink { room: Arc::clone(&self.room), file: LocalDisk.create(path)? }))
    }
}

struct SmallSink {
    room: Arc<AtomicU64>,
    file: Box<dyn Sink>,
}

/// Like a real disk it first takes what still fits, then refuses.
impl Write for SmallSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.room.load(Ordering::Relaxed);
        let fits = bytes.len().min(usize::try_from(room).unwrap_or(usize::MAX));
        if fits == 0 && !bytes.is_empty() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let written = self.file.write(&bytes[..fits])?;
        self.room.fetch_sub(written as u64, Ordering::Relaxed);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Sink for SmallSink {
    fn cut(&mut self, bytes: u64) -> io::Result<()> {
        self.file.cut(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        // The tests outlive no loss of power, and a real sync takes milliseconds.
        Ok(())
    }
}
