//! One level's number, and whether it drifts within the run.

use super::{Shaped, growth};
use crate::experiment::{Part, arms};
use crate::numbers::{Spread, growth_over, length, measured, probability};
use crate::words;
use analysis::{Growth, RunSummary};

/// What analysis calls the drift of response times.
const RESPONSE: &str = "response time";

/// The number with its interval, and the drift.
pub(crate) fn part(of: &Shaped<'_>) -> Option<Part> {
    let others = of.runs.iter().flat_map(|run| &run.growth).any(|growth| !is_of_response(growth));
    let says: Vec<String> = number(of).into_iter().chain(drifts(of)).collect();
    (!says.is_empty()).then(|| Part {
        title: of.title("The number, and whether it drifts").into(),
        says,
        table: others.then(|| growth::table(of)).flatten(),
        notes: vec![format!(
            "The warm-up of {} is left out. Drift: Theil–Sen slope over the medians of equal windows, with Kendall’s \
             interval; p by the exact Mann–Kendall test.",
            length(of.runs[0].facts.warm_up)
        )],
    })
}

fn is_of_response(growth: &Growth) -> bool {
    growth.of.starts_with(RESPONSE)
}

fn number(of: &Shaped<'_>) -> Option<String> {
    let rate = words::shape::shape_in_words(of.shape);
    Some(match &of.runs[..] {
        [run] => {
            let p99 = measured(run.response_time.p99, run.p99_interval);
            format!("p99 {} {} under a {rate}: {}.", p99.value, p99.bracket, words::episodes(run))
        }
        runs => {
            let p99 = Spread::of(runs.iter().filter_map(|run| run.response_time.p99))?.text();
            format!(
                "p99 {} {} under a {rate}: the middle, the least and the largest of {} rounds.",
                p99.value,
                p99.bracket,
                runs.len()
            )
        }
    })
}

/// One sentence a run.
pub(crate) fn drifts(of: &Shaped<'_>) -> Vec<String> {
    let several = of.rounds() > 1;
    let sentence = |run: &RunSummary, growth: &Growth| {
        let round = if several { format!("Round {}: ", run.facts.round) } else { String::new() };
        format!("{round}{}.", drift(run, growth))
    };
    let of_run = |run: &RunSummary| {
        run.growth.iter().filter(|one| is_of_response(one)).map(|one| sentence(run, one)).collect::<Vec<_>>()
    };
    of.runs.iter().filter(|run| !arms::is_told(run)).flat_map(|run| of_run(run)).collect()
}

/// `response time p50 +12 µs [−20, +41] over the 60 s: no growth seen (p 0.45, 12 windows)`.
pub(crate) fn drift(run: &RunSummary, growth: &Growth) -> String {
    let slope = growth_over(growth, run.duration);
    let p = growth.p.map_or(String::new(), |p| format!("p {}, ", probability(Some(p))));
    format!(
        "{} {} {} over the {}: {} ({p}{} windows of {})",
        growth.of,
        slope.value,
        slope.bracket,
        length(run.duration),
        growth.says.name(),
        growth.windows.len(),
        length(growth.window)
    )
}
