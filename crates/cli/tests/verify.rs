//! `doorclock verify` on results that the program itself made.

mod common;

use common::{Scorer, doorclock, number, only_run};

#[test]
fn results_are_verified_and_one_nanosecond_is_found() {
    let service = Scorer::start();
    let folder = tempfile::tempdir().expect("a folder");
    let results = folder.path().join("results");
    let results = results.to_str().expect("a path in UTF-8");
    doorclock([&service.url("/healthz"), "-r", "200/s", "-d", "2s", "--out", results]);

    let sound = doorclock(["verify", results]);
    assert_eq!(sound.code, Some(0), "{}{}", sound.stdout, sound.stderr);
    assert!(sound.stdout.contains("all as reported"), "{}", sound.stdout);

    let summary = folder.path().join("results/summary.json");
    let text = std::fs::read_to_string(&summary).expect("a summary");
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let p99 = number(only_run(&json), "/response_time_ns/p99");
    let changed = text.replacen(&format!("\"p99\": {p99}"), &format!("\"p99\": {}", p99 + 1), 1);
    assert_ne!(text, changed);
    std::fs::write(&summary, changed).expect("written");

    let found = doorclock(["verify", results]);
    assert_eq!(found.code, Some(1), "{}{}", found.stdout, found.stderr);
    let line = format!("response_time_ns.p99 is reported as {} and computed as {p99}", p99 + 1);
    assert!(found.stdout.contains(&line), "{}", found.stdout);
}
