//! How a command ends: the exit codes, and errors as a person reads them.

use std::fmt;
use std::process::ExitCode;

/// The documented exit codes (`docs/EXIT-CODES.md`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Measured, and every check that was asked for held.
    Measured = 0,
    /// Measured, and a check that was asked for did not hold.
    CheckFailed = 1,
    /// Bad usage.
    Usage = 2,
    /// The measurement is void, or its results could not be kept or read.
    Void = 3,
    /// The target could not be reached or started.
    Unreachable = 4,
    /// Interrupted; results are kept.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// An error on its way to a person: what and where, what to do next, and the
/// exit code.
#[derive(Debug)]
pub struct Failure {
    /// What went wrong, and where.
    pub says: String,
    /// What to do next.
    pub hint: Option<String>,
    /// The exit code.
    pub exit: Exit,
}

impl Failure {
    /// A failure without a hint.
    pub fn new(exit: Exit, says: impl fmt::Display) -> Failure {
        Failure { says: says.to_string(), hint: None, exit }
    }

    /// The same with a hint.
    #[must_use]
    pub fn hint(self, hint: impl fmt::Display) -> Failure {
        Failure { hint: Some(hint.to_string()), ..self }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "error: {}", self.says)?;
        self.hint.iter().try_for_each(|hint| write!(out, "\nhint: {hint}"))
    }
}
