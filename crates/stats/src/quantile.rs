//! What a percentile is: nearest rank, in integers.

/// A share of the whole, as a fraction of integers.
///
/// Floats will not do: 99.9 / 100 is 0.9990000000000001, whose rank among
/// 1,000 values is 1,000, the maximum, where it should be 999.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Quantile {
    num: u32,
    den: u32,
}

impl Quantile {
    /// The median.
    pub const P50: Quantile = Quantile { num: 50, den: 100 };
    /// The 90th percentile.
    pub const P90: Quantile = Quantile { num: 90, den: 100 };
    /// The 95th percentile.
    pub const P95: Quantile = Quantile { num: 95, den: 100 };
    /// The 99th percentile.
    pub const P99: Quantile = Quantile { num: 99, den: 100 };
    /// The 99.9th percentile.
    pub const P999: Quantile = Quantile { num: 999, den: 1000 };

    /// `num / den`; `None` unless it lies between 0 and 1.
    pub const fn new(num: u32, den: u32) -> Option<Quantile> {
        if den == 0 || num > den { None } else { Some(Quantile { num, den }) }
    }

    /// The nearest rank among `n` values, counted from 1: the smallest rank
    /// that has at least this share at or below it. Zero only if `n` is zero.
    pub const fn rank(self, n: u64) -> u64 {
        if n == 0 {
            return 0;
        }
        let rank = (n as u128 * self.num as u128).div_ceil(self.den as u128) as u64;
        if rank == 0 { 1 } else { rank }
    }
}

/// The value at a quantile's nearest rank, of values in rising order; never a
/// value between two, which nobody had. `None` if there are none.
pub fn nearest_rank(sorted: &[u64], quantile: Quantile) -> Option<u64> {
    let rank = quantile.rank(sorted.len() as u64);
    sorted.get((rank as usize).checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_exact_where_floats_are_one_too_high() {
        let cases = [
            (Quantile::P999, 1_000, 999),
            (Quantile::P999, 2_000, 1_998),
            (Quantile::P999, 1_000_000, 999_000),
            (Quantile::P999, 1_001, 1_000),
            (Quantile::P99, 100, 99),
            (Quantile::P99, 101, 100),
            (Quantile::P99, 1, 1),
            (Quantile::P50, 4, 2),
            (Quantile::P50, 5, 3),
            (Quantile::P50, 0, 0),
            (Quantile::P99, u64::MAX, 18_262_276_632_972_456_099),
        ];
        for (quantile, n, rank) in cases {
            assert_eq!(quantile.rank(n), rank, "{quantile:?} of {n}");
        }
        assert_eq!(Quantile::new(0, 1).map(|least| least.rank(10)), Some(1));
        assert_eq!(Quantile::new(1, 1).map(|most| most.rank(10)), Some(10));
    }

    #[test]
    fn a_quantile_is_a_share_of_the_whole() {
        assert_eq!(Quantile::new(2, 1), None);
        assert_eq!(Quantile::new(0, 0), None);
    }

    #[test]
    fn the_value_at_a_rank_is_one_of_the_values() {
        let sorted: Vec<u64> = (1..=1000).collect();
        assert_eq!(nearest_rank(&sorted, Quantile::P999), Some(999));
        assert_eq!(nearest_rank(&[10, 20], Quantile::P50), Some(10));
        assert_eq!(nearest_rank(&[7], Quantile::P50), Some(7));
        assert_eq!(nearest_rank(&[], Quantile::P50), None);
    }
}
