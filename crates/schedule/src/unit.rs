//! Arrivals at one a unit of time, before any rate is known.
//!
//! The values must never change, because a plan names its arrivals by a seed
//! alone. So the generator is pinned to the patch level, its state is set by
//! our own words rather than by a library's idea of seeding, and everything
//! after it is + − × ÷ (rounded alike everywhere) and [`libm::log`] (software,
//! where the system's own `log` may differ in the last bit).

use model::{ArrivalProcess, Seed};
use rand_pcg::Pcg64Dxsm;
use rand_pcg::rand_core::Rng;

/// PCG's default stream. Seeds choose the state and share this stream: states
/// of 128 random bits lie too far apart on its period for two to meet.
const STREAM: u128 = 0x0a02_bdbf_7bb3_c0a7_ac28_fa16_a64a_bf96;

/// An endless, never decreasing sequence of moments, one a unit of time on
/// average, starting after 0.
#[derive(Clone, Debug)]
pub struct UnitProcess(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Poisson {
        chance: Pcg64Dxsm,
        now: f64,
    },
    /// The first moment lies anywhere in (0, 1], by the seed. At a fixed place
    /// every round would meet a periodic stall at the same phase; and from
    /// anywhere inside, a whole number of units holds just that many moments.
    Even {
        offset: f64,
        count: u64,
    },
}

impl UnitProcess {
    /// The sequence of `process` under `seed`.
    pub fn new(process: ArrivalProcess, seed: Seed) -> UnitProcess {
        let state = u128::from(seed.mark(0)) << 64 | u128::from(seed.mark(1));
        let mut chance = Pcg64Dxsm::new(state, STREAM);
        UnitProcess(match process {
            ArrivalProcess::Poisson => Kind::Poisson { chance, now: 0.0 },
            ArrivalProcess::Even => Kind::Even { offset: uniform(&mut chance), count: 0 },
        })
    }

    /// The next moment.
    #[inline]
    pub fn advance(&mut self) -> f64 {
        match &mut self.0 {
            Kind::Poisson { chance, now } => {
                *now -= libm::log(uniform(chance));
                *now
            }
            Kind::Even { offset, count } => {
                let moment = *offset + *count as f64;
                *count += 1;
                moment
            }
        }
    }
}

/// A multiple of 2⁻⁵³ from (0, 1]: as fine as a float resolves next to 1, and
/// never 0, whose logarithm is no gap.
#[inline]
fn uniform(chance: &mut Pcg64Dxsm) -> f64 {
    const STEP: f64 = 1.0 / (1_u64 << 53) as f64;
    ((chance.next_u64() >> 11) + 1) as f64 * STEP
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(process: ArrivalProcess, seed: u64, count: usize) -> Vec<f64> {
        let mut unit = UnitProcess::new(process, Seed(seed));
        (0..count).map(|_| unit.advance()).collect()
    }

    #[test]
    fn even_moments_are_one_apart_from_a_seeded_first() {
        for seed in 0..100 {
            let moments = first(ArrivalProcess::Even, seed, 3);
            assert!(0.0 < moments[0] && moments[0] <= 1.0, "seed {seed}: {moments:?}");
            assert_eq!(moments[1..], [moments[0] + 1.0, moments[0] + 2.0], "seed {seed}");
        }
        let firsts: Vec<f64> = (0..100).map(|seed| first(ArrivalProcess::Even, seed, 1)[0]).collect();
        let mean = firsts.iter().sum::<f64>() / 100.0;
        assert!((mean - 0.5).abs() < 0.1, "first moments spread over the unit: mean {mean}");
    }

    #[test]
    fn poisson_moments_never_go_back_and_come_one_a_unit() {
        let moments = first(ArrivalProcess::Poisson, 1, 100_000);
        assert!(moments.is_sorted() && moments[0] > 0.0);
        // Three standard deviations of the 100,000th moment are 949.
        assert!((moments[99_999] - 100_000.0).abs() < 949.0, "{}", moments[99_999]);
    }

    #[test]
    fn another_seed_is_another_sequence() {
        for process in [ArrivalProcess::Poisson, ArrivalProcess::Even] {
            assert_eq!(first(process, 1, 4), first(process, 1, 4));
            assert_ne!(first(process, 1, 4), first(process, 2, 4));
        }
    }
}
