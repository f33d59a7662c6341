//! Runs for tests: one that nothing speaks against, to be spoilt one way at a time.

use crate::Alongside;
use crate::summary::{ArmSummary, Point, RunSummary};
use model::{
    ArrivalProcess, ConnectionPolicy, CpuUse, Load, Nanos, Outcome, Rate, RunEnd, RunFacts, RunRecord,
    Sample, Seed, SendPrecision, Shape, ShapeKind, Span, Stage, StageUnit,
};
use std::sync::LazyLock;

/// A counted request that was answered as expected.
pub(crate) fn sample(index: u64, scheduled: u64, sent: u64, done: u64) -> Sample {
    Sample {
        index,
        user: 0,
        connection: 1,
        scheduled: Nanos(scheduled),
        waited: Nanos::ZERO,
        sent: Some(Nanos(sent)),
        first_byte: Some(Nanos(done)),
        done: Nanos(done),
        connect: None,
        bytes_in: 200,
        bytes_out: 100,
        status: 200,
        outcome: Outcome::Ok,
        resent: 0,
        counted: true,
    }
}

/// Samples of every kind, drawn from `seed`.
pub(crate) fn any_samples(seed: u64, count: u64) -> Vec<Sample> {
    let seed = Seed(seed);
    let drawn = |index: u64| {
        let draw = |purpose: &str, below: u64| seed.derive(purpose).mark(index) % below;
        let scheduled = draw("scheduled", 1_000_000_000);
        let sent = scheduled + draw("late", 50_000);
        let outcome = match draw("outcome", 30) {
            number @ 1..=8 => Outcome::from_number(number as u8).expect("numbers up to 8 have an outcome"),
            _ => Outcome::Ok,
        };
        let done = sent + draw("service", 5_000_000) * draw("heavy", 3);
        Sample {
            sent: (outcome != Outcome::NeverSent).then_some(Nanos(sent)),
            waited: Nanos(draw("waited", 2) * (sent - scheduled)),
            connect: (draw("connect", 4) == 0).then_some(Nanos(draw("took", 9_000))),
            outcome,
            resent: draw("resent", 40) as u8 / 39,
            counted: draw("counted", 10) > 0,
            ..sample(index, scheduled, sent, done)
        }
    };
    (0..count).map(drawn).collect()
}

/// A run to be judged.
#[derive(Clone)]
pub(crate) struct Run {
    pub(crate) record: RunRecord,
    pub(crate) samples: Vec<Sample>,
}

const SECOND: u64 = 1_000_000_000;

impl Run {
    /// An open loop at 500/s for 30 s after 1 s of warm-up, whose books agree
    /// and whose slow requests come from many separate events.
    pub(crate) fn calm() -> Run {
        let samples: Vec<Sample> = (0..31 * 500).map(calm_sample).collect();
        let mut run =
            Run { record: RunRecord { facts: facts(), end: Some(end()), last_sign: None }, samples };
        run.agree();
        run
    }

    /// The same as a loop on 8 connections, paced or closed.
    pub(crate) fn looped(paced: bool) -> Run {
        let mut run = Run::calm();
        run.record.facts.load = match rate(500.0) {
            rate if paced => Load::Paced { rate, connections: 8 },
            _ => Load::Closed { connections: 8 },
        };
        run.record.facts.planned = None;
        run
    }

    /// An open load over time after 1 s of warm-up: arrivals by chance, served one
    /// after the other in `service` each, all answered as expected.
    pub(crate) fn shaped(kind: ShapeKind, stages: &[(u64, f64, f64)], service: Nanos, seed: u64) -> Run {
        let stage = |(secs, from, to): &(u64, f64, f64)| Stage {
            length: Nanos::from_secs(*secs),
            from: *from,
            to: *to,
        };
        let stages: Vec<Stage> = stages.iter().map(stage).collect();
        let shape = Shape { kind, unit: StageUnit::PerSecond, pace: None, stages, replay: None };
        let mut run = Run::calm();
        run.samples = served(&shape, service, Seed(seed));
        let facts = &mut run.record.facts;
        facts.arm = kind.name().to_owned();
        facts.load = Load::Open { rate: rate(shape.mean()), arrivals: ArrivalProcess::Poisson };
        facts.measure = shape.length();
        facts.shape = Some(shape);
        let until = facts.warm_up + facts.measure;
        run.end().counted_until = until;
        run.end().ended = until + Nanos::from_secs(5);
        run.agree();
        run
    }

    /// Changes the counted samples for which `which` holds of their place.
    pub(crate) fn change(&mut self, which: impl Fn(u64) -> bool, change: impl Fn(&mut Sample)) {
        for (at, sample) in (0..).zip(self.samples.iter_mut().filter(|sample| sample.counted)) {
            if which(at) {
                change(sample);
            }
        }
        self.agree();
    }

    /// Makes the engine's books agree with the samples.
    pub(crate) fn agree(&mut self) {
        let counted = self.samples.iter().filter(|sample| sample.counted).count() as u64;
        let all = self.samples.len() as u64;
        let Some(end) = &mut self.record.end else { return };
        end.taken = all;
        end.taken_counted = counted;
        end.area = self.samples.iter().map(|sample| u128::from(sample.response_time().0)).sum();
        if self.record.facts.planned.is_some() {
            self.record.facts.planned = Some((all - counted, counted));
        }
    }

    /// The run's end.
    pub(crate) fn end(&mut self) -> &mut RunEnd {
        self.record.end.as_mut().expect("this run was not killed")
    }

    /// What analysis says about it.
    pub(crate) fn judged(&self) -> RunSummary {
        crate::run(&self.record, &self.samples, Alongside::default()).expect("samples in memory can be read")
    }
}

/// What analysis says of an arm's run, with a p99 set by hand.
pub(crate) fn summary(arm: &str, round: u32, p99_ms: f64) -> RunSummary {
    static CALM: LazyLock<RunSummary> = LazyLock::new(|| Run::calm().judged());
    let mut run = CALM.clone();
    run.facts.arm = arm.to_owned();
    run.facts.round = round;
    run.response_time.p99 = Some(Point { value: Nanos::from_secs_f64(p99_ms / 1e3), at_least: false });
    run
}

/// An arm with these p99s, round by round.
pub(crate) fn arm(name: &str, p99s_ms: &[f64]) -> ArmSummary {
    let runs = (1..).zip(p99s_ms).map(|(round, p99)| summary(name, round, *p99)).collect();
    ArmSummary { name: name.to_owned(), runs, pooled: None, windows: None, ramp: None }
}

pub(crate) fn rate(per_second: f64) -> Rate {
    Rate::per_second(per_second).expect("a rate above zero")
}

fn served(shape: &Shape, service: Nanos, seed: Seed) -> Vec<Sample> {
    let mut stages: Vec<(Span, Stage)> = shape
        .spans()
        .into_iter()
        .map(|span| Span { began: span.began + Nanos::from_secs(1), ended: span.ended + Nanos::from_secs(1) })
        .zip(shape.stages.iter().copied())
        .collect();
    let warm_up = Stage::level(Nanos::from_secs(1), shape.stages[0].from);
    stages.insert(0, (Span { began: Nanos::ZERO, ended: Nanos::from_secs(1) }, warm_up));
    let uniform =
        |at: u64, purpose: &str| ((seed.derive(purpose).mark(at) >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
    let (mut samples, mut free, mut drawn) = (Vec::new(), 0u64, 0);
    for (span, stage) in stages {
        // Arrivals at the stage's largest rate, of which as many are kept as its
        // rate is of that.
        let most = stage.from.max(stage.to);
        let mut at = span.began.as_secs_f64();
        loop {
            drawn += 1;
            at -= uniform(drawn, "gap").ln() / most;
            let due = Nanos::from_secs_f64(at);
            if due >= span.ended {
                break;
            }
            let share = (due.saturating_sub(span.began)).as_secs_f64() / span.length().as_secs_f64();
            let now = stage.from + (stage.to - stage.from) * share;
            if uniform(drawn, "kept") * most < now {
                let sent = due.0 + 10_000;
                free = free.max(sent) + service.0;
                let index = samples.len() as u64;
                samples.push(Sample { counted: due.0 >= SECOND, ..sample(index, due.0, sent, free) });
            }
        }
    }
    samples
}

/// Due every 2 ms, sent 10 µs late, served within 0.5 ms and an exponential 1 ms.
fn calm_sample(index: u64) -> Sample {
    let uniform = (Seed(3).mark(index) >> 11) as f64 / (1u64 << 53) as f64;
    let service = 500_000 + (-(1.0 - uniform).ln() * 1e6) as u64;
    let scheduled = index * 2_000_000;
    let sent = scheduled + 10_000;
    Sample { counted: scheduled >= SECOND, ..sample(index, scheduled, sent, sent + service) }
}

fn facts() -> RunFacts {
    RunFacts {
        arm: "open-500".to_owned(),
        round: 1,
        url: "http://127.0.0.1:8600/".to_owned(),
        method: "GET".to_owned(),
        load: Load::Open { rate: rate(500.0), arrivals: ArrivalProcess::Poisson },
        shape: None,
        seed: Seed(7),
        warm_up: Nanos::from_secs(1),
        measure: Nanos::from_secs(30),
        timeout: Nanos::from_secs(10),
        grace: Nanos::from_secs(10),
        connection_policy: ConnectionPolicy::Reuse,
        connection_limit: 512,
        precision: SendPrecision::Sleep,
        threads: 1,
        backend: "epoll".to_owned(),
        planned: Some((0, 0)),
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
        counted_until: Nanos::from_secs(31),
        ended: Nanos::from_secs(31),
        interrupted: false,
        taken: 0,
        taken_counted: 0,
        area: 0,
        samples_lost: 0,
        cpu: CpuUse { process: Nanos::from_millis(300), senders: Nanos::from_millis(150) },
        peak_rss_bytes: Some(20_000_000),
        connections_opened: 4,
        connections_peak: 4,
        waited_at_limit: 0,
        limit_lowered_to: None,
        wakeups: 40_000,
        own_reading: None,
        tls: None,
        examples: Vec::new(),
        stalls: None,
        followed: None,
        told: None,
        machine: None,
    }
}
