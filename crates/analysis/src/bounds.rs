//! Which arms held a bound, and what a throughput without one is worth.

use crate::summary::{ArmSummary, BoundArm, BoundSummary, Point, RunSummary, Verdict};
use model::{Bound, Load, Number, Rate};

/// How every arm stands to `bound`.
pub(crate) fn bound(arms: &[ArmSummary], bound: Bound) -> BoundSummary {
    let all: Vec<BoundArm> = arms.iter().map(|arm| of_arm(arm, bound)).collect();
    let holds = |arm: &BoundArm| arm.rounds > 0 && arm.held == arm.rounds;
    let both = || arms.iter().zip(&all);
    let highest = both()
        .filter(|(arm, of_bound)| is_open(arm) && holds(of_bound))
        .map(|(_, of_bound)| (of_bound.arm.clone(), of_bound.rate_per_s))
        .max_by(|a, b| a.1.total_cmp(&b.1));
    let unbounded = both()
        .filter(|(_, of_bound)| of_bound.rounds > 0 && !holds(of_bound))
        .map(|(arm, of_bound)| (of_bound.arm.clone(), reached(arm)))
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(arm, rate)| {
            let times = highest.as_ref().map(|(_, highest)| rate / highest);
            (arm, rate, times)
        });
    BoundSummary { bound, arms: all, highest, unbounded }
}

fn of_arm(arm: &ArmSummary, bound: Bound) -> BoundArm {
    let judged: Vec<&RunSummary> = usable(arm).filter(|run| point(run, bound.number).is_some()).collect();
    let worst = judged.iter().filter_map(|run| point(run, bound.number));
    let asked = arm.runs.first().and_then(|run| run.load().target_rate()).map(Rate::as_per_second);
    BoundArm {
        arm: arm.name.clone(),
        rate_per_s: asked.unwrap_or_else(|| reached(arm)),
        held: judged.iter().filter(|run| is_held(run, bound)).count() as u32,
        rounds: judged.len() as u32,
        worst: worst.max_by_key(|point| (point.value, point.at_least)),
    }
}

/// A failed request counts as slower than the bound, and a service that falls
/// behind holds none for long.
fn is_held(run: &RunSummary, bound: Bound) -> bool {
    let held = point(run, bound.number).is_some_and(|p| p.value <= bound.at_most && !p.at_least);
    held && run.kept_up.kept_up != Some(false)
}

fn usable(arm: &ArmSummary) -> impl Iterator<Item = &RunSummary> {
    arm.runs.iter().filter(|run| run.verdict != Verdict::Void)
}

/// Answers a second, a mean over the rounds; zero without any.
fn reached(arm: &ArmSummary) -> f64 {
    let rates: Vec<f64> = usable(arm).map(|run| run.rate_per_s).collect();
    rates.iter().sum::<f64>() / rates.len().max(1) as f64
}

fn is_open(arm: &ArmSummary) -> bool {
    arm.runs.first().is_some_and(|run| matches!(run.load(), Load::Open { .. }) && run.facts.tool.is_none())
}

fn point(run: &RunSummary, number: Number) -> Option<Point> {
    let times = &run.response_time;
    match number {
        Number::Mean => {
            times.mean.map(|mean| Point { value: model::Nanos(mean as u64), at_least: times.censored > 0 })
        }
        Number::P50 => times.p50,
        Number::P90 => times.p90,
        Number::P95 => times.p95,
        Number::P99 => times.p99,
        Number::P999 => times.p999,
        Number::Max => times.max,
    }
}
