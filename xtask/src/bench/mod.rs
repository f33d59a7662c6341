//! `cargo xtask bench`: what doorclock costs and how exact it is, measured on
//! this machine against `wrk` and nginx.
//!
//! Testers take turns on one core, nginx has another, and what counts are
//! ratios taken in one run: absolute times belong to the machine. Cost is
//! measured from outside and in the same way for each tester: CPU time by the
//! kernel, requests by nginx's own count. Goals are printed with a mark and
//! never fail a build, because a shared machine may miss them for reasons of
//! its own.
//!
//! It must not know doorclock's code, only its flags and its JSON.
//!
//! Start at [`foundation`], which is the list of what is measured.

mod doorclock;
mod foundation;
mod machine;
mod measure;
mod options;
mod peers;
mod table;
mod wrk;

use crate::failure::Failure;
use crate::folder::Folder;
use crate::nginx::Nginx;
use crate::{command, packages, say};
use doorclock::Doorclock;
use foundation::Bench;
use machine::{Cores, Machine};
use options::Options;
use wrk::Wrk;

/// Measures, prints, and keeps the result if asked to.
pub fn run(arguments: &[String]) -> Result<(), Failure> {
    let options = Options::parse(arguments)?;
    let machine = Machine::read()?;
    let cores = Cores::choose()?;
    let folder = Folder::new("bench")?;
    let wrk = packages::find_or_install(packages::WRK)?;
    say::line("building the release binary");
    let program = doorclock::build()?;
    let nginx = Nginx::start_with_tls(cores.server)?;
    say::line(format_args!("{machine}\n{cores}"));
    let mut bench = Bench {
        doorclock: Doorclock { program, core: cores.tester, folder: folder.path().to_owned() },
        wrk: Wrk { program: wrk, core: cores.tester },
        nginx,
        options,
        table: table::Table::default(),
    };
    foundation::measure(&mut bench)?;
    say::line(format_args!("\n{}", bench.table.text()));
    if bench.options.write { keep(&machine, &bench) } else { Ok(()) }
}

/// Writes the table, for people and for machines, where its date and machine
/// say what it is about.
fn keep(machine: &Machine, bench: &Bench) -> Result<(), Failure> {
    let folder = command::root().join("bench-runs").join(machine.slug());
    std::fs::create_dir_all(&folder).map_err(Failure::file("make", &folder))?;
    let text = format!("# Foundation\n\n{}\n\n{}", machine.markdown(), bench.table.text());
    let json = serde_json::json!({ "format": 1, "machine": machine.json(), "rows": bench.table.json() });
    for (name, content) in [("foundation.md", text), ("foundation.json", format!("{json:#}\n"))] {
        let path = folder.join(name);
        std::fs::write(&path, content).map_err(Failure::file("write", &path))?;
        say::line(format_args!("wrote {}", path.display()));
    }
    Ok(())
}
