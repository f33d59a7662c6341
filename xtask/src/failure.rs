//! Why a task did not do what was asked.

use std::path::{Path, PathBuf};
use std::process::ExitStatus;

/// One variant a cause, with what a person needs in order to act.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The task's name or its flags make no sense.
    #[error("{0}")]
    Usage(String),
    /// A program did not start at all.
    #[error("could not start `{command}`")]
    NotStarted { command: String, source: std::io::Error },
    /// A program ran and said that it failed.
    #[error("`{command}` ended with {status}")]
    Ended { command: String, status: ExitStatus },
    /// A program's output is not what it is known to print.
    #[error("the output of `{command}` makes no sense: {what}")]
    Output { command: String, what: String },
    /// A program that is needed and cannot be had.
    #[error("`{program}` is missing: {remedy}")]
    Missing { program: &'static str, remedy: String },
    /// A file or folder.
    #[error("could not {doing} {}", path.display())]
    File { doing: &'static str, path: PathBuf, source: std::io::Error },
    /// A socket or process of ours.
    #[error("could not {doing}")]
    System { doing: &'static str, source: std::io::Error },
    /// The rules of the project are broken; each breach has been printed.
    #[error("{0} of the project's rules broken, listed above")]
    Untidy(usize),
    /// Some steps failed; each has said why.
    #[error("failed: {0}")]
    Steps(String),
}

impl Failure {
    /// For `map_err` on whatever touches a file.
    pub fn file(doing: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Failure {
        let path = path.to_owned();
        move |source| Failure::File { doing, path, source }
    }

    /// For `map_err` on whatever touches the system otherwise.
    pub fn system<E: Into<std::io::Error>>(doing: &'static str) -> impl FnOnce(E) -> Failure {
        move |source| Failure::System { doing, source: source.into() }
    }
}
