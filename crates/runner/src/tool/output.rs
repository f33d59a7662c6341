//! A tool's output as we take it in: the same for every tool.

use super::error::{Found, ToolProblem};
use super::rows::Rows;
use model::{Nanos, Told};

/// What a tool says, and every request if it tells them.
#[derive(Debug, Default)]
pub(super) struct Output {
    /// Its own figures.
    pub(super) told: Told,
    /// Its requests.
    pub(super) rows: Option<Rows>,
    /// How long it sent, by its own clock.
    pub(super) length: Option<Nanos>,
}

impl Output {
    /// Whether it tells of a single request.
    pub(super) fn has_requests(&self) -> bool {
        self.rows.is_some() || self.told.requests.is_some_and(|requests| requests > 0)
    }
}

/// Output that is not what the tool is known to write.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unexpected {
    /// What should be there.
    pub(super) expected: &'static str,
    /// What is there instead.
    pub(super) found: Found,
}

impl From<Unexpected> for ToolProblem {
    fn from(Unexpected { expected, found }: Unexpected) -> ToolProblem {
        ToolProblem::Output { expected, found }
    }
}

/// A number of seconds as a length of time; `None` if it can be none.
pub(super) fn seconds(seconds: f64) -> Option<Nanos> {
    // Beyond 2⁵³ ns, 104 days, a float no longer holds every nanosecond; no run
    // is as long as that.
    let nanos = seconds * 1e9;
    (nanos.is_finite() && (0.0..9e15).contains(&nanos)).then(|| Nanos(nanos.round() as u64))
}
