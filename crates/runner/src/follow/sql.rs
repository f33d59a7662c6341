//! Asks the service's database which work has ended: on a period, and once more
//! when following ends.

use super::Shared;
use super::keeper::Heard;
use super::work::SqlOrder;
use engine::Clock as _;
use model::{Nanos, WorkEnd};
use readings::{Cell, Connection, Now};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

/// How long an answer is waited for.
const PATIENCE: Duration = Duration::from_secs(5);
/// The longest sleep, so that the end of following is noticed.
const LONGEST_WAIT: Nanos = Nanos::from_millis(50);

/// Asks on a thread of its own.
pub(super) fn begin(order: &SqlOrder, shared: &Shared) -> JoinHandle<()> {
    let (order, shared) = (order.clone(), shared.clone());
    std::thread::spawn(move || {
        let clock = shared.clock;
        let now: Now = Arc::new(move || clock.now());
        let mut asker =
            Asker { connection: Connection::new(&order.database, now), order, shared, told: BTreeSet::new() };
        asker.run();
        asker.shared.count_cpu();
    })
}

struct Asker {
    connection: Connection,
    order: SqlOrder,
    shared: Shared,
    /// Work whose end was told: every answer names all that has ended by then.
    told: BTreeSet<Box<str>>,
}

impl Asker {
    fn run(&mut self) {
        let mut due = self.shared.clock.now() + self.order.every;
        loop {
            let is_over = self.shared.is_over();
            if is_over || self.shared.clock.now() >= due {
                self.ask();
                due = self.shared.clock.now() + self.order.every;
            }
            if is_over {
                return;
            }
            let now = self.shared.clock.now();
            self.shared.clock.sleep_until(due.min(now + LONGEST_WAIT));
        }
    }

    fn ask(&mut self) {
        let asked = self.shared.clock.now();
        let rows = self.connection.rows(&self.order.query, PATIENCE);
        let ended = rows.and_then(|table| self.new_ends(&table.rows));
        let at = self.shared.clock.now();
        let heard = match ended {
            Ok(ended) => Heard::Looked { asked, at, ended },
            Err(says) => Heard::Failed(format!("the query: {says}")),
        };
        // Nobody listens any more: following is over.
        let _ = self.shared.heard.send(heard);
    }

    /// The ends that no answer before has told.
    fn new_ends(&mut self, rows: &[Vec<Cell>]) -> Result<Vec<(Box<str>, WorkEnd)>, String> {
        let mut ended = Vec::new();
        for row in rows {
            let name = row.first().and_then(Cell::name).ok_or("the query gave a row without a name")?;
            let is_given_up = row.get(1).is_some_and(Cell::is_yes);
            let name: Box<str> = name.into();
            if self.told.insert(name.clone()) {
                ended.push((name, if is_given_up { WorkEnd::GivenUp } else { WorkEnd::Done }));
            }
        }
        Ok(ended)
    }
}
