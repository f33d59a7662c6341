//! The thread that keeps the ledger: it hears of accepted work and of ends,
//! and writes ends down as they are learnt.

use super::ledger::Ledger;
use engine::{Accepted, Clock as _, MonotonicClock};
use model::{Followed, Nanos, WorkEnd};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use store::{CompletionWriter, StoreError};

/// How long an end or an acceptance may lie before it is taken in.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Letters of a failure that are kept as an example.
const EXAMPLE: usize = 200;

/// Work's name, and when its answer was whole.
pub(super) type Named = (Box<str>, Nanos);

/// What a source has learnt.
#[derive(Debug)]
pub(super) enum Heard {
    /// Work of this name had not ended when it was asked for, at this moment.
    NotYet(Box<str>, Nanos),
    /// It has ended, learnt at this moment.
    Ended(Box<str>, WorkEnd, Nanos),
    /// Asked at the first moment which work had ended, and answered at the
    /// second: what had not by then.
    Looked { asked: Nanos, at: Nanos, ended: Vec<(Box<str>, WorkEnd)> },
    /// Something was asked or told that gave nothing, in words.
    Failed(String),
}

/// How far the books are, for whoever waits.
#[derive(Debug, Default)]
pub(super) struct Keeping {
    books: Mutex<Books>,
    closed: AtomicBool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Books {
    accepted: u64,
    ended: u64,
    /// Whether no more can be accepted, and all that was is in the books.
    is_complete: bool,
}

impl Keeping {
    /// Whether everything that was accepted has ended, and nothing more can come.
    pub fn all_ended(&self) -> bool {
        let Books { accepted, ended, is_complete } = self.books();
        is_complete && ended == accepted
    }

    /// Ended and accepted.
    pub fn counts(&self) -> (u64, u64) {
        let Books { accepted, ended, .. } = self.books();
        (ended, accepted)
    }

    /// No more is waited for.
    pub fn close(&self) {
        self.closed.store(true, Relaxed);
    }

    fn books(&self) -> Books {
        *self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, ledger: &Ledger, is_complete: bool) {
        let accepted = ledger.accepted();
        let books = Books { accepted, ended: accepted - ledger.open(), is_complete };
        *self.books.lock().unwrap_or_else(PoisonError::into_inner) = books;
    }
}

pub(super) struct Keeper {
    pub clock: MonotonicClock,
    pub accepted: Receiver<Accepted>,
    pub heard: Receiver<Heard>,
    /// Who learns the end of work only if told its name; each has a part.
    pub names: Vec<Sender<Named>>,
    pub writer: CompletionWriter,
}

impl Keeper {
    /// Keeps the books until they are closed.
    pub fn run(mut self, keeping: &Keeping) -> Result<Followed, StoreError> {
        let mut ledger = Ledger::default();
        let mut followed = Followed::default();
        loop {
            let is_closed = keeping.closed.load(Relaxed);
            let is_complete = self.take_accepted(&mut ledger);
            self.take_heard(&mut ledger, &mut followed);
            if is_closed {
                ledger.give_up(self.clock.now());
            }
            self.writer.append(&ledger.take())?;
            keeping.set(&ledger, is_complete);
            if is_closed {
                followed.until = self.clock.now();
                followed.strangers = ledger.strangers();
                followed.repeated = ledger.repeated();
                return Ok(followed);
            }
        }
    }

    /// Takes in what was accepted; true once no more can be.
    fn take_accepted(&self, ledger: &mut Ledger) -> bool {
        loop {
            match self.accepted.try_recv() {
                Ok(accepted) => {
                    let (index, answered) = (accepted.index, accepted.answered);
                    if let Some(name) = ledger.accept(accepted)
                        && !self.names.is_empty()
                    {
                        let part = index as usize % self.names.len();
                        // A source that has ended learns no more, and that shows.
                        let _ = self.names[part].send((name, answered));
                    }
                }
                Err(TryRecvError::Empty) => return false,
                Err(TryRecvError::Disconnected) => return true,
            }
        }
    }

    /// Takes in what was heard, waiting a little for the first of it.
    fn take_heard(&self, ledger: &mut Ledger, followed: &mut Followed) {
        let mut next = match self.heard.recv_timeout(LOOK_EVERY) {
            Ok(heard) => Some(heard),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                // Every source has ended; nothing is to be heard any more.
                self.clock.sleep_until(self.clock.now() + Nanos(LOOK_EVERY.as_nanos() as u64));
                None
            }
        };
        while let Some(heard) = next {
            followed.asked += 1;
            match heard {
                Heard::NotYet(name, moment) => ledger.not_yet(&name, moment),
                Heard::Ended(name, end, at) => ledger.end(name, end, at),
                Heard::Looked { asked, at, ended } => {
                    ended.into_iter().for_each(|(name, end)| ledger.end(name, end, at));
                    ledger.looked(asked);
                }
                Heard::Failed(says) => {
                    followed.failed += 1;
                    followed.example.get_or_insert_with(|| says.chars().take(EXAMPLE).collect());
                }
            }
            next = self.heard.try_recv().ok();
        }
    }
}
