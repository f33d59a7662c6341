//! Turns samples into estimates, doubts and a verdict.
//!
//! Handed samples, facts and nothing else, it says what they mean. It must
//! not know sockets, files or colours, and it computes nothing while a request
//! is being sent.
//!
//! Start at [`Summary`], which holds all that is said; `run` computes it.

mod summary;

pub use summary::*;
