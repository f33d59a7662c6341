//! What may be chosen about the service before it starts.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

/// How to start the service. The same `customers` and `seed` give the same
/// customers, the same model and the same scores at every start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Where to listen; port 0 takes a free one.
    pub address: SocketAddr,
    /// How many customers the shop has.
    pub customers: u32,
    /// Seeds the customers and what they bought.
    pub seed: u64,
    /// How long each `/score` keeps the worker busy at the least, the real
    /// lookup and prediction included, reading and writing HTTP not. Zero
    /// leaves only the real work.
    pub service_time: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            address: SocketAddr::from((Ipv4Addr::LOCALHOST, 8600)),
            customers: 5_000,
            seed: 2026,
            service_time: Duration::ZERO,
        }
    }
}
