//! A database or a cache that is lost and found again.

use crate::client::{accepted, ended, get, metric, patiently, post, ticket};
use crate::parts::Parts;
use crate::process::Process;
use crate::proxy::Line;

over_both! {
    without_a_database_tickets_are_answered_with_503_and_accepted_again_once_it_is_back,
    a_database_that_hangs_is_a_503_too,
    a_database_that_is_down_at_the_start_is_waited_for,
    without_a_cache_tickets_are_accepted_all_the_same,
}

/// The database is given up on after a third of a second.
const FLAGS: [&str; 6] = ["--db-patience", "300ms", "--customer-burst", "100000", "--provider-speed", "100"];

fn refuses(address: &str) {
    let answer = post(address, "/tickets", &ticket(1));
    assert_eq!(answer.status, 503, "{answer:?}");
    assert_eq!(answer.header("retry-after"), Some("1"));
    assert!(answer.error().contains("the database cannot"), "{answer:?}");
}

fn loses_and_finds(parts: &Parts, line: Line) {
    let service = Process::all(parts, &FLAGS);
    let before = accepted(&post(&service.address, "/tickets", &ticket(1)));
    ended(&service.address, before);
    let loss = parts.lose_database(line);
    for _ in 0..3 {
        refuses(&service.address);
    }
    if !parts.is_embedded() {
        // A locked file of SQLite's can still be read; a lost server cannot.
        assert_eq!(get(&service.address, "/healthz").status, 503);
    }
    drop(loss);
    let after = patiently("tickets are accepted again", || {
        let answer = post(&service.address, "/tickets", &ticket(1));
        (answer.status == 202).then(|| accepted(&answer))
    });
    assert_eq!(ended(&service.address, after)["state"], "succeeded");
    // What was answered with 503 may have been saved only where the answer of
    // the database was lost on its way; here nothing reached it at all.
    let accepted = metric(&service.address, "tickets_answers_202_total") as i64;
    assert_eq!(parts.number("SELECT count(*) FROM tickets"), accepted);
    assert!(metric(&service.address, "tickets_answers_503_total") >= 3.0);
}

fn without_a_database_tickets_are_answered_with_503_and_accepted_again_once_it_is_back(parts: &Parts) {
    loses_and_finds(parts, Line::Cut);
}

fn a_database_that_hangs_is_a_503_too(parts: &Parts) {
    loses_and_finds(parts, Line::Held);
}

fn a_database_that_is_down_at_the_start_is_waited_for(parts: &Parts) {
    if parts.is_embedded() {
        // There must be a file before it can be locked.
        drop(Process::all(parts, &["--fresh"]));
    }
    let loss = parts.lose_database(Line::Cut);
    let service = Process::all(parts, &FLAGS);
    refuses(&service.address);
    drop(loss);
    let id = patiently("tickets are accepted", || {
        let answer = post(&service.address, "/tickets", &ticket(1));
        (answer.status == 202).then(|| accepted(&answer))
    });
    assert_eq!(ended(&service.address, id)["state"], "succeeded");
}

fn without_a_cache_tickets_are_accepted_all_the_same(parts: &Parts) {
    let service = Process::all(parts, &["--provider-speed", "100", "--customer-burst", "1"]);
    accepted(&post(&service.address, "/tickets", &ticket(1)));
    assert_eq!(post(&service.address, "/tickets", &ticket(1)).status, 429);
    // A cache inside the process is lost only with it; then nothing is to be shown.
    let Some(loss) = parts.lose_cache() else { return };
    let id = accepted(&post(&service.address, "/tickets", &ticket(1)));
    assert_eq!(ended(&service.address, id)["state"], "succeeded");
    drop(loss);
    patiently("the cache counts again", || {
        (post(&service.address, "/tickets", &ticket(1)).status == 429).then_some(())
    });
}
