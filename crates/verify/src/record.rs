//! `run.json` and `stalls.json`, as `FORMAT.md` of the store promises them.

use crate::VerifyError;
use crate::alongside::{Follow, Followed, ReadingsFile};
use crate::folder::read_json;
use crate::shape::Shape;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;

/// A run that came to its end.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) facts: Facts,
    pub(crate) end: End,
    pub(crate) samples: SampleFile,
    pub(crate) stalls: Option<Stalls>,
    pub(crate) readings: Option<ReadingsFile>,
}

#[derive(Debug, Deserialize)]
struct RunFile {
    facts: Facts,
    end: Option<End>,
    samples: Option<SampleFile>,
    readings: Option<ReadingsFile>,
}

/// What was known before the first request.
#[derive(Debug, Deserialize)]
pub(crate) struct Facts {
    pub(crate) arm: String,
    pub(crate) round: u64,
    pub(crate) url: String,
    pub(crate) method: String,
    pub(crate) load: Load,
    /// The load over time; `None` where it stays the same.
    pub(crate) shape: Option<Shape>,
    pub(crate) seed: String,
    pub(crate) warm_up_ns: u64,
    pub(crate) timeout_ns: u64,
    pub(crate) connection_policy: String,
    pub(crate) connection_limit: u64,
    pub(crate) threads: u64,
    pub(crate) backend: String,
    pub(crate) planned_warm_up: Option<u64>,
    pub(crate) planned_counted: Option<u64>,
    pub(crate) schedule_sha256: Option<String>,
    pub(crate) stalls_asked: Option<bool>,
    pub(crate) capacity_per_s: Option<f64>,
    /// Another tool that sent.
    pub(crate) tool: Option<Tool>,
    /// How work was to be followed past its answer.
    pub(crate) follow: Option<Follow>,
}

/// Another tool, as an arm.
#[derive(Debug, Deserialize)]
pub(crate) struct Tool {
    pub(crate) name: String,
    pub(crate) command: String,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "model", rename_all = "lowercase")]
pub(crate) enum Load {
    Open { rate_per_s: f64, arrivals: String },
    Paced { rate_per_s: f64, connections: u64 },
    Closed { connections: u64 },
}

/// What was known after the last request.
#[derive(Debug, Deserialize)]
pub(crate) struct End {
    pub(crate) counted_until_ns: u64,
    pub(crate) ended_ns: u64,
    pub(crate) interrupted: bool,
    pub(crate) taken: u64,
    pub(crate) taken_counted: u64,
    #[serde(deserialize_with = "number_as_text")]
    pub(crate) area_request_ns: u128,
    pub(crate) samples_lost: u64,
    pub(crate) cpu_process_ns: u64,
    pub(crate) cpu_senders_ns: u64,
    pub(crate) peak_rss_bytes: Option<u64>,
    pub(crate) connections_opened: u64,
    pub(crate) connections_peak: u64,
    #[serde(default)]
    pub(crate) waited_at_limit: u64,
    #[serde(default)]
    pub(crate) limit_lowered_to: Option<u64>,
    /// How long answers lay in the kernel until they were read.
    pub(crate) own_reading: Option<Value>,
    /// What secured connections agreed on.
    pub(crate) tls: Option<Value>,
    stalls_told: bool,
    /// What another tool tells of its run.
    pub(crate) told: Option<Value>,
    /// What following came to.
    pub(crate) followed: Option<Followed>,
    /// What the machine did besides.
    pub(crate) machine: Option<Value>,
}

/// What `run.json` says of its file of samples.
#[derive(Debug, Deserialize)]
pub(crate) struct SampleFile {
    pub(crate) rows: u64,
    pub(crate) bytes: u64,
    pub(crate) crc32: u32,
}

/// The stalls as the service tells them.
#[derive(Debug, Deserialize)]
pub(crate) struct Stalls {
    pub(crate) planned: u64,
    pub(crate) seen: Vec<Stall>,
}

/// From `began_ns` up to, not including, `ended_ns`.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct Stall {
    pub(crate) began_ns: u64,
    pub(crate) ended_ns: u64,
}

impl Record {
    /// Reads what lies in one run's folder, samples apart.
    pub(crate) fn read(run: &Path) -> Result<Record, VerifyError> {
        let RunFile { facts, end, samples, readings } = read_json(&run.join("run.json"))?;
        let (Some(end), Some(samples)) = (end, samples) else {
            return Err(VerifyError::NoEnd { run: run.to_path_buf() });
        };
        let stalls = end.stalls_told.then(|| read_json(&run.join("stalls.json"))).transpose()?;
        Ok(Record { facts, end, samples, stalls, readings })
    }

    /// What another tool tells, if that is all that is known of the run; an
    /// empty object of a command whose output nobody reads.
    pub(crate) fn told_alone(&self) -> Option<Value> {
        self.facts.tool.as_ref()?;
        let told = self.end.told.clone().unwrap_or_else(|| json!({}));
        (told["gave_samples"] != true).then_some(told)
    }

    /// The counted part: its first moment, and the first after it.
    pub(crate) fn counted_part(&self) -> Part {
        let began = self.facts.warm_up_ns;
        Part { began, ended: self.end.counted_until_ns.max(began) }
    }
}

impl Facts {
    /// Whether the load changes over time.
    pub(crate) fn load_changes(&self) -> bool {
        self.shape.as_ref().is_some_and(|shape| !shape.is_level())
    }
}

impl Load {
    pub(crate) fn target_rate(&self) -> Option<f64> {
        match self {
            Load::Open { rate_per_s, .. } | Load::Paced { rate_per_s, .. } => Some(*rate_per_s),
            Load::Closed { .. } => None,
        }
    }

    pub(crate) fn connections(&self) -> Option<u64> {
        match self {
            Load::Open { .. } => None,
            Load::Paced { connections, .. } | Load::Closed { connections } => Some(*connections),
        }
    }
}

/// A part of a run's time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) began: u64,
    pub(crate) ended: u64,
}

impl Part {
    pub(crate) fn length(self) -> u64 {
        self.ended - self.began
    }

    pub(crate) fn seconds(self) -> f64 {
        self.length() as f64 / 1e9
    }

    pub(crate) fn holds(self, moment: u64) -> bool {
        (self.began..self.ended).contains(&moment)
    }

    /// The first whole nanosecond that is not before the beginning of piece
    /// `at`, of `pieces` equal ones. What lies before it lies in an earlier piece.
    pub(crate) fn edge(self, at: u64, pieces: u64) -> u64 {
        let offset = (u128::from(self.length()) * u128::from(at)).div_ceil(u128::from(pieces));
        self.began.saturating_add(u64::try_from(offset).unwrap_or(u64::MAX))
    }
}

fn number_as_text<'de, D: serde::Deserializer<'de>>(from: D) -> Result<u128, D::Error> {
    let text = String::deserialize(from)?;
    text.parse().map_err(|_| serde::de::Error::custom(format!("`{text}` is no whole number")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_begins_at_the_first_moment_that_falls_into_it() {
        let part = Part { began: 100, ended: 110 };
        // Thirds of ten nanoseconds: 3.33 and 6.67 are rounded up.
        let edges: Vec<u64> = (0..=3).map(|at| part.edge(at, 3)).collect();
        assert_eq!(edges, [100, 104, 107, 110]);
    }
}
