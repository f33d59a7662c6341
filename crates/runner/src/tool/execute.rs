//! Carries out the run of another tool: starts it, watches it, reads what it
//! wrote and brings the run to its end in the folder.

use super::error::{Found, ToolError, ToolProblem};
use super::meter::Meter;
use super::output::Output;
use super::process::{Ending, Running};
use super::result::Measured;
use super::{ToolOrder, ToolOutput, locust, oha, wrk};
use crate::beside::{Beside, Seen};
use crate::readings_taken::ReadingsTaken;
use crate::run::{RunError, Watch};
use engine::{Clock as _, MonotonicClock};
use model::{Nanos, Progress, RunEvent, Sample, Span};
use std::fs::{self, File};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::atomic::AtomicBool;
use store::{Folder, RunWriter, StoreError};

/// How long a tool may go on beyond the time that it was told: starting,
/// stopping and writing its files take a while.
const PATIENCE: Nanos = Nanos::from_secs(30);

/// Stalls go on for this long after the counted part's length, counted from the
/// command's start: a tool may take seconds until its first request.
const STALLS_BEYOND: Nanos = Nanos::from_secs(15);

/// How often progress is told.
const PROGRESS_EVERY: Nanos = Nanos::from_millis(250);

/// Samples written at once.
const BATCH: usize = 4_096;

/// The tool's folder in that of its run, and what it prints, in there.
const FOLDER: &str = "tool";
const STDOUT: &str = "stdout.txt";
const STDERR: &str = "stderr.txt";

/// Carries out one run of another tool and leaves its samples, if it tells any,
/// and its figures in `folder`. `number` is its place in the experiment, from 1,
/// and the number of runs in all. Setting `stop` ends it early; what it had
/// measured is kept, marked interrupted, where it tells it then.
pub fn execute(
    order: &ToolOrder,
    folder: &Folder,
    number: (u32, u32),
    beside: &mut dyn Beside,
    stop: &AtomicBool,
    watch: &mut Watch<'_>,
) -> Result<(), RunError> {
    let of_arm = |problem| ToolError { arm: order.arm.clone(), problem };
    let mut writer = folder.start_run(&order.facts())?;
    watch(RunEvent::Started { arm: order.arm.clone(), number });
    let out = make_folder(&folder.run_path(&order.arm, order.round).join(FOLDER)).map_err(of_arm)?;
    let clock = MonotonicClock::starting_in(Nanos::ZERO);
    beside.begin(&clock, Span { began: Nanos::ZERO, ended: order.until() + STALLS_BEYOND })?;
    let readings = ReadingsTaken::begin(&order.readings, clock, &mut writer)?;
    let life = live(order, &out, clock, stop, watch).map_err(of_arm)?;
    let seen = beside.end(&clock);
    let read = readings.map_or(Ok(()), ReadingsTaken::end);
    watch(RunEvent::Finished { arm: order.arm.clone() });
    let output = read_output(order, &out, life.ending).map_err(of_arm)?;
    let measured = Measured::new(order, output, &life).map_err(of_arm)?;
    keep(&mut writer, measured.samples())?;
    read?;
    // Whatever could not be seen beside it, the run is brought to an end first.
    let (seen, failure) = match seen {
        Ok(seen) => (seen, None),
        Err(error) => (Seen::default(), Some(error)),
    };
    writer.finish(&measured.end(seen))?;
    failure.map_or(Ok(()), Err)
}

/// A tool's run, over.
pub(super) struct Life {
    /// The clock that started with it.
    pub(super) clock: MonotonicClock,
    /// When it ended, on that clock.
    pub(super) ended: Nanos,
    /// How.
    pub(super) ending: Ending,
    /// What it cost.
    pub(super) meter: Meter,
}

/// Runs it; what it prints goes into `out`.
fn live(
    order: &ToolOrder,
    out: &Path,
    clock: MonotonicClock,
    stop: &AtomicBool,
    watch: &mut Watch<'_>,
) -> Result<Life, ToolProblem> {
    let file = |name| {
        let path = out.join(name);
        File::create(&path).map_err(|source| ToolProblem::File { doing: "create", path, source })
    };
    let mut command = order.command(&absolute(&order.plan_dir)?, out);
    command.stdout(file(STDOUT)?).stderr(file(STDERR)?);
    let until = Nanos::from_secs(order.run_seconds());
    let mut lines = LineCount::new(out.join(locust::REQUESTS));
    let mut told = Nanos::ZERO;
    let mut look = |now: Nanos| {
        if now >= told + PROGRESS_EVERY {
            told = now;
            let done = lines.read().saturating_sub(1);
            watch(RunEvent::Progress(Progress { at: now, until, done, failed: 0, p99: None }));
        }
    };
    let running = Running::start(command, clock)?;
    let (ending, meter) = running.wait(until + PATIENCE, stop, &mut look)?;
    Ok(Life { clock, ended: clock.now(), ending, meter })
}

/// Reads what the tool wrote, if it ended as it should. One that was stopped
/// has written what it could.
fn read_output(order: &ToolOrder, out: &Path, ending: Ending) -> Result<Output, ToolProblem> {
    match ending {
        Ending::Overran => Err(ToolProblem::TooLong { patience: PATIENCE }),
        Ending::Stopped => Ok(parse(order.output, out).unwrap_or_default()),
        Ending::Exited(status) if status.success() => parse(order.output, out),
        // Locust ends so if a single request failed, and if it could not start.
        Ending::Exited(status) if order.output == ToolOutput::Locust && status.code() == Some(1) => {
            match parse(order.output, out) {
                Ok(output) if output.has_requests() => Ok(output),
                Err(ToolProblem::Output { found: Found::NoFile, .. }) | Ok(_) => {
                    Err(bad_end(order, out, status))
                }
                Err(other) => Err(other),
            }
        }
        Ending::Exited(status) => Err(bad_end(order, out, status)),
    }
}

fn parse(output: ToolOutput, out: &Path) -> Result<Output, ToolProblem> {
    let stdout = || read_lossy(&out.join(STDOUT));
    match output {
        ToolOutput::Locust => locust::read(out),
        ToolOutput::Wrk => Ok(wrk::read(&stdout()?)?),
        ToolOutput::Oha => Ok(oha::read(&stdout()?)?),
        ToolOutput::Unknown => Ok(Output::default()),
    }
}

fn bad_end(order: &ToolOrder, out: &Path, status: ExitStatus) -> ToolProblem {
    let said = last_words(&read_lossy(&out.join(STDERR)).unwrap_or_default());
    // What the shell answers for a program that it does not find.
    if status.code() == Some(127) {
        return ToolProblem::Missing { said, install: order.output.install() };
    }
    ToolProblem::Failed { ended: status.to_string(), said }
}

fn read_lossy(path: &Path) -> Result<String, ToolProblem> {
    let bytes = fs::read(path).map_err(|source| ToolProblem::File {
        doing: "read",
        path: path.to_owned(),
        source,
    })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The end of what a tool wrote: its last lines, as far as they can be read at once.
fn last_words(text: &str) -> String {
    const LINES: usize = 3;
    const CHARS: usize = 300;
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let words = lines[lines.len().saturating_sub(LINES)..].join(" / ");
    let skip = words.chars().count().saturating_sub(CHARS);
    let cut = if skip > 0 { "…" } else { "" };
    cut.chars().chain(words.chars().skip(skip)).filter(|c| !c.is_control()).collect()
}

/// Counts the lines of a file that grows, and reads each part of it once.
struct LineCount {
    path: PathBuf,
    read: u64,
    lines: u64,
}

impl LineCount {
    fn new(path: PathBuf) -> LineCount {
        LineCount { path, read: 0, lines: 0 }
    }

    /// The lines so far; those known before, if the file cannot be read.
    fn read(&mut self) -> u64 {
        let mut part = Vec::new();
        let read = File::open(&self.path).and_then(|mut file| {
            file.seek(SeekFrom::Start(self.read))?;
            file.read_to_end(&mut part)
        });
        if let Ok(count) = read {
            self.read += count as u64;
            self.lines += part.iter().filter(|byte| **byte == b'\n').count() as u64;
        }
        self.lines
    }
}

fn make_folder(path: &Path) -> Result<PathBuf, ToolProblem> {
    fs::create_dir(path).map_err(|source| ToolProblem::File {
        doing: "make",
        path: path.to_owned(),
        source,
    })?;
    absolute(path)
}

/// A path that the command sees must hold in its own working directory.
fn absolute(path: &Path) -> Result<PathBuf, ToolProblem> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    fs::canonicalize(path).map_err(|source| ToolProblem::File {
        doing: "find",
        path: path.to_owned(),
        source,
    })
}

/// Writes all samples, in batches.
fn keep(writer: &mut RunWriter, samples: impl Iterator<Item = Sample>) -> Result<(), StoreError> {
    let mut batch = Vec::with_capacity(BATCH);
    for sample in samples {
        batch.push(sample);
        if batch.len() == BATCH {
            writer.append(&batch)?;
            batch.clear();
        }
    }
    if batch.is_empty() { Ok(()) } else { writer.append(&batch) }
}
