//! `doorclock`: flags in, wiring, printing and exit codes.
//!
//! The only crate that sees the sending side and the drawing side both. It
//! must not know arithmetic: what a number is comes from `analysis`, how it
//! looks from `report`.
//!
//! Start at [`args`], the command line; each command has a file of its own.

mod args;
mod calibrate;
mod check;
mod demo;
mod experiment;
mod failure;
mod guesses;
mod machine;
mod new;
mod plan_file;
mod print;
mod progress;
mod quick;
mod report_command;
mod requests;
mod results;
mod run_plan;
mod signals;
mod target;
mod verify_command;
mod wall;
mod watch;

use args::{Args, Command};
use clap::Parser;
use failure::{Exit, Failure};
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = Args::parse();
    match run(args) {
        Ok(exit) => exit.into(),
        Err(failure) => {
            print::error(&failure.to_string());
            failure.exit.into()
        }
    }
}

fn run(args: Args) -> Result<Exit, Failure> {
    match args.command {
        Some(Command::Demo(demo)) => demo::run(&demo),
        Some(Command::New(new)) => new::run(&new),
        Some(Command::Check(check)) => check::run(&check),
        Some(Command::Run(run)) => run_plan::run(&run),
        Some(Command::Watch(watch)) => watch::run(&watch),
        Some(Command::Report(report)) => report_command::run(&report),
        Some(Command::Verify(verify)) => verify_command::run(&verify),
        Some(Command::Machine(machine)) => machine::run(&machine),
        Some(Command::Calibrate(calibrate)) => calibrate::run(&calibrate),
        Some(Command::Target(target)) => target::run(&target),
        None => quick::run(&args.quick),
    }
}
