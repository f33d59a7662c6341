//! From what analysis says to the words of `summary.json`, by hand.

use super::types::{
    Arm, Around, Corrected, DoubtEntry, Lateness, Little, Machine, Ordered, OwnReading, P99Interval, Run,
    Stalls, SummaryFile, Tester, Times, Tls,
};
use super::{FORMAT, alongside, planned, shape};
use analysis::{Distribution, Doubt, Interval, KeptUp, Point, RunSummary};
use model::{Load, Nanos, Outcome};

impl From<&analysis::Summary> for SummaryFile {
    fn from(summary: &analysis::Summary) -> SummaryFile {
        SummaryFile {
            format: FORMAT,
            question: summary.question.clone(),
            answer: summary.answer.clone(),
            verdict: summary.verdict.name(),
            doubts: doubts(&summary.doubts),
            tool_version: summary.tool_version.clone(),
            began: summary.began.clone(),
            machine: machine(&summary.machine),
            arms: Ordered(summary.arms.iter().map(|one| (one.name.clone(), arm(one))).collect()),
            comparisons: summary.comparisons.iter().map(planned::comparison).collect(),
            guesses: summary.guesses.iter().map(planned::guess).collect(),
            bounds: summary.bounds.iter().map(planned::bound).collect(),
            planned_runs: summary.planned_runs,
        }
    }
}

fn doubts(doubts: &[Doubt]) -> Vec<DoubtEntry> {
    let entry = |doubt: &Doubt| DoubtEntry {
        code: doubt.code,
        weight: doubt.weight.name(),
        says: doubt.says.clone(),
        hint: doubt.hint.clone(),
    };
    doubts.iter().map(entry).collect()
}

pub(super) fn machine(machine: &model::MachineFacts) -> Machine {
    Machine {
        processor: machine.processor.clone(),
        cores: machine.cores,
        memory_bytes: machine.memory_bytes,
        kernel: machine.kernel.clone(),
        clock_source: machine.clock_source.clone(),
        virtual_machine: machine.virtual_machine,
        governor: machine.governor.clone(),
        descriptors_soft: machine.descriptors.map(|(soft, _)| soft),
        descriptors_hard: machine.descriptors.map(|(_, hard)| hard),
        port_first: machine.ports.map(|(first, _)| first),
        port_last: machine.ports.map(|(_, last)| last),
        load_1m: machine.load_1m,
        idle_share: machine.idle_share,
        steal_share: machine.steal_share,
        watched_ns: machine.watched.map(|watched| watched.0),
    }
}

/// The runs of an arm ask for one load, so the first speaks for all.
fn arm(arm: &analysis::ArmSummary) -> Arm {
    let first = arm.runs.first();
    let load = first.map(RunSummary::load);
    let tool = first.and_then(|run| run.facts.tool.as_ref());
    Arm {
        model: load.map(Load::name),
        target_rate_per_s: load.and_then(Load::target_rate).map(model::Rate::as_per_second),
        arrivals: load.and_then(|load| match load {
            Load::Open { arrivals, .. } => Some(arrivals.name()),
            Load::Paced { .. } | Load::Closed { .. } => None,
        }),
        connections: load.and_then(Load::users),
        stalls: first.and_then(|run| run.facts.stalls_asked),
        tool: tool.map(|tool| tool.name.clone()),
        command: tool.map(|tool| tool.command.clone()),
        pooled_response_time_ns: arm.pooled.as_ref().map(|pooled| times(pooled, None)),
        windows: arm.windows.map(planned::window_spread),
        ramp: arm.ramp.as_ref().map(shape::ramp),
        runs: arm.runs.iter().map(run).collect(),
    }
}

fn run(run: &RunSummary) -> Run {
    let facts = &run.facts;
    Run {
        round: facts.round,
        verdict: run.verdict.name(),
        doubts: doubts(&run.doubts),
        interrupted: run.interrupted,
        url: facts.url.clone(),
        method: facts.method.clone(),
        seed: facts.seed.0,
        duration_s: run.duration.as_secs_f64(),
        warm_up_s: facts.warm_up.as_secs_f64(),
        timeout_s: facts.timeout.as_secs_f64(),
        schedule_hash: facts.schedule_hash.clone(),
        connection_policy: facts.connection_policy.name(),
        connection_limit: facts.connection_limit,
        scheduled: run.scheduled,
        ok: run.ok,
        failed: failed(run),
        unfinished: run.unfinished,
        never_sent: run.never_sent,
        resent: run.resent,
        rate_per_s: run.rate_per_s,
        kept_up: kept_up(run.kept_up),
        smallest_visible_shortfall: run.kept_up.smallest_visible,
        response_time_ns: times(&run.response_time, Some(run.p99_interval)),
        ok_response_time_ns: times(&run.response_time_ok, None),
        service_time_ns: times(&run.service_time, None),
        connect_time_ns: times(&run.connect_time, None),
        lateness_ns: Lateness {
            all: times(&run.lateness.all, None),
            waiting: times(&run.lateness.waiting, None),
            own: times(&run.lateness.own, None),
        },
        corrected_p99_ns: run.corrected.as_ref().map(corrected),
        stalls: run.stalls.as_ref().map(stalls),
        tester: tester(run),
        little: run.little.map(|little| Little {
            mean_in_system: little.mean_in_system,
            rate_times_mean: little.rate_times_mean,
        }),
        windows: run.windows.iter().map(planned::window).collect(),
        shape: facts.shape.as_ref().map(shape::shape),
        stages: run.stages.iter().map(shape::stage).collect(),
        bursts: run.bursts.iter().map(shape::burst).collect(),
        growth: run.growth.iter().map(shape::growth).collect(),
        completion: run.completion.as_ref().map(alongside::completion),
        readings: run.readings.iter().map(alongside::reading).collect(),
        reading_gaps: run.reading_gaps.iter().map(alongside::gap).collect(),
        near_mean_share: run.near_mean,
        told: run.told.as_ref().map(planned::told),
        machine: run.story.as_ref().map(planned::story),
        examples: Ordered(run.examples.clone()),
    }
}

pub(super) fn kept_up(kept_up: KeptUp) -> &'static str {
    match kept_up.kept_up {
        Some(true) => "yes",
        Some(false) => "no",
        None => "cannot tell",
    }
}

/// Every kind of failure, those that never happened with their zero: it was counted.
fn failed(run: &RunSummary) -> Ordered<u64> {
    let times = |name: &str| run.failed.iter().find(|(kind, _)| *kind == name).map_or(0, |(_, n)| *n);
    let kinds = Outcome::ALL.into_iter().filter(|outcome| outcome.is_failure()).map(Outcome::name);
    Ordered(kinds.map(|name| (name.to_owned(), times(name))).collect())
}

pub(super) fn times(times: &Distribution, interval: Option<Interval>) -> Times {
    let value = |point: Option<Point>| point.map(|point| point.value.0);
    let named = [
        ("p50", times.p50),
        ("p90", times.p90),
        ("p95", times.p95),
        ("p99", times.p99),
        ("p999", times.p999),
        ("max", times.max),
    ];
    let at_least = |(_, point): &(&str, Option<Point>)| point.is_some_and(|point| point.at_least);
    Times {
        n: times.n,
        censored: times.censored,
        mean: times.mean,
        p50: value(times.p50),
        p90: value(times.p90),
        p95: value(times.p95),
        p99: value(times.p99),
        p999: value(times.p999),
        max: value(times.max),
        at_least: named.into_iter().filter(at_least).map(|(name, _)| name).collect(),
        interval: interval.map(|interval| P99Interval {
            p99_low: interval.low.map(|low| low.0),
            p99_high: interval.high.map(|high| high.0),
            p99_episodes: interval.episodes,
        }),
    }
}

fn corrected(corrected: &analysis::Corrected) -> Corrected {
    let nanos = |time: Option<Nanos>| time.map(|time| time.0);
    Corrected {
        raw: corrected.raw.0,
        hdr: nanos(corrected.hdr),
        utilisation: nanos(corrected.utilisation),
        replay: nanos(corrected.replay),
        expected_interval: corrected.expected_interval.0,
        utilisation_share: corrected.utilisation_share,
        assumptions: corrected.assumptions.clone(),
    }
}

fn stalls(stalls: &analysis::StallFigures) -> Stalls {
    let around =
        stalls.around.iter().map(|bin| Around { from_ms: bin.from_ms, sent_per_stall: bin.sent_per_stall });
    Stalls {
        planned: stalls.planned,
        seen: stalls.seen,
        mean_length_ns: stalls.mean_length.map(|length| length.0),
        sent_during: stalls.sent_during,
        overlapped_share: stalls.overlapped_share,
        around: around.collect(),
    }
}

fn tester(run: &RunSummary) -> Tester {
    let tester = &run.tester;
    Tester {
        cpu_ns_per_request: tester.cpu_ns_per_request,
        sender_cpu_ns_per_request: tester.sender_cpu_ns_per_request,
        core_share: tester.core_share,
        backend: run.facts.backend.clone(),
        threads: run.facts.threads,
        peak_rss_bytes: tester.peak_rss_bytes,
        connections_opened: tester.connections_opened,
        connections_peak: tester.connections_peak,
        waited_at_limit: tester.waited_at_limit,
        limit_lowered_to: tester.limit_lowered_to,
        own_reading: tester.own_reading.map(|of| OwnReading {
            stamped: of.stamped,
            unstamped: of.unstamped,
            p50_ns: of.p50.map(|p50| p50.0),
            p99_ns: of.p99.map(|p99| p99.0),
            max_ns: of.max.map(|max| max.0),
        }),
        tls: tester.tls.as_ref().map(|of| Tls {
            agreed: of.agreed.clone(),
            verifies: of.verifies,
            handshakes: of.handshakes,
            resumed: of.resumed,
            p50_ns: of.p50.map(|p50| p50.0),
            p99_ns: of.p99.map(|p99| p99.0),
            max_ns: of.max.map(|max| max.0),
        }),
    }
}
