//! The demo's one table: a stalling service asked in three ways.

use super::bars::bar;
use super::experiment;
use super::screen::Screen;
use crate::lesson::{Lesson, Tester};
use crate::numbers::{count, length, measured};
use analysis::{RunSummary, Summary, Verdict};
use model::Nanos;

/// Characters of the longest bar.
const BAR: usize = 14;

/// The demo on one screen. `folder` is where its results are kept, if they are.
/// A summary without the demo's arms is drawn as any other experiment.
pub fn demo(summary: &Summary, folder: Option<&str>) -> String {
    let Some(lesson) = Lesson::of(summary) else { return experiment(summary, None, folder) };
    let mut screen = Screen::default();
    screen.paragraph(&heading(&lesson));
    screen.blank();
    table(&mut screen, &lesson);
    screen.blank();
    for sentence in lesson.sentences() {
        screen.sentence(&sentence);
    }
    if let Some(correction) = lesson.correction() {
        screen.sentence(&correction);
    }
    if let Some(advice) = lesson.advice() {
        screen.line(&format!("To ask openly: {advice}"));
    }
    screen.blank();
    experiment::verdict(&mut screen, summary);
    if let Some(folder) = folder {
        screen.unbroken("kept in", folder);
        screen.unbroken("look at it", &format!("doorclock report {folder} --format html --open"));
    }
    screen.finish()
}

/// What was done; the number of stalls from the runs themselves.
fn heading(lesson: &Lesson<'_>) -> String {
    let stalled: Vec<&RunSummary> = lesson.testers().filter_map(|tester| tester.stalled).collect();
    let seen = stalled.iter().filter_map(|run| run.stalls.as_ref()).map(|stalls| stalls.seen);
    let stalls = match (seen.clone().min(), seen.max()) {
        (Some(1), Some(1)) => "1 stall".into(),
        (Some(least), Some(most)) if least == most => format!("{most} stalls"),
        (Some(least), Some(most)) => format!("{least} to {most} stalls"),
        _ => "an unknown number of stalls".into(),
    };
    let of_first =
        |part: fn(&Tester<'_>) -> Option<Nanos>| lesson.testers().find_map(part).unwrap_or(Nanos::ZERO);
    format!(
        "One service, asked in {} ways, each for {} calm and {} with {stalls}.",
        lesson.testers().count(),
        length(of_first(|tester| tester.calm.map(|run| run.facts.measure))),
        length(of_first(|tester| tester.stalled.map(|run| run.facts.measure)))
    )
}

fn table(screen: &mut Screen, lesson: &Lesson<'_>) {
    let top = lesson.testers().filter_map(|tester| value(tester.stalled)).max().unwrap_or(Nanos::ZERO);
    screen.line(&format!("{:26}{:>10}{:>13}{:18}{:>13}", "", "", "", "", "sent while"));
    screen.line(&format!("{:26}{:>10}{:>13}{:18}{:>13}", "", "p99 calm", "p99 stalled", "", "it stood"));
    for tester in lesson.testers() {
        let bar = value(tester.stalled).map_or(String::new(), |value| bar(value, top, BAR));
        screen.line(&format!(
            "{:<26}{:>10}{:>13}  {bar:<BAR$}  {:>13}",
            tester.label,
            cell(tester.calm),
            cell(tester.stalled),
            sent_during(tester)
        ));
    }
    screen.line(&format!("{:49}  bars linear from 0", ""));
}

fn value(run: Option<&RunSummary>) -> Option<Nanos> {
    run.filter(|run| run.verdict != Verdict::Void)?.response_time.p99.map(|point| point.value)
}

fn cell(run: Option<&RunSummary>) -> String {
    match run {
        None => "not run".into(),
        Some(run) if run.verdict == Verdict::Void => "void".into(),
        Some(run) => measured(run.response_time.p99, run.p99_interval).value,
    }
}

fn sent_during(tester: &Tester<'_>) -> String {
    let stalls = tester.stalled.and_then(|run| run.stalls.as_ref());
    stalls.map_or("not known".into(), |stalls| count(stalls.sent_during))
}
