//! A simulated clock and network for tests of the engine, and servers to put
//! behind them. For development only.
//!
//! Everything here happens in simulated time: it must not know real time or
//! sockets, so that a test that passes once passes always.
//!
//! Start at [`SimNet`]: it implements the engine's `Net` over a [`Server`].

mod server;
mod sim;

pub use server::{Accept, Action, QueueServer, Reply, ScriptServer, Server, answer};
pub use sim::{SimClock, SimNet, simulated};
