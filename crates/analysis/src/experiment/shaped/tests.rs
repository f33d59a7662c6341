//! Each shape's question is answered with its own figures.

use super::*;
use crate::fixture::Run;
use crate::{ExperimentFacts, Summary, experiment};
use model::{Bound, Number, PlanFacts};

const MS: Nanos = Nanos::from_millis(1);

/// An experiment of rounds of one arm, with a bound of 10 ms at p99 if asked.
fn of(rounds: Vec<RunSummary>, bounded: bool) -> Summary {
    let bound = Bound { number: Number::P99, at_most: Nanos::from_millis(10) };
    let plan = PlanFacts {
        arms: vec![rounds[0].facts.arm.clone()],
        rounds: rounds.len() as u32,
        bounds: bound_if(bounded, bound),
        ..PlanFacts::default()
    };
    let runs = (1..).zip(rounds).map(|(round, mut run)| {
        run.facts.round = round;
        run
    });
    experiment(ExperimentFacts { plan: Some(plan), ..ExperimentFacts::default() }, runs.collect())
}

fn bound_if(bounded: bool, bound: Bound) -> Vec<Bound> {
    bounded.then_some(bound).into_iter().collect()
}

fn rounds(count: u64, kind: ShapeKind, stages: &[(u64, f64, f64)]) -> Vec<RunSummary> {
    (0..count).map(|seed| Run::shaped(kind, stages, MS, seed).judged()).collect()
}

fn steps(count: u32) -> Vec<(u64, f64, f64)> {
    (1..=count).map(|n| (10, f64::from(n) * 100.0, f64::from(n) * 100.0)).collect()
}

fn codes(summary: &Summary) -> Vec<&str> {
    summary.doubts.iter().map(|doubt| doubt.code).collect()
}

#[test]
fn a_ramp_answers_how_far_the_service_follows_and_where_bounds_are_passed() {
    let summary = of(rounds(3, ShapeKind::RampUp, &steps(12)), true);
    let answer = &summary.answer;
    assert!(answer.starts_with("The service follows up to about 1,000/s ["), "{answer}");
    assert!(answer.contains("; p99 passes 10.0 ms at 7"), "{answer}");
    assert!(answer.contains("; the median doubles at "), "{answer}");
    assert!(!answer.contains("held"), "{answer}");
    assert_eq!(summary.verdict, Verdict::Valid, "{:?}", summary.arms[0].runs[0].doubts);
    let one = of(rounds(1, ShapeKind::RampUp, &steps(12)), true).answer;
    assert!(one.contains("(between the steps 700 to 800/s)"), "{one}");
}

#[test]
fn a_ramp_that_ends_early_says_up_to_where_it_went() {
    let answer = of(rounds(2, ShapeKind::RampUp, &steps(3)), true).answer;
    assert_eq!(
        answer,
        "The service follows to the end of the ramp, 300/s; p99 stays within 10.0 ms up to 300/s."
    );
    let beyond = [(10, 1_200.0, 1_200.0), (10, 1_400.0, 1_400.0)];
    let answer = of(rounds(2, ShapeKind::RampUp, &beyond), true).answer;
    assert!(answer.starts_with("The service falls short from the first step on, 1,200/s; p99 is above 10.0 ms from the first step on"), "{answer}");
}

#[test]
fn a_slope_that_is_too_steep_is_doubted() {
    let summary = of(rounds(1, ShapeKind::RampUp, &[(6, 100.0, 1_300.0)]), true);
    let steep = summary.doubts.iter().find(|doubt| doubt.code == "too-steep").expect("a doubt");
    assert!(steep.says.starts_with("`ramp-up`: the load rises by 200/s each second"), "{}", steep.says);
    assert_eq!((steep.weight, summary.verdict), (Verdict::Doubtful, Verdict::Doubtful));
}

const BURST: [(u64, f64, f64); 3] = [(6, 500.0, 500.0), (1, 1500.0, 1500.0), (5, 500.0, 500.0)];

#[test]
fn a_burst_answers_what_users_waited_and_how_long_recovery_took() {
    let summary = of(rounds(3, ShapeKind::Burst, &BURST), false);
    let answer = &summary.answer;
    assert!(answer.starts_with("Users waited 5") || answer.starts_with("Users waited 4"), "{answer}");
    assert!(
        answer.contains(" ms at p99 during the burst, ")
            && answer.contains(" ms before; the queue peaked at "),
        "{answer}"
    );
    assert!(answer.contains(" after it ended [") && answer.ends_with(" over 3 rounds]."), "{answer}");
    assert_eq!(summary.verdict, Verdict::Valid, "{:?}", summary.arms[0].runs[0].doubts);
}

#[test]
fn never_recovered_is_an_answer() {
    let stages = [(6, 500.0, 500.0), (2, 1500.0, 1500.0), (1, 500.0, 500.0)];
    let answer = of(rounds(1, ShapeKind::Stages, &stages), false).answer;
    assert!(answer.contains(" and did not come back to usual within the 1.00 s that followed."), "{answer}");
    let mut some = rounds(3, ShapeKind::Burst, &BURST);
    some[1].bursts[0].recovery = crate::Recovery::NotWithin(Nanos::from_secs(5));
    let answer = of(some, false).answer;
    assert!(answer.contains("came back to usual in 2 of 3 rounds only"), "{answer}");
}

#[test]
fn of_several_bursts_the_worst_is_told_and_what_failed_during_it() {
    let stages =
        [(4, 300.0, 300.0), (1, 1200.0, 1200.0), (4, 300.0, 300.0), (1, 1900.0, 1900.0), (4, 300.0, 300.0)];
    let mut run = Run::shaped(ShapeKind::Stages, &stages, MS, 1);
    run.change(
        |_| true,
        |sample| {
            if sample.scheduled > Nanos::from_millis(10_500) && sample.scheduled < Nanos::from_millis(10_505)
            {
                sample.outcome = model::Outcome::Refused;
            }
        },
    );
    let answer = of(vec![run.judged()], false).answer;
    assert!(answer.starts_with("In the worst of 2 bursts users waited "), "{answer}");
    assert!(answer.contains(" requests due during it were not answered as expected"), "{answer}");
}

#[test]
fn a_steady_load_answers_with_its_interval_and_its_drift() {
    let run = Run::shaped(ShapeKind::Steady, &[(30, 300.0, 300.0)], MS, 5);
    let summary = of(vec![run.judged()], false);
    let answer = &summary.answer;
    assert!(answer.starts_with("At 300/s users waited 1.") && answer.contains(" at p99 ["), "{answer}");
    assert!(answer.ends_with("; no drift was seen."), "{answer}");
    assert_eq!((codes(&summary), summary.verdict), (vec![], Verdict::Valid));
    let mut slower = run;
    slower.change(|_| true, |sample| sample.done = Nanos(sample.done.0 + sample.scheduled.0 / 10_000));
    let summary = of(vec![slower.judged()], true);
    let answer = &summary.answer;
    assert!(
        answer.contains("; their median rose by 1") && answer.contains(" % from beginning to end"),
        "{answer}"
    );
    assert!(answer.ends_with("; steady held p99 ≤ 10.0 ms at 300/s in 1 of 1 round."), "{answer}");
    assert_eq!(codes(&summary), ["drift"]);
}

/// A soak whose runs also read memory.
fn soak(leak_per_s: f64, limit: Option<f64>) -> RunSummary {
    let mut run = Run::shaped(ShapeKind::Soak, &[(60, 100.0, 100.0)], MS, 5).judged();
    let span = model::Span { began: Nanos::from_secs(1), ended: Nanos::from_secs(61) };
    let reading = |at: u64| {
        let floor = 200e6 + leak_per_s * at as f64 / 10.0 + (at / 7 % 3) as f64 * 1e5;
        (Nanos::from_millis(1_000 + at * 100), floor + (at % 30) as f64 * 1e6)
    };
    let points: Vec<(Nanos, f64)> = (0..600).map(reading).collect();
    run.growth.push(crate::growth_of_reading("resident memory", "bytes", &points, span, limit));
    run
}

#[test]
fn a_soak_answers_what_grew_and_when_that_meets_its_limit() {
    let answer = of(vec![soak(1e6, Some(512e6))], false).answer;
    // A megabyte a second is 3.6 GB an hour, and leaves some 250 s.
    assert!(answer.starts_with("Resident memory grew by 3.") && answer.contains(" GB an hour ["), "{answer}");
    assert!(answer.contains("], and may reach 512 MB in 4 min; users waited 1."), "{answer}");
    let answer = of(vec![soak(0.0, None)], false).answer;
    assert!(
        answer.starts_with("Nothing grew over 60.0 s: response time p50, resident memory; users waited 1."),
        "{answer}"
    );
    let several = of(vec![soak(1e6, None), soak(1.1e6, None), soak(0.0, None)], false).answer;
    assert!(several.contains(" in 2 of 3 rounds;"), "{several}");
}

#[test]
fn a_soak_that_is_too_short_says_so_and_is_doubted() {
    let run = Run::shaped(ShapeKind::Soak, &[(30, 3.0, 3.0)], MS, 5).judged();
    let summary = of(vec![run], false);
    assert!(
        summary.answer.starts_with("30.0 s are too short to tell whether anything grows; users waited "),
        "{}",
        summary.answer
    );
    let short = summary.doubts.iter().find(|doubt| doubt.code == "too-short-to-tell").expect("a doubt");
    assert_eq!(short.weight, Verdict::Doubtful);
    let steady = Run::shaped(ShapeKind::Steady, &[(30, 3.0, 3.0)], MS, 5).judged();
    let steady = of(vec![steady], false);
    assert!(steady.answer.ends_with("; it was too short to tell whether they drift."), "{}", steady.answer);
    assert_eq!(steady.doubts.iter().map(|doubt| doubt.weight).collect::<Vec<_>>(), [Verdict::Valid]);
}

#[test]
fn a_day_answers_for_the_whole_and_names_its_worst_stage() {
    let stages = [(10, 100.0, 500.0), (10, 500.0, 1_300.0), (10, 1_300.0, 100.0), (10, 100.0, 100.0)];
    let answer = of(rounds(1, ShapeKind::Day, &stages), false).answer;
    assert!(answer.starts_with("Users waited ") && answer.contains(" over the whole curve; "), "{answer}");
    assert!(answer.contains("they waited longest in stage 3 of 4 (1,300 to 100/s), "), "{answer}");
    assert!(answer.ends_with("; the service fell behind in 1 of 4 stages."), "{answer}");
}

#[test]
fn several_shaped_arms_answer_one_after_the_other_and_void_runs_for_nothing() {
    let mut runs = rounds(1, ShapeKind::RampUp, &steps(3));
    runs.extend(rounds(1, ShapeKind::Steady, &[(20, 100.0, 100.0)]));
    let answer = experiment(ExperimentFacts::default(), runs.clone()).answer;
    assert!(
        answer.starts_with("ramp-up: the service follows to the end of the ramp, 300/s. steady: at 100/s"),
        "{answer}"
    );
    let mut lost = Run::shaped(ShapeKind::Burst, &BURST, MS, 1);
    lost.end().samples_lost = 3;
    let void = experiment(ExperimentFacts::default(), vec![lost.judged()]).answer;
    assert_eq!(void, "No number of this run should be used: 3 samples could not be kept.");
}

#[test]
fn amounts_carry_their_unit_and_three_digits() {
    for (value, unit, text) in [
        (20e6, "bytes", "20.0 MB"),
        (-3.2e9, "bytes", "−3.20 GB"),
        (512.0, "bytes", "512 B"),
        (4_560.0, "bytes", "4.56 kB"),
        (1.2e6, "ns", "1.20 ms"),
        (35.0, "", "35.0"),
        (35.0, "connections", "35.0 connections"),
    ] {
        assert_eq!(amount(value, unit), text);
    }
    assert_eq!(
        (hours(Nanos::from_secs(240)), hours(Nanos::from_secs(18_000))),
        ("4 min".into(), "5.0 h".into())
    );
    assert_eq!(hours(Nanos::from_secs(864_000)), "10 days");
}
