//! The requests a run sends, made ready before it starts.

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

/// All requests of a run. Which one an arrival sends is drawn from the seed and
/// the arrival's number alone, so every tester of a round asks the same.
#[derive(Clone, Debug)]
pub struct Work {
    requests: Vec<Prepared>,
    seed: Seed,
}

impl Work {
    /// Work that draws from `requests`; `None` if there are none.
    pub fn new(requests: Vec<Prepared>, seed: Seed) -> Option<Work> {
        (!requests.is_empty()).then(|| Work { requests, seed: seed.derive("work") })
    }

    /// The request of arrival `index`.
    pub fn of(&self, index: u64) -> &Prepared {
        let count = self.requests.len() as u128;
        // The high half of mark × count is uniform below count.
        let chosen = (u128::from(self.seed.mark(index)) * count) >> 64;
        &self.requests[chosen as usize]
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
}
