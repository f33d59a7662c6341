//! The real work of the service, without HTTP: a customer's score by lookup and
//! prediction, and the reference that every answer can be checked against.

use std::fmt::Write;

use crate::customers::{Customer, customers};
use crate::error::ScorerError;
use crate::table::FeatureTable;
use crate::trees::Trees;

/// Below this a feature may not vary and a label may be missing, and there is
/// nothing to learn.
const LEAST_CUSTOMERS: u32 = 100;

/// The shop: its feature table and the model learnt from its customers.
pub(crate) struct Scoring {
    table: FeatureTable,
    trees: Trees,
    reference: String,
}

impl Scoring {
    /// Draws the customers, trains on them and stores their features.
    pub(crate) fn new(seed: u64, count: u32) -> Result<Scoring, ScorerError> {
        if count < LEAST_CUSTOMERS {
            return Err(ScorerError::TooFewCustomers { asked: count, least: LEAST_CUSTOMERS });
        }
        let customers = customers(seed, count);
        let trees = Trees::train(&customers).map_err(|source| ScorerError::Train { source })?;
        let table = FeatureTable::of(&customers).map_err(|source| ScorerError::Table { source })?;
        let reference = reference_csv(&customers, &trees.scores(&customers));
        Ok(Scoring { table, trees, reference })
    }

    /// Every customer's score as CSV. It comes from the features in memory in
    /// one batch, so that a fault in the table or in serving cannot agree with it.
    pub(crate) fn reference(&self) -> &str {
        &self.reference
    }

    /// The answer for one customer in JSON, if there is such a customer. Six
    /// decimals, always, so that answers can be compared byte by byte.
    pub(crate) fn answer(&self, customer: &str) -> rusqlite::Result<Option<String>> {
        let features = self.table.look_up(customer)?;
        Ok(features.map(|features| {
            // An id that was found is one of ours: nothing in it to escape.
            format!(r#"{{"customer":"{customer}","score":{:.6}}}"#, self.trees.score(&features))
        }))
    }
}

fn reference_csv(customers: &[Customer], scores: &[f64]) -> String {
    let mut csv = String::from("customer,score\n");
    for (customer, score) in customers.iter().zip(scores) {
        writeln!(csv, "{},{score:.6}", customer.id).expect("a string takes all that is written");
    }
    csv
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_has_six_decimals_and_stands_in_the_reference() {
        let scoring = Scoring::new(1, 200).expect("a shop");
        let answer = scoring.answer("c-00042").expect("a lookup").expect("a customer");
        let score = answer
            .strip_prefix(r#"{"customer":"c-00042","score":0."#)
            .and_then(|rest| rest.strip_suffix('}'))
            .expect("the stated form");
        assert_eq!(score.len(), 6, "{answer}");
        assert!(scoring.reference().contains(&format!("\nc-00042,0.{score}\n")));
    }

    #[test]
    fn a_shop_too_small_to_learn_from_is_refused() {
        let refused = Scoring::new(1, 99).err().expect("a refusal");
        assert_eq!(
            refused.to_string(),
            "99 customers are too few to train a model on: at least 100 are needed"
        );
        assert!(Scoring::new(1, 100).is_ok());
    }
}
