//! Doubts about the tester: whether it sent what it planned when it planned to.

use super::{Case, doubt, percent, requests};
use crate::summary::{Doubt, Verdict};
use crate::survey::has_schedule;
use model::{Nanos, SendPrecision};

/// The tester's own delay may be this share of what it measures.
const OWN_SHARE: f64 = 0.05;
/// This share of requests may be held up at the tester, since no percentile up
/// to p99.9 is then one of them.
const HELD_UP_SHARE: f64 = 0.001;
/// A sending thread busier than this has no room for what comes next.
const BUSY_SHARE: f64 = 0.9;

pub(super) fn late_sending(case: &Case) -> Option<Doubt> {
    if !case.has_answers() {
        return None;
    }
    let says = late_by_size(case).or_else(|| late_by_gap(case))?;
    let hint = match case.record.facts.precision {
        SendPrecision::Sleep => "stop what else runs here, or send exactly with `--spin`, which burns a core",
        SendPrecision::Spin { .. } => "leave the tester a core of its own (`--cpus`), or lower the rate",
    };
    Some(doubt("late-sending", Verdict::Doubtful, says, hint))
}

fn late_by_size(case: &Case) -> Option<String> {
    let own = case.summary.lateness.own.p99?.value;
    let response = case.summary.response_time.p99?.value;
    let share = own.0 as f64 / response.0.max(1) as f64;
    (share > OWN_SHARE).then(|| {
        format!(
            "the tester sent late: its own delay has a p99 of {own}, {} of the p99 measured",
            percent(share)
        )
    })
}

/// Arrivals that are late by more than the gap between them come in clumps
/// that nobody planned. A closed loop plans no gaps.
fn late_by_gap(case: &Case) -> Option<String> {
    let share = case.share(case.own_delay_above_gap);
    let late = has_schedule(case.record.facts.load) && share > HELD_UP_SHARE;
    late.then(|| {
        let gap = Nanos(case.summary.duration.0 / case.samples_counted.max(1));
        format!("the tester sent {} of requests late by more than the mean gap of {gap}", percent(share))
    })
}

/// A loop never has more requests at once than users, so a limit that leaves
/// one connection to each of them holds nothing up.
pub(super) fn connection_limit(case: &Case) -> Option<Doubt> {
    let (end, limit) = (case.end()?, case.record.facts.connection_limit);
    let enough = case.record.facts.load.users().is_some_and(|users| users <= limit);
    if enough || end.connections_peak < limit || case.waited_for_free == 0 {
        return None;
    }
    let share = case.share(case.waited_for_free);
    let says = format!(
        "all {limit} connections were in use, and {} ({}) waited at the tester for one to become free",
        requests(case.waited_for_free),
        percent(share)
    );
    let weight = if share > HELD_UP_SHARE { Verdict::Doubtful } else { Verdict::Valid };
    Some(doubt("connection-limit", weight, says, "allow more connections"))
}

/// A tester that spins burns its cores on purpose, so that this tells nothing of it.
pub(super) fn saturated(case: &Case) -> Option<Doubt> {
    let (end, facts) = (case.end()?, &case.record.facts);
    let available = case.summary.duration.0.saturating_mul(u64::from(facts.threads));
    if facts.precision != SendPrecision::Sleep || available == 0 {
        return None;
    }
    let share = end.cpu.senders.0 as f64 / available as f64;
    (share > BUSY_SHARE).then(|| {
        let says =
            format!("the tester itself was saturated: its sending threads were busy {}", percent(share));
        doubt("tester-saturated", Verdict::Doubtful, says, "lower the rate, or use more threads or cores")
    })
}
