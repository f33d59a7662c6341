//! Doubts about our own books: what they count must agree, or nothing holds.

use super::{Case, doubt, percent, requests};
use crate::summary::{Doubt, Little, Verdict};

/// How far the two sides of Little's law may lie apart.
const LITTLE_MARGIN: f64 = 0.02;

pub(super) fn no_requests(case: &Case) -> Option<Doubt> {
    (case.samples_counted == 0).then(|| {
        let says = "no request was counted: there is nothing to report".to_owned();
        doubt("no-requests", Verdict::Void, says, "measure longer, or at a higher rate")
    })
}

pub(super) fn everything_failed(case: &Case) -> Option<Doubt> {
    if case.samples_counted == 0 || case.has_answers() {
        return None;
    }
    let summary = case.summary;
    let cut_off = [("unfinished", summary.unfinished), ("never_sent", summary.never_sent)];
    let (outcome, count) =
        summary.failed.iter().copied().chain(cut_off).reduce(|a, b| if b.1 > a.1 { b } else { a })?;
    let example = summary.examples.iter().find(|(name, _)| name == outcome);
    let example = example.map(|(_, seen)| format!(" ({seen})")).unwrap_or_default();
    let says = format!(
        "none of {} was answered as expected: {count} {}{example}",
        requests(case.samples_counted),
        outcome.replace('_', " ")
    );
    Some(doubt("everything-failed", Verdict::Void, says, "check the URL, the request and what it expects"))
}

/// scheduled = ok + failed + unfinished + never sent, in every run.
pub(super) fn conservation(case: &Case) -> Option<Doubt> {
    let (end, summary) = (case.end()?, case.summary);
    let failed = summary.failed_total();
    let sum = summary.ok + failed + summary.unfinished + summary.never_sent;
    (end.taken_counted != sum).then(|| {
        let says = format!(
            "our own books disagree: {} became due, and {} ok + {failed} failed + {} unfinished + {} never sent \
             make {sum}",
            requests(end.taken_counted),
            summary.ok,
            summary.unfinished,
            summary.never_sent
        );
        doubt("conservation", Verdict::Void, says, "this is a fault of the tester: please report it")
    })
}

/// The same over the whole run, whose warm-up enters no other number.
pub(super) fn samples_missing(case: &Case) -> Option<Doubt> {
    let end = case.end()?;
    (end.taken != case.samples_all).then(|| {
        let says = format!(
            "our own books disagree: {} became due over the whole run, and there are {} samples",
            requests(end.taken),
            case.samples_all
        );
        doubt("samples-missing", Verdict::Void, says, "this is a fault of the tester: please report it")
    })
}

/// In the open model every planned arrival becomes due, unless it was stopped.
pub(super) fn plan_not_kept(case: &Case) -> Option<Doubt> {
    let (end, (warm_up, counted)) = (case.end()?, case.record.facts.planned?);
    let kept = end.taken_counted == counted && end.taken == warm_up + counted;
    (!kept && !end.interrupted).then(|| {
        let says = format!(
            "{} were planned ({warm_up} of them warm-up) and {} became due ({} of them warm-up)",
            requests(warm_up + counted),
            end.taken,
            end.taken.saturating_sub(end.taken_counted)
        );
        doubt("plan-not-kept", Verdict::Void, says, "this is a fault of the tester: please report it")
    })
}

pub(super) fn samples_lost(case: &Case) -> Option<Doubt> {
    let lost = case.end()?.samples_lost;
    (lost > 0).then(|| {
        let says = format!("{lost} sample{} could not be kept", if lost == 1 { "" } else { "s" });
        doubt("samples-lost", Verdict::Void, says, "free space on the disk, or lower the rate")
    })
}

/// Little's law, both of whose sides are our own: the engine's sum over time
/// against the samples' sum over requests. Both are sums of the same stays,
/// so this finds rows lost, doubled or altered on the way, and nothing about
/// the service.
pub(super) fn little(case: &Case) -> Option<Doubt> {
    let Little { mean_in_system, rate_times_mean } = case.summary.little?;
    let apart = (mean_in_system - rate_times_mean).abs();
    let larger = mean_in_system.max(rate_times_mean);
    (apart > LITTLE_MARGIN * larger).then(|| {
        let says = format!(
            "our own books disagree by {}: {mean_in_system:.3} requests were in the system on average as the engine \
             summed it up, {rate_times_mean:.3} by the samples (Little's law)",
            percent(apart / larger)
        );
        doubt("little", Verdict::Void, says, "this is a fault of the tester: please report it")
    })
}
