//! The line that every measuring command runs along: order → samples →
//! analysis → report, in one results folder.

use crate::failure::{Exit, Failure};
use crate::progress::ProgressLine;
use crate::results;
use analysis::{Alongside, ExperimentFacts, RunSummary, Summary, Verdict};
use model::{MachineFacts, Nanos, Seed};
use runner::{Beside, Order, OrderError, RunError};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use store::{Folder, ManifestFacts, StoreError, StoredRun};

/// An experiment under way, and the folder it fills.
pub struct Experiment {
    folder: Folder,
    question: String,
    facts: ManifestFacts,
    machine: MachineFacts,
    stop: Arc<AtomicBool>,
    runs: Vec<RunSummary>,
    progress: ProgressLine,
}

impl Experiment {
    /// Makes the results folder at `path`. Nothing has been sent by then, so a
    /// folder that cannot be written costs nothing.
    pub fn begin(
        path: &Path,
        question: String,
        began: String,
        seed: Seed,
        machine: MachineFacts,
        stop: Arc<AtomicBool>,
    ) -> Result<Experiment, Failure> {
        let facts = ManifestFacts {
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
            began,
            seed,
            question: question.clone(),
        };
        let folder = Folder::create(path)?;
        folder.begin(&facts)?;
        folder.write_machine(&machine)?;
        Ok(Experiment {
            folder,
            question,
            facts,
            machine,
            stop,
            runs: Vec::new(),
            progress: ProgressLine::default(),
        })
    }

    /// Carries out one run, with `beside` going on beside it, and says what it
    /// means. `number` is its place, from 1, and the number of runs in all.
    pub fn run(
        &mut self,
        order: &Order,
        number: (u32, u32),
        beside: &mut dyn Beside,
    ) -> Result<&RunSummary, Failure> {
        let progress = &mut self.progress;
        let mut watch = |event| progress.show(&event);
        let ran = runner::execute(order, &self.folder, number, beside, &self.stop, &mut watch);
        ran.map_err(|error| run_failure(error, &self.shown_path()))?;
        let stored = self.folder.runs()?.pop();
        let stored = stored.ok_or_else(|| Failure::new(Exit::Void, "the run left no samples"))?;
        self.runs.push(judge(&stored, None)?);
        Ok(&self.runs[self.runs.len() - 1])
    }

    /// Whether a signal asked to stop.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// The folder's path, as a person would type it.
    pub fn shown_path(&self) -> String {
        self.folder.path().display().to_string()
    }

    /// Writes summary and report, and seals the folder.
    pub fn finish(self) -> Result<Summary, Failure> {
        let kept = self.shown_path();
        let ManifestFacts { tool_version, began, .. } = self.facts.clone();
        let facts = ExperimentFacts {
            question: self.question,
            machine: self.machine,
            tool_version,
            began,
            plan: None,
        };
        let summary = analysis::experiment(facts, self.runs);
        let written = results::write(&self.folder, &summary).and_then(|()| self.folder.seal(&self.facts));
        written.map_err(|error| not_kept(&error, &kept))?;
        Ok(summary)
    }
}

/// A run that was not carried out, or only in part; its results lie in `folder`.
pub fn run_failure(error: RunError, folder: &str) -> Failure {
    match error {
        RunError::Order(error) => order_failure(&error),
        RunError::Engine(error) => Failure::new(Exit::Usage, error),
        RunError::Stalls(error) => Failure::new(Exit::Unreachable, error),
        RunError::Follow(runner::FollowError::Store(error)) => not_kept(&error, folder),
        RunError::Follow(error) => {
            Failure::new(Exit::Usage, chain(&error)).hint("name another address, or stop what listens there")
        }
        RunError::Tool(error) => Failure::new(Exit::Unreachable, chain(&error)),
        RunError::Store(error) => not_kept(&error, folder),
    }
}

/// Results that could be written only in part.
pub fn not_kept(error: &StoreError, folder: &str) -> Failure {
    Failure::new(Exit::Void, format!("the results could not be kept: {}", chain(error)))
        .hint(format!("what was written by then stays: doorclock report {folder}"))
}

/// An order that cannot be carried out, and the way out.
pub fn order_failure(error: &OrderError) -> Failure {
    let hint = match error {
        OrderError::Profile(_) | OrderError::Nothing { .. } => {
            "raise the rate (-r 500/s) or measure for longer (-d 1min)"
        }
        OrderError::Nobody { .. } => "ask for at least one: --closed 1",
        OrderError::NoUsers => "use --connect reuse, or a loop with users: --closed 16",
        OrderError::TooFewConnections { .. } => "raise --connections, or leave it out",
        OrderError::NoSuchCore { .. } => "`nproc` and `taskset -p $$` tell which there are",
    };
    Failure::new(Exit::Usage, error).hint(hint)
}

/// What one stored run means. `capacity` is what the experiment shows that the
/// service can do, for a run that does not know it.
pub fn judge(stored: &StoredRun, capacity: Option<f64>) -> Result<RunSummary, Failure> {
    let mut record = stored.record().clone();
    record.facts.capacity_per_s = record.facts.capacity_per_s.or(capacity);
    let (completions, readings) = (stored.completions()?, stored.readings()?);
    let alongside = Alongside { completions: completions.as_deref(), readings: readings.as_ref() };
    analysis::run(&record, stored, alongside).map_err(|error| Failure::new(Exit::Void, error))
}

/// An error of the results folder.
impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Failure {
        let hint = match &error {
            StoreError::NotEmpty { .. } => Some("name a folder that does not exist yet: --out DIR"),
            StoreError::NotResults { .. } => Some(MADE_BY),
            StoreError::Io { doing: "create", .. } => Some("name a folder that can be made: --out DIR"),
            StoreError::DiskFull { .. } => Some("free space, or name a folder on another disk: --out DIR"),
            StoreError::NewerFormat { .. } => Some("it was written by a newer doorclock: use that one"),
            _ => None,
        };
        let exit = match error {
            StoreError::NotEmpty { .. } | StoreError::NotResults { .. } | StoreError::NewerFormat { .. } => {
                Exit::Usage
            }
            _ => Exit::Void,
        };
        let failure = Failure::new(exit, chain(&error));
        match hint {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }
}

/// An error and its causes in one line, leaving out a cause that the error names itself.
pub fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(source) = cause {
        let says = source.to_string();
        if !text.contains(&says) {
            text = format!("{text}: {says}");
        }
        cause = source.source();
    }
    text
}

/// Where results folders come from.
pub const MADE_BY: &str =
    "results folders are made by `doorclock URL`, `doorclock run PLAN` and `doorclock demo`";

/// The exit code of a finished experiment.
pub fn exit_of(summary: &Summary, is_stopped: bool, check_failed: bool) -> Exit {
    match summary.verdict {
        _ if is_stopped => Exit::Interrupted,
        _ if check_failed => Exit::CheckFailed,
        Verdict::Void => Exit::Void,
        Verdict::Valid | Verdict::Doubtful => Exit::Measured,
    }
}

/// The window over which a machine is watched before a run: long enough for a
/// few ticks of the kernel's counters, short enough not to be noticed.
pub const GLANCE: Nanos = Nanos::from_millis(200);
