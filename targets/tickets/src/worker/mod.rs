//! The worker: takes jobs, asks the provider twice for each, saves the reply.
//!
//! Each of its slots works on one job at a time under a lease that it renews
//! meanwhile. Should the worker die, the lease ends and the job goes back into
//! the queue; should it only have been slow, its token is worth nothing any
//! more, and what it has to say is dropped.

mod backoff;
mod job;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::client::Peer;
use crate::parts::Parts;
use crate::random::Random;

/// How often jobs are looked for that nobody told of: those whose pause ended.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// How long to leave the database alone after it failed.
const DATABASE_PAUSE: Duration = Duration::from_millis(500);

/// How the worker works.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Habits {
    /// Jobs worked on at once.
    pub(crate) slots: usize,
    /// After so many failed tries a job is dead.
    pub(crate) most_tries: i64,
    /// How long a job stays with a worker that gives no sign of life.
    pub(crate) lease: Duration,
    /// How long jobs may go on after the worker was told to stop.
    pub(crate) grace: Duration,
    /// The pause after a job's first failure.
    pub(crate) first_pause: Duration,
}

/// What the slots share.
pub(crate) struct Worker {
    pub(crate) parts: Parts,
    pub(crate) provider: Peer,
    pub(crate) habits: Habits,
    pub(crate) chance: Random,
}

impl Worker {
    /// Works until told to stop; then finishes what it can within the grace and
    /// gives the rest back.
    pub(crate) async fn run(self, stop: watch::Receiver<bool>) {
        let worker = Arc::new(self);
        let mut tasks = JoinSet::new();
        for _ in 0..worker.habits.slots {
            let (worker, stop) = (Arc::clone(&worker), stop.clone());
            tasks.spawn(async move { worker.slot(stop).await });
        }
        tasks.spawn(async move { worker.reap(stop).await });
        while tasks.join_next().await.is_some() {}
    }

    async fn slot(&self, mut stop: watch::Receiver<bool>) {
        let database = &self.parts.database;
        while !*stop.borrow() {
            match database.take(self.habits.lease).await {
                Ok(Some(job)) => self.work_on(job, stop.clone()).await,
                Ok(None) => unless_stopped(&mut stop, database.wait_for_news(LOOK_EVERY)).await,
                Err(_) => unless_stopped(&mut stop, sleep(DATABASE_PAUSE)).await,
            }
        }
    }

    /// Takes jobs from workers that are gone.
    async fn reap(&self, mut stop: watch::Receiver<bool>) {
        while !*stop.borrow() {
            // One that the database could not do now is done at the next turn.
            let _ = self.parts.database.reap(self.habits.most_tries).await;
            unless_stopped(&mut stop, sleep(self.habits.lease / 4)).await;
        }
    }
}

/// Waits for `what`, and no longer than until the stop.
async fn unless_stopped(stop: &mut watch::Receiver<bool>, what: impl Future<Output = ()>) {
    tokio::select! {
        () = what => {}
        () = stopped(stop) => {}
    }
}

/// Returns once it is time to stop.
pub(crate) async fn stopped(stop: &mut watch::Receiver<bool>) {
    // A sender that is gone can no longer say so: time to stop, too.
    let _ = stop.wait_for(|stop| *stop).await;
}

/// Does `work` as long as the grace after a stop allows; `None` if it took longer.
async fn within_grace<T>(
    stop: &mut watch::Receiver<bool>,
    grace: Duration,
    work: impl Future<Output = T>,
) -> Option<T> {
    tokio::pin!(work);
    tokio::select! {
        done = &mut work => return Some(done),
        () = stopped(stop) => {}
    }
    timeout(grace, work).await.ok()
}
