//! What the machine is, as far as it bears on a number.

use crate::Nanos;

/// Facts about the machine a run stood on. What cannot be read is `None`.
/// Nothing here names the machine, its owner or its network.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MachineFacts {
    /// Processor model, as the kernel names it.
    pub processor: Option<String>,
    /// Cores this process may use.
    pub cores: Option<u32>,
    /// Memory in bytes.
    pub memory_bytes: Option<u64>,
    /// Kernel release.
    pub kernel: Option<String>,
    /// The kernel's clock source, such as `tsc`.
    pub clock_source: Option<String>,
    /// Whether a hypervisor shows in the processor's flags.
    pub virtual_machine: Option<bool>,
    /// Frequency governor of the first core.
    pub governor: Option<String>,
    /// Open files allowed, soft and hard.
    pub descriptors: Option<(u64, u64)>,
    /// First and last port for outgoing connections.
    pub ports: Option<(u16, u16)>,
    /// Load average over one minute when the facts were read.
    pub load_1m: Option<f64>,
    /// Share of all cores that was idle over the window below, 0 to 1.
    pub idle_share: Option<f64>,
    /// Share of all cores' time that the hypervisor gave to others, 0 to 1.
    pub steal_share: Option<f64>,
    /// How long idle and steal were watched for.
    pub watched: Option<Nanos>,
}
