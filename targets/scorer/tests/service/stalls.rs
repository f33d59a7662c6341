//! Standing still: that it is real, as planned, and truly reported.

use std::net::SocketAddr;
use std::time::Duration;

use crate::client::{Connection, now_ns, small_shop, start};
use doorclock_target_scorer::Options;
use serde_json::{Value, json};

const MS: u64 = 1_000_000;

/// Evenly spaced stalls, the first after `gap_ms`.
fn even(gap_ms: u64, count: u64, length_ms: u64, how: &str) -> Value {
    json!({
        "seed": 1, "mean_gap_ms": gap_ms, "least_gap_ms": gap_ms, "length_ms": length_ms,
        "how": how, "for_ms": gap_ms * count + length_ms,
    })
}

fn arm(connection: &mut Connection, order: &Value) -> Vec<u64> {
    let answer = connection.post("/arm", &order.to_string());
    assert_eq!(answer.status, 200, "{answer:?}");
    let planned = answer.json()["planned"].as_array().expect("a list").clone();
    planned.iter().map(|stall| stall["at_ns"].as_u64().expect("a moment")).collect()
}

/// What `/stalls` says: how many were planned, and each that is over.
fn stalls(connection: &mut Connection) -> (u64, Vec<(u64, u64)>) {
    let report = connection.get("/stalls").json();
    let moment = |stall: &Value, name: &str| stall[name].as_u64().expect("a moment");
    let list = report["stalls"].as_array().expect("a list");
    let seen = list.iter().map(|stall| (moment(stall, "began_ns"), moment(stall, "ended_ns"))).collect();
    (report["planned"].as_u64().expect("a count"), seen)
}

/// Asks until that many stalls are over.
fn await_stalls(connection: &mut Connection, count: usize) -> Vec<(u64, u64)> {
    let patience_ns = now_ns() + 20_000 * MS;
    loop {
        let (_, seen) = stalls(connection);
        if seen.len() >= count {
            return seen;
        }
        assert!(now_ns() < patience_ns, "only {} of {count} stalls came", seen.len());
    }
}

/// Sends requests one after another until one is not answered for a while,
/// which is the beginning of a stall: the answer is still to come then.
fn run_into_a_stall(connection: &mut Connection) {
    loop {
        connection.send("GET", "/healthz", "");
        if connection.receive_within(Duration::from_millis(200)).is_none() {
            return;
        }
    }
}

fn check_that_a_stall_holds_everything(how: &str) {
    let address = start(small_shop());
    let [mut first, mut second] = [Connection::open(address), Connection::open(address)];
    let planned = arm(&mut first, &even(600, 1, 600, how));
    run_into_a_stall(&mut first);

    let sent_ns = now_ns();
    second.send("GET", "/score?customer=c-00001", "");
    assert_eq!(second.receive().status, 200);
    let answered_ns = now_ns();
    first.receive();

    let (count, seen) = stalls(&mut first);
    let (began_ns, ended_ns) = seen[0];
    assert_eq!((planned.len(), count, seen.len()), (1, 1, 1));
    assert!(began_ns >= planned[0], "it began before its time");
    assert!(ended_ns - began_ns >= 600 * MS, "it lasted {} ns", ended_ns - began_ns);
    assert!((began_ns..ended_ns).contains(&sent_ns), "the request missed the stall");
    assert!(answered_ns >= ended_ns, "answered while the service stood still");
}

#[test]
fn a_request_sent_while_the_service_sleeps_is_answered_only_after() {
    check_that_a_stall_holds_everything("sleep");
}

#[test]
fn a_request_sent_while_the_service_burns_is_answered_only_after() {
    check_that_a_stall_holds_everything("burn");
}

#[test]
fn every_planned_stall_comes_no_earlier_than_planned_and_in_order() {
    let mut connection = Connection::open(start(small_shop()));
    let order = json!({
        "seed": 3, "mean_gap_ms": 60, "least_gap_ms": 20, "length_ms": 10, "how": "sleep", "for_ms": 1_000,
    });
    let planned = arm(&mut connection, &order);
    assert!(planned.len() >= 5, "only {} stalls planned", planned.len());
    let seen = await_stalls(&mut connection, planned.len());
    assert_eq!(seen.len(), planned.len());
    for (at_ns, (began_ns, ended_ns)) in planned.iter().zip(&seen) {
        assert!(began_ns >= at_ns && *ended_ns >= began_ns + 10 * MS);
    }
    assert!(seen.is_sorted_by(|one, next| one.1 <= next.0), "two stalls overlap: {seen:?}");
    let metrics = connection.get("/metrics").body;
    assert!(metrics.contains(&format!("\nscorer_stalls {}\n", seen.len())), "{metrics}");
}

#[test]
fn one_seed_and_start_give_one_plan_on_any_service_and_another_seed_another() {
    let plan = |address: SocketAddr, seed: u64| {
        let order = json!({
            "seed": seed, "mean_gap_ms": 2_000, "least_gap_ms": 500, "length_ms": 100, "how": "sleep",
            "start_ns": 4_000_000_000_000_000_000_u64, "for_ms": 60_000,
        });
        arm(&mut Connection::open(address), &order)
    };
    let [one, other] = [start(small_shop()), start(Options { seed: 99, ..small_shop() })];
    assert_eq!(plan(one, 1), plan(other, 1));
    assert_eq!(plan(one, 1), plan(one, 1));
    assert_ne!(plan(one, 1), plan(one, 2));
}

#[test]
fn a_stall_does_not_wait_behind_requests_that_came_before_it() {
    const QUEUED: u64 = 60;
    let service_time = Duration::from_millis(10);
    let address = start(Options { service_time, ..small_shop() });
    let mut connections: Vec<Connection> = (0..QUEUED).map(|_| Connection::open(address)).collect();
    for connection in &mut connections {
        connection.get("/healthz");
    }
    let planned = arm(&mut connections[0], &even(100, 1, 10, "sleep"));
    for connection in &mut connections {
        connection.send("GET", "/score?customer=c-00001", "");
    }
    for connection in &mut connections {
        connection.receive();
    }
    let late_ns = await_stalls(&mut connections[0], 1)[0].0 - planned[0];
    // Behind the queue it would be 500 ms late.
    assert!(late_ns < 250 * MS, "the stall came {} ms late", late_ns / MS);
}

#[test]
fn disarming_drops_the_stalls_to_come_and_keeps_the_record() {
    let mut connection = Connection::open(start(small_shop()));
    let planned = arm(&mut connection, &even(50, 200, 10, "sleep"));
    await_stalls(&mut connection, 2);
    let report = connection.post("/disarm", "").json();
    let over = report["stalls"].as_array().expect("a list").len();
    assert_eq!(report["planned"], planned.len());
    assert!((2..planned.len()).contains(&over));

    // The next three would be over by now; nothing more has come.
    while now_ns() < planned[over + 2] + 20 * MS {
        connection.get("/healthz");
    }
    assert_eq!(stalls(&mut connection).1.len(), over);
}

#[test]
fn arming_again_replaces_the_plan_and_its_record() {
    let mut connection = Connection::open(start(small_shop()));
    arm(&mut connection, &even(20, 500, 10, "sleep"));
    await_stalls(&mut connection, 1);
    let planned = arm(&mut connection, &even(200, 1, 10, "sleep"));
    assert_eq!(stalls(&mut connection), (1, vec![]));
    let seen = await_stalls(&mut connection, 1);
    assert!(seen[0].0 >= planned[0], "a stall of the old plan came");
}

#[test]
fn a_service_that_was_never_armed_reports_no_stalls() {
    let mut connection = Connection::open(start(small_shop()));
    assert_eq!(stalls(&mut connection), (0, vec![]));
    assert_eq!(connection.post("/disarm", "").status, 200);
}

#[test]
fn an_order_that_cannot_be_kept_is_refused_and_leaves_the_old_plan() {
    let mut connection = Connection::open(start(small_shop()));
    arm(&mut connection, &even(10_000, 3, 10, "sleep"));
    let with = |name: &str, value: Value| {
        let mut order = even(50, 1, 10, "sleep");
        order[name] = value;
        order.to_string()
    };
    for (body, says) in [
        (with("length_ms", json!(51)), "length_ms (51) must not exceed least_gap_ms (50)"),
        (with("start_ns", json!(1)), "start_ns has passed"),
        (with("how", json!("nap")), "unknown variant `nap`"),
        (with("lenght_ms", json!(1)), "unknown field `lenght_ms`"),
        ("{}".to_owned(), "missing field"),
    ] {
        let answer = connection.post("/arm", &body);
        let error = answer.json()["error"].as_str().expect("a reason").to_owned();
        assert_eq!(answer.status, 400, "{body}");
        assert!(error.contains(says), "{error:?} does not say {says:?}");
    }
    assert_eq!(stalls(&mut connection).0, 3);
}

#[test]
fn a_stall_stops_a_request_in_the_middle_of_its_work_and_the_work_goes_on_after_it() {
    let service_time = Duration::from_millis(400);
    let address = start(Options { service_time, ..small_shop() });
    let mut connection = Connection::open(address);
    let planned = arm(&mut connection, &even(100, 1, 100, "sleep"));
    let sent_ns = now_ns();
    connection.send("GET", "/score?customer=c-00001", "");
    assert_eq!(connection.receive().status, 200);
    let took_ns = now_ns() - sent_ns;
    let (began_ns, ended_ns) = await_stalls(&mut connection, 1)[0];
    assert!(sent_ns < began_ns && began_ns < sent_ns + 400 * MS, "it fell between two requests");
    assert!(began_ns >= planned[0], "it began before its time");
    assert!(took_ns >= 400 * MS + (ended_ns - began_ns), "the stall was taken from the work: {took_ns} ns");
}
