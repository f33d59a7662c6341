//! The reference of the plan language, from the table of keys.

use crate::guess::FIGURES;
use crate::keys::{self, Fallback, KEYS, Key, Kind};
use std::fmt::Write as _;

const HEAD: &str = include_str!("reference/head.txt");
const SHAPES: &str = include_str!("reference/shapes.txt");
const GUESSES: &str = include_str!("reference/guesses.txt");

/// The text of `docs/PLAN.md`.
pub fn reference() -> String {
    let mut text = String::from(HEAD);
    text.push_str("\n## At the top\n\n");
    rows(&mut text, "");
    for key in KEYS.iter().filter(|key| has_section(key)) {
        write!(text, "\n## {}\n\n{}\n\n", heading(key), key.meaning).expect("a String takes everything");
        rows(&mut text, key.path);
    }
    text.push_str("\n## Shapes\n\n");
    text.push_str(SHAPES);
    text.push_str("\n## What guesses may say\n\n");
    text.push_str(GUESSES);
    text.push_str("\n| figure | meaning |\n|---|---|\n");
    for figure in FIGURES {
        writeln!(text, "| `{}` | {} |", figure.name, figure.meaning).expect("a String takes everything");
    }
    text
}

/// Tables with keys of fixed names have a section; `[arm]` itself is only the
/// place of `[arm.NAME]`.
fn has_section(key: &Key) -> bool {
    key.kind == Kind::Table && keys::below(key.path).next().is_some()
}

fn heading(key: &Key) -> String {
    match key.path.strip_suffix(".*") {
        Some(list) if keys::is_list(list) => format!("`[[{}]]`", shown(list)),
        _ => format!("`[{}]`", shown(key.path)),
    }
}

fn shown(path: &str) -> String {
    path.replace('*', "NAME")
}

fn rows(text: &mut String, parent: &str) {
    text.push_str("| key | holds | without it | meaning |\n|---|---|---|---|\n");
    for key in keys::below(parent) {
        row(text, parent, key);
        if key.kind == Kind::Named && !parent.is_empty() {
            keys::below(key.path).for_each(|inner| row(text, parent, inner));
        }
    }
}

fn row(text: &mut String, parent: &str, key: &Key) {
    let name = shown(key.path.strip_prefix(parent).unwrap_or(key.path).trim_start_matches('.'));
    let example = match key.example {
        "" => String::new(),
        example => format!(" For example `{}`.", cell(example)),
    };
    let meaning = format!("{}{example}", cell(key.meaning));
    let line = format!("| `{name}` | {} | {} | {meaning} |", holds(key.kind), without(key.fallback));
    text.push_str(&line);
    text.push('\n');
}

/// A pipe would end a cell, inside backquotes too.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn holds(kind: Kind) -> String {
    match kind {
        Kind::Table => "a table".to_owned(),
        Kind::SameAs(path) => format!("a table like `[{path}]`"),
        Kind::Named => "a table with names of yours".to_owned(),
        Kind::Tables => "a list of tables".to_owned(),
        Kind::Words => "a text".to_owned(),
        Kind::Template => "a text with placeholders".to_owned(),
        Kind::List => "a list of texts".to_owned(),
        Kind::Pairs => "a list of pairs of texts".to_owned(),
        Kind::Duration => "a length of time".to_owned(),
        Kind::Rate => "a rate".to_owned(),
        Kind::RateFromZero => "a rate, or `\"0/s\"`".to_owned(),
        Kind::WarmUp => "requests, or a length of time".to_owned(),
        Kind::Share => "a share".to_owned(),
        Kind::Number => "a number".to_owned(),
        Kind::Whole(least, most) if most > 1_000_000 => format!("a whole number from {least}"),
        Kind::Whole(least, most) => format!("a whole number, {least} to {most}"),
        Kind::Wholes => "a list of whole numbers".to_owned(),
        Kind::Flag => "true or false".to_owned(),
        Kind::OneOf(words) => {
            words.iter().map(|word| format!("`\"{word}\"`")).collect::<Vec<_>>().join(" or ")
        }
        Kind::Json => "any value, with placeholders in texts".to_owned(),
    }
}

fn without(fallback: Fallback) -> String {
    match fallback {
        Fallback::Required => "an error".to_owned(),
        Fallback::Value(value) => format!("`{value}`"),
        Fallback::Says(words) => words.to_owned(),
        Fallback::Nothing => "–".to_owned(),
    }
}
