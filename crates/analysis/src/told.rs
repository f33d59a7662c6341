//! A run of another tool that gives no time of single requests: its own figures
//! are all there is, and no number is computed from them.
//!
//! Rules about samples, schedules and lateness do not apply to it. Those that
//! do are here: whether there is anything to report, what failed, whether it
//! was cut short, and what stalls and machine did meanwhile.

use crate::doubts::{self, counted, doubt};
use crate::summary::{
    Distribution, Doubt, Interval, KeptUp, Lateness, Point, RunSummary, TesterFigures, Verdict,
};
use model::{Nanos, RunEnd, RunFacts, RunRecord, Span, Told};

/// With this share of failures the tool's p99 may be one.
const MANY_FAILURES: f64 = 0.01;

/// The run's end and what its tool told, if that is all that is known of it. A
/// command whose output nobody reads tells nothing.
pub(crate) fn told_alone(record: &RunRecord) -> Option<(&RunEnd, Told)> {
    record.facts.tool.as_ref()?;
    let end = record.end.as_ref()?;
    let told = end.told.clone().unwrap_or_default();
    (!told.gave_samples).then_some((end, told))
}

/// What can be said of such a run.
pub(crate) fn summary(record: &RunRecord, end: &RunEnd, told: &Told) -> RunSummary {
    let facts = &record.facts;
    let duration = counted_part(facts, end).length();
    let (requests, failed) = (told.requests.unwrap_or(0), told.failed.unwrap_or(0));
    let seconds = duration.as_secs_f64();
    let reached = (seconds > 0.0).then(|| requests as f64 / seconds);
    let per_request = (requests > 0).then(|| end.cpu.process.0 as f64 / requests as f64);
    let doubts = doubts(facts, end, told);
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
        stages: Vec::new(),
        bursts: Vec::new(),
        growth: Vec::new(),
        completion: None,
        readings: Vec::new(),
        reading_gaps: Vec::new(),
        near_mean: None,
        told: end.told.clone(),
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

fn doubts(facts: &RunFacts, end: &RunEnd, told: &Told) -> Vec<Doubt> {
    let name = facts.tool.as_ref().map_or("the tool", |tool| tool.name.as_str());
    let rules =
        [nothing(name, told), everything_failed(name, told), own_figures(name, told), failures(name, told)];
    let story = end.machine.as_ref().map(doubts::of_story).unwrap_or_default();
    let rules = rules.into_iter().chain([interrupted(facts, end), stalls(facts, end)]);
    rules.flatten().chain(story).collect()
}

/// No empty success: a load test that tells of no request tells nothing.
fn nothing(name: &str, told: &Told) -> Option<Doubt> {
    (told.requests.unwrap_or(0) == 0).then(|| {
        let says = format!("{name} tells of no request, so there is nothing to report");
        doubt("no-requests", Verdict::Void, says, "look at its output in the run's folder")
    })
}

fn everything_failed(name: &str, told: &Told) -> Option<Doubt> {
    let (requests, failed) = (told.requests.filter(|requests| *requests > 0)?, told.failed?);
    (failed >= requests).then(|| {
        let says = format!("by its own count all of {name}'s {} failed", counted(requests, "request"));
        doubt("everything-failed", Verdict::Void, says, "check the tool's command, its URL and what it sends")
    })
}

/// A remark: what no number here can show.
fn own_figures(name: &str, told: &Told) -> Option<Doubt> {
    told.requests.filter(|requests| *requests > 0)?;
    let says = format!(
        "these are {name}'s own figures, by its own clock: it gives no time of single requests, so there is no \
         interval, no episode and no stall to see"
    );
    Some(doubt("told-not-measured", Verdict::Valid, says, ""))
}

/// How a tool counts the time of what failed, only it knows: mostly as it took,
/// so that failing fast makes its percentiles better.
fn failures(name: &str, told: &Told) -> Option<Doubt> {
    let (requests, failed) = (told.requests?, told.failed?);
    let share = failed as f64 / requests.max(1) as f64;
    (share >= MANY_FAILURES && failed < requests).then(|| {
        let says = format!(
            "{} of {name}'s requests failed by its own count ({failed}), and may be in its figures as fast ones",
            doubts::percent(share)
        );
        doubt("failures", Verdict::Doubtful, says, "look at its output, and at the service's own log")
    })
}

fn interrupted(facts: &RunFacts, end: &RunEnd) -> Option<Doubt> {
    end.interrupted.then(|| {
        let says =
            format!("it was interrupted after {} of {}", counted_part(facts, end).length(), facts.measure);
        doubt("interrupted", Verdict::Doubtful, says, "measure again")
    })
}

/// The service must stall as planned under every tester, or they cannot be compared.
fn stalls(facts: &RunFacts, end: &RunEnd) -> Option<Doubt> {
    let part = counted_part(facts, end);
    let seen = |stalls: &model::Stalls| stalls.seen.iter().filter(|stall| part.contains(stall.began)).count();
    let figures = end.stalls.as_ref().map(|stalls| (stalls.planned, seen(stalls) as u64));
    doubts::stalls_amiss(facts, figures).filter(|_| !end.interrupted)
}

fn counted_part(facts: &RunFacts, end: &RunEnd) -> Span {
    Span { began: facts.warm_up, ended: end.counted_until.max(facts.warm_up) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Run;
    use model::{MachineStory, Stalls, ToolFacts};

    /// A run of wrk for 30 s, changed.
    fn judged(change: impl FnOnce(&mut Run, &mut Told)) -> RunSummary {
        let mut run = Run::looped(false);
        run.samples.clear();
        run.agree();
        run.record.facts.tool =
            Some(ToolFacts { name: "wrk".to_owned(), command: "wrk -c 8 URL".to_owned() });
        let ms = |value| Some(Nanos::from_millis(value));
        let mut told = Told {
            requests: Some(30_000),
            failed: Some(0),
            p50: ms(1),
            p99: ms(7),
            max: ms(101),
            ..Told::default()
        };
        change(&mut run, &mut told);
        run.end().told = Some(told).filter(|told| *told != Told::default());
        run.judged()
    }

    fn doubts(summary: &RunSummary) -> Vec<(&str, Verdict)> {
        summary.doubts.iter().map(|doubt| (doubt.code, doubt.weight)).collect()
    }

    const REMARK: (&str, Verdict) = ("told-not-measured", Verdict::Valid);

    #[test]
    fn a_tools_own_figures_are_quoted_and_nothing_is_made_of_them() {
        let run = judged(|_, told| told.failed = Some(30));
        assert_eq!((run.scheduled, run.ok, run.failed_total()), (30_000, 29_970, 30));
        let time = &run.response_time;
        assert_eq!(time.p99, Some(Point { value: Nanos::from_millis(7), at_least: false }));
        assert_eq!((time.n, time.mean, time.p90), (30_000, None, None));
        assert_eq!(run.rate_per_s, 1_000.0);
        assert_eq!(run.tester.cpu_ns_per_request, Some(10_000.0));
        assert_eq!((&run.service_time, &run.lateness), (&Distribution::default(), &Lateness::default()));
        assert_eq!((run.p99_interval, &run.corrected, &run.stalls), (Interval::default(), &None, &None));
        assert!(run.slices.is_empty() && run.windows.is_empty() && run.curve.is_empty());
        assert_eq!((doubts(&run), run.verdict), (vec![REMARK], Verdict::Valid));
        assert_eq!(judged(|_, told| told.rate_per_s = Some(1_003.5)).rate_per_s, 1_003.5);
    }

    #[test]
    fn a_tool_that_tells_of_no_request_is_no_success() {
        let void = vec![("no-requests", Verdict::Void)];
        assert_eq!(doubts(&judged(|_, told| told.requests = Some(0))), void);
        assert_eq!(doubts(&judged(|_, told| *told = Told::default())), void);
        let failed = judged(|_, told| told.failed = Some(30_000));
        assert_eq!(failed.verdict, Verdict::Void);
        assert!(doubts(&failed).contains(&("everything-failed", Verdict::Void)));
    }

    #[test]
    fn many_failures_make_a_tools_figures_doubtful() {
        let with = |failed| doubts(&judged(|_, told| told.failed = Some(failed))).len();
        assert_eq!((with(299), with(300)), (1, 2));
        let run = judged(|_, told| told.failed = Some(300));
        assert_eq!(doubts(&run), [REMARK, ("failures", Verdict::Doubtful)]);
    }

    #[test]
    fn what_befell_the_run_bears_on_a_tools_figures_too() {
        let cut = judged(|run, _| run.end().interrupted = true);
        assert_eq!(doubts(&cut), [REMARK, ("interrupted", Verdict::Doubtful)]);
        let loud = judged(|run, _| {
            run.end().machine = Some(MachineStory { other_cores: Some(0.5), ..MachineStory::default() });
        });
        assert_eq!(doubts(&loud), [REMARK, ("others-running", Verdict::Doubtful)]);
        let stall = |at| Span { began: Nanos::from_secs(at), ended: Nanos::from_secs(at) + Nanos(1) };
        let stalls = |planned| {
            let seen = vec![stall(0), stall(5), stall(10)];
            doubts(&judged(|run, _| run.end().stalls = Some(Stalls { planned, seen }))).len()
        };
        // The first lies in the warm-up.
        assert_eq!((stalls(2), stalls(3)), (1, 2));
    }
}
