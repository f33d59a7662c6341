//! The flags of `doorclock target tickets` and of the program `tickets`: one
//! table for both.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::RangedU64ValueParser;

use crate::bucket::Allowance;
use crate::provider::Behaviour;
use crate::worker::Habits;

/// The ticket system: without a command, all of it in one process.
#[derive(clap::Args, Clone, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub struct TicketsArgs {
    /// Which process; all of them in one without
    #[command(subcommand)]
    pub process: Option<Process>,
    /// The flags of all processes together.
    #[command(flatten)]
    pub all: AllArgs,
}

/// The processes of the system, and what can be done to it.
#[derive(clap::Subcommand, Clone, Debug)]
pub enum Process {
    /// API, worker and provider in one process
    All(AllArgs),
    /// Takes tickets in: 202 once a ticket and its job are saved
    Api(ApiProcess),
    /// Takes jobs, asks the provider, saves replies
    Worker(WorkerProcess),
    /// The simulated AI provider, with its quota
    Provider(ProviderProcess),
    /// Back to the seeded data set: no ticket, an empty queue, an empty cache, a full quota
    Reset(ResetArgs),
    /// Empties the cache
    Flush(FlushArgs),
}

/// Everything in one process.
#[derive(clap::Args, Clone, Debug)]
pub struct AllArgs {
    /// Database, cache and files.
    #[command(flatten)]
    pub parts: PartsArgs,
    /// The API.
    #[command(flatten)]
    pub api: ApiArgs,
    /// The worker.
    #[command(flatten)]
    pub worker: WorkerArgs,
    /// The provider.
    #[command(flatten)]
    pub provider: ProviderArgs,
    /// Start from the seeded data set, whatever an earlier run left
    #[arg(long)]
    pub fresh: bool,
    /// How it ends.
    #[command(flatten)]
    pub end: EndArgs,
}

/// The API alone.
#[derive(clap::Args, Clone, Debug)]
pub struct ApiProcess {
    /// Database, cache and files.
    #[command(flatten)]
    pub parts: PartsArgs,
    /// The API.
    #[command(flatten)]
    pub api: ApiArgs,
    /// How it ends.
    #[command(flatten)]
    pub end: EndArgs,
}

/// A worker alone.
#[derive(clap::Args, Clone, Debug)]
pub struct WorkerProcess {
    /// Database, cache and files.
    #[command(flatten)]
    pub parts: PartsArgs,
    /// The worker.
    #[command(flatten)]
    pub worker: WorkerArgs,
    /// Where the provider is
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8701")]
    pub provider: String,
    /// How it ends.
    #[command(flatten)]
    pub end: EndArgs,
}

/// The provider alone.
#[derive(clap::Args, Clone, Debug)]
pub struct ProviderProcess {
    /// The provider.
    #[command(flatten)]
    pub provider: ProviderArgs,
    /// How it ends.
    #[command(flatten)]
    pub end: EndArgs,
}

/// Whether a process may outlive its starter.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct EndArgs {
    /// End when standard input is closed, so that it never outlives who started it
    #[arg(long)]
    pub with_parent: bool,
}

/// Which database, cache and files.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Parts")]
pub struct PartsArgs {
    /// SQLite, a cache inside the process and files: nothing to install (the default without --database)
    #[arg(long, conflicts_with_all = ["database", "cache"])]
    pub embedded: bool,
    /// PostgreSQL: postgres://USER@HOST:PORT/DATABASE
    #[arg(long, value_name = "URL")]
    pub database: Option<String>,
    /// Valkey or Redis: redis://HOST:PORT; a cache inside the process without
    #[arg(long, value_name = "URL")]
    pub cache: Option<String>,
    /// The folder for attachments, and for SQLite's file
    #[arg(long, value_name = "FOLDER", default_value = "tickets-data")]
    pub data: PathBuf,
    /// How many connections to the database a process keeps at most
    #[arg(long, value_name = "N", default_value = "10", value_parser = RangedU64ValueParser::<u16>::new().range(1..=1_000))]
    pub db_connections: u16,
    /// How long a request waits for the database before it is answered with 503
    #[arg(long, value_name = "TIME", default_value = "2s", value_parser = duration)]
    pub db_patience: Duration,
    /// How many customers the shop has
    #[arg(long, value_name = "N", default_value = "50", value_parser = RangedU64ValueParser::<u32>::new().range(1..=100_000))]
    pub customers: u32,
    /// Seeds the customers
    #[arg(long, default_value_t = 2026)]
    pub seed: u64,
}

/// How the API behaves.
#[derive(clap::Args, Clone, Copy, Debug)]
#[command(next_help_heading = "API")]
pub struct ApiArgs {
    /// The port on 127.0.0.1 to listen on; 0 takes a free one
    #[arg(long, default_value_t = 8700, conflicts_with = "address")]
    pub port: u16,
    /// The address to listen on instead
    #[arg(long, value_name = "ADDRESS")]
    pub address: Option<SocketAddr>,
    // With the default customers, some 20 tickets a second for 20 s are answered
    // with 429 about once in twelve: enough to see, too few to relieve the queue.
    /// So many tickets a customer may send at once
    #[arg(long, value_name = "N", default_value = "7", value_parser = at_least_one)]
    pub customer_burst: f64,
    /// So many tickets a customer may send in a minute after that
    #[arg(long, value_name = "N", default_value = "8", value_parser = above_zero)]
    pub customer_per_min: f64,
    /// The largest ticket, and the largest attachment, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 1_048_576)]
    pub max_body: usize,
}

/// How the worker behaves.
#[derive(clap::Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Worker")]
pub struct WorkerArgs {
    /// How many jobs it works on at once
    #[arg(long, value_name = "N", default_value = "4", value_parser = RangedU64ValueParser::<u16>::new().range(1..=1_000))]
    pub slots: u16,
    /// After so many failed tries a job is dead; refusals for want of quota are no tries
    #[arg(long, value_name = "N", default_value = "8", value_parser = RangedU64ValueParser::<u16>::new().range(1..))]
    pub tries: u16,
    /// How long a job stays with a worker that gives no sign of life
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = duration)]
    pub lease: Duration,
    /// How long running jobs may go on after SIGTERM before they are given back
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = duration)]
    pub grace: Duration,
    /// The pause after a job's first failure; it doubles with each, up to 30 s
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = duration)]
    pub first_pause: Duration,
    /// How long a call to the provider may take
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = duration)]
    pub provider_patience: Duration,
}

/// How the provider behaves.
#[derive(clap::Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Provider")]
pub struct ProviderArgs {
    /// The provider's port on 127.0.0.1; 0 takes a free one [default: 8701, and a free one with the others]
    #[arg(long, value_name = "PORT", conflicts_with = "provider_address")]
    pub provider_port: Option<u16>,
    /// The address to listen on instead
    #[arg(long, value_name = "ADDRESS")]
    pub provider_address: Option<SocketAddr>,
    /// The quota: so many calls come back in a minute; a ticket takes two
    #[arg(long, value_name = "N", default_value = "100", value_parser = above_zero)]
    pub provider_calls_per_min: f64,
    /// So many calls may come at once when the quota is full
    #[arg(long, value_name = "N", default_value = "100", value_parser = at_least_one)]
    pub provider_burst: f64,
    /// How many times faster than a real provider it answers (a reply then takes 2.4 s / N)
    #[arg(long, value_name = "N", default_value = "1", value_parser = above_zero)]
    pub provider_speed: f64,
    /// The share of calls that fail, from 0 to 1
    #[arg(long, value_name = "SHARE", default_value = "0", value_parser = share)]
    pub provider_fail_share: f64,
    /// Seeds how long calls take and which of them fail
    #[arg(long, value_name = "SEED", default_value_t = 2026)]
    pub provider_seed: u64,
}

/// What to reset.
#[derive(clap::Args, Clone, Debug)]
pub struct ResetArgs {
    /// Database, cache and files.
    #[command(flatten)]
    pub parts: PartsArgs,
    /// Let this running API do it: only it can empty a cache inside its process
    #[arg(long, value_name = "URL")]
    pub api: Option<String>,
    /// Fill this provider's quota as well
    #[arg(long, value_name = "URL")]
    pub provider: Option<String>,
}

/// What to flush.
#[derive(clap::Args, Clone, Debug)]
pub struct FlushArgs {
    /// Valkey or Redis: redis://HOST:PORT
    #[arg(long, value_name = "URL", conflicts_with = "api")]
    pub cache: Option<String>,
    /// Let this running API do it: only it can empty a cache inside its process
    #[arg(long, value_name = "URL")]
    pub api: Option<String>,
}

impl ApiArgs {
    pub(crate) fn address(&self) -> SocketAddr {
        self.address.unwrap_or_else(|| SocketAddr::from((Ipv4Addr::LOCALHOST, self.port)))
    }

    pub(crate) fn allowance(&self) -> Allowance {
        Allowance { burst: self.customer_burst, per_min: self.customer_per_min }
    }
}

impl WorkerArgs {
    pub(crate) fn habits(&self) -> Habits {
        Habits {
            slots: self.slots.into(),
            most_tries: self.tries.into(),
            lease: self.lease,
            grace: self.grace,
            first_pause: self.first_pause,
        }
    }
}

impl ProviderArgs {
    pub(crate) fn address(&self, default_port: u16) -> SocketAddr {
        let port = self.provider_port.unwrap_or(default_port);
        self.provider_address.unwrap_or_else(|| SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
    }

    pub(crate) fn behaviour(&self) -> Behaviour {
        Behaviour {
            quota: Allowance { burst: self.provider_burst, per_min: self.provider_calls_per_min },
            speed: self.provider_speed,
            fail_share: self.provider_fail_share,
            seed: self.provider_seed,
        }
    }
}

/// A length of time with its unit: `30s`, `500ms`, `2min`.
fn duration(text: &str) -> Result<Duration, String> {
    let unit_at = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(unit_at);
    let seconds = match unit {
        "ms" => 0.001,
        "s" => 1.0,
        "min" => 60.0,
        _ => return Err("a time needs its unit: 500ms, 30s or 2min".to_owned()),
    };
    let number: f64 = number.trim().parse().map_err(|_| format!("`{number}` is no number"))?;
    // From a millisecond, so that no lease ends before it began, to a day.
    match Duration::try_from_secs_f64(number * seconds) {
        Ok(length) if (0.001..=86_400.0).contains(&length.as_secs_f64()) => Ok(length),
        _ => Err("it must be from 1ms to 1440min".to_owned()),
    }
}

fn number(text: &str, least: f64, most: f64) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        _ => Err(format!("it must be a number from {least} to {most}")),
    }
}

fn above_zero(text: &str) -> Result<f64, String> {
    number(text, 0.001, 1e9)
}

fn at_least_one(text: &str) -> Result<f64, String> {
    number(text, 1.0, 1e9)
}

fn share(text: &str) -> Result<f64, String> {
    number(text, 0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_carries_its_unit_and_is_neither_nothing_nor_endless() {
        assert_eq!(duration("1.5s"), Ok(Duration::from_millis(1_500)));
        assert_eq!(duration("2min"), Ok(Duration::from_secs(120)));
        assert_eq!(duration("250ms"), Ok(Duration::from_millis(250)));
        for text in ["3", "s", "0s", "-1s", "2h", "1e9s", "", "nans", "infs"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn numbers_that_would_stop_everything_are_refused() {
        assert!(above_zero("0").is_err() && above_zero("NaN").is_err() && above_zero("100").is_ok());
        assert!(at_least_one("0.5").is_err() && at_least_one("1").is_ok());
        assert!(share("1.1").is_err() && share("-0.1").is_err() && share("0.25").is_ok());
    }
}
