//! What the service answers, over real connections.

use std::time::Duration;

use crate::client::{Answer, Connection, header, now_ns, small_shop, start};
use doorclock_target_scorer::{Options, ScorerError, run};

/// Every line of `/reference`: customer and score as printed.
fn reference(connection: &mut Connection) -> Vec<(String, String)> {
    let csv = connection.get("/reference").body;
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("customer,score"));
    let pair = |line: &str| line.split_once(',').map(|(customer, score)| (customer.into(), score.into()));
    lines.map(|line| pair(line).expect("two columns")).collect()
}

fn check_refused(answer: &Answer, status: u16, says: &str) {
    assert_eq!(answer.status, status, "{answer:?}");
    assert_eq!(header(&answer.head, "content-type"), Some("application/json"));
    let error = answer.json()["error"].as_str().expect("a reason").to_owned();
    assert!(error.contains(says), "{error:?} does not say {says:?}");
}

#[test]
fn every_customer_gets_the_reference_score_byte_for_byte_however_asked() {
    let mut connection = Connection::open(start(Options { customers: 5_000, ..small_shop() }));
    let reference = reference(&mut connection);
    assert_eq!(reference.len(), 5_000);
    for (customer, score) in reference {
        let expected = format!(r#"{{"customer":"{customer}","score":{score}}}"#);
        let posted = connection.post("/score", &format!(r#"{{"customer":"{customer}"}}"#));
        assert_eq!((posted.status, posted.body), (200, expected.clone()));
        assert_eq!(connection.get(&format!("/score?customer={customer}")).body, expected);
    }
}

#[test]
fn scores_differ_between_customers() {
    let mut connection = Connection::open(start(small_shop()));
    let mut scores: Vec<String> = reference(&mut connection).into_iter().map(|line| line.1).collect();
    scores.sort();
    scores.dedup();
    assert!(scores.len() > 100, "only {} different scores", scores.len());
}

#[test]
fn two_starts_with_one_seed_give_one_model_and_another_seed_another() {
    let scores = |seed| reference(&mut Connection::open(start(Options { seed, ..small_shop() })));
    assert_eq!(scores(1), scores(1));
    assert_ne!(scores(1), scores(2));
}

#[test]
fn answers_state_their_length_and_type() {
    let mut connection = Connection::open(start(small_shop()));
    let score = connection.post("/score", r#"{"customer":"c-00042"}"#);
    assert_eq!(header(&score.head, "content-type"), Some("application/json"));
    assert_eq!(header(&score.head, "content-length"), Some(score.body.len().to_string().as_str()));
    assert_eq!(header(&score.head, "transfer-encoding"), None);
    let health = connection.get("/healthz");
    assert_eq!((health.status, health.body.as_str()), (200, "ok\n"));
}

#[test]
fn bad_requests_are_refused_with_a_reason() {
    let mut connection = Connection::open(start(small_shop()));
    check_refused(
        &connection.post("/score", r#"{"customer":"c-00200"}"#),
        404,
        r#"unknown customer "c-00200""#,
    );
    check_refused(&connection.get("/score?customer=c-00200"), 404, r#"unknown customer "c-00200""#);
    check_refused(&connection.post("/score", r#"{"customer":"#), 400, "not the JSON expected");
    check_refused(&connection.post("/score", r#"{"customer":42}"#), 400, "expected a string");
    check_refused(&connection.post("/score", "{}"), 400, "missing field `customer`");
    check_refused(&connection.post("/score", ""), 400, "not the JSON expected");
    check_refused(&connection.get("/score"), 400, "?customer=ID");
    check_refused(&connection.get("/scores"), 404, "nothing at /scores");
    check_refused(&connection.ask("DELETE", "/score", ""), 405, "DELETE is not for /score");
    check_refused(&connection.get("/arm"), 405, "GET is not for /arm");
}

#[test]
fn refusals_leave_the_connection_alive() {
    let mut connection = Connection::open(start(small_shop()));
    connection.post("/score", "nonsense");
    assert_eq!(connection.post("/score", r#"{"customer":"c-00001"}"#).status, 200);
}

#[test]
fn metrics_count_answers_by_status() {
    let mut connection = Connection::open(start(small_shop()));
    for customer in ["c-00001", "c-00002", "nobody"] {
        connection.get(&format!("/score?customer={customer}"));
    }
    let metrics = connection.get("/metrics");
    assert_eq!(header(&metrics.head, "content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    assert!(metrics.body.contains("\nscorer_requests_total{status=\"200\"} 2\n"), "{}", metrics.body);
    assert!(metrics.body.contains("\nscorer_requests_total{status=\"404\"} 1\n"), "{}", metrics.body);
}

#[test]
fn the_stated_service_time_is_spent_once_a_request_by_one_worker() {
    const SERVICE_TIME: Duration = Duration::from_millis(10);
    let address = start(Options { service_time: SERVICE_TIME, ..small_shop() });
    let mut connections: Vec<Connection> = (0..8).map(|_| Connection::open(address)).collect();
    let began_ns = now_ns();
    for connection in &mut connections {
        connection.send("GET", "/score?customer=c-00007", "");
    }
    for connection in &mut connections {
        connection.receive();
    }
    let took = Duration::from_nanos(now_ns() - began_ns);
    assert!(took >= 8 * SERVICE_TIME, "8 requests overlapped: they took {took:?}");
}

#[test]
fn a_taken_port_is_told_as_such() {
    let address = start(small_shop());
    let refused = run(Options { address, ..small_shop() }, |_| panic!("it cannot listen there"));
    assert!(matches!(refused, Err(ScorerError::AddressInUse { address: taken }) if taken == address));
}
