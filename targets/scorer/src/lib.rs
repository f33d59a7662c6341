//! The sample service `scorer`: one worker on one thread that looks one shop
//! customer's features up in SQLite, scores them with boosted trees and, when
//! armed, stands still at planned moments.
//!
//! It is the patient that a load tester is tried on, so its truth must be its
//! own: every answer can be checked against `/reference`, which is computed
//! another way, and every stall is reported with the moments at which it
//! really began and ended.
//!
//! This crate must not know who measures it. It uses none of our other crates
//! and they use only [`run`], so that neither can be tuned to the other.
//!
//! Start at [`run`], then the table of endpoints in `http.rs`. What makes the
//! service stand still is `stalls.rs`.
//!
//! | endpoint | answer |
//! |---|---|
//! | `POST /score` `{"customer":"c-00042"}`, `GET /score?customer=c-00042` | `{"customer":"c-00042","score":0.123456}` |
//! | `GET /reference` | CSV `customer,score` of every customer |
//! | `GET /healthz` | `ok` |
//! | `GET /metrics` | counters in the Prometheus text format |
//! | `POST /arm` | plans stalls, answers `{"planned":[{"at_ns":…}]}` |
//! | `POST /disarm` | drops the stalls still to come, answers like `/stalls` |
//! | `GET /stalls` | `{"planned":N,"stalls":[{"began_ns":…,"ended_ns":…}]}` |
//!
//! What is refused is answered with a 4xx status and `{"error":"…"}`.

mod alarm;
mod clock;
mod customers;
mod error;
mod http;
mod metrics;
mod options;
mod random;
mod refusal;
mod scoring;
mod server;
mod stall_plan;
mod stalls;
mod table;
mod trees;

pub use error::ScorerError;
pub use options::Options;
pub use server::run;
