//! Work that goes on after its answer: how its name is found and its end learnt.

use model::{Database, Nanos, Rate};
use serde_json::Value;
use std::fmt;

/// How work is followed past its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Completion {
    /// Where an answer names the work that it accepted.
    pub name: WorkName,
    /// How its end is learnt.
    pub by: CompletionBy,
    /// How long after sending has ended the rest is waited for.
    pub within: Nanos,
    /// The slowest that is accepted, from the scheduled moment; `None` if any is.
    pub at_most: Option<Nanos>,
    /// The work that the service can do at most; `None` if the plan does not say.
    pub quota: Option<Rate>,
    /// Where the service's own count of its work is asked for: a database and a query.
    pub stored: Option<(Database, String)>,
}

/// Where an answer names the work that it accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkName {
    /// In this header.
    Header(String),
    /// At this pointer (RFC 6901) of its JSON body.
    Json(String),
}

/// How the end of work is learnt.
#[derive(Clone, Debug, PartialEq)]
pub enum CompletionBy {
    /// By asking for it again and again.
    Poll {
        /// What stands before and after the name in the path to ask for.
        around_name: (String, String),
        /// The time from one answer to the next question.
        every: Nanos,
        /// When it is done.
        done: When,
        /// When it is given up; `None` if it never is.
        given_up: Option<When>,
    },
    /// By being called, with a JSON body.
    Callback {
        /// Where to listen: `127.0.0.1:8700`.
        listen: String,
        /// The path that is called.
        path: String,
        /// Where the body names the work.
        name: String,
        /// When it is given up and not done; `None` if it never is.
        given_up: Option<When>,
    },
    /// By a stream of server-sent events, with JSON data.
    Events {
        /// The path of the stream.
        path: String,
        /// Where an event names the work.
        name: String,
        /// When it is done.
        done: When,
        /// When it is given up; `None` if it never is.
        given_up: Option<When>,
    },
    /// By a query that gives a row for each piece of work that has ended.
    Sql {
        /// The database.
        database: Database,
        /// Its rows: the work's name, and optionally whether it was given up (true or 1).
        query: String,
        /// How often it is asked; once more when following ends.
        every: Nanos,
    },
}

/// A condition on a JSON value: `/state == 'done' or /code != 0`.
#[derive(Clone, Debug, PartialEq)]
pub struct When {
    text: String,
    any_of: Vec<Comparison>,
}

#[derive(Clone, Debug, PartialEq)]
struct Comparison {
    pointer: String,
    is_equal: bool,
    value: Value,
}

impl When {
    /// Reads a condition, or says in words what is wrong with it.
    pub fn parse(text: &str) -> Result<When, String> {
        let any_of = text.split(" or ").map(comparison).collect::<Result<_, _>>()?;
        Ok(When { text: text.trim().to_owned(), any_of })
    }

    /// Whether it holds. Where nothing stands at a pointer, nothing is said of it.
    pub fn holds(&self, json: &Value) -> bool {
        self.any_of
            .iter()
            .any(|one| json.pointer(&one.pointer).is_some_and(|found| (*found == one.value) == one.is_equal))
    }
}

/// As it was written.
impl fmt::Display for When {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}

fn comparison(text: &str) -> Result<Comparison, String> {
    let text = text.trim();
    let (sides, is_equal) = match (text.split_once("=="), text.split_once("!=")) {
        (Some(sides), None) => (sides, true),
        (None, Some(sides)) => (sides, false),
        _ => return Err(format!("`{text}` compares nothing by == or !=")),
    };
    let (pointer, value) = (sides.0.trim(), sides.1.trim());
    if !pointer.starts_with('/') {
        return Err(format!("`{pointer}` is no JSON pointer, which begins with /"));
    }
    let quoted = value.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
    let value = match quoted {
        Some(text) => Value::String(text.to_owned()),
        None => serde_json::from_str(value)
            .map_err(|_| format!("`{value}` is no text in quotes, number, true, false or null"))?,
    };
    Ok(Comparison { pointer: pointer.to_owned(), is_equal, value })
}

/// A text around one `{{ response.… }}`: what stands before it, the name, and
/// what stands after it.
pub(crate) fn name_in(text: &str) -> Result<(String, WorkName, String), String> {
    let parts = text.split_once("{{").and_then(|(before, rest)| {
        let (inside, after) = rest.split_once("}}")?;
        Some((before, inside.trim(), after))
    });
    let Some((before, inside, after)) = parts else {
        return Err("names no work: nothing of the answer stands in it".to_owned());
    };
    let path = inside.strip_prefix("response.").unwrap_or_default();
    let name = match path.split_once('.') {
        Some(("headers", name)) if !name.is_empty() => WorkName::Header(name.to_owned()),
        Some(("json", steps)) if !steps.is_empty() => {
            WorkName::Json(format!("/{}", steps.trim_start_matches('/').replace('.', "/")))
        }
        _ => return Err(format!("has `{inside}`, which is nothing of an answer")),
    };
    if after.contains("{{") {
        return Err("names work twice".to_owned());
    }
    Ok((before.to_owned(), name, after.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_condition_compares_what_stands_at_a_pointer() {
        let holds = |text: &str, json: Value| When::parse(text).expect(text).holds(&json);
        assert!(holds("/state == 'done'", json!({"state": "done"})));
        assert!(!holds("/state == 'done'", json!({"state": "running"})));
        assert!(holds("/state=='a' or /n != 0", json!({"state": "b", "n": 1})));
        assert!(holds("/a/0 == null", json!({"a": [null]})));
        assert!(holds("/ok == true", json!({"ok": true})));
        assert!(!holds("/state != 'done'", json!({})), "of what is missing nothing is said");
    }

    #[test]
    fn a_condition_that_is_none_says_why() {
        for (text, says) in [
            ("done", "`done` compares nothing by == or !="),
            ("state == 'done'", "`state` is no JSON pointer, which begins with /"),
            ("/state == done", "`done` is no text in quotes, number, true, false or null"),
            ("/a == 1 or ", "`` compares nothing by == or !="),
        ] {
            assert_eq!(When::parse(text).expect_err(text), says);
        }
    }

    #[test]
    fn work_is_named_by_a_header_or_by_the_body() {
        let header = WorkName::Header("location".to_owned());
        let both =
            |before: &str, name: WorkName, after: &str| Ok((before.to_owned(), name, after.to_owned()));
        assert_eq!(name_in("{{ response.headers.location }}"), both("", header, ""));
        let json = WorkName::Json("/job/id".to_owned());
        assert_eq!(name_in("/jobs/{{response.json.job.id}}/state"), both("/jobs/", json, "/state"));
        assert!(name_in("/jobs").expect_err("no name").starts_with("names no work"));
        assert!(name_in("{{ row.id }}").expect_err("a row").contains("nothing of an answer"));
        assert_eq!(
            name_in("{{ response.json.a }}{{ response.json.b }}").expect_err("twice"),
            "names work twice"
        );
    }
}
