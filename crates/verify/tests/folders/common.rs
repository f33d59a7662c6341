//! Results folders as the tester makes them, of runs that are made up.

use analysis::ExperimentFacts;
use model::{
    ArrivalProcess, ConnectionPolicy, CpuUse, Load, MachineFacts, Nanos, Outcome, Rate, RunEnd, RunFacts,
    Sample, Seed, SendPrecision, Span, Stalls,
};
use sha2::{Digest, Sha256};
use std::path::Path;
use store::{Folder, ManifestFacts};

pub const SECOND: u64 = 1_000_000_000;
pub const MS: u64 = 1_000_000;
pub const WARM_UP: u64 = SECOND / 2;
const ENDED: u64 = 6 * SECOND + WARM_UP;
pub const TIMEOUT: u64 = 2 * SECOND;

/// A run to be kept in a folder.
#[derive(Clone)]
pub struct Run {
    pub facts: RunFacts,
    pub end: RunEnd,
    pub samples: Vec<Sample>,
}

/// One run of every kind that a summary can tell of.
pub fn all() -> Vec<Run> {
    vec![
        open("calm", |_| {}),
        open("failing", fail_some),
        open("censored", cut_some_off),
        interrupted(),
        slow(),
        looped("paced", paced(), true, true),
        looped("paced-untold", paced(), false, true),
        looped("paced-calm", paced(), true, false),
        looped("closed", Load::Closed { connections: 4 }, false, true),
        nothing_worked(),
    ]
}

/// A few of them, for tests that write many folders.
pub fn some() -> Vec<Run> {
    vec![open("failing", fail_some), looped("paced", paced(), true, true)]
}

/// Writes the runs, what analysis says of them, and the manifest. `said` takes
/// the place of that, if given.
pub fn write(path: &Path, runs: &[Run], said: Option<&str>) {
    let folder = Folder::create(path).expect("an empty folder");
    store(&folder, runs);
    folder.write_machine(&machine()).expect("space");
    let summary = said.map_or_else(|| summary(&folder), str::to_owned);
    report(&folder, &summary);
    seal(&folder);
}

/// Keeps the runs and their samples in the folder.
pub fn store(folder: &Folder, runs: &[Run]) {
    for run in runs {
        let mut writer = folder.start_run(&run.facts).expect("a new run");
        run.samples.chunks(500).for_each(|batch| writer.append(batch).expect("space for samples"));
        writer.finish(&run.end).expect("space for columns");
    }
}

/// The summary, and a page that carries it.
pub fn report(folder: &Folder, summary: &str) {
    folder.write_text("summary.json", summary).expect("space");
    folder.write_text("report.html", &page(summary)).expect("space");
}

/// A page that carries these figures.
pub fn page(summary: &str) -> String {
    let carried = summary.replace("</", "<\\/");
    format!("<!doctype html>\n<script type=\"application/json\" id=\"summary\">{carried}</script>\n")
}

pub fn seal(folder: &Folder) {
    folder.seal(&manifest_facts()).expect("a folder to be sealed");
}

fn summary(folder: &Folder) -> String {
    let judged = |stored: &store::StoredRun| {
        analysis::run(stored.record(), stored, analysis::Alongside::default()).expect("readable samples")
    };
    let runs = folder.runs().expect("readable runs").iter().map(judged).collect();
    report::json::summary(&analysis::experiment(facts_of(&manifest_facts()), runs))
}

/// What the summary says of an experiment without a plan.
pub fn facts_of(manifest: &ManifestFacts) -> ExperimentFacts {
    let ManifestFacts { question, tool_version, began, .. } = manifest.clone();
    ExperimentFacts { question, machine: machine(), tool_version, began, plan: None }
}

pub fn manifest_facts() -> ManifestFacts {
    ManifestFacts {
        tool_version: "0.1.0".to_owned(),
        began: "2026-11-30T10:15:00Z".to_owned(),
        question: "Do two computations agree</script>?".to_owned(),
        seed: Seed(2026),
    }
}

pub fn machine() -> MachineFacts {
    MachineFacts {
        cores: Some(2),
        load_1m: Some(0.41),
        idle_share: Some(0.97),
        watched: Some(Nanos::from_millis(200)),
        ..MachineFacts::default()
    }
}

pub fn paced() -> Load {
    Load::Paced { rate: rate(300.0), connections: 8 }
}

pub fn rate(per_second: f64) -> Rate {
    Rate::per_second(per_second).expect("a rate above zero")
}

/// A number below `below`, the same for the same purpose and index.
pub fn draw(purpose: &str, index: u64, below: u64) -> u64 {
    Seed(11).derive(purpose).mark(index) % below
}

/// Half a millisecond, and an exponential one on top.
fn service(index: u64) -> u64 {
    let uniform = draw("service", index, 1 << 53) as f64 / (1u64 << 53) as f64;
    MS / 2 + (-(1.0 - uniform).ln() * 1e6) as u64
}

pub fn sample(index: u64, scheduled: u64, sent: u64, done: u64) -> Sample {
    Sample {
        index,
        user: 0,
        connection: 1,
        scheduled: Nanos(scheduled),
        waited: Nanos(draw("waited", index, 2) * (sent - scheduled) / 2),
        sent: Some(Nanos(sent)),
        first_byte: Some(Nanos(done)),
        done: Nanos(done),
        connect: (draw("connects", index, 5) == 0).then(|| Nanos(10_000 + draw("connect", index, 90_000))),
        bytes_in: 200,
        bytes_out: 100,
        status: 200,
        outcome: Outcome::Ok,
        resent: u8::from(draw("resent", index, 200) == 0),
        counted: scheduled >= WARM_UP,
    }
}

/// An open loop at about 300/s, each request changed in turn.
pub fn open(arm: &str, change: impl Fn(&mut Sample)) -> Run {
    let load = Load::Open { rate: rate(300.0), arrivals: ArrivalProcess::Poisson };
    let mut scheduled = 0;
    let mut samples = Vec::new();
    for index in 0.. {
        scheduled += draw("gap", index, 6_666_666);
        if scheduled >= ENDED {
            break;
        }
        let sent = scheduled + 8_000 + draw("late", index, 40_000);
        let mut sample = sample(index, scheduled, sent, sent + service(index));
        change(&mut sample);
        samples.push(sample);
    }
    // The engine hands samples over as they end, not as they were due.
    samples.sort_by_key(|sample| sample.done);
    run(arm, load, samples, None)
}

/// The same before a service that stands still for 200 ms of every second.
pub fn stalled(arm: &str) -> Run {
    let stalls = stalls();
    let mut run = open(arm, |sample| {
        let standing = stalls.seen.iter().find(|stall| stall.contains(sample.scheduled));
        if let Some(stall) = standing {
            sample.done = stall.ended + Nanos(service(sample.index));
        }
    });
    run.facts.stalls_asked = Some(true);
    run.end.stalls = Some(stalls);
    run
}

fn stalls() -> Stalls {
    let began = (0..6).map(|at| Nanos(SECOND * at + 800 * MS));
    let seen: Vec<Span> = began.map(|began| Span { began, ended: began + Nanos(200 * MS) }).collect();
    Stalls { planned: seen.len() as u64, seen }
}

fn fail_some(sample: &mut Sample) {
    let outcome = match draw("fails", sample.index, 40) {
        number @ 1..=6 => Outcome::from_number(number as u8).expect("numbers of failures"),
        _ => return,
    };
    sample.outcome = outcome;
    if outcome == Outcome::TimedOut {
        sample.done = sample.scheduled + Nanos(TIMEOUT + 3_000);
    }
}

/// Of the last 60 ms before the end nothing is answered, and some not sent.
fn cut_some_off(sample: &mut Sample) {
    if sample.scheduled.0 < ENDED - 60 * MS {
        return;
    }
    sample.done = Nanos(ENDED + SECOND);
    (sample.outcome, sample.sent) = match draw("sent", sample.index, 3) {
        0 => (Outcome::NeverSent, None),
        _ => (Outcome::Unfinished, sample.sent),
    };
}

fn interrupted() -> Run {
    let mut run = open("interrupted", |_| {});
    run.samples.retain(|sample| sample.scheduled.0 < 4 * SECOND);
    run.end.interrupted = true;
    run.end.counted_until = Nanos(4 * SECOND);
    agree(&mut run);
    run
}

/// A service that falls ever further behind.
fn slow() -> Run {
    open("slow", |sample| sample.done += Nanos(sample.scheduled.0 / 3))
}

fn nothing_worked() -> Run {
    open("nothing", |sample| sample.outcome = Outcome::Refused)
}

/// A loop before a service that stands still for 200 ms of every second, if it `stalls`.
pub fn looped(arm: &str, load: Load, told: bool, stalls: bool) -> Run {
    let users = load.users().expect("a loop has users");
    let pace = load.target_rate().map_or(0, |rate| (f64::from(users) * 1e9 / rate.as_per_second()) as u64);
    let seen = if stalls { self::stalls().seen } else { Vec::new() };
    let mut samples = Vec::new();
    for user in 0..users {
        let mut due = u64::from(user) * 1_700_000;
        while due < ENDED {
            let index = samples.len() as u64;
            let sent = due + 4_000 + draw("late", index, 20_000);
            let end = sent + 2 * service(index);
            let standing = seen.iter().find(|stall| stall.began.0 < end && sent < stall.ended.0);
            let done = standing.map_or(end, |stall| stall.ended.0 + service(index));
            samples.push(Sample { user, ..sample(index, due, sent, done) });
            due = done.max(due + pace);
        }
    }
    run(arm, load, samples, told.then_some(Stalls { planned: seen.len() as u64, seen }))
}

pub fn run(arm: &str, load: Load, samples: Vec<Sample>, stalls: Option<Stalls>) -> Run {
    let facts = RunFacts {
        arm: arm.to_owned(),
        round: 1,
        url: "http://127.0.0.1:8600/".to_owned(),
        method: "GET".to_owned(),
        load,
        shape: None,
        seed: Seed(u64::MAX - 7),
        warm_up: Nanos(WARM_UP),
        measure: Nanos(ENDED - WARM_UP),
        timeout: Nanos(TIMEOUT),
        grace: Nanos(TIMEOUT),
        connection_policy: ConnectionPolicy::Reuse,
        connection_limit: 512,
        precision: SendPrecision::Sleep,
        threads: 1,
        backend: "epoll".to_owned(),
        planned: None,
        schedule_hash: None,
        stalls_asked: stalls.as_ref().map(|stalls| !stalls.seen.is_empty()),
        capacity_per_s: load.target_rate().map(|rate| 2.0 * rate.as_per_second()),
        trusted: None,
        follow: None,
        tool: None,
    };
    let end = RunEnd {
        counted_until: Nanos(ENDED),
        ended: Nanos(ENDED + SECOND),
        interrupted: false,
        taken: 0,
        taken_counted: 0,
        area: 0,
        samples_lost: 0,
        cpu: CpuUse { process: Nanos::from_millis(301), senders: Nanos::from_millis(149) },
        peak_rss_bytes: Some(20_000_000),
        connections_opened: 9,
        connections_peak: 8,
        waited_at_limit: 0,
        limit_lowered_to: None,
        wakeups: 4_000,
        own_reading: None,
        tls: None,
        examples: Vec::new(),
        stalls,
        followed: None,
        told: None,
        machine: None,
    };
    let mut run = Run { facts, end, samples };
    agree(&mut run);
    run
}

/// Makes the engine's books, and for an open load the plan, agree with the samples.
pub fn agree(run: &mut Run) {
    let counted = run.samples.iter().filter(|sample| sample.counted).count() as u64;
    let all = run.samples.len() as u64;
    run.end.taken = all;
    run.end.taken_counted = counted;
    run.end.area = run.samples.iter().map(|sample| u128::from(sample.response_time().0)).sum();
    if run.facts.load.users().is_none() {
        run.facts.planned = Some((all - counted, counted));
        run.facts.schedule_hash = Some(hash(&run.samples));
    }
}

fn hash(samples: &[Sample]) -> String {
    let mut samples: Vec<&Sample> = samples.iter().collect();
    samples.sort_by_key(|sample| sample.index);
    let mut hash = Sha256::new();
    samples.iter().for_each(|sample| hash.update(sample.scheduled.0.to_le_bytes()));
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
