//! The connections of one worker: which are open, idle or opening.

use crate::flights::FlightId;
use crate::net::Slot;
use model::{ConnectionPolicy, Nanos};
use std::collections::VecDeque;
use wire::h1::Answer;

/// What a connection is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Closed,
    Opening,
    Idle,
    Busy,
}

/// One connection.
pub(crate) struct Connection {
    pub state: State,
    /// Its number in the order of opening, from 1.
    pub number: u32,
    pub opened_at: Nanos,
    /// The request it carries, or that waits for it to open.
    pub flight: Option<FlightId>,
    /// The user that owns it, where users own connections.
    owner: Option<u32>,
    pub answer: Answer,
    /// Answers it has carried to their end.
    pub answers: u64,
    /// Bytes of the body that were as expected so far.
    pub matched: usize,
    /// Whether the body differs from what was expected.
    pub differs: bool,
    /// Its place in the list of idle ones, while idle.
    idle_at: usize,
}

/// Where a request may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pick {
    /// This connection is idle.
    Idle(Slot),
    /// Open one for this request alone.
    OpenOwn,
    /// Wait for whichever is free first, opening one more if that is allowed.
    Wait,
}

/// All connections of a worker.
pub(crate) struct Connections {
    policy: ConnectionPolicy,
    limit: u32,
    all: Vec<Connection>,
    closed: Vec<Slot>,
    /// The one answered last is used first: the fewest connections stay busy.
    idle: Vec<Slot>,
    /// In the order in which they were opened.
    opening: VecDeque<Slot>,
    of_user: Vec<Option<Slot>>,
    open: u32,
    pub opened: u64,
    pub peak: u32,
}

impl Connections {
    pub fn new(policy: ConnectionPolicy, limit: u32) -> Connections {
        Connections {
            policy,
            limit,
            all: Vec::new(),
            closed: Vec::new(),
            idle: Vec::new(),
            opening: VecDeque::new(),
            of_user: Vec::new(),
            open: 0,
            opened: 0,
            peak: 0,
        }
    }

    pub fn get(&mut self, slot: Slot) -> &mut Connection {
        &mut self.all[slot.index()]
    }

    /// Where a request of `user` may go.
    pub fn pick(&self, user: u32) -> Pick {
        match self.policy {
            ConnectionPolicy::Reuse => self.idle.last().map_or(Pick::Wait, |slot| Pick::Idle(*slot)),
            ConnectionPolicy::PerUser => match self.of_user.get(user as usize).copied().flatten() {
                Some(slot) if self.all[slot.index()].state == State::Idle => Pick::Idle(slot),
                _ => Pick::OpenOwn,
            },
            ConnectionPolicy::PerRequest => Pick::OpenOwn,
        }
    }

    /// Whether an answered connection may carry another request.
    pub fn keeps(&self) -> bool {
        self.policy != ConnectionPolicy::PerRequest
    }

    pub fn may_open(&self) -> bool {
        self.open < self.limit
    }

    pub fn opening(&self) -> usize {
        self.opening.len()
    }

    /// The connection that has been opening the longest.
    pub fn longest_opening(&self) -> Option<Slot> {
        self.opening.front().copied()
    }

    /// The machine allows no more: what is open now is the limit. False if
    /// nothing is open, so that waiting would be in vain.
    pub fn lower_limit(&mut self) -> bool {
        self.limit = self.open.max(1);
        self.open > 0
    }

    /// A slot for a connection that is about to be opened, for `flight` of a
    /// user or for whichever request waits.
    pub fn begin(&mut self, now: Nanos, reserved: Option<(FlightId, u32)>) -> Slot {
        self.open += 1;
        self.opened += 1;
        self.peak = self.peak.max(self.open);
        let slot = self.closed.pop().unwrap_or_else(|| self.add());
        let number = self.opened as u32;
        let connection = self.get(slot);
        connection.state = State::Opening;
        connection.number = number;
        connection.opened_at = now;
        connection.answers = 0;
        connection.flight = reserved.map(|(flight, _)| flight);
        self.opening.push_back(slot);
        if let (ConnectionPolicy::PerUser, Some((_, user))) = (self.policy, reserved) {
            self.own(slot, user);
        }
        slot
    }

    fn add(&mut self) -> Slot {
        self.all.push(Connection {
            state: State::Closed,
            number: 0,
            opened_at: Nanos::ZERO,
            flight: None,
            owner: None,
            answer: Answer::default(),
            answers: 0,
            matched: 0,
            differs: false,
            idle_at: 0,
        });
        Slot((self.all.len() - 1) as u32)
    }

    fn own(&mut self, slot: Slot, user: u32) {
        if self.of_user.len() <= user as usize {
            self.of_user.resize(user as usize + 1, None);
        }
        self.of_user[user as usize] = Some(slot);
        self.get(slot).owner = Some(user);
    }

    /// The connection is open and idle, or idle again.
    pub fn set_idle(&mut self, slot: Slot) {
        self.leave(slot);
        let idle_at = self.idle.len();
        self.idle.push(slot);
        let connection = self.get(slot);
        connection.state = State::Idle;
        connection.idle_at = idle_at;
        connection.flight = None;
    }

    /// The connection carries `flight`.
    pub fn set_busy(&mut self, slot: Slot, flight: FlightId) {
        self.leave(slot);
        let connection = self.get(slot);
        connection.state = State::Busy;
        connection.flight = Some(flight);
        connection.matched = 0;
        connection.differs = false;
    }

    /// The connection is closed.
    pub fn set_closed(&mut self, slot: Slot) {
        self.leave(slot);
        let connection = self.get(slot);
        connection.state = State::Closed;
        connection.flight = None;
        connection.answer = Answer::default();
        if let Some(user) = connection.owner.take() {
            self.of_user[user as usize] = None;
        }
        self.open -= 1;
        self.closed.push(slot);
    }

    /// Takes the slot out of the list that its state keeps it in.
    fn leave(&mut self, slot: Slot) {
        match self.get(slot).state {
            State::Opening => {
                // They mostly open in the order in which they were begun.
                if self.opening.front() == Some(&slot) {
                    self.opening.pop_front();
                } else {
                    self.opening.retain(|opening| *opening != slot);
                }
            }
            State::Idle => {
                let at = self.get(slot).idle_at;
                self.idle.swap_remove(at);
                if let Some(moved) = self.idle.get(at).copied() {
                    self.get(moved).idle_at = at;
                }
            }
            State::Busy | State::Closed => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_connection_answered_last_is_picked_first_and_a_closed_one_never() {
        let mut connections = Connections::new(ConnectionPolicy::Reuse, 8);
        let slots: Vec<Slot> = (0..3).map(|_| connections.begin(Nanos::ZERO, None)).collect();
        assert_eq!(connections.pick(0), Pick::Wait);
        slots.iter().for_each(|slot| connections.set_idle(*slot));
        assert_eq!(connections.pick(0), Pick::Idle(slots[2]));
        connections.set_closed(slots[0]);
        connections.set_closed(slots[2]);
        assert_eq!(connections.pick(0), Pick::Idle(slots[1]));
        connections.set_closed(slots[1]);
        assert_eq!(connections.pick(0), Pick::Wait);
        assert_eq!((connections.open, connections.opened, connections.peak), (0, 3, 3));
    }

    #[test]
    fn a_user_keeps_its_own_connection() {
        let mut flights = crate::flights::Flights::new();
        let due = schedule::Due { index: 0, user: 5, scheduled: Nanos::ZERO };
        let flight = flights.insert(crate::flights::Flight::new(due, Nanos::ZERO));
        let mut connections = Connections::new(ConnectionPolicy::PerUser, 8);
        assert_eq!(connections.pick(5), Pick::OpenOwn);
        let slot = connections.begin(Nanos::ZERO, Some((flight, 5)));
        connections.set_idle(slot);
        assert_eq!((connections.pick(5), connections.pick(4)), (Pick::Idle(slot), Pick::OpenOwn));
        connections.set_closed(slot);
        assert_eq!(connections.pick(5), Pick::OpenOwn);
    }

    #[test]
    fn when_the_machine_allows_no_more_what_is_open_is_the_limit() {
        let mut connections = Connections::new(ConnectionPolicy::Reuse, 8);
        assert!(!connections.lower_limit(), "nothing is open, so waiting would be in vain");
        let mut connections = Connections::new(ConnectionPolicy::Reuse, 8);
        connections.begin(Nanos::ZERO, None);
        assert!(connections.lower_limit());
        assert!(!connections.may_open());
    }
}
