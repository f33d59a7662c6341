//! The page of an experiment with rounds or a plan: the answer, whether to
//! believe it, the pictures that show it, what was guessed, and then
//! everything that it rests on.

use super::markup::{Figure, definitions, element, escape, plain_table, prose};
use super::{again, figures, header, shapes, single_run, tables, verdict};
use crate::experiment::arms;
use crate::experiment::{Part, bounds, corrections, guesses, machine, means, readings, stalls, tools, work};
use crate::{arms as pairs, words};
use analysis::{ArmSummary, GuessSummary, RunSummary, Summary};

/// Everything between the head and the foot.
pub(super) fn body(summary: &Summary, plan_text: Option<&str>) -> String {
    [
        header(summary),
        verdict(summary),
        followed(summary),
        shapes::sections(summary),
        pictures(summary),
        read(summary),
        guessed(summary),
        said(bounds::parts(summary)),
        said([corrections::part(summary), means::part(summary), tools::part(summary)].into_iter().flatten()),
        every_run(summary),
        circumstances(summary, plan_text),
        again(summary),
    ]
    .concat()
}

fn pictures(summary: &Summary) -> String {
    let section = |title: &str, figure: Option<Figure>| {
        figure.map(|figure| format!("{}{}", element("h2", "", title), figure.html())).unwrap_or_default()
    };
    let extent = element("p", "soft", &format!("{}.", arms::extent(summary)));
    let rounds = format!("{}{extent}", element("h2", "", "What users wait"));
    let rounds = figures::rounds(summary).map(|figure| rounds + &figure.html()).unwrap_or_default();
    // A single run has pictures of its own, which many rounds have no room for.
    let single = single_run(summary).map(|run| one_run(summary, run)).unwrap_or_default();
    let stalled = stalls::part(summary).map_or("".into(), |part| part.title);
    [
        rounds,
        single,
        section(&stalled, figures::around_of_rounds(summary)),
        section("What a shorter run would have said", figures::windows(summary)),
        section("What a clock that starts at sending says", figures::clocks(summary)),
        section("How late the testers sent", figures::lateness(summary)),
        section("Told apart, or not", figures::effects(summary)),
    ]
    .concat()
}

/// As in [`super::pictures`], for the same reasons without what a changing load
/// makes no sense of.
fn one_run(summary: &Summary, run: &RunSummary) -> String {
    let waits = run.bursts.is_empty().then(|| figures::latencies(&pairs::pairs(summary)));
    let curve = (!words::changes(run)).then(|| figures::curve(run));
    let figures = [
        ("Every wait", waits.flatten()),
        ("How rare the long waits are", curve.flatten()),
        ("Over time", figures::over_time(run)),
    ];
    let drawn = |(title, figure): (&str, Option<Figure>)| {
        Some(format!("{}{}", element("h2", "", title), figure?.html()))
    };
    figures.into_iter().filter_map(drawn).collect()
}

/// What became of accepted work: the picture of each arm's first run, and every run's figures.
fn followed(summary: &Summary) -> String {
    let Some(part) = work::part(summary) else { return String::new() };
    let all = work::followed(summary);
    let mut drawn: Vec<&str> = Vec::new();
    let mut pictures = String::new();
    for one in &all {
        if !drawn.contains(&one.arm) {
            drawn.push(one.arm);
            pictures += &figures::course(one, all.len() > 1).map(|figure| figure.html()).unwrap_or_default();
        }
    }
    said([part]) + &pictures
}

/// What was read beside the load; drawn here where no work was followed.
fn read(summary: &Summary) -> String {
    let Some(part) = readings::part(summary) else { return String::new() };
    let runs = || summary.arms.iter().filter_map(pairs::first_run);
    let alone = runs().all(|run| run.completion.is_none());
    let strips = runs().find_map(figures::readings_alone).filter(|_| alone).unwrap_or_default();
    said([part]) + &strips
}

/// Parts with their sentences, tables and notes.
fn said(parts: impl IntoIterator<Item = Part>) -> String {
    let paragraphs = |class: &str, all: &[String]| -> String {
        all.iter().map(|text| element("p", class, text)).collect()
    };
    let one = |part: Part| {
        [
            element("h2", "", &part.title),
            paragraphs("", &part.says),
            part.table.as_ref().map(plain_table).unwrap_or_default(),
            paragraphs("note", &part.notes),
        ]
        .concat()
    };
    parts.into_iter().map(one).collect()
}

/// Each guess word for word, with what became of it.
fn guessed(summary: &Summary) -> String {
    let Some(overview) = guesses::overview(summary) else { return String::new() };
    let items: String = summary.guesses.iter().map(guess).collect();
    format!(
        "{}{}<ul class=\"guesses\">\n{items}</ul>\n{}",
        element("h2", "", "Guesses"),
        element("p", "", &overview),
        element("p", "note", guesses::NOTE)
    )
}

fn guess(one: &GuessSummary) -> String {
    let late = if one.guess.is_late { format!(" · {}", guesses::LATE) } else { String::new() };
    let figures = match guesses::figures(one) {
        figures if figures.is_empty() => String::new(),
        figures => format!("{} · ", prose(&figures)),
    };
    format!(
        "<li class=\"{}\"><p><b>{}</b> · <strong>{}</strong>{late}</p><p><q>{}</q></p><p class=\"note\">{figures}<code>{}</code></p></li>\n",
        one.verdict.replace(' ', "-"),
        escape(&one.guess.name),
        escape(one.verdict),
        prose(&one.guess.says),
        escape(&one.guess.holds)
    )
}

/// The numbers of every single run, behind lines to open.
fn every_run(summary: &Summary) -> String {
    let arms: Vec<&ArmSummary> = summary.arms.iter().collect();
    let behind = |title: &str, table: String| {
        format!("<details><summary>{}</summary>\n{table}</details>\n", escape(title))
    };
    let failures = tables::failures(summary).map(|table| behind("Failures", table));
    [
        element("h2", "", "Every run"),
        behind("p50, p99 and verdict of every run", tables::every_run(summary)),
        behind("Where the requests of every run went", tables::accounts(summary)),
        behind("Every run by every clock", tables::distributions(&arms)),
        failures.unwrap_or_default(),
    ]
    .concat()
}

/// The plan word for word, and the machine.
fn circumstances(summary: &Summary, plan_text: Option<&str>) -> String {
    let target = summary.arms.first().and_then(pairs::first_run);
    let asked = target.map(|run| format!("{} {}", run.facts.method, run.facts.url));
    let pre = |text: &str| format!("<pre>{}</pre>\n", escape(text.trim_end()));
    let plan = plan_text.map(|plan| element("h2", "", "The plan, as it was run") + &pre(plan));
    let commands = tools::commands(summary);
    let commands = commands
        .iter()
        .map(|(arm, command)| element("p", "", &format!("{arm} was sent by another tool:")) + &pre(command));
    let story = machine::story(summary);
    let facts: Vec<(&str, String)> =
        words::machine_facts(&summary.machine).into_iter().chain(story).collect();
    [
        element("h2", "", "What was asked"),
        asked.map(|asked| pre(&asked)).unwrap_or_default(),
        tables::plan(summary),
        commands.collect(),
        plan.unwrap_or_default(),
        element("h2", "", "The machine"),
        definitions(&facts),
    ]
    .concat()
}
