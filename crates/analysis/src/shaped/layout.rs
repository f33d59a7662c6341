//! Which stretches of a shape get figures of their own, so that memory stays
//! bounded whatever the shape, and a long slope is not one number.

use model::{BurstSpans, Nanos, Shape, ShapeKind, Span, Stage};

/// Shapes of more stages are told in equal stretches.
const MOST_STAGES: usize = 200;
/// In so many.
const STRETCHES: u64 = 60;
/// A slope of a load that only rises is told in so many parts.
const PARTS_OF_A_SLOPE: u64 = 10;
/// Bursts that get figures: the first of them.
const MOST_BURSTS: usize = 20;

/// The stages whose figures are told, in order and without gaps.
///
/// As planned, with two exceptions. Where the load only rises, a slope is cut
/// into ten parts (edge k at ⌊k L ÷ 10⌋ of its length L), each with its share of
/// the slope. Where there are then more than 200, they are replaced by sixty
/// stretches (edge k at ⌊k L ÷ 60⌋ of the shape's length), each with the mean
/// load over it as a level.
pub(crate) fn measured_stages(shape: &Shape) -> Vec<Stage> {
    let stages: Vec<Stage> = match only_rises(shape) {
        true => shape.stages.iter().flat_map(|stage| parts(*stage)).collect(),
        false => shape.stages.clone(),
    };
    if stages.len() > MOST_STAGES { stretches(shape) } else { stages }
}

/// Whether the shape is a ramp: it is called one, or is written out in stages
/// that only rise and have three sizes or more.
pub(crate) fn rises(shape: &Shape) -> bool {
    match shape.kind {
        ShapeKind::RampUp => true,
        ShapeKind::Stages => only_rises(shape) && measured_stages(shape).len() >= 3,
        _ => false,
    }
}

/// Whether the load is the same throughout.
pub(crate) fn is_level(shape: &Shape) -> bool {
    shape.stages.iter().all(|stage| stage.is_level() && stage.from == shape.stages[0].from)
}

/// The planned mean load of the stage in which a moment lies.
pub(crate) fn load_at(shape: &Shape, moment: Nanos) -> f64 {
    let stages = shape.spans().into_iter().zip(&shape.stages);
    stages.rev().find(|(span, _)| span.began <= moment).map_or(0.0, |(_, stage)| stage.mean())
}

/// The bursts whose figures are told, as far as they lie within a counted part
/// of this length: at most twenty, and none of a day's curve or of recorded
/// arrivals, whose ups and downs are no bursts.
pub(crate) fn measured_bursts(shape: &Shape, length: Nanos) -> Vec<BurstSpans> {
    if matches!(shape.kind, ShapeKind::Day | ShapeKind::Replay) {
        return Vec::new();
    }
    let within = |span: Span| Span { began: span.began.min(length), ended: span.ended.min(length) };
    let begun = shape.bursts().into_iter().filter(|burst| burst.during.began < length);
    let within = begun.map(|burst| BurstSpans {
        before: within(burst.before),
        during: within(burst.during),
        after: within(burst.after),
    });
    within.take(MOST_BURSTS).collect()
}

/// Every stage is larger than the one before, and none falls.
fn only_rises(shape: &Shape) -> bool {
    let rises = |pair: &[Stage]| pair[1].from >= pair[0].to && pair[1].mean() > pair[0].mean();
    matches!(shape.kind, ShapeKind::RampUp | ShapeKind::Stages)
        && shape.stages.iter().all(|stage| stage.to >= stage.from)
        && shape.stages.windows(2).all(rises)
}

fn parts(stage: Stage) -> Vec<Stage> {
    if stage.is_level() || stage.length.0 < PARTS_OF_A_SLOPE {
        return vec![stage];
    }
    let load = |at: u64| stage.from + (stage.to - stage.from) * at as f64 / PARTS_OF_A_SLOPE as f64;
    let part = |at: u64| Stage {
        length: edge(stage.length, at + 1, PARTS_OF_A_SLOPE) - edge(stage.length, at, PARTS_OF_A_SLOPE),
        from: load(at),
        to: load(at + 1),
    };
    (0..PARTS_OF_A_SLOPE).map(part).collect()
}

fn edge(length: Nanos, at: u64, of: u64) -> Nanos {
    Nanos((u128::from(length.0) * u128::from(at) / u128::from(of)) as u64)
}

fn stretches(shape: &Shape) -> Vec<Stage> {
    let (length, spans) = (shape.length(), shape.spans());
    let stretch = |at: u64| {
        let span = Span { began: edge(length, at, STRETCHES), ended: edge(length, at + 1, STRETCHES) };
        let load = |(stage, of): (&Stage, &Span)| {
            let both = Span { began: span.began.max(of.began), ended: span.ended.min(of.ended) };
            let inside = |moment: Nanos| {
                let share = (moment - of.began).as_secs_f64() / of.length().as_secs_f64();
                stage.from + (stage.to - stage.from) * share
            };
            if both.ended <= both.began {
                return 0.0;
            }
            f64::midpoint(inside(both.began), inside(both.ended)) * both.length().as_secs_f64()
        };
        let sum: f64 = shape.stages.iter().zip(&spans).map(load).sum();
        Stage::level(span.length(), sum / span.length().as_secs_f64())
    };
    (0..STRETCHES).map(stretch).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::StageUnit;

    fn shape(kind: ShapeKind, stages: Vec<Stage>) -> Shape {
        Shape { kind, unit: StageUnit::PerSecond, pace: None, stages, replay: None }
    }

    fn levels(loads: &[f64]) -> Vec<Stage> {
        loads.iter().map(|load| Stage::level(Nanos::from_secs(10), *load)).collect()
    }

    #[test]
    fn stages_are_told_as_planned_and_a_rising_slope_in_ten_parts() {
        let planned = shape(ShapeKind::Stages, levels(&[2.0, 20.0, 2.0]));
        assert_eq!(measured_stages(&planned), planned.stages);
        let slope = Stage { length: Nanos(1_005), from: 100.0, to: 200.0 };
        let parts = measured_stages(&shape(ShapeKind::RampUp, vec![slope]));
        assert_eq!(parts.len(), 10);
        assert_eq!((parts[0].from, parts[0].to, parts[9].to), (100.0, 110.0, 200.0));
        assert_eq!(parts.iter().map(|part| part.length).sum::<Nanos>(), Nanos(1_005));
        assert_eq!(parts[1].length, Nanos(101), "from 100 to 201");
        let day = shape(ShapeKind::Day, vec![slope]);
        assert_eq!(measured_stages(&day), [slope]);
    }

    #[test]
    fn more_than_200_stages_are_told_as_sixty_stretches_of_the_same_load() {
        let zigzag: Vec<Stage> = (0..600)
            .map(|n| Stage {
                length: Nanos::from_millis(1_000),
                from: f64::from(n % 7),
                to: f64::from((n + 1) % 7),
            })
            .collect();
        let shape = shape(ShapeKind::Day, zigzag);
        let told = measured_stages(&shape);
        assert_eq!((told.len(), told[0].length), (60, Nanos::from_secs(10)));
        let load = |stages: &[Stage]| -> f64 {
            stages.iter().map(|stage| stage.mean() * stage.length.as_secs_f64()).sum()
        };
        assert!((load(&told) - load(&shape.stages)).abs() < 1e-6);
        assert!((told[3].from * 10.0 - load(&shape.stages[30..40])).abs() < 1e-9);
    }

    #[test]
    fn a_ramp_is_called_one_or_only_rises() {
        let rise = |kind, loads: &[f64]| rises(&shape(kind, levels(loads)));
        assert!(rise(ShapeKind::RampUp, &[1.0, 2.0]) && rise(ShapeKind::Stages, &[1.0, 2.0, 3.0]));
        for loads in [&[1.0, 2.0][..], &[1.0, 3.0, 2.0], &[1.0, 1.0, 2.0], &[3.0, 2.0, 1.0]] {
            assert!(!rise(ShapeKind::Stages, loads), "{loads:?}");
        }
        assert!(!rise(ShapeKind::Day, &[1.0, 2.0, 3.0]));
        assert!(is_level(&shape(ShapeKind::Steady, levels(&[5.0, 5.0]))));
        assert!(!is_level(&shape(ShapeKind::Steady, levels(&[5.0, 6.0]))));
    }

    #[test]
    fn bursts_lie_within_what_was_counted_and_a_days_curve_has_none() {
        let planned = shape(ShapeKind::Burst, levels(&[2.0, 20.0, 2.0]));
        let found = measured_bursts(&planned, Nanos::from_secs(15));
        let seconds = |span: Span| (span.began.as_secs_f64(), span.ended.as_secs_f64());
        assert_eq!(seconds(found[0].during), (10.0, 15.0));
        assert_eq!(found[0].after.length(), Nanos::ZERO);
        assert!(measured_bursts(&planned, Nanos::from_secs(10)).is_empty());
        let day = shape(ShapeKind::Day, levels(&[2.0, 20.0, 2.0]));
        assert!(measured_bursts(&day, Nanos::MAX).is_empty());
    }
}
