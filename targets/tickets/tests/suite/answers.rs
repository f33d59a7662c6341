//! What the API answers.

use std::collections::BTreeSet;
use std::thread;

use serde_json::{Value, json};

use crate::client::{Answer, accepted, ask, ended, get, metric, patiently, post, ticket};
use crate::parts::Parts;
use crate::process::Process;

/// A provider so fast that tests need not wait for it.
const FAST: [&str; 2] = ["--provider-speed", "100"];
/// Customers who may send as much as they like.
const UNLIMITED: [&str; 2] = ["--customer-burst", "100000"];

over_both! {
    a_ticket_is_accepted_and_gets_its_reply,
    the_same_key_and_ticket_is_the_same_ticket_and_another_is_refused,
    one_key_sent_by_many_at_once_makes_one_ticket,
    attachments_come_back_byte_for_byte,
    what_cannot_be_accepted_is_refused_with_its_reason_in_json,
    a_customer_who_sends_too_much_is_told_when_to_come_back_and_others_are_not,
    the_pages_numbers_are_those_of_the_database,
    a_reset_goes_back_to_the_seeded_data_set,
}

fn with_key(address: &str, key: &str, body: &Value) -> Answer {
    ask(address, "POST", "/tickets", &[("idempotency-key", key)], body.to_string().as_bytes())
}

fn a_ticket_is_accepted_and_gets_its_reply(parts: &Parts) {
    let service = Process::all(parts, &FAST);
    let id = accepted(&post(&service.address, "/tickets", &ticket(1)));
    let ticket = ended(&service.address, id);
    assert_eq!(ticket["state"], "succeeded", "{ticket}");
    assert_eq!((&ticket["category"], &ticket["tries"]), (&json!("delivery"), &json!(1)));
    // The seeded shop's first customer.
    let name = get(&service.address, "/customers").text();
    let name = name.lines().nth(1).and_then(|line| line.split(',').nth(1)).expect("a name").to_owned();
    assert!(ticket["reply"].as_str().expect("a reply").starts_with(&format!("Dear {name},")), "{ticket}");
    let time = |name: &str| ticket[name].as_i64().unwrap_or_else(|| panic!("no {name} in {ticket}"));
    assert!(time("created_ms") <= time("started_ms") && time("started_ms") < time("finished_ms"));
    assert_eq!(get(&service.address, "/healthz").text(), "ok\n");
}

fn the_same_key_and_ticket_is_the_same_ticket_and_another_is_refused(parts: &Parts) {
    let api = Process::api(parts, &UNLIMITED);
    let first = with_key(&api.address, "k-1", &ticket(1));
    let again = with_key(&api.address, "k-1", &ticket(1));
    accepted(&first);
    assert_eq!((again.status, &again.body), (202, &first.body));
    assert_eq!(again.header("location"), first.header("location"));
    let other = with_key(&api.address, "k-1", &ticket(2));
    assert_eq!(other.status, 422, "{other:?}");
    assert!(other.error().contains("another ticket"));
    assert_ne!(accepted(&with_key(&api.address, "k-2", &ticket(1))), accepted(&first));
    assert_eq!(parts.number("SELECT count(*) FROM tickets"), 2);
    assert_eq!(parts.number("SELECT count(*) FROM jobs"), 2);
}

fn one_key_sent_by_many_at_once_makes_one_ticket(parts: &Parts) {
    let api = Process::api(parts, &UNLIMITED);
    for round in 0..5 {
        let key = format!("round-{round}");
        let ids: BTreeSet<i64> = thread::scope(|scope| {
            let askers: Vec<_> =
                (0..8).map(|_| scope.spawn(|| accepted(&with_key(&api.address, &key, &ticket(1))))).collect();
            askers.into_iter().map(|asker| asker.join().expect("no panic")).collect()
        });
        assert_eq!(ids.len(), 1, "{ids:?}");
        assert_eq!(parts.number("SELECT count(*) FROM tickets"), round + 1);
    }
    assert_eq!(metric(&api.address, "tickets_answers_202_total") as i64, 40);
    assert_eq!(metric(&api.address, "tickets_answers_202_repeated_total") as i64, 35);
}

fn attachments_come_back_byte_for_byte(parts: &Parts) {
    let api = Process::api(parts, &UNLIMITED);
    let mut sent = ticket(1);
    // "\0\xff\r\nx"
    sent["attachment"] = json!({ "name": "raw.bin", "base64": "AP8NCng=" });
    let id = accepted(&post(&api.address, "/tickets", &sent));
    let path = |name: &str| format!("/tickets/{id}/attachments/{name}");
    assert_eq!(get(&api.address, &path("raw.bin")).body, b"\0\xff\r\nx");

    let all_bytes: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    let put = |name: &str, body: &[u8]| {
        ask(&api.address, "PUT", &path(name), &[("content-type", "image/jpeg")], body)
    };
    assert_eq!(put("my%20photo.jpg", &all_bytes).status, 201);
    let photo = get(&api.address, &path("my%20photo.jpg"));
    assert_eq!((photo.header("content-type"), &photo.body), (Some("image/jpeg"), &all_bytes));
    assert_eq!(put("raw.bin", b"new").status, 201);
    assert_eq!(get(&api.address, &path("raw.bin")).body, b"new");
    let names = get(&api.address, &format!("/tickets/{id}")).json()["attachments"].clone();
    assert_eq!(names[0]["name"], "my photo.jpg");
    assert_eq!((&names[1]["name"], &names[1]["bytes"]), (&json!("raw.bin"), &json!(3)));

    assert_eq!(get(&api.address, &path("other")).status, 404);
    assert_eq!(ask(&api.address, "PUT", "/tickets/77/attachments/a", &[], b"x").status, 404);
    assert_eq!(put("..%2fa", b"x").status, 400);
    assert_eq!(put("big", &vec![0; 2_000_000]).status, 413);
}

fn what_cannot_be_accepted_is_refused_with_its_reason_in_json(parts: &Parts) {
    let api = Process::api(parts, &["--max-body", "2000"]);
    let refused = |status: u16, body: &str, why: &str| {
        let answer = ask(&api.address, "POST", "/tickets", &[], body.as_bytes());
        assert_eq!(answer.status, status, "{body}: {answer:?}");
        assert!(answer.error().contains(why), "{body}: {answer:?}");
    };
    refused(400, "", "EOF");
    refused(400, "[1]", "invalid type");
    refused(400, r#"{"customer":"c-001","subject":"a"}"#, "missing field `body`");
    refused(400, r#"{"customer":"c-001","subject":"a","body":"b","x":1}"#, "unknown field `x`");
    refused(400, r#"{"customer":"c-999","subject":"a","body":"b"}"#, "no customer \"c-999\"");
    refused(400, r#"{"customer":"c-001","subject":" ","body":"b"}"#, "the subject is empty");
    refused(400, r#"{"customer":"c-001","subject":"a","body":"\u0000"}"#, "zero byte");
    let bad = r#"{"customer":"c-001","subject":"a","body":"b","attachment":{"name":"a","base64":"?"}}"#;
    refused(400, bad, "no base64");
    refused(400, &bad.replace("\"a\",\"base64", "\"../a\",\"base64"), "no name");
    refused(413, &"x".repeat(2_001), "");
    assert_eq!(with_key(&api.address, &"k".repeat(256), &ticket(1)).status, 400);
    assert_eq!(parts.number("SELECT count(*) FROM tickets"), 0);

    for (method, path, status) in [
        ("GET", "/tickets/1", 404),
        ("GET", "/tickets/one", 404),
        ("GET", "/nowhere", 404),
        ("DELETE", "/tickets", 405),
    ] {
        let answer = ask(&api.address, method, path, &[], b"");
        assert_eq!(answer.status, status, "{method} {path}");
        assert!(!answer.error().is_empty());
    }
}

fn a_customer_who_sends_too_much_is_told_when_to_come_back_and_others_are_not(parts: &Parts) {
    let api = Process::api(parts, &["--customer-burst", "3", "--customer-per-min", "2"]);
    for _ in 0..3 {
        accepted(&post(&api.address, "/tickets", &ticket(1)));
    }
    let limited = post(&api.address, "/tickets", &ticket(1));
    assert_eq!(limited.status, 429, "{limited:?}");
    assert!(limited.error().contains("too many tickets"));
    let seconds: u32 = limited.header("retry-after").expect("a time").parse().expect("seconds");
    // One comes back every 30 s.
    assert!((20..=30).contains(&seconds), "{seconds}");
    accepted(&post(&api.address, "/tickets", &ticket(2)));
    assert_eq!(parts.number("SELECT count(*) FROM tickets"), 4);
    assert_eq!(metric(&api.address, "tickets_answers_429_total") as i64, 1);
    // What a flush forgets is how much was sent.
    assert_eq!(post(&api.address, "/flush", &json!({})).status, 200);
    accepted(&post(&api.address, "/tickets", &ticket(1)));
}

fn the_pages_numbers_are_those_of_the_database(parts: &Parts) {
    let api = Process::api(parts, &UNLIMITED);
    let number = |name: &str| metric(&api.address, name);
    for _ in 0..6 {
        accepted(&post(&api.address, "/tickets", &ticket(1)));
    }
    assert_eq!((number("tickets_queued"), number("tickets_ready")), (6.0, 6.0));
    assert_eq!((number("tickets_running"), number("tickets_done_total")), (0.0, 0.0));
    patiently("the oldest job has an age", || (number("tickets_oldest_seconds") > 0.0).then_some(()));
    let provider = Process::provider(&FAST);
    let _worker = Process::worker(parts, &provider.address, &[]);
    patiently("all are done", || (number("tickets_done_total") == 6.0).then_some(()));
    assert_eq!((number("tickets_queued"), number("tickets_oldest_seconds")), (0.0, 0.0));
    assert_eq!((number("tickets_done_last_minute"), number("tickets_dead_total")), (6.0, 0.0));
    assert_eq!(number("tickets_provider_calls_total"), 12.0);
    assert_eq!(metric(&provider.address, "provider_answered_total"), 12.0);
    assert_eq!(number("tickets_answers_202_total"), 6.0);
}

fn a_reset_goes_back_to_the_seeded_data_set(parts: &Parts) {
    let service = Process::all(parts, &["--provider-speed", "100", "--customer-burst", "1"]);
    let customers = get(&service.address, "/customers").text();
    let mut sent = ticket(1);
    sent["attachment"] = json!({ "name": "a", "base64": "YQ==" });
    let first = post(&service.address, "/tickets", &sent);
    ended(&service.address, accepted(&first));
    assert_eq!(post(&service.address, "/tickets", &ticket(1)).status, 429);
    assert_eq!(parts.blobs(), 1);

    assert_eq!(post(&service.address, "/reset", &json!({})).status, 200);
    for table in ["tickets", "jobs", "replies", "attachments", "idempotency_keys"] {
        assert_eq!(parts.number(&format!("SELECT count(*) FROM {table}")), 0, "{table}");
    }
    assert_eq!(parts.blobs(), 0);
    assert_eq!(get(&service.address, "/customers").text(), customers);
    // The allowance is whole again, and so are the ids.
    assert_eq!(post(&service.address, "/tickets", &sent).body, first.body);
}
