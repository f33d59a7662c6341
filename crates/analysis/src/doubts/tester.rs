//! Doubts about the tester: whether it sent what it planned when it planned to.

use super::{Case, doubt, percent, requests};
use crate::summary::{Doubt, Verdict};
use crate::survey::has_schedule;
use model::{Load, Nanos, SendPrecision};

/// The tester's own delay may be this share of what it measures.
const OWN_SHARE: f64 = 0.05;
/// This share of requests may be held up at the tester, since no percentile up
/// to p99.9 is then one of them.
const HELD_UP_SHARE: f64 = 0.001;
/// Above 10,000 requests a second a gap is as short as the kernel's timer is late.
const SHORTEST_GAP: Nanos = Nanos::from_micros(100);
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

/// A remark: another tool's samples are timed by that tool.
pub(super) fn own_clock(case: &Case) -> Option<Doubt> {
    let tool = case.record.facts.tool.as_ref()?;
    let says = format!(
        "{} timed these requests itself, each from the moment at which it began to send it: what it was \
         late by is in no number",
        tool.name
    );
    case.has_answers().then(|| doubt("tools-own-clock", Verdict::Valid, says, ""))
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
///
/// Gaps shorter than [`SHORTEST_GAP`] are left out. Latency is measured from
/// the schedule, so that lateness makes it worse and never better; how much,
/// the rule by size tells. At such rates every timer clumps arrivals, and
/// a clump says nothing that the numbers do not.
fn late_by_gap(case: &Case) -> Option<String> {
    if case.summary.duration.0 / case.samples_counted.max(1) < SHORTEST_GAP.0 {
        return None;
    }
    let share = case.share(case.own_delay_above_gap);
    let late = has_schedule(case.record.facts.load) && share > HELD_UP_SHARE;
    late.then(|| {
        let gap = Nanos(case.summary.duration.0 / case.samples_counted.max(1));
        format!("the tester sent {} of requests late by more than the mean gap of {gap}", percent(share))
    })
}

/// By what the engine saw: peaks need not have come at one moment, and a wait
/// for a connection need not have been one for a free place.
pub(super) fn connection_limit(case: &Case) -> Option<Doubt> {
    let (waited, limit) = (case.end()?.waited_at_limit, case.record.facts.connection_limit);
    if waited == 0 {
        return None;
    }
    let share = case.share(waited);
    let says = format!(
        "{} ({}) waited at the tester, as no more than {limit} connections were allowed",
        requests(waited),
        percent(share)
    );
    let weight = if share > HELD_UP_SHARE { Verdict::Doubtful } else { Verdict::Valid };
    Some(doubt("connection-limit", weight, says, "allow more connections"))
}

pub(super) fn limit_lowered(case: &Case) -> Option<Doubt> {
    let allowed = case.end()?.limit_lowered_to?;
    let says = format!(
        "this machine allowed only {allowed} connection{} at some moment (no descriptor, port or memory left); \
         requests waited for those",
        if allowed == 1 { "" } else { "s" }
    );
    let hint = "raise the limit of open files (`ulimit -n`), or keep connections open for longer";
    Some(doubt("limit-lowered", Verdict::Doubtful, says, hint))
}

/// A tester that spins burns its cores on purpose, so that this tells nothing of
/// it; and how many threads another tool sends from, only that tool knows.
pub(super) fn saturated(case: &Case) -> Option<Doubt> {
    let (end, facts) = (case.end()?, &case.record.facts);
    let available = case.summary.duration.0.saturating_mul(u64::from(facts.threads));
    if facts.precision != SendPrecision::Sleep || facts.tool.is_some() || available == 0 {
        return None;
    }
    let share = end.cpu.senders.0 as f64 / available as f64;
    (share > BUSY_SHARE).then(|| {
        let says =
            format!("the tester itself was saturated: its sending threads were busy {}", percent(share));
        doubt("tester-saturated", Verdict::Doubtful, says, "lower the rate, or use more threads or cores")
    })
}

/// Whoever takes anybody's certificate may have measured somebody else.
pub(super) fn not_verified(case: &Case) -> Option<Doubt> {
    let tls = case.summary.tester.tls.as_ref().filter(|tls| !tls.verifies)?;
    let says = format!(
        "the peer did not have to show who it is ({}): anybody may have answered",
        tls.agreed.as_deref().unwrap_or("no handshake came to its end")
    );
    Some(doubt(
        "not-verified",
        Verdict::Doubtful,
        says,
        "name its authority (`ca`), and leave `insecure` out",
    ))
}

/// A calibration says up to which rate this machine sends on time; beyond it,
/// nobody has looked.
pub(super) fn beyond_calibration(case: &Case) -> Option<Doubt> {
    let facts = &case.record.facts;
    let trusted = facts.trusted.as_ref().filter(|_| facts.tool.is_none())?;
    let Load::Open { rate, .. } = facts.load else { return None };
    let largest = facts.shape.as_ref().and_then(|shape| shape.per_second(shape.largest()));
    let asked = largest.unwrap_or(rate.as_per_second());
    let can = trusted.per_s * f64::from(facts.threads);
    (asked > can).then(|| {
        let says = format!(
            "{asked:.0}/s were asked of {}, and this machine was found to be on time up to {:.0}/s each ({}, own \
             delay within {} for 99 of 100)",
            super::counted(u64::from(facts.threads), "sending thread"),
            trusted.per_s,
            trusted.day,
            trusted.within
        );
        doubt("beyond-calibration", Verdict::Doubtful, says, "use more `threads`, or a machine that sends more")
    })
}
