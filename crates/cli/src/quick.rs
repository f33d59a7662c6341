//! `doorclock URL`: the quick look.

use crate::args::{QuickArgs, TlsArg};
use crate::experiment::{Experiment, GLANCE, exit_of, order_failure};
use crate::failure::{Exit, Failure};
use crate::wall::Began;
use crate::{plan_file, print, requests, signals};
use analysis::{RunSummary, Verdict};
use engine::{Expect, TlsProblem, Version, Work};
use model::{Load, Nanos, Rate, Seed, SendPrecision, Shape};
use runner::{AddressError, ControlError, LimitError, Order, ReadOrder, Wanted};
use schedule::Recorded;
use std::path::PathBuf;
use std::sync::Arc;
use wire::h1::RequestParts;
use wire::url::Target;

pub fn run(args: &QuickArgs) -> Result<Exit, Failure> {
    let stop = signals::stop_flag()?;
    runner::raise_descriptors();
    let began = Began::now();
    let order = order(args, &began)?;
    // Found wrong before anything is made or sent.
    order.facts().map_err(|error| order_failure(&error))?;
    let path = args.out.clone().unwrap_or_else(|| {
        PathBuf::from("results").join(format!("{}-{}", began.for_folder(), order.peer.port()))
    });
    let machine = runner::read_machine(GLANCE);
    let question = format!("What do users of {} wait, under a load of: {}?", order.url, order.load);
    let seed = order.seed;
    let mut experiment = Experiment::begin(&path, question, began.rfc3339, seed, machine, stop)?;
    experiment.run(&order, (1, 1), &mut ())?;
    let (folder, is_stopped) = (experiment.shown_path(), experiment.is_stopped());
    let summary = experiment.finish()?;
    let run = &summary.arms[0].runs[0];
    print::people(&report::text::quick_look(run, &summary.machine, Some(&folder)), args.json);
    if args.json {
        print::result(&report::json::summary(&summary));
    }
    Ok(exit_of(&summary, is_stopped, args.expect.is_some() && fails_check(run)))
}

/// Whether answers fell short of what was expected of them. A run in which
/// none passed is void for every number, and yet it answers this question; a
/// run that is void for another reason answers none.
fn fails_check(run: &RunSummary) -> bool {
    let voids = run.doubts.iter().filter(|doubt| doubt.weight == Verdict::Void);
    let is_answer = voids.map(|doubt| doubt.code).all(|code| code == "everything-failed");
    is_answer && run.failed_total() + run.unfinished + run.never_sent > 0
}

fn order(args: &QuickArgs, began: &Began) -> Result<Order, Failure> {
    let url = args.url.clone().ok_or_else(|| {
        Failure::new(Exit::Usage, "no URL is given")
            .hint("doorclock http://127.0.0.1:8600/ -r 500/s -d 30s, or: doorclock demo")
    })?;
    if is_word(&url) {
        return Err(Failure::new(Exit::Usage, format!("`{url}` is neither a command nor a URL"))
            .hint("see `doorclock --help`; a URL reads http://HOST:PORT/PATH"));
    }
    let target: Target = url
        .parse()
        .map_err(|error| Failure::new(Exit::Usage, format!("`{url}` cannot be measured: {error}")))?;
    let over_time = args.shape.as_deref().map(|text| shape(text, args)).transpose()?;
    let load = load(args, over_time.as_ref());
    let most = over_time.as_ref().map_or(load, |shape| shape.most(load));
    if args.spin == Some(Nanos::ZERO) {
        return Err(Failure::new(Exit::Usage, "--spin=0s would not spin")
            .hint("leave --spin out to sleep, or give it a length, such as --spin=150us"));
    }
    let connection_limit = runner::connections_for(most, args.timeout, args.connections)
        .map_err(|error| limit_failure(&error))?;
    let method =
        args.method.clone().unwrap_or_else(|| if args.data.is_some() { "POST" } else { "GET" }.to_owned());
    let body = args.data.as_deref().map(body).transpose()?;
    let host = target.host_header();
    let parts = RequestParts {
        method: &method,
        path: target.path(),
        host: &host,
        headers: &args.headers,
        body: body.as_deref(),
        close: matches!(args.connect, crate::args::PolicyArg::PerRequest),
    };
    let request = requests::prepare(parts, Expect { status: args.expect, ..Expect::default() })?;
    let seed = Seed(args.seed.unwrap_or(began.seed));
    let work = Work::new(vec![request], seed)
        .ok_or_else(|| Failure::new(Exit::Usage, "there is nothing to send"))?;
    let tls = runner::secure(&target, &wanted(args)).map_err(|error| Failure::new(Exit::Usage, error))?;
    if args.insecure {
        print::error("warning: --insecure: anybody may answer in the place of this service");
    }
    let address = runner::resolve(&target, &args.own, args.connect_to, tls.as_ref())
        .map_err(|error| address_failure(&url, error))?;
    if !address.answered {
        print::error(&format!(
            "note: {} did not answer `OPTIONS *`, the question sent ahead; measuring it all the same",
            address.peer
        ));
    }
    let (shape, recorded) = over_time.map_or((None, None), |given| (Some(given.shape), given.recorded));
    Ok(Order {
        arm: load.name().to_owned(),
        round: 1,
        url,
        host,
        peer: address.peer,
        tls,
        method,
        work,
        load,
        seed,
        warm_up: if recorded.is_some() { Nanos::ZERO } else { args.warm_up },
        measure: shape.as_ref().map_or(args.duration, Shape::length),
        shape,
        recorded,
        follow: None,
        readings: ReadOrder::default(),
        timeout: args.timeout,
        grace: args.grace,
        connection_policy: args.connect.into(),
        connection_limit,
        precision: args.spin.map_or(SendPrecision::Sleep, |last| SendPrecision::Spin { last }),
        threads: args.threads.min(load.users().unwrap_or(u32::MAX)).min(connection_limit),
        cpus: args.cpus.clone(),
        stalls_asked: None,
        capacity_per_s: None,
    })
}

/// A word alone is more likely a command misspelt than the name of a host.
fn is_word(url: &str) -> bool {
    !url.contains(['.', ':', '/']) && url != "localhost"
}

/// What the flags want of TLS.
fn wanted(args: &QuickArgs) -> Wanted {
    Wanted {
        authorities: args.ca.clone(),
        client: args.client_cert.clone(),
        server_name: args.server_name.clone(),
        version: match args.tls {
            None => Version::Any,
            Some(TlsArg::V12) => Version::V12,
            Some(TlsArg::V13) => Version::V13,
        },
        resumes: !args.no_resumption,
        is_insecure: args.insecure,
    }
}

fn load(args: &QuickArgs, over_time: Option<&OverTime>) -> Load {
    match (args.closed, args.paced) {
        (Some(connections), _) => Load::Closed { connections },
        (None, Some((rate, connections))) => Load::Paced { rate, connections },
        (None, None) => {
            let mean = over_time.and_then(|given| given.rate(given.shape.mean()));
            Load::Open { rate: mean.unwrap_or(args.rate), arrivals: args.arrivals.into() }
        }
    }
}

/// A load over time, as `--shape` gives it.
struct OverTime {
    shape: Shape,
    recorded: Option<Arc<Recorded>>,
}

impl OverTime {
    fn rate(&self, load: f64) -> Option<Rate> {
        Rate::per_second(self.shape.per_second(load)?)
    }

    /// The load where it is largest.
    fn most(&self, load: Load) -> Load {
        match (load, self.rate(self.shape.largest())) {
            (Load::Open { arrivals, .. }, Some(rate)) => Load::Open { rate, arrivals },
            (load, _) => load,
        }
    }
}

fn shape(text: &str, args: &QuickArgs) -> Result<OverTime, Failure> {
    let (shape, replay) = plan::shape_of(text, args.rate, args.duration).map_err(plan_file::wrong)?;
    if replay.as_ref().is_some_and(|replay| !replay.requests.is_empty()) {
        return Err(Failure::new(
            Exit::Usage,
            "a quick look sends one request, and `requests = true` asks for those of the log",
        )
        .hint("leave it out, or write a plan: doorclock new"));
    }
    Ok(OverTime { shape, recorded: replay.map(|replay| replay.recorded) })
}

/// The body as it was given, or the content of the file behind `@`.
fn body(given: &str) -> Result<Vec<u8>, Failure> {
    match given.strip_prefix('@') {
        Some(path) => std::fs::read(path).map_err(|error| {
            Failure::new(Exit::Usage, format!("cannot read the body from `{path}`: {error}"))
        }),
        None => Ok(given.as_bytes().to_vec()),
    }
}

fn limit_failure(error: &LimitError) -> Failure {
    let hint = match error {
        LimitError::RateAboveDescriptors { .. } => {
            "raise `ulimit -Hn`, lower the rate, or state --connections N (requests above it wait at the tester, with their clock running)"
        }
        LimitError::ConnectionsAboveDescriptors { .. } => "raise `ulimit -Hn`, or ask for fewer connections",
    };
    Failure::new(Exit::Usage, error).hint(hint)
}

fn address_failure(url: &str, error: AddressError) -> Failure {
    let says = format!("cannot measure {url}: {error}");
    match error {
        AddressError::NotOwned { host } => {
            Failure::new(Exit::Usage, says).hint(format!("if it is yours, say so: --own {host}"))
        }
        AddressError::NoAddress { .. } => {
            Failure::new(Exit::Unreachable, says).hint("check the name in the URL")
        }
        AddressError::Unusable(ControlError::Connect { .. }) => {
            Failure::new(Exit::Unreachable, says).hint("is the service running, and on this port?")
        }
        AddressError::Unusable(ControlError::Tls { problem: TlsProblem::NotTls, .. }) => {
            Failure::new(Exit::Unreachable, says).hint("is this a service in the clear? write http://")
        }
        AddressError::Unusable(ControlError::Tls { .. }) => Failure::new(Exit::Unreachable, says)
            .hint("--ca FILE trusts an authority of your own, --server-name asks for another name; --insecure takes anybody's certificate"),
        AddressError::Unusable(_) => Failure::new(Exit::Unreachable, says)
            .hint("is this the port of an HTTP service? one that speaks TLS is asked with https://"),
    }
}
