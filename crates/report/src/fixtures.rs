//! Made-up runs for tests: a pretend service with one worker, asked on a
//! pretend clock, so that pictures look like those of real runs and come out
//! the same every time. Nothing here was measured.

mod planned;
mod shapes;

pub(crate) use planned::{PLAN, planned};
pub(crate) use shapes::{burst, day, ramp_up, replay, shaped, soak, steady, too_short, users_over_time};

use analysis::{
    ArmSummary, AroundBin, Corrected, Distribution, Dot, Doubt, Interval, KeptUp, Lateness, Little, Point,
    RunSummary, Slice, StallFigures, Summary, TesterFigures, Verdict,
};
use model::{
    ArrivalProcess, ConnectionPolicy, Load, MachineFacts, Nanos, OwnReading, Rate, RunFacts, Seed,
    SendPrecision,
};

const SECONDS: u64 = 30;
const STALL: Nanos = Nanos::from_millis(100);

pub(crate) fn open(rate: f64) -> Load {
    Load::Open { rate: rate_of(rate), arrivals: ArrivalProcess::Poisson }
}

pub(crate) fn paced(rate: f64, connections: u32) -> Load {
    Load::Paced { rate: rate_of(rate), connections }
}

pub(crate) fn closed(connections: u32) -> Load {
    Load::Closed { connections }
}

fn rate_of(rate: f64) -> Rate {
    Rate::per_second(rate).expect("fixtures use rates above zero")
}

/// A valid run of `load`, with seven stalls of 100 ms or none.
pub(crate) fn run(arm: &str, load: Load, stalls: bool) -> RunSummary {
    let asked = ask(load, &if stalls { stall_starts() } else { Vec::new() });
    let run = of_requests(facts(arm, load, stalls), &asked);
    let episodes = if stalls { 7 } else { 140 };
    RunSummary {
        p99_interval: interval(&run.response_time, episodes),
        stalls: stalls.then(|| stall_figures(&asked)),
        ..run
    }
}

/// A valid run of which nothing is known but its requests.
fn of_requests(facts: RunFacts, asked: &[Asked]) -> RunSummary {
    let responses: Vec<Nanos> = asked.iter().map(|one| one.done - one.due).collect();
    let response_time = distribution(&responses);
    let services: Vec<Nanos> = asked.iter().map(|one| one.done - one.due - one.late).collect();
    let late: Vec<Nanos> = asked.iter().map(|one| one.late).collect();
    let (n, duration) = (asked.len() as u64, facts.measure);
    RunSummary {
        facts,
        verdict: Verdict::Valid,
        doubts: Vec::new(),
        interrupted: false,
        duration,
        scheduled: n,
        ok: n,
        failed: Vec::new(),
        unfinished: 0,
        never_sent: 0,
        resent: 0,
        rate_per_s: n as f64 / duration.as_secs_f64(),
        kept_up: KeptUp { kept_up: Some(true), smallest_visible: 0.024 },
        response_time_ok: response_time.clone(),
        service_time: distribution(&services),
        connect_time: distribution(&[Nanos::from_micros(180), Nanos::from_micros(210)]),
        p99_interval: interval(&response_time, 140),
        response_time,
        lateness: Lateness {
            all: distribution(&late),
            waiting: distribution(&[Nanos::ZERO]),
            own: distribution(&late),
        },
        corrected: None,
        stalls: None,
        tester: TesterFigures {
            cpu_ns_per_request: Some(9_840.0),
            sender_cpu_ns_per_request: Some(8_100.0),
            core_share: Some(0.0054),
            peak_rss_bytes: Some(11_800_000),
            connections_opened: Some(31),
            connections_peak: Some(31),
            waited_at_limit: Some(0),
            limit_lowered_to: None,
            own_reading: Some(OwnReading {
                stamped: 14_998,
                unstamped: 2,
                p50: Some(Nanos::from_micros(28)),
                p99: Some(Nanos::from_micros(90)),
                max: Some(Nanos::from_millis(2)),
            }),
            tls: None,
        },
        little: Some(Little { mean_in_system: 2.31, rate_times_mean: 2.30 }),
        examples: Vec::new(),
        slices: slices(asked, duration),
        windows: Vec::new(),
        stages: Vec::new(),
        bursts: Vec::new(),
        growth: Vec::new(),
        completion: None,
        readings: Vec::new(),
        reading_gaps: Vec::new(),
        near_mean: Some(0.031),
        told: None,
        story: None,
        dots: dots(asked),
        curve: curve(&responses),
    }
}

/// The demo's six arms.
pub(crate) fn demo() -> Summary {
    let loads = [("closed-1", closed(1)), ("paced", paced(546.0, 8)), ("open", open(546.0))];
    let arms = loads.into_iter().flat_map(|(name, load)| {
        let calm = format!("{name}-calm");
        let mut stalled = run(name, load, true);
        if name == "paced" {
            let raw = stalled.response_time.p99.map_or(Nanos::ZERO, |point| point.value);
            stalled.corrected = Some(Corrected { raw, ..corrected() });
        }
        [(name.to_owned(), stalled), (calm.clone(), run(&calm, load, false))]
    });
    summary(arms.collect())
}

/// An experiment of these arms, one run each.
pub(crate) fn summary(arms: Vec<(String, RunSummary)>) -> Summary {
    Summary {
        question: "How close is each tester's p99 to what users arriving on their own would wait?".into(),
        answer: "The closed loop's p99 is 0.97 ms and the open loop's 87.4 ms: 90 times as much.".into(),
        verdict: arms.iter().map(|(_, run)| run.verdict).max().unwrap_or(Verdict::Valid),
        doubts: Vec::new(),
        arms: arms
            .into_iter()
            .map(|(name, run)| ArmSummary { name, runs: vec![run], pooled: None, windows: None, ramp: None })
            .collect(),
        comparisons: Vec::new(),
        guesses: Vec::new(),
        bounds: Vec::new(),
        planned_runs: None,
        machine: machine(),
        tool_version: "0.1.0".into(),
        began: "2026-12-01T10:15:00Z".into(),
    }
}

pub(crate) fn machine() -> MachineFacts {
    MachineFacts {
        processor: Some("A Processor with 2 Cores".into()),
        cores: Some(2),
        memory_bytes: Some(8_589_934_592),
        kernel: Some("6.12.0".into()),
        clock_source: Some("tsc".into()),
        virtual_machine: Some(true),
        governor: None,
        descriptors: Some((1_024, 1_048_576)),
        ports: Some((32_768, 60_999)),
        load_1m: Some(0.4),
        idle_share: Some(0.982),
        steal_share: Some(0.0),
        watched: Some(Nanos::from_secs(2)),
    }
}

pub(crate) fn doubt(code: &'static str, weight: Verdict, says: &str, hint: Option<&str>) -> Doubt {
    Doubt { code, weight, says: says.into(), hint: hint.map(Into::into) }
}

pub(crate) fn corrected() -> Corrected {
    Corrected {
        raw: Nanos::from_micros(7_550),
        hdr: Some(Nanos::from_micros(69_790)),
        utilisation: Some(Nanos::from_micros(80_120)),
        replay: Some(Nanos::from_micros(84_310)),
        expected_interval: Nanos::from_micros(14_652),
        utilisation_share: Some(0.5),
        assumptions: vec![
            "HdrHistogram's rule expects a request every 14.7 ms and takes the omitted ones to need no service: too \
             low where they would have queued".into(),
            "the correction by utilisation lets the omitted requests queue at 50 % of the service's capacity of \
             1092/s".into(),
        ],
    }
}

/// Some requests failed and some were cut off: percentiles are lower bounds.
pub(crate) fn failing() -> RunSummary {
    let mut run = run("quick", open(500.0), true);
    let at_least = |point: &mut Option<Point>, value: Nanos| *point = Some(Point { value, at_least: true });
    run.failed = vec![("timed_out", 412), ("wrong_status", 31), ("reset", 1)];
    run.unfinished = 12;
    run.never_sent = 3;
    run.ok = run.scheduled - run.failed_total() - 15;
    run.resent = 2;
    run.examples = vec![
        ("timed_out".into(), "no complete answer within 10 s".into()),
        ("wrong_status".into(), "503 instead of 200, body <html>&amp;".into()),
    ];
    run.response_time.censored = run.failed_total() + 15;
    at_least(&mut run.response_time.p99, Nanos::from_secs(10));
    at_least(&mut run.response_time.p999, Nanos::from_secs(10));
    at_least(&mut run.response_time.max, Nanos::from_millis(12_034));
    run.p99_interval = Interval { low: Some(Nanos::from_millis(9_100)), high: None, episodes: 6 };
    run.lateness.waiting.p99 = Some(Point { value: Nanos::from_micros(2_140), at_least: false });
    let limit = Nanos::from_secs(10);
    for (_, time) in run.curve.iter_mut().filter(|(quantile, _)| *quantile > 0.97) {
        *time = limit;
    }
    for slice in &mut run.slices[10..16] {
        (slice.failed, slice.p99, slice.max) = (70, Some(limit), Some(limit));
    }
    run.service_time.p99 = run.response_time.p99;
    run.service_time.p999 = run.response_time.p999;
    run.service_time.max = run.response_time.max;
    for (number, dot) in run.dots.iter_mut().enumerate().filter(|(number, _)| number % 40 == 0) {
        (dot.ok, dot.response, dot.at) = (false, limit, Nanos::from_millis(10_000 + 4 * number as u64));
    }
    run
}

pub(crate) fn facts(arm: &str, load: Load, stalls: bool) -> RunFacts {
    RunFacts {
        arm: arm.into(),
        round: 1,
        url: "http://127.0.0.1:8600/score".into(),
        method: "GET".into(),
        load,
        shape: None,
        seed: Seed(7),
        warm_up: Nanos::from_secs(2),
        measure: Nanos::from_secs(SECONDS),
        timeout: Nanos::from_secs(10),
        grace: Nanos::from_secs(10),
        connection_policy: ConnectionPolicy::Reuse,
        connection_limit: 512,
        precision: SendPrecision::Sleep,
        threads: 1,
        backend: "epoll".into(),
        planned: load.users().is_none().then_some((1_092, 16_380)),
        schedule_hash: load.users().is_none().then(|| "5f1d".repeat(16)),
        stalls_asked: Some(stalls),
        capacity_per_s: Some(1_092.0),
        trusted: None,
        follow: None,
        tool: None,
    }
}

/// One pretend request.
struct Asked {
    due: Nanos,
    late: Nanos,
    done: Nanos,
}

fn stall_starts() -> Vec<Nanos> {
    (0..7).map(|n| Nanos::from_millis(2_100 + n * 4_150 + chance(3, n) % 900)).collect()
}

fn chance(stream: u64, index: u64) -> u64 {
    Seed(stream).mark(index)
}

/// Uniform in 0 to 1, never 0.
fn unit(stream: u64, index: u64) -> f64 {
    (chance(stream, index) >> 11) as f64 / (1u64 << 53) as f64 + f64::EPSILON
}

/// Sends `load` to a first-come-first-served service of about 0.9 ms a request.
fn ask(load: Load, stalls: &[Nanos]) -> Vec<Asked> {
    let end = Nanos::from_secs(SECONDS);
    let users = load.users().unwrap_or(1);
    let rate = load.target_rate().map_or(f64::INFINITY, Rate::as_per_second);
    let pace = Nanos::from_secs_f64(f64::from(users) / rate);
    let mut next: Vec<Nanos> =
        (0..u64::from(users)).map(|user| Nanos(user * pace.0 / u64::from(users))).collect();
    let (mut free, mut asked) = (Nanos::ZERO, Vec::new());
    loop {
        let index = asked.len() as u64;
        let user = (0..next.len()).min_by_key(|user| next[*user]).expect("there is a user");
        let due = next[user];
        if due >= end {
            return asked;
        }
        let late = Nanos(18_000 + chance(5, index) % 70_000);
        let work = Nanos(780_000 + chance(6, index) % 240_000);
        free = served((due + late).max(free), work, stalls);
        let done = free + Nanos::from_micros(60);
        next[user] = match load {
            Load::Open { .. } => due + Nanos::from_secs_f64(-unit(4, index).ln() / rate),
            Load::Paced { .. } => (due + pace).max(done),
            Load::Closed { .. } => done + Nanos::from_micros(20),
        };
        asked.push(Asked { due, late, done });
    }
}

/// When work taken up at `start` is done: a stall holds up what it meets.
fn served(start: Nanos, work: Nanos, stalls: &[Nanos]) -> Nanos {
    let meets = |began: &&Nanos| **began < start + work && start < **began + STALL;
    match stalls.iter().find(meets) {
        None => start + work,
        Some(began) if start < *began => start + work + STALL,
        Some(began) => *began + STALL + work,
    }
}

fn distribution(times: &[Nanos]) -> Distribution {
    let mut sorted = times.to_vec();
    sorted.sort();
    let at = |share: f64| {
        let rank = (share * sorted.len() as f64).ceil().max(1.0) as usize;
        sorted.get(rank - 1).map(|value| Point { value: *value, at_least: false })
    };
    Distribution {
        n: sorted.len() as u64,
        censored: 0,
        mean: Some(sorted.iter().map(|time| time.0 as f64).sum::<f64>() / sorted.len() as f64),
        p50: at(0.5),
        p90: at(0.9),
        p95: at(0.95),
        p99: at(0.99),
        p999: at(0.999),
        max: at(1.0),
    }
}

/// Six per cent to either side.
fn interval(times: &Distribution, episodes: u64) -> Interval {
    let p99 = times.p99.map_or(Nanos::ZERO, |point| point.value);
    Interval { low: Some(Nanos(p99.0 / 100 * 94)), high: Some(Nanos(p99.0 / 100 * 106)), episodes }
}

fn stall_figures(asked: &[Asked]) -> StallFigures {
    let stalls = stall_starts();
    let sent = |one: &Asked| one.due + one.late;
    let during = |one: &&Asked| stalls.iter().any(|at| *at <= sent(one) && sent(one) < *at + STALL);
    let met = |one: &&Asked| stalls.iter().any(|at| sent(one) < *at + STALL && one.done > *at);
    let around = (-10..30).map(|bin| {
        let from_ms = bin * 10;
        let inside = |one: &&Asked| {
            stalls.iter().any(|at| (sent(one).0 as i64 - at.0 as i64).div_euclid(10_000_000) == bin)
        };
        AroundBin {
            from_ms,
            sent_per_stall: asked.iter().filter(inside).count() as f64 / stalls.len() as f64,
        }
    });
    StallFigures {
        planned: 7,
        seen: 7,
        mean_length: Some(Nanos::from_millis(100)),
        sent_during: asked.iter().filter(during).count() as u64,
        overlapped_share: asked.iter().filter(met).count() as f64 / asked.len() as f64,
        around: around.collect(),
    }
}

/// Thirty slices.
fn slices(asked: &[Asked], duration: Nanos) -> Vec<Slice> {
    let length = Nanos(duration.0 / SECONDS);
    (0..SECONDS)
        .map(|number| {
            let began = length * number;
            let inside = asked.iter().filter(|one| began <= one.due && one.due < began + length);
            let times = distribution(&inside.map(|one| one.done - one.due).collect::<Vec<_>>());
            let value = |point: Option<Point>| point.map(|point| point.value);
            Slice {
                began,
                length,
                scheduled: times.n,
                failed: 0,
                p99: value(times.p99),
                max: value(times.max),
            }
        })
        .collect()
}

/// Every twelfth request, and the slowest 300.
fn dots(asked: &[Asked]) -> Vec<Dot> {
    let dot = |one: &Asked| Dot { at: one.due, response: one.done - one.due, ok: true };
    let mut slowest: Vec<Dot> = asked.iter().map(dot).collect();
    slowest.sort_by_key(|dot| std::cmp::Reverse(dot.response));
    asked.iter().step_by(12).map(dot).chain(slowest.into_iter().take(300)).collect()
}

fn curve(times: &[Nanos]) -> Vec<(f64, Nanos)> {
    let mut sorted = times.to_vec();
    sorted.sort();
    let quantiles = (0..100).map(|step| 1.0 - 10f64.powf(-4.0 * f64::from(step) / 99.0));
    quantiles.map(|q| (q, sorted[((q * sorted.len() as f64) as usize).min(sorted.len() - 1)])).collect()
}
