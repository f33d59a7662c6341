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
    /// Whether it was opened for one request alone.
    is_reserved: bool,
    /// The user that owns it, where users own connections.
    owner: Option<u32>,
    pub answer: Answer,
    /// Answers it has carried to their end.
    pub answers: u64,
    /// Bytes of the body that were as expected so far.
    pub matched: usize,
    /// Whether the body differs from what was expected.
    pub differs: bool,
    /// The body so far, where a check looks into it; at most a byte beyond its limit.
    pub body: Vec<u8>,
    /// Its place in the list of idle ones, while idle.
    idle_at: usize,
}

/// All connections of a worker.
pub(crate) struct Connections {
    policy: ConnectionPolicy,
    /// Connections allowed.
    planned_limit: u32,
    /// Connections allowed for now: fewer after the machine refused one.
    limit: u32,
    /// When to try the planned limit again.
    raise_at: Nanos,
    numbers: Numbers,
    all: Vec<Connection>,
    closed: Vec<Slot>,
    /// The one answered last is used first: the fewest connections stay busy.
    idle: Vec<Slot>,
    /// Those that open for whichever request waits, in the order in which they
    /// were begun.
    opening: VecDeque<Slot>,
    of_user: Vec<Option<Slot>>,
    open: u32,
    pub opened: u64,
    pub peak: u32,
    /// The fewest that the machine allowed, where it refused more.
    pub lowered_to: Option<u32>,
}

/// How long fewer connections are tried after the machine refused one. Ports
/// and descriptors come back within seconds; asking ten times a second costs nothing.
const SHORTAGE_PAUSE: Nanos = Nanos::from_millis(100);

/// Which numbers a worker gives to its connections, so that no other worker of
/// the run gives the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// The first.
    pub first: u32,
    /// The distance to the next.
    pub step: u32,
}

impl Numbers {
    /// All from 1 on.
    pub const ALL: Numbers = Numbers { first: 1, step: 1 };
}

impl Connections {
    pub fn new(policy: ConnectionPolicy, limit: u32, numbers: Numbers) -> Connections {
        Connections {
            policy,
            planned_limit: limit,
            limit,
            raise_at: Nanos::MAX,
            numbers,
            all: Vec::new(),
            closed: Vec::new(),
            idle: Vec::new(),
            opening: VecDeque::new(),
            of_user: Vec::new(),
            open: 0,
            opened: 0,
            peak: 0,
            lowered_to: None,
        }
    }

    pub fn get(&mut self, slot: Slot) -> &mut Connection {
        &mut self.all[slot.index()]
    }

    /// An idle connection that a request of `user` may have.
    pub fn idle_for(&self, user: u32) -> Option<Slot> {
        match self.policy {
            ConnectionPolicy::Reuse => self.idle.last().copied(),
            ConnectionPolicy::PerUser => {
                let own = self.of_user.get(user as usize).copied().flatten();
                own.filter(|slot| self.all[slot.index()].state == State::Idle)
            }
            ConnectionPolicy::PerRequest => None,
        }
    }

    /// Whether an answered connection may carry another request.
    pub fn keeps(&self) -> bool {
        self.policy != ConnectionPolicy::PerRequest
    }

    pub fn may_open(&self) -> bool {
        self.open < self.limit
    }

    /// Connections that open for whichever request waits.
    pub fn opening(&self) -> usize {
        self.opening.len()
    }

    /// The one of those that has been opening the longest.
    pub fn longest_opening(&self) -> Option<Slot> {
        self.opening.front().copied()
    }

    /// The machine refused a connection: for a while, what is open is the
    /// limit. False if nothing is open, so that waiting for it would be in vain.
    pub fn refused_by_machine(&mut self, now: Nanos) -> bool {
        self.lowered_to = Some(self.lowered_to.map_or(self.open, |lowest| lowest.min(self.open)));
        if self.open == 0 {
            return false;
        }
        self.limit = self.open;
        self.raise_at = now.saturating_add(SHORTAGE_PAUSE);
        true
    }

    /// Tries the planned limit again once the pause is over; true at that moment.
    pub fn raise_limit(&mut self, now: Nanos) -> bool {
        let is_time = now >= self.raise_at;
        if is_time {
            self.limit = self.planned_limit;
            self.raise_at = Nanos::MAX;
        }
        is_time
    }

    /// A slot for a connection that is about to be opened, for `flight` of a
    /// user or for whichever request waits.
    pub fn begin(&mut self, now: Nanos, reserved: Option<(FlightId, u32)>) -> Slot {
        self.open += 1;
        self.opened += 1;
        self.peak = self.peak.max(self.open);
        let slot = self.closed.pop().unwrap_or_else(|| self.add());
        let number = self.numbers.first + (self.opened as u32 - 1) * self.numbers.step;
        let connection = self.get(slot);
        connection.state = State::Opening;
        connection.number = number;
        connection.opened_at = now;
        connection.answers = 0;
        connection.flight = reserved.map(|(flight, _)| flight);
        connection.is_reserved = reserved.is_some();
        if reserved.is_none() {
            self.opening.push_back(slot);
        }
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
            is_reserved: false,
            owner: None,
            answer: Answer::default(),
            answers: 0,
            matched: 0,
            differs: false,
            body: Vec::new(),
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
        connection.body.clear();
    }

    /// The connection is closed.
    pub fn set_closed(&mut self, slot: Slot) {
        self.leave(slot);
        let connection = self.get(slot);
        connection.state = State::Closed;
        connection.flight = None;
        connection.answer = Answer::default();
        let owner = connection.owner.take();
        if let Some(of_user) = owner.and_then(|user| self.of_user.get_mut(user as usize))
            && *of_user == Some(slot)
        {
            *of_user = None;
        }
        self.open -= 1;
        self.closed.push(slot);
    }

    /// Takes the slot out of the list that its state keeps it in.
    fn leave(&mut self, slot: Slot) {
        match self.all[slot.index()].state {
            State::Opening if self.all[slot.index()].is_reserved => {}
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
    fn the_connection_answered_last_is_taken_first_and_a_closed_one_never() {
        let mut connections = Connections::new(ConnectionPolicy::Reuse, 8, Numbers::ALL);
        let slots: Vec<Slot> = (0..3).map(|_| connections.begin(Nanos::ZERO, None)).collect();
        assert_eq!(connections.idle_for(0), None);
        slots.iter().for_each(|slot| connections.set_idle(*slot));
        assert_eq!(connections.idle_for(0), Some(slots[2]));
        connections.set_closed(slots[0]);
        connections.set_closed(slots[2]);
        assert_eq!(connections.idle_for(0), Some(slots[1]));
        connections.set_closed(slots[1]);
        assert_eq!(connections.idle_for(0), None);
        assert_eq!((connections.open, connections.opened, connections.peak), (0, 3, 3));
    }

    #[test]
    fn a_user_keeps_its_own_connection() {
        let mut flights = crate::flights::Flights::new();
        let due = schedule::Due { index: 0, user: 5, scheduled: Nanos::ZERO };
        let flight = flights.insert(crate::flights::Flight::new(due, Nanos::ZERO));
        let mut connections = Connections::new(ConnectionPolicy::PerUser, 8, Numbers::ALL);
        assert_eq!(connections.idle_for(5), None);
        let slot = connections.begin(Nanos::ZERO, Some((flight, 5)));
        connections.set_idle(slot);
        assert_eq!((connections.idle_for(5), connections.idle_for(4)), (Some(slot), None));
        connections.set_closed(slot);
        assert_eq!(connections.idle_for(5), None);
    }

    #[test]
    fn after_the_machine_refused_one_what_is_open_is_the_limit_for_a_while() {
        let mut connections = Connections::new(ConnectionPolicy::Reuse, 8, Numbers::ALL);
        assert!(!connections.refused_by_machine(Nanos::ZERO), "nothing is open, so waiting would be in vain");
        connections.begin(Nanos::ZERO, None);
        assert!(connections.refused_by_machine(Nanos(5)));
        assert!(!connections.may_open());
        assert!(!connections.raise_limit(Nanos(4) + SHORTAGE_PAUSE) && !connections.may_open());
        assert!(connections.raise_limit(Nanos(5) + SHORTAGE_PAUSE) && connections.may_open());
        assert_eq!(connections.lowered_to, Some(0));
    }

    #[test]
    fn connections_of_two_workers_never_have_one_number() {
        let numbers = |first| {
            let mut connections = Connections::new(ConnectionPolicy::Reuse, 8, Numbers { first, step: 2 });
            [0; 3].map(|_| {
                let slot = connections.begin(Nanos::ZERO, None);
                connections.get(slot).number
            })
        };
        assert_eq!((numbers(1), numbers(2)), ([1, 3, 5], [2, 4, 6]));
    }
}
