//! What answers the question of a load that changes over time.

use super::bars::spark;
use super::screen::Screen;
use crate::experiment::Part;
use crate::experiment::shapes::{Shaped, burst, growth, ramp, stages};
use crate::numbers::per_second;
use crate::words;
use model::{Nanos, ShapeKind};

/// Characters of a line over time.
const WIDTH: usize = 60;
/// Fewer stages than this are read as fast from the table.
const WORTH_DRAWING: usize = 4;

impl Screen {
    /// A part without its heading.
    pub(super) fn part(&mut self, part: &Part) {
        part.says.iter().for_each(|says| self.sentence(says));
        if let Some(table) = &part.table {
            self.table(&table.clone().without(&growth::LIMIT, |_| true));
        }
        part.notes.iter().for_each(|note| self.sentence(note));
    }
}

/// What was planned and what users waited, a character a stage, where the
/// stages are many and no other picture shows them; true if they were drawn.
pub(super) fn strips(screen: &mut Screen, of: &Shaped<'_>) -> bool {
    let rows = stages::rows(of, WIDTH);
    let is_of_stages = matches!(of.shape.kind, ShapeKind::Stages | ShapeKind::Day | ShapeKind::Replay);
    if !is_of_stages || rows.len() < WORTH_DRAWING {
        return false;
    }
    let each = match rows.iter().map(|row| row.numbers.1 - row.numbers.0 + 1).max() {
        Some(1) | None => "each stage".to_owned(),
        Some(together) => format!("each {together} stages"),
    };
    let planned = |row: &stages::Row<'_>| row.planned().map(|(from, to)| f64::midpoint(from, to));
    if let Some((line, top)) = spark(&rows.iter().map(planned).collect::<Vec<_>>()) {
        screen.unbroken("planned", &line);
        screen.field("", &format!("{each}, linear 0 to {}", per_second(top)));
    }
    let p99 = |row: &stages::Row<'_>| row.p99().map(|point| point.value.0 as f64);
    if let Some((line, top)) = spark(&rows.iter().map(p99).collect::<Vec<_>>()) {
        screen.unbroken("p99", &line);
        screen.field("", &format!("{each}, linear 0 to {}", Nanos(top as u64)));
    }
    true
}

/// What a shaped run comes to, in one line; `None` where a p99 says it better.
pub(super) fn in_one_line(run: &analysis::RunSummary) -> Option<String> {
    let of = Shaped::of_run(run, None)?;
    match of.shape.kind {
        ShapeKind::RampUp => ramp::kept_up_to(&of),
        ShapeKind::Burst => run.bursts.first().map(burst::in_short),
        ShapeKind::Soak => growth::in_short(&run.growth),
        ShapeKind::Stages | ShapeKind::Day | ShapeKind::Replay if words::changes(run) => {
            stages::in_short(&of)
        }
        ShapeKind::Steady | ShapeKind::Stages | ShapeKind::Day | ShapeKind::Replay => None,
    }
}
