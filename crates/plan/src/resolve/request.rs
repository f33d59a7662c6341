//! The request: its templates held against the rows' columns, and every row
//! made ready, so that nothing is left to go wrong during a run.

use super::Errors;
use super::view::View;
use crate::keys;
use crate::node::{Node, Value};
use crate::request::{Form, JsonTemplate, Pieces, PlannedRequest, RequestPieces};
use crate::rows::{self, Rows};
use crate::source::Place;
use crate::template::Template;
use serde_json::Value as Json;
use std::io;
use std::path::Path;

/// The requests of all rows; of one, where the plan names no rows.
pub(super) fn requests(
    view: &View<'_>,
    url_path: &str,
    read: &dyn Fn(&Path) -> io::Result<Vec<u8>>,
    errors: &mut Errors<'_>,
) -> Vec<PlannedRequest> {
    let before = errors.found.len();
    let rows = view.words("rows").map(|name| rows_of(&name, view.place("rows"), read, errors));
    if rows == Some(None) {
        return Vec::new();
    }
    let mut reader = Reader { columns: rows.as_ref().and_then(Option::as_ref), errors };
    let pieces = reader.request(view, url_path);
    // A row that fails says so only once the templates themselves are right.
    if errors.found.len() > before {
        return Vec::new();
    }
    let found: Result<Vec<_>, String> = match rows.flatten() {
        None => pieces.prepare(None).map(|request| vec![request]),
        Some(rows) => {
            let one = |row: &rows::Row| {
                pieces.prepare(Some(row)).map_err(|why| format!("line {} of the rows {why}", row.line))
            };
            rows.rows.iter().map(one).collect()
        }
    };
    found.unwrap_or_else(|why| {
        let key = if view.given("rows").is_some() { "rows" } else { "headers" };
        errors.say(view.place(key), why, "");
        Vec::new()
    })
}

fn rows_of(
    name: &str,
    place: Place,
    read: &dyn Fn(&Path) -> io::Result<Vec<u8>>,
    errors: &mut Errors<'_>,
) -> Option<Rows> {
    let path = errors.file.beside(name);
    let bytes = match read(&path) {
        Ok(bytes) => bytes,
        Err(error) => {
            let says = format!("cannot read the rows `{}`: {error}", path.display());
            errors.say(place, says, "the path counts from the plan's folder");
            return None;
        }
    };
    match rows::parse(&path, &bytes) {
        Ok(rows) => Some(rows),
        Err(why) => {
            errors.say(place, why, "");
            None
        }
    }
}

/// Reads templates and collects what is wrong with them.
struct Reader<'r, 'e, 'f> {
    columns: Option<&'r Rows>,
    errors: &'e mut Errors<'f>,
}

impl Reader<'_, '_, '_> {
    fn request(&mut self, view: &View<'_>, url_path: &str) -> RequestPieces {
        let expect = view.table("expect");
        let body = self.body(view);
        let method = view.words("method").unwrap_or(if body.is_some() { "POST" } else { "GET" }.to_owned());
        if !is_token(&method) {
            self.errors.say(view.place("method"), format!("`{}` is no method", method.escape_debug()), "");
        }
        RequestPieces {
            path: self.path(view, url_path),
            headers: self.sent_headers(view),
            body,
            status: expect.whole("status").map(|status| status as u16),
            expected_headers: self.headers(&expect.table("headers")),
            json: self.expected_json(&expect.table("json")),
            text: expect.given("text").map(|node| Pieces::new(self.template(node), Form::Plain)),
            regex: self.regex(&expect),
            method,
        }
    }

    fn path(&mut self, view: &View<'_>, url_path: &str) -> Pieces {
        let (place, template) = match view.given("path") {
            Some(node) => (node.place, self.template(node)),
            None => {
                let mut pieces = Pieces::default();
                pieces.push_fixed(if url_path.is_empty() { "/" } else { url_path });
                return pieces;
            }
        };
        let fixed: Vec<&str> = template.fixed().collect();
        if !template.begins_with('/') {
            self.errors.say(place, "`request.path` does not begin with `/`", "write \"/…\"");
        }
        let outside = |c: &char| !c.is_ascii_graphic() || *c == '#';
        if let Some(letter) = fixed.iter().flat_map(|text| text.chars()).find(outside) {
            let says = format!("`request.path` holds {letter:?}");
            self.errors.say(place, says, "percent-encode it");
        }
        Pieces::new(template, Form::Percent)
    }

    /// A pattern is compiled here, so that it cannot be wrong during a run.
    fn regex(&mut self, expect: &View<'_>) -> Option<String> {
        let pattern = expect.words("regex")?;
        if let Err(error) = regex::bytes::Regex::new(&pattern) {
            // The last line of the complaint says what is wrong; the ones
            // before it draw the pattern, which the plan's error does anyway.
            let text = error.to_string();
            let why = text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
            let says = format!("`request.expect.regex` is no pattern: {why}");
            self.errors.say(expect.place("regex"), says, "");
        }
        Some(pattern)
    }

    fn headers(&mut self, view: &View<'_>) -> Vec<(String, Pieces)> {
        let mut headers = Vec::new();
        for entry in view.entries() {
            if !is_token(&entry.key) {
                let says = format!("`{}` is no name of a header", entry.key.escape_debug());
                self.errors.say(entry.key_place, says, "");
            }
            let template = self.template(&entry.node);
            if template.fixed().any(|text| text.contains(|c: char| c.is_control() && c != '\t')) {
                let says = format!("header `{}` holds a line end or control character", entry.key);
                self.errors.say(entry.node.place, says, "");
            }
            headers.push((entry.key.clone(), Pieces::new(template, Form::Plain)));
        }
        headers
    }

    fn sent_headers(&mut self, view: &View<'_>) -> Vec<(String, Pieces)> {
        let mut headers = self.headers(&view.table("headers"));
        let says_type = headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        if view.given("json").is_some() && !says_type {
            let mut json = Pieces::default();
            json.push_fixed("application/json");
            headers.push(("Content-Type".to_owned(), json));
        }
        headers
    }

    fn body(&mut self, view: &View<'_>) -> Option<Pieces> {
        match (view.given("json"), view.given("body")) {
            (Some(_), Some(_)) => {
                let later = view.place("json").max(view.place("body"));
                self.errors.say(later, "the request has both `json` and `body`", "leave one of them out");
                None
            }
            (Some(json), None) => {
                let mut pieces = Pieces::default();
                self.json(json).pieces(&mut pieces);
                Some(pieces)
            }
            (None, Some(body)) => Some(Pieces::new(self.template(body), Form::Plain)),
            (None, None) => None,
        }
    }

    fn expected_json(&mut self, view: &View<'_>) -> Vec<(String, JsonTemplate)> {
        let mut expected = Vec::new();
        for entry in view.entries() {
            if !entry.key.is_empty() && !entry.key.starts_with('/') {
                let says = format!("`{}` is no JSON pointer", entry.key.escape_debug());
                self.errors.say(entry.key_place, says, format!("write \"/{}\"", entry.key.replace('.', "/")));
            }
            expected.push((entry.key.clone(), self.json(&entry.node)));
        }
        expected
    }

    fn json(&mut self, node: &Node) -> JsonTemplate {
        match &node.value {
            Value::Text(text) => {
                let template = self.template(node);
                if template.cells().next().is_some() {
                    JsonTemplate::Text(template)
                } else {
                    JsonTemplate::Fixed(Json::from(text.as_str()))
                }
            }
            Value::Number(number) => match (number.integer, serde_json::Number::from_f64(number.float)) {
                (Some(integer), _) => JsonTemplate::Fixed(Json::from(integer)),
                (None, Some(float)) => JsonTemplate::Fixed(Json::Number(float)),
                (None, None) => {
                    self.errors.say(node.place, "JSON has no such number", "");
                    JsonTemplate::Fixed(Json::Null)
                }
            },
            Value::Bool(flag) => JsonTemplate::Fixed(Json::from(*flag)),
            Value::Date(date) => JsonTemplate::Fixed(Json::from(date.as_str())),
            Value::List(items) => JsonTemplate::List(items.iter().map(|item| self.json(item)).collect()),
            Value::Table(table) => {
                let entry = |entry: &crate::node::Entry| (entry.key.clone(), self.json(&entry.node));
                JsonTemplate::Object(table.entries.iter().map(entry).collect())
            }
        }
    }

    /// The pieces of a text, its columns held against those of the rows.
    fn template(&mut self, node: &Node) -> Template {
        let text = node.text().unwrap_or_default();
        let template = match Template::parse(text) {
            Ok(template) => template,
            Err((part, fault)) => {
                let place = self.errors.file.inside(node, text, part);
                self.errors.say(place, format!("the text {}", fault.predicate), fault.hint);
                return Template(Vec::new());
            }
        };
        for cell in template.cells() {
            let place = self.errors.file.inside(node, text, cell.span.clone());
            let column = cell.column.escape_debug();
            match self.columns {
                None => {
                    let says = format!("`row.{column}` needs rows, and the request names none");
                    self.errors.say(place, says, "give request.rows a CSV or JSON lines file");
                }
                Some(rows) if !rows.columns.contains(&cell.column) => {
                    let known = || rows.columns.iter().map(String::as_str);
                    let hint = match keys::nearest(&cell.column, known()) {
                        Some(near) => format!("is `{near}` meant?"),
                        None => format!("the columns are {}", known().collect::<Vec<_>>().join(", ")),
                    };
                    self.errors.say(place, format!("the rows have no column `{column}`"), hint);
                }
                Some(_) => {}
            }
        }
        template
    }
}

/// A word as HTTP has it for methods and names of headers (RFC 9110, 5.6.2).
fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}
