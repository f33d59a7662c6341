//! Requests that are due and not done, oldest first.
//!
//! A slab with a list through it: taking, finding and ending a request cost
//! the same however many are out, and the first of the list is the first whose
//! time limit comes, since all have the same limit and come in order.

use crate::net::Slot;
use model::Nanos;
use schedule::Due;

/// A request's place in the slab.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FlightId(u32);

/// Where a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Waiting for whichever connection is free first.
    Waiting,
    /// Waiting for this connection to open.
    Opening(Slot),
    /// Sent, or being sent, on this connection.
    On(Slot),
}

/// A request on its way.
#[derive(Clone, Debug)]
pub(crate) struct Flight {
    pub due: Due,
    pub place: Place,
    pub waiting_since: Nanos,
    pub waited: Nanos,
    pub sent: Option<Nanos>,
    pub first_byte: Option<Nanos>,
    pub connect: Option<Nanos>,
    pub connection: u32,
    pub bytes_in: u64,
    pub bytes_out: u32,
    pub status: u16,
    pub resent: u8,
}

impl Flight {
    /// A request that was taken at `now` and has no connection yet.
    pub fn new(due: Due, now: Nanos) -> Flight {
        Flight {
            due,
            place: Place::Waiting,
            waiting_since: now,
            waited: Nanos::ZERO,
            sent: None,
            first_byte: None,
            connect: None,
            connection: 0,
            bytes_in: 0,
            bytes_out: 0,
            status: 0,
            resent: 0,
        }
    }
}

const NOBODY: u32 = u32::MAX;

struct Entry {
    flight: Flight,
    older: u32,
    newer: u32,
}

/// All requests on their way.
pub(crate) struct Flights {
    entries: Vec<Entry>,
    unused: Vec<u32>,
    oldest: u32,
    newest: u32,
}

impl Flights {
    pub fn new() -> Flights {
        Flights { entries: Vec::new(), unused: Vec::new(), oldest: NOBODY, newest: NOBODY }
    }

    /// Takes in a request, not older than any taken in before.
    pub fn insert(&mut self, flight: Flight) -> FlightId {
        let entry = Entry { flight, older: self.newest, newer: NOBODY };
        let id = match self.unused.pop() {
            Some(id) => {
                self.entries[id as usize] = entry;
                id
            }
            None => {
                self.entries.push(entry);
                (self.entries.len() - 1) as u32
            }
        };
        match self.newest {
            NOBODY => self.oldest = id,
            newest => self.entries[newest as usize].newer = id,
        }
        self.newest = id;
        FlightId(id)
    }

    /// Takes out a request that has ended.
    pub fn remove(&mut self, id: FlightId) -> Flight {
        let (older, newer) = (self.entries[id.0 as usize].older, self.entries[id.0 as usize].newer);
        match older {
            NOBODY => self.oldest = newer,
            older => self.entries[older as usize].newer = newer,
        }
        match newer {
            NOBODY => self.newest = older,
            newer => self.entries[newer as usize].older = older,
        }
        self.unused.push(id.0);
        self.entries[id.0 as usize].flight.clone()
    }

    /// The request that was due first.
    pub fn oldest(&self) -> Option<FlightId> {
        (self.oldest != NOBODY).then_some(FlightId(self.oldest))
    }

    pub fn get(&self, id: FlightId) -> &Flight {
        &self.entries[id.0 as usize].flight
    }

    pub fn get_mut(&mut self, id: FlightId) -> &mut Flight {
        &mut self.entries[id.0 as usize].flight
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flight(index: u64) -> Flight {
        Flight::new(Due { index, user: 0, scheduled: Nanos(index) }, Nanos(index))
    }

    #[test]
    fn the_oldest_is_first_whatever_ends_in_between() {
        let mut flights = Flights::new();
        let ids: Vec<FlightId> = (0..5).map(|index| flights.insert(flight(index))).collect();
        let oldest = |flights: &Flights| flights.oldest().map(|id| flights.get(id).due.index);
        for (ended, then_oldest) in [(2, Some(0)), (0, Some(1)), (4, Some(1)), (1, Some(3)), (3, None)] {
            assert_eq!(flights.remove(ids[ended]).due.index, ended as u64);
            assert_eq!(oldest(&flights), then_oldest, "after {ended} ended");
        }
        flights.insert(flight(9));
        assert_eq!(oldest(&flights), Some(9));
    }

    #[test]
    fn places_are_used_again_so_that_memory_follows_what_is_out() {
        let mut flights = Flights::new();
        for index in 0..1_000 {
            let id = flights.insert(flight(index));
            flights.remove(id);
        }
        assert_eq!(flights.entries.len(), 1);
    }
}
