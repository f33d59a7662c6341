//! `doorclock watch`: what a service that runs already says of itself, and no load.

mod common;

use common::plans::Plan;
use common::{Program, Scorer, doorclock, eventually, text};
use rustix::process::Signal;
use serde_json::Value;
use std::path::Path;

/// A plan whose readings ask a scorer that somebody else has started.
fn watching(scorer: &Scorer, folder: &Path, readings: &str) -> Plan {
    let head = format!(
        r#"
        question = "how is it?"
        [target]
        url = "{}"
        [request]
        path = "/healthz"
        [arm.a]
        open = {{ rate = "10/s" }}
        "#,
        scorer.url("")
    );
    Plan::write_whole(folder, &format!("{head}{readings}"))
}

const BOTH: &str = r#"
    [readings.queue]
    every   = "100ms"
    command = "echo 12"
    [readings.service]
    every   = "100ms"
    process = { target = true }
"#;

#[test]
fn it_tells_each_answer_in_a_line_until_its_time_is_over() {
    let (scorer, folder) = (Scorer::start(), tempfile::tempdir().expect("a folder"));
    let plan = watching(&scorer, folder.path(), BOTH);
    let ended = doorclock(["watch", plan.path(), "--for", "1s"]).with_code(0);
    let of = |name: &str| ended.stdout.lines().filter(|line| line.contains(name)).count();
    assert!(of(" queue: 12") > 3, "{ended:#?}");
    // The service was not started by us: it is found by the port that it listens on.
    assert!(of(" service: ") > 3 && of("threads ") > 3 && of(" no ") == 0, "{ended:#?}");
    assert_eq!(ended.stdout.lines().count(), of(" queue: ") + of(" service: "), "{ended:#?}");
    assert!(!folder.path().join("results").exists());
}

#[test]
fn for_machines_each_answer_is_a_line_of_json() {
    let (scorer, folder) = (Scorer::start(), tempfile::tempdir().expect("a folder"));
    let plan = watching(&scorer, folder.path(), BOTH);
    let ended = doorclock(["watch", plan.path(), "--for", "500ms", "--json"]).with_code(0);
    let answers: Vec<Value> =
        ended.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let queue = answers.iter().find(|one| one["reading"] == "queue").expect("the queue");
    assert_eq!((&queue["values"]["value"], &queue["gaps"]), (&Value::from(12.0), &serde_json::json!({})));
    assert!(queue["asked_s"].as_f64() <= queue["answered_s"].as_f64(), "{queue}");
    assert!(answers.iter().any(|one| one["values"]["rss_bytes"].as_f64() > Some(1e6)), "{ended:#?}");
}

#[test]
fn ctrl_c_is_how_it_is_meant_to_end_where_no_time_was_given() {
    let (scorer, folder) = (Scorer::start(), tempfile::tempdir().expect("a folder"));
    let seen = folder.path().join("seen");
    let readings =
        format!("[readings.queue]\nevery = \"50ms\"\ncommand = \"echo 12 | tee -a {}\"", text(&seen));
    let plan = watching(&scorer, folder.path(), &readings);
    for (flags, code) in [(&[][..], 0), (&["--for", "60s"], 130)] {
        let _ = std::fs::remove_file(&seen);
        let program = Program::start(&[&["watch", plan.path()], flags].concat());
        // Twice asked: the first answer has been told.
        eventually("two answers", || {
            std::fs::read_to_string(&seen).is_ok_and(|text| text.lines().count() > 1).then_some(())
        });
        program.signal(Signal::INT);
        let ended = program.end().with_code(code);
        assert!(ended.stdout.contains("queue: 12"), "{ended:#?}");
    }
}

#[test]
fn a_watch_that_can_see_nothing_says_so() {
    let (scorer, folder) = (Scorer::start(), tempfile::tempdir().expect("a folder"));
    let none = watching(&scorer, folder.path(), "");
    doorclock(["watch", none.path()]).fails_with(2, &["has no [readings.NAME] to watch"]);
    let down = r#"
        [readings.jobs]
        every = "100ms"
        sql   = { url = "postgres://nobody@127.0.0.1:1/x", query = "select 1" }
    "#;
    let down = watching(&scorer, folder.path(), down);
    let ended = doorclock(["watch", down.path(), "--for", "300ms"]).with_code(4);
    assert!(ended.stdout.contains("jobs: ") && ended.stdout.contains("refused"), "{ended:#?}");
    assert!(ended.stderr.contains("error: nothing was read: jobs never gave a number"), "{ended:#?}");
    doorclock(["watch", "/no/such/plan.toml"]).fails_with(2, &["/no/such/plan.toml"]);
}
