//! Good shapes, and what they mean.

use crate::common::resolve;
use model::{ArrivalProcess, Load, Nanos, Rate, Shape, ShapeKind, Stage, StageUnit};
use plan::{Arm, ArmTester, Plan, PlanFile};

const HEAD: &str = "#:schema ../docs/plan.schema.json\nquestion = \"q\"\n[target]\nurl = \"http://127.0.0.1:8600\"\n\
                    [request]\nmethod = \"POST\"\njson = { a = 1 }\nheaders = { X-A = \"b\" }\nexpect = { text = \"ok\" }\n";

fn plan(text: &str) -> Plan {
    resolve(&format!("{HEAD}{text}")).unwrap_or_else(|errors| panic!("{errors}"))
}

/// The shape of an open arm that takes `shape`, the plan's.
fn shape(shape: &str) -> Shape {
    plan(&format!("[arm.a]\nopen = {{}}\n[shape]\n{shape}\n")).arms.remove(0).shape.expect("a shape")
}

/// Seconds, and the loads at the beginning and the end, of each stage.
fn stages(shape: &Shape) -> Vec<(f64, f64, f64)> {
    shape.stages.iter().map(|stage: &Stage| (stage.length.as_secs_f64(), stage.from, stage.to)).collect()
}

fn load(arm: &Arm) -> Load {
    match &arm.tester {
        ArmTester::Doorclock { load, .. } | ArmTester::Command { load, .. } => *load,
    }
}

fn per_second(rate: f64) -> Rate {
    Rate::per_second(rate).expect("above zero")
}

#[test]
fn stages_go_on_from_each_other_at_once_or_in_a_straight_line() {
    let shape = shape(
        "pace = \"10s\"\nstages = [{ until = \"20s\", users = 2 }, { until = \"35s\", users = 20 }, \
         { until = \"80s\", users = 2, ramp = true }]",
    );
    assert_eq!(
        (shape.kind, shape.unit, shape.pace),
        (ShapeKind::Stages, StageUnit::Users, Some(Nanos::from_secs(10)))
    );
    assert_eq!(stages(&shape), [(20.0, 2.0, 2.0), (15.0, 20.0, 20.0), (45.0, 20.0, 2.0)]);
    assert_eq!(shape.per_second(20.0), Some(2.0));
}

#[test]
fn named_shapes_expand_to_stages() {
    let ramp = shape("ramp-up = { from = \"100/s\", to = \"400/s\", steps = 4, each = \"20s\" }");
    assert_eq!(stages(&ramp), [100.0, 200.0, 300.0, 400.0].map(|rate| (20.0, rate, rate)));
    let slope = shape("ramp-up = { from = \"100/s\", to = \"400/s\", each = \"20s\", ramp = true }");
    assert_eq!(stages(&slope), [(200.0, 100.0, 400.0)]);
    let steady = shape("steady = { rate = \"200/s\", lasts = \"60s\" }");
    assert_eq!((steady.kind, stages(&steady)), (ShapeKind::Steady, vec![(60.0, 200.0, 200.0)]));
    let burst = shape(
        "burst = { base = \"0/s\", peak = \"2/s\", before = \"20s\", lasts = \"15s\", after = \"45s\" }",
    );
    assert_eq!(stages(&burst), [(20.0, 0.0, 0.0), (15.0, 2.0, 2.0), (45.0, 0.0, 0.0)]);
    let soak = shape("soak = { rate = \"45/min\", lasts = \"10min\" }");
    assert_eq!((soak.kind, stages(&soak)), (ShapeKind::Soak, vec![(600.0, 0.75, 0.75)]));
    let day = shape(
        "day = { points = [{ at = \"0min\", rate = \"2/s\" }, { at = \"9min\", rate = \"30/s\" }], lasts = \"24min\" }",
    );
    assert_eq!(stages(&day), [(540.0, 2.0, 30.0), (900.0, 30.0, 2.0)]);
}

#[test]
fn a_shape_is_repeated_as_a_whole() {
    let twice = shape(
        "repeat = 2\nstages = [{ until = \"1s\", rate = \"5/s\" }, { until = \"3s\", rate = \"0/s\" }]",
    );
    assert_eq!(stages(&twice), [(1.0, 5.0, 5.0), (2.0, 0.0, 0.0), (1.0, 5.0, 5.0), (2.0, 0.0, 0.0)]);
}

#[test]
fn an_arm_is_counted_for_as_long_as_its_shape_lasts_and_says_its_mean_load() {
    let plan = plan(
        "[rounds]\nmeasure = \"5s\"\ncount_warm_up = true\n\
         [shape]\npace = \"10s\"\nstages = [{ until = \"10s\", users = 20 }, { until = \"40s\", users = 5 }]\n\
         [arm.open]\nopen = { arrivals = \"even\", connections = 7 }\n[arm.paced]\npaced = {}\n\
         [arm.closed]\nclosed = {}\nshape = { steady = { users = 3, lasts = \"60s\" } }\n\
         [arm.flat]\nopen = { rate = \"8/s\" }\n[arm.again]\nlike = \"open\"\n",
    );
    let [open, paced, closed, flat, again] = plan.arms.as_slice() else { panic!("five arms") };
    let rate = per_second(0.875);
    assert_eq!(load(open), Load::Open { rate, arrivals: ArrivalProcess::Even });
    assert!(matches!(open.tester, ArmTester::Doorclock { connection_limit: Some(7), .. }));
    assert_eq!(load(paced), Load::Paced { rate, connections: 20 });
    assert_eq!(load(closed), Load::Closed { connections: 3 });
    assert_eq!([open, paced, closed, flat].map(|arm| arm.measure), [40, 40, 60, 5].map(Nanos::from_secs));
    assert_eq!([open, paced, closed, flat].map(|arm| arm.count_warm_up), [false, false, false, true]);
    assert_eq!((&open.shape, &flat.shape), (&paced.shape, &None));
    assert_eq!(again.shape, open.shape);
}

#[test]
fn flags_change_a_shape_as_they_change_every_key() {
    let burst = "burst = { base = \"1/s\", peak = \"2/s\", before = \"2s\", lasts = \"2s\", after = \"2s\" }";
    let text = format!("{HEAD}[arm.a]\nopen = {{}}\n[shape]\n{burst}\n");
    let file = PlanFile::parse("checkout.toml", text).expect("TOML");
    let file = file.set("shape.burst.peak", "5/s").expect("a key");
    let file = file.set("arm.b.open", "{}").and_then(|file| file.set("arm.b.shape.soak.rate", "3/s"));
    let file = file.and_then(|file| file.set("arm.b.shape.soak.lasts", "9s")).expect("keys");
    let plan = file.resolve().unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(plan.arms[0].shape.as_ref().map(Shape::largest), Some(5.0));
    assert_eq!(plan.arms[1].shape.as_ref().map(stages), Some(vec![(9.0, 3.0, 3.0)]));
}

#[test]
fn recorded_times_send_the_plans_own_requests() {
    let plan = plan(
        "[arm.a]\nopen = {}\n[shape]\nreplay = { file = \"times.txt\", format = \"times\", speed = 0.5 }\n",
    );
    let arm = &plan.arms[0];
    let replay = arm.replay.as_ref().expect("recorded");
    let moments: Vec<f64> = replay.recorded.moments().iter().map(|moment| moment.as_secs_f64()).collect();
    assert_eq!(moments, [0.5, 1.0, 4.25]);
    assert!(replay.requests.is_empty() && replay.skipped.is_empty());
    let facts = arm.shape.as_ref().and_then(|shape| shape.replay.as_ref()).expect("facts");
    assert_eq!((facts.file.as_str(), facts.format.as_str(), facts.lines), ("times.txt", "times", 3));
    assert_eq!((arm.measure, load(arm).target_rate()), (Nanos::from_secs(6), Some(per_second(0.5))));
}

#[test]
fn recorded_requests_take_headers_checks_and_body_from_the_plan() {
    let plan = plan(
        "[arm.a]\nopen = {}\n[shape]\nreplay = { file = \"access.log\", format = \"common\", requests = true }\n",
    );
    let replay = plan.arms[0].replay.as_ref().expect("recorded");
    let sent: Vec<_> =
        replay.requests.iter().map(|r| (r.method.as_str(), r.path.as_str(), r.body.is_some())).collect();
    assert_eq!(sent, [("GET", "/a", false), ("POST", "/b?c=d", true), ("DELETE", "/b", false)]);
    assert_eq!(replay.recorded.order(), [0, 1, 0, 2]);
    let names =
        |n: usize| replay.requests[n].headers.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>();
    assert_eq!((names(0), names(1)), (vec!["X-A"], vec!["X-A", "Content-Type"]));
    assert!(replay.requests.iter().all(|request| request.expect.text.as_deref() == Some("ok")));
}

#[test]
fn lines_that_cannot_be_read_are_skipped_only_when_told_and_then_counted_and_shown() {
    let plan = plan(
        "[arm.a]\nopen = {}\n[shape]\nreplay = { file = \"broken.log\", format = \"common\", broken = \"skip\" }\n",
    );
    let arm = &plan.arms[0];
    let facts = arm.shape.as_ref().and_then(|shape| shape.replay.as_ref()).expect("facts");
    assert_eq!((facts.lines, facts.skipped), (3, 1));
    let skipped = &arm.replay.as_ref().expect("recorded").skipped;
    assert!(matches!(&skipped[..], [line] if line.starts_with("line 2 cannot be read: ")), "{skipped:?}");
}

#[test]
fn lines_are_put_in_order_where_the_plan_allows_for_it() {
    let plan = plan(
        "[arm.a]\nopen = {}\n[shape]\nreplay = { file = \"back.log\", format = \"common\", reorder = \"2s\" }\n",
    );
    assert_eq!(plan.arms[0].measure, Nanos::from_secs(3));
}

#[test]
fn the_seed_decides_where_in_their_second_arrivals_lie() {
    let moments = |seed: u64| {
        let text = format!(
            "[rounds]\nseed = {seed}\n[arm.a]\nopen = {{}}\n[shape]\nreplay = {{ file = \"access.log\", format = \"common\" }}\n"
        );
        plan(&text).arms[0].replay.as_ref().expect("recorded").recorded.moments().to_vec()
    };
    assert_eq!(moments(1), moments(1));
    assert_ne!(moments(1), moments(2));
}
