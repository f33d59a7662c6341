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
fn waiting_at_the_connection_limit_is_told_and_doubted_above_one_in_a_thousand() {
    let waited = |count| move |run: &mut Run| run.end().waited_at_limit = count;
    check(|run| run.end().connections_peak = 512, &[]);
    check(waited(15), &[("connection-limit", Valid)]);
    let summary = check(waited(16), &[("connection-limit", Doubtful)]);
    says(
        &summary,
        "connection-limit",
        "16 requests (0.1 %) waited at the tester, as no more than 512 connections were allowed",
    );
    assert_eq!(summary.tester.waited_at_limit, Some(16));
}

#[test]
fn a_machine_that_allows_no_more_connections_is_told() {
    let summary = check(|run| run.end().limit_lowered_to = Some(40), &[("limit-lowered", Doubtful)]);
    let text = "this machine allowed only 40 connections at some moment (no descriptor, port or memory left); \
                requests waited for those";
    says(&summary, "limit-lowered", text);
    assert_eq!(summary.tester.limit_lowered_to, Some(40));
}

/// The same requests, a hundred times as fast: each late by more than its gap
/// of 20 µs, and none by much of its wait.
#[test]
fn above_ten_thousand_a_second_only_the_size_of_lateness_counts() {
    let mut run = Run::calm();
    for sample in &mut run.samples {
        let response = sample.response_time();
        sample.scheduled = Nanos(1_000_000_000 + sample.index * 20_000);
        sample.sent = Some(sample.scheduled + Nanos(21_000));
        sample.done = sample.scheduled + response;
    }
    run.end().counted_until = Nanos(1_320_000_000);
    run.agree();
    let summary = run.judged();
    assert!(!doubts(&summary).contains(&("late-sending", Doubtful)), "{:?}", summary.doubts);
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
fn another_tools_samples_are_timed_by_that_tool_and_its_lateness_is_unknown() {
    let tool = |name: &str| Some(ToolFacts { name: name.to_owned(), command: name.to_owned() });
    let locust = |run: &mut Run| {
        run.record.facts.tool = tool("locust");
        run.end().told = Some(Told { gave_samples: true, ..Told::default() });
    };
    let summary = check(locust, &[("tools-own-clock", Valid)]);
    says(
        &summary,
        "tools-own-clock",
        "locust timed these requests itself, each from the moment at which it began to send it: what it was late by \
         is in no number",
    );
    assert_eq!(summary.lateness, crate::Lateness::default());
    assert!(summary.response_time.p99.is_some());
    // From how many threads it sends, only the tool knows.
    check(
        |run| {
            locust(run);
            run.end().cpu = CpuUse { process: Nanos::from_secs(60), senders: Nanos::from_secs(60) };
        },
        &[("tools-own-clock", Valid)],
    );
    // Stalls that cannot be laid beside its requests.
    let summary = check(
        |run| {
            locust(run);
            run.record.facts.stalls_asked = Some(true);
        },
        &[("stalls", Doubtful), ("tools-own-clock", Valid)],
    );
    let doubt = &summary.doubts[0].says;
    assert!(doubt.contains("none can be laid beside locust's requests"), "{doubt}");
}
