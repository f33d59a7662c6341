//! Both computations come to the same, for every kind of run.

use crate::common;
use doorclock_verify::{VerifyError, verify};
use serde_json::Value;
use std::fs;

#[test]
fn both_computations_agree_on_every_kind_of_run() {
    let folder = tempfile::tempdir().expect("a folder");
    common::write(folder.path(), &common::all(), None);
    let found = verify(folder.path()).expect("a sound folder");
    assert_eq!(found.mismatches, []);
    assert_eq!(found.damage, []);
    assert!(found.is_sound());
    assert!(found.checked > 1000, "{}", found.checked);
}

/// A number added to the summary must be computed here too, or be told.
#[test]
fn no_reported_number_goes_unchecked() {
    let folder = tempfile::tempdir().expect("a folder");
    common::write(folder.path(), &common::all(), None);
    let found = verify(folder.path()).expect("a sound folder");
    // What remains are words, told once for the whole folder.
    assert_eq!(found.not_checked.len(), 3, "{:?}", found.not_checked);
}

/// Agreement on numbers that are all unknown would say little.
#[test]
fn the_runs_show_every_kind_of_number() {
    let folder = tempfile::tempdir().expect("a folder");
    common::write(folder.path(), &common::all(), None);
    let text = fs::read_to_string(folder.path().join("summary.json")).expect("a summary");
    let summary: Value = serde_json::from_str(&text).expect("JSON");
    let run = |arm: &str| summary["arms"][arm]["runs"][0].clone();
    for (arm, kept_up) in [("calm", "yes"), ("slow", "no"), ("closed", "cannot tell")] {
        assert_eq!(run(arm)["kept_up"], kept_up, "{arm}");
    }
    for (arm, verdict) in [("nothing", "void"), ("failing", "doubtful"), ("paced", "doubtful")] {
        assert_eq!(run(arm)["verdict"], verdict, "{arm}");
    }
    for arm in ["paced", "paced-untold"] {
        let corrected = &run(arm)["corrected_p99_ns"];
        assert!(corrected["hdr"].is_u64() && corrected["utilisation"].is_u64(), "{arm}: {corrected}");
    }
    assert!(run("closed")["corrected_p99_ns"]["hdr"].is_u64());
    assert!(run("paced-calm")["corrected_p99_ns"]["hdr"].is_null());
    assert!(run("calm")["corrected_p99_ns"].is_null());
    assert!(run("calm")["response_time_ns"]["p99_high"].is_u64());
    assert!(run("failing")["response_time_ns"]["p99_high"].is_null());
    assert!(run("censored")["never_sent"].as_u64() > Some(0));
    assert!(run("censored")["unfinished"].as_u64() > Some(0));
    assert!(run("paced")["stalls"]["sent_during"].as_u64() > Some(0));
}

#[test]
fn a_killed_run_is_an_error_that_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = store::Folder::create(folder.path()).expect("an empty folder");
    let run = &common::some()[0];
    let mut writer = store.start_run(&run.facts).expect("a new run");
    writer.append(&run.samples[..100]).expect("space");
    drop(writer);
    let error = verify(folder.path()).expect_err("a killed run has no summary");
    assert!(matches!(error, VerifyError::NoSummary { .. }), "{error:?}");
    assert!(error.to_string().contains("has no summary.json"), "{error}");

    // The same beside a summary that someone has put there.
    store.write_text("summary.json", "{\"format\": 1, \"arms\": {}}").expect("space");
    let error = verify(folder.path()).expect_err("a killed run has no end");
    assert!(matches!(error, VerifyError::NoEnd { .. }), "{error:?}");
}
