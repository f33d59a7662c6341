//! Who sends what, when several machines or threads send one schedule.
//!
//! Each arrival is given to a part by a mark drawn for its number alone. By
//! the marking theorem every part of a Poisson process is a Poisson process,
//! independent of the others, and the parts together are the one schedule,
//! exactly. Dealing arrivals out in turn has the second property only: each
//! part comes out too regular, and so does their union once clocks differ.

use model::Seed;

/// One part of a schedule or of its users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    seed: Seed,
    part: u32,
    parts: u32,
    /// First and last mark that fall to this part.
    marks: (u64, u64),
}

impl Share {
    /// Part `part`, from 0, of `parts` equal ones, under the run's `seed`.
    /// The marks draw from a seed of their own, derived for `"share"`.
    ///
    /// # Panics
    ///
    /// If there is no such part.
    pub fn new(seed: Seed, part: u32, parts: u32) -> Share {
        assert!(part < parts, "part {part} of {parts}");
        let marks = marks(u64::from(part), 1, u64::from(parts));
        Share { seed: seed.derive("share"), part, parts, marks }
    }

    /// Everything.
    pub fn whole() -> Share {
        Share::new(Seed(0), 0, 1)
    }

    /// Whether the arrival of this number, in the whole schedule, is its own.
    #[inline]
    pub fn has_arrival(&self, index: u64) -> bool {
        let mark = self.seed.mark(index);
        self.marks.0 <= mark && mark <= self.marks.1
    }

    /// Which of `users` numbered users are its own: every `parts`-th.
    pub fn users_of(&self, users: u32) -> impl Iterator<Item = u32> + use<> {
        (self.part..users).step_by(self.parts as usize)
    }

    /// The number, unlike any of another part, of the `count`-th request that
    /// this part's users send.
    pub(crate) fn number(&self, count: u64) -> u64 {
        count * u64::from(self.parts) + u64::from(self.part)
    }

    /// The place of `user` among the part's own.
    pub(crate) fn place(&self, user: u32) -> usize {
        (user / self.parts) as usize
    }
}

/// First and last mark of a part that weighs `own` of `total`, after parts
/// that weigh `before`: the 2⁶⁴ marks cut in proportion to cumulative weight.
fn marks(before: u64, own: u64, total: u64) -> (u64, u64) {
    let cut = |weight: u64| (u128::from(weight) << 64) / u128::from(total);
    (cut(before) as u64, (cut(before + own) - 1) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_by_weight_leave_no_mark_out_and_none_twice() {
        for weights in [&[1_u64][..], &[1, 1], &[1, 1, 1], &[5, 1, 2], &[1, 1_000_000_000]] {
            let total = weights.iter().sum();
            let (mut before, mut next) = (0, 0_u128);
            for own in weights {
                let (first, last) = marks(before, *own, total);
                assert_eq!(u128::from(first), next, "{weights:?}");
                let (share, part) = ((last - first) as f64 / 2_f64.powi(64), *own as f64 / total as f64);
                assert!((share - part).abs() < 1e-12, "{weights:?}: {share} for {part}");
                (before, next) = (before + own, u128::from(last) + 1);
            }
            assert_eq!(next, 1 << 64, "{weights:?}");
        }
    }

    #[test]
    fn each_user_belongs_to_one_part() {
        let of = |part| Share::new(Seed(1), part, 3).users_of(8).collect::<Vec<_>>();
        assert_eq!([of(0), of(1), of(2)], [vec![0, 3, 6], vec![1, 4, 7], vec![2, 5]]);
        assert_eq!(Share::new(Seed(1), 2, 3).users_of(2).count(), 0, "more parts than users");
    }

    #[test]
    #[should_panic(expected = "part 3 of 3")]
    fn there_is_no_part_beyond_the_last() {
        Share::new(Seed(1), 3, 3);
    }
}
