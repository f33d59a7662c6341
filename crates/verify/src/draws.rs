//! Draws that are part of a definition: SplitMix64 (Steele, Lea and Flood, Fast
//! Splittable Pseudorandom Number Generators, 2014) from a known state.

/// The state.
pub(crate) struct Draws(pub(crate) u64);

impl Draws {
    /// 64 bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let a = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let b = (a ^ (a >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        b ^ (b >> 31)
    }

    /// Above 0 and below 1, of the upper 53 bits.
    pub(crate) fn unit(&mut self) -> f64 {
        ((self.next() >> 11) as f64 + 0.5) / 9_007_199_254_740_992.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_those_that_the_authors_publish() {
        // The first three of their test vector for the state 1234567.
        let mut draws = Draws(1_234_567);
        let first: [u64; 3] = std::array::from_fn(|_| draws.next());
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }
}
