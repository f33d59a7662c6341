//! A seeded generator, exact to the bit, so that whatever rests on its draws
//! can be computed a second time by another program.

/// SplitMix64 (Steele, Lea and Flood, Fast Splittable Pseudorandom Number
/// Generators, 2014); its state begins at the seed.
pub(crate) struct SplitMix64(pub(crate) u64);

impl SplitMix64 {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Above 0 and below 1: (next >> 11 + ½) ÷ 2⁵³.
    pub(crate) fn unit(&mut self) -> f64 {
        ((self.next() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_the_published_one() {
        // The first values from state 1234567.
        let mut draws = SplitMix64(1_234_567);
        assert_eq!([draws.next(), draws.next()], [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
    }
}
