//! The program `tickets`: the ticket system without a load tester around it, for
//! containers and for tests that kill its processes. `doorclock target tickets`
//! takes the same flags.
//!
//! It must not know what they do. Start at [`run`].

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use doorclock_target_tickets::{TicketsArgs, run};

#[derive(Parser)]
#[command(name = "tickets", version, about = "A shop's ticket system, to be measured")]
struct Args {
    #[command(flatten)]
    tickets: TicketsArgs,
}

fn main() -> ExitCode {
    // Who stopped reading does not stop the service.
    let announce = |line: &str| drop(writeln!(std::io::stdout(), "{line}"));
    match run(Args::parse().tickets, announce) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let mut err = std::io::stderr().lock();
            let _ = writeln!(err, "error: {error}");
            if let Some(hint) = error.hint() {
                let _ = writeln!(err, "hint: {hint}");
            }
            // The codes of `docs/EXIT-CODES.md`.
            ExitCode::from(if error.is_usage() { 2 } else { 4 })
        }
    }
}
