//! Sends requests at their moments and writes down what became of each.
//!
//! Handed a tester (which says what is due), prepared requests, a clock and a
//! network, it leaves one [`model::Sample`] per request. It must not know
//! TOML, files, percentiles or who watches. Open, paced and closed testers run
//! through the same loop; epoll and the simulated network through the same
//! seam.
//!
//! Start at [`Worker`], the event loop of one thread: it is where a request's
//! time is taken. [`Net`] and [`Clock`] are its seams, [`run`] puts one worker
//! on each thread.

mod batch;
mod calibrate;
mod capture;
mod clock;
mod connections;
mod expect;
mod flights;
mod lag;
mod net;
mod threads;
mod tls;
mod work;
mod worker;

pub use batch::{BATCH_ROWS, BatchSink, SampleSink, batches};
pub use calibrate::{clock_cost, late_waits};
pub use capture::{Accepted, Capture, Follow};
pub use clock::{Clock, MonotonicClock};
pub use connections::Numbers;
pub use expect::{Check, Expect, JsonCheck};
pub use lag::ReadLag;
pub use net::epoll::EpollNet;
pub use net::tls::TlsNet;
pub use net::{Happened, Net, NetError, Slot, Wake, What};
pub use threads::{Job, RunFailure, run};
pub use tls::{SecureStream, Tls, TlsOrder, TlsOrderError, TlsProblem, Trust, Version, certificates};
pub use work::{Prepared, Work};
pub use worker::{Limits, Worker, WorkerEnd};
