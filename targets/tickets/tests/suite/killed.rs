//! Processes killed outright under load.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::client::{accepted, ask, metric, patiently, post, ticket, try_ask};
use crate::parts::Parts;
use crate::process::Process;

over_both! {
    every_202_of_an_api_that_was_killed_is_in_the_database,
    a_killed_worker_loses_no_ticket_and_answers_none_twice,
}

const UNLIMITED: [&str; 2] = ["--customer-burst", "100000"];

/// What one sender saw: the id of each key that was answered, and the key that
/// was in flight when the API died.
type Seen = (BTreeMap<String, i64>, Option<String>);

fn send_until_it_dies(address: &str, sender: usize, enough: &AtomicBool) -> Seen {
    let mut answered = BTreeMap::new();
    for number in 0.. {
        let key = format!("{sender}-{number}");
        let body = ticket(1).to_string();
        match try_ask(address, "POST", "/tickets", &[("idempotency-key", &key)], body.as_bytes()) {
            Ok(answer) => drop(answered.insert(key, accepted(&answer))),
            Err(_) => return (answered, Some(key)),
        }
        if answered.len() >= 10 {
            enough.store(true, Ordering::Release);
        }
    }
    unreachable!("the API is killed before numbers run out")
}

/// Each 202 is a row; a row without a 202 belongs to a request that was in
/// flight, and sending that again settles it.
fn every_202_of_an_api_that_was_killed_is_in_the_database(parts: &Parts) {
    let api = Process::api(parts, &UNLIMITED);
    let address = api.address.clone();
    let enough = AtomicBool::new(false);
    let seen: Vec<Seen> = thread::scope(|scope| {
        let (address, enough) = (&address, &enough);
        let senders: Vec<_> =
            (0..8).map(|sender| scope.spawn(move || send_until_it_dies(address, sender, enough))).collect();
        patiently("the load runs", || enough.load(Ordering::Acquire).then_some(()));
        api.kill();
        senders.into_iter().map(|sender| sender.join().expect("no panic")).collect()
    });
    let answered: BTreeMap<&String, i64> =
        seen.iter().flat_map(|(answered, _)| answered.iter().map(|(key, id)| (key, *id))).collect();
    let in_flight: Vec<&String> = seen.iter().filter_map(|(_, key)| key.as_ref()).collect();
    assert_eq!(answered.values().collect::<BTreeSet<_>>().len(), answered.len(), "one id answered twice");

    let rows = parts.number("SELECT count(*) FROM tickets");
    let unanswered = rows - answered.len() as i64;
    assert!((0..=in_flight.len() as i64).contains(&unanswered), "{unanswered} rows without a 202");
    assert_eq!(parts.number("SELECT count(*) FROM jobs"), rows, "a ticket without its job");
    for (key, id) in &answered {
        let sql = format!("SELECT count(*) FROM idempotency_keys WHERE key = '{key}' AND ticket = {id}");
        assert_eq!(parts.number(&sql), 1, "{key} was answered with 202 and is not there");
    }

    let api = Process::api(parts, &UNLIMITED);
    for key in &in_flight {
        let body = ticket(1).to_string();
        accepted(&ask(&api.address, "POST", "/tickets", &[("idempotency-key", key)], body.as_bytes()));
    }
    let all = (answered.len() + in_flight.len()) as i64;
    assert_eq!(parts.number("SELECT count(*) FROM tickets"), all);
}

fn a_killed_worker_loses_no_ticket_and_answers_none_twice(parts: &Parts) {
    const TICKETS: usize = 60;
    let api = Process::api(parts, &UNLIMITED);
    let provider = Process::provider(&["--provider-speed", "10", "--provider-burst", "100000"]);
    let habits = ["--lease", "400ms", "--tries", "20"];
    let mut worker = Process::worker(parts, &provider.address, &habits);
    // A second one that nobody kills takes over what the first leaves.
    let _second = Process::worker(parts, &provider.address, &habits);
    let ids: BTreeSet<i64> = thread::scope(|scope| {
        let sender = scope
            .spawn(|| (0..TICKETS).map(|_| accepted(&post(&api.address, "/tickets", &ticket(1)))).collect());
        for _ in 0..3 {
            patiently("every slot has a job", || {
                (metric(&api.address, "tickets_running") == 8.0).then_some(())
            });
            worker.kill();
            worker = Process::worker(parts, &provider.address, &habits);
        }
        sender.join().expect("no panic")
    });
    assert_eq!(ids.len(), TICKETS);
    patiently("all have ended", || {
        let ended = metric(&api.address, "tickets_done_total") + metric(&api.address, "tickets_dead_total");
        (ended == TICKETS as f64).then_some(())
    });
    assert_eq!(parts.number("SELECT count(*) FROM jobs WHERE state = 'succeeded'"), TICKETS as i64);
    assert_eq!(parts.number("SELECT count(*) FROM replies"), TICKETS as i64);
    // Else no kill struck a job, and nothing was shown.
    assert!(parts.number("SELECT count(*) FROM jobs WHERE tries > 1") >= 4, "no kill struck a job");
}
