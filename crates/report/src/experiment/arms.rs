//! A row an arm: what users waited, and what the tester did for it.

use super::Part;
use crate::numbers::{Measured, Spread, UNKNOWN, count, mean, measured, middle, per_second};
use crate::table::{Column, Table};
use crate::words;
use analysis::{ArmSummary, Interval, Point, RunSummary, Summary, Verdict};
use model::{Nanos, OwnReading, Rate};

/// Marks figures that another tool tells of itself.
pub(crate) const TOLD: &str = "*";

/// What [`TOLD`] means.
pub(crate) const TOLD_NOTE: &str = "* as that tool says, by its own clock from the moment of sending: doorclock \
                                    could not see its requests";

/// One arm and those of its runs that may be used.
pub(crate) struct Row<'a> {
    pub(crate) arm: &'a ArmSummary,
    pub(crate) runs: Vec<&'a RunSummary>,
}

/// Every arm, in the order of the plan.
pub(crate) fn rows(summary: &Summary) -> Vec<Row<'_>> {
    summary.arms.iter().map(Row::of).collect()
}

impl<'a> Row<'a> {
    pub(crate) fn of(arm: &'a ArmSummary) -> Row<'a> {
        Row { arm, runs: arm.runs.iter().filter(|run| run.verdict != Verdict::Void).collect() }
    }

    /// The arm's load in few words, with its tool and whether the service stalled.
    pub(crate) fn load(&self) -> String {
        let Some(run) = self.arm.runs.first() else { return UNKNOWN.into() };
        let tool = run.facts.tool.as_ref().map_or(String::new(), |tool| format!("{}, a ", tool.name));
        let stalls = match run.facts.stalls_asked {
            Some(true) => ", with stalls",
            Some(false) => ", calm",
            None => "",
        };
        format!("{tool}{}{stalls}", words::shape::load_in_short(run.load(), run.facts.shape.as_ref()))
    }

    /// Whether its figures are only what another tool tells.
    pub(crate) fn is_told(&self) -> bool {
        self.arm.runs.iter().any(is_told)
    }

    /// A number over its rounds.
    pub(crate) fn spread(&self, of: impl Fn(&RunSummary) -> Option<Point>) -> Option<Spread> {
        Spread::of(self.runs.iter().filter_map(|run| of(run)))
    }

    /// The middle of a number over its rounds.
    pub(crate) fn middle(&self, of: impl Fn(&RunSummary) -> Option<f64>) -> Option<f64> {
        middle(self.runs.iter().filter_map(|run| of(run)))
    }

    /// The p99: of one round with its interval, of several with the range over them.
    pub(crate) fn p99(&self) -> Measured {
        let mark = if self.is_told() { TOLD } else { "" };
        let p99 = match (&self.runs[..], self.spread(|run| run.response_time.p99)) {
            (_, None) => return Measured { value: UNKNOWN.into(), bracket: String::new() },
            ([one], _) if is_told(one) => {
                Measured { bracket: String::new(), ..measured(one.response_time.p99, Interval::default()) }
            }
            ([one], _) => measured(one.response_time.p99, one.p99_interval),
            (_, Some(spread)) => spread.text(),
        };
        Measured { value: format!("{}{mark}", p99.value), ..p99 }
    }

    /// The median over its rounds.
    pub(crate) fn p50(&self) -> String {
        let mark = if self.is_told() { TOLD } else { "" };
        self.text(|run| run.response_time.p50) + mark
    }

    /// The middle of a percentile over its rounds, in three digits.
    pub(crate) fn text(&self, of: impl Fn(&RunSummary) -> Option<Point>) -> String {
        crate::numbers::point(self.spread(of).map(|spread| spread.middle))
    }

    /// Every round's p99 in one unit, void ones as dashes.
    pub(crate) fn every_p99(&self) -> String {
        let of = |run: &RunSummary| run.response_time.p99.filter(|_| run.verdict != Verdict::Void);
        let points: Vec<Option<Point>> = self.arm.runs.iter().map(of).collect();
        Spread::of(points.iter().copied().flatten()).map_or(UNKNOWN.into(), |spread| spread.each(&points))
    }
}

/// Whether all that is known of a run is what another tool tells.
pub(crate) fn is_told(run: &RunSummary) -> bool {
    run.told.as_ref().is_some_and(|told| !told.gave_samples)
}

/// Whether any arm has more than one round.
pub(crate) fn several_rounds(summary: &Summary) -> bool {
    summary.arms.iter().any(|arm| arm.runs.len() > 1)
}

/// `2 arms × 6 rounds, 48 runs`, and how many of the planned ones are missing.
pub(crate) fn extent(summary: &Summary) -> String {
    let runs: u64 = summary.arms.iter().map(|arm| arm.runs.len() as u64).sum();
    let rounds = summary.arms.iter().map(|arm| arm.runs.len() as u64).max().unwrap_or(0);
    let counted = crate::numbers::counted;
    let planned = summary.planned_runs.map(u64::from).filter(|planned| *planned != runs);
    let of_planned = planned.map_or(String::new(), |planned| format!(" of {} planned", count(planned)));
    format!(
        "{} in {}: {}{of_planned}",
        counted(summary.arms.len() as u64, "arm"),
        counted(rounds, "round"),
        counted(runs, "run")
    )
}

/// How to read the brackets behind a p99.
pub(crate) fn bracket_head(summary: &Summary) -> &'static str {
    if several_rounds(summary) { "least, largest round" } else { "95 % interval" }
}

/// What users waited, every round with its p99.
pub(crate) fn waits(summary: &Summary) -> Part {
    let rows: Vec<Row<'_>> = rows(summary);
    let cells = |row: &Row<'_>| {
        let p99 = row.p99();
        vec![row.arm.name.clone(), row.load(), row.p50(), p99.value, p99.bracket, row.every_p99()]
    };
    let heads = [
        (Column::Name, "arm"),
        (Column::Text, "load"),
        (Column::Number, "p50"),
        (Column::Number, "p99"),
        (Column::Text, bracket_head(summary)),
        (Column::Text, "p99 of every round"),
    ];
    let mut notes = vec![
        "Response time, scheduled → done: what a user waits. p50 and p99 are those of the middle round. ≥: requests \
         that failed or were cut off reach down to it. A dash: void or not known."
            .to_owned(),
    ];
    notes.extend(told_note(&rows));
    notes.extend(super::shapes::note_on_whole_runs(summary));
    Part {
        title: "What users wait".into(),
        says: vec![extent(summary) + "."],
        table: Table::of(&heads, rows.iter().map(cells).collect()),
        notes,
    }
}

/// What [`TOLD`] means, if any row needs it.
pub(crate) fn told_note(rows: &[Row<'_>]) -> Option<String> {
    rows.iter().any(Row::is_told).then(|| format!("{TOLD_NOTE}."))
}

/// What the testers did, and what that cost them.
pub(crate) fn work(summary: &Summary) -> Part {
    let cells = |row: Row<'_>| {
        let asked = row.arm.runs.first().and_then(|run| run.load().target_rate());
        let sum = |of: fn(&RunSummary) -> u64| count(row.arm.runs.iter().map(of).sum());
        let rate = row.middle(|run| Some(run.rate_per_s));
        vec![
            row.arm.name.clone(),
            asked.map_or(UNKNOWN.into(), |rate: Rate| rate.to_string()),
            rate.map_or(UNKNOWN.into(), per_second),
            row.text(|run| run.service_time.p99),
            row.text(|run| run.lateness.all.p99),
            mean(row.middle(|run| run.tester.cpu_ns_per_request)),
            row.middle(|run| run.tester.core_share).map_or(UNKNOWN.into(), crate::numbers::share),
            sum(RunSummary::failed_total),
            sum(|run| run.unfinished + run.never_sent),
        ]
    };
    let heads = [
        (Column::Name, "arm"),
        (Column::Number, "asked"),
        (Column::Number, "done"),
        (Column::Number, "service p99"),
        (Column::Number, "late p99"),
        (Column::Number, "CPU a request"),
        (Column::Number, "of a core"),
        (Column::Number, "failed"),
        (Column::Number, "cut off"),
    ];
    let table = Table::of(&heads, rows(summary).into_iter().map(cells).collect())
        .map(|table| table.only_if_any(&["failed", "cut off"], "0"));
    Part {
        title: "What the testers did".into(),
        says: Vec::new(),
        table,
        notes: vec![
            "Middle of the rounds; failed and cut off: all rounds together. Service time: sent → done. Late: \
             scheduled → sent, inside the response time. CPU of the tester's whole process."
                .to_owned(),
        ]
        .into_iter()
        .chain(answers_clock(summary))
        .collect(),
    }
}

/// By which clock doorclock's own arms timed their answers.
fn answers_clock(summary: &Summary) -> Option<String> {
    let runs = summary.arms.iter().flat_map(|arm| &arm.runs);
    let all: Vec<OwnReading> = runs.filter_map(|run| run.tester.own_reading).collect();
    let stamped: u64 = all.iter().map(|of| of.stamped).sum();
    let unstamped: u64 = all.iter().map(|of| of.unstamped).sum();
    let slowest = all.iter().filter_map(|of| of.p99).max();
    match (stamped + unstamped, slowest) {
        (0, _) => None,
        (_, None) => Some("Answers are timed when they were read: the kernel told no stamps.".to_owned()),
        (all, Some(p99)) => Some(format!(
            "Answers are timed by the kernel's receive stamps ({} of {}): what the tester took to read them, \
             p99 {p99} at the most, is in no time.",
            count(stamped),
            count(all)
        )),
    }
}

/// The slowest and the fastest arm by p99, to say what a picture shows.
pub(crate) fn ends<'a>(rows: &'a [Row<'a>]) -> Option<(&'a Row<'a>, &'a Row<'a>)> {
    let known = |row: &&Row<'_>| row.spread(|run| run.response_time.p99).is_some();
    let p99 =
        |row: &&Row<'_>| row.spread(|run| run.response_time.p99).map_or(Nanos::ZERO, |s| s.middle.value);
    let least = rows.iter().filter(known).min_by_key(p99)?;
    let most = rows.iter().filter(known).max_by_key(p99)?;
    Some((least, most))
}
