//! What will happen: a plan with every value decided.
//!
//! No `Option` in it means "the default": where one stands, `None` means that
//! the thing is not asked for, as its comment says.

use crate::completion::Completion;
use crate::guess::Condition;
use crate::request::PlannedRequest;
use model::{ConnectionPolicy, Load, Nanos, Pairing, PlannedReading, Seed, SendPrecision, Shape};
use schedule::Recorded;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An experiment, ready to be carried out.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// What is to be found out.
    pub question: String,
    /// Where the plan's file lies.
    pub(crate) folder: PathBuf,
    /// Hosts besides this machine that may be sent load.
    pub owned: Vec<String>,
    /// The service under test.
    pub target: Target,
    /// What arrivals send: one for each row, at least one.
    pub requests: Vec<PlannedRequest>,
    /// What must hold before each run.
    pub environment: Environment,
    /// How often, and under which seeds.
    pub rounds: Rounds,
    /// How the service is made to stall; `None` if it is left alone.
    pub stalls: Option<StallPlan>,
    /// How work is followed past its answer; `None` where an answer is its end.
    pub completion: Option<Completion>,
    /// What is read beside the load, in the order of the file.
    pub readings: Vec<PlannedReading>,
    /// What is compared, in the order of the file; at least one.
    pub arms: Vec<Arm>,
    /// What is compared with what; no two arms twice.
    pub comparisons: Vec<Pairing>,
    /// The slowest response times accepted.
    pub bound: Bound,
    /// Predictions, in the order of the file.
    pub guesses: Vec<Guess>,
}

impl Plan {
    /// The folder that the plan's file lies in, where its commands run.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether the service is to stall in `arm`.
    pub fn stalls_in(&self, arm: &Arm) -> Option<&StallPlan> {
        self.stalls.as_ref().filter(|_| arm.stalls)
    }
}

/// The service under test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Its address, without path.
    pub url: String,
    /// The command that starts a fresh one before every run, unless an arm has
    /// its own; `None` if it runs by itself.
    pub start: Option<String>,
    /// A path that answers 200 when it is ready; `None` if taking connections is enough.
    pub ready: Option<String>,
    /// How long it may take to become ready.
    pub ready_within: Nanos,
    /// Where to connect in the place of its host; requests and TLS name the host
    /// all the same.
    pub connect_to: Option<SocketAddr>,
    /// What is wanted of TLS; `None` if the plan says nothing.
    pub tls: Option<TlsPlan>,
}

/// What is wanted of TLS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsPlan {
    /// Certificates (PEM) of the authorities to trust, in place of the machine's.
    pub authorities: Option<PathBuf>,
    /// A certificate of our own with its chain and its key (PEM, one file).
    pub client: Option<PathBuf>,
    /// The name to ask for, in place of the URL's host.
    pub server_name: Option<String>,
    /// The one version that may be spoken; `None` for either.
    pub version: Option<TlsVersion>,
    /// Whether a new connection may go on from the session of an older one.
    pub resumes: bool,
    /// Whether anybody's certificate will do.
    pub is_insecure: bool,
}

/// A version of TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TlsVersion {
    /// 1.2.
    V12,
    /// 1.3.
    V13,
}

/// What must hold before each run.
#[derive(Clone, Debug, PartialEq)]
pub struct Environment {
    /// Commands that put data back into the same state.
    pub reset: Vec<String>,
    /// How quiet the machine must be; `None` if that is not asked.
    pub quiet: Option<Quiet>,
}

/// How quiet the machine must be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quiet {
    /// Least idle share, 0 to 1.
    pub idle: f64,
    /// How long that is watched.
    pub over: Nanos,
    /// Highest load average over a minute; `None` if any will do.
    pub load: Option<f64>,
    /// How long to wait for it.
    pub wait: Nanos,
    /// What to do if it does not come.
    pub otherwise: Otherwise,
}

/// What to do on a machine that does not become quiet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Otherwise {
    /// Run, and say so in the verdict.
    Doubt,
    /// Do not run.
    Refuse,
}

/// How often every arm runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rounds {
    /// At least one.
    pub count: u32,
    /// The seed of the experiment.
    pub seed: Seed,
}

impl Rounds {
    /// The seed that all arms of `round` share; rounds count from 1.
    pub fn seed_of(&self, round: u32) -> Seed {
        self.seed.derive(&format!("round {round}"))
    }
}

/// How the service is made to stall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StallPlan {
    /// Mean time from one stall's beginning to the next one's.
    pub every: Nanos,
    /// Least such time: at most `every`.
    pub apart: Nanos,
    /// How long each lasts: at most `apart`.
    pub length: Nanos,
    /// By whom.
    pub how: StallHow,
}

/// By whom the service is stalled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StallHow {
    /// By itself, asleep.
    TargetSleeps,
    /// By itself, burning its core.
    TargetBurns,
    /// By stopping and continuing its process.
    Signal,
}

/// One tester or setting.
#[derive(Clone, Debug, PartialEq)]
pub struct Arm {
    /// Fit to be a folder's name.
    pub name: String,
    /// The arm that this one is once more; `None` if it is one of its own.
    pub like: Option<String>,
    /// The command that starts the service; `None` if it runs by itself.
    pub start: Option<String>,
    /// Who sends.
    pub tester: ArmTester,
    /// The load over the counted part; `None` if it stays the same. Where there
    /// is one, the tester's load says its mean rate and its most users.
    pub shape: Option<Shape>,
    /// The arrivals, where the shape has recorded ones; `None` where they are
    /// drawn from the seed, or follow from answers.
    pub replay: Option<Replay>,
    /// The counted part; above zero, and as long as the shape.
    pub measure: Nanos,
    /// What is sent first.
    pub warm_up: WarmUp,
    /// Whether it is counted all the same.
    pub count_warm_up: bool,
    /// Whether the service stalls, if the plan stalls it at all.
    pub stalls: bool,
    /// How doorclock sends; without meaning for a command.
    pub sending: Sending,
}

/// Recorded arrivals that are sent again.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// When, and which of the recorded requests.
    pub recorded: Arc<Recorded>,
    /// What is sent: one for each of `recorded.requests()`. Empty where the
    /// plan's own requests are sent at recorded times.
    pub requests: Arc<[PlannedRequest]>,
    /// The first few lines that could not be read and were skipped, in words.
    pub skipped: Vec<String>,
}

/// Who sends in an arm.
#[derive(Clone, Debug, PartialEq)]
pub enum ArmTester {
    /// doorclock itself.
    Doorclock {
        /// The load model.
        load: Load,
        /// Connections at most (open model); `None` for as many as can be needed.
        connection_limit: Option<u32>,
    },
    /// Another tool.
    Command {
        /// Its command line.
        line: String,
        /// Which load it was told to make.
        load: Load,
        /// Whose output it writes; `None` if nothing is taken from it.
        import: Option<Import>,
    },
}

/// A tool whose output can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Import {
    /// Locust's CSV files.
    Locust,
    /// wrk's text.
    Wrk,
    /// oha's JSON.
    Oha,
}

impl Import {
    /// The word in plans and results.
    pub fn name(self) -> &'static str {
        match self {
            Import::Locust => "locust",
            Import::Wrk => "wrk",
            Import::Oha => "oha",
        }
    }
}

/// What is sent before the counted part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarmUp {
    /// So many requests.
    Requests(u64),
    /// For so long.
    For(Nanos),
}

/// How doorclock sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sending {
    /// Time limit of a request, from its scheduled moment.
    pub timeout: Nanos,
    /// How long after the last arrival answers are waited for.
    pub grace: Nanos,
    /// When connections are opened and kept.
    pub connect: ConnectionPolicy,
    /// Sending threads.
    pub threads: u32,
    /// Cores to keep them to; empty for any.
    pub cpus: Vec<usize>,
    /// How to wait for the next moment.
    pub precision: SendPrecision,
}

/// The slowest response time accepted at each percentile; `None` where any is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bound {
    /// Median.
    pub p50: Option<Nanos>,
    /// 90th percentile.
    pub p90: Option<Nanos>,
    /// 95th percentile.
    pub p95: Option<Nanos>,
    /// 99th percentile.
    pub p99: Option<Nanos>,
    /// 99.9th percentile.
    pub p999: Option<Nanos>,
    /// The slowest request.
    pub max: Option<Nanos>,
}

/// A prediction, written down before the run.
#[derive(Clone, Debug, PartialEq)]
pub struct Guess {
    /// A short name.
    pub name: String,
    /// In words, for the report to quote.
    pub says: String,
    /// As a condition.
    pub holds: Condition,
}
