//! Doubts about runs cut short, and too short.

use super::*;

#[test]
fn a_killed_run_is_judged_by_what_is_left_of_it() {
    let summary = check(
        |run| {
            run.samples.truncate(10_500);
            run.record.end = None;
        },
        &[("killed", Doubtful)],
    );
    assert!(summary.interrupted);
    assert_eq!((summary.scheduled, summary.ok), (10_000, 10_000));
    let last = Run::calm().samples[..10_500].iter().map(|sample| sample.done).max().unwrap();
    assert_eq!(summary.duration, last - Nanos::from_secs(1));
    assert_eq!((summary.little, summary.tester.core_share), (None, None));
}

/// The service stands still from second 21 on, and the tester is killed at 29 s.
#[test]
fn a_killed_run_does_not_hide_the_stall_it_was_killed_in() {
    let killed = |mut run: Run, due_counted| {
        run.samples.truncate(10_500);
        run.record.end = None;
        run.record.last_sign = Some(LastSign { at: Nanos::from_secs(29), due_counted });
        run.judged()
    };
    let open = killed(Run::calm(), Some(14_000));
    assert_eq!(open.duration, Nanos::from_secs(28));
    assert_eq!((open.scheduled, open.ok, open.unfinished), (14_000, 10_000, 4_000));
    assert_eq!((open.response_time.n, open.response_time.censored), (14_000, 4_000));
    assert!(open.response_time.p50.unwrap().at_least && open.response_time.p99.unwrap().at_least);
    assert_eq!(open.p99_interval.high, None);
    assert_eq!(open.kept_up.kept_up, None);
    assert!((open.rate_per_s - 10_000.0 / 28.0).abs() < 0.2, "{}", open.rate_per_s);
    let text = "the tester was killed: 10000 requests from before it remain; 4000 requests more were due and \
                have no row, so nothing is known of how long they waited";
    says(&open, "killed", text);
    let looped = killed(Run::looped(false), None);
    assert_eq!((looped.scheduled, looped.duration), (10_000, Nanos::from_secs(28)));
    let text = "the tester was killed: 10000 requests from before it remain, and up to one request a user is \
                missing, with its wait";
    says(&looped, "killed", text);
}

#[test]
fn an_interrupted_run_says_how_far_it_came() {
    let summary = check(
        |run| {
            run.samples.truncate(10_500);
            run.end().interrupted = true;
            run.end().counted_until = Nanos::from_secs(21);
            run.end().taken = 10_500;
            run.end().taken_counted = 10_000;
            run.end().area = run.samples.iter().map(|s| u128::from(s.response_time().0)).sum();
        },
        &[("interrupted", Doubtful)],
    );
    says(&summary, "interrupted", "it was interrupted after 20.0 s of 30.0 s");
}

/// Keeps the first `count` counted samples, over as much of the counted part as they took.
fn shorten(run: &mut Run, count: usize) {
    run.samples.truncate(500 + count);
    run.end().counted_until = Nanos::from_secs(1) + Nanos::from_millis(2) * count as u64;
    run.agree();
}

#[test]
fn of_fewer_than_a_hundred_requests_the_p99_is_the_slowest() {
    let codes = |count| doubts(&judged(Run::calm(), |run| shorten(run, count)));
    assert!(codes(99).contains(&("few-requests", Doubtful)));
    assert!(!codes(99).iter().any(|(code, _)| *code == "few-episodes"), "one of the two is enough");
    assert!(!codes(100).iter().any(|(code, _)| *code == "few-requests"));
}

/// Makes the slowest 1 % come from `events` stretches of time.
fn clump(run: &mut Run, events: u64) {
    let each = 150_u64.div_ceil(events);
    let slow = move |at: u64| at % (15_000 / events) < each && at / (15_000 / events) < events;
    run.change(slow, |sample| {
        let late = Nanos(100_000_000 - sample.scheduled.0 / 1_000);
        sample.done = sample.scheduled + late;
    });
}

#[test]
fn a_p99_from_few_events_cannot_be_given_or_is_weak() {
    let of = |events| judged(Run::calm(), |run| clump(run, events));
    let weight = |summary: &RunSummary| {
        doubts(summary).into_iter().find(|(code, _)| *code == "few-episodes").map(|(_, weight)| weight)
    };
    let four = of(4);
    assert_eq!(four.p99_interval.episodes, 4);
    assert_eq!(weight(&four), Some(Doubtful));
    says(&four, "few-episodes", "this run cannot give a p99: its slowest 1 % came from 4 separate events");
    let hint = four.doubts.iter().find(|doubt| doubt.code == "few-episodes").unwrap().hint.clone();
    assert_eq!(hint.as_deref(), Some("run 2 min (`-d 2m`) for one you can quote"));
    assert_eq!(weight(&of(5)), Some(Valid), "weak, and said so");
    assert_eq!(weight(&of(9)), Some(Valid));
    assert_eq!(weight(&of(10)), None);
}

#[test]
fn an_interval_wider_than_its_p99_is_too_wide() {
    // Six events, all in the first 3 s, each with waits from 10 ms to 600 ms.
    let summary = judged(Run::calm(), |run| {
        run.change(
            |at| at < 1500 && at % 250 < 25,
            |sample| sample.done = sample.scheduled + Nanos(10_000_000 << (sample.index % 250 / 4)),
        );
    });
    assert_eq!(summary.p99_interval.episodes, 6);
    assert_eq!(doubts(&summary), [("few-episodes", Valid), ("wide-interval", Doubtful)]);
}

#[test]
fn an_interval_without_an_upper_end_says_only_how_low_it_starts() {
    let run = Run::calm();
    let mut summary = run.judged();
    summary.p99_interval.low = Some(Nanos::from_millis(4));
    summary.p99_interval.high = None;
    let (samples_all, samples_counted) = (15_500, 15_000);
    let record = &run.record;
    let case = crate::doubts::Case {
        record,
        summary: &summary,
        samples_all,
        samples_counted,
        own_delay_above_gap: 0,
        unseen: 0,
    };
    let raised = crate::doubts::all(&case);
    assert_eq!(raised.len(), 1, "{raised:?}");
    assert_eq!(raised[0].says, "the run does not bound the p99 from above: at least 4.00 ms");
}
