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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{arm, rate};
    use model::{ArrivalProcess, Nanos};

    const TEN_MS: Bound = Bound { number: Number::P99, at_most: Nanos::from_millis(10) };

    fn open(name: &str, per_second: f64, p99s_ms: &[f64]) -> ArmSummary {
        let load = Load::Open { rate: rate(per_second), arrivals: ArrivalProcess::Poisson };
        loaded(name, load, per_second, p99s_ms)
    }

    fn loaded(name: &str, load: Load, reached: f64, p99s_ms: &[f64]) -> ArmSummary {
        let mut arm = arm(name, p99s_ms);
        for run in &mut arm.runs {
            run.facts.load = load;
            run.rate_per_s = reached;
        }
        arm
    }

    /// A service of 1,092/s under five open rates, and a closed loop that is
    /// quick to boast of 1,098/s.
    fn service() -> Vec<ArmSummary> {
        let mut arms = vec![
            open("open-328", 328.0, &[3.3, 3.4, 3.4, 3.5, 3.4]),
            open("open-546", 546.0, &[5.2, 5.3, 5.2, 5.4, 10.0]),
            open("open-764", 764.0, &[9.1, 9.8, 10.2, 9.6, 9.9]),
            open("open-983", 983.0, &[45.0, 46.0, 44.0, 45.3, 50.0]),
            loaded("closed-16", Load::Closed { connections: 16 }, 1098.0, &[15.0; 5]),
        ];
        arms[2].runs[0].kept_up.kept_up = None;
        arms
    }

    #[test]
    fn a_throughput_without_a_bound_is_set_against_the_highest_rate_that_held_it() {
        let found = bound(&service(), TEN_MS);
        let held: Vec<(&str, f64, u32, u32)> =
            found.arms.iter().map(|arm| (arm.arm.as_str(), arm.rate_per_s, arm.held, arm.rounds)).collect();
        assert_eq!(
            held,
            [
                ("open-328", 328.0, 5, 5),
                ("open-546", 546.0, 5, 5),
                ("open-764", 764.0, 4, 5),
                ("open-983", 983.0, 0, 5),
                ("closed-16", 1098.0, 0, 5),
            ]
        );
        assert_eq!(found.arms[2].worst.expect("a p99").value, Nanos::from_micros(10_200));
        assert_eq!(found.highest, Some(("open-546".to_owned(), 546.0)));
        let (arm, rate, times) = found.unbounded.expect("an arm that did not hold it");
        assert_eq!((arm.as_str(), rate), ("closed-16", 1098.0));
        assert!((times.expect("known") - 2.01).abs() < 0.005, "{times:?}");
    }

    #[test]
    fn a_round_that_fell_behind_or_has_a_lower_bound_holds_nothing() {
        let held = |change: fn(&mut RunSummary)| {
            let mut arms = vec![open("open", 100.0, &[5.0; 3])];
            change(&mut arms[0].runs[1]);
            let found = bound(&arms, TEN_MS);
            (found.arms[0].held, found.arms[0].rounds, found.highest.is_some())
        };
        assert_eq!(held(|_| {}), (3, 3, true));
        assert_eq!(held(|run| run.kept_up.kept_up = None), (3, 3, true));
        assert_eq!(held(|run| run.kept_up.kept_up = Some(false)), (2, 3, false));
        assert_eq!(held(|run| run.response_time.p99.as_mut().unwrap().at_least = true), (2, 3, false));
        // What cannot be judged is not judged.
        assert_eq!(held(|run| run.verdict = Verdict::Void), (2, 2, true));
        assert_eq!(held(|run| run.response_time.p99 = None), (2, 2, true));
    }

    #[test]
    fn only_an_open_loop_of_ours_shows_a_rate_that_holds() {
        let mut arms = vec![loaded("closed-1", Load::Closed { connections: 1 }, 1048.0, &[0.97; 5])];
        assert_eq!(bound(&arms, TEN_MS).highest, None);
        arms.push(open("tool", 546.0, &[0.9; 5]));
        let tool = model::ToolFacts { name: "oha".to_owned(), command: "oha".to_owned() };
        arms[1].runs.iter_mut().for_each(|run| run.facts.tool = Some(tool.clone()));
        let found = bound(&arms, TEN_MS);
        assert_eq!((found.highest, found.unbounded), (None, None));
    }
}
