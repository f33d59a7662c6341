//! Doubts about the tester.

use super::*;

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
fn reaching_the_connection_limit_matters_once_requests_wait_for_it() {
    let full = |run: &mut Run| run.end().connections_peak = 512;
    let wait = |count: u64, connect: Option<Nanos>| {
        move |run: &mut Run| {
            run.change(
                |at| at < count,
                |sample| {
                    sample.waited = Nanos(5_000);
                    sample.connect = connect;
                },
            );
        }
    };
    check(full, &[]);
    check(wait(16, None), &[]);
    let both = |count, connect| {
        move |run: &mut Run| {
            full(run);
            wait(count, connect)(run);
        }
    };
    check(both(16, Some(Nanos(5_000))), &[]);
    check(both(15, None), &[("connection-limit", Valid)]);
    let summary = check(both(16, None), &[("connection-limit", Doubtful)]);
    says(
        &summary,
        "connection-limit",
        "all 512 connections were in use, and 16 requests (0.1 %) waited at the tester for one to become free",
    );
    let looped = |limit| {
        let mut run = Run::looped(false);
        run.record.facts.connection_limit = limit;
        run.end().connections_peak = limit;
        wait(16, None)(&mut run);
        doubts(&run.judged())
    };
    assert_eq!(looped(8), [], "each of the 8 users has one");
    assert_eq!(looped(7), [("connection-limit", Doubtful)]);
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
