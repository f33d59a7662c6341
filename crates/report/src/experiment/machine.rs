//! What the machine did besides the runs: the worst of each, and when.

use crate::numbers::{count, counted, length, share};
use analysis::{RunSummary, Summary};
use model::{MachineStory, Nanos};

/// The story over all runs, fact by fact; empty if nobody watched.
pub(crate) fn story(summary: &Summary) -> Vec<(&'static str, String)> {
    let told: Vec<Told<'_>> = summary
        .arms
        .iter()
        .flat_map(|arm| &arm.runs)
        .filter_map(|run| Some((run, run.story.as_ref()?)))
        .collect();
    if told.is_empty() {
        return Vec::new();
    }
    let facts = [
        ("Least idle before", idle(&told)),
        ("Waited for quiet", Some(waited(&told))),
        (
            "Most taken away",
            most(&told, |story| story.steal_share, |steal| format!("{} steal", share(steal))),
        ),
        ("Most used by others", most(&told, |story| story.other_cores, |cores| format!("{cores:.2} cores"))),
        ("Throttled", sum(&told, |story| story.throttled, "time")),
        ("System log", sum(&told, |story| story.log_lines, "line")),
        ("Sessions open", sessions(&told)),
        (
            "Busiest service",
            most(&told, |story| story.service_core_share, |core| format!("{} of a core", share(core))),
        ),
    ];
    facts.into_iter().filter_map(|(name, text)| Some((name, text?))).collect()
}

type Told<'a> = (&'a RunSummary, &'a MachineStory);

fn place(run: &RunSummary) -> String {
    format!("{}, round {}", run.facts.arm, run.facts.round)
}

fn idle(told: &[Told<'_>]) -> Option<String> {
    let known = told.iter().filter_map(|(run, story)| Some((story.idle_before?, *run)));
    let (idle, run) = known.min_by(|a, b| a.0.total_cmp(&b.0))?;
    let loud = told.iter().filter(|(_, story)| story.was_quiet == Some(false)).count() as u64;
    let not_quiet = match loud {
        0 => String::new(),
        loud => format!("; {} not as quiet as the plan asks", counted(loud, "run")),
    };
    Some(format!("{} ({}){not_quiet}", share(idle), place(run)))
}

fn waited(told: &[Told<'_>]) -> String {
    let all: Nanos = told.iter().map(|(_, story)| story.waited_for_quiet).sum();
    let longest = told.iter().max_by_key(|(_, story)| story.waited_for_quiet);
    match longest {
        Some((run, story)) if story.waited_for_quiet > Nanos::ZERO => {
            let rounded = |time: Nanos| length(Nanos::from_millis(time.0 / 1_000_000));
            format!("{} in all, longest {} ({})", rounded(all), rounded(story.waited_for_quiet), place(run))
        }
        _ => "not at all".to_owned(),
    }
}

fn most(told: &[Told<'_>], of: fn(&MachineStory) -> Option<f64>, says: fn(f64) -> String) -> Option<String> {
    let known = told.iter().filter_map(|(run, story)| Some((of(story)?, *run)));
    let (most, run) = known.max_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(if most > 0.0 { format!("{} ({})", says(most), place(run)) } else { says(most) })
}

fn sum(told: &[Told<'_>], of: fn(&MachineStory) -> Option<u64>, noun: &str) -> Option<String> {
    let known: Vec<u64> = told.iter().filter_map(|(_, story)| of(story)).collect();
    (!known.is_empty()).then(|| counted(known.iter().sum(), noun))
}

fn sessions(told: &[Told<'_>]) -> Option<String> {
    let most = told.iter().filter_map(|(_, story)| story.sessions).max()?;
    Some(format!("{} at most", count(u64::from(most))))
}
