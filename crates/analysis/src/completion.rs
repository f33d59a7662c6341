//! Work that goes on after its answer: from submit to result.

use crate::summary::{CompletionFigures, CoursePoint, Distribution, Point};
use crate::tally::QUANTILES;
use model::{Completion, FollowFacts, Nanos, RunRecord, WorkEnd};
use stats::{Quantile, nearest_rank};

/// Points of the course: as many as a picture can show.
const COURSE_POINTS: u64 = 240;
/// The length over which the busiest time is looked for.
const MINUTE: Nanos = Nanos::from_secs(60);

/// What became of a run's accepted work; `None` if nobody followed it.
///
/// A wait runs from the scheduled moment to the moment at which the end was
/// learnt, never before it came. Work that was given up, or did not end, or had
/// no name, gave no result: it waited until following ended at least, and
/// enters as that lower bound. Percentiles are exact, by nearest rank.
pub(crate) fn completion(record: &RunRecord, all: &[Completion]) -> Option<CompletionFigures> {
    let facts = record.facts.follow?;
    let followed = record.end.as_ref().and_then(|end| end.followed.clone());
    let began = record.facts.warm_up;
    let counted: Vec<&Completion> = all.iter().filter(|one| one.counted).collect();
    let count = |end: WorkEnd| counted.iter().filter(|one| one.end == end).count() as u64;
    let last = counted.iter().map(|one| one.at).max().unwrap_or(began);
    let until = followed.as_ref().map_or(last, |followed| followed.until.max(last));
    let sending_ended = record.end.as_ref().map_or(last, |end| end.counted_until);
    let length = sending_ended.saturating_sub(began);
    let window = length.min(MINUTE);
    let (peak, peak_at) = peak(&counted);
    let ended = counted.iter().filter(|one| has_ended(one)).map(|one| one.at).max();
    let all_ended = counted.iter().all(|one| has_ended(one));
    let (late, held) = bound(facts, &counted, until);
    Some(CompletionFigures {
        facts,
        followed,
        accepted: counted.len() as u64,
        accepted_in_all: all.len() as u64,
        accepted_per_s: a_second(counted.len() as u64, length),
        busiest_minute_per_s: a_second(most_within(&counted, window), window),
        done: count(WorkEnd::Done),
        given_up: count(WorkEnd::GivenUp),
        unfinished: count(WorkEnd::Unfinished),
        nameless: count(WorkEnd::Nameless),
        submit_to_result: distribution(counted.iter().map(|one| wait(one, until)).collect()),
        resolution: resolution(facts, &counted),
        peak,
        peak_at: peak_at.saturating_sub(began),
        drained_after: ended.filter(|_| all_ended).map(|ended| ended.saturating_sub(sending_ended)),
        course: course(&counted, began, until),
        late,
        held,
    })
}

fn has_ended(one: &Completion) -> bool {
    matches!(one.end, WorkEnd::Done | WorkEnd::GivenUp)
}

fn a_second(count: u64, length: Nanos) -> Option<f64> {
    (length > Nanos::ZERO).then(|| count as f64 / length.as_secs_f64())
}

/// The most work that was due within any time of this length.
fn most_within(all: &[&Completion], window: Nanos) -> u64 {
    let mut due: Vec<Nanos> = all.iter().map(|one| one.scheduled).collect();
    due.sort_unstable();
    let within = |(first, from): (usize, &Nanos)| {
        due.partition_point(|moment| *moment < from.saturating_add(window)) - first
    };
    due.iter().enumerate().map(within).max().unwrap_or(0) as u64
}

/// How long its user waited, and whether that is only a lower bound.
fn wait(one: &Completion, until: Nanos) -> (Nanos, bool) {
    match one.end {
        WorkEnd::Done => (one.at.saturating_sub(one.scheduled), false),
        _ => (until.saturating_sub(one.scheduled), true),
    }
}

/// Nearest-rank percentiles of waits, some of which are lower bounds.
fn distribution(mut waits: Vec<(Nanos, bool)>) -> Distribution {
    waits.sort_unstable();
    let n = waits.len() as u64;
    let lengths: Vec<u64> = waits.iter().map(|(length, _)| length.0).collect();
    let least_bound = waits.iter().find(|(_, at_least)| *at_least).map(|(length, _)| length.0);
    let point =
        |value: u64| Point { value: Nanos(value), at_least: least_bound.is_some_and(|least| value >= least) };
    let [p50, p90, p95, p99, p999] = QUANTILES.map(|q| nearest_rank(&lengths, q).map(point));
    let sum: u128 = lengths.iter().map(|length| u128::from(*length)).sum();
    Distribution {
        n,
        censored: waits.iter().filter(|(_, at_least)| *at_least).count() as u64,
        mean: (n > 0).then(|| sum as f64 / n as f64),
        p50,
        p90,
        p95,
        p99,
        p999,
        max: lengths.last().copied().map(point),
    }
}

/// The 99th percentile of the gaps in which ends were missed.
fn resolution(facts: FollowFacts, all: &[&Completion]) -> Option<Nanos> {
    facts.every?;
    let mut gaps: Vec<u64> =
        all.iter().filter(|one| has_ended(one)).map(|one| one.at.saturating_sub(one.not_before).0).collect();
    gaps.sort_unstable();
    nearest_rank(&gaps, Quantile::P99).map(Nanos)
}

/// The most work submitted and not ended at once, and when that was first so.
/// What is submitted and what ends at one moment is there at once for no time.
fn peak(all: &[&Completion]) -> (u64, Nanos) {
    let submitted = all.iter().map(|one| (one.scheduled, 1_i64));
    let ended = all.iter().filter(|one| has_ended(one)).map(|one| (one.at, -1));
    let mut changes: Vec<(Nanos, i64)> = submitted.chain(ended).collect();
    changes.sort_unstable();
    let (mut open, mut most, mut when) = (0_i64, 0_i64, Nanos::ZERO);
    for (at, change) in changes {
        open += change;
        if open > most {
            (most, when) = (open, at);
        }
    }
    (most.max(0) as u64, when)
}

fn course(all: &[&Completion], began: Nanos, until: Nanos) -> Vec<CoursePoint> {
    let mut submitted: Vec<Nanos> = all.iter().map(|one| one.scheduled).collect();
    let mut ended: Vec<Nanos> = all.iter().filter(|one| has_ended(one)).map(|one| one.at).collect();
    submitted.sort_unstable();
    ended.sort_unstable();
    let length = u128::from(until.saturating_sub(began).0);
    let by = |moments: &[Nanos], at: Nanos| moments.partition_point(|moment| *moment <= at) as u64;
    let point = |n: u64| {
        let at = Nanos((length * u128::from(n) / u128::from(COURSE_POINTS - 1)) as u64);
        CoursePoint { at, submitted: by(&submitted, began + at), ended: by(&ended, began + at) }
    };
    if all.is_empty() { Vec::new() } else { (0..COURSE_POINTS).map(point).collect() }
}

/// Work that certainly broke the bound, and whether all held it. An end that
/// came between two looks on either side of the bound says neither.
fn bound(facts: FollowFacts, all: &[&Completion], until: Nanos) -> (Option<u64>, Option<bool>) {
    let Some(at_most) = facts.at_most else { return (None, None) };
    let took = |to: Nanos, one: &Completion| to.saturating_sub(one.scheduled);
    // `Some(true)` held it, `Some(false)` broke it.
    let held = |one: &&Completion| match one.end {
        WorkEnd::Done if took(one.at, one) <= at_most => Some(true),
        WorkEnd::Done if facts.every.is_none() || took(one.not_before, one) > at_most => Some(false),
        WorkEnd::GivenUp => Some(false),
        WorkEnd::Unfinished if took(until, one) > at_most => Some(false),
        WorkEnd::Done | WorkEnd::Unfinished | WorkEnd::Nameless => None,
    };
    let (mut late, mut unknown) = (0, 0);
    for one in all {
        match held(one) {
            Some(false) => late += 1,
            None => unknown += 1,
            Some(true) => {}
        }
    }
    let all_held = match (late, unknown) {
        (0, 0) if all.is_empty() => None,
        (0, 0) => Some(true),
        (0, _) => None,
        _ => Some(false),
    };
    (Some(late), all_held)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Run;
    use model::{FollowKind, Followed, Rate, Stored};

    const SECOND: u64 = 1_000_000_000;

    fn work(submitted_s: u64, ended_s: u64, end: WorkEnd) -> Completion {
        Completion {
            index: submitted_s,
            scheduled: Nanos(submitted_s * SECOND),
            answered: Nanos(submitted_s * SECOND + 1),
            counted: true,
            name: submitted_s.to_string(),
            end,
            not_before: Nanos(ended_s * SECOND - SECOND / 2),
            at: Nanos(ended_s * SECOND),
        }
    }

    /// A run whose counted part goes from second 1 to 11, followed until second 100.
    fn record(at_most_s: Option<u64>) -> RunRecord {
        let mut record = Run::calm().record;
        record.facts.warm_up = Nanos(SECOND);
        record.facts.follow = Some(FollowFacts {
            kind: FollowKind::Poll,
            every: Some(Nanos(SECOND / 2)),
            within: Nanos(600 * SECOND),
            at_most: at_most_s.map(Nanos::from_secs),
            quota: Rate::per_second(0.5),
        });
        let end = record.end.as_mut().expect("an end");
        end.counted_until = Nanos(11 * SECOND);
        end.followed = Some(Followed { until: Nanos(100 * SECOND), ..Followed::default() });
        record
    }

    fn figures(at_most_s: Option<u64>, all: &[Completion]) -> CompletionFigures {
        completion(&record(at_most_s), all).expect("it was followed")
    }

    #[test]
    fn a_wait_runs_from_the_scheduled_moment_and_what_gave_no_result_is_a_lower_bound() {
        let all = [
            work(2, 4, WorkEnd::Done),
            work(3, 9, WorkEnd::Done),
            work(4, 5, WorkEnd::GivenUp),
            work(10, 100, WorkEnd::Unfinished),
        ];
        let found = figures(None, &all);
        let waits = &found.submit_to_result;
        assert_eq!((found.accepted, found.done, found.given_up, found.unfinished), (4, 2, 1, 1));
        assert_eq!((waits.n, waits.censored), (4, 2));
        let point = |seconds, at_least| Some(Point { value: Nanos::from_secs(seconds), at_least });
        assert_eq!((waits.p50, waits.p90, waits.max), (point(6, false), point(96, true), point(96, true)));
        assert_eq!((found.drained_after, found.late, found.held), (None, None, None));
        assert_eq!(found.resolution, Some(Nanos(SECOND / 2)));
    }

    #[test]
    fn the_peak_and_the_course_count_from_the_start_of_the_counted_part() {
        let all = [work(2, 6, WorkEnd::Done), work(3, 6, WorkEnd::Done), work(6, 40, WorkEnd::Done)];
        let found = figures(None, &all);
        assert_eq!((found.peak, found.peak_at), (2, Nanos::from_secs(2)));
        assert_eq!(found.drained_after, Some(Nanos::from_secs(29)));
        let first = found.course[0];
        let last = found.course[found.course.len() - 1];
        assert_eq!((first.submitted, first.ended), (0, 0));
        assert_eq!((last.at, last.submitted, last.ended), (Nanos::from_secs(99), 3, 3));
        assert!(found.course.iter().all(|point| point.ended <= point.submitted));
    }

    #[test]
    fn a_bound_is_held_broken_or_cannot_be_said() {
        let done = |took: u64| work(2, 2 + took, WorkEnd::Done);
        let held = |all: &[Completion]| {
            let found = figures(Some(5), all);
            (found.late, found.held)
        };
        assert_eq!(held(&[done(4), done(5)]), (Some(0), Some(true)));
        assert_eq!(held(&[done(4), done(7)]), (Some(1), Some(false)));
        // Not yet at 4.9 s and done at 5.4 s: it may have been either.
        let mut between = done(5);
        (between.not_before, between.at) =
            (between.scheduled + Nanos(49 * SECOND / 10), between.scheduled + Nanos(54 * SECOND / 10));
        assert_eq!(held(&[done(4), between.clone()]), (Some(0), None));
        assert_eq!(held(&[done(9), between]), (Some(1), Some(false)));
        assert_eq!(held(&[work(2, 3, WorkEnd::GivenUp)]), (Some(1), Some(false)));
        assert_eq!(held(&[work(2, 100, WorkEnd::Unfinished)]), (Some(1), Some(false)));
        assert_eq!(held(&[work(97, 100, WorkEnd::Unfinished)]), (Some(0), None));
        assert_eq!(held(&[]), (Some(0), None));
    }

    #[test]
    fn what_was_accepted_a_second_counts_from_when_it_was_due() {
        // Ten seconds are shorter than a minute: the busiest of it is all of it.
        let few = figures(None, &[work(2, 3, WorkEnd::Done), work(9, 10, WorkEnd::Done)]);
        assert_eq!((few.accepted_per_s, few.busiest_minute_per_s), (Some(0.2), Some(0.2)));
        let mut long = record(None);
        long.end.as_mut().expect("an end").counted_until = Nanos(201 * SECOND);
        // One each 10 s, and thirty from second 100 to 129: a minute holds them and six of the others.
        let steady = (0..20).map(|n| work(1 + 10 * n, 200, WorkEnd::Done));
        let burst = (0..30).map(|n| work(100 + n, 200, WorkEnd::Done));
        let found = completion(&long, &steady.chain(burst).collect::<Vec<_>>()).expect("followed");
        assert_eq!((found.accepted, found.accepted_per_s), (50, Some(0.25)));
        assert_eq!(found.busiest_minute_per_s, Some(36.0 / 60.0));
    }

    #[test]
    fn work_of_the_warm_up_is_stored_too() {
        let mut early = work(0, 1, WorkEnd::Done);
        early.counted = false;
        let all = [early, work(2, 3, WorkEnd::Done)];
        let stored = |stored: Stored| {
            let mut record = record(None);
            let followed = record.end.as_mut().and_then(|end| end.followed.as_mut()).expect("followed");
            followed.stored = Some(stored);
            completion(&record, &all).expect("followed")
        };
        let both = stored(Stored::Count(2));
        assert_eq!((both.accepted, both.accepted_in_all, both.is_any_lost()), (1, 2, false));
        assert!(stored(Stored::Count(1)).is_any_lost());
        assert!(!stored(Stored::Count(3)).is_any_lost());
        assert!(!stored(Stored::Unknown("it is away".to_owned())).is_any_lost());
    }

    #[test]
    fn warm_up_is_no_part_of_it_and_a_run_that_nobody_followed_has_none() {
        let mut early = work(2, 90, WorkEnd::Done);
        early.counted = false;
        assert_eq!(figures(None, &[early, work(3, 4, WorkEnd::Done)]).accepted, 1);
        assert_eq!(completion(&Run::calm().record, &[]), None);
    }
}
