//! What was learnt beside the requests, computed again: the ends of accepted
//! work, from `completions.jsonl`, and readings, from `readings.parquet`.

use crate::check::{Computed, List};
use crate::folder::read;
use crate::record::{Record, SampleFile};
use crate::samples::{self, Row};
use crate::shape::growth::grown;
use crate::times::{Times, Took};
use crate::{VerifyError, crc32};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Points of the course of work.
const COURSE: u64 = 240;
/// Windows of what grows.
const WINDOWS: u64 = 12;

/// How work was to be followed.
#[derive(Debug, Deserialize)]
pub(crate) struct Follow {
    kind: String,
    every_ns: Option<u64>,
    within_ns: u64,
    at_most_ns: Option<u64>,
    quota_per_s: Option<f64>,
}

/// What following came to.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Followed {
    until_ns: u64,
    is_cut_short: bool,
    asked: u64,
    failed: u64,
    example: Option<String>,
    strangers: u64,
    repeated: u64,
    cpu_ns: u64,
    stored: Option<u64>,
    stored_unknown: Option<String>,
}

/// What was to be read, and the file that it was put into.
#[derive(Debug, Deserialize)]
pub(crate) struct ReadingsFile {
    facts: Vec<ReadingFacts>,
    file: Option<SampleFile>,
}

#[derive(Clone, Debug, Deserialize)]
struct ReadingFacts {
    name: String,
    kind: String,
    asks: String,
    every_ns: u64,
    unit: Option<String>,
    limit: Option<f64>,
    columns: Vec<ColumnFacts>,
}

#[derive(Clone, Debug, Deserialize)]
struct ColumnFacts {
    column: String,
    unit: Option<String>,
    limit: Option<f64>,
}

/// One piece of work, a line of the file.
#[derive(Debug, Deserialize)]
struct Work {
    index: u64,
    scheduled_ns: u64,
    counted: bool,
    end: String,
    not_before_ns: u64,
    ended_ns: u64,
}

impl Work {
    fn has_ended(&self) -> bool {
        self.end == "done" || self.end == "given-up"
    }
}

/// One number of a reading, or a gap.
#[derive(Clone, Debug)]
pub(crate) struct ReadingRow {
    pub(crate) reading: String,
    pub(crate) column: String,
    pub(crate) asked: u64,
    pub(crate) answered: u64,
    pub(crate) value: Option<f64>,
    pub(crate) note: Option<String>,
}

/// All that a run's folder holds of it.
#[derive(Debug, Default)]
pub(crate) struct Alongside {
    work: Option<Vec<Work>>,
    readings: Vec<ReadingRow>,
}

impl Alongside {
    /// Reads what lies in one run's folder.
    pub(crate) fn read(run: &Path, record: &Record) -> Result<Alongside, VerifyError> {
        let path = run.join("completions.jsonl");
        let damaged = |what: String| VerifyError::Damaged { path: path.clone(), what };
        let work = match record.facts.follow {
            None => None,
            Some(_) => {
                let text = String::from_utf8(read(&path)?).map_err(|error| damaged(error.to_string()))?;
                let one = |line: &str| serde_json::from_str(line).map_err(|error| damaged(error.to_string()));
                Some(text.lines().map(one).collect::<Result<Vec<Work>, _>>()?)
            }
        };
        let file = record.readings.as_ref().and_then(|readings| readings.file.as_ref());
        let readings = match file {
            None => Vec::new(),
            Some(vouched) => reading_rows(&run.join("readings.parquet"), vouched)?,
        };
        Ok(Alongside { work, readings })
    }

    /// Whether the books on accepted work are not those of the answers: every
    /// counted answer as expected accepted a piece of it, at its own moment.
    pub(crate) fn work_is_missing(&self, record: &Record, rows: &[Row]) -> bool {
        let (Some(work), Some(_)) = (&self.work, &record.end.followed) else { return false };
        let moments = |all: &mut dyn Iterator<Item = (u64, u64)>| {
            let mut all: Vec<(u64, u64)> = all.collect();
            all.sort_unstable();
            all
        };
        let answered =
            rows.iter().filter(|row| row.counted && row.is_ok()).map(|row| (row.index, row.scheduled));
        let booked = work.iter().filter(|one| one.counted).map(|one| (one.index, one.scheduled_ns));
        moments(&mut { answered }) != moments(&mut { booked })
    }

    /// Its values under their names in `summary.json`.
    pub(crate) fn list(&self, record: &Record, list: &mut List) {
        match (&self.work, &record.facts.follow) {
            (Some(work), Some(follow)) => completion(work, follow, record, list),
            _ => list.add("completion", Computed::Unknown),
        }
        self.read_beside(record, list);
    }

    fn read_beside(&self, record: &Record, list: &mut List) {
        let facts = record.readings.iter().flat_map(|readings| &readings.facts);
        let began = record.facts.warm_up_ns;
        let mut at = 0;
        for (of, column) in facts.flat_map(|of| self.columns(of)) {
            let points: Vec<(u64, f64)> =
                self.points(&of.name, &column).filter(|(at, _)| *at >= began).collect();
            if points.is_empty() {
                continue;
            }
            column_figures(&format!("readings.{at}"), of, &column, &points, began, list);
            at += 1;
        }
        list.add(format!("readings.{at}"), Computed::Nothing);
        self.gaps(list);
    }

    /// The columns of a reading that gave a number, by their first.
    fn columns<'a>(&self, of: &'a ReadingFacts) -> Vec<(&'a ReadingFacts, String)> {
        let mut found: Vec<(&ReadingFacts, String)> = Vec::new();
        for row in self.readings.iter().filter(|row| row.reading == of.name && row.value.is_some()) {
            if !found.iter().any(|(_, column)| *column == row.column) {
                found.push((of, row.column.clone()));
            }
        }
        found
    }

    /// Each number belongs to the middle between asking and answering.
    fn points<'a>(&'a self, reading: &'a str, column: &'a str) -> impl Iterator<Item = (u64, f64)> + use<'a> {
        let rows = self.readings.iter().filter(move |row| row.reading == reading && row.column == column);
        rows.filter_map(|row| Some((row.asked + row.answered.saturating_sub(row.asked) / 2, row.value?)))
    }

    fn gaps(&self, list: &mut List) {
        let mut order: Vec<(&str, &str)> = Vec::new();
        let mut gaps: BTreeMap<(&str, &str), (u64, &ReadingRow)> = BTreeMap::new();
        for row in self.readings.iter().filter(|row| row.value.is_none()) {
            let key = (row.reading.as_str(), row.column.as_str());
            if !gaps.contains_key(&key) {
                order.push(key);
            }
            gaps.entry(key).or_insert((0, row)).0 += 1;
        }
        for (at, key) in order.iter().enumerate() {
            let (count, first) = gaps[key];
            let mut moments: Vec<u64> =
                self.readings.iter().filter(|row| row.reading == key.0).map(|row| row.asked).collect();
            moments.dedup();
            let name = |what: &str| format!("reading_gaps.{at}.{what}");
            list.text(name("reading"), key.0);
            list.maybe_text(name("column"), Some(key.1).filter(|column| !column.is_empty()));
            list.whole(name("asked"), moments.len() as u64);
            list.whole(name("gaps"), count);
            list.text(name("first"), first.note.as_deref().unwrap_or("no reason is known"));
            list.whole(name("first_at_ns"), first.asked);
        }
        list.add(format!("reading_gaps.{}", order.len()), Computed::Nothing);
    }

    /// What grew of readings, from `growth.{at}` on. Of a level load that asks for it.
    pub(crate) fn growth(&self, record: &Record, mut at: usize, list: &mut List) {
        let part = record.counted_part();
        let facts = record.readings.iter().flat_map(|readings| &readings.facts);
        for (of, column) in facts.flat_map(|of| self.columns(of)) {
            let mut windows: Vec<Option<f64>> = vec![None; WINDOWS as usize];
            for (moment, value) in self.points(&of.name, &column).filter(|(moment, _)| part.holds(*moment)) {
                // The last window that has begun by then.
                let window =
                    (0..WINDOWS).rev().find(|at| part.edge(*at, WINDOWS) <= moment).unwrap_or_default();
                let least = &mut windows[window as usize];
                *least = Some(least.map_or(value, |least| least.min(value)));
            }
            let (unit, limit) = of.said_of(&column);
            let name = format!("{} {column}", of.name);
            grown(
                &format!("growth.{at}"),
                (&name, unit.unwrap_or_default()),
                &windows,
                part.length(),
                limit,
                list,
            );
            at += 1;
        }
        list.add(format!("growth.{at}"), Computed::Nothing);
    }
}

impl ReadingFacts {
    /// A column's unit and limit: its own before those of its reading.
    fn said_of(&self, column: &str) -> (Option<&str>, Option<f64>) {
        let own = self.columns.iter().find(|facts| facts.column == column);
        let unit = own.and_then(|own| own.unit.as_deref()).or(self.unit.as_deref());
        (unit, own.and_then(|own| own.limit).or(self.limit))
    }
}

fn column_figures(
    at: &str,
    of: &ReadingFacts,
    column: &str,
    points: &[(u64, f64)],
    began: u64,
    list: &mut List,
) {
    let name = |what: &str| format!("{at}.{what}");
    let mut points = points.to_vec();
    points.sort_by_key(|(moment, _)| *moment);
    let (unit, limit) = of.said_of(column);
    let most = points.iter().map(|(_, value)| *value).fold(f64::NEG_INFINITY, f64::max);
    let most_at = points.iter().find(|(_, value)| *value == most).map_or(began, |(moment, _)| *moment);
    list.text(name("reading"), &of.name);
    list.text(name("column"), column);
    list.text(name("kind"), &of.kind);
    list.text(name("asks"), &of.asks);
    list.real(name("every_s"), Some(of.every_ns as f64 / 1e9));
    list.maybe_text(name("unit"), unit);
    list.real(name("limit"), limit);
    list.whole(name("n"), points.len() as u64);
    list.real(name("first"), points.first().map(|(_, value)| *value));
    list.real(name("last"), points.last().map(|(_, value)| *value));
    list.real(name("least"), Some(points.iter().map(|(_, value)| *value).fold(f64::INFINITY, f64::min)));
    list.real(name("most"), Some(most));
    list.real(name("most_at_s"), Some(most_at.saturating_sub(began) as f64 / 1e9));
}

fn completion(work: &[Work], follow: &Follow, record: &Record, list: &mut List) {
    let name = |what: &str| format!("completion.{what}");
    list.whole(name("accepted_in_all"), work.len() as u64);
    let work: Vec<&Work> = work.iter().filter(|one| one.counted).collect();
    let began = record.facts.warm_up_ns;
    let last = work.iter().map(|one| one.ended_ns).max().unwrap_or(began);
    let until = record.end.followed.as_ref().map_or(last, |followed| followed.until_ns.max(last));
    list.text(name("by"), &follow.kind);
    list.maybe(name("every_ns"), follow.every_ns);
    list.whole(name("within_ns"), follow.within_ns);
    list.maybe(name("at_most_ns"), follow.at_most_ns);
    list.real(name("quota_per_s"), follow.quota_per_s);
    list.whole(name("accepted"), work.len() as u64);
    rates(&work, began, record.end.counted_until_ns, list);
    let count = |end: &str| work.iter().filter(|one| one.end == end).count() as u64;
    list.whole(name("done"), count("done"));
    list.whole(name("given_up"), count("given-up"));
    list.whole(name("unfinished"), count("unfinished"));
    list.whole(name("nameless"), count("nameless"));
    let waits = work.iter().map(|one| match one.end.as_str() {
        "done" => Took { length: one.ended_ns.saturating_sub(one.scheduled_ns), at_least: false },
        _ => Took { length: until.saturating_sub(one.scheduled_ns), at_least: true },
    });
    Times::new(waits).list("completion.submit_to_result_ns", list);
    let missed = work.iter().filter(|one| one.has_ended());
    let missed =
        missed.map(|one| Took { length: one.ended_ns.saturating_sub(one.not_before_ns), at_least: false });
    let missed = Times::new(missed);
    list.maybe(name("resolution_ns"), follow.every_ns.and_then(|_| missed.percentile("p99")));
    queue(&work, began, list);
    let all_ended = work.iter().all(|one| one.has_ended());
    let last_end = work.iter().filter(|one| one.has_ended()).map(|one| one.ended_ns).max();
    let drained = last_end.filter(|_| all_ended).map(|end| end.saturating_sub(record.end.counted_until_ns));
    list.maybe(name("drained_after_ns"), drained);
    bound(&work, follow, until, list);
    match &record.end.followed {
        None => list.add(name("followed"), Computed::Unknown),
        Some(followed) => {
            let name = |what: &str| format!("completion.followed.{what}");
            list.whole(name("until_ns"), followed.until_ns);
            list.flag(name("cut_short"), Some(followed.is_cut_short));
            list.whole(name("asked"), followed.asked);
            list.whole(name("failed"), followed.failed);
            list.maybe_text(name("example"), followed.example.as_deref());
            list.whole(name("strangers"), followed.strangers);
            list.whole(name("repeated"), followed.repeated);
            list.whole(name("cpu_ns"), followed.cpu_ns);
            list.maybe(name("stored"), followed.stored);
            list.maybe_text(name("stored_unknown"), followed.stored_unknown.as_deref());
        }
    }
    course(&work, began, until, list);
}

/// Accepted a second: over all of the counted part, and over that minute of it
/// in which most was due, looked for by two marks that move along.
fn rates(work: &[&Work], began: u64, sending_ended: u64, list: &mut List) {
    let length = sending_ended.saturating_sub(began);
    let window = length.min(60_000_000_000);
    let mut due: Vec<u64> = work.iter().map(|one| one.scheduled_ns).collect();
    due.sort_unstable();
    let (mut first, mut most) = (0, 0);
    for last in 0..due.len() {
        while due[last] - due[first] >= window && first < last {
            first += 1;
        }
        most = most.max(last + 1 - first);
    }
    let rate = |count: usize, length: u64| (length > 0).then(|| count as f64 / (length as f64 / 1e9));
    list.real("completion.accepted_per_s", rate(due.len(), length));
    list.real("completion.busiest_minute_per_s", rate(most, window));
}

/// The most that waited at once. At one moment, ends go before what is submitted.
fn queue(work: &[&Work], began: u64, list: &mut List) {
    let mut steps: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
    for one in work {
        steps.entry(one.scheduled_ns).or_default().1 += 1;
        if one.has_ended() {
            steps.entry(one.ended_ns).or_default().0 += 1;
        }
    }
    let (mut waiting, mut most, mut most_at) = (0_u64, 0, 0);
    for (moment, (ended, submitted)) in steps {
        waiting = (waiting + submitted).saturating_sub(ended);
        if waiting > most {
            (most, most_at) = (waiting, moment);
        }
    }
    list.whole("completion.peak", most);
    list.real("completion.peak_at_s", Some(most_at.saturating_sub(began) as f64 / 1e9));
}

/// Late is what certainly took longer, by the latest moment at which it was
/// known not to have ended where nobody tells ends by himself.
fn bound(work: &[&Work], follow: &Follow, until: u64, list: &mut List) {
    let Some(at_most) = follow.at_most_ns else {
        list.maybe("completion.late", None);
        return list.maybe_text("completion.held", None);
    };
    let (mut late, mut unknown) = (0_u64, 0_u64);
    for one in work {
        let took = |moment: u64| moment.saturating_sub(one.scheduled_ns);
        let told_by_itself = follow.every_ns.is_none();
        let certainly = match one.end.as_str() {
            "done" => took(one.ended_ns) > at_most && (told_by_itself || took(one.not_before_ns) > at_most),
            "given-up" => true,
            "unfinished" => took(until) > at_most,
            _ => false,
        };
        let in_time = one.end == "done" && took(one.ended_ns) <= at_most;
        late += u64::from(certainly);
        unknown += u64::from(!certainly && !in_time);
    }
    let held = match (late, unknown) {
        _ if late > 0 => "no",
        (_, 0) if !work.is_empty() => "yes",
        _ => "cannot say",
    };
    list.whole("completion.late", late);
    list.text("completion.held", held);
}

fn course(work: &[&Work], began: u64, until: u64, list: &mut List) {
    let points = if work.is_empty() { 0 } else { COURSE };
    let length = u128::from(until.saturating_sub(began));
    for at in 0..points {
        let offset = (length * u128::from(at) / u128::from(COURSE - 1)) as u64;
        let by = |moment: u64| moment <= began + offset;
        let name = |what: &str| format!("completion.course.{at}.{what}");
        list.real(name("at_s"), Some(offset as f64 / 1e9));
        list.whole(name("submitted"), work.iter().filter(|one| by(one.scheduled_ns)).count() as u64);
        let ended = work.iter().filter(|one| one.has_ended() && by(one.ended_ns));
        list.whole(name("ended"), ended.count() as u64);
    }
    list.add(format!("completion.course.{points}"), Computed::Nothing);
}

/// Every row of a run's readings, which must be as `run.json` vouches for it.
fn reading_rows(path: &Path, vouched: &SampleFile) -> Result<Vec<ReadingRow>, VerifyError> {
    let damaged = |what: &str| VerifyError::Damaged { path: path.to_path_buf(), what: what.to_owned() };
    let bytes = read(path)?;
    if bytes.len() as u64 != vouched.bytes || crc32::of(&bytes) != vouched.crc32 {
        return Err(damaged("it is not the file that was written"));
    }
    let rows = samples::reading_rows(path)?;
    if rows.len() as u64 != vouched.rows {
        return Err(damaged("it has not as many rows as were written"));
    }
    Ok(rows)
}
