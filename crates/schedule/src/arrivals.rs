//! Scheduled moments: a unit process bent through a profile.
//!
//! The k-th arrival falls where the profile's cumulative rate reaches the k-th
//! unit moment. A Poisson process bent like this is a Poisson process of the
//! profile's rate, for any shape (Çinlar 1975, time change by the inverse).
//!
//! Runs between sends, so its budget is 50 ns an arrival: one draw, one
//! logarithm, one division, and a square root on slopes. (Measured on a shared
//! 2-core virtual machine: 23 to 30 ns on a level, 28 to 44 on a slope.) It
//! keeps its place in the profile and nothing else, however long the schedule.
//!
//! Recorded arrivals have their moments already and are read off one by one.

use crate::{Profile, Recorded, UnitProcess};
use model::{ArrivalProcess, Nanos, Seed};
use std::sync::Arc;

/// One arrival of the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Its number in the whole schedule, from 0.
    pub index: u64,
    /// When it is meant to begin.
    pub scheduled: Nanos,
}

/// All arrivals of a schedule in order: never going back, each before the
/// schedule's end.
#[derive(Clone, Debug)]
pub struct Arrivals {
    source: Source,
    next_index: u64,
}

#[derive(Clone, Debug)]
enum Source {
    Bent(Bent),
    Recorded { recorded: Arc<Recorded>, warm_up: Nanos },
}

/// A unit process on its way through a profile.
#[derive(Clone, Debug)]
struct Bent {
    unit: UnitProcess,
    profile: Profile,
    /// The piece of the profile that the last arrival fell into.
    piece: usize,
    last: Nanos,
}

impl Arrivals {
    /// The arrivals of a run with this `seed`. They draw from a seed of their
    /// own, derived for the purpose `"arrivals"`.
    pub fn new(profile: Profile, process: ArrivalProcess, seed: Seed) -> Arrivals {
        let unit = UnitProcess::new(process, seed.derive("arrivals"));
        let bent = Bent { unit, profile, piece: 0, last: Nanos::ZERO };
        Arrivals { source: Source::Bent(bent), next_index: 0 }
    }

    /// The `recorded` arrivals after a `warm_up` in which nothing is sent.
    pub fn recorded(recorded: Arc<Recorded>, warm_up: Nanos) -> Arrivals {
        Arrivals { source: Source::Recorded { recorded, warm_up }, next_index: 0 }
    }
}

impl Iterator for Arrivals {
    type Item = Arrival;

    #[inline]
    fn next(&mut self) -> Option<Arrival> {
        let index = self.next_index;
        let scheduled = match &mut self.source {
            Source::Bent(bent) => bent.advance()?,
            Source::Recorded { recorded, warm_up } => {
                recorded.moments().get(index as usize)?.saturating_add(*warm_up)
            }
        };
        self.next_index += 1;
        Some(Arrival { index, scheduled })
    }
}

impl Bent {
    #[inline]
    fn advance(&mut self) -> Option<Nanos> {
        let moment = self.unit.advance();
        // A silence ends at the count it began with, so none is stopped in.
        while self.profile.pieces().get(self.piece)?.after <= moment {
            self.piece += 1;
        }
        let bent = self.profile.pieces()[self.piece].inverse(moment);
        // Along a slope the last bit of a root may fall where its input rose.
        self.last = self.last.max(bent);
        Some(self.last)
    }
}

/// Once the schedule is over it stays over.
impl std::iter::FusedIterator for Arrivals {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Segment;
    use proptest::prelude::*;

    const SECOND: Nanos = Nanos::from_secs(1);

    fn arrivals(segments: &[Segment], process: ArrivalProcess, seed: u64) -> Arrivals {
        Arrivals::new(Profile::new(segments).expect("a good profile"), process, Seed(seed))
    }

    #[test]
    fn even_arrivals_over_a_whole_count_are_just_that_many() {
        let level = [Segment::level(546.0, Nanos::from_secs(30))];
        for seed in 0..20 {
            assert_eq!(arrivals(&level, ArrivalProcess::Even, seed).count(), 16_380, "seed {seed}");
        }
    }

    #[test]
    fn nothing_arrives_in_a_silence() {
        let shape =
            [Segment::level(1_000.0, SECOND), Segment::level(0.0, SECOND), Segment::level(1_000.0, SECOND)];
        for process in [ArrivalProcess::Poisson, ArrivalProcess::Even] {
            let moments = || arrivals(&shape, process, 3).map(|arrival| arrival.scheduled);
            let silence = SECOND..Nanos::from_secs(2);
            assert_eq!(moments().filter(|moment| silence.contains(moment)).count(), 0);
            assert!(moments().filter(|moment| *moment >= silence.end).count() > 900);
        }
    }

    #[test]
    fn once_over_it_stays_over() {
        let mut few = arrivals(&[Segment::level(3.0, SECOND)], ArrivalProcess::Even, 1);
        assert_eq!(few.by_ref().count(), 3);
        assert_eq!((few.next(), few.next()), (None, None));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn arrivals_are_numbered_in_order_and_lie_before_the_end(
            seed: u64,
            rates in prop::collection::vec((0.0..900.0_f64, 1.0..900.0_f64), 1..4),
            process in prop_oneof![Just(ArrivalProcess::Poisson), Just(ArrivalProcess::Even)],
        ) {
            let segments: Vec<Segment> =
                rates.iter().map(|&(from, to)| Segment::slope(from, to, Nanos::from_millis(700))).collect();
            let mut last = Nanos::ZERO;
            for (at, arrival) in arrivals(&segments, process, seed).enumerate() {
                prop_assert_eq!(arrival.index, at as u64);
                prop_assert!(last <= arrival.scheduled);
                last = arrival.scheduled;
            }
            prop_assert!(last < Nanos::from_millis(700 * segments.len() as u64));
        }
    }
}
