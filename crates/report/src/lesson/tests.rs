//! Each sentence must stay true when the figures come out otherwise.

use super::*;
use crate::fixtures;
use analysis::Interval;
use model::Nanos;

/// p99s in microseconds, the rest as the service tells it.
struct Figures {
    closed: (u64, u64),
    open: (u64, u64),
    closed_sent: u64,
    seen: (u64, u64),
    met: f64,
    never_sent: u64,
}

const EXPECTED: Figures = Figures {
    closed: (970, 970),
    open: (5_290, 84_900),
    closed_sent: 0,
    seen: (7, 7),
    met: 0.027,
    never_sent: 0,
};

fn sentences(figures: &Figures) -> Vec<String> {
    let mut summary = fixtures::summary(
        [("closed-1", fixtures::closed(1)), ("open", fixtures::open(546.0))]
            .into_iter()
            .flat_map(|(name, load)| [(name.to_owned(), load, true), (format!("{name}-calm"), load, false)])
            .map(|(name, load, stalls)| (name.clone(), fixtures::run(&name, load, stalls)))
            .collect(),
    );
    for arm in &mut summary.arms {
        let run = &mut arm.runs[0];
        let (p99s, seen) = match arm.name.starts_with("closed") {
            true => (figures.closed, figures.seen.0),
            false => (figures.open, figures.seen.1),
        };
        let micros = if arm.name.ends_with("calm") { p99s.0 } else { p99s.1 };
        let value = Nanos::from_micros(micros);
        run.response_time.p99 = Some(Point { value, at_least: false });
        run.p99_interval = Interval { low: Some(value), high: Some(value), episodes: 9 };
        run.never_sent = figures.never_sent;
        if let Some(stalls) = &mut run.stalls {
            stalls.seen = seen;
            stalls.overlapped_share = figures.met;
            stalls.sent_during = figures.closed_sent;
        }
    }
    Lesson::of(&summary).expect("the demo's arms are there").sentences()
}

fn check(figures: &Figures, expected: [&str; 3]) {
    assert_eq!(sentences(figures), expected);
}

#[test]
fn the_expected_figures_teach_the_expected_lesson() {
    check(
        &EXPECTED,
        [
            "The closed loop reports a service without stalls (p99 970 µs, 970 µs when calm): it waited \
             with the service, and sent nothing while it stood still.",
            "Users do not wait for each other. At 546/s, 2.7 % of them met a stall; the open loop asked \
             them all: its p99 rose from 5.29 ms to 84.9 ms.",
            "Of one service with the same stalls, the closed loop says 970 µs and the open loop 84.9 ms: \
             88 times as much.",
        ],
    );
}

#[test]
fn a_closed_loop_that_saw_the_stalls_is_not_said_to_have_missed_them() {
    let figures = Figures { closed: (970, 61_000), ..EXPECTED };
    let said = sentences(&figures);
    assert_eq!(
        said[0],
        "This time the closed loop did notice the stalls: its p99 rose from 970 µs to 61.0 ms."
    );
    assert_eq!(
        said[2],
        "Of one service with the same stalls, the closed loop says 61.0 ms and the open loop 84.9 ms: \
         1.4 times as much."
    );
}

#[test]
fn requests_that_the_closed_loop_did_send_are_counted() {
    let said = sentences(&Figures { closed_sent: 3, ..EXPECTED });
    assert!(said[0].ends_with("and sent 3 requests in 7 stalls while it stood still."), "{}", said[0]);
}

#[test]
fn a_p99_that_rose_by_less_than_a_stall_is_not_put_down_to_the_stalls() {
    let said = sentences(&Figures { closed: (970, 6_000), ..EXPECTED });
    assert!(said[0].contains("far less than a stall is long: something else moved it."), "{}", said[0]);
}

#[test]
fn a_p99_that_fell_is_not_put_down_to_the_stalls() {
    let said = sentences(&Figures { closed: (2_000, 970), open: (9_000, 5_000), ..EXPECTED });
    assert!(said[0].ends_with("something else moved it."), "{}", said[0]);
    assert!(said[1].ends_with("so something else moved it."), "{}", said[1]);
}

#[test]
fn stalls_too_rare_for_a_p99_are_said_to_be_so() {
    let said = sentences(&Figures { open: (5_290, 5_300), met: 0.004, ..EXPECTED });
    assert!(said[1].contains("fewer than 1 in 100, so its p99 cannot show the stalls"), "{}", said[1]);
}

#[test]
fn without_stalls_nothing_is_claimed_about_them() {
    check(
        &Figures { seen: (0, 0), ..EXPECTED },
        [
            "No stall is known to have met the closed loop, so it had none to miss.",
            "No stall is known to have met the open loop, so its p99 says nothing of stalls.",
            "Of one service without stalls that we know of, the closed loop says 970 µs and the open loop \
             84.9 ms: 88 times as much.",
        ],
    );
}

#[test]
fn agreement_and_unequal_stalls_are_told() {
    let said = sentences(&Figures { open: (900, 1_000), seen: (7, 6), never_sent: 4, ..EXPECTED });
    assert!(said[1].contains("the open loop asked all but 4 of them"), "{}", said[1]);
    assert_eq!(
        said[2],
        "Of one service with stalls (7 and 6 of them), the closed loop says 970 µs and the open loop 1.00 \
         ms: here the two agree to within a quarter."
    );
}

#[test]
fn a_closed_loop_that_reports_the_longer_wait_is_not_made_the_shorter() {
    let said = sentences(&Figures { closed: (970, 90_000), open: (900, 1_000), ..EXPECTED });
    assert!(said[2].ends_with("here the closed loop reports the longer wait."), "{}", said[2]);
}
