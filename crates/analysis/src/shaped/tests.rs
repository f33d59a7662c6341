//! Loads over time whose figures are known another way.

use crate::fixture::{Run, any_samples, rate};
use crate::summary::{Grows, Point, Recovery, RunSummary};
use crate::timing::Timing;
use model::{
    ArrivalProcess, Load, Nanos, Outcome, Sample, SampleSource, Shape, ShapeKind, SourceError, Stage,
    StageUnit,
};
use proptest::prelude::*;
use stats::{Quantile, nearest_rank};

const MS: Nanos = Nanos::from_millis(1);

/// 500/s, 1,500/s for 2 s, 500/s, on a server of 1,000/s.
fn burst(seed: u64) -> Run {
    Run::shaped(ShapeKind::Burst, &[(10, 500.0, 500.0), (2, 1500.0, 1500.0), (8, 500.0, 500.0)], MS, seed)
}

fn only(summary: &RunSummary) -> &crate::BurstFigures {
    let [burst] = &summary.bursts[..] else { panic!("one burst") };
    burst
}

fn seconds(recovery: Recovery) -> f64 {
    match recovery {
        Recovery::Took(took) => took.as_secs_f64(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_burst_is_told_by_what_users_waited_and_how_long_recovery_took() {
    let mut all = Vec::new();
    for seed in 0..12 {
        let summary = burst(seed).judged();
        let burst = only(&summary);
        assert!((850..1_150).contains(&burst.peak_backlog), "{}", burst.peak_backlog);
        let slowest = burst.during.response_time.max.expect("requests").value.as_secs_f64();
        assert!((0.85..1.15).contains(&slowest), "{slowest}");
        // The largest backlog is there when the burst ends.
        assert!((burst.peak_at.as_secs_f64() - 12.0).abs() < 0.1, "{}", burst.peak_at);
        let before = burst.before.response_time.p99.expect("requests").value;
        assert!((2..8).contains(&(before.0 / 1_000_000)), "{before}");
        assert!(burst.usual_backlog < 8, "{}", burst.usual_backlog);
        assert_eq!(burst.resolution, Nanos(20_000_000_000u64.div_ceil(1 << 20)));
        assert!(burst.backlog.len() > 120 && burst.backlog.is_sorted_by_key(|(at, _)| *at));
        assert_eq!(burst.backlog.iter().map(|(_, backlog)| *backlog).max(), Some(burst.peak_backlog));
        all.push(seconds(burst.recovery));
    }
    let mean = all.iter().sum::<f64>() / 12.0;
    assert!((1.85..2.15).contains(&mean), "{mean} s");
    assert!(stats::sd(&all).is_some_and(|sd| (0.05..0.3).contains(&sd)), "{all:?}");
}

/// The backlog's first return, by sorting all moments.
fn recovered(run: &Run, from: u64, until: u64, usual: i64) -> Option<u64> {
    let timeout = run.record.facts.timeout;
    let mut changes: Vec<(u64, i64)> = Vec::new();
    for sample in &run.samples {
        changes.push((sample.scheduled.0, 1));
        let took = Timing::Response.of(sample, timeout).expect("a response time");
        if !sample.outcome.is_cut_off() {
            changes.push((sample.scheduled.0 + took.length.0, -1));
        }
    }
    changes.sort_unstable();
    let mut backlog = 0;
    let mut changes = changes.into_iter().peekable();
    while let Some((_, by)) = changes.next_if(|(at, _)| *at < from) {
        backlog += by;
    }
    if backlog <= usual {
        return Some(from);
    }
    changes.take_while(|(at, _)| *at <= until).find_map(|(at, by)| {
        backlog += by;
        (backlog <= usual).then_some(at)
    })
}

#[test]
fn recovery_is_that_of_sorting_all_moments_to_a_step() {
    for seed in 20..26 {
        let mut run = burst(seed);
        // Some of the burst fail: their users wait until their time limit.
        run.record.facts.timeout = Nanos::from_secs(3);
        run.change(|at| at % 97 == 5, |sample| sample.outcome = Outcome::Refused);
        let summary = run.judged();
        let found = only(&summary);
        let over = 13_000_000_000;
        let truth = recovered(&run, over, 21_000_000_000, found.usual_backlog as i64).expect("it recovers");
        let error = seconds(found.recovery) - (truth - over) as f64 / 1e9;
        // Between two edges the backlog may dip and rise again unseen.
        assert!((0.0..0.02).contains(&error), "seed {seed}: {error} s late");
    }
}

#[test]
fn a_service_that_refuses_all_that_comes_has_not_recovered() {
    let mut run = burst(3);
    run.samples.iter_mut().filter(|sample| sample.scheduled > Nanos::from_secs(12)).for_each(|sample| {
        sample.outcome = Outcome::Refused;
        sample.done = sample.scheduled + Nanos::from_micros(100);
    });
    run.agree();
    let summary = run.judged();
    assert_eq!(only(&summary).recovery, Recovery::NotWithin(Nanos::from_secs(8)));
    assert!(only(&summary).after.not_ok > 3_000);
    let p99 = only(&summary).after.response_time.p99.expect("requests");
    assert!(p99.at_least && p99.value >= Nanos::from_secs(10));
}

#[test]
fn a_run_that_ends_within_its_burst_says_nothing_of_recovery() {
    let mut run = burst(4);
    let until = Nanos::from_secs(12);
    run.samples.retain(|sample| sample.scheduled < until);
    run.end().counted_until = until;
    run.end().interrupted = true;
    run.agree();
    let summary = run.judged();
    assert_eq!(only(&summary).recovery, Recovery::CannotSay);
    assert_eq!((summary.stages.len(), summary.stages[1].span.length()), (2, Nanos::from_secs(1)));
}

#[test]
fn each_stage_is_judged_by_itself() {
    let stages = [(10, 400.0, 400.0), (10, 1200.0, 1200.0), (10, 400.0, 400.0)];
    let summary = Run::shaped(ShapeKind::Stages, &stages, MS, 1).judged();
    let kept: Vec<Option<bool>> = summary.stages.iter().map(|stage| stage.kept_up.kept_up).collect();
    assert_eq!(kept, [Some(true), Some(false), Some(true)]);
    let rates: Vec<f64> = summary.stages.iter().map(|stage| stage.rate_per_s.round()).collect();
    // What the second could not do is done in the third.
    assert!((rates[1] - 1000.0).abs() < 2.0 && rates[2] > 550.0, "{rates:?}");
    assert_eq!(summary.stages[1].planned_per_s, Some((1200.0, 1200.0)));
    assert!(summary.growth.is_empty());
}

/// Some samples of a second, in a shape of four stages, the second of which is a burst.
fn any_run(samples: Vec<Sample>) -> Run {
    let stages = [(100, 5.0), (350, 50.0), (50, 5.0), (500, 60.0)];
    let stages = stages.into_iter().map(|(ms, load)| Stage::level(Nanos::from_millis(ms), load)).collect();
    let shape =
        Shape { kind: ShapeKind::Stages, unit: StageUnit::PerSecond, pace: None, stages, replay: None };
    let mut run = Run::calm();
    let facts = &mut run.record.facts;
    facts.load = Load::Open { rate: rate(shape.mean()), arrivals: ArrivalProcess::Poisson };
    facts.shape = Some(shape);
    facts.timeout = Nanos(9_000_000);
    facts.warm_up = Nanos::ZERO;
    run.end().counted_until = Nanos::from_secs(1);
    run.samples = samples;
    run.agree();
    run
}

/// Samples in batches of a size.
struct Batches(Vec<Sample>, usize);

impl SampleSource for Batches {
    fn pass(&self, each: &mut dyn FnMut(&[Sample])) -> Result<(), SourceError> {
        self.0.chunks(self.1).for_each(each);
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn neither_order_nor_batches_change_a_figure(
        seed in any::<u64>(), turn in 0..400usize, size in 1..300usize,
    ) {
        let run = any_run(any_samples(seed, 400));
        let whole = run.judged();
        let mut turned = run.samples.clone();
        turned.rotate_left(turn);
        turned.reverse();
        let again = crate::run(&run.record, &Batches(turned, size), crate::Alongside::default()).expect("samples in memory");
        prop_assert_eq!(again, whole);
    }

    #[test]
    fn every_stage_has_the_counts_and_percentiles_of_its_own_requests(seed in any::<u64>()) {
        let run = any_run(any_samples(seed, 600));
        let summary = run.judged();
        prop_assert_eq!(summary.stages.len(), 4);
        let parts = [&summary.bursts[0].before, &summary.bursts[0].during, &summary.bursts[0].after];
        let of_parts = parts.map(|part| (part.span, part.scheduled, &part.response_time));
        let of_stages = summary.stages.iter().map(|stage| (stage.span, stage.scheduled, &stage.response_time));
        for (span, scheduled, found) in of_stages.chain(of_parts) {
            let due = |sample: &&Sample| sample.counted && span.contains(sample.scheduled);
            let took: Vec<_> = run
                .samples
                .iter()
                .filter(due)
                .map(|sample| Timing::Response.of(sample, run.record.facts.timeout).expect("a time"))
                .collect();
            let mut lengths: Vec<u64> = took.iter().map(|took| took.length.0).collect();
            lengths.sort_unstable();
            let least = took.iter().filter(|took| took.at_least).map(|took| took.length).min();
            let at = |quantile| nearest_rank(&lengths, quantile).map(|value| Point {
                value: Nanos(value),
                at_least: least.is_some_and(|least| value >= least.0),
            });
            prop_assert_eq!((scheduled, found.n), (lengths.len() as u64, lengths.len() as u64));
            prop_assert_eq!((found.p50, found.p99), (at(Quantile::P50), at(Quantile::P99)));
        }
        for stage in &summary.stages {
            prop_assert_eq!(stage.ok + stage.failed + stage.cut_off, stage.scheduled);
            let answered = run.samples.iter().filter(|s| s.outcome.is_answered() && stage.span.contains(s.done));
            let rate = answered.count() as f64 / stage.span.length().as_secs_f64();
            prop_assert_eq!(stage.rate_per_s, rate);
        }
    }
}

#[test]
fn a_level_load_tells_whether_its_median_drifts() {
    let steady = Run::shaped(ShapeKind::Steady, &[(30, 300.0, 300.0)], MS, 5);
    let drift = |run: &Run| run.judged().growth.remove(0);
    let level = drift(&steady);
    assert_eq!(
        (level.of.as_str(), level.unit.as_str(), level.says),
        ("response time p50", "ns", Grows::NotSeen)
    );
    let mut slower = steady.clone();
    slower.change(|_| true, |sample| sample.done = Nanos(sample.done.0 + sample.scheduled.0 / 10_000));
    let slower = drift(&slower);
    assert_eq!(slower.says, Grows::Yes);
    // A 10,000th of the time that passes.
    let (low, high) = slower.slope_interval.expect("twelve windows");
    assert!(low <= 1e5 && 1e5 <= high, "{low} to {high} ns a second");
    let medians: Vec<f64> = slower.windows.iter().map(|window| window.expect("requests")).collect();
    assert!(medians.is_sorted(), "{medians:?}");
    let few = Run::shaped(ShapeKind::Soak, &[(30, 2.0, 2.0)], MS, 5);
    assert_eq!(drift(&few).says, Grows::TooShort);
}

#[test]
fn users_who_wait_for_answers_are_asked_for_no_rate_and_paced_ones_are() {
    let mut run = Run::shaped(ShapeKind::Stages, &[(10, 4.0, 4.0), (10, 8.0, 8.0)], MS, 2);
    run.record.facts.planned = None;
    let shape = run.record.facts.shape.as_mut().expect("a shape");
    shape.unit = StageUnit::Users;
    run.record.facts.load = Load::Closed { connections: 8 };
    let closed = run.judged();
    assert_eq!((closed.stages[1].planned_per_s, closed.stages[1].kept_up.kept_up), (None, None));
    let shape = run.record.facts.shape.as_mut().expect("a shape");
    shape.pace = Some(Nanos::from_secs(1));
    run.record.facts.load = Load::Paced { rate: rate(6.0), connections: 8 };
    let paced = run.judged();
    assert_eq!(paced.stages[1].planned_per_s, Some((8.0, 8.0)));
    assert!(paced.stages[1].kept_up.smallest_visible < 1.0);
}
