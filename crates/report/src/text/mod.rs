//! Screens for a terminal: plain text, 80 columns, readable without colour.
//!
//! The answer comes first, then whether to believe it, then why. A command or
//! a path that a person may copy is never broken over lines, so a line that
//! holds one may be longer.

mod bars;
mod calibration;
mod demo;
mod dots;
mod experiment;
mod machine;
mod outlook;
mod quick_look;
mod run_line;
mod screen;
mod shape;
mod table;
mod watch;

pub use calibration::{Calibration, calibration};
pub use demo::demo;
pub use experiment::experiment;
pub use machine::{machine, machine_line};
pub use outlook::outlook;
pub use quick_look::{quick_look, quick_look_of_arm};
pub use run_line::run_line;
pub use watch::Watched;

#[cfg(test)]
mod tests;
