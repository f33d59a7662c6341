//! The claim of the open loop, on a real process that stands still: requests
//! go out as scheduled all the same, and their times count from the schedule.

mod common;

use common::{Program, Scorer, assert_all_ok, doorclock, eventually, number, only_run, text};
use engine::MonotonicClock;
use model::{Nanos, Sample};
use std::path::Path;

const RATE_PER_S: u64 = 300;
const STOP: Nanos = Nanos::from_secs(2);

/// Nothing but the stop makes a request of a `/healthz` wait this long, and
/// only those due in the last tenth of the stop wait for less.
const SLOW: Nanos = Nanos::from_millis(200);

#[test]
fn an_open_loop_keeps_its_schedule_while_the_service_is_stopped_for_two_seconds() {
    let (scorer, folder) = (Scorer::start(), tempfile::tempdir().expect("a folder"));
    let (url, out) = (scorer.url("/healthz"), folder.path().join("results"));
    let rate = format!("{RATE_PER_S}/s");
    let flags =
        [&url, "-r", &rate, "-d", "6s", "--warm-up", "0s", "--seed", "7", "--json", "--out", text(&out)];
    let tester = Program::start(&flags);
    let spool = out.join("runs/R1-open/samples.spool");
    eventually("samples in the spool", || spool.metadata().ok().filter(|file| file.len() > 1_000));

    let clock = MonotonicClock::starting_in(Nanos::ZERO);
    let stopped = scorer.stopped();
    clock.sleep_until(STOP);
    drop(stopped);

    let ended = tester.end().with_code(0);
    let summary = ended.json();
    let run = only_run(&summary);
    // Nothing is dropped and nothing fails.
    assert_all_ok(run);
    assert_eq!(number(run, "/resent"), 0, "{run:#}");
    assert_sent_on_time(run);
    // Who came as the service stopped waited for all of it, and of 1,800
    // requests about 600 came while it stood still.
    assert!(number(run, "/response_time_ns/max") >= 1_900_000_000, "{run:#}");
    assert!(number(run, "/response_time_ns/p90") >= 1_000_000_000, "{run:#}");
    let slow = samples(&out).iter().filter(|sample| sample.done - sample.scheduled > SLOW).count();
    assert!((450..800).contains(&slow), "{slow} requests met the stop");
    // Hidden from whoever looks at the folder later is it neither.
    let again = doorclock(["report", text(&out), "--format", "json"]).with_code(0).json();
    assert_eq!(again["arms"], summary["arms"]);
}

/// The kernel takes connections for a process that is stopped, so requests
/// need not wait to be sent. A busy machine may delay the tester a little; the
/// stop is longer by a factor of ten.
fn assert_sent_on_time(run: &serde_json::Value) {
    let tenth = STOP.0 / 10;
    assert!(number(run, "/lateness_ns/own/p99") < tenth, "{run:#}");
    assert!(number(run, "/lateness_ns/p99") < tenth, "{run:#}");
    assert!(number(run, "/lateness_ns/max") < STOP.0 / 2, "{run:#}");
}

fn samples(folder: &Path) -> Vec<Sample> {
    let runs = store::Folder::open(folder).and_then(|folder| folder.runs()).expect("results");
    let mut samples = Vec::new();
    runs[0].read(&mut |batch| samples.extend_from_slice(batch)).expect("samples");
    samples
}
