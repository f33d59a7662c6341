use super::*;
use analysis::PlannedArm;
use model::{ArrivalProcess, Load, ReplayFacts, ShapeKind, Stage, StageUnit};

fn arm(name: &str, load: Load, measure_s: u64, stalls_every_s: Option<u64>) -> PlannedArm {
    PlannedArm {
        name: name.to_owned(),
        load,
        shape: None,
        skipped: Vec::new(),
        p99_bound: None,
        tool: (name == "wrk").then(|| "wrk".to_owned()),
        warm_up: Nanos::from_secs(5),
        measure: Nanos::from_secs(measure_s),
        stalls_every: stalls_every_s.map(Nanos::from_secs),
    }
}

#[test]
fn the_screen_says_what_is_sent_how_long_it_takes_and_whether_that_is_enough() {
    let rate = Rate::per_second(546.0).expect("a rate");
    let open = Load::Open { rate, arrivals: ArrivalProcess::Poisson };
    let closed = Load::Closed { connections: 8 };
    let arms = vec![
        arm("open", open, 15, Some(4)),
        arm("open-long", open, 35, Some(4)),
        arm("open-calm", open, 15, None),
        arm("wrk", closed, 15, Some(4)),
    ];
    let plan = analysis::outlook(arms, 6, 3);
    insta::assert_snapshot!(outlook("Which of these see the stalls?", &plan, Nanos::from_secs(4)));
}

/// The screen of a plan whose arms, by name, follow `shape`.
fn drawn(question: &str, names: &[&str], shape: &Shape, p99_bound_ms: Option<u64>) -> String {
    let rate = Rate::per_second(shape.per_second(shape.mean()).unwrap_or(1.0)).expect("a rate");
    let load = match shape.pace {
        None if shape.unit == StageUnit::Users => Load::Closed { connections: shape.largest() as u32 },
        _ => Load::Open { rate, arrivals: ArrivalProcess::Poisson },
    };
    let one = |name: &&str| PlannedArm {
        shape: Some(shape.clone()),
        p99_bound: p99_bound_ms.map(Nanos::from_millis),
        measure: shape.length(),
        ..arm(name, load, 1, None)
    };
    let plan = analysis::outlook(names.iter().map(one).collect(), 6, names.len() as u32 - 1);
    let screen = outlook(question, &plan, Nanos::from_secs(4));
    let widest = screen.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    assert!(widest <= 80, "{widest} columns:\n{screen}");
    screen
}

/// A screen without its line ends, to look for a sentence in.
fn flat(screen: &str) -> String {
    screen.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Stages of (seconds, from, to).
fn shape(kind: ShapeKind, stages: &[(u64, f64, f64)]) -> Shape {
    let stage =
        |&(seconds, from, to): &(u64, f64, f64)| Stage { length: Nanos::from_secs(seconds), from, to };
    let stages = stages.iter().map(stage).collect();
    Shape { kind, unit: StageUnit::PerSecond, pace: None, stages, replay: None }
}

#[test]
fn users_over_time_are_drawn_with_the_rate_that_they_mean() {
    let mut users = shape(ShapeKind::Stages, &[(20, 2.0, 2.0), (15, 20.0, 20.0), (45, 20.0, 2.0)]);
    (users.unit, users.pace) = (StageUnit::Users, Some(Nanos::from_secs(10)));
    insta::assert_snapshot!(drawn("Who waits when all come at once?", &["old", "new"], &users, None));
}

#[test]
fn a_ramp_says_whether_each_step_is_long_enough_and_a_slope_how_late_it_shows() {
    let steps: Vec<_> = (1..=10).map(|step| (4, f64::from(step) * 100.0, f64::from(step) * 100.0)).collect();
    insta::assert_snapshot!(drawn("Up to where?", &["steps"], &shape(ShapeKind::RampUp, &steps), None));
    let slope = |seconds| shape(ShapeKind::RampUp, &[(seconds, 100.0, 1_000.0)]);
    insta::assert_snapshot!("slope", drawn("Up to where?", &["slope"], &slope(20), Some(20)));
    let slow = drawn("Up to where?", &["slope"], &slope(200), Some(20));
    assert!(
        flat(&slow).contains("slow enough: a p99 of 20 ms that is crossed at 550/s shows 1.8 % too late"),
        "{slow}"
    );
    let unbound = drawn("Up to where?", &["slope"], &slope(20), None);
    assert!(flat(&unbound).contains("depends on `bound.p99`, which the plan does not say"), "{unbound}");
}

#[test]
fn a_burst_says_whether_it_is_known_what_is_usual_and_who_recovers_in_time() {
    let burst =
        |before| shape(ShapeKind::Burst, &[(before, 20.0, 20.0), (15, 200.0, 200.0), (45, 20.0, 20.0)]);
    insta::assert_snapshot!("burst", drawn("How long is recovery?", &["a"], &burst(60), None));
    let short = drawn("How long is recovery?", &["a"], &burst(4), None);
    assert!(
        flat(&short)
            .contains("TOO SHORT before the burst: about 80 requests do not say what is usual; 5 s hold"),
        "{short}"
    );
}

#[test]
fn a_soak_says_from_what_growth_is_told() {
    let soak =
        |seconds| drawn("What grows?", &["a"], &shape(ShapeKind::Soak, &[(seconds, 0.75, 0.75)]), None);
    insta::assert_snapshot!("soak", soak(100));
    assert!(
        flat(&soak(3_600))
            .contains("12 windows of 300 s, about 225 requests each: each must hold a whole rise and fall"),
        "{}",
        soak(3_600)
    );
}

#[test]
fn users_whom_the_service_paces_are_drawn_without_requests() {
    let mut users = shape(ShapeKind::Stages, &[(20, 2.0, 2.0), (15, 20.0, 20.0)]);
    users.unit = StageUnit::Users;
    insta::assert_snapshot!(drawn("Who waits?", &["closed"], &users, None));
}

#[test]
fn many_stages_are_counted_and_not_listed() {
    let stages: Vec<_> = (0..30).map(|n| (10, f64::from(n % 2) * 10.0, f64::from(n % 2) * 10.0)).collect();
    let screen = drawn("Again and again?", &["a"], &shape(ShapeKind::Day, &stages), None);
    let screen = flat(&screen);
    assert!(screen.contains("… 300 s 10 more stages about 500 in all 300 s about 1,500"), "{screen}");
}

#[test]
fn a_replay_says_what_it_was_read_from_and_what_was_skipped() {
    let mut replay = shape(ShapeKind::Replay, &[(30, 20.0, 20.0), (30, 60.0, 60.0), (30, 0.0, 0.0)]);
    replay.replay = Some(ReplayFacts {
        file: "access.log".to_owned(),
        format: "combined".to_owned(),
        speed: 2.0,
        lines: 2_402,
        skipped: 2,
        resolution: Nanos::from_secs(1),
    });
    let rate = Rate::per_second(replay.mean()).expect("a rate");
    let arm = PlannedArm {
        measure: replay.length(),
        shape: Some(replay),
        skipped: vec!["line 7 cannot be read: it has no time: `oops`".to_owned()],
        ..arm("a", Load::Open { rate, arrivals: ArrivalProcess::Poisson }, 1, None)
    };
    insta::assert_snapshot!(outlook(
        "Does it hold?",
        &analysis::outlook(vec![arm], 1, 0),
        Nanos::from_secs(4)
    ));
}
