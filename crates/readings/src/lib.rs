//! Readings: what the service, its database and the machine say of themselves
//! while a load runs.
//!
//! Each reading has a thread and a period of its own, and a time limit for every
//! answer. Whoever sends shares nothing with these threads but the machine: a
//! database that stands still holds up its own reading, and that is a gap with a
//! reason, never a zero.
//!
//! This crate reads no clock. It is handed one ([`Now`]) and a way to ask over
//! HTTP ([`Fetch`]).
//!
//! It must not know what load is sent, nor what is made of its numbers.
//!
//! Start at [`Taking::begin`].

mod command;
mod database;
mod http;
mod machine;
mod probe;
mod process;
mod prometheus;
mod redis_server;
mod taking;

pub use database::{Cell, Connection, Table};
pub use taking::{Hands, Taking};

use model::Nanos;
use std::sync::Arc;
use std::time::Duration;

/// The moment that it is, on the clock that readings are stamped by.
pub type Now = Arc<dyn Fn() -> Nanos + Send + Sync>;

/// The body of what a URL answers with a 2xx, within so much time, or in words
/// why there is none.
pub type Fetch = Arc<dyn Fn(&str, Duration) -> Result<Vec<u8>, String> + Send + Sync>;

/// Numbers by their columns; a column that has none says why.
pub(crate) type Numbers = Vec<(String, Result<f64, String>)>;
