//! The queue's promises, over both databases. Leases are some milliseconds
//! long, and the tests wait for the database to see them end.

use std::sync::Arc;
use std::time::Duration;

use super::*;
use crate::customers::DataSet;

const DATA_SET: DataSet = DataSet { seed: 1, customers: 5 };
const PATIENCE: Duration = Duration::from_secs(5);
const LONG: Duration = Duration::from_secs(600);
const SHORT: Duration = Duration::from_millis(5);

fn ticket() -> NewTicket {
    NewTicket {
        customer: "c-001".to_owned(),
        subject: "Where is it?".to_owned(),
        body: "My parcel.".to_owned(),
        attachment: None,
    }
}

async fn saved(database: &dyn Database) -> i64 {
    match database.accept(ticket(), None).await.expect("saved") {
        Accepted::New(id) => id,
        other => panic!("{other:?}"),
    }
}

async fn taken(database: &dyn Database, lease: Duration) -> Job {
    database.take(lease).await.expect("an answer").expect("a job is ready")
}

/// Waits until a lease that has just been given for [`SHORT`] is over.
async fn reaped(database: &dyn Database, most_tries: i64) {
    while database.reap(most_tries).await.expect("an answer") == 0 {
        tokio::task::yield_now().await;
    }
}

async fn jobs_come_in_the_order_of_their_tickets(database: &dyn Database) {
    let ids = [saved(database).await, saved(database).await, saved(database).await];
    for id in ids {
        assert_eq!(taken(database, LONG).await.held.ticket, id);
    }
    assert!(database.take(LONG).await.expect("an answer").is_none(), "one job was taken twice");
}

async fn many_takers_at_once_never_get_the_same_job(database: Arc<dyn Database>) {
    for _ in 0..40 {
        saved(&*database).await;
    }
    let takers: Vec<_> = (0..8)
        .map(|_| {
            let database = Arc::clone(&database);
            tokio::spawn(async move {
                let mut got = Vec::new();
                while let Some(job) = database.take(LONG).await.expect("an answer") {
                    got.push(job.held.ticket);
                }
                got
            })
        })
        .collect();
    let mut all = Vec::new();
    for taker in takers {
        all.extend(taker.await.expect("no panic"));
    }
    all.sort_unstable();
    assert_eq!(all, (1..=40).collect::<Vec<i64>>());
}

async fn a_worker_whose_lease_ran_out_can_do_nothing_to_a_job_that_another_has(database: &dyn Database) {
    let id = saved(database).await;
    let slow = taken(database, SHORT).await;
    reaped(database, 8).await;
    let second = taken(database, LONG).await;
    assert_eq!((second.held.ticket, second.tries), (id, 2));

    let (held, spent) = (&slow.held, Spent { calls: 1, refusals: 1 });
    let failed = FailedTry { error: "late".to_owned(), pause: SHORT, most_tries: 1 };
    assert!(!database.heartbeat(held, LONG).await.expect("an answer"));
    assert!(!database.keep_category(held, "late", spent).await.expect("an answer"));
    assert!(!database.give_back(held, None, spent).await.expect("an answer"));
    assert_eq!(database.fail(held, &failed, spent).await.expect("an answer"), None);
    assert!(!database.finish(held, "late", spent).await.expect("an answer"));
    assert!(database.finish(&second.held, "in time", spent).await.expect("an answer"));
    assert!(!database.finish(&second.held, "again", spent).await.expect("an answer"));

    let ticket = database.ticket(id).await.expect("an answer").expect("a ticket");
    assert_eq!((ticket.state, ticket.reply.as_deref()), (State::Succeeded, Some("in time")));
    assert_eq!(database.counts().await.expect("counts").spent, spent, "only the second one's calls count");
}

async fn a_heartbeat_keeps_a_job_from_being_reaped(database: &dyn Database) {
    saved(database).await;
    let job = taken(database, SHORT).await;
    assert!(database.heartbeat(&job.held, LONG).await.expect("an answer"));
    tokio::time::sleep(SHORT * 4).await;
    assert_eq!(database.reap(8).await.expect("an answer"), 0);
    assert!(database.finish(&job.held, "done", Spent::default()).await.expect("an answer"));
}

async fn a_job_that_failed_is_ready_after_its_pause_and_dead_after_its_last_try(database: &dyn Database) {
    let id = saved(database).await;
    let failed = |pause| FailedTry { error: "no".to_owned(), pause, most_tries: 2 };
    let job = taken(database, LONG).await;
    let state = database.fail(&job.held, &failed(LONG), Spent::default()).await.expect("an answer");
    assert_eq!(state, Some(State::Queued));
    assert!(database.take(LONG).await.expect("an answer").is_none(), "its pause is not over");
    let counts = database.counts().await.expect("counts");
    assert_eq!((counts.queued, counts.ready), (1, 0));

    let id_2 = saved(database).await;
    let job = taken(database, LONG).await;
    assert_eq!(job.held.ticket, id_2);
    database.fail(&job.held, &failed(Duration::ZERO), Spent::default()).await.expect("an answer");
    let job = taken(database, LONG).await;
    let state = database.fail(&job.held, &failed(Duration::ZERO), Spent::default()).await.expect("an answer");
    assert_eq!(state, Some(State::Dead));
    let ticket = database.ticket(id_2).await.expect("an answer").expect("a ticket");
    assert_eq!((ticket.state, ticket.tries, ticket.error.as_deref()), (State::Dead, 2, Some("no")));
    assert!(ticket.finished_ms.is_some() && ticket.reply.is_none());
    assert_ne!(id, id_2);
}

async fn a_job_given_back_has_lost_no_try_and_stands_where_it_stood(database: &dyn Database) {
    let first = saved(database).await;
    saved(database).await;
    let job = taken(database, LONG).await;
    database.keep_category(&job.held, "delivery", Spent { calls: 1, refusals: 0 }).await.expect("an answer");
    assert!(database.give_back(&job.held, None, Spent::default()).await.expect("an answer"));
    let again = taken(database, LONG).await;
    assert_eq!((again.held.ticket, again.tries), (first, 1));
    assert_eq!(again.category.as_deref(), Some("delivery"), "what was paid for was kept");
    assert!(database.give_back(&again.held, Some(LONG), Spent::default()).await.expect("an answer"));
    assert_ne!(taken(database, LONG).await.held.ticket, first, "it is to wait");
}

async fn a_ticket_whose_workers_all_die_is_dead_at_last(database: &dyn Database) {
    let id = saved(database).await;
    for _ in 0..3 {
        taken(database, SHORT).await;
        reaped(database, 3).await;
    }
    let ticket = database.ticket(id).await.expect("an answer").expect("a ticket");
    assert_eq!((ticket.state, ticket.tries), (State::Dead, 3));
    assert!(ticket.error.expect("a reason").contains("worker was gone"));
}

async fn what_could_not_be_saved_whole_is_not_saved_at_all(database: &dyn Database) {
    let stranger = NewTicket { customer: "nobody".to_owned(), ..ticket() };
    let key = Key { key: "k".to_owned(), digest: "d".to_owned() };
    let refused = database.accept(stranger, Some(key.clone())).await;
    assert!(matches!(refused, Err(DatabaseError::Refused { .. })), "{refused:?}");
    assert_eq!(database.counts().await.expect("counts"), Counts::default());
    let accepted = database.accept(ticket(), Some(key)).await.expect("the key is still free");
    assert!(matches!(accepted, Accepted::New(_)), "{accepted:?}");
}

async fn counts_say_where_every_job_is(database: &dyn Database) {
    for _ in 0..4 {
        saved(database).await;
    }
    let (done, dead, _running) =
        (taken(database, LONG).await, taken(database, LONG).await, taken(database, LONG).await);
    let spent = Spent { calls: 2, refusals: 3 };
    assert!(database.finish(&done.held, "done", spent).await.expect("an answer"));
    let failed = FailedTry { error: "no".to_owned(), pause: SHORT, most_tries: 1 };
    database.fail(&dead.held, &failed, spent).await.expect("an answer");
    let counts = database.counts().await.expect("counts");
    let oldest_ms = counts.oldest_ms.expect("one is queued");
    assert!((0..60_000).contains(&oldest_ms), "{oldest_ms}");
    let expected = Counts {
        queued: 1,
        ready: 1,
        running: 1,
        succeeded: 1,
        dead: 1,
        succeeded_last_min: 1,
        oldest_ms: Some(oldest_ms),
        spent: Spent { calls: 4, refusals: 6 },
    };
    assert_eq!(counts, expected);
    database.reset().await.expect("reset");
    assert_eq!(database.counts().await.expect("counts"), Counts::default());
    assert_eq!(database.customers().await.expect("customers"), DATA_SET.customers().collect::<Vec<_>>());
    assert_eq!(saved(database).await, 1, "ids begin anew");
}

/// A taker that waits hears of a new job at once, and not at its next look.
async fn a_saved_ticket_wakes_who_waits_for_it(database: Arc<dyn Database>) {
    // PostgreSQL needs a moment to listen; what was told before is missed, and
    // a next ticket is told of again.
    let waiting = Arc::clone(&database);
    let mut waiting = tokio::spawn(async move { waiting.wait_for_news(LONG).await });
    for _ in 0..1_000 {
        saved(&*database).await;
        if tokio::time::timeout(Duration::from_millis(10), &mut waiting).await.is_ok() {
            return;
        }
    }
    panic!("nobody told of a thousand tickets");
}

/// Runs `test` on an event loop with a database of its own.
fn check<F: Future<Output = ()>>(
    place: impl AsyncFnOnce() -> Arc<dyn Database>,
    test: impl FnOnce(Arc<dyn Database>) -> F,
) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async { test(place().await).await });
}

macro_rules! over_both {
    ($($name:ident: $by:tt,)*) => {
        mod embedded {
            use super::*;
            $(#[test]
            fn $name() {
                let folder = tempfile::tempdir().expect("a folder");
                let path = folder.path().join("tickets.sqlite");
                check(async || sqlite(&path), over_both!(@call $by $name));
            })*
        }
        mod on_postgres {
            use super::*;
            $(#[test]
            #[ignore = "needs postgres: `cargo xtask test` brings it"]
            fn $name() {
                check(async || postgres(stringify!($name)).await, over_both!(@call $by $name));
            })*
        }
    };
    (@call shared $name:ident) => { |database| super::$name(database) };
    (@call alone $name:ident) => { |database| async move { super::$name(&*database).await } };
}

over_both! {
    jobs_come_in_the_order_of_their_tickets: alone,
    many_takers_at_once_never_get_the_same_job: shared,
    a_worker_whose_lease_ran_out_can_do_nothing_to_a_job_that_another_has: alone,
    a_heartbeat_keeps_a_job_from_being_reaped: alone,
    a_job_that_failed_is_ready_after_its_pause_and_dead_after_its_last_try: alone,
    a_job_given_back_has_lost_no_try_and_stands_where_it_stood: alone,
    a_ticket_whose_workers_all_die_is_dead_at_last: alone,
    what_could_not_be_saved_whole_is_not_saved_at_all: alone,
    counts_say_where_every_job_is: alone,
    a_saved_ticket_wakes_who_waits_for_it: shared,
}

fn sqlite(path: &std::path::Path) -> Arc<dyn Database> {
    Arc::new(Sqlite::new(path, DATA_SET, 10, PATIENCE))
}

/// A database of one's own on the test's server: a schema that nobody else uses.
async fn postgres(name: &str) -> Arc<dyn Database> {
    let url = std::env::var("DOORCLOCK_TEST_POSTGRES").expect("DOORCLOCK_TEST_POSTGRES names a server");
    let schema = format!("queue_{name:.40}_{}", std::process::id());
    let (client, connection) =
        tokio_postgres::connect(&url, tokio_postgres::NoTls).await.expect("the server answers");
    let driver = tokio::spawn(connection);
    let fresh = format!("DROP SCHEMA IF EXISTS {schema} CASCADE; CREATE SCHEMA {schema}");
    client.batch_execute(&fresh).await.expect("a schema");
    driver.abort();
    let mark = if url.contains('?') { '&' } else { '?' };
    let url = format!("{url}{mark}options=-csearch_path%3D{schema}");
    Arc::new(Postgres::new(&url, DATA_SET, 10, PATIENCE).expect("a URL"))
}
