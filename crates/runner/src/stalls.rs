//! Stalls of a service that can be told to stand still: ordered before a run,
//! fetched after it.

use crate::control::{Control, ControlError};
use engine::MonotonicClock;
use model::{Nanos, Seed, Span};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Stalls to ask a service for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StallOrder {
    /// Seeds their moments.
    pub seed: Seed,
    /// Mean time from one stall's beginning to the next one's.
    pub every: Nanos,
    /// Least such time.
    pub apart: Nanos,
    /// How long each lasts.
    pub length: Nanos,
    /// Burn the core meanwhile instead of sleeping.
    pub burn: bool,
}

/// Why stalls could not be ordered or fetched.
#[derive(Debug, Error)]
pub enum StallError {
    /// The service did not answer.
    #[error("cannot {what} its stalls: {source}")]
    Control {
        /// What was asked.
        what: &'static str,
        /// Why there was no answer.
        source: ControlError,
    },
    /// The service refused.
    #[error("cannot {what} its stalls: the service answers {status}: {body}")]
    Refused {
        /// What was asked.
        what: &'static str,
        /// The status.
        status: u16,
        /// What it said.
        body: String,
    },
    /// The answer is not what it should be.
    #[error("cannot {what} its stalls: the answer makes no sense: {source}")]
    Garbled {
        /// What was asked.
        what: &'static str,
        /// What is wrong with it.
        source: serde_json::Error,
    },
}

#[derive(Serialize)]
struct ArmRequest {
    seed: u64,
    mean_gap_ms: u64,
    least_gap_ms: u64,
    length_ms: u64,
    how: &'static str,
    start_ns: u64,
    for_ms: u64,
}

#[derive(Deserialize)]
struct ArmAnswer {
    planned: Vec<PlannedStall>,
}

#[derive(Deserialize)]
struct PlannedStall {
    at_ns: u64,
}

#[derive(Deserialize)]
struct StallsAnswer {
    stalls: Vec<StallSpan>,
}

#[derive(Deserialize)]
struct StallSpan {
    began_ns: u64,
    ended_ns: u64,
}

impl StallOrder {
    /// Tells the service to stall between `from` and `from + length` on the
    /// run's clock; answers when it plans to.
    pub fn arm(
        &self,
        control: &Control,
        clock: &MonotonicClock,
        from: Nanos,
        length: Nanos,
    ) -> Result<Vec<Nanos>, StallError> {
        let millis = |nanos: Nanos| nanos.0 / 1_000_000;
        let request = ArmRequest {
            seed: self.seed.0,
            mean_gap_ms: millis(self.every),
            least_gap_ms: millis(self.apart),
            length_ms: millis(self.length),
            how: if self.burn { "burn" } else { "sleep" },
            start_ns: (clock.start() + from).0,
            for_ms: millis(length),
        };
        let what = "order";
        let body = serde_json::to_vec(&request).map_err(|source| StallError::Garbled { what, source })?;
        let answer: ArmAnswer = ask(control, what, "POST", "/arm", Some(&body))?;
        Ok(answer.planned.iter().map(|stall| clock.from_absolute(Nanos(stall.at_ns))).collect())
    }
}

/// The stalls that the service had, on the run's clock.
pub(crate) fn fetch(control: &Control, clock: &MonotonicClock) -> Result<Vec<Span>, StallError> {
    let answer: StallsAnswer = ask(control, "fetch", "GET", "/stalls", None)?;
    let on_our_clock = |stall: &StallSpan| Span {
        began: clock.from_absolute(Nanos(stall.began_ns)),
        ended: clock.from_absolute(Nanos(stall.ended_ns)),
    };
    Ok(answer.stalls.iter().map(on_our_clock).collect())
}

fn ask<T: for<'de> Deserialize<'de>>(
    control: &Control,
    what: &'static str,
    method: &str,
    path: &str,
    body: Option<&[u8]>,
) -> Result<T, StallError> {
    let response = control.ask(method, path, body).map_err(|source| StallError::Control { what, source })?;
    if response.status != 200 {
        let body = String::from_utf8_lossy(&response.body).trim().to_owned();
        return Err(StallError::Refused { what, status: response.status, body });
    }
    serde_json::from_slice(&response.body).map_err(|source| StallError::Garbled { what, source })
}
