//! The same for what was learnt beside the requests: the ends of work, and
//! readings.

use super::convert::times;
use super::types::{Completion, CoursePoint, Followed, Reading, ReadingGap};
use analysis::{CompletionFigures, ReadingFigures};
use model::{Nanos, Rate, ReadingGaps, ReadingUnit, Stored};

pub(super) fn completion(figures: &CompletionFigures) -> Completion {
    let facts = figures.facts;
    let point = |point: &analysis::CoursePoint| CoursePoint {
        at_s: point.at.as_secs_f64(),
        submitted: point.submitted,
        ended: point.ended,
    };
    Completion {
        by: facts.kind.name(),
        every_ns: facts.every.map(|every| every.0),
        within_ns: facts.within.0,
        at_most_ns: facts.at_most.map(|at_most| at_most.0),
        quota_per_s: facts.quota.map(Rate::as_per_second),
        accepted: figures.accepted,
        accepted_in_all: figures.accepted_in_all,
        accepted_per_s: figures.accepted_per_s,
        busiest_minute_per_s: figures.busiest_minute_per_s,
        done: figures.done,
        given_up: figures.given_up,
        unfinished: figures.unfinished,
        nameless: figures.nameless,
        submit_to_result_ns: times(&figures.submit_to_result, None),
        resolution_ns: figures.resolution.map(|resolution| resolution.0),
        peak: figures.peak,
        peak_at_s: figures.peak_at.as_secs_f64(),
        drained_after_ns: figures.drained_after.map(|after| after.0),
        late: figures.late,
        held: facts.at_most.map(|_| held(figures.held)),
        followed: figures.followed.as_ref().map(|followed| Followed {
            until_ns: followed.until.0,
            cut_short: followed.is_cut_short,
            asked: followed.asked,
            failed: followed.failed,
            example: followed.example.clone(),
            strangers: followed.strangers,
            repeated: followed.repeated,
            cpu_ns: followed.cpu.0,
            stored: match followed.stored {
                Some(Stored::Count(count)) => Some(count),
                _ => None,
            },
            stored_unknown: match &followed.stored {
                Some(Stored::Unknown(why)) => Some(why.clone()),
                _ => None,
            },
        }),
        course: figures.course.iter().map(point).collect(),
    }
}

fn held(held: Option<bool>) -> &'static str {
    match held {
        Some(true) => "yes",
        Some(false) => "no",
        None => "cannot say",
    }
}

pub(super) fn reading(one: &ReadingFigures) -> Reading {
    Reading {
        reading: one.reading.clone(),
        column: one.column.clone(),
        kind: one.kind.clone(),
        asks: one.asks.clone(),
        every_s: one.every.as_secs_f64(),
        unit: one.unit.map(ReadingUnit::name),
        limit: one.limit,
        n: one.n,
        first: one.first,
        last: one.last,
        least: one.least,
        most: one.most,
        most_at_s: one.most_at.as_secs_f64(),
    }
}

pub(super) fn gap(one: &ReadingGaps) -> ReadingGap {
    let ReadingGaps { reading, column, asked, gaps, first, first_at } = one.clone();
    let column = Some(column).filter(|column| !column.is_empty());
    let Nanos(first_at_ns) = first_at;
    ReadingGap { reading, column, asked, gaps, first, first_at_ns }
}
