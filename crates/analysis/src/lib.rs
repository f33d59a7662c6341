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

mod bounds;
mod calibrated;
mod comparison;
mod completion;
mod corrected;
mod dots;
mod doubts;
mod exact;
mod experiment;
mod figure;
#[cfg(test)]
mod fixture;
mod growth;
mod live;
mod outlook;
mod over_rounds;
mod pace;
mod pooled;
mod ramp;
mod readings;
mod replayed;
mod run;
mod shaped;
mod slices;
mod stalls;
mod standstill;
mod summary;
mod survey;
mod tail;
mod tally;
mod timing;
mod told;
mod windows;

pub use calibrated::{Step, step, trusted};
pub use experiment::{ExperimentFacts, capacity, experiment};
pub use growth::growth_of_reading;
pub use live::Live;
pub use outlook::{
    ArmOutlook, Outlook, P99Outlook, PartsOutlook, PlannedArm, ShapeOutlook, StageOutlook, outlook,
};
pub use pooled::pooled;
pub use run::{Alongside, run};
pub use summary::*;
pub use tally::Tally;
pub use timing::{Timing, Took};
