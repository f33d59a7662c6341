//! The model: boosted trees that foretell whether a customer orders again.
//!
//! It predicts in two ways that share no loop: [`Trees::score`] walks one row,
//! as serving does, and [`Trees::scores`] is the library's own batch.

use forust_ml::errors::ForustError;
use forust_ml::{GradientBooster, Matrix};

use crate::customers::{Customer, FEATURES, Features};

/// Enough trees that a prediction is real work (a few µs), few enough that
/// training on 5,000 customers takes some tenths of a second.
const TREES: usize = 100;

/// A trained model.
pub(crate) struct Trees {
    booster: GradientBooster,
}

impl Trees {
    /// Learns from what these customers did.
    pub(crate) fn train(customers: &[Customer]) -> Result<Trees, ForustError> {
        // On one thread with every row and column in each tree: nothing is
        // drawn by chance, so that one shop always gives one model.
        let mut booster = GradientBooster::default()
            .set_iterations(TREES)
            .set_learning_rate(0.1)
            .set_max_depth(4)
            .set_nbins(64)
            .set_parallel(false);
        let columns = by_column(customers);
        let again: Vec<f64> = customers.iter().map(|customer| f64::from(customer.orders_again)).collect();
        booster.fit_unweighted(&Matrix::new(&columns, customers.len(), FEATURES.len()), &again, None)?;
        Ok(Trees { booster })
    }

    /// The chance that a customer with these features orders again.
    pub(crate) fn score(&self, features: &Features) -> f64 {
        let leaning = self.booster.trees.iter().fold(self.booster.base_score, |sum, tree| {
            sum + tree.predict_row_from_row_slice(features, &self.booster.missing)
        });
        chance(leaning)
    }

    /// The same for all these customers in one batch.
    pub(crate) fn scores(&self, customers: &[Customer]) -> Vec<f64> {
        let columns = by_column(customers);
        let rows = Matrix::new(&columns, customers.len(), FEATURES.len());
        self.booster.predict(&rows, false).into_iter().map(chance).collect()
    }
}

/// The trees add up log odds.
fn chance(leaning: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-leaning))
}

fn by_column(customers: &[Customer]) -> Vec<f64> {
    (0..FEATURES.len())
        .flat_map(|feature| customers.iter().map(move |customer| customer.features[feature]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::customers::customers;

    #[test]
    fn one_row_and_the_batch_agree_to_the_last_bit() {
        let shop = customers(3, 1_000);
        let trees = Trees::train(&shop).expect("enough customers");
        let rows: Vec<f64> = shop.iter().map(|customer| trees.score(&customer.features)).collect();
        assert_eq!(rows, trees.scores(&shop));
    }

    #[test]
    fn one_shop_always_gives_one_model() {
        let scores = || {
            let shop = customers(3, 1_000);
            Trees::train(&shop).expect("enough customers").scores(&shop)
        };
        assert_eq!(scores(), scores());
    }

    /// The share of pairs (one who ordered again, one who did not) that the
    /// model puts in the right order, over customers that it never saw.
    #[test]
    fn the_model_tells_strangers_who_order_again_from_those_who_do_not() {
        let shop = customers(3, 4_000);
        let (known, strangers) = shop.split_at(3_000);
        let scores = Trees::train(known).expect("enough customers").scores(strangers);
        let scored = |again| {
            let of =
                strangers.iter().zip(&scores).filter(move |(customer, _)| customer.orders_again == again);
            of.map(|(_, score)| *score).collect::<Vec<f64>>()
        };
        let (stay, leave) = (scored(true), scored(false));
        let right: usize = stay.iter().map(|high| leave.iter().filter(|low| *low < high).count()).sum();
        let share = right as f64 / (stay.len() * leave.len()) as f64;
        assert!(share > 0.7, "only {share:.3} of the pairs are in order");
    }
}
