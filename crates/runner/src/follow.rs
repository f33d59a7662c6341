//! Follows work past its answer: a 202 says that it was accepted, and only its
//! end says that it was done.
//!
//! The engine tells which work answers accepted ([`engine::Accepted`]). A
//! source (`poll.rs`, `callback.rs`, `events.rs`, `sql.rs`) learns when it ended, on
//! threads of its own, so that nothing here stands in the way of sending; the
//! ledger (`ledger.rs`, pure) puts the two together, and what it knows goes into
//! `completions.jsonl` at once.
//!
//! Start at [`Following::begin`] and [`Following::finish`].

mod callback;
mod events;
mod keeper;
mod ledger;
mod poll;
mod sql;
mod stored;
mod work;

pub(crate) use stored::StoredCount;
pub use work::{CallbackOrder, Condition, EventsOrder, FollowBy, FollowOrder, PollOrder, SqlOrder};

use engine::{Clock as _, Follow, MonotonicClock};
use keeper::{Heard, Keeper, Keeping};
use model::{Followed, Nanos};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use store::{CompletionWriter, StoreError};
use thiserror::Error;

/// Why work cannot be followed.
#[derive(Debug, Error)]
pub enum FollowError {
    /// Nobody can call us there.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address that was asked for.
        address: String,
        /// The kernel's reason.
        source: std::io::Error,
    },
    /// What was learnt cannot be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What every thread that follows shares.
#[derive(Clone)]
struct Shared {
    clock: MonotonicClock,
    /// Where a thread tells what it has learnt.
    heard: Sender<Heard>,
    /// Set when following is over.
    over: Arc<AtomicBool>,
    /// CPU time of threads that have ended, in nanoseconds.
    cpu: Arc<AtomicU64>,
}

/// Work being followed, on threads of its own.
pub struct Following {
    within: Nanos,
    keeping: Arc<Keeping>,
    over: Arc<AtomicBool>,
    cpu: Arc<AtomicU64>,
    clock: MonotonicClock,
    keeper: Option<JoinHandle<Result<Followed, StoreError>>>,
    sources: Vec<JoinHandle<()>>,
    /// Whether the source asks once more when it is told that following is over.
    asks_at_end: bool,
}

impl Following {
    /// Begins to follow what is accepted in the run of this folder. The engine
    /// tells accepted work into what comes back beside it.
    pub fn begin(
        order: &FollowOrder,
        clock: MonotonicClock,
        run: &Path,
    ) -> Result<(Following, Follow), FollowError> {
        let writer = CompletionWriter::create(run)?;
        let (accepted, to_keep) = channel();
        let (heard, to_hear) = channel();
        let over = Arc::new(AtomicBool::new(false));
        let cpu = Arc::new(AtomicU64::new(0));
        let shared = Shared { clock, heard, over: Arc::clone(&over), cpu: Arc::clone(&cpu) };
        let (names, sources) = match &order.by {
            FollowBy::Poll(order) => poll::begin(order, &shared),
            FollowBy::Callback(order) => (Vec::new(), callback::begin(order, &shared)?),
            FollowBy::Events(order) => (Vec::new(), vec![events::begin(order, &shared)]),
            FollowBy::Sql(order) => (Vec::new(), vec![sql::begin(order, &shared)]),
        };
        drop(shared);
        let keeping = Arc::new(Keeping::default());
        let keeper = Keeper { clock, accepted: to_keep, heard: to_hear, names, writer };
        let mine = Arc::clone(&keeping);
        let keeper = Some(std::thread::spawn(move || keeper.run(&mine)));
        let asks_at_end = matches!(order.by, FollowBy::Sql(_));
        let following =
            Following { within: order.within, keeping, over, cpu, clock, keeper, sources, asks_at_end };
        Ok((following, accepted))
    }

    /// Sending is over, and the engine's end of the accepted work is dropped:
    /// waits until all of it has ended, for no longer than the order says, or
    /// until `stop`. `told` hears how it goes: ended, accepted, and the time left.
    pub fn finish(
        mut self,
        stop: &AtomicBool,
        told: &mut dyn FnMut(u64, u64, Nanos),
    ) -> Result<Followed, StoreError> {
        let limit = self.clock.now() + self.within;
        let mut is_cut_short = false;
        while !self.has_failed() && !self.keeping.all_ended() {
            let now = self.clock.now();
            is_cut_short = stop.load(Relaxed);
            if now >= limit || is_cut_short {
                break;
            }
            let (ended, accepted) = self.keeping.counts();
            told(ended, accepted, limit.saturating_sub(now));
            self.clock.sleep_until(now + LOOK_EVERY);
        }
        let kept = self.end();
        let cpu = Nanos(self.cpu.load(Relaxed));
        kept.map(|followed| Followed { is_cut_short, cpu, ..followed })
    }

    /// Whether the thread that keeps the books has ended before its time.
    fn has_failed(&self) -> bool {
        self.keeper.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Closes the books and ends every thread.
    fn end(&mut self) -> Result<Followed, StoreError> {
        if self.asks_at_end {
            self.over.store(true, Relaxed);
            self.sources.drain(..).for_each(joined);
        }
        self.keeping.close();
        let kept = self.keeper.take().map(joined).unwrap_or_else(|| Ok(Followed::default()));
        self.over.store(true, Relaxed);
        self.sources.drain(..).for_each(joined);
        kept
    }
}

/// Threads end with their run, also when that came to no good end.
impl Drop for Following {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            // Whoever did not ask how following went does not need to know.
            let _ = self.end();
        }
    }
}

fn joined<T>(thread: JoinHandle<T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// How often it is looked whether all work has ended.
const LOOK_EVERY: Nanos = Nanos::from_millis(50);

impl Shared {
    fn is_over(&self) -> bool {
        self.over.load(Relaxed)
    }

    /// Adds this thread's CPU time to the sum; called as it ends.
    fn count_cpu(&self) {
        self.cpu.fetch_add(self.clock.cpu().senders.0, Relaxed);
    }
}

#[cfg(test)]
mod tests;
