//! What is wrong with a plan, as a person reads it.

use crate::source::Spot;
use std::fmt;

/// One thing that is wrong, and where. Nothing acts on its kind: it is for the
/// person who wrote the plan, so it holds words and a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanError {
    says: String,
    spot: Option<Spot>,
    label: String,
}

impl PlanError {
    /// An error of the plan as a whole, which no place in it can show.
    pub(crate) fn without_place(says: impl Into<String>) -> PlanError {
        PlanError { says: one_line(says.into()), spot: None, label: String::new() }
    }

    pub(crate) fn at(spot: Spot, says: impl Into<String>, label: impl Into<String>) -> PlanError {
        PlanError { says: one_line(says.into()), spot: Some(spot), label: one_line(label.into()) }
    }

    /// What is wrong, in one line.
    pub fn says(&self) -> &str {
        &self.says
    }

    /// Line and column, both from 1, where there is a place.
    pub fn position(&self) -> Option<(usize, usize)> {
        self.spot.as_ref().map(|spot| (spot.line, spot.column))
    }

    /// What to do about it; may be empty.
    pub fn hint(&self) -> &str {
        &self.label
    }
}

/// Names from the plan may hold line ends; a headline may not.
fn one_line(text: String) -> String {
    if text.contains(char::is_control) { text.escape_debug().to_string() } else { text }
}

impl std::error::Error for PlanError {}

/// The headline, the place, the line, and carets with what to do about it.
impl fmt::Display for PlanError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "error: {}", self.says)?;
        let Some(spot) = &self.spot else { return Ok(()) };
        let number = spot.line.to_string();
        let gutter = " ".repeat(number.len());
        // Tabs stay tabs, so that the carets stand where the line's own do.
        let before = spot.text.chars().take(spot.column - 1);
        let indent: String = before.map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        let carets = "^".repeat(spot.width);
        write!(
            out,
            "\n{gutter}--> {}:{}:{}\n{gutter} |\n{}\n{gutter} | {}",
            spot.source,
            spot.line,
            spot.column,
            format!("{number} | {}", spot.text).trim_end(),
            format!("{indent}{carets} {}", self.label).trim_end()
        )
    }
}

/// Everything that is wrong with a plan, in the order of the file. Never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanErrors(Vec<PlanError>);

impl PlanErrors {
    pub(crate) fn one(error: PlanError) -> PlanErrors {
        PlanErrors(vec![error])
    }

    /// `Ok` with `value` if nothing is wrong.
    pub(crate) fn unless_empty<T>(errors: Vec<PlanError>, value: T) -> Result<T, PlanErrors> {
        if errors.is_empty() { Ok(value) } else { Err(PlanErrors(errors)) }
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = &PlanError> {
        self.0.iter()
    }
}

impl std::error::Error for PlanErrors {}

/// One after the other, an empty line between them.
impl fmt::Display for PlanErrors {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, error) in self.0.iter().enumerate() {
            if at > 0 {
                out.write_str("\n\n")?;
            }
            error.fmt(out)?;
        }
        Ok(())
    }
}
