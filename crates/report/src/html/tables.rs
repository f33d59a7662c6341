//! The tables of the page.

use super::markup::{Cell, table};
use crate::arms::Pair;
use crate::lesson::Lesson;
use crate::numbers::{UNKNOWN, count, mean, measured, per_second, point, share};
use crate::words;
use analysis::{ArmSummary, Distribution, RunSummary, Summary, Verdict};
use model::Nanos;

fn is_void(run: &RunSummary) -> bool {
    run.verdict == Verdict::Void
}

/// Every run of every arm, in order.
fn runs<'a>(arms: &[&'a ArmSummary]) -> Vec<(&'a ArmSummary, &'a RunSummary)> {
    arms.iter().flat_map(|arm| arm.runs.iter().map(|run| (*arm, run))).collect()
}

/// The times of every run, by each of its clocks; void runs without theirs.
pub(super) fn distributions(arms: &[&ArmSummary]) -> String {
    let rows: Vec<Vec<Cell>> = runs(arms)
        .into_iter()
        .flat_map(|(arm, run)| clocks(run).into_iter().map(move |(clock, times)| (arm, run, clock, times)))
        .map(|(arm, run, clock, times)| {
            let first = [Cell::Text(arm.name.clone()), Cell::Number(run.facts.round.to_string())];
            first.into_iter().chain(distribution(run, clock, times)).collect()
        })
        .collect();
    let heads = [
        "arm",
        "round",
        "clock",
        "requests",
        "lower bounds",
        "mean",
        "p50",
        "p90",
        "p95",
        "p99",
        "p99.9",
        "max",
    ];
    table(&heads, &rows)
}

fn clocks(run: &RunSummary) -> Vec<(&'static str, &Distribution)> {
    let mut clocks = vec![("response, scheduled → done", &run.response_time)];
    if run.ok < run.scheduled {
        clocks.push(("response of those answered as expected", &run.response_time_ok));
    }
    clocks.push(("service, sent → done", &run.service_time));
    clocks.push(("late by, scheduled → sent", &run.lateness.all));
    clocks.push(("late for want of a connection", &run.lateness.waiting));
    clocks.push(("late by own delay", &run.lateness.own));
    clocks.push(("connecting, where it had to", &run.connect_time));
    clocks
}

fn distribution(run: &RunSummary, clock: &str, times: &Distribution) -> Vec<Cell> {
    let mut cells =
        vec![Cell::Text(clock.into()), Cell::Number(count(times.n)), Cell::Number(count(times.censored))];
    let values = [mean(times.mean), point(times.p50), point(times.p90), point(times.p95), point(times.p99)];
    let values = values.into_iter().chain([point(times.p999), point(times.max)]);
    cells.extend(values.map(|value| Cell::Number(if is_void(run) { "void".into() } else { value })));
    cells
}

/// The answer of a comparison with calm twins: one row a tester.
pub(super) fn lesson(lesson: &Lesson<'_>) -> String {
    let usable = |run: Option<&RunSummary>| {
        run.filter(|run| !is_void(run)).and_then(|run| run.response_time.p99).map(|p99| p99.value)
    };
    let most = lesson.testers().filter_map(|tester| usable(tester.stalled)).max().unwrap_or(Nanos::ZERO);
    let p99 = |run: Option<&RunSummary>| match run {
        None => UNKNOWN.into(),
        Some(run) if is_void(run) => "void".into(),
        Some(run) => measured(run.response_time.p99, run.p99_interval).value,
    };
    let rows: Vec<Vec<Cell>> = lesson
        .testers()
        .map(|tester| {
            let sent = tester.stalled.and_then(|run| run.stalls.as_ref());
            let bar = usable(tester.stalled).map(|value| value.0 as f64 / most.0.max(1) as f64);
            vec![
                Cell::Text(tester.label.clone()),
                Cell::Number(p99(tester.calm)),
                Cell::Strong(p99(tester.stalled)),
                Cell::Bar(bar),
                Cell::Number(sent.map_or(UNKNOWN.into(), |stalls| count(stalls.sent_during))),
            ]
        })
        .collect();
    table(&["tester", "p99 calm", "p99 with stalls", "linear from 0", "sent during stalls"], &rows)
}

/// The answer in figures: the three clocks of a single run.
pub(super) fn clocks_of_one(run: &RunSummary) -> String {
    let row = |name: &str, clock: &str, times: &Distribution, p99: String| {
        vec![
            Cell::Text(name.into()),
            Cell::Number(point(times.p50)),
            Cell::Number(point(times.p90)),
            Cell::Strong(p99),
            Cell::Number(point(times.p999)),
            Cell::Number(point(times.max)),
            Cell::Text(clock.into()),
        ]
    };
    let (response, service, late) = (&run.response_time, &run.service_time, &run.lateness.all);
    let p99 = measured(response.p99, run.p99_interval).value;
    let mut rows = vec![row("response time", "scheduled → done", response, p99)];
    if run.ok < run.scheduled {
        let ok = &run.response_time_ok;
        rows.push(row("if answered as expected", "scheduled → done", ok, point(ok.p99)));
    }
    rows.push(row("service time", "sent → done", service, point(service.p99)));
    rows.push(row("sent late by", "scheduled → sent", late, point(late.p99)));
    table(&["", "p50", "p90", "p99", "p99.9", "max", "clock"], &rows)
}

/// The answer of any other experiment: a row a run.
pub(super) fn every_run(summary: &Summary) -> String {
    let arms: Vec<&ArmSummary> = summary.arms.iter().collect();
    let rows: Vec<Vec<Cell>> = runs(&arms)
        .into_iter()
        .map(|(arm, run)| {
            let p99 = measured(run.response_time.p99, run.p99_interval);
            let unless_void = |text: String| if is_void(run) { UNKNOWN.into() } else { text };
            vec![
                Cell::Text(arm.name.clone()),
                Cell::Number(run.facts.round.to_string()),
                Cell::Number(unless_void(point(run.response_time.p50))),
                Cell::Strong(unless_void(p99.value)),
                Cell::Text(unless_void(p99.bracket)),
                Cell::Number(unless_void(per_second(run.rate_per_s))),
                Cell::Text(words::verdict(run.verdict).to_lowercase()),
            ]
        })
        .collect();
    table(&["arm", "round", "p50", "p99", "95 % interval of the p99", "done", "measurement"], &rows)
}

/// Where the requests of every run went, and what the run cost.
pub(super) fn accounts(summary: &Summary) -> String {
    let arms: Vec<&ArmSummary> = summary.arms.iter().collect();
    let number = |number: u64| Cell::Number(count(number));
    let rows: Vec<Vec<Cell>> = runs(&arms)
        .into_iter()
        .map(|(arm, run)| {
            let late = |text: String| Cell::Number(if is_void(run) { "void".into() } else { text });
            vec![
                Cell::Text(arm.name.clone()),
                Cell::Number(run.facts.round.to_string()),
                number(run.scheduled),
                number(run.ok),
                number(run.failed_total()),
                number(run.unfinished),
                number(run.never_sent),
                number(run.resent),
                late(per_second(run.rate_per_s)),
                late(point(run.lateness.all.p99)),
                Cell::Number(mean(run.tester.cpu_ns_per_request)),
                Cell::Number(run.tester.core_share.map_or(UNKNOWN.into(), share)),
            ]
        })
        .collect();
    let heads = [
        "arm",
        "round",
        "scheduled",
        "ok",
        "failed",
        "unfinished",
        "never sent",
        "resent",
        "done",
        "late, p99",
        "CPU a request",
        "of one core",
    ];
    table(&heads, &rows)
}

/// Every kind of failure of every run, with an example; `None` if nothing failed.
pub(super) fn failures(summary: &Summary) -> Option<String> {
    let arms: Vec<&ArmSummary> = summary.arms.iter().collect();
    let rows: Vec<Vec<Cell>> = runs(&arms)
        .into_iter()
        .flat_map(|(arm, run)| run.failed.iter().map(move |failed| (arm, run, failed)))
        .filter(|(_, _, (_, failed))| *failed > 0)
        .map(|(arm, run, (outcome, failed))| {
            vec![
                Cell::Text(arm.name.clone()),
                Cell::Number(run.facts.round.to_string()),
                Cell::Number(count(*failed)),
                Cell::Text(words::outcome(outcome)),
                Cell::Long(words::example(run, outcome).unwrap_or(UNKNOWN).into()),
            ]
        })
        .collect();
    (!rows.is_empty()).then(|| table(&["arm", "round", "requests", "how", "for example"], &rows))
}

/// Raw and corrected p99s with what they assume; `None` if no run has any.
pub(super) fn corrections(pairs: &[Pair<'_>]) -> Option<String> {
    let arms: Vec<&ArmSummary> = pairs.iter().flat_map(Pair::arms).collect();
    let time = |time: Option<Nanos>| Cell::Number(time.map_or("refused".into(), |time| time.to_string()));
    let rows: Vec<Vec<Cell>> = runs(&arms)
        .into_iter()
        .filter(|(_, run)| !is_void(run))
        .filter_map(|(arm, run)| Some((arm, run, run.corrected.as_ref()?)))
        .map(|(arm, run, corrected)| {
            vec![
                Cell::Text(arm.name.clone()),
                Cell::Number(run.facts.round.to_string()),
                Cell::Number(corrected.raw.to_string()),
                time(corrected.hdr),
                time(corrected.utilisation),
                Cell::Long(corrected.assumptions.join("; ")),
            ]
        })
        .collect();
    let heads = ["arm", "round", "as measured", "HdrHistogram’s rule", "for a busy service", "how"];
    (!rows.is_empty()).then(|| table(&heads, &rows))
}

/// What each arm was told to do.
pub(super) fn plan(summary: &Summary) -> String {
    let rows: Vec<Vec<Cell>> = summary
        .arms
        .iter()
        .filter_map(|arm| Some((arm, arm.runs.first()?)))
        .map(|(arm, run)| {
            let facts = &run.facts;
            vec![
                Cell::Text(arm.name.clone()),
                Cell::Text(words::shape::load(facts.load, facts.shape.as_ref())),
                Cell::Text(match facts.stalls_asked {
                    Some(true) => "asked for".into(),
                    Some(false) => "none".into(),
                    None => "not in our hands".into(),
                }),
                Cell::Number(crate::numbers::length(facts.warm_up)),
                Cell::Number(crate::numbers::length(facts.measure)),
                Cell::Number(crate::numbers::length(facts.timeout)),
                Cell::Text(format!(
                    "{}, at most {}",
                    facts.connection_policy.name(),
                    count(facts.connection_limit.into())
                )),
                Cell::Number(facts.seed.to_string()),
                Cell::Text(
                    facts
                        .schedule_hash
                        .as_ref()
                        .map_or(UNKNOWN.into(), |hash| hash.chars().take(12).collect()),
                ),
            ]
        })
        .collect();
    let heads = [
        "arm",
        "load",
        "stalls",
        "warm-up",
        "counted",
        "time limit",
        "connections",
        "seed",
        "schedule (SHA-256)",
    ];
    table(&heads, &rows)
}
