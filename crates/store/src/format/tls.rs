//! What secured connections agreed on, as `run.json` has it.

use model::{Nanos, TlsTold};
use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct TlsEntry {
    agreed: Option<String>,
    verifies: bool,
    handshakes: u64,
    resumed: u64,
    p50_ns: Option<u64>,
    p99_ns: Option<u64>,
    max_ns: Option<u64>,
}

impl TlsEntry {
    pub(crate) fn new(told: &TlsTold) -> TlsEntry {
        TlsEntry {
            agreed: told.agreed.clone(),
            verifies: told.verifies,
            handshakes: told.handshakes,
            resumed: told.resumed,
            p50_ns: told.p50.map(|p50| p50.0),
            p99_ns: told.p99.map(|p99| p99.0),
            max_ns: told.max.map(|max| max.0),
        }
    }

    pub(crate) fn told(&self) -> TlsTold {
        TlsTold {
            agreed: self.agreed.clone(),
            verifies: self.verifies,
            handshakes: self.handshakes,
            resumed: self.resumed,
            p50: self.p50_ns.map(Nanos),
            p99: self.p99_ns.map(Nanos),
            max: self.max_ns.map(Nanos),
        }
    }
}
