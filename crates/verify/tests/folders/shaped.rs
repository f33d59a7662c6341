//! An experiment of loads that change over time: three rounds of a shape of
//! every kind, before a service with one worker.

use crate::common::{self, MS, Run, SECOND, TIMEOUT, WARM_UP, draw, rate};
use crate::finds::{Draw, change_one, nudged, reseal};
use crate::planned::{self, write_planned};
use doorclock_verify::verify;
use model::{
    ArrivalProcess, Bound, Load, Nanos, Number, Outcome, PlanFacts, ReplayFacts, Sample, Seed, Shape,
    ShapeKind, Stage, StageUnit,
};
use serde_json::Value;
use std::fs;
use std::path::Path;

const ROUNDS: u32 = 3;
const CHANGES: u64 = 50;
const NAMES: [&str; 11] = [
    "steps",
    "slope",
    "burst",
    "twice",
    "unrecovered",
    "soak",
    "steady",
    "users",
    "closed-users",
    "day",
    "replay",
];

fn stages(all: &[(u64, f64, f64)]) -> Vec<Stage> {
    all.iter().map(|(ms, from, to)| Stage { length: Nanos::from_millis(*ms), from: *from, to: *to }).collect()
}

fn shape(kind: ShapeKind, all: &[(u64, f64, f64)]) -> Shape {
    Shape { kind, unit: StageUnit::PerSecond, pace: None, stages: stages(all), replay: None }
}

/// The load that `name` stands for.
fn shape_of(name: &str) -> Shape {
    let paced = |pace| Shape { unit: StageUnit::Users, pace, ..shape(ShapeKind::Stages, &[]) };
    let users = stages(&[(2_000, 10.0, 10.0), (1_000, 30.0, 30.0), (2_000, 10.0, 10.0)]);
    match name {
        "steps" => shape(
            ShapeKind::RampUp,
            &[1, 2, 3, 4, 5, 6].map(|step| (1_500, f64::from(step) * 100.0, f64::from(step) * 100.0)),
        ),
        "slope" => shape(ShapeKind::Stages, &[(5_003, 100.0, 620.0)]),
        "burst" => {
            shape(ShapeKind::Burst, &[(3_000, 200.0, 200.0), (500, 900.0, 900.0), (3_001, 200.0, 200.0)])
        }
        "twice" => shape(
            ShapeKind::Stages,
            &[
                (1_000, 100.0, 100.0),
                (500, 700.0, 700.0),
                (2_000, 100.0, 100.0),
                (500, 200.0, 900.0),
                (1_500, 0.0, 0.0),
            ],
        ),
        "unrecovered" => {
            shape(ShapeKind::Burst, &[(2_000, 200.0, 200.0), (1_000, 900.0, 900.0), (300, 200.0, 200.0)])
        }
        "soak" => shape(ShapeKind::Soak, &[(6_000, 150.0, 150.0)]),
        "steady" => shape(ShapeKind::Steady, &[(5_000, 150.0, 150.0)]),
        "users" => Shape { stages: users, ..paced(Some(Nanos::from_millis(100))) },
        "closed-users" => Shape { stages: users, ..paced(None) },
        "day" => {
            let wave = |at: u64| 150.0 + 100.0 * (at as f64 / 40.0).sin();
            let all: Vec<_> = (0..250).map(|at| (20, wave(at), wave(at + 1))).collect();
            shape(ShapeKind::Day, &all)
        }
        _ => Shape {
            replay: Some(ReplayFacts {
                file: "access.log".to_owned(),
                format: "combined".to_owned(),
                speed: 2.5,
                lines: 812,
                skipped: 3,
                resolution: Nanos::from_secs(1),
            }),
            ..shape(ShapeKind::Replay, &[(2_000, 120.0, 120.0), (1_000, 300.0, 300.0), (1_500, 90.0, 90.0)])
        },
    }
}

/// Arrivals by chance, each served in 2 ms or a little more, one after the other.
fn made(name: &str, round: u32) -> Run {
    let shape = shape_of(name);
    let per_second = |load: f64| shape.per_second(load).unwrap_or(load * 12.0);
    let purpose = format!("{name} {round}");
    let uniform = |what: &str, at: u64| {
        (draw(&format!("{purpose} {what}"), at, 1 << 53) as f64 + 0.5) / (1u64 << 53) as f64
    };
    let most = per_second(shape.largest());
    let until = WARM_UP + shape.length().0;
    let (mut at, mut free, mut samples, mut drawn) = (0.0, 0, Vec::new(), 0);
    loop {
        drawn += 1;
        at -= uniform("gap", drawn).ln() / most;
        let due = (at * 1e9) as u64;
        if due >= until {
            break;
        }
        let load = load_at(&shape, due.saturating_sub(WARM_UP));
        if uniform("kept", drawn) * most >= per_second(load) {
            continue;
        }
        let index = samples.len() as u64;
        let sent = due + 5_000 + draw(&purpose, index, 30_000);
        // The soak's service grows slower.
        let growth = if name == "soak" { due / 4_000 } else { 0 };
        free = free.max(sent) + 2 * MS + growth + draw(&purpose, index, MS / 8);
        samples.push(spoilt(name, round, common::sample(index, due, sent, free), until));
    }
    samples.sort_by_key(|sample: &Sample| sample.done);
    let mean = rate(per_second(shape.mean()));
    let load = match name {
        "users" => Load::Paced { rate: mean, connections: 30 },
        "closed-users" => Load::Closed { connections: 30 },
        _ => Load::Open { rate: mean, arrivals: ArrivalProcess::Poisson },
    };
    let mut run = common::run(name, load, samples, None);
    run.facts.round = round;
    run.facts.seed = Seed(7).derive("round").derive(&round.to_string());
    run.facts.measure = shape.length();
    run.facts.capacity_per_s = None;
    run.facts.shape = Some(shape);
    run.end.counted_until = Nanos(until);
    run.end.ended = Nanos(until + SECOND);
    common::agree(&mut run);
    run
}

fn load_at(shape: &Shape, moment: u64) -> f64 {
    let spans = shape.spans();
    let at = spans.iter().rposition(|span| span.began.0 <= moment).unwrap_or(0);
    let (span, stage) = (spans[at], shape.stages[at]);
    stage.from + (stage.to - stage.from) * (moment - span.began.0) as f64 / span.length().0 as f64
}

/// Some of the burst's requests fail, in one round some are cut off, and of the
/// third of "twice" nothing is due before the burst.
fn spoilt(name: &str, round: u32, sample: Sample, until: u64) -> Sample {
    let draw = draw("spoilt", sample.index + 1_000 * u64::from(round), 60);
    match name {
        "burst" if draw < 2 => Sample { outcome: Outcome::Reset, ..sample },
        "burst" if draw == 2 => {
            Sample { outcome: Outcome::TimedOut, done: sample.scheduled + Nanos(TIMEOUT + 9), ..sample }
        }
        "burst" if round == 2 && sample.scheduled.0 + 20 * MS > until => {
            Sample { outcome: Outcome::Unfinished, done: Nanos(until + SECOND), ..sample }
        }
        "steps" if draw == 0 && round == 2 => Sample { outcome: Outcome::WrongStatus, ..sample },
        _ => sample,
    }
}

fn runs() -> Vec<Run> {
    (1..=ROUNDS).flat_map(|round| NAMES.map(|name| made(name, round))).collect()
}

fn plan() -> PlanFacts {
    let bound = |number, millis| Bound { number, at_most: Nanos::from_millis(millis) };
    PlanFacts {
        arms: NAMES.map(str::to_owned).to_vec(),
        rounds: ROUNDS,
        pairings: Vec::new(),
        bounds: vec![
            bound(Number::P99, 10),
            bound(Number::P50, 3),
            bound(Number::Mean, 4),
            bound(Number::Max, 5_000),
        ],
        guesses: Vec::new(),
        ..planned::plan()
    }
}

fn write(path: &Path, runs: &[Run], said: Option<&str>) {
    write_planned(path, runs, said, plan(), Vec::new());
}

fn summary(folder: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(folder.join("summary.json")).expect("a summary")).expect("JSON")
}

#[test]
fn both_computations_agree_on_a_shape_of_every_kind() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), &runs(), None);
    let found = verify(folder.path()).expect("a sound folder");
    let says: Vec<String> = found.mismatches.iter().take(20).map(ToString::to_string).collect();
    assert_eq!(says, [""; 0]);
    assert_eq!(found.damage, []);
    // What remains are words, told once for the whole folder.
    assert_eq!(found.not_checked.len(), 3, "{:?}", found.not_checked);
    assert!(found.checked > 20_000, "{}", found.checked);
}

/// Agreement on figures that are all unknown would say little.
#[test]
fn the_shapes_show_every_kind_of_answer() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), &runs(), None);
    let summary = summary(folder.path());
    let arm = |name: &str| &summary["arms"][name];
    let run = |name: &str| &arm(name)["runs"][0];
    assert_eq!(arm("steps")["ramp"]["saturation"]["says"], "is");
    assert_eq!(arm("steps")["ramp"]["bounds"][0]["crossed"]["says"], "is");
    assert_eq!(arm("steps")["ramp"]["bounds"][3]["crossed"]["says"], "cannot say");
    assert_eq!(
        (run("slope")["stages"].as_array().map(Vec::len), &arm("burst")["ramp"]),
        (Some(10), &Value::Null)
    );
    assert!(arm("slope")["ramp"]["too_steep"].is_string() && arm("steps")["ramp"]["too_steep"].is_null());
    let recovery = |name: &str| run(name)["bursts"][0]["recovery"].clone();
    assert_eq!([recovery("burst"), recovery("unrecovered")], ["took", "not within"]);
    assert_eq!(run("twice")["bursts"].as_array().map(Vec::len), Some(2));
    assert_eq!(
        (&run("soak")["growth"][0]["says"], &run("steady")["growth"][0]["says"]),
        (&"grows".into(), &"no growth seen".into())
    );
    assert_eq!(run("day")["stages"].as_array().map(Vec::len), Some(60));
    assert!(run("closed-users")["stages"][0]["planned_from_per_s"].is_null());
    assert_eq!(run("replay")["shape"]["replay"]["skipped"], 3);
}

#[test]
fn every_one_of_50_changed_figures_of_shapes_is_found_by_name() {
    let kept = tempfile::tempdir().expect("a folder");
    write(kept.path(), &NAMES.map(|name| made(name, 1)), None);
    let original = summary(kept.path());
    let mut names = Vec::new();
    for (arm, of_arm) in original["arms"].as_object().expect("arms") {
        crate::finds::numbers_in(&of_arm["ramp"], &format!("/arms/{arm}/ramp"), &mut names);
        for (at, run) in of_arm["runs"].as_array().expect("runs").iter().enumerate() {
            for part in ["shape", "stages", "bursts", "growth"] {
                crate::finds::numbers_in(&run[part], &format!("/arms/{arm}/runs/{at}/{part}"), &mut names);
            }
        }
    }
    for change in 0..CHANGES {
        let mut draw = Draw::of(3_000 + change);
        // Pictures have most of the numbers; every other change is elsewhere.
        let outside: Vec<&String> =
            names.iter().filter(|name| change % 2 == 0 || !name.contains("/backlog/")).collect();
        let name = outside[draw.below(outside.len())];
        let mut changed = original.clone();
        let number = changed.pointer_mut(name).expect("it was found there");
        *number = nudged(number, draw.below(2) == 0);
        reseal(kept.path(), &changed);
        let found = verify(kept.path()).expect("a readable folder");
        let last: Vec<&str> = name.rsplit('/').take(2).collect();
        let ending = format!("{}.{}", last[1], last[0]);
        assert!(found.mismatches.iter().any(|one| one.name.ends_with(&ending)), "change {change} of {name}");
        assert_eq!(found.damage, [], "change {change} of {name} was sealed");
    }
}

#[test]
fn every_one_of_50_changed_samples_of_shapes_is_found_though_all_checksums_fit() {
    let kept = tempfile::tempdir().expect("a folder");
    let runs: Vec<Run> = ["steps", "burst", "soak", "users"].map(|name| made(name, 1)).to_vec();
    write(kept.path(), &runs, None);
    let said = fs::read_to_string(kept.path().join("summary.json")).expect("a summary");
    for change in 0..CHANGES {
        let mut draw = Draw::of(4_000 + change);
        let mut runs = runs.clone();
        let what = change_one(&mut runs, &mut draw);
        let copy = tempfile::tempdir().expect("a folder");
        write(copy.path(), &runs, Some(&said));
        let found = verify(copy.path()).expect("a readable folder");
        assert!(!found.mismatches.is_empty(), "change {change}, {what}, was not found");
    }
}
