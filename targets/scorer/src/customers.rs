//! The shop's made-up customers: who they are, how they buy, and whether they
//! ordered again.
//!
//! Each customer is drawn from a stream of random numbers of its own, so that
//! customer 42 is the same in a small shop and in a large one.

use crate::random::Random;

/// A feature's column: its name, and its type in SQL.
pub(crate) struct Feature {
    pub(crate) name: &'static str,
    pub(crate) sql_type: &'static str,
}

const fn count(name: &'static str) -> Feature {
    Feature { name, sql_type: "INTEGER" }
}

const fn amount(name: &'static str) -> Feature {
    Feature { name, sql_type: "REAL" }
}

/// What is known about a customer, in the order of [`Features`].
pub(crate) const FEATURES: [Feature; 10] = [
    count("tenure_days"),
    count("orders"),
    count("returns"),
    amount("basket_eur"),
    amount("discount_share"),
    count("days_since_order"),
    count("visits_30_days"),
    count("late_deliveries"),
    count("support_tickets"),
    count("newsletter"),
];

/// One customer's values of [`FEATURES`].
pub(crate) type Features = [f64; FEATURES.len()];

/// One customer.
#[derive(Debug, PartialEq)]
pub(crate) struct Customer {
    pub(crate) id: String,
    pub(crate) features: Features,
    /// What the model learns to foretell.
    pub(crate) orders_again: bool,
}

/// The first `count` customers of the shop with this seed.
pub(crate) fn customers(seed: u64, count: u32) -> Vec<Customer> {
    (0..count).map(|index| customer(seed, index)).collect()
}

fn customer(seed: u64, index: u32) -> Customer {
    let mut random = Random::new(seed, u64::from(index));
    let habits = Habits::draw(&mut random);
    let orders_again = random.chance(habits.chance_to_order_again());
    Customer { id: format!("c-{index:05}"), features: habits.features(), orders_again }
}

/// The same facts by name, while they are being drawn.
struct Habits {
    tenure_days: f64,
    orders: f64,
    returns: f64,
    basket_eur: f64,
    discount_share: f64,
    days_since_order: f64,
    visits_30_days: f64,
    late_deliveries: f64,
    support_tickets: f64,
    newsletter: bool,
}

impl Habits {
    /// One hidden trait, loyalty, ties the facts together: the loyal order more
    /// often and so more recently, visit more and need fewer discounts. Trouble
    /// (late parcels, returns) leads to support tickets.
    fn draw(random: &mut Random) -> Habits {
        let loyalty = random.normal();
        let tenure_days = (30.0 + 1_800.0 * random.uniform()).floor();
        // The median customer orders 2.5 times a year.
        let orders_a_year = libm::exp(0.9 + 0.7 * loyalty);
        let orders = 1.0 + (orders_a_year * tenure_days / 365.0 * 2.0 * random.uniform()).floor();
        let returns = (orders * 0.4 * random.uniform()).round();
        let late_deliveries = (orders * 0.3 * random.uniform()).round();
        Habits {
            tenure_days,
            orders,
            returns,
            basket_eur: cents(libm::exp(3.7 + 0.45 * random.normal())),
            discount_share: cents((0.35 - 0.10 * loyalty + 0.20 * random.normal()).clamp(0.0, 1.0)),
            days_since_order: random.exponential(365.0 / orders_a_year).floor().min(tenure_days),
            visits_30_days: random.exponential(2.0 * libm::exp(0.5 * loyalty)).floor(),
            late_deliveries,
            support_tickets: random.exponential(0.2 + 0.5 * late_deliveries + 0.2 * returns).floor(),
            newsletter: random.chance(if loyalty > 0.0 { 0.5 } else { 0.3 }),
        }
    }

    /// The shop's law, bent so that straight lines cannot learn it: recent and
    /// frequent customers come back, unless their parcels are late; a newsletter
    /// works only on those who still visit.
    fn chance_to_order_again(&self) -> f64 {
        let late_share = self.late_deliveries / self.orders;
        let reached = self.newsletter && self.visits_30_days > 0.0;
        let leaning = -0.8 + 0.7 * libm::log(self.orders) - 0.006 * self.days_since_order
            + 0.4 * libm::log(1.0 + self.visits_30_days)
            - 6.0 * late_share
            - 0.8 * (self.discount_share - 0.35)
            - 0.15 * self.support_tickets
            + 0.004 * (self.basket_eur - 40.0)
            + if reached { 0.6 } else { 0.0 };
        1.0 / (1.0 + libm::exp(-leaning))
    }

    fn features(&self) -> Features {
        [
            self.tenure_days,
            self.orders,
            self.returns,
            self.basket_eur,
            self.discount_share,
            self.days_since_order,
            self.visits_30_days,
            self.late_deliveries,
            self.support_tickets,
            f64::from(self.newsletter),
        ]
    }
}

fn cents(amount: f64) -> f64 {
    (amount * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(customers: &[Customer], name: &str) -> Vec<f64> {
        let at = FEATURES.iter().position(|feature| feature.name == name).expect("a feature");
        customers.iter().map(|customer| customer.features[at]).collect()
    }

    #[test]
    fn a_customer_is_the_same_in_a_small_shop_and_in_a_large_one() {
        let (small, large) = (customers(1, 10), customers(1, 100));
        assert_eq!(small[..], large[..10]);
        assert_eq!(large[42].id, "c-00042");
        assert_ne!(customers(2, 10), small);
    }

    #[test]
    fn facts_agree_with_one_another() {
        let shop = customers(1, 5_000);
        let [orders, returns, late] =
            ["orders", "returns", "late_deliveries"].map(|name| column(&shop, name));
        let [tenure, since] = ["tenure_days", "days_since_order"].map(|name| column(&shop, name));
        for index in 0..shop.len() {
            assert!(orders[index] >= 1.0);
            assert!(returns[index] <= orders[index] && late[index] <= orders[index]);
            assert!(since[index] <= tenure[index]);
        }
    }

    #[test]
    fn the_frequent_ordered_more_recently() {
        let shop = customers(1, 5_000);
        let [orders, tenure, since] =
            ["orders", "tenure_days", "days_since_order"].map(|name| column(&shop, name));
        let mut by_frequency: Vec<(f64, f64)> =
            (0..shop.len()).map(|index| (orders[index] / tenure[index], since[index])).collect();
        by_frequency.sort_by(|one, other| one.0.total_cmp(&other.0));
        let mean_since =
            |part: &[(f64, f64)]| part.iter().map(|pair| pair.1).sum::<f64>() / part.len() as f64;
        let (rare, frequent) = (mean_since(&by_frequency[..1_000]), mean_since(&by_frequency[4_000..]));
        assert!(rare > 2.0 * frequent, "{rare} days since the rare ordered, {frequent} the frequent");
    }

    #[test]
    fn some_order_again_and_some_do_not() {
        let again = customers(1, 5_000).iter().filter(|customer| customer.orders_again).count();
        assert!((1_000..4_000).contains(&again), "{again} of 5000 order again");
    }
}
