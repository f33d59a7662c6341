//! Arms, doubts and the answer, from runs whose figures are set by hand.

use super::*;
use crate::fixture::{Run, arm, rate};
use model::{ArrivalProcess, Bound, Number, Pairing, ToolFacts};

fn run(arm: &str, round: u32, p99_ms: u64) -> RunSummary {
    crate::fixture::summary(arm, round, p99_ms as f64)
}

fn put_together(runs: Vec<RunSummary>, machine: MachineFacts) -> Summary {
    let facts = ExperimentFacts {
        question: "how slow?".to_owned(),
        machine,
        tool_version: "0.1.0".to_owned(),
        began: "2026-12-01T10:15:00Z".to_owned(),
        plan: None,
    };
    experiment(facts, runs)
}

#[test]
fn arms_keep_the_order_in_which_they_came_and_rounds_are_sorted() {
    let runs = vec![run("b", 1, 10), run("a", 1, 20), run("a", 3, 22), run("b", 2, 12), run("a", 2, 21)];
    let summary = put_together(runs, MachineFacts::default());
    let arms: Vec<(&str, Vec<u32>)> = summary
        .arms
        .iter()
        .map(|arm| (arm.name.as_str(), arm.runs.iter().map(|run| run.facts.round).collect()))
        .collect();
    assert_eq!(arms, [("b", vec![1, 2]), ("a", vec![1, 2, 3])]);
    assert_eq!(
        summary.answer,
        "p99 from the scheduled moment: b 10.0 ms (10.0 ms to 12.0 ms in 2 rounds), \
         a 21.0 ms (20.0 ms to 22.0 ms in 3 rounds)."
    );
    assert_eq!(summary.verdict, Verdict::Valid);
}

#[test]
fn one_run_is_answered_with_its_median_and_interval() {
    let mut one = run("open-500", 1, 85);
    one.p99_interval.low = Some(Nanos::from_millis(79));
    one.p99_interval.high = Some(Nanos::from_millis(90));
    one.response_time.p50 = Some(Point { value: Nanos::from_micros(1300), at_least: false });
    let answer = |run: &RunSummary| put_together(vec![run.clone()], MachineFacts::default()).answer;
    assert_eq!(
        answer(&one),
        "At 500/s (open loop) users waited 1.30 ms at the median and 85.0 ms at p99 \
         (95 % interval 79.0 ms to 90.0 ms)."
    );
    one.p99_interval.high = None;
    one.kept_up.kept_up = Some(false);
    one.response_time.p99 = Some(Point { value: Nanos::from_millis(85), at_least: true });
    assert_eq!(
        answer(&one),
        "At 500/s (open loop) users waited 1.30 ms at the median and ≥ 85.0 ms at p99 \
         (at least 79.0 ms; this run does not bound it), and the service fell behind."
    );
}

#[test]
fn a_void_run_is_not_quoted() {
    let mut lost = Run::calm();
    lost.end().samples_lost = 3;
    let summary = put_together(vec![lost.judged()], MachineFacts::default());
    assert_eq!(summary.verdict, Verdict::Void);
    assert_eq!(summary.answer, "No number of this run should be used: 3 samples could not be kept.");
    let both = put_together(vec![run("a", 1, 10), lost.judged()], MachineFacts::default());
    assert_eq!(both.answer, "p99 from the scheduled moment: a 10.0 ms, open-500 unknown.");
    assert_eq!(put_together(Vec::new(), MachineFacts::default()).verdict, Verdict::Void);
}

#[test]
fn a_busy_machine_makes_the_experiment_doubtful() {
    let machine = |idle, steal| MachineFacts {
        idle_share: Some(idle),
        steal_share: Some(steal),
        ..MachineFacts::default()
    };
    let codes = |machine| -> Vec<&str> {
        put_together(vec![run("a", 1, 10)], machine).doubts.iter().map(|doubt| doubt.code).collect()
    };
    assert!(codes(machine(0.95, 0.01)).is_empty());
    assert_eq!(codes(machine(0.85, 0.03)), ["busy-machine", "stolen-time"]);
    assert_eq!(put_together(vec![run("a", 1, 10)], machine(0.85, 0.0)).verdict, Verdict::Doubtful);
}

fn pairing(a: &str, b: &str, is_twin: bool) -> Pairing {
    Pairing { a: a.to_owned(), b: b.to_owned(), number: Number::P99, is_twin }
}

/// An experiment by a plan over these arms, each with its rounds' p99s.
fn planned(
    arms: &[(&str, &[f64])],
    pairings: Vec<Pairing>,
    change: impl FnOnce(&mut Vec<RunSummary>),
) -> Summary {
    let rounds = arms.iter().map(|(_, p99s)| p99s.len()).max().unwrap_or(0);
    let plan = PlanFacts {
        arms: arms.iter().map(|(name, _)| (*name).to_owned()).collect(),
        rounds: rounds as u32,
        pairings,
        ..PlanFacts::default()
    };
    // Runs come as they were made: here the last arm first.
    let mut runs: Vec<RunSummary> = arms.iter().rev().flat_map(|(name, p99s)| arm(name, p99s).runs).collect();
    change(&mut runs);
    experiment(ExperimentFacts { plan: Some(plan), ..ExperimentFacts::default() }, runs)
}

fn codes(summary: &Summary) -> Vec<&str> {
    summary.doubts.iter().map(|doubt| doubt.code).collect()
}

const OPEN: [f64; 6] = [84.0, 85.0, 84.9, 86.0, 84.5, 85.5];
const CLOSED: [f64; 6] = [0.97, 0.97, 0.96, 0.98, 0.97, 0.97];
const CALM: [f64; 6] = [0.98, 0.96, 0.96, 0.97, 0.98, 0.97];

#[test]
fn a_plans_comparisons_answer_its_question() {
    let pairings = vec![pairing("closed-1", "open-546", false), pairing("closed-1", "closed-1-calm", false)];
    let arms: [(&str, &[f64]); 3] = [("open-546", &OPEN), ("closed-1", &CLOSED), ("closed-1-calm", &CALM)];
    let summary = planned(&arms, pairings, |_| {});
    assert_eq!(
        summary.answer,
        "open-546 took 84.9 ms at p99, 88 × closed-1's 970 µs; 1 of 2 pairs is told apart."
    );
    let order: Vec<&str> = summary.arms.iter().map(|arm| arm.name.as_str()).collect();
    assert_eq!((order, summary.planned_runs), (vec!["open-546", "closed-1", "closed-1-calm"], Some(18)));
    assert_eq!((codes(&summary), summary.verdict), (vec!["few-rounds"], Verdict::Valid));
    assert_eq!(
        summary.doubts[0].hint.as_deref(),
        Some("7 rounds are enough (`rounds.count`), or compare fewer pairs")
    );
}

#[test]
fn the_answer_names_what_took_longer_and_how_sure_that_is() {
    let answer =
        |a: &[f64], b: &[f64]| planned(&[("a", a), ("b", b)], vec![pairing("a", "b", false)], |_| {}).answer;
    assert_eq!(answer(&OPEN, &CLOSED), "a took 84.9 ms at p99, 88 × b's 970 µs; the two are told apart.");
    let (slow, slower) = ([10.0; 6], [11.0, 11.2, 11.3, 11.4, 11.1, 11.6]);
    assert_eq!(
        answer(&slow, &slower),
        "b took 11.2 ms at p99, 12.5 % more than a's 10.0 ms; the two are told apart."
    );
    assert_eq!(
        answer(&slower, &slow),
        "b took 10.0 ms at p99, 11.1 % less than a's 11.2 ms; the two are told apart."
    );
    assert_eq!(
        answer(&slow, &slow),
        "b took 10.0 ms at p99, as long as a's 10.0 ms; the two are not told apart."
    );
    assert_eq!(
        answer(&slow[..3], &[30.0; 3]),
        "b took 30.0 ms at p99, 3.0 × a's 10.0 ms; too few rounds to tell arms apart."
    );
}

#[test]
fn what_speaks_against_an_answer_is_part_of_it() {
    let pairings = vec![pairing("a", "b", false), pairing("a", "a-again", true)];
    let arms: [(&str, &[f64]); 3] = [("a", &[10.0; 8]), ("b", &[20.0; 8]), ("a-again", &[10.5; 8])];
    let summary = planned(&arms, pairings, |runs| {
        runs.last_mut().expect("twenty-four runs").verdict = Verdict::Void;
        runs.retain(|run| (run.facts.arm.as_str(), run.facts.round) != ("b", 1));
    });
    assert_eq!(
        summary.answer,
        "b took 20.0 ms at p99, 2.0 × a's 10.0 ms; the two are told apart; an arm is told apart from itself; \
         1 of 23 runs is void and left out; 23 of 24 runs are made so far."
    );
    assert_eq!(codes(&summary), ["runs-missing", "false-alarm"]);
    assert_eq!(summary.verdict, Verdict::Void);
}

#[test]
fn twins_that_are_told_apart_are_a_false_alarm_and_others_are_not() {
    let of = |again: &[f64]| {
        let arms: [(&str, &[f64]); 2] = [("a", &[10.0; 6]), ("a-again", again)];
        let summary = planned(&arms, vec![pairing("a", "a-again", true)], |_| {});
        (
            summary.verdict,
            summary.doubts.first().map(|doubt| (doubt.code, doubt.hint.clone().expect("a hint"))),
        )
    };
    let (verdict, doubt) = of(&[10.1, 10.2, 10.1, 10.3, 10.2, 10.1]);
    let (code, hint) = doubt.expect("a doubt");
    assert_eq!((verdict, code), (Verdict::Doubtful, "false-alarm"));
    assert!(hint.starts_with("by chance this comes in 3.1 % of experiments with 6 rounds"), "{hint}");
    assert_eq!(of(&[10.1, 10.2, 9.9, 10.3, 10.2, 10.1]), (Verdict::Valid, None));
}

#[test]
fn few_rounds_are_counted_by_the_pairs_that_have_most() {
    let of = |rounds: usize, void: bool| {
        let (a, b) = (vec![10.0; rounds], vec![20.0; rounds]);
        let summary = planned(&[("a", &a), ("b", &b)], vec![pairing("a", "b", false)], |runs| {
            if void {
                runs[0].verdict = Verdict::Void;
            }
        });
        summary.doubts.iter().find(|doubt| doubt.code == "few-rounds").map(|doubt| doubt.says.clone())
    };
    assert_eq!((of(6, false), of(7, true)), (None, None));
    for says in [of(5, false), of(6, true)] {
        let says = says.expect("a doubt");
        assert!(says.starts_with("5 rounds are too few for 1 comparison: whatever they show"), "{says}");
    }
}

#[test]
fn a_plan_with_a_bound_and_no_comparison_is_answered_by_the_bound() {
    let plan = |at_most| PlanFacts {
        arms: vec!["open-546".to_owned(), "open-764".to_owned()],
        rounds: 2,
        bounds: vec![Bound { number: Number::P99, at_most: Nanos::from_millis(at_most) }],
        ..PlanFacts::default()
    };
    let of = |at_most| {
        let mut runs: Vec<RunSummary> = [arm("open-546", &[5.0, 5.2]), arm("open-764", &[9.0, 10.1])]
            .into_iter()
            .flat_map(|arm| arm.runs)
            .collect();
        for run in &mut runs {
            let per_second = if run.facts.arm == "open-546" { 546.0 } else { 764.0 };
            run.facts.load = Load::Open { rate: rate(per_second), arrivals: ArrivalProcess::Poisson };
            run.rate_per_s = per_second;
        }
        experiment(ExperimentFacts { plan: Some(plan(at_most)), ..ExperimentFacts::default() }, runs).answer
    };
    assert_eq!(
        of(10),
        "open-546 held p99 ≤ 10.0 ms at 546/s in 2 of 2 rounds; open-764 did 764/s without holding it, 1.40 × that."
    );
    assert_eq!(of(20), "open-764 held p99 ≤ 20.0 ms at 764/s in 2 of 2 rounds.");
    assert_eq!(of(1), "No open arm held p99 ≤ 1.00 ms in every round.");
}

#[test]
fn windows_lie_as_far_apart_as_their_runs_say() {
    let windows = |p99s_ms: &[u64]| -> Vec<crate::Window> {
        let window = |p99: &u64| crate::Window {
            began: Nanos::ZERO,
            length: Nanos::from_secs(10),
            n: 1_000,
            p99: Some(Point { value: Nanos::from_millis(*p99), at_least: false }),
        };
        p99s_ms.iter().map(window).collect()
    };
    let mut runs = vec![run("a", 1, 72), run("a", 2, 88), run("a", 3, 500), run("a", 4, 1)];
    let all: [&[u64]; 3] = [&[5, 93, 80], &[93, 70, 95], &[1, 999, 1]];
    runs.iter_mut().zip(all).for_each(|(run, all)| run.windows = windows(all));
    runs[2].verdict = Verdict::Void;
    runs[3].windows.clear();
    let spread = put_together(runs, MachineFacts::default()).arms[0].windows.expect("windows");
    let ms = |least, largest| (Nanos::from_millis(least), Nanos::from_millis(largest));
    assert_eq!(spread.length, Nanos::from_secs(10));
    assert_eq!((spread.first, spread.whole, spread.any), (ms(5, 93), ms(72, 88), ms(5, 95)));
    let mut without = run("a", 1, 10);
    without.windows.clear();
    assert_eq!(put_together(vec![without], MachineFacts::default()).arms[0].windows, None);
}

#[test]
fn capacity_is_the_most_that_a_closed_loop_got_from_a_service_that_does_not_stall() {
    let closed = |answers: u64| {
        let mut run = Run::looped(false);
        run.end().taken_counted = answers;
        run.record
    };
    let (slow, fast) = (closed(31_440), closed(32_100));
    let mut others: Vec<RunRecord> = (0..5).map(|_| closed(99_000)).collect();
    others[0].facts.stalls_asked = Some(true);
    others[1].facts.tool = Some(ToolFacts { name: "wrk".to_owned(), command: "wrk".to_owned() });
    others[2].end.as_mut().expect("it ended").interrupted = true;
    others[3].end = None;
    others[4].facts.load = Run::looped(true).record.facts.load;
    assert_eq!(capacity([&slow, &fast].into_iter()), Some(1_070.0));
    assert_eq!(capacity([&slow, &fast].into_iter().chain(&others)), Some(1_070.0));
    assert_eq!(capacity(others.iter()), None);
    assert_eq!(capacity([&closed(0)].into_iter()), None);
}
