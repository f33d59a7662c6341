//! Seeded numbers whose values never change: SplitMix64 (Steele, Lea and Flood
//! 2014), with logarithms and powers from `libm`, which gives the same bits on
//! every machine.

/// The golden ratio's odd fraction of 2^64, SplitMix64's step.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// A stream of numbers.
pub(crate) struct Random {
    state: u64,
}

impl Random {
    /// The stream `stream` under `seed`; streams of one seed are unrelated.
    pub(crate) fn new(seed: u64, stream: u64) -> Random {
        Random { state: mix(mix(seed.wrapping_add(STEP)).wrapping_add(stream.wrapping_mul(STEP))) }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(STEP);
        mix(self.state)
    }

    /// At least 0, below 1.
    pub(crate) fn uniform(&mut self) -> f64 {
        // The upper 53 bits: as many as a double holds.
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Exponential with this mean.
    pub(crate) fn exponential(&mut self, mean: f64) -> f64 {
        // 1 − u is never 0, so the logarithm is finite.
        -mean * libm::log(1.0 - self.uniform())
    }

    /// Close to normal, mean 0 and deviation 1: twelve uniforms less their
    /// mean. Its ends at ±6 don't matter for made-up customers.
    pub(crate) fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }

    /// True with this chance.
    pub(crate) fn chance(&mut self, chance: f64) -> bool {
        self.uniform() < chance
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

    const DRAWS: u32 = 100_000;

    fn mean(mut draw: impl FnMut(&mut Random) -> f64) -> f64 {
        let mut random = Random::new(7, 0);
        (0..DRAWS).map(|_| draw(&mut random)).sum::<f64>() / f64::from(DRAWS)
    }

    #[test]
    fn the_mixer_gives_the_published_first_value_of_seed_0() {
        assert_eq!(mix(STEP), 0xe220_a839_7b1d_cdaf);
    }

    #[test]
    fn one_seed_and_stream_always_give_the_same_numbers_and_another_stream_others() {
        let draw = |seed, stream| Random::new(seed, stream).next();
        assert_eq!(draw(1, 2), draw(1, 2));
        assert_ne!(draw(1, 2), draw(1, 3));
        assert_ne!(draw(1, 2), draw(2, 2));
        assert_ne!(draw(1, 2), draw(2, 1));
    }

    #[test]
    fn draws_have_the_means_and_spread_that_they_state() {
        assert!((mean(Random::uniform) - 0.5).abs() < 0.01);
        assert!((mean(|random| random.exponential(3.0)) - 3.0).abs() < 0.05);
        assert!(mean(Random::normal).abs() < 0.02);
        assert!((mean(|random| random.normal().powi(2)) - 1.0).abs() < 0.03);
        assert!((mean(|random| f64::from(random.chance(0.2))) - 0.2).abs() < 0.01);
    }
}
