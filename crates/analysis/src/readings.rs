//! What readings say over a run: their range, their course, and what grew.

use crate::growth::growth_of_reading;
use crate::summary::{Growth, ReadingFigures, ReadingPoint};
use model::{Nanos, ReadingFacts, ReadingUnit, Readings, RunFacts, ShapeKind, Span};

/// Points of a course: as many as a picture can show.
const COURSE_POINTS: usize = 240;

/// The figures of every column that gave a number, in the order of the plan.
///
/// Only numbers from the counted part's beginning (`began`) on are in here, up
/// to the end of reading, and moments count from there: work goes on after
/// sending has ended.
pub(crate) fn figures(readings: &Readings, began: Nanos) -> Vec<ReadingFigures> {
    readings
        .columns()
        .into_iter()
        .filter_map(|(facts, column)| of_column(readings, facts, column, began))
        .collect()
}

fn of_column(
    readings: &Readings,
    facts: &ReadingFacts,
    column: &str,
    began: Nanos,
) -> Option<ReadingFigures> {
    let mut points: Vec<(Nanos, f64)> = readings
        .points(&facts.name, column)
        .filter(|(at, _)| *at >= began)
        .map(|(at, value)| (at.saturating_sub(began), value))
        .collect();
    points.sort_by_key(|(at, _)| *at);
    let (first, last) = (points.first()?.1, points.last()?.1);
    let least = points.iter().map(|(_, value)| *value).fold(f64::INFINITY, f64::min);
    let (most_at, most) =
        points.iter().copied().reduce(|most, point| if point.1 > most.1 { point } else { most })?;
    Some(ReadingFigures {
        reading: facts.name.clone(),
        column: column.to_owned(),
        kind: facts.kind.clone(),
        asks: facts.asks.clone(),
        every: facts.every,
        unit: facts.unit_of(column),
        limit: facts.limit_of(column),
        n: points.len() as u64,
        first,
        last,
        least,
        most,
        most_at,
        course: course(&points),
    })
}

/// Equal stretches of the time from the first to the last number, each with the
/// largest and least of its numbers; a stretch without one is left out.
fn course(points: &[(Nanos, f64)]) -> Vec<ReadingPoint> {
    let (Some((began, _)), Some((ended, _))) = (points.first(), points.last()) else { return Vec::new() };
    let point = |(at, value): &(Nanos, f64)| ReadingPoint { at: *at, least: *value, most: *value };
    if points.len() <= COURSE_POINTS {
        return points.iter().map(point).collect();
    }
    let length = u128::from(ended.saturating_sub(*began).0) + 1;
    let stretch =
        |at: Nanos| (u128::from(at.saturating_sub(*began).0) * COURSE_POINTS as u128 / length) as usize;
    let mut course: Vec<(usize, ReadingPoint)> = Vec::new();
    for one in points {
        let place = stretch(one.0);
        match course.last_mut() {
            Some((last, kept)) if *last == place => {
                kept.least = kept.least.min(one.1);
                kept.most = kept.most.max(one.1);
            }
            _ => course.push((place, point(one))),
        }
    }
    course.into_iter().map(|(_, point)| point).collect()
}

/// How every column grew over the counted part, where the load stays level to
/// see that.
pub(crate) fn growths(facts: &RunFacts, readings: &Readings, span: Span) -> Vec<Growth> {
    let kind = facts.shape.as_ref().map(|shape| shape.kind);
    if !matches!(kind, Some(ShapeKind::Steady | ShapeKind::Soak)) {
        return Vec::new();
    }
    let one = |(of, column): (&ReadingFacts, &str)| {
        let points: Vec<(Nanos, f64)> = readings.points(&of.name, column).collect();
        let unit = of.unit_of(column).map_or("", ReadingUnit::name);
        growth_of_reading(&format!("{} {column}", of.name), unit, &points, span, of.limit_of(column))
    };
    readings.columns().into_iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Run;
    use crate::summary::Grows;
    use model::{ColumnFacts, Reading, Shape, Stage, StageUnit};

    fn facts() -> ReadingFacts {
        ReadingFacts {
            name: "queue".to_owned(),
            kind: "sql".to_owned(),
            asks: "shop.db".to_owned(),
            every: Nanos::from_secs(1),
            timeout: Nanos::from_secs(1),
            unit: Some(ReadingUnit::Count),
            limit: None,
            columns: vec![ColumnFacts { column: "queued".to_owned(), unit: None, limit: Some(500.0) }],
        }
    }

    fn readings(values: impl Iterator<Item = Option<f64>>) -> Readings {
        let row = |(second, value): (u64, Option<f64>)| Reading {
            reading: "queue".into(),
            column: if value.is_some() { "queued".into() } else { "".into() },
            asked: Nanos::from_secs(second),
            answered: Nanos::from_secs(second),
            value,
            note: value.is_none().then(|| "no answer".into()),
        };
        Readings { facts: vec![facts()], rows: (0..).zip(values).map(row).collect() }
    }

    #[test]
    fn figures_count_from_the_counted_part_on_and_a_gap_is_no_number() {
        let values = [Some(99.0), Some(3.0), None, Some(7.0), Some(7.0), Some(2.0)];
        let found = figures(&readings(values.into_iter()), Nanos::from_secs(1));
        let [one] = &found[..] else { panic!("{found:?}") };
        assert_eq!((one.n, one.first, one.last, one.least, one.most), (4, 3.0, 2.0, 2.0, 7.0));
        assert_eq!((one.most_at, one.limit), (Nanos::from_secs(2), Some(500.0)));
        assert_eq!(one.course.len(), 4);
        assert!(figures(&readings([None, None].into_iter()), Nanos::ZERO).is_empty());
    }

    #[test]
    fn a_long_course_keeps_its_extremes() {
        let values =
            (0..5_000).map(|second| Some(if second == 3_333 { 900.0 } else { f64::from(second % 7) }));
        let found = figures(&readings(values), Nanos::ZERO);
        let course = &found[0].course;
        assert!(course.len() <= COURSE_POINTS, "{}", course.len());
        assert_eq!(course.iter().map(|point| point.most).fold(0.0, f64::max), 900.0);
        assert!(course.iter().all(|point| point.least == 0.0));
    }

    #[test]
    fn growth_is_asked_only_of_loads_that_stay_level() {
        let mut run = Run::calm().record.facts;
        let span = Span { began: Nanos::ZERO, ended: Nanos::from_secs(600) };
        let grows = readings((0..600).map(|second| Some(100.0 + f64::from(second) / 10.0)));
        assert!(growths(&run, &grows, span).is_empty());
        let stage = Stage { length: span.ended, from: 1.0, to: 1.0 };
        run.shape = Some(Shape {
            kind: ShapeKind::Soak,
            unit: StageUnit::PerSecond,
            pace: None,
            stages: vec![stage],
            replay: None,
        });
        let found = growths(&run, &grows, span);
        assert_eq!(
            (found[0].of.as_str(), found[0].says, found[0].limit),
            ("queue queued", Grows::Yes, Some(500.0))
        );
    }
}
