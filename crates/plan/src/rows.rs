//! Rows of requests: a CSV file with a header line, or JSON lines.

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// A table of values, each row with the line it stands on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rows {
    pub columns: Vec<String>,
    pub rows: Vec<Row>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    /// Line in its file, from 1.
    pub line: u64,
    cells: BTreeMap<String, CellValue>,
}

/// What a row holds in one column.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum CellValue {
    /// From a CSV file, where nothing says whether it is a number.
    Untyped(String),
    /// From JSON.
    Typed(Value),
}

impl Row {
    pub fn get(&self, column: &str) -> Option<&CellValue> {
        self.cells.get(column)
    }
}

impl CellValue {
    /// Its letters: JSON's texts without quotes, all else as JSON writes it.
    pub fn letters(&self) -> String {
        match self {
            CellValue::Untyped(text) | CellValue::Typed(Value::String(text)) => text.clone(),
            CellValue::Typed(other) => other.to_string(),
        }
    }

    /// Itself as JSON; untyped text becomes a JSON text.
    pub fn json(&self) -> Value {
        match self {
            CellValue::Untyped(text) => Value::String(text.clone()),
            CellValue::Typed(value) => value.clone(),
        }
    }
}

/// Reads rows, or says in words what is wrong with them and on which line.
pub(crate) fn parse(path: &Path, bytes: &[u8]) -> Result<Rows, String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let kind = path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase());
    let rows = match kind.as_deref() {
        Some("csv") => from_csv(bytes),
        Some("jsonl" | "ndjson") => from_json_lines(bytes),
        _ => return Err(format!("`{name}` is neither .csv nor .jsonl nor .ndjson")),
    };
    let rows = rows.map_err(|(line, why)| format!("`{name}`, line {line}, {why}"))?;
    if rows.rows.is_empty() {
        return Err(format!("`{name}` has no rows: nothing would be sent"));
    }
    Ok(rows)
}

fn from_csv(bytes: &[u8]) -> Result<Rows, (u64, String)> {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(bytes);
    let line_of = |error: &csv::Error| error.position().map_or(1, csv::Position::line);
    let failed = |error: csv::Error| (line_of(&error), "is not UTF-8 text".to_owned());
    let columns: Vec<String> =
        reader.headers().map_err(failed)?.iter().map(|c| c.trim().to_owned()).collect();
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(failed)?;
        let line = record.position().map_or(1, csv::Position::line);
        if record.len() != columns.len() {
            return Err((line, format!("has {} values for {} columns", record.len(), columns.len())));
        }
        let values = record.iter().map(|value| CellValue::Untyped(value.to_owned()));
        rows.push(Row { line, cells: columns.iter().cloned().zip(values).collect() });
    }
    Ok(Rows { columns, rows })
}

fn from_json_lines(bytes: &[u8]) -> Result<Rows, (u64, String)> {
    let text = std::str::from_utf8(bytes).map_err(|_| (1, "or a later one, is not UTF-8 text".to_owned()))?;
    let (mut columns, mut rows) = (Vec::<String>::new(), Vec::new());
    for (line, text) in (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty()) {
        let object: serde_json::Map<String, Value> =
            serde_json::from_str(text).map_err(|_| (line, "is no JSON object".to_owned()))?;
        columns.extend(object.keys().filter(|key| !columns.contains(key)).cloned().collect::<Vec<_>>());
        let cells = object.into_iter().map(|(key, value)| (key, CellValue::Typed(value)));
        rows.push(Row { line, cells: cells.collect() });
    }
    Ok(Rows { columns, rows })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, text: &str) -> Result<Rows, String> {
        parse(Path::new(name), text.as_bytes())
    }

    #[test]
    fn csv_and_json_lines_give_the_same_columns_and_letters() {
        let csv = read("a.csv", "\u{feff}name, score\n\"x, y\",0.50\n").expect("rows");
        let lines = read("a.jsonl", "{\"name\": \"x, y\", \"score\": 0.5}\n\n").expect("rows");
        assert_eq!((&csv.columns, csv.rows[0].line), (&vec!["name".to_owned(), "score".to_owned()], 2));
        assert_eq!(csv.columns, lines.columns);
        let letters = |rows: &Rows, column| rows.rows[0].get(column).map(CellValue::letters);
        assert_eq!(letters(&csv, "name"), letters(&lines, "name"));
        assert_eq!(letters(&csv, "score").as_deref(), Some("0.50"));
        assert_eq!(lines.rows[0].get("score").map(CellValue::json), Some(0.5.into()));
    }

    #[test]
    fn rows_that_cannot_be_sent_name_their_line() {
        for (name, text, says) in [
            ("a.csv", "a,b\n1,2\n1\n", "`a.csv`, line 3, has 1 values for 2 columns"),
            ("a.csv", "a,b\n", "`a.csv` has no rows: nothing would be sent"),
            ("a.csv", "", "`a.csv` has no rows: nothing would be sent"),
            ("a.jsonl", "{}\n[1]\n", "`a.jsonl`, line 2, is no JSON object"),
            ("a.txt", "a\n1\n", "`a.txt` is neither .csv nor .jsonl nor .ndjson"),
        ] {
            assert_eq!(read(name, text).expect_err(says), says);
        }
        assert!(parse(Path::new("a.csv"), b"a\n\xff\n").expect_err("not text").contains("line 2"));
    }
}
