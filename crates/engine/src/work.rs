//! The requests a run sends, made ready before it starts.

use crate::capture::Capture;
use crate::expect::Expect;
use model::Seed;
use wire::h1::Asked;

/// A request as bytes, and what its answer must be.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// Head and body, as they go over the wire.
    pub bytes: Box<[u8]>,
    /// What it asked that bears on reading its answer.
    pub asked: Asked,
    /// What its answer must be.
    pub expect: Expect,
}

/// All requests of a run, and which of them an arrival sends: that follows from
/// its number alone, so every tester of a round asks the same.
#[derive(Clone, Debug)]
pub struct Work {
    requests: Vec<Prepared>,
    choice: Choice,
    capture: Option<Capture>,
}

#[derive(Clone, Debug)]
enum Choice {
    /// Drawn from the seed by each arrival's mark.
    Drawn(Seed),
    /// As it was recorded; never empty.
    Recorded(Vec<u32>),
}

impl Work {
    /// Work that draws from `requests`; `None` if there are none.
    pub fn new(requests: Vec<Prepared>, seed: Seed) -> Option<Work> {
        let choice = Choice::Drawn(seed.derive("work"));
        (!requests.is_empty()).then_some(Work { requests, choice, capture: None })
    }

    /// Work in which the n-th arrival sends the request that `order[n]` counts
    /// out from 0, and after the last of them begins again. `None` if there is
    /// no order, or one that counts further than there are requests.
    pub fn recorded(requests: Vec<Prepared>, order: Vec<u32>) -> Option<Work> {
        let fits = order.iter().all(|&one| (one as usize) < requests.len());
        (fits && !order.is_empty()).then_some(Work {
            requests,
            choice: Choice::Recorded(order),
            capture: None,
        })
    }

    /// The same work, of whose answers it is kept which work they accepted.
    #[must_use]
    pub fn capturing(self, capture: Capture) -> Work {
        Work { capture: Some(capture), ..self }
    }

    /// Where an answer names the work that it accepted, if that is asked.
    pub(crate) fn capture(&self) -> Option<&Capture> {
        self.capture.as_ref()
    }

    /// The request of arrival `index`.
    pub fn of(&self, index: u64) -> &Prepared {
        let chosen = match &self.choice {
            Choice::Drawn(seed) => {
                let count = self.requests.len() as u128;
                // The high half of mark × count is uniform below count.
                ((u128::from(seed.mark(index)) * count) >> 64) as usize
            }
            Choice::Recorded(order) => order[(index % order.len() as u64) as usize] as usize,
        };
        &self.requests[chosen]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prepared(text: &str) -> Prepared {
        Prepared { bytes: text.as_bytes().into(), asked: Asked::default(), expect: Expect::default() }
    }

    #[test]
    fn work_is_drawn_from_all_requests_by_the_arrivals_number() {
        let work = Work::new(["a", "b", "c"].map(prepared).to_vec(), Seed(7)).expect("three requests");
        let mut counts = [0; 3];
        for index in 0..3_000 {
            assert_eq!(work.of(index).bytes, work.of(index).bytes);
            counts[usize::from(work.of(index).bytes[0] - b'a')] += 1;
        }
        assert!(counts.iter().all(|count| (900..1_100).contains(count)), "{counts:?}");
    }

    #[test]
    fn no_requests_are_no_work() {
        assert!(Work::new(Vec::new(), Seed(7)).is_none());
    }

    #[test]
    fn recorded_work_keeps_its_order_and_begins_again() {
        let requests = ["a", "b"].map(prepared).to_vec();
        let work = Work::recorded(requests.clone(), vec![1, 1, 0]).expect("an order");
        let sent: Vec<u8> = (0..6).map(|index| work.of(index).bytes[0]).collect();
        assert_eq!(sent, b"bbabba");
        assert!(Work::recorded(requests.clone(), vec![0, 2]).is_none(), "there are two requests");
        assert!(Work::recorded(requests, Vec::new()).is_none());
    }
}
