//! The numbers of one answer, a line of JSON each.

use model::{Nanos, Reading};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
struct Answer<'a> {
    reading: &'a str,
    asked_s: f64,
    answered_s: f64,
    /// By column; `null` where there was no number.
    values: BTreeMap<&'a str, Option<f64>>,
    /// Why there was none: by column, and of the whole answer under its empty name.
    gaps: BTreeMap<&'a str, &'a str>,
}

/// The numbers of one answer in one line, seconds counted from the beginning:
/// `{"reading":"queue","asked_s":1.0,"answered_s":1.002,"values":{"queued":412.0},"gaps":{}}`.
/// `None` for no rows.
pub fn reading(rows: &[Reading]) -> Option<String> {
    let first = rows.first()?;
    let seconds = |moment: Nanos| moment.as_secs_f64();
    let answer = Answer {
        reading: &first.reading,
        asked_s: seconds(first.asked),
        answered_s: seconds(first.answered),
        values: rows
            .iter()
            .filter(|row| !row.column.is_empty())
            .map(|row| (&*row.column, row.value))
            .collect(),
        gaps: rows.iter().filter_map(|row| Some((&*row.column, row.note.as_deref()?))).collect(),
    };
    Some(serde_json::to_string(&answer).expect("strings and numbers always become JSON"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_one_line_and_a_gap_is_null_with_its_reason() {
        let row = |column: &str, value: Option<f64>, note: Option<&str>| Reading {
            reading: "queue".into(),
            column: column.into(),
            asked: Nanos::from_secs(1),
            answered: Nanos::from_millis(1_002),
            value,
            note: note.map(Into::into),
        };
        let rows = [row("queued", Some(412.0), None), row("words", None, Some("it is text"))];
        assert_eq!(
            reading(&rows).as_deref(),
            Some(
                "{\"reading\":\"queue\",\"asked_s\":1.0,\"answered_s\":1.002,\
                 \"values\":{\"queued\":412.0,\"words\":null},\"gaps\":{\"words\":\"it is text\"}}"
            )
        );
        assert!(reading(&[row("", None, Some("refused"))]).expect("a line").contains("{\"\":\"refused\"}"));
        assert_eq!(reading(&[]), None);
    }
}
