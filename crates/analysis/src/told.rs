//! A run of another tool that gives no time of single requests: its own figures
//! are all there is, and no number is computed from them.

use crate::doubts;
use crate::summary::{
    Distribution, Doubt, Interval, KeptUp, Lateness, Point, RunSummary, TesterFigures, Verdict,
};
use model::{Nanos, RunEnd, RunRecord, Told};

/// The run's end and what its tool told, if that is all that is known of it.
pub(crate) fn told_alone(record: &RunRecord) -> Option<(&RunEnd, &Told)> {
    record.facts.tool.as_ref()?;
    let end = record.end.as_ref()?;
    let told = end.told.as_ref().filter(|told| !told.gave_samples)?;
    Some((end, told))
}

/// What can be said of such a run.
pub(crate) fn summary(record: &RunRecord, end: &RunEnd, told: &Told) -> RunSummary {
    let facts = &record.facts;
    let duration = end.counted_until.saturating_sub(facts.warm_up);
    let (requests, failed) = (told.requests.unwrap_or(0), told.failed.unwrap_or(0));
    let seconds = duration.as_secs_f64();
    let reached = (seconds > 0.0).then(|| requests as f64 / seconds);
    let per_request = (requests > 0).then(|| end.cpu.process.0 as f64 / requests as f64);
    let doubts = doubts(record, told);
    RunSummary {
        facts: facts.clone(),
        verdict: doubts.iter().map(|doubt| doubt.weight).max().unwrap_or(Verdict::Valid),
        doubts,
        interrupted: end.interrupted,
        duration,
        scheduled: requests,
        ok: requests.saturating_sub(failed),
        // What kind of failure they were, only the tool knows.
        failed: if failed > 0 { vec![("failed_check", failed)] } else { Vec::new() },
        unfinished: 0,
        never_sent: 0,
        resent: 0,
        rate_per_s: told.rate_per_s.or(reached).unwrap_or(0.0),
        kept_up: KeptUp { kept_up: None, smallest_visible: 1.0 },
        response_time: distribution(told),
        response_time_ok: Distribution::default(),
        service_time: Distribution::default(),
        connect_time: Distribution::default(),
        p99_interval: Interval::default(),
        lateness: Lateness::default(),
        corrected: None,
        stalls: None,
        tester: TesterFigures {
            cpu_ns_per_request: per_request,
            sender_cpu_ns_per_request: per_request,
            core_share: (seconds > 0.0).then(|| end.cpu.process.as_secs_f64() / seconds),
            peak_rss_bytes: end.peak_rss_bytes,
            ..TesterFigures::default()
        },
        little: None,
        examples: end.examples.clone(),
        slices: Vec::new(),
        windows: Vec::new(),
        near_mean: None,
        told: Some(told.clone()),
        story: end.machine.clone(),
        dots: Vec::new(),
        curve: Vec::new(),
    }
}

fn distribution(told: &Told) -> Distribution {
    let point = |time: Option<Nanos>| time.map(|value| Point { value, at_least: false });
    Distribution {
        n: told.requests.unwrap_or(0),
        censored: 0,
        mean: told.mean.map(|mean| mean.0 as f64),
        p50: point(told.p50),
        p90: point(told.p90),
        p95: point(told.p95),
        p99: point(told.p99),
        p999: point(told.p999),
        max: point(told.max),
    }
}

fn doubts(record: &RunRecord, told: &Told) -> Vec<Doubt> {
    let name = record.facts.tool.as_ref().map_or("the tool", |tool| tool.name.as_str());
    let nothing = told.requests.unwrap_or(0) == 0;
    let of_tool = if nothing {
        let says = format!("{name} tells of no request, so there is nothing to report");
        doubts::doubt("no-requests", Verdict::Void, says, "look at its output in the run's folder")
    } else {
        let says = format!(
            "these are {name}'s own figures, by its own clock: it gives no time of single requests, so there is no \
             interval, no episode and no stall to see"
        );
        doubts::doubt("told-not-measured", Verdict::Valid, says, "")
    };
    let end = record.end.as_ref();
    let story = end.and_then(|end| end.machine.as_ref()).map(doubts::of_story).unwrap_or_default();
    [of_tool].into_iter().chain(story).collect()
}
