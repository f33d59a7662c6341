//! One run, from its order to its stored samples.

use crate::beside::{Beside, Seen};
use crate::follow::{FollowError, Following, StoredCount};
use crate::machine;
use crate::order::{DueCount, Order, OrderError};
use crate::readings_taken::ReadingsTaken;
use crate::stalls::StallError;
use crate::tool::ToolError;
use analysis::Live;
use engine::{Clock as _, Job, MonotonicClock, RunFailure, WorkerEnd};
use model::{Followed, LastSign, Nanos, RunEnd, RunEvent, Sample, Span};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use store::{Folder, RunWriter, StoreError};
use thiserror::Error;

/// Time between the last preparation and the run's start, for threads to be there.
const LEAD: Nanos = Nanos::from_millis(20);

/// How often progress is told, and a sign of life left with the samples.
const PROGRESS_EVERY: Nanos = Nanos::from_millis(250);

/// A sign of life speaks of this long ago: a request that was done by then has
/// left its thread's batch (200 ms at most, noticed within 100 ms) and lies in
/// the spool. What was due by then and has no row was still out.
const SETTLED: Nanos = Nanos::from_millis(400);

/// Why a run has no result, or only part of one. What was measured by then
/// stays in the folder.
#[derive(Debug, Error)]
pub enum RunError {
    /// It cannot be carried out as ordered.
    #[error(transparent)]
    Order(#[from] OrderError),
    /// The engine could not start.
    #[error(transparent)]
    Engine(#[from] RunFailure),
    /// The results could not be written. Sending stopped when that was found.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The service could not be told to stall, or did not tell its stalls.
    #[error(transparent)]
    Stalls(#[from] StallError),
    /// Work cannot be followed past its answer.
    #[error(transparent)]
    Follow(#[from] FollowError),
    /// Another tool, run as an arm, gave no result.
    #[error(transparent)]
    Tool(#[from] ToolError),
}

/// Who watches an experiment. Called between batches on the thread that keeps
/// samples, so it must be quick; sending does not wait for it.
pub type Watch<'a> = dyn FnMut(RunEvent) + 'a;

/// Carries out one run and leaves its samples in `folder`. `number` is its
/// place in the experiment, from 1, and the number of runs in all. `beside`
/// goes on beside it: stalls of the service, for one. Setting `stop` ends it
/// early; what was measured is kept, marked interrupted.
pub fn execute(
    order: &Order,
    folder: &Folder,
    number: (u32, u32),
    beside: &mut dyn Beside,
    stop: &AtomicBool,
    watch: &mut Watch<'_>,
) -> Result<(), RunError> {
    let facts = order.facts()?;
    let testers = order.testers()?;
    let mut writer = folder.start_run(&facts)?;
    watch(RunEvent::Started { arm: order.arm.clone(), number });
    let stored = order.follow.as_ref().and_then(StoredCount::begin);
    let clock = MonotonicClock::starting_in(LEAD);
    let counted = Span { began: order.warm_up, ended: order.until() };
    beside.begin(&clock, counted)?;
    let readings = ReadingsTaken::begin(&order.readings, clock, &mut writer)?;
    let following = order.follow.as_ref().map(|follow| Following::begin(follow, clock, writer.path()));
    let (following, follow) = following.transpose()?.unzip();
    let job = Job {
        follow,
        peer: order.peer,
        tls: order.tls.clone(),
        work: &order.work,
        testers,
        limits: order.limits(),
        precision: order.precision,
        cpus: order.cpus.clone(),
        clock,
        stop,
    };
    let due = order.due_count()?;
    let live = Live::new(&facts);
    let mut keeper =
        Keeper { writer: &mut writer, live, due, clock, told: Nanos::ZERO, stop, watch, failure: None };
    let totals = engine::run(job, &mut |batch| keeper.keep(batch))?;
    let failure = keeper.failure;
    let mut told = |ended, accepted, left| watch(RunEvent::Following { ended, accepted, left });
    let followed = following.map(|following| following.finish(stop, &mut told)).transpose();
    let read = readings.map_or(Ok(()), ReadingsTaken::end);
    watch(RunEvent::Finished { arm: order.arm.clone() });
    if let Some(error) = failure {
        // The engine's books count requests whose samples are lost, so they
        // would void the ones that are kept. Without an end, the run reads as
        // if the tester had been killed at that moment.
        return Err(error.into());
    }
    let stored = stored.map(StoredCount::end);
    let followed = followed?.map(|followed| Followed { stored, ..followed });
    read?;
    let (seen, failure) = match beside.end(&clock) {
        Ok(seen) => (seen, None),
        Err(error) => (Seen::default(), Some(error)),
    };
    // Whatever could not be seen beside it, the run is brought to an end first.
    writer.finish(&RunEnd { followed, ..run_end(totals, seen, counted) })?;
    failure.map_or(Ok(()), Err)
}

/// Stores batches as they come, and tells how the run goes on.
struct Keeper<'a, 'w> {
    writer: &'a mut RunWriter,
    live: Live,
    due: Option<DueCount>,
    clock: MonotonicClock,
    told: Nanos,
    stop: &'a AtomicBool,
    watch: &'a mut Watch<'w>,
    failure: Option<StoreError>,
}

impl Keeper<'_, '_> {
    fn keep(&mut self, batch: &[Sample]) {
        if !batch.is_empty() {
            self.write(|writer| writer.append(batch));
        }
        self.live.observe(batch);
        let now = self.clock.now();
        if now >= self.told + PROGRESS_EVERY {
            self.told = now;
            let at = now.saturating_sub(SETTLED);
            let due_counted = self.due.as_mut().map(|due| due.by(at));
            self.write(|writer| writer.sign(LastSign { at, due_counted }));
            (self.watch)(RunEvent::Progress(self.live.progress(now)));
        }
    }

    /// A run whose samples cannot be kept measures nothing: the first failure ends it.
    fn write(&mut self, what: impl FnOnce(&mut RunWriter) -> Result<(), StoreError>) {
        if self.failure.is_none()
            && let Err(error) = what(self.writer)
        {
            self.failure = Some(error);
            self.stop.store(true, Relaxed);
        }
    }
}

fn run_end(all: WorkerEnd, seen: Seen, counted: Span) -> RunEnd {
    let WorkerEnd { until, ended, interrupted, taken, taken_counted, area, samples_lost, cpu, .. } = all;
    RunEnd {
        counted_until: until,
        ended,
        interrupted,
        taken,
        taken_counted,
        area,
        samples_lost,
        cpu,
        peak_rss_bytes: machine::peak_rss_bytes(),
        connections_opened: all.connections_opened,
        connections_peak: all.connections_peak,
        waited_at_limit: all.waited_at_limit,
        limit_lowered_to: all.limit_lowered_to,
        wakeups: all.wakeups,
        own_reading: Some(all.read_lag.told()),
        tls: all.tls,
        examples: all.examples.into_iter().map(|(outcome, text)| (outcome.name().to_owned(), text)).collect(),
        stalls: seen.stalls.map(|stalls| stalls.within(counted)),
        followed: None,
        told: None,
        machine: seen.machine,
    }
}
