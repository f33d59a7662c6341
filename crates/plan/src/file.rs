//! A plan as it was written: one file, and the flags that change it.

use crate::error::{PlanError, PlanErrors};
use crate::node::{Entry, Node, Table, Value};
use crate::plan::{Guess, Plan};
use crate::source::{Place, Source};
use crate::{check, resolve};
use std::io;
use std::path::{Path, PathBuf};
use toml::de::{DeTable, DeValue};

/// By what an error names a flag.
const FLAG: &str = "--set";

/// A plan as written. Flags edit it with [`set`](PlanFile::set), so that there
/// is one merge and one validation for both.
#[derive(Clone, Debug)]
pub struct PlanFile {
    path: PathBuf,
    /// The file first, then one for each flag.
    sources: Vec<Source>,
    root: Table,
}

impl PlanFile {
    /// Reads and parses the file at `path`.
    pub fn read(path: impl Into<PathBuf>) -> Result<PlanFile, PlanErrors> {
        let path = path.into();
        let failed = |why: &dyn std::fmt::Display| {
            PlanErrors::one(PlanError::without_place(format!("cannot read plan `{}`: {why}", path.display())))
        };
        let bytes = std::fs::read(&path).map_err(|error| failed(&error))?;
        let text = String::from_utf8(bytes).map_err(|_| failed(&"it is not UTF-8 text"))?;
        PlanFile::parse(path, text)
    }

    /// Parses `text`. Errors name `path`, and rows of requests are looked for
    /// beside it.
    pub fn parse(path: impl Into<PathBuf>, text: impl Into<String>) -> Result<PlanFile, PlanErrors> {
        let (path, text) = (path.into(), text.into());
        let (table, errors) = DeTable::parse_recoverable(&text);
        let root = Table::from_toml(table.get_ref(), 0, 0);
        let source = Source { name: path.display().to_string(), text: text.clone() };
        let mut errors: Vec<_> = errors.iter().map(|error| syntax_error(&source, error)).collect();
        errors.sort_by_key(PlanError::position);
        errors.dedup();
        PlanErrors::unless_empty(errors, PlanFile { path, sources: vec![source], root })
    }

    /// Parses what would stand in the table `key` of a plan: lines, or their
    /// entries with commas between them. Errors name `name`.
    pub(crate) fn parse_below(key: &str, name: &str, text: &str) -> Result<PlanFile, PlanErrors> {
        let of = |text: String, root: Table| {
            let place = Place { source: 0, start: 0, end: text.len() };
            let node = Node { place, value: Value::Table(root) };
            let root = Table { entries: vec![Entry { key: key.to_owned(), key_place: place, node }] };
            PlanFile { path: name.into(), sources: vec![Source { name: name.to_owned(), text }], root }
        };
        let error = match DeTable::parse(text) {
            Ok(lines) => return Ok(of(text.to_owned(), Table::from_toml(lines.get_ref(), 0, 0))),
            Err(error) => error,
        };
        let inline = format!("{{ {text} }}");
        if let Ok(value) = DeValue::parse(&inline)
            && let Value::Table(root) = Node::from_toml(&value, 0, 0).value
        {
            return Ok(of(inline, root));
        }
        let span = error.span().unwrap_or_default();
        let place = Place { source: 0, start: span.start, end: span.end };
        let source = Source { name: name.to_owned(), text: text.to_owned() };
        let says = format!("the {key} is not TOML");
        Err(PlanErrors::one(PlanError::at(source.spot(place), says, error.message())))
    }

    /// Sets one key, as if the file said so: `set("arm.x.open.rate", "600/s")`.
    /// The value is read as TOML where it is TOML (`8`, `false`, `["a"]`), and
    /// as a text otherwise, so that units need no quotes.
    pub fn set(mut self, key: &str, value: &str) -> Result<PlanFile, PlanErrors> {
        let text = format!("{key}={value}");
        self.sources.push(Source { name: FLAG.to_owned(), text });
        let source = self.sources.len() - 1;
        let Some(steps) = steps(key, source) else {
            let place = Place { source, start: 0, end: key.len() };
            let says = format!("`{key}` is no key of a plan");
            return Err(PlanErrors::one(self.error(place, says, "write it as arm.NAME.open.rate")));
        };
        let node = flag_value(value, source, key.len() + 1);
        match put(&mut self.root, &steps, node) {
            Ok(()) => Ok(self),
            Err((place, says)) => Err(PlanErrors::one(self.error(place, says, ""))),
        }
    }

    /// What will happen, or everything that is wrong. Reads the rows of
    /// requests, if the plan names a file of them.
    pub fn resolve(&self) -> Result<Plan, PlanErrors> {
        self.resolve_reading(&|path| std::fs::read(path))
    }

    /// The same with `read` in the place of the file system.
    pub fn resolve_reading(&self, read: &dyn Fn(&Path) -> io::Result<Vec<u8>>) -> Result<Plan, PlanErrors> {
        check::check(self)?;
        resolve::resolve(self, read)
    }

    /// The guesses alone, held against the arms that the file names. Reads no
    /// rows, and asks nothing else of the plan: for a file that lies beside
    /// results, to which somebody may have added a guess.
    pub fn guesses(&self) -> Result<Vec<Guess>, PlanErrors> {
        check::check_guesses(self)?;
        resolve::guesses_alone(self)
    }

    /// The folder that the plan's file lies in.
    pub fn folder(&self) -> &Path {
        match self.path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        }
    }

    /// The file's text, word for word.
    pub fn text(&self) -> &str {
        &self.sources[0].text
    }

    /// The flags that were set, in order, as `KEY=VALUE`.
    pub fn flags(&self) -> impl Iterator<Item = &str> {
        self.sources.iter().skip(1).map(|flag| flag.text.as_str())
    }

    /// Where a key stands, for an error that only whoever carries the plan out
    /// can find: `error_at("target.start", "ended before it was ready", "")`.
    /// Without that key, it points at the last part of it that is there.
    pub fn error_at(&self, key: &str, says: impl Into<String>, hint: impl Into<String>) -> PlanError {
        let mut place = Place::TOP;
        let mut table = Some(&self.root);
        for step in steps(key, 0).unwrap_or_default() {
            let Some(entry) = table.and_then(|table| table.entry(&step.key)) else { break };
            table = entry.node.table();
            place = if table.is_some() { entry.key_place } else { entry.node.place };
        }
        self.error(place, says, hint)
    }

    pub(crate) fn root(&self) -> &Table {
        &self.root
    }

    pub(crate) fn error(&self, place: Place, says: impl Into<String>, hint: impl Into<String>) -> PlanError {
        PlanError::at(self.sources[place.source].spot(place), says, hint)
    }

    /// The place of a part of a text: exactly, where the text is written as it
    /// reads, and the whole value where escapes stand between.
    pub(crate) fn inside(&self, node: &Node, text: &str, part: std::ops::Range<usize>) -> Place {
        let raw = self.sources[node.place.source].slice(node.place);
        match raw.find(text) {
            Some(at) if !part.is_empty() => {
                let start = node.place.start + at;
                Place { source: node.place.source, start: start + part.start, end: start + part.end }
            }
            _ => node.place,
        }
    }

    /// `path` as seen from the plan's folder.
    pub(crate) fn beside(&self, path: &str) -> PathBuf {
        self.path.parent().unwrap_or(Path::new("")).join(path)
    }
}

/// One part of a flag's key.
struct Step {
    key: String,
    place: Place,
}

/// The parts of a dotted key, by TOML's own rules of quoting; `None` if it is
/// not one.
fn steps(key: &str, source: usize) -> Option<Vec<Step>> {
    if key.contains(['\n', '\r', '=', '#']) {
        return None;
    }
    let line = format!("{key}=0");
    let parsed = DeTable::parse(&line).ok()?;
    let mut steps = Vec::new();
    let mut table = Some(Table::from_toml(parsed.get_ref(), source, 0));
    while let Some(entry) = table.and_then(|table| table.entries.into_iter().next()) {
        steps.push(Step { key: entry.key, place: entry.key_place });
        table = match entry.node.value {
            Value::Table(inner) => Some(inner),
            _ => None,
        };
    }
    (!steps.is_empty()).then_some(steps)
}

fn flag_value(value: &str, source: usize, shift: usize) -> Node {
    match DeValue::parse(value) {
        Ok(parsed) => Node::from_toml(&parsed, source, shift),
        Err(_) => Node {
            place: Place { source, start: shift, end: shift + value.len() },
            value: Value::Text(value.to_owned()),
        },
    }
}

/// Puts `node` where `steps` lead, making the tables on the way.
fn put(table: &mut Table, steps: &[Step], node: Node) -> Result<(), (Place, String)> {
    let [step, rest @ ..] = steps else { return Ok(()) };
    if table.entry(&step.key).is_none() {
        let empty = Node { place: step.place, value: Value::Table(Table::default()) };
        table.entries.push(Entry { key: step.key.clone(), key_place: step.place, node: empty });
    }
    let entry = table.entry_mut(&step.key).expect("it was there or has just been put there");
    if rest.is_empty() {
        entry.node = node;
        return Ok(());
    }
    match &mut entry.node.value {
        Value::Table(inner) => put(inner, rest, node),
        _ => Err((
            step.place,
            format!("`{}` is {} in the plan, and holds no keys", step.key, entry.node.description()),
        )),
    }
}

/// TOML's complaint in our words.
fn syntax_error(source: &Source, error: &toml::de::Error) -> PlanError {
    let span = error.span().unwrap_or_default();
    let place = Place { source: 0, start: span.start, end: span.end };
    if error.message() != "duplicate key" {
        return PlanError::at(source.spot(place), "the plan is not TOML", error.message());
    }
    let written = source.slice(place);
    let header = format!("[arm.{written}]");
    let headers = source.text.lines().position(|line| line.trim_start().starts_with(&header));
    match headers.map(|line| line + 1).filter(|line| *line < source.spot(place).line) {
        Some(first) => PlanError::at(
            source.spot(place),
            format!("there are two arms of the name `{}`", written.trim_matches(['"', '\''])),
            format!("the first is on line {first}: give this one another name"),
        ),
        None => {
            let says = format!("`{}` is given twice", written.escape_debug());
            PlanError::at(source.spot(place), says, "remove one of them")
        }
    }
}

#[cfg(test)]
mod tests;
