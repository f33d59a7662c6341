//! The answer of work that goes on after its answer: whether all of it was done
//! in time, and how much of it waited.

use super::answer::length;
use crate::summary::{ArmSummary, CompletionFigures, Point, RunSummary, Verdict};
use model::Nanos;

/// What every arm whose work was followed answers; `None` where there is none
/// with a run that can be used.
pub(super) fn answer(arms: &[ArmSummary]) -> Option<String> {
    let each: Vec<(&str, String)> =
        arms.iter().filter_map(|arm| Some((arm.name.as_str(), of_arm(arm)?))).collect();
    match (each.as_slice(), arms.len()) {
        ([], _) => None,
        ([(_, one)], 1) => Some(one.clone()),
        (several, _) => {
            let named: Vec<String> = several.iter().map(|(name, says)| format!("{name}: {says}")).collect();
            Some(named.join(". "))
        }
    }
}

fn of_arm(arm: &ArmSummary) -> Option<String> {
    let runs: Vec<&RunSummary> = arm.runs.iter().filter(|run| run.verdict != Verdict::Void).collect();
    let rounds: Vec<&CompletionFigures> = runs.iter().filter_map(|run| run.completion.as_ref()).collect();
    let accepted: u64 = rounds.iter().map(|round| round.accepted).sum();
    if rounds.is_empty() {
        return None;
    }
    if accepted == 0 {
        return Some("No answer accepted any work".to_owned());
    }
    let answers = runs.iter().filter_map(|run| run.response_time_ok.p50).max_by_key(|point| point.value);
    let answers =
        answers.map_or(String::new(), |p50| format!("; half of the answers came within {}", length(p50)));
    Some(format!("{}{}{answers}", verdict(&rounds, accepted), queue(&rounds)))
}

/// Whether all of it was done in time, where that was asked.
fn verdict(rounds: &[&CompletionFigures], accepted: u64) -> String {
    let slowest = rounds
        .iter()
        .filter_map(|round| round.submit_to_result.max)
        .max_by_key(|point| (point.value, point.at_least))
        .map_or(String::new(), waited);
    let Some(at_most) = rounds[0].facts.at_most else {
        let median =
            rounds.iter().filter_map(|round| round.submit_to_result.p50).max_by_key(|point| point.value);
        let median = median.map_or(String::new(), waited);
        return format!(
            "Half of the work was done within {median} of being submitted, the slowest after {slowest}"
        );
    };
    let limit = waited(Point { value: at_most, at_least: false });
    let late: u64 = rounds.iter().filter_map(|round| round.late).sum();
    if late > 0 {
        return format!("No: {late} of {} took longer than {limit}, the slowest {slowest}", pieces(accepted));
    }
    if rounds.iter().all(|round| round.held == Some(true)) {
        return format!(
            "Yes: all {} were done within {limit}, the slowest after {slowest}",
            pieces(accepted)
        );
    }
    format!("Whether all {} were done within {limit} cannot be said", pieces(accepted))
}

/// How much of it waited, and when the last of it was over.
fn queue(rounds: &[&CompletionFigures]) -> String {
    let peak = rounds.iter().map(|round| round.peak).max().unwrap_or_default();
    let drained: Option<Vec<Nanos>> = rounds.iter().map(|round| round.drained_after).collect();
    let last = match drained.and_then(|all| all.into_iter().max()) {
        None => "; not all of it ended while it was followed".to_owned(),
        Some(Nanos::ZERO) => String::new(),
        Some(after) => format!(", and the last ended {} after sending had stopped", minutes(after)),
    };
    format!("; at most {peak} waited at once{last}")
}

fn pieces(count: u64) -> String {
    format!("{count} {}", if count == 1 { "piece of work" } else { "pieces of work" })
}

fn waited(point: Point) -> String {
    let text = minutes(point.value);
    if point.at_least { format!("≥ {text}") } else { text }
}

/// Whole minutes and seconds from two minutes on: nobody thinks in 525 seconds.
fn minutes(time: Nanos) -> String {
    let seconds = (time.as_secs_f64()).round() as u64;
    match (seconds / 60, seconds % 60) {
        (0 | 1, _) => time.to_string(),
        (minutes, 0) => format!("{minutes} min"),
        (minutes, rest) => format!("{minutes} min {rest} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::summary;
    use crate::summary::Distribution;
    use model::{FollowFacts, FollowKind};

    fn figures(at_most: Option<u64>, late: u64, held: Option<bool>) -> CompletionFigures {
        let point = |seconds, at_least| Some(Point { value: Nanos::from_secs(seconds), at_least });
        CompletionFigures {
            facts: FollowFacts {
                kind: FollowKind::Poll,
                every: Some(Nanos::from_millis(500)),
                within: Nanos::from_secs(600),
                at_most: at_most.map(Nanos::from_secs),
                quota: None,
            },
            followed: None,
            accepted: 474,
            accepted_in_all: 474,
            accepted_per_s: Some(5.925),
            busiest_minute_per_s: Some(7.0),
            done: 474,
            given_up: 0,
            unfinished: 0,
            nameless: 0,
            submit_to_result: Distribution {
                n: 474,
                p50: point(6, false),
                max: point(500, held.is_none()),
                ..Distribution::default()
            },
            resolution: None,
            peak: 377,
            peak_at: Nanos::from_secs(36),
            drained_after: Some(Nanos::from_secs(445)),
            course: Vec::new(),
            late: at_most.map(|_| late),
            held,
        }
    }

    fn said(figures: CompletionFigures) -> String {
        let mut run = summary("a", 1, 8.0);
        run.completion = Some(figures);
        let arm =
            ArmSummary { name: "a".to_owned(), runs: vec![run], pooled: None, windows: None, ramp: None };
        answer(&[arm]).expect("an answer")
    }

    #[test]
    fn the_answer_says_yes_or_no_first_and_what_it_rests_on() {
        let no = said(figures(Some(300), 201, Some(false)));
        assert!(no.starts_with("No: 201 of 474 pieces of work took longer than 5 min, the slowest 8 min 20 s; at most 377 waited at once, and the last ended 7 min 25 s after sending had stopped; half of the answers came within "), "{no}");
        let yes = said(figures(Some(600), 0, Some(true)));
        assert!(
            yes.starts_with(
                "Yes: all 474 pieces of work were done within 10 min, the slowest after 8 min 20 s"
            ),
            "{yes}"
        );
        let unknown = said(figures(Some(500), 0, None));
        assert!(
            unknown.starts_with("Whether all 474 pieces of work were done within 8 min 20 s cannot be said"),
            "{unknown}"
        );
        let plain = said(figures(None, 0, None));
        assert!(plain.starts_with("Half of the work was done within 6.00 s of being submitted"), "{plain}");
    }

    #[test]
    fn where_nobody_followed_there_is_nothing_to_say() {
        let run = summary("a", 1, 8.0);
        let arm =
            ArmSummary { name: "a".to_owned(), runs: vec![run], pooled: None, windows: None, ramp: None };
        assert_eq!(answer(&[arm]), None);
    }
}
