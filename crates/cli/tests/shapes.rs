//! Shapes over time with the real program against the scorer: what is sent
//! follows the plan second by second, and each shape's report answers the
//! question of that shape, within what a formula says of the service.

mod common;

use common::plans::{Plan, small_shape};
use common::{assert_all_ok, doorclock, number, only_run, text};
use model::Sample;
use serde_json::Value;
use stats::count_z;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use store::Folder;

/// Whoever loads a service in earnest has the machine alone among these tests.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A shape as the plan writes it, and what it means: between one second and the
/// rate then, and the next, the rate changes evenly. Times are whole seconds.
struct Planned {
    arm: &'static str,
    written: String,
    points: Vec<(u32, f64)>,
}

/// Every shape that is written in loads, with a mean load near `load`.
fn shapes(load: f64) -> Vec<Planned> {
    let at = |part: f64| format!("{}/s", load * part);
    let (low, mid, high) = (load * 0.5, load, load * 1.5);
    let planned = |arm, written, points| Planned { arm, written, points };
    vec![
        planned(
            "stages",
            format!(
                r#"stages = [{{ until = "2s", rate = "{}" }}, {{ until = "4s", rate = "{}", ramp = true }}]"#,
                at(0.5),
                at(1.5)
            ),
            vec![(0, low), (2, low), (2, low), (4, high)],
        ),
        planned(
            "steps",
            format!(r#"ramp-up = {{ from = "{}", to = "{}", steps = 3, each = "2s" }}"#, at(0.5), at(1.5)),
            vec![(0, low), (2, low), (2, mid), (4, mid), (4, high), (6, high)],
        ),
        planned(
            "steady",
            format!(r#"steady = {{ rate = "{}", lasts = "4s" }}"#, at(1.0)),
            vec![(0, mid), (4, mid)],
        ),
        planned(
            "burst",
            format!(
                r#"burst = {{ base = "{}", peak = "{}", before = "2s", lasts = "2s", after = "2s" }}"#,
                at(0.5),
                at(1.5)
            ),
            vec![(0, low), (2, low), (2, high), (4, high), (4, low), (6, low)],
        ),
        planned(
            "soak",
            format!(r#"soak = {{ rate = "{}", lasts = "4s" }}"#, at(1.0)),
            vec![(0, mid), (4, mid)],
        ),
        planned(
            "day",
            format!(
                "day = {{ lasts = \"6s\", points = [{{ at = \"0s\", rate = \"{}\" }}, {{ at = \"3s\", rate = \"{}\" }}] }}",
                at(0.5),
                at(1.5)
            ),
            vec![(0, low), (3, high), (6, low)],
        ),
        planned(
            "users",
            format!(
                r#"pace = "2s"
                stages = [{{ until = "4s", users = {} }}]"#,
                load * 2.0
            ),
            vec![(0, mid), (4, mid)],
        ),
    ]
}

impl Planned {
    /// How many arrivals each second has on average.
    fn each_second(&self) -> Vec<f64> {
        let mut seconds = Vec::new();
        for pair in self.points.windows(2) {
            let ((from, first), (to, last)) = (pair[0], pair[1]);
            let (length, slope) = (to - from, last - first);
            for nth in 0..length {
                seconds.push(first + slope * (f64::from(nth) + 0.5) / f64::from(length));
            }
        }
        seconds
    }
}

/// Every row of an arm's one run.
fn rows(folder: &Path, arm: &str) -> Vec<Sample> {
    let runs = Folder::open(folder).and_then(|folder| folder.runs()).expect("results");
    let run = runs.into_iter().find(|run| run.record().facts.arm == arm).expect("the arm ran");
    let mut rows = Vec::new();
    run.read(&mut |samples| rows.extend_from_slice(samples)).expect("whole samples");
    rows
}

/// Counts moments by their second; later ones than planned go into the last.
fn by_second(moments: impl Iterator<Item = u64>, seconds: usize) -> Vec<u64> {
    let mut counts = vec![0; seconds];
    for moment in moments {
        counts[(moment / 1_000_000_000).min(seconds as u64 - 1) as usize] += 1;
    }
    counts
}

/// The z of the whole count, and that of the mean of all seconds'
/// (count − planned)² ÷ planned, which is 1 for a Poisson process, with a
/// standard deviation of √((2 + 1/planned) ÷ seconds).
fn zs(counts: &[u64], planned: &[f64]) -> [f64; 2] {
    let whole = count_z(counts.iter().sum(), planned.iter().sum());
    let each = counts.iter().zip(planned).map(|(count, planned)| count_z(*count, *planned).powi(2));
    let (sum, variance) = each
        .zip(planned)
        .fold((0.0, 0.0), |(sum, all), (square, planned)| (sum + square, all + 2.0 + 1.0 / planned));
    [whole, (sum - planned.len() as f64) / variance.sqrt()]
}

/// Four standard deviations: chance alone is further away once in 16,000.
const CHANCE: f64 = 4.0;

fn is_chance(zs: [f64; 2]) -> bool {
    zs.iter().all(|z| z.abs() < CHANCE)
}

/// A plan with one arm for every shape.
fn plan_of(shapes: &[Planned]) -> String {
    let mut plan = r#"
        [rounds]
        count = 1
        warm_up = "0s"
        [environment]
        quiet = { idle = "0%", over = "50ms", wait = "0s" }
    "#
    .to_owned();
    for Planned { arm, written, .. } in shapes {
        writeln!(plan, "[arm.{arm}]\nopen = {{ connections = 1000 }}\n[arm.{arm}.shape]\n{written}")
            .expect("a string takes it");
    }
    plan
}

/// Sends every shape for real, and holds its counts against the plan's. A busy
/// machine may send late, so what left may be measured again; what was
/// scheduled is the same each time, and has one chance.
fn follow_the_plan(load: f64) {
    let (shapes, _alone) = (shapes(load), alone());
    let folder = tempfile::tempdir().expect("a folder");
    let plan = Plan::write(folder.path(), &plan_of(&shapes));
    let mut late = Vec::new();
    for attempt in 0..3 {
        let out = folder.path().join(format!("try-{attempt}"));
        let ended = plan.run(&["--out", text(&out)]);
        assert!(matches!(ended.code, Some(0 | 3)), "{ended:#?}");
        late.clear();
        for shape in &shapes {
            let (planned, rows) = (shape.each_second(), rows(&out, shape.arm));
            let scheduled = by_second(rows.iter().map(|row| row.scheduled.0), planned.len());
            let found = zs(&scheduled, &planned);
            assert!(is_chance(found), "{}: {found:?} of {scheduled:?}, planned {planned:?}", shape.arm);
            let sent = by_second(rows.iter().filter_map(|row| row.sent).map(|sent| sent.0), planned.len());
            let found = zs(&sent, &planned);
            if !is_chance(found) {
                late.push(format!("{}: {found:?} of {sent:?}, planned {planned:?}", shape.arm));
            }
        }
        if late.is_empty() {
            return;
        }
    }
    panic!("in three tries, not sent as planned: {late:#?}");
}

#[test]
fn at_10_a_second_every_shape_is_sent_as_planned() {
    follow_the_plan(10.0);
}

#[test]
fn at_20_000_a_second_every_shape_is_sent_as_planned() {
    follow_the_plan(20_000.0);
}

/// Runs until what is measured lies where it must; a machine with much else to
/// do takes time from the service, and may try three times.
fn in_three_tries(plan: &Plan, mut far_off: impl FnMut(&Value) -> Option<String>) {
    let _alone = alone();
    let mut told = Vec::new();
    for _ in 0..3 {
        let folder = tempfile::tempdir().expect("a folder");
        let ended = plan.run(&["--out", text(&folder.path().join("out"))]);
        assert!(matches!(ended.code, Some(0 | 3)), "{ended:#?}");
        match far_off(&ended.json()) {
            None => return,
            Some(how) => told.push(how),
        }
    }
    panic!("in three tries: {told:#?}");
}

/// A scorer that needs 5 ms for a request answers 200/s.
const CAPACITY: f64 = 200.0;

fn of_a_5_ms_scorer(folder: &Path, rest: &str) -> Plan {
    let head = r#"
        question = "what does a service of 200/s do?"
        [target]
        url   = "http://127.0.0.1:PORT"
        start = "doorclock target scorer --port PORT --service-time 5ms --with-parent"
        ready = "/healthz"
        ready_within = "30s"
        [request]
        method = "POST"
        path   = "/score"
        json   = { customer = "c-00001" }
        [environment]
        quiet = { idle = "0%", over = "50ms", wait = "0s" }
    "#;
    Plan::write_whole(folder, &format!("{head}{rest}"))
}

#[test]
fn a_ramps_saturation_is_the_scorers_capacity() {
    let folder = tempfile::tempdir().expect("a folder");
    let plan = of_a_5_ms_scorer(
        folder.path(),
        r#"
        [rounds]
        count = 2
        warm_up = "500ms"
        [arm.ramp]
        open = {}
        [arm.ramp.shape]
        ramp-up = { from = "40/s", to = "300/s", steps = 14, each = "800ms" }
        "#,
    );
    in_three_tries(&plan, |summary| {
        let found = &summary["arms"]["ramp"]["ramp"]["saturation"]["rate_per_s"];
        match found.as_f64() {
            Some(rate) if (rate / CAPACITY - 1.0).abs() <= 0.05 => None,
            _ => Some(format!("saturation at {found} of {CAPACITY}/s")),
        }
    });
}

/// METHOD 2i: B = (λb − μ)·D waits at the burst's end and is worked off at μ − λ0.
/// The formula's deviation is that of exponential service; the scorer's is even,
/// so what it has of variance comes from the arrivals alone.
#[test]
fn a_burst_is_recovered_from_when_the_formula_says() {
    let (base, peak, lasts) = (50.0, 400.0, 1.0);
    let backlog: f64 = (peak - CAPACITY) * lasts;
    let free = CAPACITY - base;
    let mean = backlog / free;
    let deviation = (backlog * base / free.powi(3) + peak * lasts / free.powi(2)).sqrt();
    let folder = tempfile::tempdir().expect("a folder");
    let plan = of_a_5_ms_scorer(
        folder.path(),
        r#"
        [rounds]
        count = 2
        warm_up = "500ms"
        [arm.burst]
        open = {}
        [arm.burst.shape]
        burst = { base = "50/s", peak = "400/s", before = "5s", lasts = "1s", after = "4s" }
        "#,
    );
    in_three_tries(&plan, |summary| {
        let runs = summary["arms"]["burst"]["runs"].as_array().expect("runs");
        assert_eq!(runs.len(), 2, "{summary:#}");
        runs.iter().find_map(|run| {
            let burst = &run["bursts"][0];
            assert_all_ok(run);
            assert_eq!(burst["recovery"], "took", "{burst:#}");
            let took = number(burst, "/recovery_ns") as f64 / 1e9;
            ((took - mean).abs() > 3.0 * deviation)
                .then(|| format!("{took} s, where {mean} ± {deviation} are due"))
        })
    });
}

#[test]
fn a_recording_is_sent_again_arrival_for_arrival() {
    let folder = tempfile::tempdir().expect("a folder");
    let moments: Vec<u64> = (0..400).map(|nth| nth * nth % 3_000).collect();
    let mut sorted = moments.clone();
    sorted.sort_unstable();
    let log: String =
        sorted.iter().map(|millis| format!("{}.{:03}\n", millis / 1_000, millis % 1_000)).collect();
    std::fs::write(folder.path().join("times.log"), log).expect("written");
    let plan = Plan::write(
        folder.path(),
        r#"
        [rounds]
        count = 1
        warm_up = "0s"
        [arm.again]
        open = {}
        [arm.again.shape]
        replay = { file = "times.log", format = "times", speed = 2.0 }
        "#,
    );
    let out = folder.path().join("out");
    let summary = plan.run_into(&out).json();
    assert_all_ok(only_run(&summary));
    let scheduled: Vec<u64> = rows(&out, "again").iter().map(|row| row.scheduled.0).collect();
    let first = sorted[0];
    let planned: Vec<u64> = sorted.iter().map(|millis| (millis - first) * 1_000_000 / 2).collect();
    assert_eq!(scheduled, planned);
}

/// Our plans with their shapes shortened, and what the answer of each must speak of.
/// Twelve windows of a third of a second each may depend so much on one another,
/// on a machine with much else to do, that a soak rightly says it cannot tell.
const SMALL: [(&str, &[&str], &[&str]); 7] = [
    ("ramp-up", &[r#"shape.ramp-up={from="200/s",to="600/s",steps=4,each="1s"}"#], &["/s"]),
    ("steady", &[r#"shape.steady={rate="200/s",lasts="3s"}"#], &["p99"]),
    (
        "burst",
        &[r#"shape.burst={base="100/s",peak="1600/s",before="2s",lasts="500ms",after="2s"}"#],
        &["burst"],
    ),
    (
        "soak",
        &[r#"shape.soak={rate="100/s",lasts="4s"}"#],
        &["grew", "too short to tell whether anything grows"],
    ),
    (
        "day",
        &[
            r#"shape.day={lasts="4s",points=[{at="0s",rate="50/s"},{at="1s",rate="300/s"},{at="3s",rate="100/s"}]}"#,
        ],
        &["p99"],
    ),
    (
        "users",
        &[r#"shape.stages=[{until="1s",users=100},{until="2s",users=400,ramp=true},{until="4s",users=100}]"#],
        &["p99"],
    ),
    ("replay", &["shape.replay.speed=20.0"], &["p99"]),
];

#[test]
fn our_plans_answer_their_questions_in_a_small_form_and_pass_the_second_opinion() {
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a folder");
    for (name, sets, speaks_of) in SMALL {
        let flags: Vec<&str> = sets.iter().flat_map(|set| ["--set", set]).collect();
        let out = folder.path().join(name);
        let ended = small_shape(name, &[&flags, &["--set", "rounds.warm_up=200ms"][..]].concat(), &out);
        // 1: a guess about the whole plan may be wrong about this part of it.
        assert!(matches!(ended.code, Some(0 | 1 | 3)), "{name}: {ended:#?}");
        let summary = ended.json();
        let answer = summary["answer"].as_str().unwrap_or_else(|| panic!("{name}: no answer in {summary:#}"));
        assert!(speaks_of.iter().any(|words| answer.contains(words)), "{name}: {answer}");
        for arm in summary["arms"].as_object().expect("arms").values() {
            common::assert_conservation(&arm["runs"][0]);
            assert!(number(&arm["runs"][0], "/ok") > 0, "{name}");
        }
        doorclock(["verify", text(&out)]).with_code(0);
    }
}
