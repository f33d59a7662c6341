//! What arrivals send and what their answers must be, for every row.

use crate::rows::{CellValue, Row};
use crate::template::{Cell, Piece, Template};
use serde_json::{Number, Value};

/// One request as plain data, and what its answer must be.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedRequest {
    /// The method.
    pub method: String,
    /// Path and query, beginning with `/`.
    pub path: String,
    /// Headers in the order of the plan.
    pub headers: Vec<(String, String)>,
    /// The body, if there is one.
    pub body: Option<String>,
    /// What its answer must be to count as ok.
    pub expect: Expected,
}

/// What an answer must be. `None` and empty ask for nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expected {
    /// The status; without one, any from 200 to 399.
    pub status: Option<u16>,
    /// Headers by name, each with what it must be.
    pub headers: Vec<(String, String)>,
    /// Values in the JSON body, by JSON pointer (RFC 6901).
    pub json: Vec<(String, ExpectedValue)>,
    /// A text that the body holds.
    pub text: Option<String>,
    /// A pattern that the body matches, which `regex` can compile.
    pub regex: Option<String>,
}

/// What stands at one pointer.
#[derive(Clone, Debug, PartialEq)]
pub enum ExpectedValue {
    /// This value. Numbers are compared by value: 1 is 1.0.
    Exactly(Value),
    /// A value from a CSV file, which has no type: the same text, or a number
    /// or truth value that is written so.
    Like(String),
}

impl ExpectedValue {
    /// Whether `found` is what was expected.
    pub fn accepts(&self, found: &Value) -> bool {
        match (self, found) {
            (ExpectedValue::Exactly(expected), found) => same(expected, found),
            (ExpectedValue::Like(text), Value::String(found)) => text == found,
            (ExpectedValue::Like(text), Value::Number(found)) => {
                text.trim().parse::<Number>().is_ok_and(|number| same_number(&number, found))
            }
            (ExpectedValue::Like(text), Value::Bool(found)) => text.trim() == found.to_string(),
            (ExpectedValue::Like(_), _) => false,
        }
    }
}

fn same(expected: &Value, found: &Value) -> bool {
    match (expected, found) {
        (Value::Number(a), Value::Number(b)) => same_number(a, b),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        (a, b) => a == b,
    }
}

/// Integers beyond 2^53 are told apart where both are integers.
fn same_number(a: &Number, b: &Number) -> bool {
    a == b || (a.is_f64() || b.is_f64()) && a.as_f64() == b.as_f64()
}

/// How a row's value enters a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// As its letters.
    Plain,
    /// Percent-encoded, as part of a path.
    Percent,
    /// Escaped, inside a JSON text.
    InJsonText,
    /// As a JSON value.
    JsonValue,
}

/// A text in pieces, with everything decided but the row.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pieces(Vec<(Form, Piece)>);

impl Pieces {
    pub fn new(template: Template, form: Form) -> Pieces {
        Pieces(template.0.into_iter().map(|piece| (form, piece)).collect())
    }

    pub fn push_fixed(&mut self, text: &str) {
        match self.0.last_mut() {
            Some((_, Piece::Fixed(last))) => last.push_str(text),
            _ => self.0.push((Form::Plain, Piece::Fixed(text.to_owned()))),
        }
    }

    pub fn push_cell(&mut self, cell: Cell, form: Form) {
        self.0.push((form, Piece::Cell(cell)));
    }

    /// The text for `row`, or what is wrong with the row.
    pub fn render(&self, row: Option<&Row>) -> Result<String, String> {
        let mut text = String::new();
        for (form, piece) in &self.0 {
            match piece {
                Piece::Fixed(fixed) => text.push_str(fixed),
                Piece::Cell(cell) => text.push_str(&written(value_of(row, cell)?, cell, *form)?),
            }
        }
        Ok(text)
    }
}

fn value_of<'a>(row: Option<&'a Row>, cell: &Cell) -> Result<&'a CellValue, String> {
    let value = row.and_then(|row| row.get(&cell.column));
    value.ok_or_else(|| format!("has no value for `{}`", cell.column))
}

fn written(value: &CellValue, cell: &Cell, form: Form) -> Result<String, String> {
    let letters = value.letters();
    if cell.is_number {
        let trimmed = letters.trim();
        return match trimmed.parse::<Number>() {
            Ok(_) => Ok(trimmed.to_owned()),
            Err(_) => {
                Err(format!("has `{}` for `{}`, which is no number", letters.escape_debug(), cell.column))
            }
        };
    }
    Ok(match form {
        Form::Plain => letters,
        Form::Percent => percent_encoded(&letters),
        Form::InJsonText => json_inside(&letters),
        Form::JsonValue => value.json().to_string(),
    })
}

/// Everything but RFC 3986's unreserved letters as `%XX`.
fn percent_encoded(text: &str) -> String {
    let one = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(one).collect()
}

/// The inside of a JSON text, without its quotes.
pub(crate) fn json_inside(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// A JSON value with placeholders in its texts.
#[derive(Clone, Debug)]
pub(crate) enum JsonTemplate {
    Fixed(Value),
    Text(Template),
    List(Vec<JsonTemplate>),
    Object(Vec<(String, JsonTemplate)>),
}

impl JsonTemplate {
    /// The pieces of the value as text, in the plan's order of keys.
    pub fn pieces(&self, into: &mut Pieces) {
        match self {
            JsonTemplate::Fixed(value) => into.push_fixed(&value.to_string()),
            JsonTemplate::Text(template) => text_pieces(template, into),
            JsonTemplate::List(items) => {
                into.push_fixed("[");
                for (at, item) in items.iter().enumerate() {
                    into.push_fixed(if at > 0 { "," } else { "" });
                    item.pieces(into);
                }
                into.push_fixed("]");
            }
            JsonTemplate::Object(entries) => {
                into.push_fixed("{");
                for (at, (key, value)) in entries.iter().enumerate() {
                    into.push_fixed(if at > 0 { "," } else { "" });
                    into.push_fixed(&format!("{}:", Value::from(key.as_str())));
                    value.pieces(into);
                }
                into.push_fixed("}");
            }
        }
    }

    /// What an answer must hold for `row`.
    pub fn expected(&self, row: Option<&Row>) -> Result<ExpectedValue, String> {
        if let JsonTemplate::Text(template) = self
            && let Some(cell) = template.whole()
            && let (CellValue::Untyped(text), false) = (value_of(row, cell)?, cell.is_number)
        {
            return Ok(ExpectedValue::Like(text.clone()));
        }
        let mut pieces = Pieces::default();
        self.pieces(&mut pieces);
        let text = pieces.render(row)?;
        let value = serde_json::from_str(&text).map_err(|error| format!("makes no JSON: {error}"))?;
        Ok(ExpectedValue::Exactly(value))
    }
}

fn text_pieces(template: &Template, into: &mut Pieces) {
    if let Some(cell) = template.whole() {
        return into.push_cell(cell.clone(), Form::JsonValue);
    }
    into.push_fixed("\"");
    for piece in &template.0 {
        match piece {
            Piece::Fixed(text) => into.push_fixed(&json_inside(text)),
            Piece::Cell(cell) => into.push_cell(cell.clone(), Form::InJsonText),
        }
    }
    into.push_fixed("\"");
}

/// The request in pieces.
#[derive(Clone, Debug)]
pub(crate) struct RequestPieces {
    pub method: String,
    pub path: Pieces,
    pub headers: Vec<(String, Pieces)>,
    pub body: Option<Pieces>,
    pub status: Option<u16>,
    pub expected_headers: Vec<(String, Pieces)>,
    pub json: Vec<(String, JsonTemplate)>,
    pub text: Option<Pieces>,
    pub regex: Option<String>,
}

impl RequestPieces {
    /// The request of `row`, or what is wrong with the row.
    pub fn prepare(&self, row: Option<&Row>) -> Result<PlannedRequest, String> {
        let header = |(name, value): &(String, Pieces)| {
            let value = value.render(row)?;
            match value.chars().find(|c| c.is_control() && *c != '\t') {
                Some(_) => Err(format!("puts a line end or control character into header {name}")),
                None => Ok((name.clone(), value)),
            }
        };
        let json = |(pointer, value): &(String, JsonTemplate)| Ok((pointer.clone(), value.expected(row)?));
        Ok(PlannedRequest {
            method: self.method.clone(),
            path: self.path.render(row)?,
            headers: self.headers.iter().map(header).collect::<Result<_, String>>()?,
            body: self.body.as_ref().map(|body| body.render(row)).transpose()?,
            expect: Expected {
                status: self.status,
                headers: self.expected_headers.iter().map(header).collect::<Result<_, String>>()?,
                json: self.json.iter().map(json).collect::<Result<_, String>>()?,
                text: self.text.as_ref().map(|text| text.render(row)).transpose()?,
                regex: self.regex.clone(),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_are_compared_by_value_and_large_ones_exactly() {
        let exactly = |value| ExpectedValue::Exactly(value);
        assert!(exactly(json!({"a": [1, "x"]})).accepts(&json!({"a": [1.0, "x"]})));
        assert!(!exactly(json!(9_007_199_254_740_993_u64)).accepts(&json!(9_007_199_254_740_992_u64)));
        assert!(!exactly(json!("1")).accepts(&json!(1)));
    }

    #[test]
    fn a_value_without_a_type_is_like_the_text_and_like_the_number() {
        let like = ExpectedValue::Like("0.250000".to_owned());
        for (found, accepted) in
            [(json!(0.25), true), (json!("0.250000"), true), (json!("0.25"), false), (json!(null), false)]
        {
            assert_eq!(like.accepts(&found), accepted, "{found}");
        }
        assert!(ExpectedValue::Like("true".to_owned()).accepts(&json!(true)));
    }

    #[test]
    fn row_values_cannot_break_out_of_paths_and_json_texts() {
        assert_eq!(percent_encoded("a/b?c=ü d"), "a%2Fb%3Fc%3D%C3%BC%20d");
        assert_eq!(json_inside("say \"hi\"\n"), "say \\\"hi\\\"\\n");
    }
}
