//! Doubts about how much there is to judge by: runs cut short, and too short.

use super::shape::asks_of_the_whole;
use super::{Case, doubt, requests};
use crate::summary::{Doubt, Interval, Verdict};
use model::Nanos;

/// With fewer requests the p99 is the slowest one.
const FEWEST_REQUESTS: u64 = 100;
/// With fewer episodes a run cannot give a p99: its interval covers the truth
/// in less than nine of ten runs.
const FEWEST_EPISODES: u64 = 5;
/// From here on the interval holds what it promises.
const ENOUGH_EPISODES: u64 = 10;
/// A run as long as it promises to have this many, so that it has enough.
const WANTED_EPISODES: u64 = 12;

pub(super) fn killed(case: &Case) -> Option<Doubt> {
    case.end().is_none().then(|| {
        let missing = match (case.record.facts.load.users(), case.unseen) {
            (Some(_), _) => ", and up to one request a user is missing, with its wait".to_owned(),
            (None, 0) => ", and those that were waiting then are missing".to_owned(),
            (None, unseen) => format!(
                "; {} more were due and have no row, so nothing is known of how long they waited",
                requests(unseen)
            ),
        };
        let says = format!(
            "the tester was killed: {} from before it remain{missing}",
            requests(case.samples_counted)
        );
        doubt("killed", Verdict::Doubtful, says, "measure again")
    })
}

pub(super) fn interrupted(case: &Case) -> Option<Doubt> {
    case.end()?.interrupted.then(|| {
        let (after, planned) = (case.summary.duration, case.record.facts.measure);
        let says = format!("it was interrupted after {after} of {planned}");
        doubt(
            "interrupted",
            Verdict::Doubtful,
            says,
            "measure again, or mean only the part that was measured",
        )
    })
}

pub(super) fn few_requests(case: &Case) -> Option<Doubt> {
    let few = case.has_answers() && case.samples_counted < FEWEST_REQUESTS;
    few.then(|| {
        let says = format!("of {} the p99 is the slowest", requests(case.samples_counted));
        doubt("few-requests", Verdict::Doubtful, says, "measure longer, or at a higher rate")
    })
}

pub(super) fn few_episodes(case: &Case) -> Option<Doubt> {
    if !asks_of_the_whole(case) {
        return None;
    }
    // Of a p99 that is itself a lower bound the requests above it are not known,
    // and a longer run would not know them either.
    if case.summary.response_time.p99?.at_least {
        return None;
    }
    let episodes = case.summary.p99_interval.episodes;
    if !case.has_answers() || case.samples_counted < FEWEST_REQUESTS || episodes >= ENOUGH_EPISODES {
        return None;
    }
    let (text, flag) = longer(case.summary.duration, episodes);
    let hint = format!("run {text} (`-d {flag}`) for one you can quote");
    let events = format!("{episodes} separate event{}", if episodes == 1 { "" } else { "s" });
    Some(if episodes < FEWEST_EPISODES {
        let says = format!("this run cannot give a p99: its slowest 1 % came from {events}");
        doubt("few-episodes", Verdict::Doubtful, says, &hint)
    } else {
        let says = format!("the p99 is a weak one: its slowest 1 % came from {events}");
        doubt("few-episodes", Verdict::Valid, says, &hint)
    })
}

pub(super) fn wide_interval(case: &Case) -> Option<Doubt> {
    // Of a p99 that is a lower bound, what failed or was cut off says why.
    let p99 = case.summary.response_time.p99.filter(|p99| !p99.at_least)?.value;
    let Interval { low: Some(low), high, episodes } = case.summary.p99_interval else { return None };
    if !asks_of_the_whole(case) || !case.has_answers() || episodes < FEWEST_EPISODES {
        return None;
    }
    let says = match high {
        None => format!("the run does not bound the p99 from above: at least {low}"),
        Some(high) if high.saturating_sub(low) > p99 => {
            format!("the p99's interval, {low} to {high}, is wider than the p99 itself")
        }
        Some(_) => return None,
    };
    let censored = high.is_none() && case.summary.response_time.censored > 0;
    let hint = if censored {
        "see why requests fail or are cut off: their waits are known from below only"
    } else {
        "measure four times as long to halve it"
    };
    Some(doubt("wide-interval", Verdict::Doubtful, says, hint))
}

/// A round duration that should give enough episodes, in words and as a flag.
fn longer(duration: Nanos, episodes: u64) -> (String, String) {
    const STEPS: [(u64, &str, &str); 14] = [
        (10, "10 s", "10s"),
        (20, "20 s", "20s"),
        (30, "30 s", "30s"),
        (60, "1 min", "1m"),
        (120, "2 min", "2m"),
        (180, "3 min", "3m"),
        (300, "5 min", "5m"),
        (600, "10 min", "10m"),
        (900, "15 min", "15m"),
        (1800, "30 min", "30m"),
        (3600, "1 h", "1h"),
        (7200, "2 h", "2h"),
        (21_600, "6 h", "6h"),
        (86_400, "24 h", "24h"),
    ];
    let needed = duration.0.saturating_mul(WANTED_EPISODES) / episodes.max(1);
    let enough = STEPS.iter().find(|(secs, ..)| Nanos::from_secs(*secs).0 >= needed);
    let (_, text, flag) = enough.unwrap_or(&STEPS[STEPS.len() - 1]);
    ((*text).to_owned(), (*flag).to_owned())
}
