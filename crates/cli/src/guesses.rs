//! Guesses against figures: where the plan's conditions meet what analysis found.

use analysis::{GuessFigure, GuessSummary, Summary};
use model::PlannedGuess;
use plan::{Condition, Guess, Judgement};

/// A guess as the results keep it. Whoever knows that it came late says so.
pub fn planned(guess: &Guess) -> PlannedGuess {
    PlannedGuess {
        name: guess.name.clone(),
        says: guess.says.clone(),
        holds: guess.holds.text().to_owned(),
        is_late: false,
    }
}

/// What became of each guess.
pub fn judge(guesses: &[PlannedGuess], summary: &Summary) -> Vec<GuessSummary> {
    guesses.iter().map(|guess| judge_one(guess, summary)).collect()
}

/// A condition that cannot be read was changed in the folder by hand: nothing
/// can be said of it.
fn judge_one(guess: &PlannedGuess, summary: &Summary) -> GuessSummary {
    let Ok(condition) = Condition::parse(&guess.holds) else {
        return GuessSummary {
            guess: guess.clone(),
            verdict: Judgement::CannotSay.name(),
            figures: Vec::new(),
        };
    };
    let figure = |(arm, figure): (&str, &'static str)| GuessFigure {
        arm: arm.to_owned(),
        figure: figure.to_owned(),
        values: summary.figure(arm, figure),
    };
    GuessSummary {
        guess: guess.clone(),
        verdict: condition.judge(&|arm, figure| summary.figure(arm, figure)).name(),
        figures: condition.figures().into_iter().map(figure).collect(),
    }
}
