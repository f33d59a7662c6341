//! When requests are due: a rate over time and a seed become scheduled
//! moments, and a tester says which of them is next.
//!
//! This crate must not know clocks, sockets or TOML: it is handed moments and
//! gives moments back. The same seed gives the same arrivals, to the
//! nanosecond, on every machine; `tests/golden.rs` pins them.
//!
//! Start at [`Arrivals`]: a [`UnitProcess`] bent through a [`Profile`], from
//! which each machine or thread keeps its [`Share`]. Then [`Tester`], and its
//! three kinds: [`Open`], [`Closed`] and [`Paced`]. A new kind is one new file
//! that answers [`Tester`]'s question, plus a line here.
//!
//! Loads that change over time begin as one of [`shape`]'s shapes and become a
//! [`Profile`] of rates or [`UserLevels`]; recorded ones begin as lines in
//! [`log`] and become [`Recorded`] arrivals.

mod arrivals;
mod closed;
mod digest;
mod levels;
pub mod log;
mod open;
mod paced;
mod profile;
mod recorded;
pub mod shape;
mod share;
mod tester;
mod unit;
mod users;

pub use arrivals::{Arrival, Arrivals};
pub use closed::Closed;
pub use digest::{ArrivalsDigest, digest};
pub use levels::UserLevels;
pub use open::Open;
pub use paced::Paced;
pub use profile::{Profile, ProfileError, Segment};
pub use recorded::{Recorded, RecordedError, ReplayOptions};
pub use share::Share;
pub use tester::{Due, Tester};
pub use unit::UnitProcess;
pub use users::FAILURE_PAUSE;
