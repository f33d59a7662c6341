//! What a results folder says, computed from its stored samples: the one way
//! to a summary, whether a run has just ended or lies a year back.

use crate::experiment::judge;
use crate::failure::{Exit, Failure};
use crate::guesses;
use analysis::{ExperimentFacts, Summary};
use model::PlanFacts;
use store::{Folder, Manifest, StoredRun};

/// The plan's file in a results folder.
pub const PLAN: &str = "plan.toml";
/// The numbers for machines.
pub const SUMMARY: &str = "summary.json";
/// The page.
pub const PAGE: &str = "report.html";
/// The same as Markdown; only experiments with a plan have one.
pub const MARKDOWN: &str = "report.md";

/// The summary of everything that `folder` holds.
pub fn summarise(folder: &Folder, manifest: Option<&Manifest>) -> Result<Summary, Failure> {
    let stored = folder.runs()?;
    if stored.is_empty() {
        return Err(Failure::new(Exit::Void, format!("{} holds no run", folder.path().display()))
            .hint("the tester was ended before its first request"));
    }
    let capacity = analysis::capacity(stored.iter().map(StoredRun::record));
    let runs = stored.iter().map(|run| judge(run, capacity)).collect::<Result<Vec<_>, _>>()?;
    let known = |part: fn(&Manifest) -> Option<String>| {
        manifest.and_then(part).unwrap_or_else(|| "unknown".to_owned())
    };
    let plan = manifest.and_then(|manifest| manifest.plan.clone());
    let facts = ExperimentFacts {
        question: known(|manifest| manifest.question.clone()),
        machine: manifest.and_then(|manifest| manifest.machine.clone()).unwrap_or_default(),
        tool_version: known(|manifest| manifest.tool_version.clone()),
        began: known(|manifest| manifest.began.clone()),
        plan: plan.clone(),
    };
    let mut summary = analysis::experiment(facts, runs);
    pool(&mut summary, &stored)?;
    if let Some(plan) = plan {
        summary.guesses = guesses::judge(&all_guesses(folder, &plan)?, &summary);
    }
    Ok(summary)
}

/// Writes what is computed from the samples: for machines, for a browser, and,
/// where there was a plan, as Markdown.
pub fn write(folder: &Folder, summary: &Summary) -> Result<(), store::StoreError> {
    let plan = folder.read_text(PLAN)?;
    folder.write_text(SUMMARY, &report::json::summary(summary))?;
    folder.write_text(PAGE, &report::html::page(summary, plan.as_deref()))?;
    match &plan {
        Some(text) => folder.write_text(MARKDOWN, &report::markdown::experiment(summary, Some(text), None)),
        None => Ok(()),
    }
}

/// Each arm's runs together.
fn pool(summary: &mut Summary, stored: &[StoredRun]) -> Result<(), Failure> {
    for arm in &mut summary.arms {
        let is_void = |run: &StoredRun| {
            let round = run.record().facts.round;
            arm.runs.iter().any(|one| one.facts.round == round && one.verdict == analysis::Verdict::Void)
        };
        let runs: Vec<_> = stored
            .iter()
            .filter(|run| run.record().facts.arm == arm.name && !is_void(run))
            .map(|run| (run.record(), run as &dyn model::SampleSource))
            .collect();
        arm.pooled = analysis::pooled(&runs).map_err(|error| Failure::new(Exit::Void, error))?;
    }
    Ok(())
}

/// The guesses that the manifest holds from before the first run, and those
/// that somebody has written into the folder's plan since.
fn all_guesses(folder: &Folder, plan: &PlanFacts) -> Result<Vec<model::PlannedGuess>, Failure> {
    let mut all = plan.guesses.clone();
    let Some(text) = folder.read_text(PLAN)? else { return Ok(all) };
    let file = plan::PlanFile::parse(folder.path().join(PLAN), text);
    // A flag that set a key is part of the plan, though not of its text.
    let set = plan.flags.iter().filter_map(|flag| flag.strip_prefix("--set ")?.split_once('='));
    let file = set.fold(file, |file, (key, value)| file.and_then(|file| file.set(key, value)));
    let now = file.and_then(|file| file.guesses());
    let now = now.map_err(|errors| Failure::new(Exit::Usage, errors))?;
    for guess in now.iter().map(guesses::planned) {
        if !all.contains(&guess) {
            all.push(model::PlannedGuess { is_late: true, ..guess });
        }
    }
    Ok(all)
}
