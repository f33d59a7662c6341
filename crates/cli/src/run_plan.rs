//! `doorclock run`: a planned experiment, from its file to its report.

use crate::args::RunArgs;
use crate::demo::open_in_browser;
use crate::experiment::{GLANCE, exit_of, judge, not_kept, run_failure};
use crate::failure::{Exit, Failure};
use crate::plan_file::{self, Loaded};
use crate::progress::ProgressLine;
use crate::results::{self, PAGE, PLAN};
use crate::wall::Began;
use crate::{print, signals};
use analysis::Summary;
use runner::{Experiment, ExperimentError, Restless, What};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use store::{Folder, ManifestFacts};

pub fn run(args: &RunArgs) -> Result<Exit, Failure> {
    let stop = signals::stop_flag()?;
    runner::raise_descriptors();
    let mut loaded = plan_file::load(&args.plan, &args.changes)?;
    loaded.plan.owned.extend(args.own.iter().cloned());
    let began = Began::now();
    let (folder, facts) = match &args.resume {
        Some(path) => resumed(path, &loaded)?,
        None => begun(&out(args, &began), &loaded, began)?,
    };
    let shown = folder.path().display().to_string();
    let fails = |error: ExperimentError| failure(error, &loaded, &shown);
    let plan_folder = loaded.file.folder().to_path_buf();
    let mut progress = ProgressLine::default();
    let ended = Experiment::new(&loaded.plan, &plan_folder, &folder, &stop).map_err(Stopped::from).and_then(
        |experiment| {
            print::people(&head(&loaded, &shown), args.json);
            let mut told = 0;
            let mut each = |arm: &str, round: u32| {
                told += 1;
                print::people(&line(&folder, arm, round)?, args.json);
                Ok(())
            };
            experiment.carry_out::<Stopped>(&mut |event| progress.show(&event), &mut each)
        },
    );
    // Whatever ended it, what was measured by then is reported.
    let summary = match folder.runs()?.is_empty() {
        true => None,
        false => Some(finish(&folder, &facts, &shown)?),
    };
    match ended {
        Ok(()) => {}
        Err(Stopped::Told(failure)) => return Err(failure),
        Err(Stopped::Experiment(error)) => return Err(fails(error)),
    }
    let Some(summary) = summary else {
        return Err(Failure::new(Exit::Interrupted, "interrupted before the first run"));
    };
    let plan = folder.read_text(PLAN)?;
    let text = report::text::experiment(&summary, plan.as_deref(), Some(&shown));
    print::people(&format!("\n{text}"), args.json);
    if args.json {
        print::result(&report::json::summary(&summary));
    }
    if args.open {
        open_in_browser(&folder.path().join(PAGE))?;
    }
    Ok(exit_of(&summary, stop.load(Relaxed), falls_short(&summary)))
}

/// Why the runs stopped.
enum Stopped {
    Experiment(ExperimentError),
    Told(Failure),
}

impl From<ExperimentError> for Stopped {
    fn from(error: ExperimentError) -> Stopped {
        Stopped::Experiment(error)
    }
}

impl From<Failure> for Stopped {
    fn from(failure: Failure) -> Stopped {
        Stopped::Told(failure)
    }
}

/// Whether a guess was wrong, an arm did not hold a bound, or work was not done
/// in time, that the plan asks for; or accepted work is lost.
fn falls_short(summary: &Summary) -> bool {
    let wrong = summary.guesses.iter().any(|guess| guess.verdict == "wrong");
    let runs = summary.arms.iter().flat_map(|arm| &arm.runs);
    let mut work = runs.filter_map(|run| run.completion.as_ref());
    let late = work.any(|work| work.held == Some(false) || work.is_any_lost());
    wrong || late || summary.bounds.iter().flat_map(|bound| &bound.arms).any(|arm| arm.held < arm.rounds)
}

fn out(args: &RunArgs, began: &Began) -> PathBuf {
    let name = args.plan.file_stem().unwrap_or_default().to_string_lossy();
    args.out
        .clone()
        .unwrap_or_else(|| PathBuf::from("results").join(format!("{}-{name}", began.for_folder())))
}

/// A new folder. Plan, checksum and guesses are in it before the first run.
fn begun(path: &Path, loaded: &Loaded, began: Began) -> Result<(Folder, ManifestFacts), Failure> {
    let facts = ManifestFacts {
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        began: began.rfc3339,
        seed: loaded.plan.rounds.seed,
        question: loaded.plan.question.clone(),
    };
    let folder = Folder::create(path)?;
    folder.begin(&facts)?;
    folder.write_text(PLAN, loaded.file.text())?;
    folder.write_plan(&loaded.facts())?;
    folder.write_machine(&runner::read_machine(GLANCE))?;
    Ok((folder, facts))
}

/// The folder of an experiment that was broken off: of this plan, word for word.
fn resumed(path: &Path, loaded: &Loaded) -> Result<(Folder, ManifestFacts), Failure> {
    let shown = path.display();
    let folder = Folder::open(path)?;
    let manifest = folder.manifest()?;
    let begun = manifest.and_then(|manifest| {
        let facts = ManifestFacts {
            tool_version: manifest.tool_version?,
            began: manifest.began?,
            seed: manifest.seed?,
            question: manifest.question?,
        };
        Some((facts, manifest.plan?))
    });
    let Some((facts, plan)) = begun else {
        return Err(Failure::new(Exit::Usage, format!("{shown} was not made by `doorclock run`"))
            .hint("begin anew: leave --resume out"));
    };
    if plan.sha256 != loaded.checksum() {
        return Err(Failure::new(
            Exit::Usage,
            format!("{shown} was begun with another plan, or other flags"),
        )
        .hint(format!("the plan as it was is {shown}/{PLAN}; begin anew with a changed one")));
    }
    Ok((folder, facts))
}

fn head(loaded: &Loaded, folder: &str) -> String {
    let plan = &loaded.plan;
    let runs = plan.arms.len() as u32 * plan.rounds.count;
    format!(
        "{}\n{} arms × {} rounds = {runs} runs, into {folder}\n",
        plan.question,
        plan.arms.len(),
        plan.rounds.count
    )
}

/// One run that has ended, in a line.
fn line(folder: &Folder, arm: &str, round: u32) -> Result<String, Failure> {
    let runs = folder.runs()?;
    let stored = runs.iter().find(|run| {
        let facts = &run.record().facts;
        facts.arm == arm && facts.round == round
    });
    match stored {
        Some(stored) => Ok(report::text::run_line(&judge(stored, None)?)),
        None => Err(Failure::new(Exit::Void, format!("the run of {arm} in round {round} left no samples"))),
    }
}

fn finish(folder: &Folder, facts: &ManifestFacts, shown: &str) -> Result<Summary, Failure> {
    let summary = results::summarise(folder, folder.manifest()?.as_ref())?;
    results::write(folder, &summary)
        .and_then(|()| folder.seal(facts))
        .map_err(|error| not_kept(&error, shown))?;
    Ok(summary)
}

/// What ended an experiment, drawn into its plan where the plan is to blame.
fn failure(error: ExperimentError, loaded: &Loaded, folder: &str) -> Failure {
    let exit = exit(&error.what);
    let hint = hint(&error.what);
    let Some(key) = error.key else {
        return match error.what {
            What::Run(error) => run_failure(error, folder),
            What::Store(error) => not_kept(&error, folder),
            what => Failure::new(exit, crate::experiment::chain(&what)),
        };
    };
    let says = crate::experiment::chain(&error.what);
    let text = loaded.file.error_at(&key, says, hint).to_string();
    let failure = Failure::new(exit, text.strip_prefix("error: ").unwrap_or(&text));
    let has_runs = Folder::open(folder).and_then(|folder| folder.runs()).is_ok_and(|runs| !runs.is_empty());
    if has_runs {
        return failure.hint(format!("runs made before are kept: doorclock report {folder}"));
    }
    failure
}

fn exit(what: &What) -> Exit {
    match what {
        What::Url(_) | What::Secure(_) | What::Limit(_) | What::Request(_) | What::NotQuiet(_) => Exit::Usage,
        What::Address(runner::AddressError::NotOwned { .. }) => Exit::Usage,
        What::Run(runner::RunError::Order(_) | runner::RunError::Engine(_)) => Exit::Usage,
        What::Address(_) | What::Reset { .. } | What::Target(_) | What::Run(_) => Exit::Unreachable,
        What::Store(_) => Exit::Void,
    }
}

/// What to do next, beside the place in the plan.
fn hint(what: &What) -> &'static str {
    match what {
        What::Address(runner::AddressError::NotOwned { .. }) => {
            "if it is yours, add it to `owned`, or say --own HOST"
        }
        What::NotQuiet(Restless { .. }) => "stop what else runs, or write otherwise = \"doubt\"",
        What::Target(runner::TargetError::PortTaken { .. }) => {
            "stop what listens there, or choose another port"
        }
        What::Target(runner::TargetError::LeftPort { .. }) => "start the service in the foreground",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use plan::FIGURES;

    #[test]
    fn every_figure_that_a_guess_may_name_is_known_to_analysis() {
        // A figure that nobody computes would make every guess that names it
        // "cannot say".
        let known = include_str!("../../analysis/src/figure.rs");
        for figure in FIGURES {
            assert!(known.contains(&format!("\"{}\" =>", figure.name)), "{}", figure.name);
        }
    }
}
