//! The requests a run sends, made ready before it starts.

use model::Seed;
use wire::h1::Asked;

/// What an answer must be to count as ok.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expect {
    /// The status; without one, anything from 200 to 399 will do.
    pub status: Option<u16>,
    /// The whole body, byte for byte; without one, any body will do.
    pub body: Option<Box<[u8]>>,
}

impl Expect {
    /// Whether `status` is as expected.
    pub fn accepts(&self, status: u16) -> bool {
        match self.status {
            Some(expected) => status == expected,
            None => (200..400).contains(&status),
        }
    }
}

/// A request as bytes, and what its answer must be.
#[derive(Clone, Debug, PartialEq, Eq)]
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
            assert_eq!(work.of(index), work.of(index));
            counts[usize::from(work.of(index).bytes[0] - b'a')] += 1;
        }
        assert!(counts.iter().all(|count| (900..1_100).contains(count)), "{counts:?}");
    }

    #[test]
    fn no_requests_are_no_work() {
        assert!(Work::new(Vec::new(), Seed(7)).is_none());
    }

    #[test]
    fn without_an_expected_status_two_and_three_hundreds_will_do() {
        let any = Expect::default();
        let created = Expect { status: Some(201), body: None };
        for (status, by_any, by_created) in [
            (200, true, false),
            (201, true, true),
            (304, true, false),
            (429, false, false),
            (503, false, false),
        ] {
            assert_eq!((any.accepts(status), created.accepts(status)), (by_any, by_created), "{status}");
        }
    }
}
