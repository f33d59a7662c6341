//! What was guessed before the first run, and what became of it.

use crate::numbers::figure;
use analysis::{GuessFigure, GuessSummary, Summary};

/// Said of a guess that came when there was something to see.
pub(crate) const LATE: &str = "written after the first run: no prediction";

/// The figures behind a guess: `open-546 p99_ms 83.2 … 86.1`.
pub(crate) fn figures(guess: &GuessSummary) -> String {
    guess.figures.iter().map(one).collect::<Vec<_>>().join("; ")
}

fn one(of: &GuessFigure) -> String {
    let name = format!("{} {}", of.arm, of.figure);
    let ends = of.values.as_ref().and_then(|values| {
        let least = values.iter().copied().min_by(f64::total_cmp)?;
        let most = values.iter().copied().max_by(f64::total_cmp)?;
        Some((figure(least), figure(most)))
    });
    match ends {
        Some((least, most)) if least == most => format!("{name} {least}"),
        Some((least, most)) => format!("{name} {least} … {most}"),
        None => format!("{name} not known in every round"),
    }
}

/// `3 guesses written before the first run: 1 right, 1 wrong, 1 that cannot be said.`
pub(crate) fn overview(summary: &Summary) -> Option<String> {
    let (late, made): (Vec<&GuessSummary>, Vec<&GuessSummary>) =
        summary.guesses.iter().partition(|one| one.guess.is_late);
    if summary.guesses.is_empty() {
        return None;
    }
    let of = |verdict: &str| made.iter().filter(|one| one.verdict == verdict).count();
    let (right, wrong) = (of("right"), of("wrong"));
    let unsaid = made.len() - right - wrong;
    let unsaid = if unsaid > 0 { format!(", {unsaid} that cannot be said") } else { String::new() };
    let guesses = match made.len() {
        1 => "1 guess".to_owned(),
        n => format!("{n} guesses"),
    };
    let late = match late.len() {
        0 => String::new(),
        n => format!(" {n} more written later, and not counted."),
    };
    Some(format!("{guesses} written before the first run: {right} right, {wrong} wrong{unsaid}.{late}"))
}

/// What the values behind a guess are.
pub(crate) const NOTE: &str = "Figures are the least and the largest over the rounds.";
