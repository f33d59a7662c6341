//! Doubts about our own books.

use super::*;

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
