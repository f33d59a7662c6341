//! A row a stage: what was planned, what was done, and what users waited. Where
//! there are many, neighbours share a row.

use super::Shaped;
use crate::experiment::Part;
use crate::numbers::{
    Spread, UNKNOWN, chosen_rate, count, counted, length, middle, per_second, point, range, share,
};
use crate::table::{Column, Table};
use crate::words;
use analysis::{Point, StageFigures};
use model::{Nanos, Span, StageUnit};

/// Rows that are still read one by one.
const MOST_ROWS: usize = 24;

/// One stage, or some neighbours, over all rounds.
pub(crate) struct Row<'a> {
    /// Its number, from 1, and that of the last that shares it.
    pub(crate) numbers: (usize, usize),
    /// Its stages in each round; a run that was broken off has fewer.
    rounds: Vec<Vec<&'a StageFigures>>,
}

/// At most `most` rows, each of equally many stages.
pub(crate) fn rows<'a>(of: &Shaped<'a>, most: usize) -> Vec<Row<'a>> {
    let stages = of.runs.iter().map(|run| run.stages.len()).max().unwrap_or(0);
    let together = stages.div_ceil(most.max(1)).max(1);
    let row = |first: usize| {
        let last = (first + together).min(stages);
        let rounds = of.runs.iter().map(|run| run.stages.iter().take(last).skip(first).collect()).collect();
        Row { numbers: (first + 1, last), rounds }
    };
    (0..stages).step_by(together).map(row).collect()
}

impl<'a> Row<'a> {
    fn all(&self) -> impl Iterator<Item = &'a StageFigures> {
        self.rounds.iter().flatten().copied()
    }

    /// The stages of the round that has most of them.
    fn longest(&self) -> &[&'a StageFigures] {
        self.rounds.iter().max_by_key(|stages| stages.len()).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn number(&self) -> String {
        match self.numbers {
            (first, last) if first == last => first.to_string(),
            (first, last) => format!("{first}–{last}"),
        }
    }

    /// From the beginning of the counted part.
    pub(crate) fn span(&self) -> Option<Span> {
        let stages = self.longest();
        Some(Span { began: stages.first()?.span.began, ended: stages.last()?.span.ended })
    }

    /// Arrivals a second at its beginning and its end; of several stages the
    /// least and the most.
    pub(crate) fn planned(&self) -> Option<(f64, f64)> {
        match self.longest() {
            [one] => one.planned_per_s,
            several => {
                let all: Option<Vec<(f64, f64)>> = several.iter().map(|stage| stage.planned_per_s).collect();
                ends(all?.into_iter().flat_map(|(from, to)| [from, to]))
            }
        }
    }

    /// Users at its beginning and its end, the same way.
    pub(crate) fn users(&self) -> Option<(f64, f64)> {
        match self.longest() {
            [one] => Some((one.stage.from, one.stage.to)),
            several => ends(several.iter().flat_map(|stage| [stage.stage.from, stage.stage.to])),
        }
    }

    /// Answers a second, in the middle of the rounds.
    pub(crate) fn done(&self) -> Option<f64> {
        let of_round = |stages: &Vec<&StageFigures>| {
            let seconds: f64 = stages.iter().map(|stage| stage.span.length().as_secs_f64()).sum();
            let answers: f64 =
                stages.iter().map(|one| one.rate_per_s * one.span.length().as_secs_f64()).sum();
            (seconds > 0.0).then(|| answers / seconds)
        };
        middle(self.rounds.iter().filter_map(of_round))
    }

    /// A percentile of each round; of several stages that of the slowest.
    fn points(&self, of: impl Fn(&StageFigures) -> Option<Point>) -> Vec<Point> {
        let slowest = |stages: &Vec<&StageFigures>| {
            stages.iter().filter_map(|stage| of(stage)).max_by_key(|point| (point.value, point.at_least))
        };
        self.rounds.iter().filter_map(slowest).collect()
    }

    pub(crate) fn p50s(&self) -> Vec<Point> {
        self.points(|stage| stage.response_time.p50)
    }

    pub(crate) fn p99s(&self) -> Vec<Point> {
        self.points(|stage| stage.response_time.p99)
    }

    pub(crate) fn p50(&self) -> Option<Point> {
        Spread::of(self.p50s()).map(|spread| spread.middle)
    }

    pub(crate) fn p99(&self) -> Option<Point> {
        Spread::of(self.p99s()).map(|spread| spread.middle)
    }

    pub(crate) fn scheduled(&self) -> u64 {
        self.all().map(|stage| stage.scheduled).sum()
    }

    pub(crate) fn failed(&self) -> u64 {
        self.all().map(|stage| stage.failed).sum()
    }

    pub(crate) fn cut_off(&self) -> u64 {
        self.all().map(|stage| stage.cut_off).sum()
    }

    /// Whether the service kept up in every round: yes; in none: no; `None`
    /// where that cannot be said.
    pub(crate) fn kept_up(&self) -> Option<bool> {
        let verdicts: Vec<Option<bool>> = self.all().map(|stage| stage.kept_up.kept_up).collect();
        match verdicts.first()? {
            first if verdicts.iter().all(|other| other == first) => *first,
            _ => None,
        }
    }

    /// `yes`, `no`, `cannot tell`; where rounds differ, in how many it was told:
    /// `yes in 2 of 3`, and if some kept up and some did not `no in 1 of 3`.
    pub(crate) fn kept_up_text(&self) -> String {
        let verdicts: Vec<Option<bool>> = self.all().map(|stage| stage.kept_up.kept_up).collect();
        let Some(first) = verdicts.first() else { return UNKNOWN.into() };
        if verdicts.iter().all(|other| other == first) {
            return says(*first).into();
        }
        let told = if verdicts.contains(&Some(false)) { Some(false) } else { Some(true) };
        let so_many = verdicts.iter().filter(|verdict| **verdict == told).count() as u64;
        format!("{} in {} of {}", says(told), count(so_many), count(verdicts.len() as u64))
    }

    /// `100/s`, `100 → 200/s`, of several stages `2/s to 30/s`; users where no
    /// rate is planned.
    pub(crate) fn planned_text(&self, of: &Shaped<'_>) -> String {
        let joint = if self.longest().len() > 1 { " to " } else { " → " };
        match (self.planned(), self.users()) {
            (Some((from, to)), _) if from == to => chosen_rate(from),
            (Some((from, to)), _) => {
                format!("{}{joint}{}", crate::numbers::chosen(from), chosen_rate(to))
            }
            (None, Some((from, to))) if from == to => words::shape::size(of.shape, from),
            (None, Some((from, to))) => {
                format!("{}{joint}{}", crate::numbers::chosen(from), words::shape::size(of.shape, to))
            }
            (None, None) => UNKNOWN.into(),
        }
    }
}

fn says(kept_up: Option<bool>) -> &'static str {
    match kept_up {
        Some(true) => "yes",
        Some(false) => "no",
        None => "cannot tell",
    }
}

fn ends(numbers: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    numbers.fold(None, |ends, number| {
        let (least, most) = ends.unwrap_or((number, number));
        Some((least.min(number), most.max(number)))
    })
}

/// `0 to 20 s`, `56 to 60 s`, `2 to 4 min`: both ends in one unit, the largest
/// in which both are whole.
pub(crate) fn when(span: Span) -> String {
    const SECOND: u64 = 1_000_000_000;
    let are_whole = |size: u64| [span.began, span.ended].iter().all(|at| at.0.is_multiple_of(size));
    let whole = [(3_600 * SECOND, "h"), (60 * SECOND, "min"), (SECOND, "s"), (SECOND / 1_000, "ms")];
    let fits = |(size, _): &(u64, &str)| are_whole(*size) && span.ended.0 >= 2 * size;
    match whole.into_iter().find(fits) {
        Some((size, unit)) => {
            format!("{} to {} {unit}", count(span.began.0 / size), count(span.ended.0 / size))
        }
        None => format!("{:.3} to {:.3} s", span.began.as_secs_f64(), span.ended.as_secs_f64()),
    }
}

/// What every stage did; `None` where nothing is known of any.
pub(crate) fn part(of: &Shaped<'_>) -> Option<Part> {
    let rows = rows(of, MOST_ROWS);
    let is_coarse = rows.iter().any(|row| row.numbers.0 != row.numbers.1);
    let heads = [
        (Column::Name, if is_coarse { "stages" } else { "stage" }),
        (Column::Number, "when"),
        (Column::Number, "users"),
        (Column::Number, "planned"),
        (Column::Number, "done"),
        (Column::Number, if is_coarse { "slowest p50" } else { "p50" }),
        (Column::Number, if is_coarse { "slowest p99" } else { "p99" }),
        (Column::Number, "failed"),
        (Column::Number, "cut off"),
        (Column::Text, "kept up"),
    ];
    let cells = |row: &Row<'_>| {
        vec![
            row.number(),
            row.span().map_or(UNKNOWN.into(), when),
            users(of, row),
            row.planned().map_or(UNKNOWN.into(), |_| row.planned_text(of)),
            row.done().map_or(UNKNOWN.into(), per_second),
            point(row.p50()),
            point(row.p99()),
            count(row.failed()),
            count(row.cut_off()),
            row.kept_up_text(),
        ]
    };
    let table = Table::of(&heads, rows.iter().map(cells).collect())?
        .only_if_any(&["failed", "cut off"], "0")
        .only_if_any(&["users", "planned"], UNKNOWN);
    Some(Part {
        title: of.title("Stage by stage").into(),
        says: [slowest(of, &self::rows(of, usize::MAX)), replayed(of)].into_iter().flatten().collect(),
        table: Some(table),
        notes: vec![note(of, is_coarse)],
    })
}

fn users(of: &Shaped<'_>, row: &Row<'_>) -> String {
    match (of.shape.unit, row.users()) {
        (StageUnit::Users, Some((from, to))) if from == to => crate::numbers::chosen(from),
        (StageUnit::Users, Some((from, to))) => {
            format!("{} → {}", crate::numbers::chosen(from), crate::numbers::chosen(to))
        }
        _ => UNKNOWN.into(),
    }
}

/// Where users waited longest, and where least.
pub(crate) fn slowest(of: &Shaped<'_>, rows: &[Row<'_>]) -> Option<String> {
    let known = || rows.iter().filter_map(|row| Some((row, row.p99()?)));
    let (most, slow) = known().max_by_key(|(_, p99)| (p99.value, p99.at_least))?;
    let (least, fast) = known().min_by_key(|(_, p99)| (p99.value, p99.at_least))?;
    let place =
        |row: &Row<'_>| format!("{}, at {}", row.span().map_or(UNKNOWN.into(), when), row.planned_text(of));
    Some(match most.numbers == least.numbers {
        true => format!("p99 {} ({}).", point(Some(slow)), place(most)),
        false => format!(
            "Slowest: p99 {} ({}); fastest: p99 {} ({}).",
            point(Some(slow)),
            place(most),
            point(Some(fast)),
            place(least)
        ),
    })
}

/// The same in few words, for one run: `p99 of a stage 1.20 to 84.9 ms`.
pub(crate) fn in_short(of: &Shaped<'_>) -> Option<String> {
    let p99s: Vec<Point> = rows(of, usize::MAX).iter().filter_map(Row::p99).collect();
    let spread = Spread::of(p99s)?;
    let least = if spread.largest.at_least { ", or more" } else { "" };
    Some(format!("p99 of a stage {}{least}", range(spread.least.value, spread.largest.value)))
}

/// What is known of the file that was replayed.
fn replayed(of: &Shaped<'_>) -> Option<String> {
    let facts = of.shape.replay.as_ref()?;
    let skipped = match facts.skipped {
        0 => "none of them broken".to_owned(),
        skipped => format!("{} of them broken and skipped, as the plan told", count(skipped)),
    };
    let spread = if facts.resolution >= Nanos::from_secs(1) {
        "; what came within one of its steps is spread over it by the seed"
    } else {
        ""
    };
    Some(format!(
        "{}: {} of the {} form, {skipped}; its times are told to {}{spread}.",
        facts.file,
        counted(facts.lines, "line"),
        facts.format,
        length(facts.resolution)
    ))
}

fn note(of: &Shaped<'_>, is_coarse: bool) -> String {
    let together = if is_coarse {
        "Neighbouring stages share a row, which shows the slowest of them: percentiles cannot be averaged. "
    } else {
        ""
    };
    let rounds = if of.rounds() > 1 {
        "Times and rates are those of the middle round; failed and cut off: all rounds together. "
    } else {
        ""
    };
    format!(
        "{together}{rounds}Times are those of requests due in the stage, whenever they were answered.{}",
        visible(of)
    )
}

/// The smallest shortfall that would have shown, over the stages.
pub(crate) fn visible(of: &Shaped<'_>) -> String {
    let all = of.runs.iter().flat_map(|run| &run.stages).map(|stage| stage.kept_up.smallest_visible);
    let known = all.filter(|limit| limit.is_finite() && *limit > 0.0 && *limit < 1.0);
    match ends(known) {
        Some((least, most)) if share(least) == share(most) => {
            format!(" Kept up: a shortfall of {} would show.", share(least))
        }
        Some((least, most)) => {
            format!(
                " Kept up: a shortfall of {} to {} would show, stage by stage.",
                share(least),
                share(most)
            )
        }
        None => String::new(),
    }
}
