//! Ctrl-C and SIGTERM end a run early and keep what was measured; a second one
//! ends the program at once.

use crate::failure::{Exit, Failure};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A flag that SIGINT and SIGTERM set.
pub fn stop_flag() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // In this order: the first signal finds the flag unset, passes the
        // shutdown and sets it; the second is ended by it.
        flag::register_conditional_shutdown(signal, Exit::Interrupted as i32, Arc::clone(&stop))
            .and_then(|_| flag::register(signal, Arc::clone(&stop)))
            .map_err(|error| Failure::new(Exit::Usage, format!("cannot listen for Ctrl-C: {error}")))?;
    }
    Ok(stop)
}
