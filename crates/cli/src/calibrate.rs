//! `doorclock calibrate`: how far this machine can be trusted as a tester.

use crate::args::CalibrateArgs;
use crate::experiment::{Experiment, exit_of};
use crate::failure::{Exit, Failure};
use crate::wall::Began;
use crate::{print, requests, signals};
use analysis::Step;
use engine::Expect;
use model::{
    ArrivalProcess, ConnectionPolicy, Load, MachineFacts, Nanos, Rate, Seed, SendPrecision, Trusted,
};
use report::text::Calibration;
use runner::{Answering, Order, ReadOrder};
use serde_json::json;
use std::net::SocketAddr;
use std::path::PathBuf;
use wire::h1::RequestParts;

const QUESTION: &str = "Up to which rate can this machine be trusted as a tester?";

/// Requests a second, one run each, until two in a row are missed.
const RATES: [f64; 10] =
    [1_000.0, 2_000.0, 5_000.0, 10_000.0, 20_000.0, 30_000.0, 40_000.0, 60_000.0, 80_000.0, 100_000.0];

/// The tester's own delay that 99 of 100 requests must keep to.
const WITHIN: Nanos = Nanos::from_micros(150);

const WARM_UP: Nanos = Nanos::from_millis(300);
const MEASURE: Nanos = Nanos::from_millis(2_000);
/// How long the machine is watched first.
const GLANCE: Nanos = Nanos::from_millis(500);
/// Waits that are timed, and their length.
const WAITS: (u32, Nanos) = (1_000, Nanos::from_millis(1));
const SPIN: Nanos = Nanos::from_micros(150);
/// More than enough for a peer that answers at once, stalls of the machine included.
const CONNECTIONS: u32 = 256;

pub fn run(args: &CalibrateArgs) -> Result<Exit, Failure> {
    let stop = signals::stop_flag()?;
    runner::raise_descriptors();
    let began = Began::now();
    let path = args
        .out
        .clone()
        .unwrap_or_else(|| PathBuf::from("results").join(format!("{}-calibrate", began.for_folder())));
    let machine = runner::read_machine(GLANCE);
    let day = began.rfc3339.get(..10).unwrap_or_default().to_owned();
    print::people(
        "About half a minute: the clock, its waits, and rising rates against a peer of our own.",
        args.json,
    );
    let clock_cost_ns = engine::clock_cost();
    let asleep = middle_and_tail(&engine::late_waits(WAITS.0, WAITS.1, Nanos::ZERO));
    let spinning = middle_and_tail(&engine::late_waits(WAITS.0, WAITS.1, SPIN));
    // Where there is a second core, the peer has it to itself, and so has the tester the first.
    let cores = machine.cores.unwrap_or(1) as usize;
    let peer = Answering::start((cores > 1).then(|| cores - 1))
        .map_err(|error| Failure::new(Exit::Unreachable, format!("cannot start a peer: {error}")))?;
    let seed = Seed(began.seed);
    let mut experiment =
        Experiment::begin(&path, QUESTION.to_owned(), began.rfc3339, seed, machine.clone(), stop)?;
    let mut steps: Vec<Step> = Vec::new();
    let mut stamps = false;
    for (at, per_s) in RATES.into_iter().enumerate() {
        let mut order = order(per_s, peer.address(), cores > 1, seed)?;
        let number = (at as u32 + 1, RATES.len() as u32);
        let mut tried = |order: &Order| -> Result<Step, Failure> {
            let run = experiment.run(order, number, &mut ())?;
            stamps |= run.tester.own_reading.is_some_and(|of| of.stamped > of.unstamped);
            Ok(analysis::step(run, WITHIN))
        };
        let mut step = tried(&order)?;
        if !step.is_met {
            // One bad moment of a shared machine is no limit of it: twice is.
            order.arm.push_str("-again");
            step = tried(&order)?;
        }
        steps.push(step);
        let missed = steps.iter().rev().take_while(|step| !step.is_met).count();
        if experiment.is_stopped() || missed == 2 {
            break;
        }
    }
    let (folder, is_stopped) = (experiment.shown_path(), experiment.is_stopped());
    let summary = experiment.finish()?;
    let trusted = Trusted { per_s: analysis::trusted(&steps), within: WITHIN, day };
    let found = Calibration {
        machine: &machine,
        clock_cost_ns,
        asleep,
        spinning,
        spin: SPIN,
        steps: &steps,
        trusted_per_s: trusted.per_s,
        within: WITHIN,
        stamps,
    };
    print::people(&report::text::calibration(&found), args.json);
    if !is_stopped {
        print::people(&kept(&trusted, &machine, &folder)?, args.json);
    }
    if args.json {
        print::result(&as_json(&found));
    }
    Ok(exit_of(&summary, is_stopped, trusted.per_s == 0.0))
}

fn kept(trusted: &Trusted, machine: &MachineFacts, folder: &str) -> Result<String, Failure> {
    let file = runner::keep_calibration(trusted, machine).map_err(|error| {
        Failure::new(Exit::Void, format!("what was found cannot be kept: {error}"))
            .hint(format!("the runs are there: doorclock report {folder}"))
    })?;
    Ok(format!(
        "kept in       {}\n              later runs on this machine are held against it\nthe runs      doorclock report {folder}",
        file.display()
    ))
}

/// Median and 99th percentile of sorted values, by nearest rank.
fn middle_and_tail(sorted: &[Nanos]) -> (Nanos, Nanos) {
    let rank = |of_100: usize| sorted.get((sorted.len() * of_100).div_ceil(100).saturating_sub(1));
    let value = |of_100| rank(of_100).copied().unwrap_or_default();
    (value(50), value(99))
}

fn order(per_s: f64, peer: SocketAddr, is_pinned: bool, seed: Seed) -> Result<Order, Failure> {
    let rate = Rate::per_second(per_s).ok_or_else(|| Failure::new(Exit::Usage, "a rate is no rate"))?;
    let host = peer.to_string();
    let parts = RequestParts { method: "GET", path: "/", host: &host, ..RequestParts::default() };
    let request = requests::prepare(parts, Expect { status: Some(200), ..Expect::default() })?;
    let work = engine::Work::new(vec![request], seed)
        .ok_or_else(|| Failure::new(Exit::Usage, "there is nothing to send"))?;
    Ok(Order {
        arm: format!("open-{per_s}"),
        round: 1,
        url: format!("http://{host}/"),
        work,
        host,
        peer,
        tls: None,
        method: "GET".to_owned(),
        load: Load::Open { rate, arrivals: ArrivalProcess::Poisson },
        shape: None,
        recorded: None,
        follow: None,
        readings: ReadOrder::default(),
        seed,
        warm_up: WARM_UP,
        measure: MEASURE,
        timeout: Nanos::from_secs(2),
        grace: Nanos::from_secs(2),
        connection_policy: ConnectionPolicy::Reuse,
        connection_limit: CONNECTIONS,
        precision: SendPrecision::Sleep,
        threads: 1,
        cpus: if is_pinned { vec![0] } else { Vec::new() },
        stalls_asked: None,
        capacity_per_s: None,
    })
}

fn as_json(of: &Calibration<'_>) -> String {
    let nanos = |time: Option<Nanos>| time.map(|time| time.0);
    let steps: Vec<_> = of
        .steps
        .iter()
        .map(|step| {
            json!({
                "per_s": step.per_s,
                "met": step.is_met,
                "late_p50_ns": nanos(step.late_p50),
                "late_p99_ns": nanos(step.late_p99),
                "late_max_ns": nanos(step.late_max),
                "service_p50_ns": nanos(step.service_p50),
                "cpu_ns_per_request": step.cpu_ns,
            })
        })
        .collect();
    let found = json!({
        "trusted_per_s": of.trusted_per_s,
        "within_ns": of.within.0,
        "steps": steps,
        "clock_source": of.machine.clock_source,
        "clock_cost_ns": of.clock_cost_ns,
        "waits_late_ns": { "p50": of.asleep.0.0, "p99": of.asleep.1.0 },
        "waits_late_spinning_ns": { "p50": of.spinning.0.0, "p99": of.spinning.1.0 },
        "receive_stamps": of.stamps,
    });
    serde_json::to_string_pretty(&found).expect("strings and numbers always become JSON")
}
