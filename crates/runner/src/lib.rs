//! Drives a run from its order to its stored samples.
//!
//! Order, preparation, fresh targets, limits and the machine's facts live
//! here, and one stream of events for whoever watches. It must not know how or
//! whether anything is shown, and it does no arithmetic on results.
//!
//! Start at [`Order`], what one run is asked to be, and [`execute`], which
//! carries it out.

mod address;
mod control;
mod limits;
mod machine;
mod order;
mod run;
mod service;
mod stalls;
mod tool;

pub use address::{Address, AddressError, resolve};
pub use control::{Control, ControlError, Response};
pub use limits::{LimitError, connections_for, raise_descriptors};
pub use machine::read_machine;
pub use order::{Order, OrderError};
pub use run::{RunError, Watch, execute};
pub use service::{Service, ServiceError};
pub use stalls::{StallError, StallOrder};
pub use tool::{
    Beside, Found, Seen, SeenStalls, ToolError, ToolOrder, ToolOutput, ToolProblem, execute as execute_tool,
};
