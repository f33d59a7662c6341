//! The plan language: an experiment written in TOML, with its question, its
//! arms and its guesses, becomes what will happen. Everything that is wrong
//! with it is said at once, each with its place in the file.
//!
//! This crate must not know flags' parser, the engine's insides, sockets, or
//! results: it is handed text and gives plain data back. The rows of requests
//! and recorded arrivals are the other files it reads.
//!
//! Start at [`PlanFile`] (what was written) and [`Plan`] (what will happen).
//! Between them stand two passes: `check.rs` holds what was written against
//! the one table of keys in `keys/table.rs`, and `resolve/` builds the plan.
//! The table also makes [`reference()`] and [`schema()`], so a new key is a line
//! there and its use in `resolve/`.

mod check;
mod completion;
mod error;
mod file;
mod guess;
mod keys;
mod node;
mod plan;
mod reference;
mod request;
mod resolve;
mod rows;
mod schema;
mod shape_of;
mod source;
mod template;
mod units;

pub use completion::{Completion, CompletionBy, When, WorkName};
pub use error::{PlanError, PlanErrors};
pub use file::PlanFile;
pub use guess::{Condition, FIGURES, FigureName, Judgement};
pub use keys::{Fallback, KEYS, Key, Kind};
pub use plan::{
    Arm, ArmTester, Bound, Environment, Guess, Import, Otherwise, Plan, Quiet, Replay, Rounds, Sending,
    StallHow, StallPlan, Target, TlsPlan, TlsVersion, WarmUp,
};
pub use reference::reference;
pub use request::{Expected, ExpectedValue, PlannedRequest};
pub use schema::schema;
pub use shape_of::shape_of;
