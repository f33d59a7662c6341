//! Readings beside a run: taken on threads of their own, and kept as they come.

use crate::control::Control;
use ::readings::{Fetch, Hands, Now, Taking};
use engine::{Clock as _, MonotonicClock};
use model::{PlannedReading, Reading, ReadingFacts};
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::Duration;
use store::{ReadingWriter, RunWriter, StoreError};
use wire::url::Target;

/// What is to be read beside a run.
#[derive(Clone, Debug, Default)]
pub struct ReadOrder {
    /// The readings, in the order of the plan.
    pub planned: Vec<PlannedReading>,
    /// The process of the service, where we have started it.
    pub target: Option<u32>,
}

/// How often the end is looked for while nothing is read.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Readings under way, and the thread that keeps them.
pub(crate) struct ReadingsTaken {
    taking: Taking,
    over: Arc<AtomicBool>,
    keeper: JoinHandle<Result<(), StoreError>>,
}

impl ReadingsTaken {
    /// Begins to read and to keep; `None` where nothing is to be read.
    pub(crate) fn begin(
        order: &ReadOrder,
        clock: MonotonicClock,
        writer: &mut RunWriter,
    ) -> Result<Option<ReadingsTaken>, StoreError> {
        if order.planned.is_empty() {
            return Ok(None);
        }
        let facts: Vec<ReadingFacts> = order.planned.iter().map(|one| one.facts.clone()).collect();
        let writer = writer.readings(&facts)?;
        let (taking, told) = Taking::begin(&order.planned, &hands(clock, order.target));
        let over = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&over);
        let keeper = std::thread::spawn(move || keep(&told, writer, &seen));
        Ok(Some(ReadingsTaken { taking, over, keeper }))
    }

    /// Ends them. What was read by then is kept.
    pub(crate) fn end(self) -> Result<(), StoreError> {
        self.taking.end();
        self.over.store(true, Relaxed);
        self.keeper.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

/// Writes down what is read until it is over. Once it cannot be written, the
/// rest is dropped, and the error is told at the end.
fn keep(
    told: &Receiver<Vec<Reading>>,
    mut writer: ReadingWriter,
    over: &AtomicBool,
) -> Result<(), StoreError> {
    loop {
        let is_over = over.load(Relaxed);
        match told.recv_timeout(LOOK_EVERY) {
            Ok(rows) => writer.append(&rows)?,
            Err(RecvTimeoutError::Timeout) if !is_over => {}
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return Ok(()),
        }
    }
}

/// The clock of the run, and our way to ask over HTTP.
pub(crate) fn hands(clock: MonotonicClock, target: Option<u32>) -> Hands {
    let now: Now = Arc::new(move || clock.now());
    let fetch: Fetch = Arc::new(fetch);
    Hands { now, fetch, target }
}

fn fetch(url: &str, patience: Duration) -> Result<Vec<u8>, String> {
    let target: Target = url.parse().map_err(|error| format!("{url}: {error}"))?;
    let peer = address(&target)?;
    let control = Control::new(peer, &target.host_header()).with_patience(patience);
    let answer = control.ask("GET", target.path(), None).map_err(|error| error.to_string())?;
    match answer.status {
        200..300 => Ok(answer.body),
        status => Err(format!("it answered with status {status}")),
    }
}

fn address(target: &Target) -> Result<SocketAddr, String> {
    let (host, port) = (target.host().to_string(), target.port());
    let mut found = (host.as_str(), port)
        .to_socket_addrs()
        .map_err(|error| format!("the name `{host}` does not resolve: {error}"))?;
    found.next().ok_or_else(|| format!("the name `{host}` has no address"))
}
