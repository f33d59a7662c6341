//! What is read beside the load.

use super::Errors;
use super::view::View;
use model::{
    ColumnFacts, Database, Nanos, Pick, PlannedReading, Probe, ReadingFacts, ReadingUnit, WhichProcess,
};
use std::path::Path;

/// The kinds of probes, of which a reading has one.
const KINDS: [&str; 7] = ["sql", "redis", "http", "prometheus", "process", "machine", "command"];

/// The longest that an answer is waited for if nothing is said.
const PATIENCE: Nanos = Nanos::from_secs(5);

/// Every reading of the plan, in the order of the file. Its files and commands
/// stand in `folder`.
pub(super) fn readings(root: &View<'_>, folder: &Path, errors: &mut Errors<'_>) -> Vec<PlannedReading> {
    let all = root.table("readings");
    let tables: Vec<(String, View<'_>)> =
        all.entries().map(|entry| (entry.key.clone(), named(&all, &entry.key, "readings.*"))).collect();
    tables.iter().filter_map(|(name, view)| reading(name, view, folder, errors)).collect()
}

/// The table `name` of a table whose keys the user has named.
fn named<'a>(all: &View<'a>, name: &str, pattern: &str) -> View<'a> {
    let found = all.entries().find(|entry| entry.key == name);
    let table = found.and_then(|entry| Some(View::new(entry.node.table()?, pattern, entry.key_place)));
    table.unwrap_or_else(|| all.table(name))
}

fn reading(name: &str, view: &View<'_>, folder: &Path, errors: &mut Errors<'_>) -> Option<PlannedReading> {
    let probe = probe(name, view, folder, errors);
    let every = view.duration("every");
    let given_timeout = view.given_duration("timeout");
    let timeout = given_timeout.unwrap_or_else(|| every.min(PATIENCE));
    for (key, length) in [("every", Some(every)), ("timeout", given_timeout)] {
        if length == Some(Nanos::ZERO) {
            let says = format!("the `{key}` of reading `{name}` is nothing");
            errors.say(view.place(key), says, "write \"1s\"");
        }
    }
    let probe = probe?;
    let facts = ReadingFacts {
        name: name.to_owned(),
        kind: probe.kind().to_owned(),
        asks: probe.asks(),
        every,
        timeout,
        unit: unit(view),
        limit: view.given("limit").and_then(|_| view.number("limit")),
        columns: columns(view, &probe),
    };
    Some(PlannedReading { probe, facts })
}

/// What is known of columns: of those that Linux tells, and as the plan says.
fn columns(view: &View<'_>, probe: &Probe) -> Vec<ColumnFacts> {
    let own = probe.own_columns().iter();
    let mut known: Vec<ColumnFacts> = own
        .map(|(column, unit)| ColumnFacts { column: (*column).to_owned(), unit: Some(*unit), limit: None })
        .collect();
    let said = view.table("columns");
    for entry in said.entries() {
        let of = named(&said, &entry.key, "readings.*.columns.*");
        let limit = of.given("limit").and_then(|_| of.number("limit"));
        match known.iter_mut().find(|facts| facts.column == entry.key) {
            Some(facts) => {
                facts.limit = limit;
                facts.unit = unit(&of).or(facts.unit);
            }
            None => known.push(ColumnFacts { column: entry.key.clone(), unit: unit(&of), limit }),
        }
    }
    known
}

fn unit(view: &View<'_>) -> Option<ReadingUnit> {
    view.given("unit").and_then(|_| ReadingUnit::named(&view.words("unit")?))
}

/// Which of the kinds are asked for: `machine = false` asks for nothing.
fn asked(view: &View<'_>) -> Vec<&'static str> {
    let is_asked =
        |kind: &&'static str| view.given(kind).is_some() && (**kind != *"machine" || view.flag("machine"));
    KINDS.into_iter().filter(is_asked).collect()
}

fn probe(name: &str, view: &View<'_>, folder: &Path, errors: &mut Errors<'_>) -> Option<Probe> {
    let kind = match asked(view)[..] {
        [kind] => kind,
        [] => {
            let says = format!("nothing says what reading `{name}` asks");
            errors.say(view.key_place, says, format!("give it one of {}", list(&KINDS)));
            return None;
        }
        [_, second, ..] => {
            let says = format!("reading `{name}` asks more than one");
            errors.say(view.place(second), says, "write a reading for each");
            return None;
        }
    };
    let inside = view.table(kind);
    match kind {
        "sql" => sql(&inside, folder, errors),
        "redis" => redis(&inside, errors),
        "http" => {
            let parts = picks(&inside, "parts", errors);
            for pick in parts.iter().filter(|pick| !pick.at.starts_with('/')) {
                let says = format!("`{}` is no JSON pointer", pick.at.escape_debug());
                let place = place_of(&inside.table("parts"), &pick.column);
                errors.say(place, says, "write /jobs/queued");
            }
            Some(Probe::Http { url: http_url(&inside, errors), parts })
        }
        "prometheus" => {
            // Quotes of either kind: a TOML text stands in quotes itself.
            let mut metrics = picks(&inside, "metrics", errors);
            metrics.iter_mut().for_each(|pick| pick.at = pick.at.replace('\'', "\""));
            Some(Probe::Prometheus { url: http_url(&inside, errors), metrics })
        }
        "process" => process(&inside, errors).map(Probe::Process),
        "machine" => Some(Probe::Machine),
        _ => Some(Probe::Command { line: view.words("command")?, folder: folder.to_owned() }),
    }
}

fn sql(view: &View<'_>, folder: &Path, errors: &mut Errors<'_>) -> Option<Probe> {
    let database = database(view, errors)?.below(folder);
    Some(Probe::Sql { database, query: view.words("query")? })
}

/// The database that `url` names.
pub(super) fn database(view: &View<'_>, errors: &mut Errors<'_>) -> Option<Database> {
    let url = view.words("url")?;
    let found = Database::named(&url);
    if found.is_none() {
        let says = format!("`{}` names no database that we can ask", url.escape_debug());
        errors.say(view.place("url"), says, "write postgres://USER@HOST:PORT/NAME, or sqlite:FILE");
    }
    found
}

fn redis(view: &View<'_>, errors: &mut Errors<'_>) -> Option<Probe> {
    let url = view.words("url")?;
    if !url.starts_with("redis://") && !url.starts_with("unix://") && !url.starts_with("redis+unix://") {
        let says = format!("`{}` names no Redis server", url.escape_debug());
        errors.say(view.place("url"), says, "write redis://127.0.0.1:6379/0");
    }
    let commands = match view.given("commands") {
        Some(_) => picks(view, "commands", errors),
        None => Vec::new(),
    };
    let info = view.list("info");
    if info.is_empty() && commands.is_empty() {
        let hint = "give it `info`, such as [\"used_memory\"], or `commands`";
        errors.say(view.key_place, "nothing says which numbers of Redis are read", hint);
    }
    Some(Probe::Redis { url, info, commands })
}

fn http_url(view: &View<'_>, errors: &mut Errors<'_>) -> String {
    let url = view.words("url").unwrap_or_default();
    let host = url.strip_prefix("http://").map(|rest| rest.split('/').next().unwrap_or_default());
    if host.is_none_or(str::is_empty) {
        let says = format!("`{}` is no URL that we can ask", url.escape_debug());
        errors.say(view.place("url"), says, "write http://HOST:PORT/PATH");
    }
    url
}

/// The numbers that the user names, each with where it is found.
fn picks(view: &View<'_>, key: &str, errors: &mut Errors<'_>) -> Vec<Pick> {
    let inside = view.table(key);
    let picks: Vec<Pick> = inside
        .entries()
        .filter_map(|entry| Some(Pick { column: entry.key.clone(), at: entry.node.text()?.to_owned() }))
        .collect();
    if picks.is_empty() {
        errors.say(view.place(key), format!("`{key}` names no number"), "name at least one");
    }
    picks
}

fn place_of(view: &View<'_>, key: &str) -> crate::source::Place {
    view.entries().find(|entry| entry.key == key).map_or(view.key_place, |entry| entry.node.place)
}

fn process(view: &View<'_>, errors: &mut Errors<'_>) -> Option<WhichProcess> {
    let whole = |key: &str| view.given(key).and_then(|_| view.whole(key));
    let found: Vec<WhichProcess> = [
        view.flag("target").then_some(WhichProcess::Target),
        whole("pid").map(|pid| WhichProcess::Pid(pid as u32)),
        view.given("name").and_then(|_| view.words("name")).map(WhichProcess::Name),
        whole("port").map(|port| WhichProcess::Port(port as u16)),
    ]
    .into_iter()
    .flatten()
    .collect();
    if found.len() != 1 {
        let says =
            if found.is_empty() { "no process is named" } else { "processes are named in several ways" };
        errors.say(view.key_place, says, "give one of `target = true`, `pid`, `name` and `port`");
    }
    found.into_iter().next().filter(|_| !names_several(view))
}

fn names_several(view: &View<'_>) -> bool {
    let given = ["pid", "name", "port"].into_iter().filter(|key| view.given(key).is_some()).count();
    given + usize::from(view.flag("target")) > 1
}

fn list(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}
