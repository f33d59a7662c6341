//! What each stage did, and a stretch of time with those who came in it.

use super::{Shape, backlog::Backlog, seconds};
use crate::check::{Computed, List};
use crate::keeping_up::{self, CANNOT_TELL};
use crate::record::{Load, Part};
use crate::samples::Row;
use crate::times::{Times, response};

/// All that is known of a run with a shape.
pub(crate) struct Run<'a> {
    pub(crate) shape: &'a Shape,
    pub(crate) load: &'a Load,
    pub(crate) rows: &'a [Row],
    pub(crate) part: Part,
    pub(crate) timeout: u64,
}

impl Run<'_> {
    /// When a request was due, from the start of the counted part; one that a
    /// loop sent at the very end counts as of the last moment.
    fn due(&self, row: &Row) -> u64 {
        row.scheduled.saturating_sub(self.part.began).min(self.part.length().saturating_sub(1))
    }

    /// The counted requests that were due in a stretch of the counted part.
    pub(crate) fn due_in(&self, from: u64, to: u64) -> Vec<&Row> {
        let is_in = |row: &&Row| row.counted && (from..to).contains(&self.due(row));
        self.rows.iter().filter(is_in).collect()
    }

    /// Response times of those.
    pub(crate) fn times(&self, rows: &[&Row]) -> Times {
        Times::new(rows.iter().map(|row| response(row, self.timeout)))
    }

    /// What was due and not answered, whatever the answer said.
    fn unanswered(&self) -> Backlog {
        let answered = self.rows.iter().filter(|row| row.is_answered()).map(|row| row.done);
        Backlog::new(self.part, self.rows.iter().map(|row| row.scheduled).collect(), answered.collect())
    }
}

/// Every stage that began within the counted part.
pub(crate) fn list(run: &Run<'_>, list: &mut List) {
    let mut began = 0;
    let mut spans = Vec::new();
    for stage in run.shape.told() {
        let ended = (began + stage.length_ns).min(run.part.length());
        if began < ended {
            spans.push((stage, began, ended));
        }
        began = ended;
    }
    if let Some((_, _, ended)) = spans.last_mut() {
        *ended = run.part.length();
    }
    let unanswered = run.unanswered();
    for (at, (stage, began, ended)) in spans.iter().enumerate() {
        let name = |what: &str| format!("stages.{at}.{what}");
        let rows = run.due_in(*began, *ended);
        let part = Part { began: run.part.began + began, ended: run.part.began + ended };
        let answers = keeping_up::answers(run.rows, part);
        let count = |which: fn(&Row) -> bool| rows.iter().filter(|row| which(row)).count() as u64;
        list.real(name("began_s"), Some(seconds(*began)));
        list.real(name("ended_s"), Some(seconds(*ended)));
        list.near(name("from"), Some(stage.from));
        list.near(name("to"), Some(stage.to));
        let planned = run.shape.per_second(stage.from).zip(run.shape.per_second(stage.to));
        list.near(name("planned_from_per_s"), planned.map(|(from, _)| from));
        list.near(name("planned_to_per_s"), planned.map(|(_, to)| to));
        list.whole(name("scheduled"), rows.len() as u64);
        list.whole(name("ok"), count(Row::is_ok));
        list.whole(name("failed"), count(|row| !row.is_ok() && !row.is_cut_off()));
        list.whole(name("cut_off"), count(Row::is_cut_off));
        list.real(name("rate_per_s"), Some(answers as f64 / part.seconds()));
        let (word, visible) = match (run.load, planned) {
            (Load::Open { .. }, _) => {
                let floors = unanswered.floors(part);
                let offered = rows.len() as f64;
                let word = floors.map_or(CANNOT_TELL, |floors| keeping_up::by_floors(&floors, offered));
                (word, keeping_up::visible(answers as f64))
            }
            (Load::Paced { .. }, Some((from, to))) => {
                keeping_up::paced(answers, (from + to) / 2.0 * part.seconds())
            }
            _ => (CANNOT_TELL, 1.0),
        };
        list.text(name("kept_up"), word);
        list.near(name("smallest_visible_shortfall"), Some(visible));
        run.times(&rows).list(&name("response_time_ns"), list);
    }
    list.add(format!("stages.{}", spans.len()), Computed::Nothing);
}
