//! The protocols a load is spoken in, as state machines without I/O: bytes go
//! in, events come out, and what is to be sent is built before the run.
//!
//! This crate must not know sockets, clocks or load: no moment is read here,
//! nothing waits, and no request knows how often it is sent. So the same bytes
//! give the same events from a socket, a test or a simulated network.
//!
//! Start at [`h1::Answer`], which reads the answers on one connection;
//! [`h1::Request`] builds the bytes that ask for them, and [`url::Target`] says
//! whom to ask.
//!
//! The engine calls [`h1::Answer::receive`] once a response, so it has a
//! budget: no allocation, formatting or copy for an answer that arrives whole
//! in one buffer, and 300 ns for one like nginx's (`examples/parse_cost.rs`
//! measures it).

pub mod h1;
pub mod url;
