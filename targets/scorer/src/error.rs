//! Why the service could not start or go on.

use std::io;
use std::net::SocketAddr;

use forust_ml::errors::ForustError;

/// Why the service could not start or go on.
#[derive(Debug, thiserror::Error)]
pub enum ScorerError {
    /// Another process listens there already.
    #[error("{address} is in use by another process")]
    AddressInUse {
        /// The address asked for.
        address: SocketAddr,
    },
    /// The address cannot be listened on for another reason.
    #[error("cannot listen on {address}")]
    Listen {
        /// The address asked for.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// Too few customers to learn from.
    #[error("{asked} customers are too few to train a model on: at least {least} are needed")]
    TooFewCustomers {
        /// How many were asked for.
        asked: u32,
        /// How many are needed.
        least: u32,
    },
    /// The model could not be trained.
    #[error("cannot train the model")]
    Train {
        /// What the trainer said.
        source: ForustError,
    },
    /// The feature table could not be filled.
    #[error("cannot fill the feature table")]
    Table {
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// The event loop or its signal handlers could not be set up.
    #[error("cannot start the event loop")]
    EventLoop {
        /// What the system said.
        source: io::Error,
    },
    /// Serving ended by itself.
    #[error("serving ended")]
    Serve {
        /// What the system said.
        source: io::Error,
    },
}
