//! An experiment as GitHub-flavoured Markdown, to be kept beside the code it is
//! about: the answer first, then a table for each part, then the whole plan.
//!
//! What comes from outside is escaped, so that no arm's name becomes a link,
//! a tag or a column. Start at [`experiment`].

use crate::experiment::{
    Part, arms, bounds, comparisons, corrections, guesses, machine, means, readings, shapes, stalls, tools,
    windows, work,
};
use crate::table::{Column, Table};
use crate::{doubts, words};
use analysis::{GuessSummary, Summary, Verdict};

/// The whole experiment. `plan_text` is the plan as it was run, `folder` where
/// its results are kept.
pub fn experiment(summary: &Summary, plan_text: Option<&str>, folder: Option<&str>) -> String {
    let mut page = Page::default();
    let title = if summary.question.is_empty() { "doorclock report" } else { &summary.question };
    page.paragraph(&format!("# {}", escape(title)));
    if !summary.answer.is_empty() {
        page.paragraph(&format!("**{}**", escape(&summary.answer)));
    }
    verdict(&mut page, summary);
    work::part(summary).iter().for_each(|part| page.part(part));
    shapes::parts(summary).iter().for_each(|part| page.part(part));
    page.part(&arms::waits(summary));
    page.part(&arms::work(summary));
    let parts = [comparisons::part(summary), windows::part(summary)]
        .into_iter()
        .chain(bounds::parts(summary).into_iter().map(Some))
        .chain([
            corrections::part(summary),
            means::part(summary),
            stalls::part(summary),
            tools::part(summary),
            readings::part(summary),
        ]);
    parts.flatten().for_each(|part| page.part(&part));
    guessed(&mut page, summary);
    circumstances(&mut page, summary);
    if let Some(plan) = plan_text {
        page.heading("The plan, as it was run");
        page.code("toml", plan);
    }
    again(&mut page, summary, folder);
    page.finish()
}

/// Paragraphs with an empty line between them.
#[derive(Default)]
struct Page {
    text: String,
}

impl Page {
    fn paragraph(&mut self, text: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(text.trim_end());
        self.text.push('\n');
    }

    fn heading(&mut self, title: &str) {
        self.paragraph(&format!("## {}", escape(title)));
    }

    fn part(&mut self, part: &Part) {
        self.heading(&part.title);
        self.list(&part.says);
        if let Some(table) = &part.table {
            self.paragraph(&rows(table));
        }
        self.list(&part.notes);
    }

    /// One sentence as a paragraph, several as a list.
    fn list(&mut self, sentences: &[String]) {
        match sentences {
            [] => {}
            [one] => self.paragraph(&escape(one)),
            several => {
                let items: Vec<String> = several.iter().map(|one| format!("- {}", escape(one))).collect();
                self.paragraph(&items.join("\n"));
            }
        }
    }

    /// Text word for word, fenced by more backticks than it holds in a row.
    fn code(&mut self, language: &str, text: &str) {
        let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat(longest.max(2) + 1);
        self.paragraph(&format!("{fence}{language}\n{}\n{fence}", text.trim_end()));
    }

    fn finish(self) -> String {
        self.text
    }
}

fn rows(table: &Table) -> String {
    let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let heads = table.heads.iter().map(|(_, head)| escape(head)).collect();
    let rule = table.heads.iter().map(|(column, _)| match column {
        Column::Number => "---:".to_owned(),
        Column::Name | Column::Text => "---".to_owned(),
    });
    let rows = table.rows.iter().map(|row| line(row.iter().map(|cell| escape(cell)).collect()));
    [line(heads), line(rule.collect())].into_iter().chain(rows).collect::<Vec<_>>().join("\n")
}

/// Text that Markdown takes for nothing but text, on one line.
fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match character {
            '\\' | '`' | '*' | '|' => safe.extend(['\\', character]),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '\n' | '\r' => safe.push(' '),
            other => safe.push(other),
        }
    }
    // Brackets alone are intervals; before a parenthesis they would be a link.
    safe.replace("](", "]\\(")
}

fn verdict(page: &mut Page, summary: &Summary) {
    let kinds = doubts::kinds(summary);
    let head = format!("**{}**", words::verdict(summary.verdict));
    if kinds.is_empty() {
        let valid = summary.verdict == Verdict::Valid;
        let says = if valid { words::NOTHING_AGAINST } else { "no reason was given" };
        return page.paragraph(&format!("{head}: {says}."));
    }
    page.paragraph(&format!("{head}, for these reasons:"));
    let item = |kind: &doubts::Kind| {
        let weight = match kind.weight {
            Verdict::Valid => "note",
            weight => weight.name(),
        };
        let separator = if kind.concerns.is_empty() { "" } else { ": " };
        format!("- *{weight}* · {}{separator}{}.", escape(&kind.concerns), escape(&kind.text))
    };
    page.paragraph(&kinds.iter().map(item).collect::<Vec<_>>().join("\n"));
}

fn guessed(page: &mut Page, summary: &Summary) {
    let Some(overview) = guesses::overview(summary) else { return };
    page.heading("Guesses");
    page.paragraph(&escape(&overview));
    let item = |one: &GuessSummary| {
        let guess = &one.guess;
        let late = if guess.is_late { format!(" ({})", guesses::LATE) } else { String::new() };
        let figures = match guesses::figures(one) {
            figures if figures.is_empty() => String::new(),
            figures => format!("\n  {}", escape(&figures)),
        };
        let (name, says) = (escape(&guess.name), escape(&guess.says));
        format!("- **{name}: {}**{late} “{says}”{figures}", one.verdict)
    };
    page.paragraph(&summary.guesses.iter().map(item).collect::<Vec<_>>().join("\n"));
    page.paragraph(guesses::NOTE);
}

fn circumstances(page: &mut Page, summary: &Summary) {
    page.heading("The machine");
    let facts: Vec<Vec<String>> = words::machine_facts(&summary.machine)
        .into_iter()
        .chain(machine::story(summary))
        .map(|(name, text)| vec![name.to_owned(), text])
        .collect();
    if let Some(table) = Table::of(&[(Column::Name, "fact"), (Column::Text, "")], facts) {
        page.paragraph(&rows(&table));
    }
    for (arm, command) in tools::commands(summary) {
        page.paragraph(&format!("{} was sent by", escape(arm)));
        page.code("sh", command);
    }
}

fn again(page: &mut Page, summary: &Summary, folder: Option<&str>) {
    page.heading("Compute it again");
    let folder = folder.unwrap_or("FOLDER");
    page.code("sh", &format!("doorclock report {folder}\ndoorclock verify {folder}"));
    page.paragraph(&escape(&format!(
        "The first draws this from the samples again; the second computes every number a second time, by code that \
         shares nothing with the first. Percentiles are nearest-rank. Measured by doorclock {}, begun {}.",
        summary.tool_version, summary.began
    )));
}

#[cfg(test)]
mod tests;
