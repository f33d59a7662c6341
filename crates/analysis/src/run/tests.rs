//! A run's figures against the same worked out the plain way.

use super::*;
use crate::fixture::{Run, any_samples, rate, sample};
use crate::summary::Point;
use crate::timing::Took;
use proptest::prelude::*;
use stats::{Quantile, nearest_rank};

/// A distribution by sorting everything.
fn sorted(samples: &[Sample], timing: Timing, timeout: Nanos) -> Distribution {
    let counted = samples.iter().filter(|sample| sample.counted);
    let took: Vec<Took> = counted.filter_map(|sample| timing.of(sample, timeout)).collect();
    let least = took.iter().filter(|took| took.at_least).map(|took| took.length).min();
    let mut lengths: Vec<u64> = took.iter().map(|took| took.length.0).collect();
    lengths.sort_unstable();
    let at = |num, den| {
        let value = Nanos(nearest_rank(&lengths, Quantile::new(num, den)?)?);
        Some(Point { value, at_least: least.is_some_and(|least| value >= least) })
    };
    let n = lengths.len() as u64;
    Distribution {
        n,
        censored: took.iter().filter(|took| took.at_least).count() as u64,
        mean: (n > 0).then(|| lengths.iter().map(|l| u128::from(*l)).sum::<u128>() as f64 / n as f64),
        p50: at(1, 2),
        p90: at(9, 10),
        p95: at(19, 20),
        p99: at(99, 100),
        p999: at(999, 1000),
        max: at(1, 1),
    }
}

fn judged(samples: Vec<Sample>, timeout: Nanos) -> RunSummary {
    let mut run = Run::calm();
    run.record.facts.timeout = timeout;
    run.record.facts.warm_up = Nanos::ZERO;
    run.end().counted_until = Nanos::from_secs(1);
    run.samples = samples;
    run.agree();
    run.judged()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn every_distribution_is_exactly_that_of_sorting(
        seed in any::<u64>(), count in 0..3_000u64, timeout in 1..20_000_000u64,
    ) {
        let (samples, timeout) = (any_samples(seed, count), Nanos(timeout));
        let summary = judged(samples.clone(), timeout);
        let cases = [
            (&summary.response_time, Timing::Response),
            (&summary.response_time_ok, Timing::ResponseOk),
            (&summary.service_time, Timing::Service),
            (&summary.connect_time, Timing::Connect),
            (&summary.lateness.all, Timing::Lateness),
            (&summary.lateness.waiting, Timing::Waiting),
            (&summary.lateness.own, Timing::OwnDelay),
        ];
        for (found, timing) in cases {
            prop_assert_eq!(found, &sorted(&samples, timing, timeout), "{:?}", timing);
        }
    }

    #[test]
    fn the_order_of_samples_changes_nothing(seed in any::<u64>(), turn in 0..500usize) {
        let samples = any_samples(seed, 500);
        let mut turned = samples.clone();
        turned.rotate_left(turn);
        turned.reverse();
        prop_assert_eq!(judged(turned, Nanos(9_000_000)), judged(samples, Nanos(9_000_000)));
    }
}

#[test]
fn slices_hold_their_own_requests_and_their_exact_p99() {
    let mut run = Run::calm();
    run.change(|at| (5_000..5_007).contains(&at), |sample| sample.outcome = Outcome::WrongStatus);
    let summary = run.judged();
    assert_eq!(summary.slices.len(), 30);
    for (at, slice) in (1..).zip(&summary.slices) {
        let inside: Vec<Sample> = run
            .samples
            .iter()
            .copied()
            .filter(|sample| sample.scheduled.0 / 1_000_000_000 == at && sample.counted)
            .collect();
        let truth = sorted(&inside, Timing::Response, run.record.facts.timeout);
        assert_eq!((slice.scheduled, slice.failed), (truth.n, truth.censored), "slice {at}");
        assert_eq!(slice.p99, truth.p99.map(|point| point.value));
        assert_eq!(slice.max, truth.max.map(|point| point.value));
    }
    assert_eq!(summary.slices.iter().map(|slice| slice.failed).sum::<u64>(), 7);
}

#[test]
fn counts_and_rates_are_those_of_the_counted_part() {
    let mut run = Run::calm();
    run.change(|at| at % 1000 == 0, |sample| sample.outcome = Outcome::Reset);
    run.change(|at| at % 5000 == 1, |sample| sample.outcome = Outcome::FailedCheck);
    run.change(|at| at == 3, |sample| sample.outcome = Outcome::Unfinished);
    run.change(|at| at == 4, |sample| sample.resent = 2);
    let summary = run.judged();
    assert_eq!(summary.duration, Nanos::from_secs(30));
    assert_eq!((summary.scheduled, summary.ok), (15_000, 14_981));
    assert_eq!(summary.failed, [("reset", 15), ("failed_check", 3)]);
    assert_eq!((summary.unfinished, summary.never_sent, summary.resent), (1, 0, 2));
    let counted = Span { began: Nanos::from_secs(1), ended: Nanos::from_secs(31) };
    let answered = |sample: &&Sample| sample.outcome.is_answered() && counted.contains(sample.done);
    let answers = run.samples.iter().filter(answered).count();
    assert!((summary.rate_per_s - answers as f64 / 30.0).abs() < 1e-9);
    assert_eq!(summary.tester.cpu_ns_per_request, Some(20_000.0));
    assert_eq!(summary.tester.sender_cpu_ns_per_request, Some(10_000.0));
    assert!((summary.tester.core_share.unwrap() - 0.01).abs() < 1e-12);
}

/// A service at twice its capacity answers a few of the first requests; the
/// time limit ends the rest at the rate at which they came.
#[test]
fn requests_that_time_out_are_no_work_that_the_service_got_through() {
    for paced in [false, true] {
        let mut run = if paced { Run::looped(true) } else { Run::calm() };
        run.change(
            |at| at >= 89,
            |sample| {
                sample.outcome = Outcome::TimedOut;
                sample.done = sample.scheduled + Nanos::from_millis(600);
            },
        );
        let summary = run.judged();
        assert_eq!(summary.kept_up.kept_up, Some(false), "paced: {paced}");
        assert!(summary.rate_per_s < 4.0, "{}/s", summary.rate_per_s);
    }
}

#[test]
fn answers_that_came_after_the_counted_part_are_in_no_rate() {
    let mut run = Run::calm();
    run.change(|at| at >= 14_000, |sample| sample.done += Nanos::from_secs(5));
    let rate = run.judged().rate_per_s;
    assert!((rate - 14_000.0 / 30.0).abs() < 0.2, "{rate}/s");
}

#[test]
fn a_calm_run_kept_up_and_its_interval_holds_its_p99() {
    let summary = Run::calm().judged();
    assert_eq!(summary.kept_up.kept_up, Some(true));
    let (p99, interval) = (summary.response_time.p99.unwrap().value, summary.p99_interval);
    assert!(interval.low.unwrap() < p99 && p99 < interval.high.unwrap(), "{p99} in {interval:?}");
    assert!(interval.episodes > 30, "{interval:?}");
    let little = summary.little.unwrap();
    assert!((little.mean_in_system - little.rate_times_mean).abs() < 1e-9);
}

#[test]
fn a_p99_on_a_time_limit_is_printed_as_at_least() {
    let mut run = Run::calm();
    run.change(
        |at| at % 50 == 0,
        |sample| {
            sample.outcome = Outcome::TimedOut;
            sample.done = sample.scheduled + Nanos::from_secs(10) + Nanos(sample.index);
        },
    );
    let summary = run.judged();
    let p99 = summary.response_time.p99.unwrap();
    assert!(p99.at_least && p99.value >= Nanos::from_secs(10), "{p99:?}");
    assert!(summary.p99_interval.low.is_some());
    assert_eq!(summary.p99_interval.high, None, "a lower bound is no upper end");
    let codes: Vec<&str> = summary.doubts.iter().map(|doubt| doubt.code).collect();
    assert!(!codes.contains(&"few-episodes"), "{codes:?}");
    assert!(!summary.response_time.p95.unwrap().at_least);
    assert!(!summary.response_time_ok.p99.unwrap().at_least);
}

#[test]
fn the_curve_rises_from_the_fastest_towards_the_slowest() {
    let summary = Run::calm().judged();
    let curve = &summary.curve;
    assert_eq!((curve.len(), curve[0].0), (100, 0.0));
    assert!(curve.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1));
    let last = curve[99];
    assert!((last.0 - (1.0 - 1.0 / 15_000.0)).abs() < 1e-9, "{}", last.0);
    let max = summary.response_time.max.unwrap().value;
    assert!(last.1 <= max && last.1 > summary.response_time.p999.unwrap().value);
}

#[test]
fn an_empty_run_has_no_numbers_and_no_panic() {
    let summary = judged(Vec::new(), Nanos(1));
    assert_eq!(summary.verdict, Verdict::Void);
    assert_eq!(summary.response_time, Distribution::default());
    assert!(summary.curve.is_empty() && summary.dots.is_empty() && summary.corrected.is_none());
    let mut killed = Run::calm();
    killed.record.end = None;
    killed.samples.clear();
    assert_eq!(killed.judged().duration, Nanos::ZERO);
}

#[test]
fn a_failing_source_is_an_error_and_no_half_result() {
    struct Torn;
    impl SampleSource for Torn {
        fn pass(&self, each: &mut dyn FnMut(&[Sample])) -> Result<(), SourceError> {
            each(&[sample(0, 0, 0, 1)]);
            Err(SourceError("batch 2 is damaged".to_owned()))
        }
    }
    assert_eq!(
        run(&Run::calm().record, &Torn, Alongside::default()),
        Err(SourceError("batch 2 is damaged".to_owned()))
    );
}

#[test]
fn a_run_takes_four_passes_and_a_killed_one_five() {
    struct Counted(Vec<Sample>, std::cell::Cell<u32>);
    impl SampleSource for Counted {
        fn pass(&self, each: &mut dyn FnMut(&[Sample])) -> Result<(), SourceError> {
            self.1.set(self.1.get() + 1);
            self.0.chunks(1000).for_each(each);
            Ok(())
        }
    }
    let Run { mut record, samples } = Run::calm();
    let source = Counted(samples, std::cell::Cell::new(0));
    let whole = run(&record, &source, Alongside::default());
    assert_eq!(source.1.replace(0), 4);
    assert_eq!(whole, Ok(Run::calm().judged()), "and batches make no difference");
    record.end = None;
    assert!(run(&record, &source, Alongside::default()).is_ok());
    assert_eq!(source.1.get(), 5);
}

/// A loop of about 1 ms a request for 15 s, with stalls of 100 ms every 2 s,
/// or with 0.3 % of single requests that take as long.
fn loop_with(connections: u32, paced: bool, stalls: bool) -> RunSummary {
    let mut run = Run::looped(paced);
    let load = match rate(1000.0) {
        rate if paced => model::Load::Paced { rate, connections },
        _ => model::Load::Closed { connections },
    };
    run.record.facts.load = load;
    run.end().counted_until = Nanos::from_secs(16);
    run.samples.clear();
    let millis = 1_000_000;
    for index in 0..15_000_u64 {
        let user = (index % u64::from(connections)) as u32;
        let at = 1_000 * millis + index * millis;
        // A stall from each even second on for 100 ms, in which one request of
        // each user is out, and the others are left out.
        let into = index % 2_000;
        let own = if !stalls && index % 333 == 7 { 100 * millis } else { 0 };
        let held = if into < 100 { (100 - into) * millis } else { 0 };
        if stalls && (u64::from(connections)..100).contains(&into) {
            continue;
        }
        let done = at + 900_000 + if stalls { held } else { own };
        run.samples.push(Sample { user, ..sample(index, at, at, done) });
    }
    run.agree();
    run.judged()
}

#[test]
fn single_slow_requests_are_not_corrected_for_stalls_that_never_were() {
    let corrected = loop_with(8, true, false).corrected.unwrap();
    assert_eq!((corrected.hdr, corrected.utilisation), (None, None));
    assert!(corrected.assumptions[0].starts_with("no corrected number: the service stood still 0 times"));
}

#[test]
fn loops_that_met_their_stalls_are_corrected() {
    for (connections, paced) in [(1, false), (8, true)] {
        let corrected = loop_with(connections, paced, true).corrected.unwrap();
        assert!(corrected.hdr.is_some(), "{connections}: {:?}", corrected.assumptions);
    }
}

#[test]
fn near_the_mean_is_what_lies_within_a_tenth_of_it() {
    let mut run = Run::calm();
    // A mean of 100 µs, with lengths on both edges and a hair beyond them.
    let micros = [90.0, 110.0, 89.999, 110.001, 100.0, 100.0];
    run.samples = (0..6)
        .map(|index| {
            let due = 1_000_000_000 + index * 1_000_000;
            sample(index, due, due, due + (micros[index as usize] * 1e3) as u64)
        })
        .collect();
    run.agree();
    let summary = run.judged();
    assert_eq!(summary.response_time.mean, Some(100_000.0));
    assert_eq!(summary.near_mean, Some(4.0 / 6.0));
    run.samples.clear();
    run.agree();
    assert_eq!(run.judged().near_mean, None);
}
