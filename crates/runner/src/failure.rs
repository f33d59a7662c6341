//! Why an experiment could not go on, and at which key of its plan to look.

use crate::address::AddressError;
use crate::limits::LimitError;
use crate::quiet::Restless;
use crate::requests::UnsendableError;
use crate::run::RunError;
use crate::secure::SecureError;
use crate::target::TargetError;
use store::StoreError;
use thiserror::Error;
use wire::url::TargetError as UrlError;

/// What ended an experiment before its last run. Runs that came to their end
/// before stay in the folder.
#[derive(Debug, Error)]
#[error("{what}")]
pub struct ExperimentError {
    /// The key of the plan to look at, such as `target.start`; `None` where the
    /// plan is not to blame.
    pub key: Option<String>,
    /// What happened.
    #[source]
    pub what: What,
}

/// What happened to an experiment.
#[derive(Debug, Error)]
pub enum What {
    /// The URL is none.
    #[error("the target's URL makes no sense: {0}")]
    Url(UrlError),
    /// The target cannot be spoken to over TLS as the plan wants it.
    #[error(transparent)]
    Secure(SecureError),
    /// The target has no address, or is not ours.
    #[error(transparent)]
    Address(AddressError),
    /// This machine cannot carry the load.
    #[error(transparent)]
    Limit(LimitError),
    /// The request cannot be sent.
    #[error("the request cannot be sent: {0}")]
    Request(UnsendableError),
    /// The machine did not become quiet, and the plan refuses to run so.
    #[error(
        "the machine did not become quiet within {}: {}{}",
        _0.waited, idle(*_0), load(*_0)
    )]
    NotQuiet(Restless),
    /// A command that puts data back failed.
    #[error("`{command}` failed, so the data is not as it was: {how}")]
    Reset {
        /// The command.
        command: String,
        /// How it failed.
        how: String,
    },
    /// The service could not be started, became never ready, died, or left its port taken.
    #[error(transparent)]
    Target(TargetError),
    /// A run could not be carried out.
    #[error(transparent)]
    Run(RunError),
    /// The results could not be kept.
    #[error(transparent)]
    Store(StoreError),
}

fn idle(restless: Restless) -> String {
    restless.idle.map_or_else(String::new, |idle| format!("{:.0} % idle", idle * 100.0))
}

fn load(restless: Restless) -> String {
    restless.load.map_or_else(String::new, |load| format!(", load {load:.2}"))
}

impl ExperimentError {
    pub(crate) fn at(key: &str, what: What) -> ExperimentError {
        ExperimentError { key: Some(key.to_owned()), what }
    }
}

impl From<StoreError> for ExperimentError {
    fn from(error: StoreError) -> ExperimentError {
        ExperimentError { key: None, what: What::Store(error) }
    }
}
