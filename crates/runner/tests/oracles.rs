//! The whole line (schedule → engine → samples → analysis) against queueing
//! theory: the real event loop asks a simulated server whose percentiles are
//! known in closed form or from long independent simulations.

use analysis::RunSummary;
use engine::{Expect, Limits, Numbers, Prepared, Work, Worker, WorkerEnd};
use model::{
    ArrivalProcess, ConnectionPolicy, Load, Nanos, Rate, RunEnd, RunFacts, RunRecord, SampleSource, Seed,
    SendPrecision, Span, Stalls,
};
use schedule::{Arrivals, Open, Paced, Profile, Share, Tester, UnitProcess, digest};
use std::sync::atomic::AtomicBool;
use testbed::{QueueServer, simulated};

/// 1 ÷ (2 × 546/s): the service time that makes 546/s half of what the server can do.
const SERVICE: Nanos = Nanos(915_751);

const WARM_UP: Nanos = Nanos::from_secs(20);

/// An open loop with Poisson arrivals.
fn measure(rate_per_s: f64, measure: Nanos, seed: u64, stalls: &[Span]) -> RunSummary {
    let rate = Rate::per_second(rate_per_s).expect("a rate");
    let profile = Profile::level(rate, WARM_UP + measure).expect("a profile");
    let arrivals = Arrivals::new(profile, ArrivalProcess::Poisson, Seed(seed));
    let planned = digest(arrivals.clone(), WARM_UP);
    let facts = RunFacts {
        planned: Some((planned.count - planned.counted, planned.counted)),
        schedule_hash: Some(planned.hash),
        ..facts(Load::Open { rate, arrivals: ArrivalProcess::Poisson }, measure, seed)
    };
    ask(Box::new(Open::new(arrivals, Share::whole())), facts, stalls)
}

/// A loop of `connections` that aims at a rate, with what is known of the
/// service's capacity.
fn paced(
    rate_per_s: f64,
    connections: u32,
    measure: Nanos,
    stalls: &[Span],
    capacity_per_s: Option<f64>,
) -> RunSummary {
    let rate = Rate::per_second(rate_per_s).expect("a rate");
    let facts = RunFacts { capacity_per_s, ..facts(Load::Paced { rate, connections }, measure, 1) };
    ask(Box::new(Paced::new(connections, rate, WARM_UP + measure, Share::whole())), facts, stalls)
}

fn facts(load: Load, measure: Nanos, seed: u64) -> RunFacts {
    RunFacts {
        arm: load.name().to_owned(),
        round: 1,
        url: "http://simulated/".to_owned(),
        method: "GET".to_owned(),
        load,
        shape: None,
        seed: Seed(seed),
        warm_up: WARM_UP,
        measure,
        timeout: Nanos::from_secs(100),
        grace: Nanos::from_secs(100),
        connection_policy: ConnectionPolicy::Reuse,
        connection_limit: 1_000_000,
        precision: SendPrecision::Sleep,
        threads: 1,
        backend: "simulated".to_owned(),
        planned: None,
        schedule_hash: None,
        stalls_asked: None,
        capacity_per_s: None,
        trusted: None,
        follow: None,
        tool: None,
    }
}

/// One run of `tester` against a simulated server, judged.
fn ask(tester: Box<dyn Tester + Send>, facts: RunFacts, stalls: &[Span]) -> RunSummary {
    let limits = Limits {
        warm_up: facts.warm_up,
        until: facts.warm_up + facts.measure,
        grace: facts.grace,
        timeout: facts.timeout,
        connection_policy: facts.connection_policy,
        connection_limit: facts.connection_limit,
        connection_numbers: Numbers::ALL,
        may_read_later: false,
    };
    let bytes = b"GET / HTTP/1.1\r\nHost: test\r\n\r\n"[..].into();
    let request = Prepared { bytes, asked: wire::h1::Asked::default(), expect: Expect::default() };
    let work = Work::new(vec![request], Seed(1)).expect("one request");
    let (clock, net) = simulated(QueueServer::new(SERVICE, stalls.to_vec()));
    let stop = AtomicBool::new(false);
    let (end, samples) =
        Worker { tester, work: &work, net, clock, samples: Vec::new(), follow: None, limits, stop: &stop }
            .run();
    let facts = RunFacts { stalls_asked: Some(!stalls.is_empty()), ..facts };
    judge(facts, &end, &samples, stalls)
}

fn judge(facts: RunFacts, end: &WorkerEnd, samples: &dyn SampleSource, stalls: &[Span]) -> RunSummary {
    let counted: Vec<Span> = stalls.iter().copied().filter(|stall| stall.began >= facts.warm_up).collect();
    let end = RunEnd {
        counted_until: end.until,
        ended: end.ended,
        interrupted: end.interrupted,
        taken: end.taken,
        taken_counted: end.taken_counted,
        area: end.area,
        samples_lost: end.samples_lost,
        cpu: end.cpu,
        peak_rss_bytes: None,
        connections_opened: end.connections_opened,
        connections_peak: end.connections_peak,
        waited_at_limit: end.waited_at_limit,
        followed: None,
        told: None,
        machine: None,
        limit_lowered_to: end.limit_lowered_to,
        wakeups: end.wakeups,
        own_reading: None,
        tls: None,
        examples: Vec::new(),
        stalls: Some(Stalls { planned: counted.len() as u64, seen: counted }),
    };
    analysis::run(
        &RunRecord { facts, end: Some(end), last_sign: None },
        samples,
        analysis::Alongside::default(),
    )
    .expect("samples in memory")
}

fn within(what: &str, measured: f64, expected: f64, share: f64) {
    let off = measured / expected - 1.0;
    assert!(
        off.abs() <= share,
        "{what}: measured {measured:.4}, expected {expected:.4}, off by {:.2} %",
        off * 100.0
    );
}

/// Units of the service time.
fn in_services(nanos: Nanos) -> f64 {
    nanos.0 as f64 / SERVICE.0 as f64
}

#[test]
fn reported_percentiles_are_those_of_an_m_d_1_queue() {
    // Waits in units of the service time, by Erlang's formula: utilisation,
    // p99 and p99.9 of the wait, mean wait. Response time is the wait plus 1.
    let table = [
        (0.3, 1.891, Some(3.023), 0.214),
        (0.5, 3.336, Some(5.168), 0.5),
        (0.7, 6.486, Some(9.894), 1.167),
        // At 0.8 the slowest thousandth of four million arrivals comes from a few
        // dozen busy spells, too few to hold its edge (15.700) to 2 %.
        (0.8, 10.356, None, 2.0),
    ];
    for (utilisation, p99, p999, mean) in table {
        let rate = utilisation / SERVICE.as_secs_f64();
        // As many arrivals as give the percentiles to well within 2 %.
        let arrivals = if utilisation > 0.6 { 4_000_000.0 } else { 1_500_000.0 };
        let run = measure(rate, Nanos::from_secs_f64(arrivals / rate), 11, &[]);
        assert_eq!(run.scheduled, run.ok);
        let time = &run.response_time;
        let value = |point: Option<analysis::Point>| in_services(point.expect("a percentile").value);
        within("p99", value(time.p99), p99 + 1.0, 0.02);
        if let Some(p999) = p999 {
            within("p99.9", value(time.p999), p999 + 1.0, 0.02);
        }
        within("mean", time.mean.expect("a mean") / SERVICE.0 as f64, mean + 1.0, 0.02);
        assert_eq!(run.kept_up.kept_up, Some(true), "at {utilisation} of its capacity");
    }
}

/// Stalls of 100 ms every 4 s, exactly.
fn periodic_stalls(until: Nanos) -> Vec<Span> {
    let length = Nanos::from_millis(100);
    (1..)
        .map(|turn| Nanos::from_secs(4 * turn))
        .take_while(|began| *began < until)
        .map(|began| Span { began, ended: began + length })
        .collect()
}

#[test]
fn reported_percentiles_under_stalls_are_those_of_fluid_theory_and_of_long_simulations() {
    // One server at half its capacity of 1,092/s that stands still for 100 ms
    // every 4 s. A fluid gives p99 = S − x(1−ρ)T = 80 ms and p99.9 = 98 ms;
    // simulations of 40,000 s gave 82.6 and 100.5 ms.
    let length = Nanos::from_secs(2_400);
    let stalls = periodic_stalls(Nanos::from_secs(2_420));
    let run = measure(546.0, length, 5, &stalls);
    let millis = |point: Option<analysis::Point>| point.expect("a percentile").value.as_millis_f64();
    within("p99 to the simulated one", millis(run.response_time.p99), 82.6, 0.02);
    within("p99.9 to the simulated one", millis(run.response_time.p999), 100.5, 0.02);
    within("p50 to the simulated one", millis(run.response_time.p50), 1.01, 0.02);
    // The fluid has no waves in its queue, so it lies a little below: the
    // simulated 82.6 ms are 3 % above its 80, and no more than 5 % is asked.
    within("p99 to the fluid's", millis(run.response_time.p99), 80.0, 0.05);
    within("p99.9 to the fluid's", millis(run.response_time.p999), 98.0, 0.05);
    let figures = run.stalls.expect("stalls");
    within("sent while it stood still", figures.sent_during as f64, 546.0 * 0.1 * figures.seen as f64, 0.02);
    assert_eq!((figures.planned, figures.seen), (600, 600));
}

/// Stalls at Poisson moments, `every` on average and `length` long; one that
/// would begin inside another begins at its end.
fn poisson_stalls(every: Nanos, length: Nanos, until: Nanos) -> Vec<Span> {
    let mut process = UnitProcess::new(ArrivalProcess::Poisson, Seed(8));
    let mut stalls: Vec<Span> = Vec::new();
    loop {
        let moment = Nanos((process.advance() * every.0 as f64) as u64);
        let began = stalls.last().map_or(moment, |last| moment.max(last.ended));
        if began >= until {
            return stalls;
        }
        stalls.push(Span { began, ended: began + length });
    }
}

#[test]
fn the_mean_under_random_stalls_is_that_of_a_queue_with_breakdowns() {
    // Fixed service s, Poisson stalls of length S at rate θ that go first (a
    // preemptive M/G/1 queue), ρ₁ = θS:
    // mean = s/(1−ρ₁) + (θS² + λs²) / (2(1−ρ₁)(1−ρ₁−ρ)).
    let (every, length) = (Nanos::from_millis(100), Nanos::from_millis(10));
    let measured = Nanos::from_secs(4_000);
    let run = measure(546.0, measured, 9, &poisson_stalls(every, length, Nanos::from_secs(4_020)));
    let (rate, service) = (546.0, SERVICE.as_secs_f64());
    let (theta, stall) = (1.0 / every.as_secs_f64(), length.as_secs_f64());
    let (rho, rho_stalls) = (rate * service, theta * stall);
    let second_moments = theta * stall * stall + rate * service * service;
    let mean =
        service / (1.0 - rho_stalls) + second_moments / (2.0 * (1.0 - rho_stalls) * (1.0 - rho_stalls - rho));
    within("mean", run.response_time.mean.expect("a mean") / 1e9, mean, 0.02);
}

#[test]
fn a_queue_asked_for_more_than_it_can_do_is_said_to_fall_behind() {
    let run = measure(1.05 / SERVICE.as_secs_f64(), Nanos::from_secs(60), 3, &[]);
    assert_eq!(run.kept_up.kept_up, Some(false));
}

/// Stalls of 100 ms every 4 s on average, each up to a quarter of that early or late.
fn jittered_stalls(until: Nanos) -> Vec<Span> {
    let length = Nanos::from_millis(100);
    let moment = |turn: u64| Nanos::from_secs(4 * turn - 1) + Nanos(Seed(6).mark(turn) % 2_000_000_000);
    (1..)
        .map(moment)
        .take_while(|began| *began < until)
        .map(|began| Span { began, ended: began + length })
        .collect()
}

#[test]
fn corrections_of_a_paced_loop_stand_to_the_truth_as_simulated() {
    // 546/s on 8 connections, half of what the service can do. Simulations of
    // twelve runs gave, as shares of the open loop's p99 on the same service:
    // 0.11 as measured (with exponential service; this one is fixed, and paced
    // arrivals meet no queue in it), 0.80 by HdrHistogram's rule, 0.98 with the
    // idle share of its interval, 1.00 by replay.
    let length = Nanos::from_secs(600);
    let stalls = jittered_stalls(length + WARM_UP);
    let truth = measure(546.0, length, 5, &stalls).response_time.p99.expect("a p99").value;
    for capacity in [Some(1092.0), None] {
        let run = paced(546.0, 8, length, &stalls, capacity);
        let corrected = run.corrected.expect("a loop");
        let share = |p99: Option<Nanos>| p99.map(|p99| p99.0 as f64 / truth.0 as f64);
        let between = |what: &str, p99, least: f64, most: f64| {
            let share =
                share(p99).unwrap_or_else(|| panic!("{what} is refused: {:?}", corrected.assumptions));
            assert!(
                (least..=most).contains(&share),
                "{what}: {share:.3} of the truth, capacity {capacity:?}"
            );
        };
        between("as measured", Some(corrected.raw), 0.0, 0.2);
        between("by HdrHistogram's rule", corrected.hdr, 0.6, 0.9);
        between("by replay", corrected.replay, 0.9, 1.1);
        if capacity.is_some() {
            between("by utilisation", corrected.utilisation, 0.9, 1.05);
        }
    }
}
