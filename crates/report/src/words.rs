//! The sentences and labels that the screens, the page and the demo share, so
//! that one thing is called by one name wherever it is read.

pub(crate) mod shape;

use crate::numbers::{UNKNOWN, bytes, count, counted, length, per_second, share};
use analysis::{Doubt, KeptUp, RunSummary, Slice, StallFigures, Verdict};
use model::{Load, MachineFacts, Nanos};

/// The verdict as it stands at the head of a line.
pub(crate) fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Valid => "VALID",
        Verdict::Doubtful => "DOUBTFUL",
        Verdict::Void => "VOID",
    }
}

/// Said beside VALID.
pub(crate) const NOTHING_AGAINST: &str = "nothing speaks against these numbers";

/// A doubt and what to do about it, as one text.
pub(crate) fn doubt(doubt: &Doubt) -> String {
    let says = doubt.says.trim_end_matches(['.', ':']);
    match &doubt.hint {
        Some(hint) => {
            let joint = if says.contains(": ") { ";" } else { ":" };
            format!("{says}{joint} {}", hint.trim_end_matches('.'))
        }
        None => says.to_owned(),
    }
}

/// What stands before a doubt in a list that has the gravest first: the verdict
/// before the first, and the doubt's own weight where that is less grave.
pub(crate) fn doubt_label(overall: Verdict, weight: Verdict, number: usize) -> &'static str {
    match (number, weight) {
        (0, _) => verdict(overall),
        (_, weight) if weight == overall => "",
        (_, Verdict::Valid) => "note",
        (_, Verdict::Doubtful) => "also doubtful",
        (_, Verdict::Void) => "also void",
    }
}

/// Doubts, the gravest first, otherwise in the order given.
pub(crate) fn gravest_first(doubts: &[Doubt]) -> Vec<&Doubt> {
    let mut sorted: Vec<&Doubt> = doubts.iter().collect();
    sorted.sort_by_key(|doubt| std::cmp::Reverse(doubt.weight));
    sorted
}

/// `open loop · Poisson arrivals, 500/s for 30 s · seed 7`, and when it was cut short.
pub(crate) fn what_was_run(run: &RunSummary) -> String {
    let facts = &run.facts;
    let cut = if run.interrupted { format!(", interrupted after {}", run.duration) } else { String::new() };
    let load = shape::load(facts.load, facts.shape.as_ref());
    format!("{load} for {}{cut} · seed {}", length(facts.measure), facts.seed)
}

/// `2 cores, load 0.4`: the machine in as few words as bear on a number.
pub(crate) fn machine_in_short(machine: &MachineFacts) -> String {
    let cores = machine.cores.map(|cores| counted(u64::from(cores), "core"));
    let load = machine.load_1m.map(|load| format!("load {load:.1}"));
    [cores, load].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// A load in few words, for the head of a table's row: `paced loop, 546/s on 8`.
pub(crate) fn load_in_short(load: Load) -> String {
    match load {
        Load::Open { rate, .. } => format!("open loop, {rate}"),
        Load::Paced { rate, connections } => format!("paced loop, {rate} on {connections}"),
        Load::Closed { connections } => {
            format!("closed loop, {}", counted(u64::from(connections), "connection"))
        }
    }
}

/// Where every scheduled request went: `15,013 = 15,013 ok + 0 failed + …`.
/// Books that do not balance are shown as such.
pub(crate) fn conservation(run: &RunSummary) -> String {
    let failed = run.failed_total();
    let sum = run.ok + failed + run.unfinished + run.never_sent;
    let sign = if sum == run.scheduled { "=" } else { "≠" };
    format!(
        "{} {sign} {} ok + {} failed + {} unfinished + {} never sent",
        count(run.scheduled),
        count(run.ok),
        count(failed),
        count(run.unfinished),
        count(run.never_sent)
    )
}

/// The rate done beside the rate asked for, and whether the service kept up.
pub(crate) fn rate(run: &RunSummary) -> String {
    let done = per_second(run.rate_per_s);
    match run.load().target_rate() {
        None => format!("{done} done; the service sets the pace of a closed loop"),
        Some(asked) => {
            let asked = match changes(run) {
                true => format!("{} asked on average", per_second(asked.as_per_second())),
                false => format!("{asked} asked"),
            };
            format!("{done} done, {asked}: {}", kept_up(run.kept_up))
        }
    }
}

/// Whether its load is another at one moment than at another.
pub(crate) fn changes(run: &RunSummary) -> bool {
    let changes = |shape: &model::Shape| {
        let levels = |stage: &model::Stage| stage.is_level() && stage.from == shape.stages[0].from;
        !shape.stages.iter().all(levels)
    };
    run.facts.shape.as_ref().is_some_and(changes)
}

/// The verdict of the service on the rate, with the smallest shortfall that
/// the run could have seen.
pub(crate) fn kept_up(kept_up: KeptUp) -> String {
    let limit = kept_up.smallest_visible;
    let known = limit.is_finite() && limit > 0.0 && limit < 1.0;
    match kept_up.kept_up {
        Some(true) if known => format!("kept up; a shortfall of {} would show", share(limit)),
        Some(true) => "kept up".into(),
        Some(false) => "the service fell behind".into(),
        None if known => {
            format!("cannot tell whether it kept up; only a shortfall of {} or more would show", share(limit))
        }
        None => "cannot tell whether it kept up".into(),
    }
}

/// What the run cost the tester: CPU, back end, sending threads.
pub(crate) fn tester_cost(run: &RunSummary) -> String {
    let tester = &run.tester;
    let cpu = match tester.cpu_ns_per_request {
        Some(nanos) if nanos.is_finite() => {
            format!("{} of CPU a request", Nanos(nanos.max(0.0).round() as u64))
        }
        _ => "CPU not known".into(),
    };
    let core = tester.core_share.map(|core| format!("{} of one core", share(core)));
    let threads = counted(u64::from(run.facts.threads), "thread");
    let parts = [Some(cpu), core, Some(run.facts.backend.clone()), Some(threads)];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// How far this machine was found to be on time; `None` where nobody looked.
pub(crate) fn trusted(run: &RunSummary) -> Option<String> {
    let of = run.facts.trusted.as_ref()?;
    Some(format!(
        "this machine can be trusted to {} a sending thread with an own delay within {} (p99; calibrated {})",
        crate::numbers::chosen_rate(of.per_s),
        of.within,
        of.day
    ))
}

/// What TLS agreed on and took; `None` in the clear.
pub(crate) fn tls(run: &RunSummary) -> Option<String> {
    let of = run.tester.tls.as_ref()?;
    let agreed = of.agreed.as_deref().unwrap_or("no handshake came to its end");
    let took = match (of.p50, of.p99) {
        (Some(p50), Some(p99)) => format!(", p50 {p50}, p99 {p99}, inside the response time of who waited"),
        _ => String::new(),
    };
    let trust = if of.verifies { "" } else { "; NOT VERIFIED: anybody may have answered" };
    Some(format!(
        "{agreed}; {}, {} resumed{took}{trust}",
        counted(of.handshakes, "handshake"),
        count(of.resumed)
    ))
}

/// By which clock answers were timed, and what the tester took to read them;
/// `None` where another tool sent.
pub(crate) fn answers_clock(run: &RunSummary) -> Option<String> {
    let of = run.tester.own_reading?;
    let all = of.stamped + of.unstamped;
    let (Some(p50), Some(p99), Some(max)) = (of.p50, of.p99, of.max) else {
        return (all > 0).then(|| "timed when they were read: the kernel told no stamps".to_owned());
    };
    let share = match of.unstamped {
        0 => String::new(),
        _ => format!(" ({} of {} were timed when they were read)", count(of.unstamped), count(all)),
    };
    Some(format!(
        "timed by the kernel’s receive stamps, and read after p50 {p50}, p99 {p99}, max {max}: in no time \
         above{share}"
    ))
}

/// The two parts of the lateness, where waiting for a connection was the
/// larger: then more connections, not a faster tester, would help.
pub(crate) fn lateness_split(run: &RunSummary) -> Option<String> {
    let (waiting, own) = (run.lateness.waiting.p99?, run.lateness.own.p99?);
    (waiting.value > own.value).then(|| {
        format!(
            "late mostly for want of a connection: p99 of that wait {}, of its own delay {}",
            waiting.value, own.value
        )
    })
}

/// Requests sent again, if any were.
pub(crate) fn resent(run: &RunSummary) -> Option<String> {
    (run.resent > 0).then(|| {
        format!("{} sent again on a new connection, the clock still running", counted(run.resent, "request"))
    })
}

/// What the stalls did, in one line.
pub(crate) fn stalls(figures: &StallFigures) -> String {
    format!(
        "{} of {} seen; {} sent in them; {} of all met one",
        count(figures.seen),
        count(figures.planned),
        counted(figures.sent_during, "request"),
        share(figures.overlapped_share)
    )
}

/// An outcome's name as words: `timed out`.
pub(crate) fn outcome(name: &str) -> String {
    name.replace('_', " ")
}

/// The example kept of one kind of failure, if there is one.
pub(crate) fn example<'a>(run: &'a RunSummary, outcome: &str) -> Option<&'a str> {
    run.examples.iter().find(|(name, _)| name == outcome).map(|(_, seen)| seen.as_str())
}

/// A p99's episodes, in words.
pub(crate) fn episodes(run: &RunSummary) -> String {
    match run.p99_interval.episodes {
        0 => "no separate slow event was found".into(),
        1 => "the slowest 1 % came from 1 single event".into(),
        n => format!("the slowest 1 % came from {} separate events", count(n)),
    }
}

/// The length of one slice of the counted part: `each second`, `each 500 ms`.
pub(crate) fn each_slice(slices: &[Slice]) -> String {
    match slices.first() {
        Some(slice) if slice.length == Nanos::from_secs(1) => "each second".into(),
        Some(slice) => format!("each {}", length(slice.length)),
        None => UNKNOWN.into(),
    }
}

/// The machine, fact by fact; unknown facts say so.
pub(crate) fn machine_facts(machine: &MachineFacts) -> Vec<(&'static str, String)> {
    let text = |fact: &Option<String>| fact.clone().unwrap_or_else(|| "not known".into());
    let percent = |part: Option<f64>| part.map_or("not known".into(), share);
    let watched = machine.watched.map(|watched| format!(", over {}", length(watched))).unwrap_or_default();
    vec![
        ("Processor", text(&machine.processor)),
        ("Cores it may use", machine.cores.map_or("not known".into(), |cores| cores.to_string())),
        ("Memory", machine.memory_bytes.map_or("not known".into(), bytes)),
        ("Kernel", text(&machine.kernel)),
        ("Clock source", text(&machine.clock_source)),
        (
            "Virtual machine",
            machine.virtual_machine.map_or("not known", |yes| if yes { "yes" } else { "no" }).into(),
        ),
        ("Frequency governor", text(&machine.governor)),
        (
            "Open files allowed",
            machine.descriptors.map_or("not known".into(), |(soft, hard)| {
                format!("{} (hard limit {})", count(soft), count(hard))
            }),
        ),
        (
            "Outgoing ports",
            machine.ports.map_or("not known".into(), |(first, last)| format!("{first} to {last}")),
        ),
        ("Load before, 1 min", machine.load_1m.map_or("not known".into(), |load| format!("{load:.2}"))),
        ("Idle before", format!("{}{watched}", percent(machine.idle_share))),
        ("Taken by the hypervisor", format!("{}{watched}", percent(machine.steal_share))),
    ]
}
