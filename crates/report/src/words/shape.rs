//! Loads that change over time, in words.

use crate::numbers::{UNKNOWN, chosen, chosen_rate, count, counted, length};
use model::{ArrivalProcess, Load, ReplayFacts, Shape, ShapeKind, StageUnit};

/// So many loads one after the other are written out; of more, the ends.
const WRITTEN_OUT: usize = 5;

/// `open loop · Poisson arrivals, burst 20/s → 200/s → 20/s`; a load without a
/// shape as it is.
pub(crate) fn load(load: Load, shape: Option<&Shape>) -> String {
    let Some(shape) = shape else { return load.to_string() };
    let over_time = shape_in_words(shape);
    match load {
        Load::Open { .. } if shape.kind == ShapeKind::Replay => {
            format!("open loop · recorded arrivals, {over_time}")
        }
        Load::Open { arrivals: ArrivalProcess::Poisson, .. } => {
            format!("open loop · Poisson arrivals, {over_time}")
        }
        Load::Open { arrivals: ArrivalProcess::Even, .. } => {
            format!("open loop · even arrivals, {over_time}")
        }
        Load::Paced { .. } => format!("paced loop · {over_time}"),
        Load::Closed { .. } => format!("closed loop · {over_time}"),
    }
}

/// The same for the head of a table's row: `open loop, burst 20/s → 200/s → 20/s`.
pub(crate) fn load_in_short(load: Load, shape: Option<&Shape>) -> String {
    match shape {
        Some(shape) => format!("{} loop, {}", load.name(), shape_in_words(shape)),
        None => super::load_in_short(load),
    }
}

/// What a shape does, in one phrase: `ramp-up 100/s → 1,000/s in 10 steps`.
pub(crate) fn shape_in_words(shape: &Shape) -> String {
    let name = shape.kind.name();
    let says = match (shape.kind, &shape.replay) {
        (ShapeKind::Replay, Some(facts)) => return replayed(shape, facts),
        (ShapeKind::RampUp, _) => format!("{name} {}", rises(shape)),
        (ShapeKind::Burst, _) => format!("{name} {}", bursts(shape)),
        (ShapeKind::Stages, _) => stages(shape),
        (ShapeKind::Day | ShapeKind::Replay, _) => format!("{name}, {}", least_to_most(shape)),
        (ShapeKind::Steady | ShapeKind::Soak, _) => format!("{name} {}", course(shape)),
    };
    match shape.pace {
        Some(pace) => format!("{says}, one request every {} each", length(pace)),
        None => says,
    }
}

/// A load in the shape's unit: `200/s`, `20 users`.
pub(crate) fn size(shape: &Shape, load: f64) -> String {
    match shape.unit {
        StageUnit::PerSecond => chosen_rate(load),
        StageUnit::Users => users(load),
    }
}

fn users(users: f64) -> String {
    if users == 1.0 { "1 user".into() } else { format!("{} users", chosen(users)) }
}

/// Loads joined by `joint`, their unit said once where it is a word.
fn sizes(shape: &Shape, loads: &[f64], joint: &str) -> String {
    match (shape.unit, loads) {
        (StageUnit::Users, [first @ .., last]) => {
            let first: Vec<String> = first.iter().map(|load| chosen(*load)).collect();
            first.into_iter().chain([users(*last)]).collect::<Vec<_>>().join(joint)
        }
        _ => loads.iter().map(|load| size(shape, *load)).collect::<Vec<_>>().join(joint),
    }
}

/// Every load that the shape stands at or turns at, in order.
fn turns(shape: &Shape) -> Vec<f64> {
    let mut loads: Vec<f64> = shape.stages.iter().flat_map(|stage| [stage.from, stage.to]).collect();
    loads.dedup();
    loads
}

fn least_to_most(shape: &Shape) -> String {
    let loads = turns(shape);
    let least = loads.iter().copied().fold(f64::INFINITY, f64::min);
    if loads.is_empty() { UNKNOWN.into() } else { sizes(shape, &[least, shape.largest()], " to ") }
}

/// Few loads one by one, many by their ends.
fn course(shape: &Shape) -> String {
    let loads = turns(shape);
    match loads.len() {
        0..=WRITTEN_OUT => sizes(shape, &loads, " → "),
        _ => least_to_most(shape),
    }
}

fn rises(shape: &Shape) -> String {
    let loads = turns(shape);
    let ends = match (loads.first(), loads.last()) {
        (Some(first), Some(last)) => sizes(shape, &[*first, *last], " → "),
        _ => UNKNOWN.into(),
    };
    match &shape.stages[..] {
        [slope] if !slope.is_level() => format!("{ends} in one slope"),
        stages => format!("{ends} in {}", counted(stages.len() as u64, "step")),
    }
}

/// One burst, and how often it comes.
fn bursts(shape: &Shape) -> String {
    match (shape.bursts().len() as u64, shape.stages.first()) {
        (times @ 2.., Some(base)) => {
            let one = sizes(shape, &[base.from, shape.largest(), base.from], " → ");
            format!("{one}, {} times", count(times))
        }
        _ => course(shape),
    }
}

fn stages(shape: &Shape) -> String {
    let loads = turns(shape);
    match loads.len() {
        0..=WRITTEN_OUT => sizes(shape, &loads, " → "),
        _ => format!("{} stages, {}", count(shape.stages.len() as u64), least_to_most(shape)),
    }
}

/// `replay of access.log at 2 × its speed, 33.4/s on average`.
fn replayed(shape: &Shape, facts: &ReplayFacts) -> String {
    let speed = if facts.speed == 1.0 {
        "at its own speed".to_owned()
    } else {
        format!("at {} × its speed", chosen(facts.speed))
    };
    format!("replay of {} {speed}, {} on average", facts.file, crate::numbers::per_second(shape.mean()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{closed, open, paced};
    use model::{Nanos, Stage};

    fn shape(kind: ShapeKind, unit: StageUnit, levels: &[f64]) -> Shape {
        let stages = levels.iter().map(|load| Stage::level(Nanos::from_secs(20), *load)).collect();
        Shape { kind, unit, pace: None, stages, replay: None }
    }

    #[test]
    fn a_load_over_time_is_told_by_its_model_and_its_course() {
        let rates = |kind, levels: &[f64]| shape(kind, StageUnit::PerSecond, levels);
        let burst = rates(ShapeKind::Burst, &[20.0, 200.0, 20.0]);
        assert_eq!(load(open(80.0), Some(&burst)), "open loop · Poisson arrivals, burst 20/s → 200/s → 20/s");
        assert_eq!(load_in_short(open(80.0), Some(&burst)), "open loop, burst 20/s → 200/s → 20/s");
        assert_eq!(load(open(80.0), None), "open loop · Poisson arrivals, 80/s");
        let users = shape(ShapeKind::Burst, StageUnit::Users, &[2.0, 20.0, 2.0]);
        assert_eq!(load(closed(20), Some(&users)), "closed loop · burst 2 → 20 → 2 users");
        let each = Shape { pace: Some(Nanos::from_secs(10)), ..users };
        assert_eq!(
            load(paced(2.0, 20), Some(&each)),
            "paced loop · burst 2 → 20 → 2 users, one request every 10 s each"
        );
    }

    #[test]
    fn every_kind_of_shape_is_told_in_a_phrase_whose_length_does_not_grow_with_it() {
        let many: Vec<f64> = (1..=48).map(|n| f64::from(n % 12) * 2.5).collect();
        let three = [1.0, 9.0, 1.0, 1.0, 9.0, 1.0, 1.0, 9.0, 1.0];
        let cases: [(ShapeKind, &[f64], &str); 7] = [
            (ShapeKind::RampUp, &[100.0, 400.0, 700.0, 1_000.0], "ramp-up 100/s → 1,000/s in 4 steps"),
            (ShapeKind::Steady, &[200.0], "steady 200/s"),
            (ShapeKind::Soak, &[0.75], "soak 0.75/s"),
            (ShapeKind::Stages, &[2.0, 20.0, 2.0], "2/s → 20/s → 2/s"),
            (ShapeKind::Stages, &many, "48 stages, 0/s to 27.5/s"),
            (ShapeKind::Day, &many, "day, 0/s to 27.5/s"),
            (ShapeKind::Burst, &three, "burst 1/s → 9/s → 1/s, 3 times"),
        ];
        for (kind, levels, says) in cases {
            assert_eq!(shape_in_words(&shape(kind, StageUnit::PerSecond, levels)), says);
        }
        let mut slope = shape(ShapeKind::RampUp, StageUnit::Users, &[1.0]);
        slope.stages[0].to = 20.0;
        assert_eq!(shape_in_words(&slope), "ramp-up 1 → 20 users in one slope");
        let mut replay = shape(ShapeKind::Replay, StageUnit::PerSecond, &[30.0, 40.0]);
        replay.replay = Some(ReplayFacts {
            file: "access.log".into(),
            format: "combined".into(),
            speed: 2.0,
            lines: 1_400,
            skipped: 0,
            resolution: Nanos::from_secs(1),
        });
        assert_eq!(
            load(open(35.0), Some(&replay)),
            "open loop · recorded arrivals, replay of access.log at 2 × its speed, 35.0/s on average"
        );
    }
}
