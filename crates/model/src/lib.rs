//! The words that every crate shares: moments, rates, seeds, samples, outcomes
//! and the facts of a run. Plain data with units in its types.
//!
//! This crate must not know how anything is made, sent, stored, judged or
//! drawn, and it uses none of our other crates.
//!
//! Start at [`Sample`]: one row a request, from which every number that
//! doorclock reports can be computed again.

mod completion;
mod event;
mod load;
mod machine;
mod nanos;
mod planned;
mod rate;
mod reading;
mod run;
mod sample;
mod seed;
mod shape;
mod source;
mod units;

pub use completion::{Completion, FollowFacts, FollowKind, Followed, Stored, WorkEnd};
pub use event::{Progress, RunEvent, Waits};
pub use load::{ArrivalProcess, ConnectionPolicy, Load, SendPrecision};
pub use machine::MachineFacts;
pub use nanos::Nanos;
pub use planned::{Bound, Number, Pairing, PlanFacts, PlannedGuess};
pub use rate::Rate;
pub use reading::{
    ColumnFacts, Database, Pick, PlannedReading, Probe, Reading, ReadingFacts, ReadingGaps, ReadingUnit,
    Readings, WhichProcess,
};
pub use run::{
    CpuUse, LastSign, MachineStory, OwnReading, RunEnd, RunFacts, RunRecord, Span, Stalls, TlsTold, Told,
    ToolFacts, Trusted,
};
pub use sample::{Outcome, Sample};
pub use seed::Seed;
pub use shape::{BurstSpans, ReplayFacts, Shape, ShapeKind, Stage, StageUnit};
pub use source::{SampleSource, SourceError};
pub use units::UnitError;
