//! The service's own count of its work, before a run and after it.

use super::FollowOrder;
use engine::{Clock as _, MonotonicClock};
use model::{Nanos, Stored};
use readings::{Connection, Now, Table};
use std::sync::Arc;
use std::time::Duration;

/// How long an answer is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// A count under way: what there was before the run.
pub(crate) struct StoredCount {
    connection: Connection,
    query: String,
    before: Result<u64, String>,
}

impl StoredCount {
    /// Counts what there is now; `None` if the plan does not ask for it.
    pub(crate) fn begin(order: &FollowOrder) -> Option<StoredCount> {
        let (database, query) = order.stored.clone()?;
        let clock = MonotonicClock::starting_in(Nanos::ZERO);
        let now: Now = Arc::new(move || clock.now());
        let mut connection = Connection::new(&database, now);
        let before = count(&mut connection, &query).map_err(|why| format!("before the run: {why}"));
        Some(StoredCount { connection, query, before })
    }

    /// Counts again: what has come since.
    pub(crate) fn end(mut self) -> Stored {
        let after = count(&mut self.connection, &self.query).map_err(|why| format!("after the run: {why}"));
        match (self.before, after) {
            (Ok(before), Ok(after)) if after >= before => Stored::Count(after - before),
            (Ok(before), Ok(after)) => {
                Stored::Unknown(format!("it had {before} before the run and {after} after it"))
            }
            (Err(why), _) | (_, Err(why)) => Stored::Unknown(why),
        }
    }
}

fn count(connection: &mut Connection, query: &str) -> Result<u64, String> {
    let Table { rows, .. } = connection.rows(query, PATIENCE)?;
    let [row] = &rows[..] else {
        return Err(format!("the query gave {} rows, and a count is one", rows.len()));
    };
    let [cell] = &row[..] else {
        return Err(format!("the query gave {} columns, and a count is one", row.len()));
    };
    let text = cell.name().ok_or("it is null")?;
    text.parse().map_err(|_| format!("it is no count: {text:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::follow::{FollowBy, SqlOrder};
    use model::Database;

    fn unfollowed() -> FollowOrder {
        let database = Database::Sqlite("unused.db".into());
        let by = FollowBy::Sql(SqlOrder { database, query: String::new(), every: Nanos::from_secs(1) });
        FollowOrder { by, within: Nanos::ZERO, at_most: None, quota: None, stored: None }
    }

    /// A count of this query in a database of two rows, one more by its end.
    fn counted(query: &str) -> Option<Stored> {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.db");
        let made = rusqlite::Connection::open(&file).expect("made");
        made.execute_batch("create table jobs (id); insert into jobs values (1), (2)").expect("filled");
        let order = FollowOrder { stored: Some((Database::Sqlite(file), query.to_owned())), ..unfollowed() };
        let count = StoredCount::begin(&order)?;
        made.execute_batch("insert into jobs values (3)").expect("one more");
        Some(count.end())
    }

    #[test]
    fn what_has_come_since_is_counted_and_what_is_no_count_says_why() {
        assert_eq!(counted("select count(*) from jobs"), Some(Stored::Count(1)));
        for (query, says) in [
            ("select id from jobs", "before the run: the query gave 2 rows, and a count is one"),
            ("select 1, 2", "before the run: the query gave 2 columns, and a count is one"),
            ("select 'many'", "before the run: it is no count: \"many\""),
            ("select null", "before the run: it is null"),
            ("select speed from jobs", "before the run: no such column: speed"),
            ("select -count(*) + 5 from jobs", "it had 3 before the run and 2 after it"),
        ] {
            let Some(Stored::Unknown(why)) = counted(query) else { panic!("{query} was counted") };
            assert!(why.starts_with(says), "{query}: {why}");
        }
        assert!(StoredCount::begin(&unfollowed()).is_none());
    }
}
