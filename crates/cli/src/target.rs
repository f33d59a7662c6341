//! `doorclock target`: the sample services.

use crate::args::{ScorerArgs, Target, TargetArgs};
use crate::failure::{Exit, Failure};
use crate::print;
use scorer::{Options, ScorerError};
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

pub fn run(args: &TargetArgs) -> Result<Exit, Failure> {
    match &args.target {
        Target::Scorer(scorer) => run_scorer(scorer),
        Target::Tickets(tickets) => run_tickets(tickets),
    }
}

fn run_scorer(args: &ScorerArgs) -> Result<Exit, Failure> {
    if args.with_parent {
        std::thread::spawn(end_with_standard_input);
    }
    let options = Options {
        address: args.address.unwrap_or_else(|| SocketAddr::from((Ipv4Addr::LOCALHOST, args.port))),
        customers: args.customers,
        seed: args.seed,
        service_time: Duration::from_nanos(args.service_time.0),
    };
    scorer::run(options, |address| print::result(&format!("listening on {address}")))
        .map_err(scorer_failure)?;
    Ok(Exit::Measured)
}

fn scorer_failure(error: ScorerError) -> Failure {
    match error {
        ScorerError::AddressInUse { .. } => {
            Failure::new(Exit::Unreachable, error).hint("choose another with --port, or 0 for a free one")
        }
        ScorerError::TooFewCustomers { .. } => {
            Failure::new(Exit::Usage, error).hint("ask for more with --customers")
        }
        _ => Failure::new(Exit::Unreachable, error),
    }
}

fn run_tickets(args: &tickets::TicketsArgs) -> Result<Exit, Failure> {
    match tickets::run(args.clone(), print::result) {
        Ok(()) => Ok(Exit::Measured),
        Err(error) => {
            let exit = if error.is_usage() { Exit::Usage } else { Exit::Unreachable };
            let failure = Failure::new(exit, &error);
            Err(match error.hint() {
                Some(hint) => failure.hint(hint),
                None => failure,
            })
        }
    }
}

/// Whoever started us holds the other end of standard input; when it is gone,
/// however it ended, so are we.
fn end_with_standard_input() {
    let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
    let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::TERM);
}
