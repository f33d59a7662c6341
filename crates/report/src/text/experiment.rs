//! An experiment: the answer, whether to believe it, then why.

use super::dots::{Axis, Mark};
use super::screen::{LABEL, Screen, WIDTH, shortened};
use super::shape::strips;
use crate::experiment::{
    Part, arms, bounds, comparisons, corrections, guesses, machine, means, readings, shapes, stalls, tools,
    windows, work as followed,
};
use crate::{doubts, words};
use analysis::{RunSummary, Summary, Verdict};
use model::{Nanos, Number};

/// The whole experiment for a terminal. `plan_text` is the plan as it was run,
/// `folder` where its results are kept.
///
/// The plan itself is not repeated here: it would push the answer off the screen.
pub fn experiment(summary: &Summary, plan_text: Option<&str>, folder: Option<&str>) -> String {
    let mut screen = Screen::default();
    for text in [&summary.question, &summary.answer] {
        if !text.is_empty() {
            screen.paragraph(text);
        }
    }
    screen.blank();
    verdict(&mut screen, summary);
    followed::part(summary).iter().for_each(|one| part(&mut screen, &narrow(one)));
    over_time(&mut screen, summary);
    waits(&mut screen, summary);
    part(&mut screen, &arms::work(summary));
    told_apart(&mut screen, summary);
    let parts = [windows::part(summary).map(without_table)]
        .into_iter()
        .chain(bounds::parts(summary).into_iter().map(Some))
        .chain([
            corrections::part(summary),
            means::part(summary),
            stalls::part(summary),
            tools::part(summary),
            readings::part(summary),
        ]);
    parts.flatten().for_each(|one| part(&mut screen, &one));
    guessed(&mut screen, summary);
    told_by_the_machine(&mut screen, summary);
    again(&mut screen, plan_text, folder);
    screen.finish()
}

/// The experiment's verdict, and each kind of doubt with what to do about it.
pub(super) fn verdict(screen: &mut Screen, summary: &Summary) {
    let kinds = doubts::kinds(summary);
    let head = words::verdict(summary.verdict);
    if kinds.is_empty() {
        let valid = summary.verdict == Verdict::Valid;
        return screen.field(head, if valid { words::NOTHING_AGAINST } else { "no reason was given" });
    }
    for (number, kind) in kinds.iter().enumerate() {
        let separator = if kind.concerns.is_empty() { "" } else { ": " };
        let label = words::doubt_label(summary.verdict, kind.weight, number);
        screen.field(label, &format!("{}{separator}{}", kind.concerns, kind.text));
    }
}

/// A heading, set apart.
fn heading(screen: &mut Screen, title: &str) {
    screen.blank();
    let rest = WIDTH.saturating_sub(title.chars().count() + 1);
    screen.line(&format!("{title} {}", "─".repeat(rest)));
}

/// The sentences of a part are enough where its table is wide.
fn without_table(part: Part) -> Part {
    Part { table: None, ..part }
}

/// Sentences say what a wide table does in columns for which a terminal has no room.
fn narrow(part: &Part) -> Part {
    let table = part.table.clone().map(|table| table.without(&["given up", "last after"], |_| true));
    Part { title: part.title.clone(), says: part.says.clone(), table, notes: part.notes.clone() }
}

fn part(screen: &mut Screen, part: &Part) {
    heading(screen, &part.title);
    screen.part(part);
}

/// What answers the question of each arm whose load changes over time.
fn over_time(screen: &mut Screen, summary: &Summary) {
    for of in shapes::shaped(summary) {
        let parts = of.parts();
        parts.iter().for_each(|one| part(screen, one));
        if !parts.is_empty() {
            strips(screen, &of);
        }
    }
}

/// Columns left of the axis: the arm, its p50, its p99 and the rounds' range.
const NAME: usize = 17;

fn waits(screen: &mut Screen, summary: &Summary) {
    let part = arms::waits(summary);
    heading(screen, &part.title);
    part.says.iter().for_each(|says| screen.sentence(says));
    let rows = arms::rows(summary);
    let marks: Vec<Vec<Mark>> =
        rows.iter().map(|row| row.runs.iter().filter_map(|run| mark(run)).collect()).collect();
    let bound =
        summary.bounds.iter().find(|one| one.bound.number == Number::P99).map(|one| one.bound.at_most);
    let axis = Axis::over(marks.iter().flatten().map(|mark| mark.at), bound);
    let drawn = |text: fn(&Axis) -> String| axis.as_ref().map(text).unwrap_or_default();
    let title = if arms::several_rounds(summary) { "p99, every round a dot" } else { "p99" };
    screen.line(&columns("arm", "p50", "p99", arms::bracket_head(summary), title));
    for (row, marks) in rows.iter().zip(&marks) {
        let (p99, dots) = (row.p99(), axis.as_ref().map(|axis| axis.row(marks)).unwrap_or_default());
        let bracket = if p99.bracket.contains("not bounded") { "[not bounded]" } else { &p99.bracket };
        screen.line(&columns(&shortened(&row.arm.name, NAME), &row.p50(), &p99.value, bracket, &dots));
    }
    screen.line(&columns("", "", "", "", &drawn(Axis::rule)));
    screen.line(&columns("", "", "", "", &drawn(Axis::labels)));
    for note in &part.notes {
        screen.sentence(note);
    }
    let bound =
        bound.map_or(String::new(), |at_most| format!("  | the bound, {}", crate::numbers::length(at_most)));
    screen.line(&format!("• one round  2 to 9: so many in one place  > or slower{bound}"));
}

/// Void runs have no dot.
fn mark(run: &RunSummary) -> Option<Mark> {
    let point = run.response_time.p99?;
    Some(Mark { at: Nanos(point.value.0), at_least: point.at_least })
}

fn columns(arm: &str, p50: &str, p99: &str, bracket: &str, dots: &str) -> String {
    format!("{arm:<NAME$}{p50:>9}{p99:>9} {bracket:<15} {dots}")
}

fn told_apart(screen: &mut Screen, summary: &Summary) {
    let Some(part) = comparisons::part(summary) else { return };
    heading(screen, &part.title);
    part.says.iter().for_each(|says| screen.sentence(says));
    for one in &summary.comparisons {
        let (found, figures) = comparisons::sentences(one);
        screen.sentence(&found);
        screen.indented(&figures);
    }
    screen.sentence(comparisons::NOTE);
}

/// Each guess in its own words with what became of it.
fn guessed(screen: &mut Screen, summary: &Summary) {
    let Some(overview) = guesses::overview(summary) else { return };
    heading(screen, "Guesses");
    screen.sentence(&overview);
    for one in &summary.guesses {
        let label = shortened(&one.guess.name, LABEL - 1);
        screen.field(&label, &format!("{}: “{}”", one.verdict, one.guess.says));
        if one.guess.is_late {
            screen.field("", guesses::LATE);
        }
        let figures = guesses::figures(one);
        if !figures.is_empty() {
            screen.field("", &figures);
        }
    }
    screen.sentence(guesses::NOTE);
}

fn told_by_the_machine(screen: &mut Screen, summary: &Summary) {
    heading(screen, "The machine");
    screen.sentence(&super::machine_line(&summary.machine));
    for (name, text) in machine::story(summary) {
        screen.line(&format!("{name:<21}{text}"));
    }
}

/// Where everything is, and how to compute it a second time.
fn again(screen: &mut Screen, plan_text: Option<&str>, folder: Option<&str>) {
    let Some(folder) = folder else { return };
    screen.blank();
    screen.unbroken("kept in", folder);
    if let Some(plan) = plan_text {
        let lines = crate::numbers::counted(plan.lines().count() as u64, "line");
        screen.unbroken("the plan", &format!("{folder}/plan.toml, {lines}, as it was run"));
    }
    screen.unbroken("look at it", &format!("doorclock report {folder} --format html --open"));
    screen.unbroken("verify it", &format!("doorclock verify {folder}"));
}
