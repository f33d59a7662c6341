//! The feature table: one row a customer in SQLite, read by primary key.

use rusqlite::{Connection, OptionalExtension, params_from_iter, types::Value};

use crate::customers::{Customer, FEATURES, Features};

/// The table, in a private file.
pub(crate) struct FeatureTable {
    connection: Connection,
    select: String,
}

impl FeatureTable {
    /// A table of these customers. SQLite's name for its file is the empty
    /// one: a temporary file that it removes however the process ends.
    pub(crate) fn of(customers: &[Customer]) -> rusqlite::Result<FeatureTable> {
        let mut connection = Connection::open("")?;
        create(&connection)?;
        fill(&mut connection, customers)?;
        let select = format!("SELECT {} FROM features WHERE customer = ?1", names().join(", "));
        Ok(FeatureTable { connection, select })
    }

    /// A customer's features, if there is such a customer.
    pub(crate) fn look_up(&self, customer: &str) -> rusqlite::Result<Option<Features>> {
        let mut select = self.connection.prepare_cached(&self.select)?;
        let found = select.query_row([customer], |row| {
            let mut features = Features::default();
            for (at, value) in features.iter_mut().enumerate() {
                *value = row.get(at)?;
            }
            Ok(features)
        });
        found.optional()
    }
}

fn names() -> Vec<&'static str> {
    FEATURES.iter().map(|feature| feature.name).collect()
}

fn create(connection: &Connection) -> rusqlite::Result<()> {
    let columns: Vec<String> =
        FEATURES.iter().map(|feature| format!("{} {} NOT NULL", feature.name, feature.sql_type)).collect();
    connection.execute_batch(&format!(
        "CREATE TABLE features (customer TEXT PRIMARY KEY, {}) WITHOUT ROWID, STRICT",
        columns.join(", ")
    ))
}

fn fill(connection: &mut Connection, customers: &[Customer]) -> rusqlite::Result<()> {
    let marks = vec!["?"; 1 + FEATURES.len()].join(", ");
    // One transaction: one write of the file instead of one a row.
    let transaction = connection.transaction()?;
    {
        let mut insert = transaction.prepare(&format!("INSERT INTO features VALUES ({marks})"))?;
        for customer in customers {
            let features = customer.features.iter().map(|value| Value::Real(*value));
            insert.execute(params_from_iter(
                std::iter::once(Value::Text(customer.id.clone())).chain(features),
            ))?;
        }
    }
    transaction.commit()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::customers::customers;

    #[test]
    fn every_feature_comes_back_to_the_last_bit() {
        let shop = customers(5, 1_000);
        let table = FeatureTable::of(&shop).expect("a table");
        for customer in &shop {
            assert_eq!(table.look_up(&customer.id).expect("a lookup"), Some(customer.features));
        }
    }

    #[test]
    fn a_customer_who_is_not_there_is_not_found() {
        let table = FeatureTable::of(&customers(5, 100)).expect("a table");
        for id in ["c-00100", "c-1", "", "' OR 1=1 --"] {
            assert_eq!(table.look_up(id).expect("a lookup"), None, "{id}");
        }
    }

    #[test]
    fn counts_are_stored_as_integers_and_amounts_as_reals() {
        let table = FeatureTable::of(&customers(5, 100)).expect("a table");
        let query = "SELECT typeof(orders), typeof(basket_eur) FROM features LIMIT 1";
        let types: (String, String) =
            table.connection.query_row(query, [], |row| Ok((row.get(0)?, row.get(1)?))).expect("a row");
        assert_eq!(types, ("integer".into(), "real".into()));
    }
}
