//! Charter to come.
mod tester;
pub use tester::{Due, Tester};
