//! Which arms held a bound, and what a throughput without one is worth.
//!
//! A run whose load stays the same holds a bound as a whole. One whose load
//! changes over time holds it if every stage in which requests were due does;
//! and the rate up to which it holds is that of its largest stage below all that do not,
//! by their planned mean arrivals a second.

use crate::shaped::is_level;
use crate::summary::{
    ArmSummary, BoundArm, BoundSummary, Distribution, KeptUp, Point, RunSummary, StageFigures, Verdict,
};
use model::{Bound, Load, Number, Rate};

/// How every arm stands to `bound`.
pub(crate) fn bound(arms: &[ArmSummary], bound: Bound) -> BoundSummary {
    let all: Vec<BoundArm> = arms.iter().map(|arm| of_arm(arm, bound)).collect();
    let held = |arm: &BoundArm| arm.rounds > 0 && arm.held == arm.rounds;
    let both = || arms.iter().zip(&all);
    let highest = both()
        .filter(|(arm, _)| is_open(arm))
        .filter_map(|(arm, of_bound)| Some((arm.name.clone(), highest_held(arm, of_bound, bound)?)))
        .max_by(|a, b| a.1.total_cmp(&b.1));
    let unbounded = both()
        .filter(|(_, of_bound)| of_bound.rounds > 0 && !held(of_bound))
        .map(|(arm, of_bound)| (of_bound.arm.clone(), reached(arm)))
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(arm, rate)| {
            let times = highest.as_ref().map(|(_, highest)| rate / highest);
            (arm, rate, times)
        });
    BoundSummary { bound, arms: all, highest, unbounded }
}

fn of_arm(arm: &ArmSummary, bound: Bound) -> BoundArm {
    let judged: Vec<&RunSummary> = usable(arm).filter(|run| worst(run, bound.number).is_some()).collect();
    let slowest = judged.iter().filter_map(|run| worst(run, bound.number));
    BoundArm {
        arm: arm.name.clone(),
        rate_per_s: asked(arm).unwrap_or_else(|| reached(arm)),
        held: judged.iter().filter(|run| is_held(run, bound)).count() as u32,
        rounds: judged.len() as u32,
        worst: slowest.max_by_key(|point| (point.value, point.at_least)),
    }
}

/// The rate that an arm asks for; of one that changes over time, its largest
/// stage's.
fn asked(arm: &ArmSummary) -> Option<f64> {
    let run = arm.runs.first()?;
    match changing(run) {
        true => run.stages.iter().filter_map(planned).max_by(f64::total_cmp),
        false => run.load().target_rate().map(Rate::as_per_second),
    }
}

/// The highest rate at which an arm held a bound in every round that can be
/// judged; `None` if at none.
fn highest_held(arm: &ArmSummary, of_bound: &BoundArm, bound: Bound) -> Option<f64> {
    if of_bound.rounds == 0 {
        return None;
    }
    if !arm.runs.first().is_some_and(changing) {
        return (of_bound.held == of_bound.rounds).then_some(of_bound.rate_per_s);
    }
    let rounds = usable(arm).filter(|run| worst(run, bound.number).is_some());
    let held: Option<Vec<f64>> = rounds.map(|run| held_up_to(run, bound)).collect();
    held?.into_iter().min_by(f64::total_cmp)
}

/// The rate of a run's largest stage below all those that do not hold.
fn held_up_to(run: &RunSummary, bound: Bound) -> Option<f64> {
    let rates = |holds: bool| {
        let due = run.stages.iter().filter(|stage| stage.scheduled > 0);
        due.filter(move |stage| stage_holds(stage, bound) == holds).filter_map(planned)
    };
    let failed = rates(false).min_by(f64::total_cmp).unwrap_or(f64::INFINITY);
    rates(true).filter(|rate| *rate < failed).max_by(f64::total_cmp)
}

/// A failed request counts as slower than the bound, and a service that falls
/// behind holds none for long.
fn is_held(run: &RunSummary, bound: Bound) -> bool {
    match changing(run) {
        true => run.stages.iter().filter(|stage| stage.scheduled > 0).all(|stage| stage_holds(stage, bound)),
        false => holds(&run.response_time, run.kept_up, bound),
    }
}

fn stage_holds(stage: &StageFigures, bound: Bound) -> bool {
    holds(&stage.response_time, stage.kept_up, bound)
}

fn holds(times: &Distribution, kept_up: KeptUp, bound: Bound) -> bool {
    let held = point_of(times, bound.number).is_some_and(|p| p.value <= bound.at_most && !p.at_least);
    held && kept_up.kept_up != Some(false)
}

/// A run's number, or the slowest of its stages'.
fn worst(run: &RunSummary, number: Number) -> Option<Point> {
    if !changing(run) {
        return point_of(&run.response_time, number);
    }
    let points = run.stages.iter().filter_map(|stage| point_of(&stage.response_time, number));
    points.max_by_key(|point| (point.value, point.at_least))
}

/// Whether a run's load changes over time and has figures by stage.
fn changing(run: &RunSummary) -> bool {
    !run.stages.is_empty() && run.facts.shape.as_ref().is_some_and(|shape| !is_level(shape))
}

fn planned(stage: &StageFigures) -> Option<f64> {
    stage.planned_per_s.map(|(from, to)| f64::midpoint(from, to))
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

/// A number of response times; a mean with lower bounds in it is one.
pub(crate) fn point_of(times: &Distribution, number: Number) -> Option<Point> {
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
    use crate::fixture::{Run, arm, rate};
    use model::{ArrivalProcess, Nanos, ShapeKind};

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
    fn a_load_over_time_holds_a_bound_stage_by_stage() {
        let stages: Vec<(u64, f64, f64)> =
            [200.0, 400.0, 800.0, 1200.0].into_iter().map(|rate| (10, rate, rate)).collect();
        let of = |stages: &[(u64, f64, f64)]| {
            let rounds = (1..=3).map(|round| {
                let run = Run::shaped(ShapeKind::RampUp, stages, Nanos::from_millis(1), round);
                let mut run = run.judged();
                run.facts.round = round as u32;
                run
            });
            let arm = ArmSummary { runs: rounds.collect(), ..arm("ramp-up", &[]) };
            bound(&[arm], TEN_MS)
        };
        // M/D/1: at 800/s the p99 is 11.4 ms, at 400/s about 3.5 ms.
        let ramp = of(&stages);
        assert_eq!((ramp.arms[0].held, ramp.arms[0].rounds, ramp.arms[0].rate_per_s), (0, 3, 1200.0));
        assert_eq!(ramp.highest, Some(("ramp-up".to_owned(), 400.0)));
        assert!(ramp.arms[0].worst.expect("a p99").value > Nanos::from_secs(1));
        assert_eq!(ramp.unbounded.map(|(arm, ..)| arm).as_deref(), Some("ramp-up"));
        let low = of(&stages[..2]);
        assert_eq!((low.arms[0].held, low.highest), (3, Some(("ramp-up".to_owned(), 400.0))));
        assert_eq!(of(&stages[2..]).highest, None);
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
