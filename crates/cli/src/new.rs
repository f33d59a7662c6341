//! `doorclock new`: a plan to begin from, that runs as it stands.

use crate::args::{NewArgs, Purpose};
use crate::failure::{Exit, Failure};
use crate::print;
use std::io::{ErrorKind, Write as _};

/// The plans of `plans/`, word for word: what a newcomer gets is what the tests run.
fn text(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Compare => include_str!("../../../plans/compare.toml"),
        Purpose::Bound => include_str!("../../../plans/bound.toml"),
        Purpose::Stalls => include_str!("../../../plans/stalls.toml"),
        Purpose::Tools => include_str!("../../../plans/tools.toml"),
    }
}

pub fn run(args: &NewArgs) -> Result<Exit, Failure> {
    let shown = args.plan.display();
    let mut file = std::fs::File::create_new(&args.plan).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => Failure::new(Exit::Usage, format!("{shown} exists already"))
            .hint("give the new plan another name; nothing was written"),
        _ => Failure::new(Exit::Usage, format!("cannot write {shown}: {error}")),
    })?;
    file.write_all(text(args.purpose).as_bytes())
        .map_err(|error| Failure::new(Exit::Usage, format!("cannot write {shown}: {error}")))?;
    print::result(&format!(
        "{shown} is written, and runs as it stands.\n\
         what it will do:  doorclock check {shown}\n\
         do it:            doorclock run {shown}"
    ));
    Ok(Exit::Measured)
}
