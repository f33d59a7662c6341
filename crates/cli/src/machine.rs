//! `doorclock machine`: what this machine is, and whether it is quiet.

use crate::args::MachineArgs;
use crate::failure::{Exit, Failure};
use crate::print;

/// Below this share of idle time a run's numbers carry the machine's other work.
const QUIET_IDLE: f64 = 0.95;

pub fn run(args: &MachineArgs) -> Result<Exit, Failure> {
    let machine = runner::read_machine(args.over);
    if args.json {
        print::result(&report::json::machine(&machine));
    } else {
        print::result(&report::text::machine(&machine, QUIET_IDLE));
    }
    Ok(Exit::Measured)
}
