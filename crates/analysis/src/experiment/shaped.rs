//! The answer to the question that a load over time asks, with its figures.

use super::answer::{length, p99_of};
use crate::doubts::{counted, percent};
use crate::ramp::per_second;
use crate::summary::{
    ArmSummary, BurstRounds, Grows, Growth, IntervalFrom, Point, RampFigures, RampRate, RunSummary, Verdict,
};
use model::{Nanos, ShapeKind};

/// What all arms whose load changes over time, or is named for its question,
/// answer; `None` where there is none with a run that can be used.
pub(super) fn answer(arms: &[ArmSummary]) -> Option<String> {
    let each: Vec<(&str, String)> =
        arms.iter().filter_map(|arm| Some((arm.name.as_str(), clause(arm)?))).collect();
    match (each.as_slice(), arms.len()) {
        ([], _) => None,
        ([(_, one)], 1) => Some(capitalised(one)),
        (several, _) => {
            let named: Vec<String> = several.iter().map(|(name, says)| format!("{name}: {says}")).collect();
            Some(named.join(". "))
        }
    }
}

fn clause(arm: &ArmSummary) -> Option<String> {
    let kind = arm.runs.first()?.facts.shape.as_ref()?.kind;
    let runs: Vec<&RunSummary> = arm.runs.iter().filter(|run| run.verdict != Verdict::Void).collect();
    if runs.is_empty() {
        return None;
    }
    if let Some(ramp) = &arm.ramp {
        return Some(of_ramp(ramp));
    }
    match (kind, arm.bursts().as_slice()) {
        (ShapeKind::Steady, _) => of_steady(arm, &runs),
        (ShapeKind::Soak, _) => Some(of_soak(arm, &runs)),
        (_, []) => of_stages(arm, &runs, kind),
        (_, bursts) => of_bursts(bursts, &runs),
    }
}

fn of_ramp(ramp: &RampFigures) -> String {
    let follows = match &ramp.saturation {
        RampRate::Is(_) => format!("the service follows up to {}", at("about ", &ramp.saturation)),
        RampRate::Above(rate) => format!("the service follows to the end of the ramp, {}", per_second(*rate)),
        RampRate::Below(rate) => {
            format!("the service falls short from the first step on, {}", per_second(*rate))
        }
        RampRate::CannotSay(why) => format!("up to where the service follows cannot be said ({why})"),
    };
    let crossed = ramp.bounds.iter().map(|(bound, rate)| {
        let (number, limit) = (bound.number.name(), bound.at_most);
        match rate {
            RampRate::Is(_) => format!("{number} passes {limit} at {}", at("", rate)),
            RampRate::Above(rate) => format!("{number} stays within {limit} up to {}", per_second(*rate)),
            RampRate::Below(rate) => {
                format!("{number} is above {limit} from the first step on, {}", per_second(*rate))
            }
            RampRate::CannotSay(why) => format!("where {number} passes {limit} cannot be said ({why})"),
        }
    });
    let doubles = match &ramp.p50_doubles {
        rate @ RampRate::Is(_) => Some(format!("the median doubles at {}", at("", rate))),
        RampRate::Above(_) | RampRate::Below(_) | RampRate::CannotSay(_) => None,
    };
    [follows].into_iter().chain(crossed).chain(doubles).collect::<Vec<_>>().join("; ")
}

/// `about 1,050/s [1,020 to 1,080/s]`, or `640/s (between its steps of 600 and 700/s)`.
fn at(about: &str, rate: &RampRate) -> String {
    let RampRate::Is(rate) = rate else { return String::new() };
    let low = per_second(rate.low);
    let ends = format!("{} to {}", low.trim_end_matches("/s"), per_second(rate.high));
    let interval = match rate.from {
        IntervalFrom::Steps => format!("(between the steps {ends})"),
        IntervalFrom::Rounds(_) | IntervalFrom::Saturated(_) | IntervalFrom::Count => format!("[{ends}]"),
    };
    format!("{about}{} {interval}", per_second(rate.value))
}

/// The burst during which users waited longest, where there are several.
fn of_bursts(bursts: &[BurstRounds], runs: &[&RunSummary]) -> Option<String> {
    let slowest = |burst: &&BurstRounds| burst.during_p99.map(|point| (point.value, point.at_least));
    let worst = bursts.iter().max_by_key(slowest)?;
    let which =
        if bursts.len() > 1 { format!("in the worst of {} bursts ", bursts.len()) } else { String::new() };
    let before = worst.before_p99.map_or(String::new(), |before| format!(", {} before", length(before)));
    let failed = match worst.during_not_ok {
        0 => String::new(),
        failed => format!(
            "; {failed} of {} due during it were not answered as expected",
            counted(worst.during_scheduled, "request")
        ),
    };
    Some(format!(
        "{which}users waited {} at p99 during the burst{before}; the queue peaked at {} and {}{failed}",
        length(worst.during_p99?),
        worst.peak_backlog,
        recovery(worst, runs)
    ))
}

fn recovery(burst: &BurstRounds, runs: &[&RunSummary]) -> String {
    let rounds = counted(u64::from(burst.rounds), "round");
    let after = runs.iter().flat_map(|run| &run.bursts).map(|burst| burst.after.span.length()).max();
    match (burst.recovery, burst.recovered) {
        (Some(recovery), _) => {
            let interval = recovery
                .interval
                .map_or(String::new(), |(low, high)| format!(" [{low} to {high} over {rounds}]"));
            format!("was back to usual {} after it ended{interval}", recovery.value)
        }
        (None, 0) if runs.iter().all(|run| run.interrupted) => {
            "whether it came back to usual is not known: the run ended first".to_owned()
        }
        (None, 0) => format!(
            "did not come back to usual within the {} that followed{}",
            after.unwrap_or_default(),
            if burst.rounds > 1 { format!(", in any of {rounds}") } else { String::new() }
        ),
        (None, some) => format!("came back to usual in {some} of {rounds} only"),
    }
}

fn of_steady(arm: &ArmSummary, runs: &[&RunSummary]) -> Option<String> {
    let rate = match runs[0].load().target_rate() {
        Some(rate) => per_second(rate.as_per_second()),
        None => per_second(runs[0].rate_per_s),
    };
    let behind = runs.iter().filter(|run| run.kept_up.kept_up == Some(false)).count();
    let behind = match (behind, runs.len()) {
        (0, _) => String::new(),
        (_, 1) => ", and the service fell behind".to_owned(),
        (some, all) => format!(", and the service fell behind in {some} of {all} rounds"),
    };
    Some(format!("at {rate} users waited {}{behind}; {}", waits(arm, runs)?, drift(runs)))
}

/// `1.30 ms at the median and 5.20 ms at p99 [4.90 ms to 5.60 ms]`.
fn waits(arm: &ArmSummary, runs: &[&RunSummary]) -> Option<String> {
    let median = middle(runs, |run| run.response_time.p50)?;
    let interval = match runs {
        [one] => match (one.p99_interval.low, one.p99_interval.high) {
            (Some(low), Some(high)) => format!(" [{low} to {high}]"),
            (Some(low), None) => format!(" (at least {low}; this run does not bound it)"),
            (None, _) => String::new(),
        },
        _ => String::new(),
    };
    Some(format!("{} at the median and {} at p99{interval}", length(median), p99_of(arm)))
}

/// Of most rounds.
fn drift(runs: &[&RunSummary]) -> String {
    let all: Vec<&Growth> = runs.iter().filter_map(|run| run.growth.first()).collect();
    let (says, one) = most(&all);
    let share = |growth: &Growth| {
        let level: Vec<f64> = growth.windows.iter().copied().flatten().collect();
        let whole = growth.window.as_secs_f64() * growth.windows.len() as f64;
        Some(percent((growth.slope? * whole / stats::median(&level)?).abs()))
    };
    match (says, one.and_then(share)) {
        (Grows::Yes, Some(share)) => format!("their median rose by {share} from beginning to end"),
        (Grows::Falls, Some(share)) => format!("their median fell by {share} from beginning to end"),
        (Grows::TooShort, _) => "it was too short to tell whether they drift".to_owned(),
        _ => "no drift was seen".to_owned(),
    }
}

/// What is said in at least half of the rounds, growth first, and the round in
/// the middle by its slope.
pub(super) fn most<'a>(all: &[&'a Growth]) -> (Grows, Option<&'a Growth>) {
    let says = |what: Grows| 2 * all.iter().filter(|growth| growth.says == what).count() >= all.len().max(1);
    let order = [Grows::Yes, Grows::Falls, Grows::TooShort, Grows::Negligible];
    let found = order.into_iter().find(|what| says(*what)).unwrap_or(Grows::NotSeen);
    let mut sorted: Vec<&Growth> = all.iter().copied().filter(|growth| growth.slope.is_some()).collect();
    sorted.sort_by(|a, b| a.slope.unwrap_or(0.0).total_cmp(&b.slope.unwrap_or(0.0)));
    (found, sorted.get(sorted.len().saturating_sub(1) / 2).copied())
}

/// What grew, by name over the rounds, in the order in which it comes first.
pub(super) fn by_name<'a>(runs: &[&'a RunSummary]) -> Vec<Vec<&'a Growth>> {
    let mut all: Vec<Vec<&Growth>> = Vec::new();
    for growth in runs.iter().flat_map(|run| &run.growth) {
        match all.iter_mut().find(|same| same[0].of == growth.of) {
            Some(same) => same.push(growth),
            None => all.push(vec![growth]),
        }
    }
    all
}

fn of_soak(arm: &ArmSummary, runs: &[&RunSummary]) -> String {
    let all = by_name(runs);
    let grown: Vec<String> = all.iter().filter_map(|same| grew(same)).collect();
    let names = |says: fn(Grows) -> bool| -> Vec<&str> {
        all.iter().filter(|same| says(most(same).0)).map(|same| same[0].of.as_str()).collect()
    };
    let short = names(|says| says == Grows::TooShort);
    let level = names(|says| matches!(says, Grows::NotSeen | Grows::Negligible | Grows::Falls));
    let over = runs[0].duration;
    let said = match (grown.as_slice(), level.as_slice()) {
        ([], []) => format!("{over} are too short to tell whether anything grows"),
        ([], level) => format!("nothing grew over {over}: {}", level.join(", ")),
        (grown, _) => grown.join("; "),
    };
    let unsaid = match short.as_slice() {
        _ if grown.is_empty() && level.is_empty() => String::new(),
        [] => String::new(),
        short => format!("; too short to tell of {}", short.join(", ")),
    };
    let waited = match waits(arm, runs) {
        Some(waits) => format!("; users waited {waits}"),
        None => String::new(),
    };
    format!("{said}{unsaid}{waited}")
}

/// `resident memory grew by 20.0 MB an hour [15.1 to 24.2], and reaches 512 MB in 4.1 h at the earliest`.
fn grew(same: &[&Growth]) -> Option<String> {
    let (Grows::Yes, Some(growth)) = most(same) else { return None };
    let an_hour = |slope: f64| amount(slope * 3600.0, &growth.unit);
    let interval = growth
        .slope_interval
        .map_or(String::new(), |(low, high)| format!(" [{} to {}]", an_hour(low), an_hour(high)));
    let rounds = match same.len() {
        1 => String::new(),
        all => {
            let grew = same.iter().filter(|growth| growth.says == Grows::Yes).count();
            format!(" in {grew} of {all} rounds")
        }
    };
    let until = growth.limit.zip(growth.until_limit).map_or(String::new(), |(limit, (earliest, _))| {
        format!(", and may reach {} in {}", amount(limit, &growth.unit), hours(earliest))
    });
    Some(format!("{} grew by {} an hour{interval}{rounds}{until}", growth.of, an_hour(growth.slope?)))
}

/// A value with its unit: `20.0 MB`, `1.20 ms`, `35`.
fn amount(value: f64, unit: &str) -> String {
    let sign = if value < 0.0 { "−" } else { "" };
    let size = value.abs();
    let text = match unit {
        "ns" => Nanos(size.round() as u64).to_string(),
        "bytes" => match size {
            0.0..1e3 => format!("{size:.0} B"),
            1e3..1e6 => format!("{} kB", three(size / 1e3)),
            1e6..1e9 => format!("{} MB", three(size / 1e6)),
            _ => format!("{} GB", three(size / 1e9)),
        },
        "" => three(size),
        unit => format!("{} {unit}", three(size)),
    };
    format!("{sign}{text}")
}

fn three(value: f64) -> String {
    match value {
        value if value < 9.995 => format!("{value:.2}"),
        value if value < 99.95 => format!("{value:.1}"),
        value => format!("{value:.0}"),
    }
}

fn hours(length: Nanos) -> String {
    match length.as_secs_f64() / 3600.0 {
        hours if hours < 1.0 => format!("{:.0} min", hours * 60.0),
        hours if hours < 48.0 => format!("{hours:.1} h"),
        hours => format!("{:.0} days", hours / 24.0),
    }
}

fn of_stages(arm: &ArmSummary, runs: &[&RunSummary], kind: ShapeKind) -> Option<String> {
    let over = match kind {
        ShapeKind::Day => "over the whole curve",
        ShapeKind::Replay => "over the whole replay",
        _ => "over all stages",
    };
    let said = format!("users waited {} {over}", waits(arm, runs)?);
    let count = runs.iter().map(|run| run.stages.len()).max().unwrap_or(0);
    let p99_at = |at: usize| middle(runs, |run| run.stages.get(at).and_then(|stage| stage.response_time.p99));
    let worst = (0..count).filter_map(|at| Some((at, p99_at(at)?)));
    let worst = worst.max_by_key(|(at, p99)| (p99.value, p99.at_least, std::cmp::Reverse(*at)));
    let worst = worst.filter(|_| count > 1).and_then(|(at, p99)| {
        let stage = runs.iter().find_map(|run| run.stages.get(at))?;
        let rate = stage.planned_per_s.map_or(String::new(), |(from, to)| match (from, to) {
            (from, to) if from == to => format!(" ({})", per_second(from)),
            (from, to) => format!(" ({} to {})", per_second(from).trim_end_matches("/s"), per_second(to)),
        });
        Some(format!("; they waited longest in stage {} of {count}{rate}, {} at p99", at + 1, length(p99)))
    });
    let fell = |at: &usize| {
        let behind = |run: &&&RunSummary| {
            run.stages.get(*at).is_some_and(|stage| stage.kept_up.kept_up == Some(false))
        };
        2 * runs.iter().filter(behind).count() >= runs.len()
    };
    let behind = match (0..count).filter(fell).count() {
        0 => String::new(),
        some => format!("; the service fell behind in {some} of {count} stages"),
    };
    Some(said + &worst.unwrap_or_default() + &behind)
}

/// A point of the round in the middle.
fn middle(runs: &[&RunSummary], of: impl Fn(&RunSummary) -> Option<Point>) -> Option<Point> {
    let mut points: Vec<Point> = runs.iter().filter_map(|run| of(run)).collect();
    points.sort_unstable_by_key(|point| (point.value, point.at_least));
    points.get(points.len().checked_sub(1)? / 2).copied()
}

fn capitalised(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or_else(String::new, |first| first.to_uppercase().chain(rest).collect())
}

#[cfg(test)]
mod tests;
