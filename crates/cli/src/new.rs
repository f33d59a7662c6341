//! `doorclock new`: a plan to begin from, that runs as it stands.

use crate::args::{NewArgs, Purpose};
use crate::failure::{Exit, Failure};
use crate::print;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

/// The plans of `plans/`, word for word: what a newcomer gets is what the tests run.
fn text(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Compare => include_str!("../../../plans/compare.toml"),
        Purpose::Bound => include_str!("../../../plans/bound.toml"),
        Purpose::Stalls => include_str!("../../../plans/stalls.toml"),
        Purpose::Tools => include_str!("../../../plans/tools.toml"),
        Purpose::RampUp => include_str!("../../../plans/ramp-up.toml"),
        Purpose::Steady => include_str!("../../../plans/steady.toml"),
        Purpose::Burst => include_str!("../../../plans/burst.toml"),
        Purpose::Soak => include_str!("../../../plans/soak.toml"),
        Purpose::Day => include_str!("../../../plans/day.toml"),
        Purpose::Users => include_str!("../../../plans/users.toml"),
        Purpose::Replay => include_str!("../../../plans/replay.toml"),
    }
}

/// What a plan reads from beside it: a file's name and its content.
fn beside(purpose: Purpose) -> Option<(&'static str, &'static str)> {
    (purpose == Purpose::Replay).then_some(("access.log", include_str!("../../../plans/access.log")))
}

pub fn run(args: &NewArgs) -> Result<Exit, Failure> {
    write_new(&args.plan, text(args.purpose))?;
    let shown = args.plan.display();
    let mut says = format!("{shown} is written, and runs as it stands.");
    if let Some((name, content)) = beside(args.purpose) {
        let path = args.plan.with_file_name(name);
        // Whoever has a log of this name wants to replay that one.
        let kept = if path.exists() { "was there already, and is read" } else { "is written beside it" };
        if !path.exists() {
            write_new(&path, content)?;
        }
        says += &format!("\n{} {kept}.", path.display());
    }
    print::result(&format!(
        "{says}\n\
         what it will do:  doorclock check {shown}\n\
         do it:            doorclock run {shown}"
    ));
    Ok(Exit::Measured)
}

fn write_new(path: &Path, content: &str) -> Result<(), Failure> {
    let shown = path.display();
    let failed = |error: std::io::Error| Failure::new(Exit::Usage, format!("cannot write {shown}: {error}"));
    let mut file = std::fs::File::create_new(path).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => Failure::new(Exit::Usage, format!("{shown} exists already"))
            .hint("give the new plan another name; nothing was written"),
        _ => failed(error),
    })?;
    file.write_all(content.as_bytes()).map_err(failed)
}
