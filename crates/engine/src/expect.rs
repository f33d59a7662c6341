//! What an answer must be to count as ok.

use regex::bytes::Regex;
use serde_json::Value;
use std::fmt;
use std::sync::Arc;

/// The longest body that a check looks into. A longer one fails it: keeping
/// it would make memory follow whatever the service sends.
pub(crate) const BODY_LIMIT: usize = 1 << 20;

/// Letters of what came that an example shows.
const SHOWN: usize = 60;

/// What an answer must be to count as ok.
#[derive(Clone, Debug, Default)]
pub struct Expect {
    /// The status; without one, anything from 200 to 399 will do.
    pub status: Option<u16>,
    /// The whole body, byte for byte; without one, any body will do.
    pub body: Option<Box<[u8]>>,
    /// What else must hold of it, looked at once the answer is whole and its
    /// time is taken. Only with a check that looks there are head or body kept.
    pub checks: Vec<Check>,
}

/// One condition on an answer.
#[derive(Clone, Debug)]
pub enum Check {
    /// A header has this value; its name is compared whatever the case of letters.
    Header {
        /// The header's name.
        name: String,
        /// Its value.
        value: String,
    },
    /// The body is JSON, and what stands at a pointer is as expected.
    Json(JsonCheck),
    /// The body matches a pattern somewhere.
    Pattern {
        /// The pattern.
        pattern: Regex,
        /// As it was written, for the example of a failure.
        shown: String,
    },
}

/// What stands at one pointer of a JSON body.
#[derive(Clone)]
pub struct JsonCheck {
    /// The pointer (RFC 6901).
    pub pointer: String,
    /// Whether a value will do.
    pub accepts: Arc<dyn Fn(&Value) -> bool + Send + Sync>,
    /// What will do, for the example of a failure.
    pub shown: String,
}

impl fmt::Debug for JsonCheck {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} is {}", self.pointer, self.shown)
    }
}

impl Expect {
    /// Whether `status` is as expected.
    pub fn accepts(&self, status: u16) -> bool {
        match self.status {
            Some(expected) => status == expected,
            None => (200..400).contains(&status),
        }
    }

    /// Whether a check looks into the head.
    pub(crate) fn looks_at_head(&self) -> bool {
        self.checks.iter().any(|check| matches!(check, Check::Header { .. }))
    }

    /// Whether a check looks into the body.
    pub(crate) fn looks_at_body(&self) -> bool {
        self.checks.iter().any(|check| !matches!(check, Check::Header { .. }))
    }

    /// The first check that does not hold, in words; `None` if all do. `header`
    /// gives a header's value, `body` is the whole body, or more of it than is kept.
    pub(crate) fn failed_check<'h>(
        &self,
        header: &dyn Fn(&str) -> Option<&'h [u8]>,
        body: &[u8],
    ) -> Option<String> {
        if body.len() > BODY_LIMIT {
            return Some(format!("the body is longer than the {BODY_LIMIT} bytes that checks look into"));
        }
        let asks_json = self.checks.iter().any(|check| matches!(check, Check::Json(_)));
        let json = asks_json.then(|| serde_json::from_slice::<Value>(body));
        self.checks.iter().find_map(|check| match check {
            Check::Header { name, value } => wrong_header(name, value, header(name)),
            Check::Json(check) => match json.as_ref() {
                Some(Ok(json)) => check.wrong(json),
                _ => Some(format!("the body is not JSON: {}", shown(&String::from_utf8_lossy(body)))),
            },
            Check::Pattern { pattern, shown } => {
                (!pattern.is_match(body)).then(|| format!("the body does not hold {shown}"))
            }
        })
    }
}

fn wrong_header(name: &str, expected: &str, found: Option<&[u8]>) -> Option<String> {
    match found {
        None => Some(format!("no header {name}, expected {expected:?}")),
        Some(found) if found.trim_ascii() == expected.trim().as_bytes() => None,
        Some(found) => {
            let found = shown(&String::from_utf8_lossy(found));
            Some(format!("header {name} is {found:?}, expected {expected:?}"))
        }
    }
}

impl JsonCheck {
    fn wrong(&self, json: &Value) -> Option<String> {
        match json.pointer(&self.pointer) {
            None => Some(format!("nothing stands at {:?} in the JSON body", self.pointer)),
            Some(found) if (self.accepts)(found) => None,
            Some(found) => {
                Some(format!("{} is {}, expected {}", self.pointer, shown(&found.to_string()), self.shown))
            }
        }
    }
}

/// The beginning of a text, fit for one line.
fn shown(text: &str) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(SHOWN).collect();
    if text.chars().count() > SHOWN { format!("{line}…") } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(pointer: &str, expected: &str) -> Check {
        let value: Value = serde_json::from_str(expected).expect("JSON");
        Check::Json(JsonCheck {
            pointer: pointer.to_owned(),
            accepts: Arc::new(move |found| *found == value),
            shown: expected.to_owned(),
        })
    }

    fn pattern(text: &str) -> Check {
        Check::Pattern { pattern: Regex::new(text).expect("a pattern"), shown: format!("/{text}/") }
    }

    fn failed(checks: Vec<Check>, body: &str) -> Option<String> {
        let header = |name: &str| (name == "content-type").then_some(&b" application/json "[..]);
        Expect { checks, ..Expect::default() }.failed_check(&header, body.as_bytes())
    }

    #[test]
    fn what_does_not_hold_is_told_with_what_came() {
        let header =
            |name: &str, value: &str| Check::Header { name: name.to_owned(), value: value.to_owned() };
        let cases = [
            (json("/score", "0.5"), r#"{"score":0.5}"#, None),
            (json("/score", "0.5"), r#"{"score":0.25}"#, Some("/score is 0.25, expected 0.5")),
            (json("/score", "0.5"), r#"{}"#, Some("nothing stands at \"/score\" in the JSON body")),
            (json("/a/0", "1"), "<html>\n", Some("the body is not JSON: <html> ")),
            (pattern("order-[0-9]+"), "… order-17 …", None),
            (pattern("order-[0-9]+"), "order", Some("the body does not hold /order-[0-9]+/")),
            (header("content-type", "application/json"), "", None),
            (
                header("content-type", "text/html"),
                "",
                Some("header content-type is \" application/json \", expected \"text/html\""),
            ),
            (header("etag", "x"), "", Some("no header etag, expected \"x\"")),
        ];
        for (check, body, expected) in cases {
            assert_eq!(failed(vec![check], body).as_deref(), expected);
        }
    }

    #[test]
    fn a_body_beyond_the_limit_fails_its_check_and_a_long_example_is_cut() {
        let long = failed(vec![pattern("x")], &"x".repeat(BODY_LIMIT + 1)).expect("failed");
        assert!(long.contains("longer than"), "{long}");
        let cut = failed(vec![json("", "1")], &format!("{:?}", "y".repeat(500))).expect("failed");
        assert!(cut.len() < 120 && cut.contains('…'), "{cut}");
    }

    #[test]
    fn without_an_expected_status_two_and_three_hundreds_will_do() {
        let any = Expect::default();
        let created = Expect { status: Some(201), ..Expect::default() };
        for (status, by_any, by_created) in [
            (200, true, false),
            (201, true, true),
            (304, true, false),
            (429, false, false),
            (503, false, false),
        ] {
            assert_eq!((any.accepts(status), created.accepts(status)), (by_any, by_created), "{status}");
        }
    }
}
