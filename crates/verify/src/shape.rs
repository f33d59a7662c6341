//! A load over time: what was asked for, and which stretches of it have figures.
//!
//! `stages.rs`, `burst.rs`, `growth.rs` and `ramp.rs` say what is computed of these.

pub(crate) mod backlog;
pub(crate) mod burst;
pub(crate) mod growth;
pub(crate) mod ramp;
pub(crate) mod stages;

use crate::check::{Computed, List};
use serde::Deserialize;
use serde_json::Value;

/// Shapes of more stages are told in sixty equal stretches.
const MOST_STAGES: usize = 200;
const STRETCHES: u64 = 60;
/// A rising slope is told in ten parts.
const PARTS: u64 = 10;

/// The load over time, as `run.json` has it.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Shape {
    pub(crate) kind: String,
    unit: String,
    pace_ns: Option<u64>,
    pub(crate) stages: Vec<Stage>,
    replay: Option<Value>,
}

/// So long, from one load to another.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
pub(crate) struct Stage {
    length_ns: u64,
    pub(crate) from: f64,
    pub(crate) to: f64,
}

impl Stage {
    fn mean(self) -> f64 {
        (self.from + self.to) / 2.0
    }
}

impl Shape {
    /// What is said of the plan itself.
    pub(crate) fn list(&self, list: &mut List) {
        list.text("shape.kind", &self.kind);
        list.text("shape.unit", &self.unit);
        list.real("shape.pace_s", self.pace_ns.map(seconds));
        for (at, stage) in self.stages.iter().enumerate() {
            list.real(format!("shape.stages.{at}.length_s"), Some(seconds(stage.length_ns)));
            list.real(format!("shape.stages.{at}.from"), Some(stage.from));
            list.real(format!("shape.stages.{at}.to"), Some(stage.to));
        }
        list.add(format!("shape.stages.{}", self.stages.len()), Computed::Nothing);
        let Some(replay) = self.replay.as_ref().and_then(Value::as_object) else {
            return list.add("shape.replay", Computed::Unknown);
        };
        for (name, value) in replay {
            match (name.as_str(), value.as_u64()) {
                ("resolution_ns", Some(step)) => list.real("shape.replay.resolution_s", Some(seconds(step))),
                _ => list.add(format!("shape.replay.{name}"), Computed::of(value)),
            }
        }
    }

    /// Arrivals a second that a load of this size means.
    pub(crate) fn per_second(&self, load: f64) -> Option<f64> {
        match (self.unit.as_str(), self.pace_ns) {
            ("per-second", _) => Some(load),
            (_, pace) => pace.map(|pace| load / seconds(pace)),
        }
    }

    /// Whether one load lasts from beginning to end.
    pub(crate) fn is_level(&self) -> bool {
        let first = self.stages.first().map(|stage| stage.from);
        self.stages.iter().all(|stage| Some(stage.from) == first && Some(stage.to) == first)
    }

    /// Whether it asks how far the service follows.
    pub(crate) fn is_ramp(&self) -> bool {
        self.kind == "ramp-up" || (self.kind == "stages" && self.only_rises() && self.told().len() > 2)
    }

    /// The largest load.
    pub(crate) fn largest(&self) -> f64 {
        self.stages.iter().fold(0.0, |most, stage| stage.from.max(stage.to).max(most))
    }

    /// How steeply it rises at most, in arrivals a second, each second.
    pub(crate) fn steepest(&self) -> Option<f64> {
        let slope = |stage: &Stage| {
            Some((self.per_second(stage.to)? - self.per_second(stage.from)?) / seconds(stage.length_ns))
        };
        self.stages.iter().filter_map(slope).max_by(f64::total_cmp).filter(|slope| *slope > 0.0)
    }

    fn only_rises(&self) -> bool {
        let none_falls = self.stages.iter().all(|stage| stage.from <= stage.to);
        let each_is_higher = self.stages.windows(2).all(|two| {
            let (earlier, later) = (two[0], two[1]);
            earlier.to <= later.from && earlier.mean() < later.mean()
        });
        ["ramp-up", "stages"].contains(&self.kind.as_str()) && none_falls && each_is_higher
    }

    /// The stages that have figures, one after the other.
    pub(crate) fn told(&self) -> Vec<Stage> {
        let mut told = Vec::new();
        for stage in &self.stages {
            let is_slope = stage.from != stage.to && stage.length_ns >= PARTS;
            if !(is_slope && self.only_rises()) {
                told.push(*stage);
                continue;
            }
            let load = |part: u64| stage.from + (stage.to - stage.from) * part as f64 / PARTS as f64;
            for part in 0..PARTS {
                let length_ns = cut(stage.length_ns, part + 1, PARTS) - cut(stage.length_ns, part, PARTS);
                told.push(Stage { length_ns, from: load(part), to: load(part + 1) });
            }
        }
        if told.len() > MOST_STAGES { self.stretches() } else { told }
    }

    /// Sixty stretches of equal length, each at its mean load: the difference
    /// of all that is due by its two ends.
    fn stretches(&self) -> Vec<Stage> {
        let length: u64 = self.stages.iter().map(|stage| stage.length_ns).sum();
        let stretch = |at: u64| {
            let (from, to) = (cut(length, at, STRETCHES), cut(length, at + 1, STRETCHES));
            let load = self.due_between(from, to) / seconds(to - from);
            Stage { length_ns: to - from, from: load, to: load }
        };
        (0..STRETCHES).map(stretch).collect()
    }

    /// The integral of the load between two moments.
    fn due_between(&self, from: u64, to: u64) -> f64 {
        let (mut began, mut due) = (0u64, 0.0);
        for stage in &self.stages {
            let ended = began + stage.length_ns;
            let (left, right) = (from.max(began), to.min(ended));
            if left < right {
                let slope = (stage.to - stage.from) / seconds(stage.length_ns);
                let (x, y) = (seconds(left - began), seconds(right - began));
                due += stage.from * (y - x) + slope * (y * y - x * x) / 2.0;
            }
            began = ended;
        }
        due
    }

    /// When each stage begins; the last value is the end.
    fn edges(&self) -> Vec<u64> {
        let mut edges = vec![0];
        for stage in &self.stages {
            edges.push(edges[edges.len() - 1] + stage.length_ns);
        }
        edges
    }

    /// The mean load of the stage that holds a moment.
    fn load_at(&self, moment: u64) -> f64 {
        let begun = self.edges().iter().filter(|edge| **edge <= moment).count().min(self.stages.len());
        begun.checked_sub(1).map_or(0.0, |at| self.stages[at].mean())
    }
}

/// Edge `at` of `of` equal parts, rounded down.
fn cut(length: u64, at: u64, of: u64) -> u64 {
    u64::try_from(u128::from(length) * u128::from(at) / u128::from(of)).unwrap_or(u64::MAX)
}

pub(crate) fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(crate) fn shape(kind: &str, stages: &[(u64, f64, f64)]) -> Shape {
        let stage =
            |(length_ns, from, to): &(u64, f64, f64)| Stage { length_ns: *length_ns, from: *from, to: *to };
        let stages = stages.iter().map(stage).collect();
        Shape { kind: kind.to_owned(), unit: "per-second".to_owned(), pace_ns: None, stages, replay: None }
    }

    #[test]
    fn a_rising_slope_is_told_in_ten_parts_and_many_stages_in_sixty() {
        let told = shape("ramp-up", &[(1_005, 100.0, 200.0)]).told();
        assert_eq!((told.len(), told[1].length_ns, told[9].to), (10, 101, 200.0));
        assert_eq!(shape("day", &[(1_005, 100.0, 200.0)]).told().len(), 1);
        let saw: Vec<(u64, f64, f64)> = (0..300).map(|at| (1_000_000_000, f64::from(at % 2), 1.0)).collect();
        let told = shape("stages", &saw).told();
        assert_eq!((told.len(), told[7].length_ns), (60, 5_000_000_000));
        assert!((told[0].from - (0.5 + 1.0 + 0.5 + 1.0 + 0.5) / 5.0).abs() < 1e-12, "{}", told[0].from);
    }

    #[test]
    fn a_moment_lies_in_the_stage_that_began_last() {
        let steps = shape("stages", &[(10, 1.0, 1.0), (10, 3.0, 5.0)]);
        assert_eq!([0, 9, 10, 19, 99].map(|moment| steps.load_at(moment)), [1.0, 1.0, 4.0, 4.0, 4.0]);
        assert!(!steps.is_level() && steps.largest() == 5.0);
    }
}
