//! Requests sent before a run whose warm-up is a number of requests and no
//! length of time: by a closed loop of the arm's own connections, kept nowhere.

use crate::order::Order;
use engine::{Job, MonotonicClock, RunFailure};
use model::{Nanos, SendPrecision};
use schedule::{Closed, Due, Share, Tester};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// A service that does not answer so many within this is measured as it is.
const AT_MOST: Nanos = Nanos::from_secs(60);

/// Sends exactly `requests` requests of `order`'s work over `connections`
/// connections, if the service answers them within a minute.
pub(crate) fn send(
    order: &Order,
    requests: u64,
    connections: u32,
    stop: &AtomicBool,
) -> Result<(), RunFailure> {
    let over = AtomicBool::new(false);
    let tester = Limited {
        inner: Closed::new(connections, AT_MOST, Share::new(order.seed, 0, 1)),
        left: requests,
        out: 0,
        over: &over,
        stop,
    };
    let mut limits = order.limits();
    limits.warm_up = Nanos::ZERO;
    limits.until = AT_MOST;
    limits.connection_limit = connections.max(1);
    let job = Job {
        peer: order.peer,
        work: &order.work,
        testers: vec![Box::new(tester)],
        limits,
        precision: SendPrecision::Sleep,
        cpus: order.cpus.clone(),
        clock: MonotonicClock::starting_in(Nanos::ZERO),
        stop: &over,
    };
    engine::run(job, &mut |_| {}).map(drop)
}

/// A closed loop that ends after so many requests.
struct Limited<'a> {
    inner: Closed,
    left: u64,
    out: u64,
    /// Set when the last one is answered, or we are told to stop.
    over: &'a AtomicBool,
    stop: &'a AtomicBool,
}

impl Tester for Limited<'_> {
    fn due(&mut self) -> Option<Nanos> {
        if self.stop.load(Relaxed) {
            self.over.store(true, Relaxed);
        }
        if self.left == 0 { None } else { self.inner.due() }
    }

    fn take(&mut self) -> Option<Due> {
        let due = self.inner.take()?;
        self.left -= 1;
        self.out += 1;
        Some(due)
    }

    fn done(&mut self, user: u32, at: Nanos, failed: bool) {
        self.out -= 1;
        if self.left == 0 && self.out == 0 {
            self.over.store(true, Relaxed);
        }
        self.inner.done(user, at, failed);
    }
}
