//! Standing still as planned, and the record of it.
//!
//! The service has one thread, so holding that thread holds everything: no
//! connection is accepted, nothing is read, nothing is answered. Two places
//! look whether a stall is due: an alarm, which wakes an idle event loop, and
//! every `/score`, before its work and in the middle of it. Without the second,
//! a stall would wait behind all the requests that are ready when it falls due,
//! because the loop runs those before it looks at its alarm, and would always
//! fall between two requests, which no real pause does.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use serde::Serialize;
use tokio::task::AbortHandle;

use crate::alarm::Alarm;
use crate::clock;
use crate::stall_plan::{How, StallPlan};

/// One stall as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Stall {
    pub(crate) began_ns: u64,
    pub(crate) ended_ns: u64,
}

/// What came of a plan so far; the body of `/stalls`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct StallReport {
    /// How many stalls the last plan held, those disarmed since included.
    pub(crate) planned: usize,
    /// Those of them that are over, in order.
    pub(crate) stalls: Vec<Stall>,
}

/// The stalls of the service: at most one plan at a time.
#[derive(Default)]
pub(crate) struct Stalls {
    armed: Mutex<Armed>,
}

#[derive(Default)]
struct Armed {
    due_ns: VecDeque<u64>,
    hold: Option<Hold>,
    report: StallReport,
    watch: Option<AbortHandle>,
}

/// How one stall is carried out.
#[derive(Clone, Copy)]
struct Hold {
    how: How,
    length: Duration,
}

impl Hold {
    fn carry_out(self) -> Stall {
        let began_ns = clock::now_ns();
        match self.how {
            How::Sleep => clock::sleep(self.length),
            How::Burn => clock::burn_until(began_ns + clock::length_ns(self.length)),
        }
        Stall { began_ns, ended_ns: clock::now_ns() }
    }
}

impl Stalls {
    /// Takes up a plan in place of the one before. Must be called on the event
    /// loop that is to stand still.
    pub(crate) fn arm(self: &Arc<Self>, plan: StallPlan) -> io::Result<()> {
        let alarm = Alarm::new()?;
        self.disarm();
        let mut armed = self.armed();
        armed.report = StallReport { planned: plan.moments_ns.len(), stalls: Vec::new() };
        armed.due_ns = plan.moments_ns.into();
        armed.hold = Some(Hold { how: plan.how, length: plan.length });
        armed.watch = Some(tokio::spawn(watch(Arc::clone(self), alarm)).abort_handle());
        Ok(())
    }

    /// Drops the stalls that are still to come.
    pub(crate) fn disarm(&self) {
        let mut armed = self.armed();
        armed.due_ns.clear();
        if let Some(watch) = armed.watch.take() {
            watch.abort();
        }
    }

    /// Stands still if a stall is due; says for how long it did, in nanoseconds.
    pub(crate) fn stand_still_if_due(&self) -> u64 {
        let Some(hold) = self.take_due() else { return 0 };
        let stall = hold.carry_out();
        self.armed().report.stalls.push(stall);
        stall.ended_ns - stall.began_ns
    }

    pub(crate) fn report(&self) -> StallReport {
        self.armed().report.clone()
    }

    fn take_due(&self) -> Option<Hold> {
        let mut armed = self.armed();
        let due_ns = *armed.due_ns.front()?;
        if clock::now_ns() < due_ns {
            return None;
        }
        armed.due_ns.pop_front();
        armed.hold
    }

    pub(crate) fn next_due_ns(&self) -> Option<u64> {
        self.armed().due_ns.front().copied()
    }

    fn armed(&self) -> MutexGuard<'_, Armed> {
        self.armed.lock().expect("nothing panics while it holds this lock")
    }
}

/// Wakes the event loop for each stall. Should the system refuse to wait, the
/// plan is left to the requests, and the report shows fewer stalls than planned.
async fn watch(stalls: Arc<Stalls>, alarm: Alarm) -> io::Result<()> {
    while let Some(due_ns) = stalls.next_due_ns() {
        alarm.wait_until(due_ns).await?;
        stalls.stand_still_if_due();
    }
    Ok(())
}
