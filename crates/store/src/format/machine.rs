//! The machine's facts inside `manifest.json`.

use model::{MachineFacts, Nanos};
use serde::{Deserialize, Serialize};

/// [`MachineFacts`], each with its unit.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct MachineEntry {
    processor: Option<String>,
    cores: Option<u32>,
    memory_bytes: Option<u64>,
    kernel: Option<String>,
    clock_source: Option<String>,
    virtual_machine: Option<bool>,
    governor: Option<String>,
    descriptors_soft: Option<u64>,
    descriptors_hard: Option<u64>,
    port_first: Option<u16>,
    port_last: Option<u16>,
    load_1m: Option<f64>,
    idle_share: Option<f64>,
    steal_share: Option<f64>,
    watched_ns: Option<u64>,
}

impl MachineEntry {
    pub(crate) fn new(facts: &MachineFacts) -> MachineEntry {
        MachineEntry {
            processor: facts.processor.clone(),
            cores: facts.cores,
            memory_bytes: facts.memory_bytes,
            kernel: facts.kernel.clone(),
            clock_source: facts.clock_source.clone(),
            virtual_machine: facts.virtual_machine,
            governor: facts.governor.clone(),
            descriptors_soft: facts.descriptors.map(|(soft, _)| soft),
            descriptors_hard: facts.descriptors.map(|(_, hard)| hard),
            port_first: facts.ports.map(|(first, _)| first),
            port_last: facts.ports.map(|(_, last)| last),
            load_1m: facts.load_1m,
            idle_share: facts.idle_share,
            steal_share: facts.steal_share,
            watched_ns: facts.watched.map(|nanos| nanos.0),
        }
    }

    pub(crate) fn facts(self) -> MachineFacts {
        MachineFacts {
            processor: self.processor,
            cores: self.cores,
            memory_bytes: self.memory_bytes,
            kernel: self.kernel,
            clock_source: self.clock_source,
            virtual_machine: self.virtual_machine,
            governor: self.governor,
            descriptors: self.descriptors_soft.zip(self.descriptors_hard),
            ports: self.port_first.zip(self.port_last),
            load_1m: self.load_1m,
            idle_share: self.idle_share,
            steal_share: self.steal_share,
            watched: self.watched_ns.map(Nanos),
        }
    }
}
