//! Stopping in good order, and starting wrongly.

use std::process::Command;

use crate::client::{accepted, ended, metric, patiently, post, ticket};
use crate::parts::Parts;
use crate::process::Process;

over_both! {
    a_worker_told_to_stop_finishes_the_jobs_it_has,
    a_worker_without_time_gives_its_jobs_back_as_they_were,
    reset_and_flush_work_from_the_command_line,
}

/// Ten tickets in the queue, and a worker that has taken four of them.
fn at_work(parts: &Parts, api: &Process, provider: &Process, flags: &[&str]) -> Process {
    for _ in 0..10 {
        accepted(&post(&api.address, "/tickets", &ticket(1)));
    }
    let worker = Process::worker(parts, &provider.address, flags);
    patiently("it has four jobs", || (metric(&api.address, "tickets_running") == 4.0).then_some(()));
    worker
}

fn a_worker_told_to_stop_finishes_the_jobs_it_has(parts: &Parts) {
    let api = Process::api(parts, &["--customer-burst", "100"]);
    let provider = Process::provider(&["--provider-speed", "4"]);
    let worker = at_work(parts, &api, &provider, &[]);
    assert!(worker.terminate().success());
    let done = metric(&api.address, "tickets_done_total");
    assert_eq!((metric(&api.address, "tickets_queued"), done), (6.0, 4.0));
    assert_eq!(metric(&api.address, "tickets_running"), 0.0);
}

fn a_worker_without_time_gives_its_jobs_back_as_they_were(parts: &Parts) {
    let api = Process::api(parts, &["--customer-burst", "100"]);
    let slow = Process::provider(&["--provider-speed", "0.01"]);
    let worker = at_work(parts, &api, &slow, &["--grace", "50ms"]);
    assert!(worker.terminate().success());
    assert_eq!(metric(&api.address, "tickets_ready"), 10.0);
    assert_eq!(parts.number("SELECT max(tries) FROM jobs"), 0, "to be stopped is no failed try");
    assert_eq!(parts.number("SELECT count(*) FROM jobs WHERE error IS NOT NULL"), 0);
    let fast = Process::provider(&["--provider-speed", "100"]);
    let _worker = Process::worker(parts, &fast.address, &[]);
    assert_eq!(ended(&api.address, 1)["state"], "succeeded");
}

fn reset_and_flush_work_from_the_command_line(parts: &Parts) {
    let api = Process::api(parts, &["--customer-burst", "1"]);
    let provider = Process::provider(&["--provider-burst", "1", "--provider-speed", "1000"]);
    let url = |process: &Process| format!("http://{}", process.address);
    let tickets = |words: &[&str]| {
        let done = Command::new(env!("CARGO_BIN_EXE_tickets")).args(words).output().expect("it runs");
        assert!(done.status.success(), "{words:?}: {done:?}");
    };
    accepted(&post(&api.address, "/tickets", &ticket(1)));
    assert_eq!(post(&api.address, "/tickets", &ticket(1)).status, 429);
    tickets(&["flush", "--api", &url(&api)]);
    accepted(&post(&api.address, "/tickets", &ticket(1)));

    let classify = || post(&provider.address, "/classify", &serde_json::json!({ "text": "x" })).status;
    assert_eq!((classify(), classify()), (200, 429));
    tickets(&["reset", "--api", &url(&api), "--provider", &url(&provider)]);
    assert_eq!(classify(), 200);
    assert_eq!(parts.number("SELECT count(*) FROM tickets"), 0);

    // Without an API to ask, the parts themselves.
    accepted(&post(&api.address, "/tickets", &ticket(1)));
    let flags = parts.flags();
    let words: Vec<&str> = std::iter::once("reset").chain(flags.iter().map(String::as_str)).collect();
    tickets(&words);
    assert_eq!(parts.number("SELECT count(*) FROM tickets"), 0);
}

#[test]
fn every_process_ends_cleanly_by_signal_and_with_who_started_it() {
    let parts = Parts::embedded();
    let start = |number: usize| match number {
        0 => Process::all(&parts, &[]),
        1 => Process::api(&parts, &[]),
        2 => Process::worker(&parts, "127.0.0.1:1", &[]),
        _ => Process::provider(&[]),
    };
    for number in 0..4 {
        assert!(start(number).terminate().success(), "process {number}");
        assert!(start(number).orphan().success(), "process {number}");
    }
}

#[test]
fn what_cannot_start_says_why_and_ends_with_the_documented_code() {
    let taken = Process::provider(&[]);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    std::fs::write(&file, "").expect("a file");
    let file = file.to_str().expect("a path in UTF-8");
    let cases: [(&[&str], i32, &str); 6] = [
        (&["provider", "--provider-address", &taken.address], 4, "is in use by another process"),
        (&["api", "--port", "0", "--data", file], 4, "cannot use the data folder"),
        (&["api", "--port", "0", "--database", "mysql://x"], 2, "--database is no URL of PostgreSQL"),
        (&["api", "--port", "0", "--cache", "x"], 2, "`x` is no address of a cache"),
        (&["worker", "--provider", "https://x"], 2, "does not begin with http://"),
        (&["flush"], 2, "say which cache"),
    ];
    for (words, code, why) in cases {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tickets"));
        let done = command.args(words).current_dir(folder.path()).output().expect("it runs");
        let said = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(code), "{words:?}: {said}");
        assert!(said.starts_with("error: ") && said.contains(why), "{words:?}: {said}");
    }
}
