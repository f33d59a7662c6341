//! Seeded numbers whose values never change: SplitMix64 (Steele, Lea and Flood
//! 2014).

use std::sync::Mutex;

/// The golden ratio's odd fraction of 2^64, SplitMix64's step.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// A stream of numbers that many tasks may draw from.
#[derive(Debug)]
pub(crate) struct Random {
    state: Mutex<u64>,
}

impl Random {
    /// The stream under `seed`.
    pub(crate) fn new(seed: u64) -> Random {
        Random { state: Mutex::new(seed) }
    }

    fn next(&self) -> u64 {
        let mut state = self.state.lock().expect("drawing does not panic");
        *state = state.wrapping_add(STEP);
        mix(*state)
    }

    /// At least 0, below 1.
    pub(crate) fn uniform(&self) -> f64 {
        // The upper 53 bits: as many as a double holds.
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// At least `low`, below `high`.
    pub(crate) fn between(&self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    /// One of these, each as likely as any other.
    pub(crate) fn one_of<'a>(&self, choices: &[&'a str]) -> &'a str {
        choices[(self.uniform() * choices.len() as f64) as usize]
    }
}

fn mix(state: u64) -> u64 {
    let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_value_of_seed_0_is_the_published_one_and_a_seed_repeats_itself() {
        assert_eq!(Random::new(0).next(), 0xe220_a839_7b1d_cdaf);
        let draw = |seed| Random::new(seed).uniform().to_bits();
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
    }

    #[test]
    fn draws_stay_between_their_ends_and_have_the_middle_as_their_mean() {
        let random = Random::new(1);
        let draws: Vec<f64> = (0..100_000).map(|_| random.between(0.5, 1.1)).collect();
        assert!(draws.iter().all(|draw| (0.5..1.1).contains(draw)));
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        assert!((mean - 0.8).abs() < 0.005, "mean {mean}");
    }
}
