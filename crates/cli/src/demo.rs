//! `doorclock demo`: one service that stands still now and then, measured by a
//! closed loop, a paced loop and the open loop, calm and stalled.

use crate::args::DemoArgs;
use crate::experiment::{Experiment, GLANCE, exit_of};
use crate::failure::{Exit, Failure};
use crate::wall::Began;
use crate::{print, requests, signals};
use analysis::Verdict;
use model::{ArrivalProcess, ConnectionPolicy, Load, MachineFacts, Nanos, Rate, Seed, SendPrecision};
use runner::{Company, Control, Order, ReadOrder, Service, StallBy, StallOrder};
use std::path::PathBuf;
use std::process::Command;

/// Half of what the service can do: 1 ÷ 0.9 ms is about 1,100/s.
const RATE_PER_S: f64 = 546.0;

/// What a score costs the service, so that its ceiling is about the same on every machine.
const SERVICE_TIME: &str = "900us";

/// Enough for the first connections and the service's caches.
const WARM_UP: Nanos = Nanos::from_millis(800);

/// Calm runs need no rare events, stalled ones hold seven stalls on average;
/// three of each fit into the 90 s that a newcomer gives us.
const MEASURE_CALM: Nanos = Nanos::from_secs(8);
const MEASURE_STALLED: Nanos = Nanos::from_secs(15);

const QUESTION: &str =
    "A service stands still for 100 ms now and then. Which load tester sees what its users wait?";

/// The runs in their order. The closed loop's calm one comes first: its rate is
/// a little less than the service's capacity (it idles for a round trip between
/// answers), which the correction of the paced loop needs.
const RUNS: [(&str, bool); 6] = [
    ("closed-1", false),
    ("closed-1", true),
    ("paced", false),
    ("paced", true),
    ("open", false),
    ("open", true),
];

pub fn run(args: &DemoArgs) -> Result<Exit, Failure> {
    let stop = signals::stop_flag()?;
    runner::raise_descriptors();
    let began = Began::now();
    let path = args
        .out
        .clone()
        .unwrap_or_else(|| PathBuf::from("results").join(format!("{}-demo", began.for_folder())));
    let machine = runner::read_machine(GLANCE);
    print::people(&headline(&machine), args.json);
    let seed = Seed(args.seed);
    let mut experiment = Experiment::begin(&path, QUESTION.to_owned(), began.rfc3339, seed, machine, stop)?;
    let mut capacity = None;
    for (at, (tester, stalled)) in RUNS.into_iter().enumerate() {
        // A fresh service for every run, so that none inherits what another left behind.
        let service = start_scorer()?;
        let order = order(tester, stalled, &service, seed, capacity)?;
        let control = Control::new(order.peer, &order.host);
        let mut company = Company::new(control, stalled.then(|| StallBy::Target(stalls(seed))));
        let run = experiment.run(&order, (at as u32 + 1, RUNS.len() as u32), &mut company)?;
        capacity = capacity.or((run.verdict != Verdict::Void).then_some(run.rate_per_s));
        if experiment.is_stopped() {
            break;
        }
    }
    let (folder, is_stopped) = (experiment.shown_path(), experiment.is_stopped());
    let summary = experiment.finish()?;
    print::people(&report::text::demo(&summary, Some(&folder)), args.json);
    if args.json {
        print::result(&report::json::summary(&summary));
    }
    if args.open {
        open_in_browser(&path.join("report.html"))?;
    }
    Ok(exit_of(&summary, is_stopped, false))
}

fn headline(machine: &MachineFacts) -> String {
    format!(
        "{}. A service with 0.9 ms of work a request stands still for\n\
         100 ms now and then: {} runs, about {} s in all.\n",
        report::text::machine_line(machine),
        RUNS.len(),
        (3 * (MEASURE_CALM.0 + MEASURE_STALLED.0 + 2 * WARM_UP.0)).div_ceil(Nanos::from_secs(1).0)
    )
}

fn start_scorer() -> Result<Service, Failure> {
    let failed = |error: &dyn std::fmt::Display| {
        Failure::new(Exit::Unreachable, format!("the demo's service did not start: {error}"))
    };
    let program = std::env::current_exe().map_err(|error| failed(&error))?;
    let mut command = Command::new(program);
    command.args(["target", "scorer", "--port", "0", "--with-parent", "--service-time", SERVICE_TIME]);
    Service::start(command).map_err(|error| failed(&error))
}

fn order(
    tester: &str,
    stalled: bool,
    service: &Service,
    seed: Seed,
    capacity: Option<f64>,
) -> Result<Order, Failure> {
    let peer = service.address();
    let host = peer.to_string();
    let reference = Control::new(peer, &host).ask("GET", "/reference", None).map_err(|error| {
        Failure::new(Exit::Unreachable, format!("the demo's service did not answer: {error}"))
    })?;
    let rate = Rate::per_second(RATE_PER_S)
        .ok_or_else(|| Failure::new(Exit::Usage, "the demo's rate is no rate"))?;
    let load = match tester {
        "closed-1" => Load::Closed { connections: 1 },
        "paced" => Load::Paced { rate, connections: 8 },
        _ => Load::Open { rate, arrivals: ArrivalProcess::Poisson },
    };
    let timeout = Nanos::from_secs(10);
    let connection_limit =
        runner::connections_for(load, timeout, None).map_err(|error| Failure::new(Exit::Usage, error))?;
    Ok(Order {
        arm: if stalled { tester.to_owned() } else { format!("{tester}-calm") },
        round: 1,
        url: format!("http://{host}/score"),
        work: requests::scores(&reference.body, &host, seed)?,
        host,
        peer,
        tls: None,
        method: "POST".to_owned(),
        load,
        shape: None,
        recorded: None,
        follow: None,
        readings: ReadOrder::default(),
        seed,
        warm_up: WARM_UP,
        measure: if stalled { MEASURE_STALLED } else { MEASURE_CALM },
        timeout,
        grace: Nanos::from_secs(5),
        connection_policy: ConnectionPolicy::Reuse,
        connection_limit,
        precision: SendPrecision::Sleep,
        threads: 1,
        cpus: Vec::new(),
        stalls_asked: Some(stalled),
        capacity_per_s: capacity,
    })
}

/// The same stalls for every tester.
fn stalls(seed: Seed) -> StallOrder {
    StallOrder {
        seed: seed.derive("stalls"),
        every: Nanos::from_secs(2),
        apart: Nanos::from_millis(500),
        length: Nanos::from_millis(100),
        burn: false,
    }
}

/// Opens a page with the desktop's browser.
pub fn open_in_browser(page: &std::path::Path) -> Result<(), Failure> {
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let started = Command::new(opener).arg(page).spawn();
    started.map(drop).map_err(|error| {
        Failure::new(Exit::Usage, format!("cannot open a browser with `{opener}`: {error}"))
            .hint(format!("the page is there: {}", page.display()))
    })
}
