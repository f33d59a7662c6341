//! What is doubted of loads that change over time, and what is not.

use crate::fixture::{Run, sample};
use crate::summary::{Doubt, Verdict};
use model::{Nanos, Outcome, ShapeKind};

const MS: Nanos = Nanos::from_millis(1);

fn doubts(run: &Run) -> Vec<Doubt> {
    run.judged().doubts
}

fn codes(run: &Run) -> Vec<&'static str> {
    doubts(run).iter().map(|doubt| doubt.code).collect()
}

fn burst(before: u64, after: u64) -> Run {
    let stages = [(before, 500.0, 500.0), (2, 1500.0, 1500.0), (after, 500.0, 500.0)];
    Run::shaped(ShapeKind::Burst, &stages, MS, 7)
}

#[test]
fn a_burst_that_is_recovered_from_is_not_doubted_for_its_queue() {
    assert_eq!(codes(&burst(10, 8)), Vec::<&str>::new());
}

#[test]
fn a_burst_without_recovery_says_so_and_what_to_do() {
    let run = burst(10, 1);
    let summary = run.judged();
    let found = summary.doubts.iter().find(|doubt| doubt.code == "not-recovered").expect("a doubt");
    let usual = summary.bursts[0].usual_backlog;
    assert_eq!(
        found.says,
        format!(
            "the backlog did not come back to what was usual before the burst ({usual}) within 1.00 s after it"
        )
    );
    assert_eq!((found.weight, found.hint.is_some()), (Verdict::Doubtful, true));
    assert!(!codes(&run).contains(&"fell-behind"), "{:?}", codes(&run));
}

#[test]
fn few_requests_before_a_burst_make_what_is_usual_doubtful() {
    let mut run = burst(10, 8);
    let few = |sample: &model::Sample| {
        sample.scheduled >= Nanos::from_secs(11) || sample.index % 400 == 3 || !sample.counted
    };
    run.samples.retain(few);
    run.agree();
    let doubts = doubts(&run);
    let found = doubts.iter().find(|doubt| doubt.code == "few-before-burst").expect("a doubt");
    assert!(found.says.starts_with("only 1"), "{}", found.says);
    assert!(found.says.ends_with("requests were due before the burst: what is usual rests on them"));
}

fn ramp(service: Nanos) -> Run {
    let stages: Vec<(u64, f64, f64)> =
        (1..=6).map(|n| (4, f64::from(n) * 100.0, f64::from(n) * 100.0)).collect();
    Run::shaped(ShapeKind::RampUp, &stages, service, 7)
}

#[test]
fn a_ramp_beyond_the_capacity_is_what_was_asked_for_and_no_reason_to_doubt() {
    let mut run = ramp(Nanos::from_micros(2_500));
    // What was out at the end stays out, and much of the last step fails.
    let end = Nanos::from_secs(25);
    run.change(
        |_| true,
        |sample| {
            if sample.done > end {
                sample.outcome = Outcome::Unfinished;
                sample.done = end;
            } else if sample.scheduled > Nanos::from_secs(22) {
                sample.outcome = Outcome::TimedOut;
            }
        },
    );
    let doubts = doubts(&run);
    let seen: Vec<(&str, Verdict)> = doubts.iter().map(|doubt| (doubt.code, doubt.weight)).collect();
    assert!(seen.iter().all(|(_, weight)| *weight == Verdict::Valid), "{seen:?}");
    assert!(seen.iter().any(|(code, _)| *code == "cut-off"), "{seen:?}");
}

#[test]
fn steps_with_few_requests_make_a_ramp_doubtful_and_a_day_not() {
    let stages = [(5, 10.0, 10.0), (5, 15.0, 15.0), (5, 60.0, 60.0)];
    let of = |kind| {
        let doubts = doubts(&Run::shaped(kind, &stages, MS, 7));
        doubts.into_iter().find(|doubt| doubt.code == "short-stages").expect("a doubt")
    };
    assert_eq!(
        (of(ShapeKind::RampUp).weight, of(ShapeKind::Day).weight),
        (Verdict::Doubtful, Verdict::Valid)
    );
    assert!(of(ShapeKind::RampUp).says.starts_with("2 of 3 stages had fewer than 100 requests"));
    assert!(!codes(&ramp(MS)).contains(&"short-stages"));
}

#[test]
fn very_many_stages_are_told_in_stretches_and_that_is_said() {
    let stages: Vec<(u64, f64, f64)> = (0..201).map(|n| (1, 50.0 + f64::from(n % 2), 60.0)).collect();
    let run = Run::shaped(ShapeKind::Day, &stages, MS, 7);
    let summary = run.judged();
    let found = summary.doubts.iter().find(|doubt| doubt.code == "told-in-stretches").expect("a remark");
    assert_eq!(found.says, "its 201 stages are told as 60 stretches of equal length");
    assert_eq!((found.weight, summary.stages.len()), (Verdict::Valid, 60));
    assert_eq!(summary.stages.iter().map(|stage| stage.scheduled).sum::<u64>(), summary.scheduled);
}

#[test]
fn a_steady_load_that_falls_behind_is_doubted_as_ever() {
    let run = Run::shaped(ShapeKind::Steady, &[(10, 500.0, 500.0)], Nanos::from_micros(2_200), 7);
    assert!(codes(&run).contains(&"fell-behind"), "{:?}", codes(&run));
}

#[test]
fn no_request_of_a_load_that_changes_is_put_back() {
    let mut run = Run::looped(true);
    run.record.facts.shape =
        Run::shaped(ShapeKind::Stages, &[(15, 400.0, 400.0), (15, 600.0, 600.0)], MS, 1).record.facts.shape;
    run.samples.push(sample(99_999, 2_000_000_000, 2_000_000_000, 2_001_000_000));
    run.agree();
    let corrected = run.judged().corrected.expect("a paced loop");
    assert_eq!((corrected.hdr, corrected.utilisation, corrected.replay), (None, None, None));
    assert_eq!(corrected.assumptions.len(), 1);
    assert!(corrected.assumptions[0].contains("the load changes over time"), "{:?}", corrected.assumptions);
}
