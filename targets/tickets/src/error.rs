//! Why the service could not start or go on.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use crate::cache::CacheError;
use crate::refusal::Refusal;

/// Why the service could not start or go on.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct TicketsError(#[from] pub(crate) Why);

impl TicketsError {
    /// Whether asking differently would have helped, rather than trying later.
    pub fn is_usage(&self) -> bool {
        matches!(self.0, Why::DatabaseUrl { .. } | Why::Cache(CacheError::Address { .. }) | Why::Usage(_))
    }

    /// What to do next, where that is known.
    pub fn hint(&self) -> Option<&'static str> {
        match self.0 {
            Why::AddressInUse { .. } => Some("choose another with --port, or 0 for a free one"),
            Why::DatabaseUrl { .. } => Some("write postgres://USER@HOST:PORT/DATABASE"),
            _ => None,
        }
    }
}

/// The causes, each with where it struck.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Why {
    #[error("{address} is in use by another process")]
    AddressInUse { address: SocketAddr },
    #[error("cannot listen on {address}: {source}")]
    Listen { address: SocketAddr, source: io::Error },
    #[error("cannot use the data folder {}: {source}", folder.display())]
    Folder { folder: PathBuf, source: io::Error },
    #[error("--database is no URL of PostgreSQL: {source}")]
    DatabaseUrl { source: crate::database::Cause },
    #[error(transparent)]
    Cache(#[from] CacheError),
    #[error("{0}")]
    Usage(String),
    #[error("cannot start the event loop: {source}")]
    EventLoop { source: io::Error },
    #[error("serving ended: {source}")]
    Serve { source: io::Error },
    #[error("cannot reset: {0}")]
    Reset(Refusal),
    #[error("{0}")]
    Peer(String),
}
