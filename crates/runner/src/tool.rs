//! Another load tester, run as an arm of the experiment.
//!
//! doorclock runs its command, watches what it costs, and takes in what it
//! says: the time of every request where it gives them, so that each figure is
//! computed by the same code as our own; its own figures otherwise. It must not
//! know how a tool works inside: what it tells is read, and nothing is guessed.
//!
//! Start at [`ToolOrder`], what such a run is asked to be; `execute` carries it
//! out. A new tool is one file that reads its output and one line in each match
//! on [`ToolOutput`].

mod error;
mod execute;
mod locust;
mod meter;
mod oha;
mod output;
mod process;
mod result;
mod rows;
mod wrk;

pub use error::{Found, ToolError, ToolProblem};
pub use execute::execute;
pub(crate) use meter::cpu_time;

use crate::readings_taken::ReadOrder;
use crate::shell::guarded;
use model::{ConnectionPolicy, Load, Nanos, RunFacts, Seed, SendPrecision, ToolFacts};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A run of another tool, ready to be carried out.
#[derive(Clone, Debug)]
pub struct ToolOrder {
    /// The arm's name.
    pub arm: String,
    /// The round, from 1.
    pub round: u32,
    /// The URL, as it was written.
    pub url: String,
    /// Scheme, host and port of it, such as `http://127.0.0.1:8600`.
    pub base: String,
    /// The request's method.
    pub method: String,
    /// The request's path and query.
    pub path: String,
    /// The command line, for `sh -c`.
    pub command: String,
    /// Whose output it writes.
    pub output: ToolOutput,
    /// What the command is told to do.
    pub load: Load,
    /// The run's seed.
    pub seed: Seed,
    /// The first part, not counted. Only Locust's requests can be told apart by
    /// their time; for other tools it is left out.
    pub warm_up: Nanos,
    /// The counted part.
    pub measure: Nanos,
    /// Time limit of a request.
    pub timeout: Nanos,
    /// The plan's folder: where the command runs. Empty for the one we are in.
    pub plan_dir: PathBuf,
    /// Whether the service stalls meanwhile; `None` where it cannot be asked to.
    pub stalls_asked: Option<bool>,
    /// Answers a second that the service can give, where another run showed it.
    pub capacity_per_s: Option<f64>,
    /// What is read beside it.
    pub readings: ReadOrder,
}

/// Whose output a command writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolOutput {
    /// Locust's: our locustfile's requests and its `--csv` files.
    Locust,
    /// wrk's: its text, with `--latency`.
    Wrk,
    /// oha's: its JSON or its CSV.
    Oha,
    /// Nobody's that we know: nothing is read.
    Unknown,
}

impl ToolOutput {
    /// The tool's name in results.
    pub fn name(self) -> &'static str {
        match self {
            ToolOutput::Locust => "locust",
            ToolOutput::Wrk => "wrk",
            ToolOutput::Oha => "oha",
            ToolOutput::Unknown => "command",
        }
    }

    /// The command by which the tool is usually installed.
    fn install(self) -> Option<&'static str> {
        match self {
            ToolOutput::Locust => Some("pip install locust"),
            ToolOutput::Wrk => Some("apt-get install wrk"),
            ToolOutput::Oha => Some("cargo install oha"),
            ToolOutput::Unknown => None,
        }
    }
}

impl ToolOrder {
    /// What is known before the command starts.
    pub fn facts(&self) -> RunFacts {
        let name = self.output.name().to_owned();
        RunFacts {
            arm: self.arm.clone(),
            round: self.round,
            url: self.url.clone(),
            method: self.method.clone(),
            load: self.load,
            shape: None,
            seed: self.seed,
            warm_up: self.warm_up(),
            measure: self.measure,
            timeout: self.timeout,
            // It waits for its answers as it likes.
            grace: Nanos::ZERO,
            // How it uses connections and threads, only it knows; these are
            // what a tester does that says nothing else.
            connection_policy: ConnectionPolicy::Reuse,
            connection_limit: self.load.users().unwrap_or(0),
            precision: SendPrecision::Sleep,
            threads: 1,
            backend: name.clone(),
            planned: None,
            schedule_hash: None,
            stalls_asked: self.stalls_asked,
            capacity_per_s: self.capacity_per_s,
            trusted: None,
            follow: None,
            tool: Some(ToolFacts { name, command: self.command.clone() }),
        }
    }

    /// The warm-up that is really left out.
    fn warm_up(&self) -> Nanos {
        match self.output {
            ToolOutput::Locust => self.warm_up,
            ToolOutput::Wrk | ToolOutput::Oha | ToolOutput::Unknown => Nanos::ZERO,
        }
    }

    fn until(&self) -> Nanos {
        self.warm_up() + self.measure
    }

    /// How long a tool sends that takes whole seconds and whose requests are
    /// told apart by their time: past the counted part's end, so that what is
    /// still out when it stops, which Locust for one drops, is not missed there.
    fn run_seconds(&self) -> u64 {
        self.until().0 / 1_000_000_000 + 1
    }

    /// The command, in the plan's folder and with all it needs to know in its
    /// environment. Both paths are absolute; `out` is the folder for its own files.
    fn command(&self, plan_dir: &Path, out: &Path) -> Command {
        // Its standard input is the guard's; a tool that reads its own finds nothing.
        let mut command = guarded(&format!("exec </dev/null\n{}", self.command), plan_dir);
        // What the load has none of must stay unset: whatever stood there would
        // be taken for it.
        command.env_remove("DOORCLOCK_RATE").env_remove("DOORCLOCK_CONNECTIONS");
        command.envs(self.variables());
        command.env("DOORCLOCK_OUT", out).env("DOORCLOCK_PLAN_DIR", plan_dir);
        command
    }

    fn variables(&self) -> Vec<(&'static str, String)> {
        let seconds = |nanos: Nanos| nanos.as_secs_f64().to_string();
        let mut variables = vec![
            ("DOORCLOCK_URL", self.base.clone()),
            ("DOORCLOCK_PATH", self.path.clone()),
            ("DOORCLOCK_METHOD", self.method.clone()),
            ("DOORCLOCK_SECONDS", seconds(self.measure)),
            ("DOORCLOCK_WHOLE_SECONDS", self.measure.0.div_ceil(1_000_000_000).to_string()),
            ("DOORCLOCK_WARM_UP_SECONDS", seconds(self.warm_up())),
            ("DOORCLOCK_RUN_SECONDS", self.run_seconds().to_string()),
            ("DOORCLOCK_TIMEOUT", seconds(self.timeout)),
            ("DOORCLOCK_SEED", self.seed.0.to_string()),
        ];
        if let Some(rate) = self.load.target_rate() {
            variables.push(("DOORCLOCK_RATE", rate.as_per_second().to_string()));
        }
        if let Some(users) = self.load.users() {
            variables.push(("DOORCLOCK_CONNECTIONS", users.to_string()));
        }
        variables
    }
}

#[cfg(test)]
mod tests;
