//! `doorclock report`: everything again, from the stored samples alone.

use crate::args::{Format, ReportArgs};
use crate::demo::open_in_browser;
use crate::experiment::{MADE_BY, exit_of};
use crate::failure::{Exit, Failure};
use crate::print;
use crate::results::{self, MARKDOWN, PAGE, PLAN, SUMMARY};
use analysis::Summary;
use std::io::IsTerminal;
use store::{Damage, Folder, Manifest, ManifestFacts, StoreError};

/// Files that are computed from the samples: changed ones are written anew.
const COMPUTED: [&str; 3] = [SUMMARY, PAGE, MARKDOWN];

/// The plan may gain a guess after the fact: it is told, and marked as late.
const TOLD: [&str; 1] = [PLAN];

pub fn run(args: &ReportArgs) -> Result<Exit, Failure> {
    if !args.folder.is_dir() {
        let says = format!("there is no folder {}", args.folder.display());
        return Err(Failure::new(Exit::Usage, says).hint(MADE_BY));
    }
    let folder = Folder::open(&args.folder)?;
    let is_sound = check(&folder)?;
    let manifest = folder.manifest()?;
    let summary = results::summarise(&folder, manifest.as_ref())?;
    let plan = folder.read_text(PLAN)?;
    match args.format {
        _ if args.open => {}
        Format::Text => print::result(&text(&summary, plan.as_deref(), &args.folder.display().to_string())),
        Format::Json => print::result(&report::json::summary(&summary)),
        Format::Md => {
            let shown = args.folder.display().to_string();
            print::result(&report::markdown::experiment(&summary, plan.as_deref(), Some(&shown)));
        }
        Format::Html if std::io::stdout().is_terminal() => {}
        Format::Html => print::result(&report::html::page(&summary, plan.as_deref())),
    }
    let wants_page = args.open || (args.format == Format::Html && std::io::stdout().is_terminal());
    if wants_page {
        let page = args.folder.join(PAGE);
        folder.write_text(PAGE, &report::html::page(&summary, plan.as_deref()))?;
        if let (true, Some(manifest)) = (is_sound, manifest) {
            seal_again(&folder, &manifest, &summary)?;
        }
        print::result(&page.display().to_string());
        if args.open {
            open_in_browser(&page)?;
        }
    }
    Ok(exit_of(&summary, false, false))
}

/// The report for people: the quick look's screen for one run without a plan, the demo's table
/// for its six, a line a run for any other.
fn text(summary: &Summary, plan: Option<&str>, folder: &str) -> String {
    match &summary.arms[..] {
        [arm] if arm.runs.len() == 1 && plan.is_none() => {
            report::text::quick_look(&arm.runs[0], &summary.machine, Some(folder))
        }
        arms if is_demo(arms) => {
            format!(
                "{}.\n\n{}",
                report::text::machine_line(&summary.machine),
                report::text::demo(summary, Some(folder))
            )
        }
        _ => report::text::experiment(summary, plan, Some(folder)),
    }
}

fn is_demo(arms: &[analysis::ArmSummary]) -> bool {
    let names = ["closed-1-calm", "closed-1", "paced-calm", "paced", "open-calm", "open"];
    arms.iter().map(|arm| arm.name.as_str()).eq(names)
}

/// Compares the folder with its manifest. Damage to what was measured is an
/// error; damage to what is computed from it is only told. True if all is
/// whole. A folder that was never sealed has no list to compare with; its
/// samples carry checksums of their own, so it is read all the same.
fn check(folder: &Folder) -> Result<bool, Failure> {
    let damage = match folder.check() {
        Ok(damage) => damage,
        Err(StoreError::NotSealed { .. }) => {
            print::error("note: the results were never sealed: their experiment was cut short");
            return Ok(false);
        }
        Err(error) => return Err(error.into()),
    };
    let touches_samples = |one: &&Damage| match one {
        Damage::Missing(path) | Damage::Changed(path) => {
            !COMPUTED.contains(&path.as_str()) && !TOLD.contains(&path.as_str())
        }
        Damage::Extra(_) => false,
    };
    if let Some(worst) = damage.iter().find(touches_samples) {
        return Err(Failure::new(
            Exit::Void,
            format!("the results in {} are damaged: {worst}", folder.path().display()),
        )
        .hint("take the folder from a copy; nothing computed from these samples can be trusted"));
    }
    for one in &damage {
        print::error(&format!("note: {one} since the results were sealed"));
    }
    Ok(damage.is_empty())
}

/// A page drawn anew changes one checksum. Only a folder that was whole before
/// is sealed again: sealing must never hide damage.
fn seal_again(folder: &Folder, manifest: &Manifest, summary: &Summary) -> Result<(), Failure> {
    let (true, Some(seed)) = (manifest.sealed, manifest.seed) else { return Ok(()) };
    let facts = ManifestFacts {
        tool_version: summary.tool_version.clone(),
        began: summary.began.clone(),
        seed,
        question: summary.question.clone(),
    };
    Ok(folder.seal(&facts)?)
}
