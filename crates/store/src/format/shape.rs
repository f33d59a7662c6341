//! A load over time, as `run.json` has it.

use super::bad_value;
use crate::StoreError;
use model::{Nanos, ReplayFacts, Shape, ShapeKind, Stage, StageUnit};
use serde::{Deserialize, Serialize};
use std::path::Path;

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ShapeEntry {
    kind: String,
    unit: String,
    pace_ns: Option<u64>,
    stages: Vec<StageEntry>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    replay: Option<ReplayEntry>,
}

#[derive(Debug, Serialize, Deserialize)]
struct StageEntry {
    length_ns: u64,
    from: f64,
    to: f64,
}

#[derive(Debug, Serialize, Deserialize)]
struct ReplayEntry {
    file: String,
    format: String,
    speed: f64,
    lines: u64,
    skipped: u64,
    resolution_ns: u64,
}

impl ShapeEntry {
    pub(crate) fn new(shape: &Shape) -> ShapeEntry {
        let stage = |stage: &Stage| StageEntry { length_ns: stage.length.0, from: stage.from, to: stage.to };
        ShapeEntry {
            kind: shape.kind.name().to_owned(),
            unit: shape.unit.name().to_owned(),
            pace_ns: shape.pace.map(|pace| pace.0),
            stages: shape.stages.iter().map(stage).collect(),
            replay: shape.replay.as_ref().map(ReplayEntry::new),
        }
    }

    pub(crate) fn shape(&self, path: &Path) -> Result<Shape, StoreError> {
        let stage =
            |entry: &StageEntry| Stage { length: Nanos(entry.length_ns), from: entry.from, to: entry.to };
        Ok(Shape {
            kind: ShapeKind::named(&self.kind)
                .ok_or_else(|| bad_value(path, "facts.shape.kind", &self.kind))?,
            unit: StageUnit::named(&self.unit)
                .ok_or_else(|| bad_value(path, "facts.shape.unit", &self.unit))?,
            pace: self.pace_ns.map(Nanos),
            stages: self.stages.iter().map(stage).collect(),
            replay: self.replay.as_ref().map(ReplayEntry::facts),
        })
    }
}

impl ReplayEntry {
    fn new(facts: &ReplayFacts) -> ReplayEntry {
        let ReplayFacts { file, format, speed, lines, skipped, resolution } = facts.clone();
        ReplayEntry { file, format, speed, lines, skipped, resolution_ns: resolution.0 }
    }

    fn facts(&self) -> ReplayFacts {
        ReplayFacts {
            file: self.file.clone(),
            format: self.format.clone(),
            speed: self.speed,
            lines: self.lines,
            skipped: self.skipped,
            resolution: Nanos(self.resolution_ns),
        }
    }
}
