//! An experiment with several arms: one line a run, then the doubts.

use super::screen::Screen;
use crate::doubts;
use crate::numbers::{count, measured, per_second, point};
use crate::words;
use analysis::{RunSummary, Summary, Verdict};

/// The longest name of an arm that keeps its line within the screen.
const NAME: usize = 20;

/// Every run of an experiment in a compact table, and every kind of doubt.
pub fn experiment(summary: &Summary) -> String {
    let mut screen = Screen::default();
    if !summary.question.is_empty() {
        screen.paragraph(&summary.question);
    }
    if !summary.answer.is_empty() {
        screen.paragraph(&summary.answer);
    }
    screen.blank();
    verdict(&mut screen, summary);
    screen.blank();
    screen.line(&format!(
        "{:<NAME$}{:>5}{:>9}{:>9}{:>17}{:>9}{:>8}",
        "arm", "round", "p50", "p99", "95 % interval", "done", "not ok"
    ));
    for arm in &summary.arms {
        for run in &arm.runs {
            screen.line(&row(&arm.name, run));
        }
    }
    screen.blank();
    screen.paragraph(
        "p50, p99: response time, scheduled → done. not ok: failed, unfinished or never sent. \
         ? doubtful run, ! void run: its times are not shown.",
    );
    screen.finish()
}

fn row(arm: &str, run: &RunSummary) -> String {
    let arm = super::screen::shortened(arm, NAME - 1);
    let p99 = measured(run.response_time.p99, run.p99_interval);
    let bracket = match run.p99_interval {
        analysis::Interval { low: Some(_), high: Some(_), .. } => p99.bracket,
        _ => "not bounded".into(),
    };
    let void = run.verdict == Verdict::Void;
    let times = if void {
        format!("{:>35}", "void")
    } else {
        format!("{:>9}{:>9}{bracket:>17}", point(run.response_time.p50), p99.value)
    };
    let mark = match run.verdict {
        Verdict::Valid => "",
        Verdict::Doubtful => " ?",
        Verdict::Void => " !",
    };
    let rate = if void { String::new() } else { per_second(run.rate_per_s) };
    let not_ok = count(run.scheduled.saturating_sub(run.ok));
    format!("{arm:<NAME$}{:>5}{times}{rate:>9}{not_ok:>8}{mark}", run.facts.round)
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
