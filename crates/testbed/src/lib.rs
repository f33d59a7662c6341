//! A simulated clock and network for tests of the engine, and servers to put
//! behind them. For development only.
//!
//! [`SimNet`] happens in simulated time: it must not know real time or
//! sockets, so that a test that passes once passes always. [`tls`] is a server on
//! real ones, with whatever certificate a test wants.
//!
//! Start at [`SimNet`]: it implements the engine's `Net` over a [`Server`].

mod server;
mod sim;
pub mod tls;

pub use server::{Accept, Action, QueueServer, Reply, ScriptServer, Server, answer};
pub use sim::{SimClock, SimNet, simulated};
