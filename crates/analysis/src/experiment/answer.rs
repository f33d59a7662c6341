//! The answer in one sentence, with the figures that it rests on.

use super::{shaped, worked};
use crate::comparison::value;
use crate::doubts::counted;
use crate::summary::{ArmSummary, BoundSummary, Comparison, Point, RunSummary, Verdict};
use model::{Nanos, Number, Rate};

/// First what loads over time answer, whose shapes ask a question of their own.
/// Then by comparisons where there are any, else by a bound (of ramps that is
/// said already); by the p99s alone where there is nothing else.
pub(super) fn answer(
    arms: &[ArmSummary],
    comparisons: &[Comparison],
    bounds: &[BoundSummary],
    planned_runs: Option<u32>,
) -> String {
    let reservations = || reservations(arms, comparisons, planned_runs);
    // Work that goes on after its answer is what was asked about.
    if let Some(found) = worked::answer(arms) {
        return format!("{found}{}.", reservations());
    }
    let of_shapes = shaped::answer(arms);
    let all_said = of_shapes.is_some() && arms.iter().all(|arm| arm.ramp.is_some());
    let of_bound = || bounds.first().filter(|_| !all_said).and_then(by_bound);
    let found = of_shapes.into_iter().chain(by_comparison(arms, comparisons).or_else(of_bound));
    let found: Vec<String> = found.collect();
    if !found.is_empty() {
        return format!("{}{}.", found.join("; "), reservations());
    }
    match arms {
        [] => "Nothing was run.".to_owned(),
        [ArmSummary { runs, .. }] if runs.len() == 1 => one_run(&runs[0]),
        [arm] => format!("Users waited {} at p99.", p99_of(arm)),
        arms => {
            let each: Vec<String> = arms.iter().map(|arm| format!("{} {}", arm.name, p99_of(arm))).collect();
            format!("p99 from the scheduled moment: {}.", each.join(", "))
        }
    }
}

/// The pair furthest apart with its figures, and how many pairs are told apart.
/// One that is told apart goes before all that are not.
fn by_comparison(arms: &[ArmSummary], comparisons: &[Comparison]) -> Option<String> {
    let pairs: Vec<&Comparison> = comparisons.iter().filter(|one| !one.pairing.is_twin).collect();
    let known = pairs.iter().filter_map(|one| Some((one.told_apart == Some(true), one.effect?.ln_1p(), one)));
    let (_, log, widest) = known.max_by(|a, b| a.0.cmp(&b.0).then(a.1.abs().total_cmp(&b.1.abs())))?;
    let apart = pairs.iter().filter(|one| one.told_apart == Some(true)).count();
    let verdict = match (apart, pairs.len()) {
        (0, _) if widest.told_apart.is_none() => "too few rounds to tell arms apart".to_owned(),
        (0, 1) => "the two are not told apart".to_owned(),
        (1, 1) => "the two are told apart".to_owned(),
        (0, all) => format!("none of {all} pairs is told apart"),
        (1, all) => format!("1 of {all} pairs is told apart"),
        (_, all) => format!("{apart} of {all} pairs are told apart"),
    };
    // What is less than half is told the other way round, as so many times.
    let (a, b) = (&widest.pairing.a, &widest.pairing.b);
    let (larger, smaller, log) = if log < -std::f64::consts::LN_2 { (a, b, -log) } else { (b, a, log) };
    let number = widest.pairing.number;
    let of = |name: &String| arms.iter().find(|arm| arm.name == *name).and_then(|arm| middle(arm, number));
    Some(format!(
        "{larger} took {}{}, {} {smaller}'s {}; {verdict}",
        of(larger)?,
        at(number),
        against(log.exp()),
        of(smaller)?
    ))
}

fn at(number: Number) -> &'static str {
    match number {
        Number::Mean => " on average",
        Number::P50 => " at the median",
        Number::P90 => " at p90",
        Number::P95 => " at p95",
        Number::P99 => " at p99",
        Number::P999 => " at p99.9",
        Number::Max => " at its slowest",
    }
}

/// How a ratio reads before what it is measured against.
fn against(ratio: f64) -> String {
    match (ratio, (ratio - 1.0) * 100.0) {
        (ratio, _) if ratio >= 9.95 => format!("{ratio:.0} ×"),
        (ratio, _) if ratio >= 2.0 => format!("{ratio:.1} ×"),
        (_, percent) if percent >= 0.05 => format!("{percent:.1} % more than"),
        (_, percent) if percent <= -0.05 => format!("{:.1} % less than", -percent),
        _ => "as long as".to_owned(),
    }
}

/// An arm's number in the middle of its rounds.
fn middle(arm: &ArmSummary, number: Number) -> Option<Nanos> {
    let mut values: Vec<f64> = arm.runs.iter().filter_map(|run| value(run, number)).collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len().saturating_sub(1) / 2).map(|value| Nanos(*value as u64))
}

/// The highest rate that held it, and what a throughput without it is worth.
fn by_bound(of: &BoundSummary) -> Option<String> {
    let per_second = |rate: f64| Rate::per_second(rate.round()).map(|rate| rate.to_string());
    let bound = format!("{} ≤ {}", of.bound.number.name(), of.bound.at_most);
    let Some((arm, rate)) = &of.highest else {
        let judged = of.arms.iter().any(|arm| arm.rounds > 0);
        return judged.then(|| format!("No open arm held {bound} in every round"));
    };
    let rounds = of.arms.iter().find(|one| one.arm == *arm)?.rounds;
    let held = format!(
        "{arm} held {bound} at {} in {} of {}",
        Rate::per_second(*rate)?,
        rounds,
        counted(u64::from(rounds), "round")
    );
    let beyond = of.unbounded.as_ref().and_then(|(arm, rate, times)| {
        Some(format!("; {arm} did {} without holding it, {:.2} × that", per_second(*rate)?, (*times)?))
    });
    Some(held + &beyond.unwrap_or_default())
}

/// What speaks against an answer that takes all runs together.
fn reservations(arms: &[ArmSummary], comparisons: &[Comparison], planned_runs: Option<u32>) -> String {
    let runs = || arms.iter().flat_map(|arm| &arm.runs);
    let made = runs().count() as u64;
    let void = runs().filter(|run| run.verdict == Verdict::Void).count() as u64;
    let is_alarm = |one: &Comparison| one.pairing.is_twin && one.told_apart == Some(true);
    let said = [
        (comparisons.iter().any(is_alarm)).then(|| "an arm is told apart from itself".to_owned()),
        (void > 0).then(|| format!("{} void and left out", of(void, made))),
        planned_runs
            .map(u64::from)
            .filter(|planned| made < *planned)
            .map(|planned| format!("{} made so far", of(made, planned))),
    ];
    said.into_iter().flatten().map(|one| format!("; {one}")).collect()
}

/// `1 of 12 runs is`, `7 of 12 runs are`.
fn of(some: u64, all: u64) -> String {
    format!("{some} of {} {}", counted(all, "run"), if some == 1 { "is" } else { "are" })
}

fn one_run(run: &RunSummary) -> String {
    let void = run.doubts.iter().find(|doubt| doubt.weight == Verdict::Void);
    let response = &run.response_time;
    let (None, Some(p50), Some(p99)) = (void, response.p50, response.p99) else {
        let why = void.map_or("no request was counted", |doubt| doubt.says.as_str());
        return format!("No number of this run should be used: {why}.");
    };
    let interval = match (run.p99_interval.low, run.p99_interval.high) {
        (Some(low), Some(high)) => format!(" (95 % interval {low} to {high})"),
        (Some(low), None) => format!(" (at least {low}; this run does not bound it)"),
        (None, _) => String::new(),
    };
    let behind = match run.kept_up.kept_up {
        Some(false) if run.load().users().is_none() => ", and the service fell behind",
        _ => "",
    };
    let rate = run.load().target_rate().map_or(format!("{:.0}/s", run.rate_per_s), |rate| rate.to_string());
    format!(
        "At {rate} ({} loop) users waited {} at the median and {} at p99{interval}{behind}.",
        run.load().name(),
        length(p50),
        length(p99)
    )
}

/// An arm's p99: of its one round, or the middle and the range of its rounds'.
/// Void runs have no say.
pub(super) fn p99_of(arm: &ArmSummary) -> String {
    let usable = arm.runs.iter().filter(|run| run.verdict != Verdict::Void);
    let mut points: Vec<Point> = usable.filter_map(|run| run.response_time.p99).collect();
    points.sort_unstable_by_key(|point| (point.value, point.at_least));
    match points.as_slice() {
        [] => "unknown".to_owned(),
        [one] => length(*one),
        [first, .., last] => {
            let middle = points[(points.len() - 1) / 2];
            let range = format!("{} to {}", length(*first), length(*last));
            format!("{} ({range} in {} rounds)", length(middle), points.len())
        }
    }
}

pub(super) fn length(point: Point) -> String {
    let Point { value, at_least } = point;
    if at_least { format!("≥ {value}") } else { value.to_string() }
}
