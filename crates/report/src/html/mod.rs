//! One page that needs no network, no script and no other file. It carries the
//! figures that it was drawn from, word for word those of `summary.json`, for
//! whoever wants to hold one against the other.
//!
//! The answer comes first, then the verdict with its doubts, then the pictures,
//! each with a sentence under it and its table behind it, then the accounts,
//! the machine, and how to compute it all again.

mod experiment;
mod figures;
mod lanes;
mod markup;
mod scale;
mod shapes;
mod svg;
mod tables;

use crate::arms::{self, Pair};
use crate::lesson::Lesson;
use crate::numbers::measured;
use crate::{doubts, words};
use analysis::{RunSummary, Summary, Verdict};
use markup::{Figure, definitions, element, escape};

const STYLE: &str = include_str!("style.css");

/// A door with a clock on it.
const MARK: &str = "<svg viewBox=\"0 0 22 26\" aria-hidden=\"true\"><path d=\"M3 25V2h16v23M1 25h20\"/>\
    <circle cx=\"11\" cy=\"10\" r=\"4.6\"/><path d=\"M11 7.6V10l1.7 1.2\"/></svg>";

/// The whole experiment as one HTML document. `plan_text` is the plan as it was
/// run; with one, or with several rounds, the page is that of an experiment.
pub fn page(summary: &Summary, plan_text: Option<&str>) -> String {
    let has_rounds = summary.arms.iter().any(|arm| arm.runs.len() > 1);
    let body = match plan_text.is_some() || has_rounds {
        true => experiment::body(summary, plan_text),
        false => one_round(summary),
    };
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n{}<main>\n{body}</main>\n{}</body>\n</html>\n",
        escape(title(summary)),
        svg::SHAPES,
        figures_for_machines(summary)
    )
}

/// Data, which no browser runs. A slash of JSON may be written `\/`, so that no
/// text in it ends the element.
fn figures_for_machines(summary: &Summary) -> String {
    let json = crate::json::compact(summary).replace("</", "<\\/");
    format!("<script type=\"application/json\" id=\"summary\">{json}</script>\n")
}

/// A quick look, the demo, or arms that ran once.
fn one_round(summary: &Summary) -> String {
    let pairs = arms::pairs(summary);
    let single = single_run(summary);
    [
        header(summary),
        verdict(summary),
        answer(summary, single),
        shapes::sections(summary),
        pictures(&pairs, single),
        accounts(summary, &pairs, single),
        circumstances(summary),
        again(summary),
    ]
    .concat()
}

/// The run of a quick look: one arm, one round.
fn single_run(summary: &Summary) -> Option<&RunSummary> {
    match &summary.arms[..] {
        [arm] if arm.runs.len() == 1 => arm.runs.first(),
        _ => None,
    }
}

fn title(summary: &Summary) -> &str {
    if summary.question.is_empty() { "doorclock report" } else { &summary.question }
}

/// `2026-12-01T10:15:00Z` as `2026-12-01 10:15 UTC`; anything else as it is.
fn began(moment: &str) -> String {
    match (moment.get(..10), moment.get(10..11), moment.get(11..16), moment.ends_with('Z')) {
        (Some(day), Some("T"), Some(time), true) => format!("{day} {time} UTC"),
        _ => moment.to_owned(),
    }
}

fn header(summary: &Summary) -> String {
    let answer = Lesson::of(summary).map_or_else(|| summary.answer.clone(), |lesson| lesson.answer());
    let lead = if answer.is_empty() { String::new() } else { element("p", "lead", &answer) };
    format!(
        "<p class=\"brand\">{MARK}<b>doorclock</b> <span>{}</span></p>\n{}{lead}",
        escape(&began(&summary.began)),
        element("h1", "", title(summary))
    )
}

fn verdict(summary: &Summary) -> String {
    let kinds = doubts::kinds(summary);
    let name = summary.verdict.name();
    let head = format!("<strong>{}</strong>", words::verdict(summary.verdict));
    if kinds.is_empty() {
        let valid = summary.verdict == Verdict::Valid;
        let says = if valid { words::NOTHING_AGAINST } else { "no reason was given" };
        return format!("<div class=\"verdict {name}\"><p>{head} · {says}</p></div>\n");
    }
    let says = match summary.verdict {
        Verdict::Valid => "the measurement stands",
        Verdict::Doubtful => "the numbers stand, with these doubts beside them",
        Verdict::Void => "what is void has no number that should be used",
    };
    let item = |kind: &doubts::Kind| {
        let label = if kind.weight == Verdict::Void { "<strong>Void.</strong> " } else { "" };
        let concerns = match kind.concerns.is_empty() {
            true => String::new(),
            false => format!("<span class=\"soft\">{}:</span> ", escape(&kind.concerns)),
        };
        format!("<li class=\"{}\">{label}{concerns}{}</li>\n", kind.weight.name(), escape(&kind.text))
    };
    let items: String = kinds.iter().map(item).collect();
    format!("<div class=\"verdict {name}\"><p>{head} · {says}</p>\n<ul>\n{items}</ul></div>\n")
}

/// The figures that the answer rests on.
fn answer(summary: &Summary, single: Option<&RunSummary>) -> String {
    let figures = match (Lesson::of(summary), single) {
        (Some(lesson), _) => format!("{}{}", tables::lesson(&lesson), said(&lesson)),
        (None, Some(run)) if run.verdict == Verdict::Void => String::new(),
        // Percentiles over all loads of a run would be those of none of them.
        (None, Some(run)) if words::changes(run) => return String::new(),
        (None, Some(run)) => format!("{}{}", tables::clocks_of_one(run), tail(run)),
        (None, None) => tables::every_run(summary),
    };
    format!("<div class=\"answer\">{figures}</div>\n")
}

/// The lesson's sentences.
fn said(lesson: &Lesson<'_>) -> String {
    let sentences = lesson.sentences().into_iter().chain(lesson.correction()).chain(lesson.assumptions());
    let items: String = sentences.map(|sentence| element("li", "", &sentence)).collect();
    format!("<ul class=\"says\">\n{items}</ul>\n")
}

fn tail(run: &RunSummary) -> String {
    let p99 = measured(run.response_time.p99, run.p99_interval);
    element("p", "", &format!("p99 {} {}: {}.", p99.value, p99.bracket, words::episodes(run)))
}

fn pictures(pairs: &[Pair<'_>], single: Option<&RunSummary>) -> String {
    let section = |title: &str, figure: Option<Figure>| {
        figure.map(|figure| format!("{}{}", element("h2", "", title), figure.html())).unwrap_or_default()
    };
    let title = if single.is_some() { "Every wait" } else { "What each tester reports" };
    let mut drawn = String::new();
    // The picture of a burst has every wait already.
    if single.is_none_or(|run| run.bursts.is_empty()) {
        drawn += &section(title, figures::latencies(pairs));
    }
    if let Some(run) = single {
        // Over loads of different size a curve would be that of none of them.
        if !words::changes(run) {
            drawn += &section("How rare the long waits are", figures::curve(run));
        }
        drawn += &section("Over time", figures::over_time(run));
    }
    drawn += &section("Who asks while the service stands still", figures::around(pairs));
    drawn
}

/// Where every request went.
fn accounts(summary: &Summary, pairs: &[Pair<'_>], single: Option<&RunSummary>) -> String {
    let mut text = element("h2", "", "Where the requests went");
    text += &match single {
        Some(run) => definitions(&account_of_one(run)),
        None => tables::accounts(summary),
    };
    if let Some(failures) = tables::failures(summary) {
        text += &element("h2", "", "Failures");
        text += &failures;
    }
    if let Some(corrections) = tables::corrections(pairs) {
        text += &element("h2", "", "The p99 of loops that wait, corrected");
        text += &element(
            "p",
            "",
            "A loop that waits with the service can miss its stalls. Two rules put back what it may have missed; \
             each holds only under its conditions. Asking openly needs neither.",
        );
        text += &corrections;
    }
    text
}

fn account_of_one(run: &RunSummary) -> Vec<(&'static str, String)> {
    let mut account = vec![("Scheduled", words::conservation(run))];
    if run.verdict != Verdict::Void {
        account.push(("Rate", words::rate(run)));
    }
    account.push(("Tester", words::tester_cost(run)));
    let optional = [
        ("Lateness", words::lateness_split(run).filter(|_| run.verdict != Verdict::Void)),
        ("Resent", words::resent(run)),
        ("Stalls", run.stalls.as_ref().map(words::stalls)),
    ];
    account.extend(optional.into_iter().filter_map(|(name, text)| Some((name, text?))));
    account
}

/// The plan and the machine.
fn circumstances(summary: &Summary) -> String {
    let target = summary.arms.first().and_then(arms::first_run);
    let asked = target.map(|run| format!("{} {}", run.facts.method, run.facts.url));
    [
        element("h2", "", "What was asked"),
        asked.map(|asked| format!("<pre>{}</pre>\n", escape(&asked))).unwrap_or_default(),
        tables::plan(summary),
        element("h2", "", "The machine"),
        definitions(&words::machine_facts(&summary.machine)),
    ]
    .concat()
}

/// How to compute it all again.
fn again(summary: &Summary) -> String {
    let text = "Every number on this page comes from the samples in the results folder that it lies in, one row a \
                request. The first command draws this page from them again; the second computes every number a \
                second time, by code that shares nothing with the first, and stops at any difference.";
    let commands = "doorclock report FOLDER --format html\ndoorclock verify FOLDER";
    [
        element("h2", "", "Compute it again"),
        element("p", "", text),
        format!("<pre>{commands}</pre>\n"),
        element(
            "p",
            "note",
            &format!(
                "Percentiles are nearest-rank: the k-th smallest with k = ⌈N·p⌉, nothing in between. Failed and \
                 cut-off requests count as lower bounds (≥). A dash is a number that is not known. Measured by \
                 doorclock {}.",
                summary.tool_version
            ),
        ),
    ]
    .concat()
}

#[cfg(test)]
mod tests;
