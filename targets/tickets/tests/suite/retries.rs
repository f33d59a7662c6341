//! What the worker does when the provider refuses or fails.

use std::time::Duration;

use serde_json::json;

use crate::client::{accepted, ended, metric, patiently, post, ticket};
use crate::parts::Parts;
use crate::process::Process;
use crate::providers::Scripted;

over_both! {
    the_worker_comes_back_when_it_was_told_to_and_not_before,
    a_ticket_that_fails_too_often_is_dead_and_others_are_not,
    failures_now_and_then_cost_tries_and_no_tickets,
    a_small_quota_slows_replies_and_loses_none,
    a_provider_that_is_away_is_tried_again,
    a_job_that_takes_longer_than_its_lease_stays_with_its_worker,
}

const ONE_SLOT: [&str; 4] = ["--slots", "1", "--first-pause", "10ms"];

fn the_worker_comes_back_when_it_was_told_to_and_not_before(parts: &Parts) {
    let api = Process::api(parts, &[]);
    // Two refusals in seconds, one in milliseconds, then both answers.
    let provider = Scripted::new(|path, number| match number {
        0 | 1 => ("429 Too Many Requests\r\nretry-after: 1".to_owned(), json!({})),
        2 => ("429 Too Many Requests\r\nretry-after: 9\r\nretry-after-ms: 300".to_owned(), json!({})),
        _ if path == "/classify" => ("200 OK".to_owned(), json!({ "category": "other" })),
        _ => ("200 OK".to_owned(), json!({ "reply": "Hello." })),
    });
    let _worker = Process::worker(parts, &provider.address, &ONE_SLOT);
    let ticket = ended(&api.address, accepted(&post(&api.address, "/tickets", &ticket(1))));
    assert_eq!((&ticket["reply"], &ticket["tries"]), (&json!("Hello."), &json!(1)));
    let gaps = provider.gaps();
    let named = [1_000, 1_000, 300].map(Duration::from_millis);
    assert_eq!(gaps.len(), 4, "{gaps:?}");
    for (gap, named) in gaps.iter().zip(named) {
        assert!(*gap >= named, "came back after {gap:?}, told {named:?}");
        // Jitter is a quarter; the rest is what a busy machine may take.
        assert!(*gap < named * 5 / 4 + Duration::from_secs(2), "came back only after {gap:?}");
    }
    assert_eq!(metric(&api.address, "tickets_provider_refusals_total"), 3.0);
    assert_eq!(metric(&api.address, "tickets_provider_calls_total"), 2.0);
}

fn a_ticket_that_fails_too_often_is_dead_and_others_are_not(parts: &Parts) {
    let flags = ["--provider-speed", "100", "--tries", "3", "--first-pause", "10ms"];
    let service = Process::all(parts, &flags);
    let mut bad = ticket(1);
    bad["subject"] = json!("[unanswerable]");
    let bad = accepted(&post(&service.address, "/tickets", &bad));
    let good = accepted(&post(&service.address, "/tickets", &ticket(2)));
    let dead = ended(&service.address, bad);
    assert_eq!((&dead["state"], &dead["tries"], &dead["reply"]), (&json!("dead"), &json!(3), &json!(null)));
    let error = dead["error"].as_str().expect("a reason");
    assert!(error.starts_with("/classify: answered 500"), "{error}");
    assert_eq!(ended(&service.address, good)["state"], "succeeded");
    assert_eq!(metric(&service.address, "tickets_dead_total"), 1.0);
    assert_eq!(metric(&service.address, "tickets_provider_calls_total"), 5.0);
}

fn failures_now_and_then_cost_tries_and_no_tickets(parts: &Parts) {
    let flags = [
        "--provider-speed",
        "200",
        "--provider-burst",
        "100000",
        "--provider-fail-share",
        "0.3",
        "--tries",
        "60",
        "--first-pause",
        "1ms",
        "--customer-burst",
        "100000",
    ];
    let service = Process::all(parts, &flags);
    for _ in 0..30 {
        accepted(&post(&service.address, "/tickets", &ticket(1)));
    }
    patiently("all are done", || (metric(&service.address, "tickets_done_total") == 30.0).then_some(()));
    assert_eq!(parts.number("SELECT count(*) FROM replies"), 30);
    assert!(parts.number("SELECT CAST(sum(tries) AS BIGINT) FROM jobs") > 30, "nothing failed");
    // Every failed call cost one try, and a kept category was not paid for twice.
    let calls = parts.number("SELECT CAST(sum(calls) AS BIGINT) FROM jobs");
    let tries = parts.number("SELECT CAST(sum(tries) AS BIGINT) FROM jobs");
    assert_eq!(calls, 60 + tries - 30);
}

/// 600 calls a minute, and ten at once: 20 tickets need 40 calls, 30 of them
/// refilled at ten a second.
fn a_small_quota_slows_replies_and_loses_none(parts: &Parts) {
    let flags = [
        "--provider-speed",
        "100",
        "--provider-burst",
        "10",
        "--provider-calls-per-min",
        "600",
        "--customer-burst",
        "100000",
    ];
    let service = Process::all(parts, &flags);
    let ids: Vec<i64> = (0..20).map(|_| accepted(&post(&service.address, "/tickets", &ticket(1)))).collect();
    patiently("all are done", || (metric(&service.address, "tickets_done_total") == 20.0).then_some(()));
    let took_ms = parts.number("SELECT max(finished_ms) - min(created_ms) FROM jobs");
    assert!((2_900..20_000).contains(&took_ms), "took {took_ms} ms");
    assert_eq!(parts.number("SELECT CAST(sum(calls) AS BIGINT) FROM jobs"), 40);
    assert_eq!(parts.number("SELECT max(tries) FROM jobs"), 1, "a refusal is no try");
    assert!(parts.number("SELECT CAST(sum(refusals) AS BIGINT) FROM jobs") > 0);
    assert_eq!(ids.len(), 20);
}

fn a_provider_that_is_away_is_tried_again(parts: &Parts) {
    let api = Process::api(parts, &[]);
    let provider = Process::provider(&["--provider-speed", "100"]);
    let address = provider.address.clone();
    provider.kill();
    let _worker = Process::worker(parts, &address, &["--first-pause", "50ms", "--tries", "1000"]);
    let id = accepted(&post(&api.address, "/tickets", &ticket(1)));
    patiently("it was tried in vain", || {
        (parts.number("SELECT count(*) FROM jobs WHERE tries >= 2 AND error IS NOT NULL") == 1).then_some(())
    });
    let _provider = Process::provider(&["--provider-address", &address, "--provider-speed", "100"]);
    let ticket = ended(&api.address, id);
    assert_eq!((&ticket["state"], &ticket["error"]), (&json!("succeeded"), &json!(null)));
}

fn a_job_that_takes_longer_than_its_lease_stays_with_its_worker(parts: &Parts) {
    // Some 1.2 s a ticket, four leases long.
    let service = Process::all(parts, &["--lease", "300ms", "--provider-speed", "2"]);
    let id = accepted(&post(&service.address, "/tickets", &ticket(1)));
    let ticket = ended(&service.address, id);
    assert_eq!((&ticket["state"], &ticket["tries"]), (&json!("succeeded"), &json!(1)));
    let took_ms = parts.number("SELECT max(finished_ms - started_ms) FROM jobs");
    assert!(took_ms > 600, "took {took_ms} ms, no longer than two leases");
}
