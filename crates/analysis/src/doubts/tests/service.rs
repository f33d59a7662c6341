//! Doubts about the service.

use super::*;

#[test]
fn one_failure_in_a_hundred_makes_the_p99_itself_one() {
    let failing = |count| {
        move |run: &mut Run| run.change(move |at| at % 97 == 0 && at / 97 < count, fail(Outcome::Reset))
    };
    let few = check(failing(70), &[]);
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
fn more_than_half_a_percent_of_failures_is_work_that_was_not_kept_up_with() {
    let failing = |count| move |run: &mut Run| run.change(move |at| at % count == 0, fail(Outcome::Refused));
    check(failing(210), &[]);
    let summary = check(failing(110), &[("fell-behind", Doubtful)]);
    says(
        &summary,
        "fell-behind",
        "the service did not keep up: it gave 495 answers a second, and 137 requests failed",
    );
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
