//! One worker on each thread, all under one clock.

use crate::batch::{BatchSink, batches};
use crate::capture::Follow;
use crate::clock::MonotonicClock;
use crate::connections::Numbers;
use crate::net::epoll::EpollNet;
use crate::net::tls::TlsNet;
use crate::net::{Net, NetError};
use crate::tls::Tls;
use crate::work::Work;
use crate::worker::{Limits, Worker, WorkerEnd};
use model::{CpuUse, Nanos, Sample, SendPrecision};
use rustix::thread::{CpuSet, sched_setaffinity};
use schedule::Tester;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use thiserror::Error;

/// A run on real sockets.
pub struct Job<'a> {
    /// Where to connect.
    pub peer: SocketAddr,
    /// How connections are secured, if they are.
    pub tls: Option<Tls>,
    /// The requests to send.
    pub work: &'a Work,
    /// One tester for each sending thread.
    pub testers: Vec<Box<dyn Tester + Send + 'a>>,
    /// Where accepted work is told, if somebody follows it.
    pub follow: Option<Follow>,
    /// The moments and limits of the whole run; the connection limit, at least
    /// one for each thread, is shared out evenly among them.
    pub limits: Limits,
    /// How to wait for the next moment.
    pub precision: SendPrecision,
    /// Cores to pin the threads to, in turn; empty leaves it to the kernel.
    pub cpus: Vec<usize>,
    /// The run's clock.
    pub clock: MonotonicClock,
    /// Set from outside to stop early.
    pub stop: &'a AtomicBool,
}

/// Why a run could not start.
#[derive(Debug, Error)]
pub enum RunFailure {
    /// The kernel gave no epoll instance.
    #[error("cannot wait for events: {0}")]
    Net(NetError),
    /// A thread cannot be kept to the core that was asked for.
    #[error("cannot keep a sending thread to core {cpu}: {error}")]
    Pin {
        /// The core.
        cpu: usize,
        /// The kernel's reason.
        error: NetError,
    },
    /// The kernel gave no thread.
    #[error("cannot start a sending thread: {0}")]
    Thread(std::io::Error),
}

/// Runs the job to its end. `keep` is called on this thread with every batch
/// of samples as it comes, and at least every 100 ms with none.
pub fn run(job: Job<'_>, keep: &mut dyn FnMut(&[Sample])) -> Result<WorkerEnd, RunFailure> {
    let (stop, clock) = (job.stop, job.clock);
    std::thread::scope(|scope| {
        let count = job.testers.len() as u32;
        let mut ends = Vec::new();
        let mut keepers = Vec::new();
        for (part, tester) in job.testers.into_iter().enumerate() {
            let (samples, to_keep, give_back) = batches();
            let part = part as u32;
            let share =
                job.limits.connection_limit / count + u32::from(part < job.limits.connection_limit % count);
            let thread = SendingThread {
                peer: job.peer,
                tls: job.tls.clone(),
                precision: job.precision,
                clock,
                cpu: (!job.cpus.is_empty()).then(|| job.cpus[part as usize % job.cpus.len()]),
                limits: Limits {
                    connection_limit: share,
                    connection_numbers: Numbers { first: part + 1, step: count },
                    ..job.limits
                },
                work: job.work,
                follow: job.follow.clone(),
                stop,
            };
            let handle = std::thread::Builder::new()
                .name(format!("send-{part}"))
                .spawn_scoped(scope, move || thread.run(tester, samples))
                .map_err(|error| {
                    stop.store(true, Ordering::Relaxed);
                    RunFailure::Thread(error)
                })?;
            ends.push(handle);
            keepers.push((to_keep, give_back));
        }
        keep_batches(&keepers, keep);
        let mut totals = WorkerEnd::default();
        for end in ends {
            match end.join() {
                Ok(end) => add(&mut totals, end?),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        Ok(totals)
    })
}

/// The ends of a worker's batches: full ones come, emptied ones go back.
type Keeper = (Receiver<Vec<Sample>>, Sender<Vec<Sample>>);

/// Passes batches on until every sending thread has let go of its end.
fn keep_batches(keepers: &[Keeper], keep: &mut dyn FnMut(&[Sample])) {
    use std::sync::mpsc::{RecvTimeoutError, TryRecvError};
    let mut open: Vec<bool> = vec![true; keepers.len()];
    while let Some(first) = open.iter().position(|is_open| *is_open) {
        for (at, (full, emptied)) in keepers.iter().enumerate() {
            loop {
                let mut batch = match full.try_recv() {
                    Ok(batch) => batch,
                    Err(TryRecvError::Empty) => break,
                    Err(TryRecvError::Disconnected) => {
                        open[at] = false;
                        break;
                    }
                };
                keep(&batch);
                batch.clear();
                // The thread may have ended in the meantime and need no more.
                let _ = emptied.send(batch);
            }
        }
        let (full, emptied) = &keepers[first];
        match full.recv_timeout(std::time::Duration::from_millis(100)) {
            Ok(mut batch) => {
                keep(&batch);
                batch.clear();
                let _ = emptied.send(batch);
            }
            Err(RecvTimeoutError::Timeout) => keep(&[]),
            Err(RecvTimeoutError::Disconnected) => open[first] = false,
        }
    }
}

struct SendingThread<'a> {
    peer: SocketAddr,
    tls: Option<Tls>,
    precision: SendPrecision,
    clock: MonotonicClock,
    cpu: Option<usize>,
    limits: Limits,
    work: &'a Work,
    follow: Option<Follow>,
    stop: &'a AtomicBool,
}

impl SendingThread<'_> {
    fn run(self, tester: Box<dyn Tester + Send + '_>, samples: BatchSink) -> Result<WorkerEnd, RunFailure> {
        let ends_all = EndsAll { stop: self.stop, is_armed: true };
        self.cpu.map_or(Ok(()), pin)?;
        let net = EpollNet::new(self.clock, self.peer, self.precision).map_err(RunFailure::Net)?;
        self.clock.sleep_until(Nanos::ZERO);
        let end = match self.tls.clone() {
            None => self.work_over(net, tester, samples),
            Some(tls) => self.work_over(TlsNet::new(net, tls), tester, samples),
        };
        ends_all.disarm();
        Ok(end)
    }

    fn work_over(self, net: impl Net, tester: Box<dyn Tester + Send + '_>, samples: BatchSink) -> WorkerEnd {
        let worker = Worker {
            tester,
            work: self.work,
            net,
            clock: self.clock,
            samples,
            follow: self.follow,
            limits: self.limits,
            stop: self.stop,
        };
        worker.run().0
    }
}

/// Ends the whole run if its thread fails or panics: part of a load is another
/// load.
struct EndsAll<'a> {
    stop: &'a AtomicBool,
    is_armed: bool,
}

impl EndsAll<'_> {
    fn disarm(mut self) {
        self.is_armed = false;
    }
}

impl Drop for EndsAll<'_> {
    fn drop(&mut self) {
        if self.is_armed {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

/// Keeps the calling thread to one core.
fn pin(cpu: usize) -> Result<(), RunFailure> {
    let failed = |errno| RunFailure::Pin { cpu, error: NetError::Os(errno) };
    if cpu >= CpuSet::MAX_CPU {
        return Err(failed(rustix::io::Errno::INVAL));
    }
    let mut set = CpuSet::new();
    set.set(cpu);
    sched_setaffinity(None, &set).map_err(failed)
}

/// Sums, latest moments and peaks; the process's CPU once, the senders' together.
fn add(all: &mut WorkerEnd, end: WorkerEnd) {
    all.until = all.until.max(end.until);
    all.ended = all.ended.max(end.ended);
    all.interrupted |= end.interrupted;
    all.taken += end.taken;
    all.taken_counted += end.taken_counted;
    all.area += end.area;
    all.samples_lost += end.samples_lost;
    all.cpu =
        CpuUse { process: all.cpu.process.max(end.cpu.process), senders: all.cpu.senders + end.cpu.senders };
    all.connections_opened += end.connections_opened;
    all.connections_peak += end.connections_peak;
    all.waited_at_limit += end.waited_at_limit;
    all.limit_lowered_to = match (all.limit_lowered_to, end.limit_lowered_to) {
        (Some(sum), Some(more)) => Some(sum + more),
        (one, other) => one.or(other),
    };
    all.wakeups += end.wakeups;
    all.read_lag.merge(&end.read_lag);
    all.tls = match (all.tls.take(), end.tls) {
        (Some(one), Some(other)) => Some(one.and(other)),
        (one, other) => one.or(other),
    };
    for example in end.examples {
        if all.examples.iter().all(|(outcome, _)| *outcome != example.0) {
            all.examples.push(example);
        }
    }
}
