//! Seeds: the one source of all chance.

use std::fmt;

/// A seed. Everything random in a run derives from one, so a run can be
/// repeated from the number that its report shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Seed(pub u64);

impl Seed {
    /// A seed of its own for one `purpose` (`"arrivals"`, `"stalls"`, …), so
    /// that drawing more for one never moves another.
    #[must_use]
    pub fn derive(self, purpose: &str) -> Seed {
        // FNV-1a over the purpose, then two rounds of the mixer below. Both
        // are written out here because their values must never change.
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for byte in purpose.bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        Seed(mix(mix(self.0) ^ hash))
    }

    /// A number for `index` under this seed: uniform over 64 bits, the same
    /// in whatever order the indices are asked for (counter-based).
    pub fn mark(self, index: u64) -> u64 {
        mix(self.0 ^ mix(index))
    }
}

/// SplitMix64's output function (Steele, Lea, Flood 2014), which spreads each
/// input bit over all output bits.
fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl fmt::Display for Seed {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mixer_is_splitmix64() {
        // The first outputs of SplitMix64 from seed 0, as published with it.
        assert_eq!(mix(0), 0xe220_a839_7b1d_cdaf);
        assert_eq!(mix(0x9e37_79b9_7f4a_7c15), 0x6e78_9e6a_a1b9_65f4);
    }

    #[test]
    fn purposes_and_indices_draw_apart() {
        let seed = Seed(7);
        assert_ne!(seed.derive("arrivals"), seed.derive("stalls"));
        assert_eq!(seed.derive("arrivals"), Seed(7).derive("arrivals"));
        assert_ne!(seed.mark(0), seed.mark(1));
    }
}
