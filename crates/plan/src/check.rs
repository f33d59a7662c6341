//! The first pass: every key is known, every value is of its kind and has its
//! unit, and nothing required is missing. What passes here is read without a
//! second look by `resolve/`.

use crate::error::{PlanError, PlanErrors};
use crate::file::PlanFile;
use crate::keys::{self, Fallback, Key, Kind};
use crate::node::{Entry, Node, Table, Value};
use crate::source::Place;
use crate::units::{self, Fault};

/// Why there are no more.
const MOST_ROUNDS_HINT: &str = "beyond, the exact test of paired rounds leaves the range of its numbers; tens of rounds tell percents apart";

/// Everything in `file` that its keys and values have wrong by themselves.
pub(crate) fn check(file: &PlanFile) -> Result<(), PlanErrors> {
    let mut walk = Walk { file, errors: Vec::new() };
    walk.table(file.root(), &At::default());
    walk.found()
}

/// The same of its guesses alone.
pub(crate) fn check_guesses(file: &PlanFile) -> Result<(), PlanErrors> {
    check_one(file, "guess")
}

/// The same of its shape alone.
pub(crate) fn check_shape(file: &PlanFile) -> Result<(), PlanErrors> {
    check_one(file, "shape")
}

fn check_one(file: &PlanFile, key: &str) -> Result<(), PlanErrors> {
    let mut walk = Walk { file, errors: Vec::new() };
    if let Some(entry) = file.root().entry(key) {
        walk.entry(entry, &At::default());
    }
    walk.found()
}

/// Where the walk stands: a path of the table of keys, and the same as written.
#[derive(Clone, Debug, Default)]
struct At {
    pattern: String,
    written: Vec<String>,
    /// Of the key that leads here.
    place: Option<Place>,
}

impl At {
    fn below(&self, pattern: &Key, written: &str, place: Place) -> At {
        let mut path = self.written.clone();
        path.push(written.to_owned());
        At { pattern: pattern.inside().to_owned(), written: path, place: Some(place) }
    }

    /// As a headline names it.
    fn name(&self) -> String {
        match self.written.as_slice() {
            [] => "the plan".to_owned(),
            [shape, inside @ ..] if shape == "shape" => shape_name(inside),
            [arm, name, shape, inside @ ..] if arm == "arm" && shape == "shape" => {
                format!("{} of arm `{name}`", shape_name(inside))
            }
            [arm, name] if arm == "arm" => format!("arm `{name}`"),
            [arm, name, key] if arm == "arm" && keys::below(&self.pattern).next().is_some() => {
                format!("the {key} loop of arm `{name}`")
            }
            [arm, name, .., key] if arm == "arm" && key.contains('_') => format!("`{key}` of arm `{name}`"),
            [arm, name, .., key] if arm == "arm" => format!("the {key} of arm `{name}`"),
            [guess, number, key] if guess == "guess" => format!("the `{key}` of guess {number}"),
            [guess, number] if guess == "guess" => format!("guess {number}"),
            path => format!("`{}`", path.join(".")),
        }
    }

    /// The headline of a fault: a bare number's owner "has a rate without a unit".
    fn headline(&self, fault: &Fault) -> String {
        match self.written.as_slice() {
            [arm, name, middle @ .., key]
                if fault.is_bare && arm == "arm" && !middle.iter().any(|step| step == "shape") =>
            {
                format!("arm `{name}` has a {} without a unit", key.replace('_', " "))
            }
            _ => format!("{} {}", self.name(), fault.predicate),
        }
    }
}

/// A part of a shape, by the words of whoever wrote it.
fn shape_name(inside: &[String]) -> String {
    match inside {
        [] => "the shape".to_owned(),
        [stages, number] if stages == "stages" => format!("stage {number}"),
        [stages, number, key] if stages == "stages" => format!("the `{key}` of stage {number}"),
        [_, points, number] if points == "points" => format!("point {number}"),
        [_, points, number, key] if points == "points" => format!("the `{key}` of point {number}"),
        [steady] if steady == "steady" => "the steady load".to_owned(),
        [kind] if keys::below(&format!("shape.{kind}")).any(|key| key.name() != "*") => format!("the {kind}"),
        [key] => format!("the `{key}` of the shape"),
        [kind, path @ ..] => {
            format!("the `{}` of {}", path.join("."), shape_name(std::slice::from_ref(kind)))
        }
    }
}

struct Walk<'a> {
    file: &'a PlanFile,
    errors: Vec<(Place, PlanError)>,
}

impl Walk<'_> {
    /// Everything that is wrong, in the order of the file.
    fn found(mut self) -> Result<(), PlanErrors> {
        self.errors.sort_by_key(|(place, _)| *place);
        PlanErrors::unless_empty(self.errors.into_iter().map(|(_, error)| error).collect(), ())
    }

    fn say(&mut self, place: Place, says: impl Into<String>, hint: impl Into<String>) {
        self.errors.push((place, self.file.error(place, says, hint)));
    }

    fn table(&mut self, table: &Table, at: &At) {
        for entry in &table.entries {
            self.entry(entry, at);
        }
        for key in keys::below(&at.pattern).filter(|key| key.fallback == Fallback::Required) {
            if table.get(key.name()).is_none() {
                self.missing(key, at);
            }
        }
    }

    fn entry(&mut self, entry: &Entry, at: &At) {
        let place = entry.key_place;
        match keys::find(&at.pattern, &entry.key) {
            Some(key) => self.value(key, &entry.node, &at.below(key, &entry.key, place)),
            None => self.unknown(&entry.key, place, at),
        }
    }

    fn value(&mut self, key: &Key, node: &Node, at: &At) {
        match (key.kind, &node.value) {
            (Kind::Table | Kind::SameAs(_) | Kind::Named, Value::Table(table)) => self.table(table, at),
            (Kind::Tables, Value::List(items)) => {
                for (number, item) in items.iter().enumerate() {
                    let key =
                        keys::find(&at.pattern, "*").expect("a list of tables has a line for one of them");
                    let at = at.below(key, &(number + 1).to_string(), item.place);
                    self.value(key, item, &at);
                }
            }
            _ => {
                if let Some(mut fault) = fault(key, node) {
                    if key.path == "rounds.count" && fault.predicate.starts_with("must be at most") {
                        fault.hint = MOST_ROUNDS_HINT.to_owned();
                    }
                    self.say(node.place, at.headline(&fault), fault.hint);
                }
            }
        }
    }

    fn unknown(&mut self, name: &str, place: Place, at: &At) {
        let known = || keys::below(&at.pattern).map(Key::name).filter(|name| *name != "*");
        let hint = match keys::nearest(name, known()) {
            Some(near) => format!("is `{near}` meant?"),
            None => {
                let mut all: Vec<_> = known().collect();
                all.sort_unstable();
                format!("known here: {}", all.join(", "))
            }
        };
        self.say(place, format!("{} has no key `{name}`", at.name()), hint);
    }

    fn missing(&mut self, key: &Key, at: &At) {
        let (says, hint) = match key.path {
            "question" => {
                ("the plan asks no question".to_owned(), format!("write question = {}", key.example))
            }
            "arm" => {
                ("the plan has no arms: nothing would be sent".to_owned(), "write [arm.NAME]".to_owned())
            }
            "target" => ("the plan names no target".to_owned(), "write [target] and its url".to_owned()),
            _ => (
                format!("{} lacks `{}`", at.name(), key.name()),
                format!("write {} = {}", key.name(), key.example),
            ),
        };
        self.say(at.place.unwrap_or(Place::TOP), says, hint);
    }
}

/// What is wrong with a value by itself.
pub(crate) fn fault(key: &Key, node: &Node) -> Option<Fault> {
    let each = |judge: &dyn Fn(&Node) -> Option<Fault>, wanted| match &node.value {
        Value::List(items) => items.iter().find_map(judge),
        _ => Some(Fault::mismatch(node, wanted, key.example)),
    };
    match key.kind {
        Kind::Table | Kind::SameAs(_) | Kind::Named => match &node.value {
            Value::Table(_) => None,
            _ => Some(Fault::mismatch(node, "a table", &an_inner(key))),
        },
        Kind::Tables => match &node.value {
            Value::List(_) => None,
            _ => Some(Fault::mismatch(node, "a list of tables", &a_list(key))),
        },
        Kind::Words => units::words(node, key.example).err(),
        Kind::Template => match &node.value {
            Value::Text(_) => None,
            _ => units::words(node, key.example).err(),
        },
        Kind::List => each(&|node| units::words(node, "\"…\"").err(), "a list of texts"),
        Kind::Pairs => each(&|node| pair_fault(node, key.example), "a list of pairs"),
        Kind::Duration => units::duration(node).err(),
        Kind::Rate => units::rate(node).err(),
        Kind::RateFromZero => units::rate_from_zero(node).err(),
        Kind::WarmUp => units::warm_up(node).err(),
        Kind::Share => units::share(node).err(),
        Kind::Number => units::number(node).err(),
        Kind::Whole(least, most) => units::whole(node, least, most).err(),
        Kind::Wholes => each(&|node| units::whole(node, 0, 4095).err(), "a list of whole numbers"),
        Kind::Flag => units::flag(node).err(),
        Kind::OneOf(words) => one_of(node, words),
        Kind::Json => None,
    }
}

fn pair_fault(node: &Node, example: &str) -> Option<Fault> {
    let is_pair = match node.list() {
        Some([a, b]) => [a, b].into_iter().all(|name| units::words(name, "").is_ok()),
        _ => false,
    };
    (!is_pair).then(|| Fault::new("holds what is no pair of names", format!("write {example}")))
}

fn a_list(tables: &Key) -> String {
    match tables.example {
        "" => format!("[[{}]]", tables.path),
        example => example.to_owned(),
    }
}

/// A table with the first key that belongs there.
fn an_inner(table: &Key) -> String {
    match keys::below(table.inside()).find(|key| !key.example.is_empty()) {
        Some(key) => format!("{{ {} = {} }}", key.name().replace('*', "NAME"), key.example),
        None => "a table".to_owned(),
    }
}

fn one_of(node: &Node, words: &[&str]) -> Option<Fault> {
    let all = || words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" or ");
    let text = match &node.value {
        Value::Text(text) => text,
        _ => return Some(Fault::mismatch(node, "one of its words", &all())),
    };
    if words.contains(&text.as_str()) {
        return None;
    }
    let hint = match keys::nearest(text, words.iter().copied()) {
        Some(near) => format!("is \"{near}\" meant?"),
        None => format!("write {}", all()),
    };
    Some(Fault::new(format!("cannot be `{}`", text.escape_debug()), hint))
}
