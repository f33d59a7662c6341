//! The sample service `tickets`: a shop's ticket system on its busiest day.
//!
//! An API answers 202 once a ticket and its job are saved in one transaction; a
//! worker makes two calls a ticket to a simulated AI provider, whose quota is
//! 100 calls a minute; so a fast 202 can hide a wait of many minutes. It runs on
//! PostgreSQL with Valkey or Redis, as such systems do, or embedded on SQLite
//! with nothing installed.
//!
//! This crate must not know who measures it. It uses none of our other crates
//! and they use only [`run()`] with its flags, so that neither can be tuned to
//! the other.
//!
//! Start at [`run()`]. The queue's promises stand in `database/mod.rs`, the work
//! on one job in `worker/job.rs`, the endpoints in `api/mod.rs`.
//!
//! | endpoint of the API | answer |
//! |---|---|
//! | `POST /tickets` `{"customer":"c-001","subject":"…","body":"…"}` | 202, `Location: /tickets/1`, `{"id":1,"ticket":"/tickets/1"}` |
//! | `GET /tickets/1` | `{"state":"queued\|running\|succeeded\|dead","reply":…,"created_ms":…}` |
//! | `PUT /tickets/1/attachments/photo.jpg` | 201; `GET` gives the bytes back |
//! | `GET /customers` | CSV `customer,name,plan` of every customer |
//! | `GET /healthz` | `ok`, or 503 without a database |
//! | `GET /metrics` | the queue and the answers in the Prometheus text format |
//! | `POST /reset`, `POST /flush` | back to the seeded data set; an empty cache |
//!
//! The provider has `POST /classify`, `POST /reply`, `POST /reset`, `/healthz`
//! and `/metrics`. What is refused is answered with a 4xx or 5xx status and
//! `{"error":"…"}`.

mod api;
mod args;
mod blobs;
mod bucket;
mod cache;
mod client;
mod clock;
mod customers;
mod database;
mod error;
mod page;
mod parts;
mod provider;
mod random;
mod refusal;
mod run;
mod serve;
mod worker;

pub use args::{
    AllArgs, ApiArgs, ApiProcess, EndArgs, FlushArgs, PartsArgs, Process, ProviderArgs, ProviderProcess,
    ResetArgs, TicketsArgs, WorkerArgs, WorkerProcess,
};
pub use error::TicketsError;
pub use run::run;
