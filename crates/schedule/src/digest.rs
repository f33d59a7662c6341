//! What a schedule is, in a line: how many arrivals, and a hash of them all.
//! Two runs with one hash were asked for the same thing at the same moments.

use crate::Arrival;
use model::Nanos;
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// A schedule, summed up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrivalsDigest {
    /// All arrivals.
    pub count: u64,
    /// Those at or after the warm-up's end.
    pub counted: u64,
    /// SHA-256 of every arrival's scheduled nanoseconds, each as 8 bytes,
    /// lowest first; in hex.
    pub hash: String,
}

/// Walks all `arrivals` and sums them up.
pub fn digest(arrivals: impl IntoIterator<Item = Arrival>, warm_up: Nanos) -> ArrivalsDigest {
    let (mut count, mut counted, mut hash) = (0, 0, Sha256::new());
    for arrival in arrivals {
        count += 1;
        counted += u64::from(arrival.scheduled >= warm_up);
        hash.update(arrival.scheduled.0.to_le_bytes());
    }
    ArrivalsDigest { count, counted, hash: hex(&hash.finalize()) }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string takes all that is written to it");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(moments: &[u64], warm_up: u64) -> ArrivalsDigest {
        let arrivals = moments.iter().zip(0..);
        digest(arrivals.map(|(&at, index)| Arrival { index, scheduled: Nanos(at) }), Nanos(warm_up))
    }

    #[test]
    fn the_hash_of_no_arrivals_is_that_of_no_bytes() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(of(&[], 0), ArrivalsDigest { count: 0, counted: 0, hash: empty.into() });
    }

    #[test]
    fn the_first_counted_arrival_is_due_as_the_warm_up_ends() {
        let moments = [0, 9, 10, 11];
        for (warm_up, counted) in [(0, 4), (9, 3), (10, 2), (11, 1), (12, 0)] {
            let digest = of(&moments, warm_up);
            assert_eq!((digest.count, digest.counted), (4, counted), "warm-up {warm_up}");
        }
    }

    #[test]
    fn one_nanosecond_elsewhere_is_another_hash() {
        assert_ne!(of(&[1, 2, 3], 0).hash, of(&[1, 2, 4], 0).hash);
    }
}
