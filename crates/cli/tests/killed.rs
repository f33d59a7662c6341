//! Nothing is lost: a tester that is killed leaves a folder that still
//! reports, and one that is told to stop ends in good order.

mod common;

use common::{Program, Scorer, assert_conservation, doorclock, eventually, number, only_run, text};
use engine::{Clock as _, MonotonicClock};
use model::Nanos;
use rustix::process::Signal;
use std::path::{Path, PathBuf};

const RATE_PER_S: u64 = 500;

/// A sample in the spool, as the store's `FORMAT.md` has it.
const ROW_BYTES: u64 = 81;

/// Samples of two seconds.
const TWO_SECONDS: u64 = 2 * RATE_PER_S * ROW_BYTES;

/// The last second may be missing, and no more.
const MAY_BE_MISSING: Nanos = Nanos::from_secs(1);

/// A tester that has run for two seconds and would for twenty.
struct UnderWay {
    tester: Program,
    out: PathBuf,
    /// Counts from when the run's folder was first seen, some 20 ms before its start.
    clock: MonotonicClock,
}

impl UnderWay {
    fn start(scorer: &Scorer, folder: &Path) -> UnderWay {
        let (url, out) = (scorer.url("/healthz"), folder.join("results"));
        let rate = format!("{RATE_PER_S}/s");
        // Evenly spaced, so that what is due by a moment is known exactly.
        let flags =
            [&url, "-r", &rate, "--arrivals", "even", "-d", "20s", "--warm-up", "0s", "--out", text(&out)];
        let tester = Program::start(&flags);
        let run = out.join("runs/R1-open");
        eventually("the run's folder", || run.join("run.json").exists().then_some(()));
        let clock = MonotonicClock::starting_in(Nanos::ZERO);
        let spool = run.join("samples.spool");
        eventually("two seconds of samples", || {
            spool.metadata().ok().filter(|file| file.len() > TWO_SECONDS)
        });
        UnderWay { tester, out, clock }
    }
}

#[test]
fn a_tester_killed_in_mid_run_loses_at_most_its_last_second() {
    let (scorer, folder) = (Scorer::start(), tempfile::tempdir().expect("a folder"));
    let UnderWay { tester, out, clock } = UnderWay::start(&scorer, folder.path());
    tester.signal(Signal::KILL);
    let killed_at = clock.now();
    assert_eq!(tester.end().code, None, "ended by the signal");

    let said = doorclock(["report", text(&out)]).with_code(0);
    assert!(said.stdout.contains("the tester was killed"), "{said:#?}");
    let summary = doorclock(["report", text(&out), "--format", "json"]).with_code(0).json();
    let run = only_run(&summary);
    assert_eq!(run["interrupted"], true, "{run:#}");
    assert_ne!(run["verdict"], "valid", "{run:#}");
    let lead = Nanos::from_millis(50);
    let due = |by: Nanos| by.0 * RATE_PER_S / Nanos::from_secs(1).0;
    let at_least = due(killed_at.saturating_sub(MAY_BE_MISSING + lead));
    let kept = number(run, "/scheduled");
    assert!(kept >= at_least, "{kept} of at least {at_least} by {killed_at}");
    assert_eq!(number(run, "/response_time_ns/n"), kept);

    a_byte_changed_in_the_spool_is_found(&out);
}

/// The samples of a killed tester have no manifest to hold them; their
/// checksums do.
fn a_byte_changed_in_the_spool_is_found(out: &Path) {
    let spool = out.join("runs/R1-open/samples.spool");
    let mut bytes = std::fs::read(&spool).expect("a spool");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&spool, bytes).expect("written");
    doorclock(["report", text(out)]).fails_with(3, &["samples.spool is damaged at byte"]);
}

#[test]
fn a_tester_told_to_stop_keeps_seals_and_reports_what_it_measured() {
    for signal in [Signal::INT, Signal::TERM] {
        let (scorer, folder) = (Scorer::start(), tempfile::tempdir().expect("a folder"));
        let UnderWay { tester, out, clock } = UnderWay::start(&scorer, folder.path());
        let told_at = clock.now();
        tester.signal(signal);
        let said = tester.end().with_code(130);
        assert!(said.stdout.contains("it was interrupted after"), "{said:#?}");
        assert!(said.stdout.contains(text(&out)), "{said:#?}");

        let again = doorclock(["report", text(&out), "--format", "json"]).with_code(0);
        assert_eq!(again.stderr, "", "sealed and whole: nothing to remark");
        let summary = again.json();
        let run = only_run(&summary);
        assert_eq!(run["interrupted"], true, "{run:#}");
        assert_conservation(run);
        // It stops at once (a second, on a machine with much else to do), and
        // nothing that was due by then is missing.
        let measured_s = run["duration_s"].as_f64().expect("a length");
        assert!(measured_s <= told_at.as_secs_f64() + 1.0, "told at {told_at}: {run:#}");
        let due = measured_s * RATE_PER_S as f64;
        assert!((number(run, "/scheduled") as f64 - due).abs() <= 2.0, "{due}: {run:#}");
    }
}

#[test]
fn a_demo_told_to_stop_keeps_the_runs_it_has() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("results");
    let demo = Program::start(&["demo", "--json", "--out", text(&out)]);
    let spool = out.join("runs/R1-closed-1-calm/samples.spool");
    // A closed loop on 0.9 ms of work has left its warm-up of 0.8 s behind by then.
    eventually("2,000 samples", || spool.metadata().ok().filter(|file| file.len() > 2_000 * ROW_BYTES));
    demo.signal(Signal::INT);
    let ended = demo.end().with_code(130);
    let summary = ended.json();
    assert_eq!(only_run(&summary)["interrupted"], true, "{summary:#}");
    let again = doorclock(["report", text(&out), "--format", "json"]).with_code(0).json();
    assert_eq!(again, summary);
}
