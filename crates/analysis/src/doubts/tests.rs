//! Every doubt is raised once by a run spoilt for it, and once not, just short of it.

use crate::fixture::Run;
use crate::summary::RunSummary;
use crate::summary::Verdict::{self, Doubtful, Valid, Void};
use model::{CpuUse, Nanos, Outcome, Sample, SendPrecision, Span, Stalls};

/// The run as judged, after a change.
fn judged(mut run: Run, change: impl FnOnce(&mut Run)) -> RunSummary {
    change(&mut run);
    run.judged()
}

/// Code and weight of each doubt.
fn doubts(summary: &RunSummary) -> Vec<(&'static str, Verdict)> {
    summary.doubts.iter().map(|doubt| (doubt.code, doubt.weight)).collect()
}

/// Checks that a calm run has these doubts after a change, and the worst of their weights.
#[track_caller]
fn check(change: impl FnOnce(&mut Run), expected: &[(&str, Verdict)]) -> RunSummary {
    let summary = judged(Run::calm(), change);
    assert_eq!(doubts(&summary), expected);
    let worst = expected.iter().map(|(_, weight)| *weight).max().unwrap_or(Valid);
    assert_eq!(summary.verdict, worst);
    summary
}

#[track_caller]
fn says(summary: &RunSummary, code: &str, text: &str) {
    let doubt = summary.doubts.iter().find(|doubt| doubt.code == code).expect("the doubt was raised");
    assert_eq!(doubt.says, text);
}

fn fail(outcome: Outcome) -> impl Fn(&mut Sample) {
    move |sample| sample.outcome = outcome
}

#[test]
fn a_calm_run_is_valid_and_raises_nothing() {
    check(|_| {}, &[]);
    for paced in [true, false] {
        assert_eq!(doubts(&Run::looped(paced).judged()), []);
    }
}

#[test]
fn a_run_without_a_counted_request_is_void() {
    let summary = check(
        |run| {
            run.samples.iter_mut().for_each(|sample| sample.counted = false);
            run.agree();
        },
        &[("no-requests", Void)],
    );
    assert_eq!(summary.response_time.p99, None);
}

#[test]
fn a_run_in_which_everything_failed_is_void_and_says_with_what() {
    let summary = check(
        |run| {
            run.change(|_| true, fail(Outcome::Refused));
            run.change(|at| at < 10, fail(Outcome::Reset));
            run.end().examples = vec![("refused".to_owned(), "connection refused".to_owned())];
        },
        &[("everything-failed", Void)],
    );
    let text = "none of 15000 requests was answered as expected: 14990 refused (connection refused)";
    says(&summary, "everything-failed", text);
    let cut_off = judged(Run::calm(), |run| run.change(|_| true, fail(Outcome::Unfinished)));
    says(&cut_off, "everything-failed", "none of 15000 requests was answered as expected: 15000 unfinished");
}

#[test]
fn a_request_that_is_due_and_nowhere_else_breaks_conservation() {
    let summary = check(
        |run| {
            run.change(|at| at < 3, fail(Outcome::WrongStatus));
            run.end().taken_counted += 1;
            run.end().taken += 1;
            run.record.facts.planned = Some((500, 15_001));
        },
        &[("conservation", Void), ("samples-missing", Void)],
    );
    says(
        &summary,
        "conservation",
        "our own books disagree: 15001 requests became due, and 14997 ok + 3 failed + 0 unfinished + 0 never sent \
         make 15000",
    );
}

#[test]
fn a_warm_up_request_without_a_sample_breaks_the_books_too() {
    check(
        |run| {
            run.end().taken += 1;
            run.record.facts.planned = Some((501, 15_000));
        },
        &[("samples-missing", Void)],
    );
}

#[test]
fn an_open_loop_sends_its_whole_plan_unless_it_was_stopped() {
    let summary = check(|run| run.record.facts.planned = Some((500, 15_001)), &[("plan-not-kept", Void)]);
    let text = "15501 requests were planned (500 of them warm-up) and 15500 became due (500 of them warm-up)";
    says(&summary, "plan-not-kept", text);
    check(
        |run| {
            run.record.facts.planned = Some((500, 15_001));
            run.end().interrupted = true;
        },
        &[("interrupted", Doubtful)],
    );
}

#[test]
fn a_lost_sample_is_one_too_many() {
    let summary = check(|run| run.end().samples_lost = 1, &[("samples-lost", Void)]);
    says(&summary, "samples-lost", "1 sample could not be kept");
}

#[test]
fn littles_law_may_be_missed_by_two_percent_and_no_more() {
    let off = |per_mille| move |run: &mut Run| run.end().area = run.end().area * per_mille / 1000;
    check(off(1019), &[]);
    check(off(1021), &[("little", Void)]);
    check(off(981), &[]);
    check(off(979), &[("little", Void)]);
}

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
    let case = super::Case {
        record,
        summary: &summary,
        samples_all,
        samples_counted,
        waited_for_free: 0,
        own_delay_above_gap: 0,
    };
    let raised = super::all(&case);
    assert_eq!(raised.len(), 1, "{raised:?}");
    assert_eq!(raised[0].says, "the run does not bound the p99 from above: at least 4.00 ms");
}

#[test]
fn the_testers_own_delay_may_be_a_twentieth_of_the_p99() {
    let late = |nanos| {
        move |run: &mut Run| {
            run.change(
                |_| true,
                |sample| {
                    let response = sample.response_time();
                    sample.scheduled = sample.scheduled.saturating_sub(Nanos(nanos));
                    sample.done = sample.scheduled + response;
                },
            );
        }
    };
    let p99 = Run::calm().judged().response_time.p99.unwrap().value.0;
    check(late(p99 / 20 - 10_000), &[]);
    let summary = judged(Run::calm(), late(p99 / 20 - 9_000));
    assert!(doubts(&summary).contains(&("late-sending", Doubtful)), "{:?}", summary.doubts);
    let waited = judged(Run::calm(), |run| {
        late(p99 / 20)(run);
        run.change(|_| true, |sample| sample.waited = sample.lateness().unwrap());
    });
    assert_eq!(doubts(&waited), [], "waiting for a connection is not the tester's own delay");
}

#[test]
fn one_in_a_thousand_requests_may_be_late_by_more_than_the_mean_gap() {
    let late = |count| {
        move |run: &mut Run| {
            run.change(
                move |at| at % 900 == 0 && at / 900 < count,
                |sample| {
                    sample.sent = Some(sample.scheduled + Nanos(2_000_001));
                    sample.done = sample.done.max(sample.scheduled + Nanos(2_500_000));
                },
            );
        }
    };
    check(late(15), &[]);
    let summary = check(late(16), &[("late-sending", Doubtful)]);
    says(
        &summary,
        "late-sending",
        "the tester sent 0.1 % of requests late by more than the mean gap of 2.00 ms",
    );
    let mut closed = Run::looped(false);
    late(16)(&mut closed);
    assert_eq!(doubts(&closed.judged()), [], "a closed loop plans no gaps");
}

#[test]
fn reaching_the_connection_limit_matters_once_a_request_waits_for_it() {
    let full = |run: &mut Run| run.end().connections_peak = 512;
    check(full, &[]);
    let wait = |sample: &mut Sample| sample.waited = Nanos(5_000);
    check(|run| run.change(|at| at == 7, wait), &[]);
    let summary = check(
        |run| {
            full(run);
            run.change(|at| at == 7, wait);
        },
        &[("connection-limit", Doubtful)],
    );
    says(
        &summary,
        "connection-limit",
        "all 512 connections were in use, and 1 request (0.007 %) waited at the tester for one to become free",
    );
    check(
        |run| {
            full(run);
            run.change(
                |at| at == 7,
                |sample| {
                    wait(sample);
                    sample.connect = Some(Nanos(5_000));
                },
            );
        },
        &[],
    );
}

#[test]
fn sending_threads_that_are_busy_all_the_time_are_saturated_unless_they_spin() {
    let busy = |secs| {
        move |run: &mut Run| {
            run.record.facts.threads = 2;
            run.end().cpu = CpuUse { process: Nanos::from_secs(secs), senders: Nanos::from_secs(secs) };
        }
    };
    check(busy(54), &[]);
    check(busy(55), &[("tester-saturated", Doubtful)]);
    check(
        |run| {
            busy(60)(run);
            run.record.facts.precision = SendPrecision::Spin { last: Nanos::from_micros(100) };
        },
        &[],
    );
}

#[test]
fn one_failure_in_a_hundred_makes_the_p99_itself_one() {
    let failing = |count| {
        move |run: &mut Run| run.change(move |at| at % 97 == 0 && at / 97 < count, fail(Outcome::Reset))
    };
    let few = check(failing(100), &[]);
    assert!(!few.response_time.p99.unwrap().at_least);
    let said =
        |count| judged(Run::calm(), failing(count)).doubts.iter().any(|doubt| doubt.code == "failures");
    assert!(!said(149) && said(150));
    let many = judged(Run::calm(), failing(151));
    assert!(many.response_time.p99.unwrap().at_least);
    says(
        &many,
        "failures",
        "1.0 % of requests failed (151 reset), and count as at least the time limit of 10.0 s",
    );
    assert_eq!(many.verdict, Doubtful);
}

#[test]
fn requests_cut_off_at_the_end_are_told_and_more_than_one_in_a_thousand_doubted() {
    let cut = |count: u64| {
        move |run: &mut Run| run.change(move |at| at >= 15_000 - count, fail(Outcome::Unfinished))
    };
    check(cut(15), &[("cut-off", Valid)]);
    let summary = check(cut(16), &[("cut-off", Doubtful)]);
    says(
        &summary,
        "cut-off",
        "16 requests (0.1 %) had no answer when the run ended, 0 of them never sent: their waits are lower bounds",
    );
}

/// Answers come at 475/s, so that the queue grows.
fn overload(run: &mut Run) {
    run.change(
        |_| true,
        |sample| {
            let behind = (sample.scheduled.0 - 1_000_000_000) / 20;
            sample.done += Nanos(behind);
        },
    );
}

#[test]
fn a_growing_queue_is_said_to_be_one() {
    let summary = judged(Run::calm(), overload);
    assert_eq!(summary.kept_up.kept_up, Some(false));
    assert!(doubts(&summary).contains(&("fell-behind", Doubtful)), "{:?}", summary.doubts);
}

#[test]
fn a_paced_loop_that_sends_less_than_planned_says_so() {
    let reach = |share: usize| {
        let mut run = Run::looped(true);
        run.samples.retain(|sample| !sample.counted || sample.index as usize % 100 < share);
        run.agree();
        run.judged()
    };
    assert_eq!(doubts(&reach(98)), []);
    let slow = reach(97);
    assert_eq!(doubts(&slow), [("below-rate", Doubtful)]);
    says(&slow, "below-rate", "the loop reached 485/s of 500/s: it asked for less than planned");
}

fn with_stalls(planned: u64) -> impl Fn(&mut Run) {
    move |run| {
        let stall =
            |at: u64| Span { began: Nanos::from_secs(at), ended: Nanos::from_secs(at) + Nanos(1_000) };
        run.end().stalls = Some(Stalls { planned, seen: [5, 10, 15].map(stall).to_vec() });
    }
}

#[test]
fn the_service_must_have_the_stalls_that_were_planned() {
    check(with_stalls(3), &[]);
    let summary = check(with_stalls(4), &[("stalls", Doubtful)]);
    says(&summary, "stalls", "4 stalls were planned and the service had 3");
    check(
        |run| {
            with_stalls(4)(run);
            run.end().interrupted = true;
        },
        &[("interrupted", Doubtful)],
    );
    check(|run| run.record.facts.stalls_asked = Some(true), &[("stalls", Doubtful)]);
    check(|run| run.record.facts.stalls_asked = Some(false), &[]);
}
