//! From an arm of a plan to the orders of its runs.

use crate::company::StallBy;
use crate::failure::What;
use crate::limits::connections_for;
use crate::order::Order;
use crate::readings_taken::ReadOrder;
use crate::signal_stalls::SignalOrder;
use crate::stalls::StallOrder;
use crate::tool::ToolOutput;
use crate::{followed_plan, requests};
use engine::Tls;
use model::{ConnectionPolicy, Load, Nanos, Rate, Seed};
use plan::{Arm, ArmTester, Import, Plan, StallHow, StallPlan, WarmUp};
use std::net::SocketAddr;
use std::sync::Arc;

/// The run of `arm` in `round`, as an order. For an arm that another tool
/// carries out it says the same, and only its warm-up is sent by it. `target` is
/// the process of the service, where we have started it.
pub(crate) fn order(
    plan: &Plan,
    arm: &Arm,
    round: u32,
    seed: Seed,
    host: &str,
    (peer, tls): (SocketAddr, Option<&Tls>),
    target: Option<u32>,
) -> Result<Order, What> {
    let sending = &arm.sending;
    let (load, asked) = match &arm.tester {
        ArmTester::Doorclock { load, connection_limit } => (*load, *connection_limit),
        ArmTester::Command { load, .. } => (*load, None),
    };
    // Where users own connections or share them, no more are of use.
    let asked = asked.or_else(|| load.users());
    let connection_limit =
        connections_for(at_most(arm, load), sending.timeout, asked).map_err(What::Limit)?;
    let close = sending.connect == ConnectionPolicy::PerRequest;
    let replayed = arm.replay.as_ref().filter(|replay| !replay.requests.is_empty());
    let (work, first) = match replayed {
        Some(replay) => {
            let order = replay.recorded.order().to_vec();
            (requests::recorded(&replay.requests, order, host, close), &replay.requests[0])
        }
        None => (requests::work(&plan.requests, host, close, seed), &plan.requests[0]),
    };
    let work = work.map_err(What::Request)?;
    let work = match &plan.completion {
        Some(completion) => work.capturing(followed_plan::capture(completion)),
        None => work,
    };
    let (warm_up, measure) = parts(arm);
    Ok(Order {
        arm: arm.name.clone(),
        round,
        url: format!("{}{}", plan.target.url, first.path),
        method: first.method.clone(),
        work,
        host: host.to_owned(),
        peer,
        tls: tls.cloned(),
        load,
        shape: arm.shape.clone(),
        recorded: arm.replay.as_ref().map(|replay| Arc::clone(&replay.recorded)),
        follow: plan.completion.as_ref().map(|completion| followed_plan::follow(completion, host, peer, tls)),
        readings: ReadOrder { planned: plan.readings.clone(), target },
        seed,
        warm_up,
        measure,
        timeout: sending.timeout,
        grace: sending.grace,
        connection_policy: sending.connect,
        connection_limit,
        precision: sending.precision,
        threads: sending.threads.min(load.users().unwrap_or(u32::MAX)).min(connection_limit),
        cpus: sending.cpus.clone(),
        stalls_asked: plan.stalls.is_some().then(|| plan.stalls_in(arm).is_some()),
        capacity_per_s: None,
    })
}

/// The load where it is largest.
fn at_most(arm: &Arm, load: Load) -> Load {
    let most = arm.shape.as_ref().and_then(|shape| shape.per_second(shape.largest()));
    match (load, most.and_then(Rate::per_second)) {
        (Load::Open { arrivals, .. }, Some(rate)) => Load::Open { rate, arrivals },
        (load, _) => load,
    }
}

/// The uncounted and the counted part of an arm's runs. A warm-up of so many
/// requests lasts as long as the rate of the beginning takes for them; where
/// there is none, it is sent ahead of the run. A warm-up that counts is part of
/// the counted part.
pub(crate) fn parts(arm: &Arm) -> (Nanos, Nanos) {
    let warm_up = match (arm.warm_up, rate_at_first(arm)) {
        // Recorded arrivals begin with their first.
        (WarmUp::For(_), _) if arm.replay.is_some() => Nanos::ZERO,
        (WarmUp::For(length), _) => length,
        (WarmUp::Requests(requests), Some(per_second)) if tells_apart(arm) => {
            Nanos::from_secs_f64(requests as f64 / per_second)
        }
        (WarmUp::Requests(_), _) => Nanos::ZERO,
    };
    if arm.count_warm_up { (Nanos::ZERO, warm_up + arm.measure) } else { (warm_up, arm.measure) }
}

/// Requests to send ahead of an arm's runs, and over how many connections.
pub(crate) fn warm_up_ahead(arm: &Arm) -> Option<(u64, u32)> {
    let WarmUp::Requests(requests @ 1..) = arm.warm_up else { return None };
    let has_rate = rate_at_first(arm).is_some() && tells_apart(arm);
    (!has_rate && !arm.count_warm_up).then(|| (requests, load(arm).users().unwrap_or(1)))
}

/// Requests a second at the run's beginning, where the load has a rate then.
fn rate_at_first(arm: &Arm) -> Option<f64> {
    let first = match &arm.shape {
        _ if arm.replay.is_some() => None,
        Some(shape) => shape.stages.first().and_then(|stage| shape.per_second(stage.from)),
        None => load(arm).target_rate().map(Rate::as_per_second),
    };
    first.filter(|rate| *rate > 0.0)
}

/// Whether the requests of a warm-up can be told from those that count: by
/// their time, which of other tools only Locust gives.
fn tells_apart(arm: &Arm) -> bool {
    match &arm.tester {
        ArmTester::Doorclock { .. } => true,
        ArmTester::Command { import, .. } => *import == Some(Import::Locust),
    }
}

fn load(arm: &Arm) -> Load {
    match &arm.tester {
        ArmTester::Doorclock { load, .. } | ArmTester::Command { load, .. } => *load,
    }
}

/// How the service is made to stall in a round of this seed.
pub(crate) fn stall_by(stalls: &StallPlan, seed: Seed) -> StallBy {
    let StallPlan { every, apart, length, how } = *stalls;
    let seed = seed.derive("stalls");
    match how {
        StallHow::Signal => StallBy::Signal(SignalOrder { seed, every, apart, length }),
        StallHow::TargetSleeps | StallHow::TargetBurns => {
            StallBy::Target(StallOrder { seed, every, apart, length, burn: how == StallHow::TargetBurns })
        }
    }
}

pub(crate) fn tool_output(import: Option<Import>) -> ToolOutput {
    match import {
        Some(Import::Locust) => ToolOutput::Locust,
        Some(Import::Wrk) => ToolOutput::Wrk,
        Some(Import::Oha) => ToolOutput::Oha,
        None => ToolOutput::Unknown,
    }
}
