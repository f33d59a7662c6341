//! The command line.

use clap::{Parser, Subcommand, ValueEnum};
use model::{ArrivalProcess, ConnectionPolicy, Nanos, Rate};
use std::net::SocketAddr;
use std::path::PathBuf;

/// A load tester whose numbers can be trusted: it sends on its own clock and
/// times each request from the moment it was scheduled.
#[derive(Parser, Debug)]
#[command(
    version,
    args_conflicts_with_subcommands = true,
    arg_required_else_help = true,
    after_help = "Exit codes: 0 measured, 1 a check that was asked for did not hold, 2 bad usage, 3 the measurement \
                  is void, 4 the target could not be reached or started, 130 interrupted (results kept)."
)]
pub struct Args {
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub quick: QuickArgs,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// The main job on this machine: a stalling service measured three ways, in under 90 s
    Demo(DemoArgs),
    /// Write a commented plan that runs as it stands, to change as you need
    New(NewArgs),
    /// Say what a plan will do, and whether it is long enough; sends nothing
    Check(CheckArgs),
    /// Carry out a plan: rounds of arms against fresh targets
    Run(RunArgs),
    /// Take the readings of a plan alone, live, beside whatever goes on; sends no load
    Watch(WatchArgs),
    /// Report again from the stored samples of a results folder
    Report(ReportArgs),
    /// Compute every reported number again, by code that shares nothing with the first
    Verify(VerifyArgs),
    /// What this machine is, and whether it is quiet
    Machine(MachineArgs),
    /// How far this machine can be trusted as a tester: clock, waits, and rising rates; about half a minute
    Calibrate(CalibrateArgs),
    /// Run a sample service
    Target(Box<TargetArgs>),
}

/// The quick look: `doorclock URL`.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Quick look")]
pub struct QuickArgs {
    /// The URL to measure, such as http://127.0.0.1:8600/healthz
    pub url: Option<String>,

    /// Arrivals a second in an open loop, with a unit: 500/s, 30/min
    #[arg(short, long, value_name = "RATE", default_value = "50/s", conflicts_with_all = ["closed", "paced"], allow_hyphen_values = true)]
    pub rate: Rate,

    /// How the arrivals of an open loop are spread
    #[arg(long, value_name = "PROCESS", default_value = "poisson")]
    pub arrivals: ArrivalArg,

    /// A closed loop instead: N connections, each sends again after its answer
    #[arg(long, value_name = "N", conflicts_with = "paced", value_parser = clap::value_parser!(u32).range(1..))]
    pub closed: Option<u32>,

    /// A paced loop instead: N connections that aim at a rate together, such as 546/s:8
    #[arg(long, value_name = "RATE:N", value_parser = paced)]
    pub paced: Option<(Rate, u32)>,

    /// A load over time, in an open loop: ramp-up, steady, burst or soak (made of --rate and --duration),
    /// or as the line of a plan has it: 'burst = { base = "20/s", peak = "200/s", before = "10s", lasts = "5s", after = "15s" }'
    #[arg(long, value_name = "SHAPE", conflicts_with_all = ["closed", "paced"])]
    pub shape: Option<String>,

    /// How long to measure, with a unit: 30s, 2min
    #[arg(short, long, value_name = "TIME", default_value = "10s", allow_hyphen_values = true)]
    pub duration: Nanos,

    /// How long to send first without counting
    #[arg(long, value_name = "TIME", default_value = "1s")]
    pub warm_up: Nanos,

    /// The request's method
    #[arg(short = 'X', long, value_name = "METHOD")]
    pub method: Option<String>,

    /// A header, such as 'content-type: application/json'; may be given again
    #[arg(short = 'H', long = "header", value_name = "NAME: VALUE", value_parser = header)]
    pub headers: Vec<(String, String)>,

    /// The request's body; @FILE reads it from a file. The method is then POST unless it is given
    #[arg(long, value_name = "BODY")]
    pub data: Option<String>,

    /// The status that answers must have [default: any from 200 to 399]; any other makes the exit code 1
    #[arg(long, value_name = "STATUS", value_parser = clap::value_parser!(u16).range(100..600))]
    pub expect: Option<u16>,

    /// Time limit of a request, from its scheduled moment
    #[arg(long, value_name = "TIME", default_value = "10s")]
    pub timeout: Nanos,

    /// How long after the last arrival answers are waited for
    #[arg(long, value_name = "TIME", default_value = "5s")]
    pub grace: Nanos,

    /// When connections are opened and kept
    #[arg(long, value_name = "POLICY", default_value = "reuse")]
    pub connect: PolicyArg,

    /// Connections at most in an open loop [default: as many as can be needed]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub connections: Option<u32>,

    /// Spin over the last stretch before each moment: exact, at the cost of a core
    #[arg(long, value_name = "TIME", num_args = 0..=1, default_missing_value = "150us", require_equals = true)]
    pub spin: Option<Nanos>,

    /// Connect to this address, such as 127.0.0.1:8443, in the place of the URL's host, which requests and TLS name all
    /// the same
    #[arg(long, value_name = "ADDRESS")]
    pub connect_to: Option<SocketAddr>,

    /// Certificates (PEM) of the authorities to trust over https [default: those that this machine trusts]
    #[arg(long, value_name = "FILE")]
    pub ca: Option<PathBuf>,

    /// A certificate of your own with its chain and its key (PEM, one file), for services that ask for one
    #[arg(long, value_name = "FILE")]
    pub client_cert: Option<PathBuf>,

    /// The name to ask for over https (SNI), and that the certificate must be for [default: the URL's host]
    #[arg(long, value_name = "NAME")]
    pub server_name: Option<String>,

    /// The one version of TLS that may be spoken [default: either]
    #[arg(long, value_name = "VERSION")]
    pub tls: Option<TlsArg>,

    /// Make each connection's handshake in full, without the session of an older one
    #[arg(long)]
    pub no_resumption: bool,

    /// Take anybody's certificate: the run is doubtful then, as anybody may have answered
    #[arg(long, conflicts_with = "ca")]
    pub insecure: bool,

    /// Sending threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=256))]
    pub threads: u32,

    /// Cores to keep the sending threads to, such as 0,1
    #[arg(long, value_name = "CORES", value_delimiter = ',')]
    pub cpus: Vec<usize>,

    /// Repeat the arrivals of an earlier run
    #[arg(long, value_name = "SEED")]
    pub seed: Option<u64>,

    /// This host is yours; load goes only to this machine and to hosts named so
    #[arg(long, value_name = "HOST")]
    pub own: Vec<String>,

    /// The results folder to make [default: results/TIME-PORT]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Print the summary for machines on standard output
    #[arg(long)]
    pub json: bool,
}

#[derive(clap::Args, Debug)]
pub struct DemoArgs {
    /// Repeat an earlier demo's arrivals and stalls
    #[arg(long, value_name = "SEED", default_value_t = 2026)]
    pub seed: u64,

    /// The results folder to make [default: results/TIME-demo]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Print the summary for machines on standard output
    #[arg(long)]
    pub json: bool,

    /// Open the report in a browser
    #[arg(long)]
    pub open: bool,
}

#[derive(clap::Args, Debug)]
pub struct NewArgs {
    /// The file to write
    pub plan: PathBuf,

    /// What to begin from
    #[arg(long = "for", value_name = "PURPOSE", default_value = "compare")]
    pub purpose: Purpose,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Two versions or settings of a service: told apart or not, and by how much
    Compare,
    /// Which rates hold a bound
    Bound,
    /// What users wait when the service stands still now and then
    Stalls,
    /// Other load testers beside doorclock
    Tools,
    /// Up to which rate the service follows, step by step
    RampUp,
    /// What users wait at one level, day in, day out
    Steady,
    /// What users see in a rush, and how long until all is as before
    Burst,
    /// What grows slowly while one level lasts
    Soak,
    /// A day's curve
    Day,
    /// So many users with a pace, more and fewer of them over time
    Users,
    /// The arrivals of an access log, at their own times
    Replay,
}

/// What changes a plan without changing its file.
#[derive(clap::Args, Debug)]
pub struct ChangeArgs {
    /// Change one key of the plan, such as rounds.count=3; may be given again
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = assignment)]
    pub set: Vec<(String, String)>,

    /// Leave an arm out; may be given again
    #[arg(long, value_name = "ARM")]
    pub without: Vec<String>,
}

#[derive(clap::Args, Debug)]
pub struct CheckArgs {
    /// The plan
    pub plan: PathBuf,

    #[command(flatten)]
    pub changes: ChangeArgs,
}

#[derive(clap::Args, Debug)]
pub struct RunArgs {
    /// The plan
    pub plan: PathBuf,

    #[command(flatten)]
    pub changes: ChangeArgs,

    /// The results folder to make [default: results/TIME-PLAN]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Go on with an interrupted experiment in this folder, at the run where it stopped
    #[arg(long, value_name = "DIR", conflicts_with = "out")]
    pub resume: Option<PathBuf>,

    /// This host is yours; load goes only to this machine and to hosts named so
    #[arg(long, value_name = "HOST")]
    pub own: Vec<String>,

    /// Print the summary for machines on standard output
    #[arg(long)]
    pub json: bool,

    /// Open the report in a browser
    #[arg(long)]
    pub open: bool,
}

#[derive(clap::Args, Debug)]
pub struct WatchArgs {
    /// The plan
    pub plan: PathBuf,

    #[command(flatten)]
    pub changes: ChangeArgs,

    /// How long to watch [default: until Ctrl-C]
    #[arg(long = "for", value_name = "TIME")]
    pub lasts: Option<Nanos>,

    /// Print each answer for machines, a line of JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(clap::Args, Debug)]
pub struct ReportArgs {
    /// The results folder
    pub folder: PathBuf,

    /// What to draw
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,

    /// Write the HTML page into the folder and open it in a browser
    #[arg(long)]
    pub open: bool,
}

#[derive(clap::Args, Debug)]
pub struct VerifyArgs {
    /// The results folder
    pub folder: PathBuf,
}

#[derive(clap::Args, Debug)]
pub struct MachineArgs {
    /// How long to watch how idle it is
    #[arg(long, value_name = "TIME", default_value = "2s")]
    pub over: Nanos,

    /// Print for machines
    #[arg(long)]
    pub json: bool,
}

#[derive(clap::Args, Debug)]
pub struct CalibrateArgs {
    /// The results folder to make [default: results/TIME-calibrate]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Print what was found for machines on standard output
    #[arg(long)]
    pub json: bool,
}

#[derive(clap::Args, Debug)]
pub struct TargetArgs {
    #[command(subcommand)]
    pub target: Target,
}

#[derive(Subcommand, Debug)]
pub enum Target {
    /// Scores shop customers on one thread, and stands still when told to
    Scorer(ScorerArgs),
    /// A ticket system: a fast 202, and replies at the pace of an AI provider's quota
    Tickets(Box<tickets::TicketsArgs>),
}

#[derive(clap::Args, Debug)]
pub struct ScorerArgs {
    /// The port on 127.0.0.1 to listen on; 0 takes a free one
    #[arg(long, default_value_t = 8600, conflicts_with = "address")]
    pub port: u16,

    /// The address to listen on instead
    #[arg(long, value_name = "ADDRESS")]
    pub address: Option<SocketAddr>,

    /// How many customers the shop has
    #[arg(long, default_value_t = 5_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub customers: u32,

    /// Seeds the customers and what they bought
    #[arg(long, default_value_t = 2026)]
    pub seed: u64,

    /// How long each score keeps the worker busy at the least
    #[arg(long, value_name = "TIME", default_value = "0ms")]
    pub service_time: Nanos,

    /// End when standard input is closed, so that it never outlives who started it
    #[arg(long)]
    pub with_parent: bool,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Text,
    Md,
    Json,
    Html,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
pub enum TlsArg {
    #[value(name = "1.2")]
    V12,
    #[value(name = "1.3")]
    V13,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
pub enum ArrivalArg {
    Poisson,
    Even,
}

impl From<ArrivalArg> for ArrivalProcess {
    fn from(arg: ArrivalArg) -> ArrivalProcess {
        match arg {
            ArrivalArg::Poisson => ArrivalProcess::Poisson,
            ArrivalArg::Even => ArrivalProcess::Even,
        }
    }
}

#[derive(ValueEnum, Clone, Copy, Debug)]
pub enum PolicyArg {
    /// Keep answered connections and give them to whichever request is next
    Reuse,
    /// Each user of a closed or paced loop keeps one of its own
    PerUser,
    /// A new connection for every request
    PerRequest,
}

impl From<PolicyArg> for ConnectionPolicy {
    fn from(arg: PolicyArg) -> ConnectionPolicy {
        match arg {
            PolicyArg::Reuse => ConnectionPolicy::Reuse,
            PolicyArg::PerUser => ConnectionPolicy::PerUser,
            PolicyArg::PerRequest => ConnectionPolicy::PerRequest,
        }
    }
}

fn paced(text: &str) -> Result<(Rate, u32), String> {
    let (rate, connections) = text.rsplit_once(':').ok_or("write RATE:CONNECTIONS, such as 546/s:8")?;
    let rate = rate.parse().map_err(|error: model::UnitError| format!("the rate `{rate}` {error}"))?;
    match connections.parse() {
        Ok(connections @ 1..) => Ok((rate, connections)),
        _ => Err(format!(
            "`{connections}` is not a number of connections: write RATE:CONNECTIONS, such as 546/s:8"
        )),
    }
}

fn assignment(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("write KEY=VALUE, such as rounds.count=3")?;
    Ok((key.trim().to_owned(), value.trim().to_owned()))
}

fn header(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once(':').ok_or("write NAME: VALUE")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_sound() {
        Args::command().debug_assert();
    }

    #[test]
    fn a_url_alone_is_a_quick_look_and_a_word_is_a_command() {
        let quick = Args::try_parse_from(["doorclock", "http://127.0.0.1:1/", "-r", "500/s", "-d", "30s"])
            .expect("a quick look");
        assert!(quick.command.is_none());
        assert_eq!(quick.quick.duration, Nanos::from_secs(30));
        let demo = Args::try_parse_from(["doorclock", "demo", "--seed", "3"]).expect("the demo");
        assert!(matches!(demo.command, Some(Command::Demo(DemoArgs { seed: 3, .. }))));
    }

    #[test]
    fn rates_and_times_without_unit_or_above_nothing_are_refused_with_the_fix() {
        let cases = [
            (["-r", "500"], "has no unit: write `500/s`"),
            (["-r", "0/s"], "must be above zero"),
            (["-r", "-5/s"], "must be above zero"),
            (["-d", "30"], "has no unit: write `30s`"),
            (["-d", "-3s"], "must not be negative"),
            (["--paced", "546/s"], "write RATE:CONNECTIONS"),
            (["--paced", "546:8"], "has no unit: write `546/s`"),
            (["--paced", "546/s:0"], "not a number of connections"),
            (["--closed", "0"], "0 is not in 1.."),
            (["-H", "nothing"], "write NAME: VALUE"),
        ];
        for (flags, expected) in cases {
            let error = Args::try_parse_from(["doorclock", "http://127.0.0.1:1/"].into_iter().chain(flags))
                .expect_err("refused");
            assert!(error.to_string().contains(expected), "{flags:?}: {error}");
            assert_eq!(error.exit_code(), 2);
        }
    }
}
