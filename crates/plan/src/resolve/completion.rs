//! How work is followed past its answer.

use super::Errors;
use super::readings::database;
use super::view::View;
use crate::completion::{Completion, CompletionBy, When, WorkName, name_in};
use std::path::Path;

/// The ways to learn of an end, of which a plan has one.
const WAYS: [&str; 4] = ["poll", "callback", "events", "sql"];

/// What the plan says of it; `None` if work ends with its answer.
pub(super) fn completion(root: &View<'_>, folder: &Path, errors: &mut Errors<'_>) -> Option<Completion> {
    let view = root.given_table("completion")?;
    let given: Vec<&str> = WAYS.into_iter().filter(|way| view.given(way).is_some()).collect();
    let way = match given[..] {
        [way] => way,
        [] => {
            let says = "nothing says how the end of work is learnt";
            errors.say(view.key_place, says, "give it `poll`, `callback`, `events` or `sql`");
            return None;
        }
        [_, second, ..] => {
            let says = format!("the end of work is learnt in {} ways", given.len());
            errors.say(view.place(second), says, "keep one of them");
            return None;
        }
    };
    let inside = view.table(way);
    let (name, by) = match way {
        "poll" => poll(&inside, errors)?,
        "callback" => (own_name(&view, errors)?, callback(&inside, errors)?),
        "events" => (own_name(&view, errors)?, events(&inside, errors)?),
        _ => (own_name(&view, errors)?, sql(&inside, folder, errors)?),
    };
    if way == "poll" && view.given("name").is_some() {
        let says = "the polled URL names the work already";
        errors.say(view.place("name"), says, "leave `name` out");
    }
    let stored = view.given_table("stored").map(|inside| (database(&inside, errors), inside.words("query")));
    Some(Completion {
        name,
        by,
        within: view.duration("within"),
        at_most: view.given_duration("max"),
        quota: view.given("quota").map(|_| view.rate("quota")),
        stored: stored.and_then(|(database, query)| Some((database?.below(folder), query?))),
    })
}

fn poll(view: &View<'_>, errors: &mut Errors<'_>) -> Option<(WorkName, CompletionBy)> {
    let url = view.words("url")?;
    let (done, given_up) = (when(view, "done", errors), when(view, "given_up", errors));
    match name_in(&url) {
        Ok((before, name, after)) => {
            let around_name = (before, after);
            let by = CompletionBy::Poll { around_name, every: view.duration("every"), done: done?, given_up };
            Some((name, by))
        }
        Err(why) => {
            let says = format!("the polled URL {why}");
            errors.say(view.place("url"), says, NAMES);
            None
        }
    }
}

const NAMES: &str = "write `{{ response.headers.location }}`, or `/jobs/{{ response.json.id }}`";

/// The name that stands beside ways that do not hold it themselves.
fn own_name(view: &View<'_>, errors: &mut Errors<'_>) -> Option<WorkName> {
    let Some(text) = view.words("name") else {
        let says = "nothing says how an answer names the work that it accepted";
        errors.say(view.key_place, says, "give `completion.name`, such as `{{ response.json.id }}`");
        return None;
    };
    match name_in(&text) {
        Ok((before, name, after)) if before.is_empty() && after.is_empty() => Some(name),
        Ok(_) => {
            errors.say(view.place("name"), "more than the name stands here", "write the name alone");
            None
        }
        Err(why) => {
            errors.say(view.place("name"), format!("`completion.name` {why}"), NAMES);
            None
        }
    }
}

fn callback(view: &View<'_>, errors: &mut Errors<'_>) -> Option<CompletionBy> {
    let listen = view.words("listen")?;
    if listen.parse::<std::net::SocketAddr>().is_err() {
        let says = format!("`{}` is no address to listen on", listen.escape_debug());
        errors.say(view.place("listen"), says, "write 127.0.0.1:8700");
    }
    let given_up = when(view, "given_up", errors);
    Some(CompletionBy::Callback {
        listen,
        path: path(view, errors)?,
        name: pointer(view, "id", errors)?,
        given_up,
    })
}

fn events(view: &View<'_>, errors: &mut Errors<'_>) -> Option<CompletionBy> {
    let (done, given_up) = (when(view, "done", errors), when(view, "given_up", errors));
    Some(CompletionBy::Events {
        path: path(view, errors)?,
        name: pointer(view, "id", errors)?,
        done: done?,
        given_up,
    })
}

fn sql(view: &View<'_>, folder: &Path, errors: &mut Errors<'_>) -> Option<CompletionBy> {
    Some(CompletionBy::Sql {
        database: database(view, errors)?.below(folder),
        query: view.words("query")?,
        every: view.duration("every"),
    })
}

fn when(view: &View<'_>, key: &str, errors: &mut Errors<'_>) -> Option<When> {
    match When::parse(&view.words(key)?) {
        Ok(when) => Some(when),
        Err(why) => {
            errors.say(view.place(key), format!("`{key}` is no condition: {why}"), "write /state == 'done'");
            None
        }
    }
}

fn path(view: &View<'_>, errors: &mut Errors<'_>) -> Option<String> {
    let path = view.words("path")?;
    if path.starts_with('/') {
        return Some(path);
    }
    errors.say(view.place("path"), format!("`{}` is no path", path.escape_debug()), "begin it with /");
    None
}

fn pointer(view: &View<'_>, key: &str, errors: &mut Errors<'_>) -> Option<String> {
    let pointer = view.words(key)?;
    if pointer.starts_with('/') {
        return Some(pointer);
    }
    let says = format!("`{}` is no JSON pointer", pointer.escape_debug());
    errors.say(view.place(key), says, "write /id, or /job/id");
    None
}
