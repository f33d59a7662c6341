//! Both computations come to the same, for every kind of run.

use crate::{common, planned};
use doorclock_verify::{VerifyError, verify};
use serde_json::Value;
use std::fs;
use std::path::Path;

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
    let summary = summary(folder.path());
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
fn both_computations_agree_on_a_planned_experiment_that_was_interrupted() {
    let folder = tempfile::tempdir().expect("a folder");
    planned::write(folder.path(), &planned::runs(), None);
    let found = verify(folder.path()).expect("a sound folder");
    assert_eq!(found.mismatches, []);
    assert_eq!(found.damage, []);
    // One guess is late.
    assert_eq!(found.not_checked.len(), 4, "{:?}", found.not_checked);
    assert!(found.checked > 15_000, "{}", found.checked);
}

#[test]
fn the_experiment_shows_every_kind_of_number_that_several_runs_make() {
    let folder = tempfile::tempdir().expect("a folder");
    planned::write(folder.path(), &planned::runs(), None);
    let summary = summary(folder.path());
    assert_eq!((summary["planned_runs"].as_u64(), summary["verdict"].as_str()), (Some(48), Some("void")));
    let rounds: Vec<u64> = (0..6).filter_map(|at| summary["comparisons"][at]["rounds"].as_u64()).collect();
    assert_eq!(rounds, [5, 6, 5, 6, 5, 0]);
    assert!(summary["comparisons"][1]["p_holm"].is_f64());
    assert_eq!(summary["comparisons"][5]["told_apart"], Value::Null);
    assert_eq!(summary["bounds"][0]["highest"]["arm"], "open-again");
    assert_eq!(summary["bounds"][0]["unbounded"]["arm"], "closed");
    let arm = |name: &str| &summary["arms"][name];
    assert_eq!(arm("open-again")["pooled_response_time_ns"]["censored"], 0);
    assert_eq!(arm("wrk")["pooled_response_time_ns"], Value::Null);
    assert!(arm("open")["windows"]["any_ns"][1].is_u64());
    assert_eq!(arm("open")["runs"][4]["verdict"], "void");
    for name in ["paced", "locust"] {
        assert!(arm(name)["runs"][0]["corrected_p99_ns"]["replay"].is_u64(), "{name}");
    }
    assert_eq!(arm("locust")["runs"][0]["lateness_ns"]["n"], 0);
    assert_eq!(arm("wrk")["runs"][1]["told"]["requests"], 1_502);
    assert_eq!(arm("command")["runs"][0]["verdict"], "void");
    assert!(folder.path().join("interrupted").is_dir());
}

/// No closed loop tells the capacity, so it comes from what was out when stalls ended.
#[test]
fn a_replay_by_what_stalls_left_behind_agrees() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut run = common::looped("paced", common::paced(), true, true);
    run.facts.capacity_per_s = None;
    common::write(folder.path(), &[run], None);
    assert!(summary(folder.path())["arms"]["paced"]["runs"][0]["corrected_p99_ns"]["replay"].is_u64());
    assert_eq!(verify(folder.path()).expect("a sound folder").mismatches, []);
}

#[test]
fn near_the_capacity_no_correction_is_agreed_upon() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut run = common::looped("paced", common::paced(), true, true);
    run.facts.capacity_per_s = Some(320.0);
    common::write(folder.path(), &[run], None);
    let corrected = &summary(folder.path())["arms"]["paced"]["runs"][0]["corrected_p99_ns"];
    for name in ["hdr", "utilisation", "replay"] {
        assert_eq!(corrected[name], Value::Null, "{name}");
    }
    assert_eq!(verify(folder.path()).expect("a sound folder").mismatches, []);
}

#[test]
fn a_plan_edited_since_is_told_and_makes_no_number_wrong() {
    let folder = tempfile::tempdir().expect("a folder");
    planned::write(folder.path(), &planned::runs(), None);
    let kept = store::Folder::open(folder.path()).expect("a results folder");
    kept.write_text("plan.toml", &format!("{}# edited\n", planned::PLAN)).expect("space");
    common::seal(&kept);
    let found = verify(folder.path()).expect("a readable folder");
    assert!(found.is_sound());
    let is_told = |says: &String| says.starts_with("plan.toml: it was edited");
    assert!(found.not_checked.iter().any(is_told), "{:?}", found.not_checked);
}

#[test]
fn a_page_without_figures_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    common::write(folder.path(), &common::some(), None);
    let kept = store::Folder::open(folder.path()).expect("a results folder");
    kept.write_text("report.html", "<!doctype html>\n").expect("space");
    common::seal(&kept);
    let found = verify(folder.path()).expect("a readable folder");
    assert!(found.is_sound());
    assert_eq!(found.not_checked[0], "report.html: it carries no figures to compare");
}

fn summary(folder: &Path) -> Value {
    let text = fs::read_to_string(folder.join("summary.json")).expect("a summary");
    serde_json::from_str(&text).expect("JSON")
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
