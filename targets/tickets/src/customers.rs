//! The seeded data set: the shop's made-up customers.

use serde::{Deserialize, Serialize};

use crate::random::Random;

/// One customer's profile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Customer {
    /// `c-001` and so on.
    pub id: String,
    /// How replies address the customer.
    pub name: String,
    /// What the customer has booked: `basic`, `plus` or `business`.
    pub plan: String,
}

/// Which data set: the same seed and count give the same customers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataSet {
    /// Seeds names and plans.
    pub seed: u64,
    /// How many customers there are.
    pub customers: u32,
}

const FIRST: [&str; 12] =
    ["Ada", "Ben", "Chloe", "Dev", "Elif", "Finn", "Grace", "Hugo", "Ines", "Jonas", "Kira", "Luca"];
const LAST: [&str; 10] =
    ["Adler", "Brandt", "Costa", "Demir", "Evans", "Fischer", "Garcia", "Haas", "Ivanov", "Jensen"];
/// Most book little.
const PLANS: [&str; 6] = ["basic", "basic", "basic", "plus", "plus", "business"];

impl DataSet {
    /// The customers, in order of their ids.
    pub fn customers(self) -> impl Iterator<Item = Customer> {
        let random = Random::new(self.seed);
        (1..=self.customers).map(move |number| Customer {
            id: format!("c-{number:03}"),
            name: format!("{} {}", random.one_of(&FIRST), random.one_of(&LAST)),
            plan: random.one_of(&PLANS).to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_customer_is_the_same_in_a_small_shop_and_in_a_large_one() {
        let shop = |customers| DataSet { seed: 1, customers }.customers().collect::<Vec<_>>();
        assert_eq!(shop(10), shop(100)[..10]);
        assert_eq!(shop(100)[41].id, "c-042");
        let other = DataSet { seed: 2, customers: 10 }.customers().collect::<Vec<_>>();
        assert_ne!(other, shop(10));
    }
}
