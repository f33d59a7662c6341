//! The ticket system as a service to follow: a plan against one of its own, and
//! what lies in its database afterwards.

use super::plans::{Plan, free_port, plans};
use super::{Ended, assert_conservation, doorclock, number, only_run, text};
use serde_json::Value;
use std::path::Path;

/// Everything in one process, with a provider 60 times as fast as the real one.
pub const START: &str = "doorclock target tickets --embedded --fresh --with-parent --provider-calls-per-min 6000 \
    --provider-speed 60 --customer-per-min 480";

/// A plan against a ticket system of its own, with `rest` behind its request.
pub fn tickets(folder: &Path, start: &str, rest: &str) -> Plan {
    let customers = plans().join("ticket-customers.csv");
    std::fs::copy(customers, folder.join("ticket-customers.csv")).expect("copied");
    let head = format!(
        r#"
        question = "is every ticket answered within five seconds?"
        [target]
        url   = "http://127.0.0.1:PORT"
        start = "{start} --port PORT --provider-port {} --data data"
        ready = "/healthz"
        ready_within = "30s"
        [request]
        method = "POST"
        path   = "/tickets"
        json   = {{ customer = "{{{{ row.customer }}}}", subject = "Where?", body = "It should have come." }}
        rows   = "ticket-customers.csv"
        expect = {{ status = 202 }}
        [environment]
        quiet  = {{ idle = "0%", over = "50ms", wait = "0s" }}
        [rounds]
        count   = 1
        warm_up = "0s"
        "#,
        free_port()
    );
    Plan::write_whole(folder, &format!("{head}{rest}"))
}

/// Its database, beside the plan.
pub const DATABASE: &str = "data/tickets.sqlite";

/// Tickets and how they stand in the database, after the run.
pub fn stored(folder: &Path) -> (u64, u64) {
    let database = rusqlite::Connection::open(folder.join(DATABASE)).expect("the database");
    let count = |query: &str| {
        database.query_row(query, [], |row| row.get::<_, i64>(0)).expect("a count").unsigned_abs()
    };
    (
        count("select count(*) from tickets"),
        count("select count(*) from jobs where state in ('succeeded', 'dead')"),
    )
}

/// Runs it; whatever the verdict on the work, the folder must verify.
pub fn run(plan: &Plan, folder: &Path) -> (Ended, Value) {
    let out = folder.join("out");
    let ended = plan.run(&["--out", text(&out)]);
    assert!(matches!(ended.code, Some(0 | 1)), "{ended:#?}");
    doorclock(["verify", text(&out)]).with_code(0);
    let summary = ended.json();
    (ended, summary)
}

pub fn completion(summary: &Value) -> &Value {
    let found = &only_run(summary)["completion"];
    assert!(found.is_object(), "{summary:#}");
    found
}

/// Holds that every accepted ticket lies in the database, and that its end is known.
pub fn assert_none_is_lost(summary: &Value, folder: &Path) {
    let (run, work) = (only_run(summary), completion(summary));
    assert_conservation(run);
    assert_eq!(number(run, "/ok"), number(work, "/accepted"));
    let (tickets, ended) = stored(folder);
    assert_eq!(number(work, "/accepted"), tickets, "accepted and stored");
    assert_eq!(number(work, "/done") + number(work, "/given_up"), ended, "ended and stored as ended");
    assert_eq!(number(work, "/followed/strangers"), 0);
}
