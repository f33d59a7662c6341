//! How soon the service is over a burst: what users waited before, during and
//! after it, the backlog, and the time until that is back at what was usual.

use super::{Shaped, stages};
use crate::experiment::Part;
use crate::numbers::{Spread, count, counted, length, middle, point, range};
use crate::table::{Column, Table};
use analysis::{BurstFigures, BurstPart, Point, Recovery, RunSummary};
use model::Nanos;

/// Bursts that are told one by one; more have a line each.
const ONE_BY_ONE: usize = 2;

/// `None` where the load has no burst.
pub(crate) fn part(of: &Shaped<'_>) -> Option<Part> {
    let bursts = bursts(of);
    let resolution = bursts.first()?.first()?.resolution;
    let rounds = if of.rounds() > 1 { "Middle of the rounds; not ok: all rounds together. " } else { "" };
    let several = bursts.len() > ONE_BY_ONE;
    Some(Part {
        title: of.title(if bursts.len() > 1 { "Around each burst" } else { "Around the burst" }).into(),
        says: if several { all_in_all(&bursts).into_iter().collect() } else { one_by_one(&bursts) },
        table: Some(if several { a_row_each(&bursts)? } else { three_rows_each(&bursts)? }),
        notes: vec![format!(
            "{rounds}Not ok: failed, unanswered or never sent. The backlog is what is due and not answered; what is \
             usual is its 99th percentile over the time before the burst. Recovery is told by when requests were due, to \
             {resolution}."
        )],
    })
}

fn one_by_one(bursts: &[Vec<&BurstFigures>]) -> Vec<String> {
    let several = bursts.len() > 1;
    let says = |(number, rounds): (usize, &Vec<&BurstFigures>)| {
        let prefix = if several { format!("Burst {}: ", number + 1) } else { String::new() };
        [recovery(rounds), worst(rounds)].map(|says| says.map(|says| format!("{prefix}{says}")))
    };
    bursts.iter().enumerate().flat_map(says).flatten().collect()
}

fn three_rows_each(bursts: &[Vec<&BurstFigures>]) -> Option<Table> {
    let several = bursts.len() > 1;
    let heads = [
        (Column::Name, "requests due"),
        (Column::Number, "when"),
        (Column::Number, "number"),
        (Column::Number, "p50"),
        (Column::Number, "p99"),
        (Column::Number, "slowest"),
        (Column::Number, "not ok"),
    ];
    let rows = bursts.iter().enumerate().flat_map(|(number, rounds)| {
        let prefix = if several { format!("{}: ", number + 1) } else { String::new() };
        PARTS.iter().filter_map(move |(name, part)| row(&format!("{prefix}{name}"), rounds, *part))
    });
    Table::of(&heads, rows.collect())
}

/// Many bursts in one sentence.
fn all_in_all(bursts: &[Vec<&BurstFigures>]) -> Option<String> {
    let all = || bursts.iter().flatten();
    let took: Vec<Nanos> = all().filter_map(|burst| took(burst.recovery)).map(|took| took.value).collect();
    let (number, most) = (all().count() as u64, all().map(|burst| burst.peak_backlog).max()?);
    let worst = format!("at the worst moment {} due and unanswered", were(most));
    Some(match (took.iter().min(), took.iter().max()) {
        (Some(least), Some(longest)) => format!(
            "Recovered from {} of {} within {} of their ends; {worst}.",
            count(took.len() as u64),
            counted(number, "burst"),
            range(*least, *longest)
        ),
        _ => format!("Recovered from none of {}; {worst}.", counted(number, "burst")),
    })
}

fn a_row_each(bursts: &[Vec<&BurstFigures>]) -> Option<Table> {
    let heads = [
        (Column::Name, "burst"),
        (Column::Number, "when"),
        (Column::Number, "p99 before"),
        (Column::Number, "during"),
        (Column::Number, "after"),
        (Column::Number, "not ok"),
        (Column::Number, "backlog"),
        (Column::Text, "recovered"),
    ];
    let row = |(number, rounds): (usize, &Vec<&BurstFigures>)| {
        let p99 = |part: Of| {
            let all = rounds.iter().filter_map(|burst| part(burst).response_time.p99);
            point(Spread::of(all).map(|spread| spread.middle))
        };
        let not_ok = rounds.iter().flat_map(|burst| PARTS.map(|(_, part)| part(burst).not_ok)).sum();
        let most = middle(rounds.iter().map(|burst| burst.peak_backlog as f64)).unwrap_or(0.0);
        Some(vec![
            (number + 1).to_string(),
            stages::when(rounds.first()?.during.span),
            p99(PARTS[0].1),
            p99(PARTS[1].1),
            p99(PARTS[2].1),
            count(not_ok),
            count(most as u64),
            recovered(rounds),
        ])
    };
    Table::of(&heads, bursts.iter().enumerate().filter_map(row).collect())
}

/// `after 38.4 ms`, `not within 8 s`; of several rounds their range.
fn recovered(rounds: &[&BurstFigures]) -> String {
    let took: Vec<Nanos> =
        rounds.iter().filter_map(|burst| took(burst.recovery)).map(|took| took.value).collect();
    let never = rounds.iter().filter_map(|burst| never(burst.recovery)).max();
    match (never, took.iter().min(), took.iter().max()) {
        (Some(within), _, _) => format!("not within {}", length(within)),
        (None, Some(least), Some(most)) if least == most => format!("after {least}"),
        (None, Some(least), Some(most)) => format!("after {}", range(*least, *most)),
        _ => "cannot say".into(),
    }
}

type Of = fn(&BurstFigures) -> &BurstPart;

/// The parts in order.
const PARTS: [(&str, Of); 3] =
    [("before", |burst| &burst.before), ("during", |burst| &burst.during), ("after", |burst| &burst.after)];

/// Each burst over all rounds.
fn bursts<'a>(of: &Shaped<'a>) -> Vec<Vec<&'a BurstFigures>> {
    let most = of.runs.iter().map(|run| run.bursts.len()).max().unwrap_or(0);
    (0..most).map(|number| of.runs.iter().filter_map(|run| run.bursts.get(number)).collect()).collect()
}

fn row(name: &str, rounds: &[&BurstFigures], part: Of) -> Option<Vec<String>> {
    let parts: Vec<&BurstPart> = rounds.iter().map(|burst| part(burst)).collect();
    let first = parts.first()?;
    let of = |one: fn(&BurstPart) -> Option<Point>| {
        point(Spread::of(parts.iter().filter_map(|part| one(part))).map(|spread| spread.middle))
    };
    let number = middle(parts.iter().map(|part| part.scheduled as f64)).unwrap_or(0.0);
    Some(vec![
        name.to_owned(),
        stages::when(first.span),
        count(number as u64),
        of(|part| part.response_time.p50),
        of(|part| part.response_time.p99),
        of(|part| part.response_time.max),
        count(parts.iter().map(|part| part.not_ok).sum()),
    ])
}

/// The answer: when it was over.
fn recovery(rounds: &[&BurstFigures]) -> Option<String> {
    let usual = middle(rounds.iter().map(|burst| burst.usual_backlog as f64))? as u64;
    let backlog =
        format!("the backlog was back at what was usual before it, {} at most", counted(usual, "request"));
    let took: Vec<Point> = rounds.iter().filter_map(|burst| took(burst.recovery)).collect();
    let never: Vec<Nanos> = rounds.iter().filter_map(|burst| never(burst.recovery)).collect();
    let longest = never.iter().copied().max().map(length);
    Some(match (Spread::of(took.iter().copied()), longest) {
        (None, None) => {
            "Recovery: cannot say: too little was sent before the burst to know what is usual.".into()
        }
        (None, Some(longest)) => format!(
            "Not recovered within {longest} of the burst’s end: the backlog did not come back to what was usual \
             before it, {} at most.",
            counted(usual, "request")
        ),
        (Some(spread), None) if took.len() == 1 => {
            format!("Recovered {} after the burst’s end: {backlog}.", spread.middle.value)
        }
        (Some(spread), None) => format!(
            "Recovered {} after the burst’s end, the middle of {} ({}): {backlog}.",
            spread.middle.value,
            counted(took.len() as u64, "round"),
            range(spread.least.value, spread.largest.value)
        ),
        (Some(spread), Some(longest)) => format!(
            "Not recovered within {longest} of the burst’s end in {} of {}; in the others {} after it.",
            never.len(),
            counted(rounds.len() as u64, "round"),
            range(spread.least.value, spread.largest.value)
        ),
    })
}

/// The answer of one run, for the picture of it.
pub(crate) fn one_run(run: &RunSummary) -> String {
    let says = run.bursts.iter().flat_map(|burst| [recovery(&[burst]), worst(&[burst])]);
    says.flatten().take(2).collect::<Vec<_>>().join(" ")
}

/// A whole answer in few words, for one run: `recovered in 2.01 s`.
pub(crate) fn in_short(burst: &BurstFigures) -> String {
    let recovery = match burst.recovery {
        Recovery::Took(time) => format!("recovered in {time}"),
        Recovery::NotWithin(time) => format!("not recovered within {}", length(time)),
        Recovery::CannotSay => "recovery cannot be said".to_owned(),
    };
    format!("{recovery}, backlog up to {}", count(burst.peak_backlog))
}

fn took(recovery: Recovery) -> Option<Point> {
    match recovery {
        Recovery::Took(value) => Some(Point { value, at_least: false }),
        Recovery::NotWithin(_) | Recovery::CannotSay => None,
    }
}

fn never(recovery: Recovery) -> Option<Nanos> {
    match recovery {
        Recovery::NotWithin(time) => Some(time),
        Recovery::Took(_) | Recovery::CannotSay => None,
    }
}

fn were(requests: u64) -> String {
    match requests {
        1 => "1 request was".to_owned(),
        many => format!("{} requests were", count(many)),
    }
}

/// The backlog at its highest.
fn worst(rounds: &[&BurstFigures]) -> Option<String> {
    let mut sorted = rounds.to_vec();
    sorted.sort_by_key(|burst| burst.peak_backlog);
    let (least, most) = (sorted.first()?, sorted.last()?);
    let one = sorted[(sorted.len() - 1) / 2];
    let over = match least.peak_backlog == most.peak_backlog {
        true => String::new(),
        false => format!(" ({} to {} over the rounds)", count(least.peak_backlog), count(most.peak_backlog)),
    };
    Some(format!(
        "At the worst moment {} due and unanswered{over}, {} after the burst’s beginning.",
        were(one.peak_backlog),
        one.peak_at.saturating_sub(one.during.span.began)
    ))
}
