//! The simulated clock and network.

use crate::server::{Accept, Action, Server};
use engine::{Clock, Happened, Net, NetError, Slot, Wake, What};
use model::{CpuUse, Nanos};
use std::borrow::Cow;
use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::rc::Rc;

/// A clock that stands still until the network it belongs to waits.
#[derive(Clone, Debug)]
pub struct SimClock(Rc<Cell<Nanos>>);

impl Clock for SimClock {
    fn now(&self) -> Nanos {
        self.0.get()
    }

    fn cpu(&self) -> CpuUse {
        CpuUse::default()
    }
}

/// A clock and a network in front of `server`, both at zero.
pub fn simulated<V: Server>(server: V) -> (SimClock, SimNet<V>) {
    let clock = SimClock(Rc::new(Cell::new(Nanos::ZERO)));
    let net = SimNet {
        clock: clock.clone(),
        server,
        connections: Vec::new(),
        opened: 0,
        ahead: BinaryHeap::new(),
        order: 0,
        now: VecDeque::new(),
        received: Cow::Borrowed(&[]),
        late_by: Nanos::ZERO,
    };
    (clock, net)
}

/// A network on which nothing takes time but the server.
pub struct SimNet<V> {
    clock: SimClock,
    server: V,
    connections: Vec<SimConnection>,
    opened: u64,
    ahead: BinaryHeap<Reverse<Ahead>>,
    order: u64,
    now: VecDeque<(Happened, Cow<'static, [u8]>)>,
    received: Cow<'static, [u8]>,
    late_by: Nanos,
}

#[derive(Default)]
struct SimConnection {
    /// The connection's number, 0 while closed: events of an earlier
    /// connection in the same slot are dropped by it.
    number: u64,
    outgoing: Vec<u8>,
}

/// Something that will happen, ordered by moment, then by when it was planned.
struct Ahead {
    at: Nanos,
    order: u64,
    slot: Slot,
    number: u64,
    what: What,
    bytes: Cow<'static, [u8]>,
}

impl PartialEq for Ahead {
    fn eq(&self, other: &Ahead) -> bool {
        (self.at, self.order) == (other.at, other.order)
    }
}
impl Eq for Ahead {}
impl PartialOrd for Ahead {
    fn partial_cmp(&self, other: &Ahead) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Ahead {
    fn cmp(&self, other: &Ahead) -> std::cmp::Ordering {
        (self.at, self.order).cmp(&(other.at, other.order))
    }
}

impl<V> SimNet<V> {
    /// Every wait ends this much late, as on a machine that wakes threads slowly.
    #[must_use]
    pub fn waking_late_by(mut self, late_by: Nanos) -> SimNet<V> {
        self.late_by = late_by;
        self
    }

    fn plan(&mut self, slot: Slot, number: u64, at: Nanos, what: What, bytes: Cow<'static, [u8]>) {
        self.order += 1;
        self.ahead.push(Reverse(Ahead { at, order: self.order, slot, number, what, bytes }));
    }
}

impl<V: Server> Net for SimNet<V> {
    fn connect(&mut self, slot: Slot) {
        while self.connections.len() <= slot.index() {
            self.connections.push(SimConnection::default());
        }
        self.opened += 1;
        let number = self.opened;
        self.connections[slot.index()].number = number;
        let now = self.clock.now();
        match self.server.connect(now, number) {
            Accept::After(delay) => self.plan(slot, number, now + delay, What::Connected, Cow::Borrowed(&[])),
            Accept::Refuse(error) => {
                self.plan(slot, number, now, What::Failed(NetError::Os(error)), Cow::Borrowed(&[]));
            }
            Accept::Never => {}
        }
    }

    fn outgoing(&mut self, slot: Slot) -> &mut Vec<u8> {
        &mut self.connections[slot.index()].outgoing
    }

    fn send(&mut self, slot: Slot) {
        let now = self.clock.now();
        self.now.push_back((Happened { slot, at: now, seen: now, what: What::Sent }, Cow::Borrowed(&[])));
        let number = self.connections[slot.index()].number;
        let message = std::mem::take(&mut self.connections[slot.index()].outgoing);
        for reply in self.server.request(now, number, &message) {
            let (what, bytes) = match reply.action {
                Action::Bytes(bytes) => (What::Received, bytes),
                Action::Close => (What::PeerClosed, Cow::Borrowed(&[][..])),
                Action::Break(error) => (What::Failed(NetError::Os(error)), Cow::Borrowed(&[][..])),
            };
            self.plan(slot, number, reply.at, what, bytes);
        }
        let mut emptied = message;
        emptied.clear();
        self.connections[slot.index()].outgoing = emptied;
    }

    fn is_sending(&self, _: Slot) -> bool {
        false
    }

    fn close(&mut self, slot: Slot) {
        self.connections[slot.index()].number = 0;
        self.connections[slot.index()].outgoing.clear();
        self.now.retain(|(happened, _)| happened.slot != slot);
    }

    fn wait(&mut self, until: Nanos, _: Wake) -> bool {
        if !self.now.is_empty() {
            return false;
        }
        let first = self.ahead.peek().map_or(until, |Reverse(first)| first.at.min(until));
        let woken = first.max(self.clock.now()).saturating_add(self.late_by);
        self.clock.0.set(woken);
        while self.ahead.peek().is_some_and(|Reverse(next)| next.at <= woken) {
            let Some(Reverse(next)) = self.ahead.pop() else { break };
            // A connection that was closed meanwhile has no more events.
            if self.connections[next.slot.index()].number == next.number {
                self.now.push_back((
                    Happened { slot: next.slot, at: next.at, seen: next.at, what: next.what },
                    next.bytes,
                ));
            }
        }
        true
    }

    fn next(&mut self) -> Option<Happened> {
        let (mut happened, bytes) = self.now.pop_front()?;
        self.received = bytes;
        (happened.at, happened.seen) = (self.clock.now(), self.clock.now());
        Some(happened)
    }

    fn received(&self) -> &[u8] {
        &self.received
    }

    fn backend(&self) -> &'static str {
        "simulated"
    }
}
