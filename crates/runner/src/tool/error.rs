//! Why another tool gave no result.

use model::Nanos;
use std::fmt;
use std::path::PathBuf;
use thiserror::Error;

/// Why the tool of one arm gave no result.
#[derive(Debug, Error)]
#[error("{}: {problem}", self.key())]
pub struct ToolError {
    /// The arm's name.
    pub arm: String,
    /// What happened.
    pub problem: ToolProblem,
}

impl ToolError {
    /// The key of the plan at which to look first.
    pub fn key(&self) -> String {
        let key = match self.problem {
            ToolProblem::Output { .. } | ToolProblem::Clock { .. } => "import",
            _ => "command",
        };
        format!("arm.{}.{key}", self.arm)
    }
}

/// What happened to a tool.
#[derive(Debug, Error)]
pub enum ToolProblem {
    /// A file or folder of its own could not be made or read.
    #[error("cannot {doing} {}: {source}", path.display())]
    File {
        /// What was tried.
        doing: &'static str,
        /// With what.
        path: PathBuf,
        /// The kernel's reason.
        source: std::io::Error,
    },
    /// The kernel did not let us start it or watch it.
    #[error("cannot {doing} the command: {source}")]
    System {
        /// What was tried.
        doing: &'static str,
        /// The kernel's reason.
        source: std::io::Error,
    },
    /// The shell found no such program.
    #[error("a program is not installed here{}{}", Said(said), Install(*install))]
    Missing {
        /// What the shell said.
        said: String,
        /// How the tool is usually installed, if we know the tool.
        install: Option<&'static str>,
    },
    /// It ended badly.
    #[error("the command ended with {ended}{}", Said(said))]
    Failed {
        /// Its exit status or signal.
        ended: String,
        /// The last it wrote to standard error.
        said: String,
    },
    /// It did not end.
    #[error(
        "the command still ran {} s after it should have ended, and was ended: it is told how long to send \
         by $DOORCLOCK_SECONDS, $DOORCLOCK_WHOLE_SECONDS and $DOORCLOCK_RUN_SECONDS",
        patience.as_secs_f64()
    )]
    TooLong {
        /// How long was waited beyond its time.
        patience: Nanos,
    },
    /// It sent for another length of time than the plan says.
    #[error(
        "{tool} sent for {:.1} s and the plan says {:.1} s: give it $DOORCLOCK_SECONDS (or, in whole seconds, \
         $DOORCLOCK_WHOLE_SECONDS or $DOORCLOCK_RUN_SECONDS)",
        sent.as_secs_f64(), asked.as_secs_f64()
    )]
    Length {
        /// The tool.
        tool: &'static str,
        /// How long it sent.
        sent: Nanos,
        /// How long it was to send.
        asked: Nanos,
    },
    /// It ended in good order and no request of it can be counted.
    #[error("{tool} ended without an error, and without a request that counts")]
    Nothing {
        /// The tool.
        tool: &'static str,
    },
    /// What it wrote is not what we know it to write.
    #[error("expected {expected}, and found {found}")]
    Output {
        /// What should be there, and where.
        expected: &'static str,
        /// What is there instead.
        found: Found,
    },
    /// Its moments lie outside its own life.
    #[error(
        "$DOORCLOCK_OUT/requests.csv has a request {how}: `start_ns` must be read from this machine's \
         CLOCK_MONOTONIC (`time.monotonic_ns()` in Python)"
    )]
    Clock {
        /// Which way it is off.
        how: &'static str,
    },
}

/// The first thing that a tool's output has and should not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// No file of that kind.
    NoFile,
    /// Its end.
    End,
    /// A line.
    Line {
        /// Its number, from 1.
        number: usize,
        /// The line, cut to a length that can be read.
        text: String,
    },
}

impl Found {
    /// How much of an odd line is shown.
    const SHOWN: usize = 120;

    /// An odd line; `number` counts from 1.
    pub(super) fn line(number: usize, text: &str) -> Found {
        let mut shown: String = text.chars().filter(|c| !c.is_control()).take(Found::SHOWN).collect();
        if text.chars().count() > Found::SHOWN {
            shown.push('…');
        }
        Found::Line { number, text: shown }
    }
}

impl fmt::Display for Found {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Found::NoFile => write!(out, "no such file"),
            Found::End => write!(out, "the end of the output"),
            Found::Line { number, text } => write!(out, "in line {number}: {text}"),
        }
    }
}

struct Said<'a>(&'a str);

impl fmt::Display for Said<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(out, ": {}", self.0) }
    }
}

struct Install(Option<&'static str>);

impl fmt::Display for Install {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |how| write!(out, "; install it with `{how}`"))
    }
}
