//! Turns samples into estimates, doubts and a verdict.
//!
//! Handed samples, facts and nothing else, it says what they mean. It must
//! not know sockets, files or colours, and it computes nothing while a request
//! is being sent.
//!
//! Start at [`Summary`], which holds all that is said. [`run()`] computes one
//! run's part in a few passes over its samples, whose memory does not grow
//! with them; [`experiment()`] puts the runs together. [`Live`] shows a run that
//! goes on, and takes each wait by the same [`Timing`] as every final number.

mod corrected;
mod dots;
mod doubts;
mod exact;
mod experiment;
#[cfg(test)]
mod fixture;
mod live;
mod pace;
mod run;
mod slices;
mod stalls;
mod standstill;
mod summary;
mod survey;
mod tail;
mod tally;
mod timing;

pub use experiment::{ExperimentFacts, experiment};
pub use live::Live;
pub use run::run;
pub use summary::*;
pub use tally::Tally;
pub use timing::{Timing, Took};
