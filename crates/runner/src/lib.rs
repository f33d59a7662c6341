//! Drives an experiment from its plan to its stored samples.
//!
//! Order, preparation, fresh targets, limits and the machine's facts live
//! here, and one stream of events for whoever watches. It must not know how or
//! whether anything is shown, and it does no arithmetic on results.
//!
//! Start at [`Experiment`], a plan on its way. A single run is an [`Order`],
//! carried out by [`execute`].

mod address;
mod answering;
mod arm;
mod beside;
mod calibration;
mod company;
mod control;
mod experiment;
mod failure;
mod follow;
mod followed_plan;
mod limits;
mod machine;
mod order;
mod pace;
mod quiet;
mod readings_taken;
mod ready;
mod requests;
mod reset;
mod run;
mod secure;
mod service;
mod shell;
mod signal_stalls;
mod stalls;
mod story;
mod system_log;
mod target;
mod tool;
mod turns;
mod warm_up;
mod watching;

pub use address::{Address, AddressError, resolve};
pub use answering::Answering;
pub use beside::{Beside, Seen, SeenStalls};
pub use calibration::keep as keep_calibration;
pub use company::{Company, StallBy};
pub use control::{Control, ControlError, Response};
pub use experiment::Experiment;
pub use failure::{ExperimentError, What};
pub use follow::{
    CallbackOrder, Condition, EventsOrder, FollowBy, FollowError, FollowOrder, Following, PollOrder, SqlOrder,
};
pub use limits::{LimitError, connections_for, raise_descriptors};
pub use machine::read_machine;
pub use order::{Order, OrderError};
pub use quiet::Restless;
pub use readings_taken::ReadOrder;
pub use requests::UnsendableError;
pub use run::{RunError, Watch, execute};
pub use secure::{SecureError, Wanted, secure};
pub use service::{Service, ServiceError};
pub use signal_stalls::SignalOrder;
pub use stalls::{StallError, StallOrder};
pub use target::TargetError;
pub use tool::{Found, ToolError, ToolOrder, ToolOutput, ToolProblem, execute as execute_tool};
pub use watching::watch;
