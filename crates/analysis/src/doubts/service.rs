//! Doubts about what the service did, as far as it bears on the numbers.

use super::shape::{asks_of_the_whole, is_ramp};
use super::{Case, counted, doubt, percent, requests};
use crate::summary::{Doubt, Verdict};
use model::{Load, RunFacts};

/// With this share of failures the p99 itself is one.
const MANY_FAILURES: f64 = 0.01;
/// Fewer cut-off requests than this share are a remark, since no percentile up to p99.9 can be one.
const MANY_CUT_OFF: f64 = 0.001;

pub(super) fn failures(case: &Case) -> Option<Doubt> {
    let failed = case.summary.failed_total();
    let share = case.share(failed);
    if !case.has_answers() || share < MANY_FAILURES {
        return None;
    }
    let (worst, count) = case.summary.failed.first()?;
    let says = format!(
        "{} of requests failed ({count} {}), and count as at least the time limit of {}",
        percent(share),
        worst.replace('_', " "),
        case.record.facts.timeout
    );
    // What fails past a service's capacity, or in a burst, is what the load is to show.
    let weight = if asks_of_the_whole(case) { Verdict::Doubtful } else { Verdict::Valid };
    Some(doubt("failures", weight, says, "look at the examples, and at the service's own log"))
}

pub(super) fn cut_off(case: &Case) -> Option<Doubt> {
    let (unfinished, never_sent) = (case.summary.unfinished, case.summary.never_sent);
    let share = case.share(unfinished + never_sent);
    if !case.has_answers() || unfinished + never_sent == 0 {
        return None;
    }
    let says = format!(
        "{} ({}) had no answer when the run ended, {never_sent} of them never sent: their waits are lower bounds",
        requests(unfinished + never_sent),
        percent(share)
    );
    // A ramp ends where the service no longer follows, with a queue.
    let weight = if share > MANY_CUT_OFF && !is_ramp(case) { Verdict::Doubtful } else { Verdict::Valid };
    Some(doubt("cut-off", weight, says, "allow more time for answers at the end, or lower the rate"))
}

pub(super) fn fell_behind(case: &Case) -> Option<Doubt> {
    let open = matches!(case.record.facts.load, Load::Open { .. });
    let asked = asks_of_the_whole(case);
    let behind = asked && case.has_answers() && open && case.summary.kept_up.kept_up == Some(false);
    behind.then(|| {
        let says = match case.summary.failed_total() {
            0 => "the service fell behind: its percentiles describe a growing queue, and would be larger \
                  in a longer run"
                .to_owned(),
            failed => format!(
                "the service did not keep up: it gave {:.0} answers a second, and {} failed",
                case.summary.rate_per_s,
                requests(failed)
            ),
        };
        doubt("fell-behind", Verdict::Doubtful, says, "lower the rate until it keeps up")
    })
}

pub(super) fn below_rate(case: &Case) -> Option<Doubt> {
    let Load::Paced { rate, .. } = case.record.facts.load else { return None };
    let below = asks_of_the_whole(case) && case.has_answers() && case.summary.kept_up.kept_up == Some(false);
    below.then(|| {
        let reached = case.summary.rate_per_s;
        let says = format!("the loop reached {reached:.0}/s of {rate}: it asked for less than planned");
        doubt("below-rate", Verdict::Doubtful, says, "use an open loop, or more connections")
    })
}

/// The service must stall as planned, or runs do not meet the same stalls. A
/// run cut short has had fewer, and is doubted for that already.
pub(super) fn stalls(case: &Case) -> Option<Doubt> {
    if case.end()?.interrupted {
        return None;
    }
    let figures = case.summary.stalls.as_ref().map(|stalls| (stalls.planned, stalls.seen));
    stalls_amiss(&case.record.facts, figures)
}

/// The doubt about a run whose stalls are `figures`: planned, and seen in the
/// counted part.
pub(crate) fn stalls_amiss(facts: &RunFacts, figures: Option<(u64, u64)>) -> Option<Doubt> {
    let says = match (figures, &facts.tool) {
        (Some((planned, seen)), _) if seen != planned => {
            let were = if planned == 1 { "was" } else { "were" };
            format!("{} {were} planned and the service had {seen}", counted(planned, "stall"))
        }
        (None, None) if facts.stalls_asked == Some(true) => {
            "stalls were asked for, and the service does not tell of any".to_owned()
        }
        (None, Some(tool)) if facts.stalls_asked == Some(true) => format!(
            "stalls were asked for, and none can be laid beside {}'s requests: the service does not tell of any, \
             or the tool's clock is its own",
            tool.name
        ),
        _ => return None,
    };
    Some(doubt("stalls", Verdict::Doubtful, says, "start the service afresh and measure again"))
}
