//! Which arm runs when.

use model::Seed;
use plan::{Arm, Plan};

/// One run of the experiment.
#[derive(Clone, Copy)]
pub(crate) struct Turn<'a> {
    pub(crate) arm: &'a Arm,
    pub(crate) round: u32,
}

/// Every run in its order: in each round every arm once, in an order drawn from
/// the round's seed.
pub(crate) fn turns(plan: &Plan) -> Vec<Turn<'_>> {
    let of_round = |round| {
        let order = shuffled(plan.arms.len(), plan.rounds.seed_of(round));
        order.into_iter().map(move |arm| Turn { arm: &plan.arms[arm], round })
    };
    (1..=plan.rounds.count).flat_map(of_round).collect()
}

/// The numbers below `count` in an order drawn from `seed` (Fisher and Yates).
fn shuffled(count: usize, seed: Seed) -> Vec<usize> {
    let seed = seed.derive("order of arms");
    let mut order: Vec<usize> = (0..count).collect();
    for last in (1..count).rev() {
        // The high half of mark × count is uniform below count.
        let other = (u128::from(seed.mark(last as u64)) * (last as u128 + 1)) >> 64;
        order.swap(last, other as usize);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn arms_run_in_an_order_of_their_own_in_every_round_and_the_same_one_next_time() {
        let rounds: Vec<Vec<usize>> = (0..6).map(|round| shuffled(8, Seed(round))).collect();
        for order in &rounds {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..8).collect::<Vec<_>>());
        }
        assert!(rounds.windows(2).all(|two| two[0] != two[1]), "{rounds:?}");
        // Pinned: a resumed experiment must find the order it was begun with.
        assert_eq!(shuffled(8, Seed(2026)), [6, 5, 3, 2, 0, 7, 1, 4]);
        assert_eq!(shuffled(1, Seed(1)), [0]);
        let firsts: BTreeSet<usize> = (0..100).map(|seed| shuffled(4, Seed(seed))[0]).collect();
        assert_eq!(firsts.len(), 4, "every arm comes first some time");
    }
}
