//! The service over real sockets. Stopping it has a process of its own, `stop.rs`.

mod answers;
mod client;
mod stalls;
