//! `doorclock calibrate`, and what later runs make of it.

mod common;

use common::{Ended, only_run, text};
use serde_json::Value;
use std::path::Path;

/// Runs doorclock as a user whose state lies in this folder.
fn with_state(state: &Path, args: &[&str]) -> Ended {
    let given = [&[text(state)], args].concat();
    common::script_in(&["sh"], r#"XDG_STATE_HOME="$1"; export XDG_STATE_HOME; shift; exec "$0" "$@""#, &given)
}

fn codes(run: &Value) -> Vec<&str> {
    let doubts = run["doubts"].as_array().expect("doubts");
    doubts.iter().filter_map(|doubt| doubt["code"].as_str()).collect()
}

#[test]
fn what_it_finds_is_kept_and_later_runs_are_held_against_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let (state, out) = (folder.path().join("state"), folder.path().join("out"));
    let ended = with_state(&state, &["calibrate", "--json", "--out", text(&out)]);
    // On a machine with much else to do it may find that nothing can be trusted.
    assert!(matches!(ended.code, Some(0 | 1)), "{ended:#?}");
    let found = ended.json();
    let per_s = found["trusted_per_s"].as_f64().expect("a rate");
    assert_eq!(per_s > 0.0, ended.code == Some(0), "{found:#}");
    let steps = found["steps"].as_array().expect("steps");
    assert!(steps.len() >= 2 && steps[0]["per_s"] == 1_000.0, "{found:#}");
    assert!(found["clock_cost_ns"].as_f64() > Some(0.0), "{found:#}");
    let late = |which: &str| found[which]["p99"].as_u64().expect("a time");
    assert!(late("waits_late_ns") > late("waits_late_spinning_ns") / 100, "{found:#}");
    assert!(ended.stderr.contains("This machine can"), "{ended:#?}");
    common::doorclock(["verify", text(&out)]).with_code(0);

    // The same machine with a calibration that any rate is beyond, and with one that none is.
    let file = state.join("doorclock/calibration.json");
    let kept: Value = serde_json::from_str(&std::fs::read_to_string(&file).expect("kept")).expect("JSON");
    assert_eq!(kept["per_s"].as_f64(), Some(per_s));
    let scorer = common::Scorer::start();
    let url = scorer.url("/healthz");
    for (at, (trusted, doubted)) in [(20.0, true), (1e6, false)].into_iter().enumerate() {
        let mut changed = kept.clone();
        changed["per_s"] = trusted.into();
        std::fs::write(&file, changed.to_string()).expect("written");
        let out = folder.path().join(at.to_string());
        let run = ["-r", "50/s", "-d", "500ms", "--json", "--out", text(&out)];
        let summary = with_state(&state, &[&[url.as_str()], &run[..]].concat()).with_code(0).json();
        assert_eq!(codes(only_run(&summary)).contains(&"beyond-calibration"), doubted, "{summary:#}");
        let report = common::doorclock(["report", text(&out)]).with_code(0).stdout;
        assert!(report.contains("this machine can be trusted to"), "{report}");
    }

    // Another machine's says nothing here, and neither does a file that is none.
    for text in [kept.to_string().replace("\"cores\":", "\"cores\":9"), "nonsense".to_owned()] {
        std::fs::write(&file, text).expect("written");
        let out = folder.path().join("other");
        let _ = std::fs::remove_dir_all(&out);
        let run = ["-r", "50/s", "-d", "300ms", "--json", "--out", common::text(&out)];
        let summary = with_state(&state, &[&[url.as_str()], &run[..]].concat()).with_code(0).json();
        assert!(!codes(only_run(&summary)).contains(&"beyond-calibration"), "{summary:#}");
    }
}

#[test]
fn what_cannot_be_kept_is_said_and_the_runs_are_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    std::fs::write(&file, "in the way").expect("written");
    let out = folder.path().join("out");
    let ended = with_state(&file, &["calibrate", "--out", text(&out)]).with_code(3);
    assert!(ended.stderr.contains("error: what was found cannot be kept"), "{ended:#?}");
    assert!(out.join("summary.json").is_file());
}
