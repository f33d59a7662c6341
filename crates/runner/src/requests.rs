//! A plan's requests as bytes, with what their answers must be.

use engine::{Check, Expect, JsonCheck, Prepared, Work};
use model::Seed;
use plan::{Expected, ExpectedValue, PlannedRequest};
use regex::bytes::Regex;
use std::sync::Arc;
use thiserror::Error;
use wire::h1::{RequestError, RequestParts};

/// Why a plan's request cannot be sent.
#[derive(Debug, Error)]
pub enum UnsendableError {
    /// It makes no request.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// A pattern is none.
    #[error("the pattern is none: {0}")]
    Pattern(#[from] regex::Error),
    /// There is nothing to send.
    #[error("there is nothing to send")]
    Nothing,
}

/// All requests of a plan, to `host`. `close` asks for a connection each.
pub(crate) fn work(
    requests: &[PlannedRequest],
    host: &str,
    close: bool,
    seed: Seed,
) -> Result<Work, UnsendableError> {
    Work::new(all(requests, host, close)?, seed).ok_or(UnsendableError::Nothing)
}

/// The same as they were recorded: the n-th arrival sends the request that
/// `order[n]` counts out.
pub(crate) fn recorded(
    requests: &[PlannedRequest],
    order: Vec<u32>,
    host: &str,
    close: bool,
) -> Result<Work, UnsendableError> {
    Work::recorded(all(requests, host, close)?, order).ok_or(UnsendableError::Nothing)
}

fn all(requests: &[PlannedRequest], host: &str, close: bool) -> Result<Vec<Prepared>, UnsendableError> {
    requests.iter().map(|one| prepare(one, host, close)).collect()
}

fn prepare(planned: &PlannedRequest, host: &str, close: bool) -> Result<Prepared, UnsendableError> {
    let parts = RequestParts {
        method: &planned.method,
        path: &planned.path,
        host,
        headers: &planned.headers,
        body: planned.body.as_deref().map(str::as_bytes),
        close,
    };
    let request = parts.build()?;
    let expect = expect(&planned.expect)?;
    Ok(Prepared { bytes: request.bytes().into(), asked: request.asked(), expect })
}

fn expect(expected: &Expected) -> Result<Expect, UnsendableError> {
    let header =
        |(name, value): &(String, String)| Check::Header { name: name.clone(), value: value.clone() };
    let json = |(pointer, value): &(String, ExpectedValue)| {
        let (value, shown) = (value.clone(), shown(value));
        let accepts = Arc::new(move |found: &_| value.accepts(found));
        Check::Json(JsonCheck { pointer: pointer.clone(), accepts, shown })
    };
    let mut checks: Vec<Check> = expected.headers.iter().map(header).collect();
    checks.extend(expected.json.iter().map(json));
    if let Some(text) = &expected.text {
        checks
            .push(Check::Pattern { pattern: Regex::new(&regex::escape(text))?, shown: format!("{text:?}") });
    }
    if let Some(pattern) = &expected.regex {
        checks.push(Check::Pattern { pattern: Regex::new(pattern)?, shown: format!("/{pattern}/") });
    }
    Ok(Expect { status: expected.status, body: None, checks })
}

fn shown(value: &ExpectedValue) -> String {
    match value {
        ExpectedValue::Exactly(value) => value.to_string(),
        ExpectedValue::Like(text) => text.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_plan_expects_becomes_checks_in_the_order_cheap_to_dear() {
        let expected = Expected {
            status: Some(200),
            headers: vec![("etag".to_owned(), "x".to_owned())],
            json: vec![("/score".to_owned(), ExpectedValue::Like("0.5".to_owned()))],
            text: Some("a.b".to_owned()),
            regex: Some("a.b".to_owned()),
        };
        let made = expect(&expected).expect("checks");
        assert_eq!(made.status, Some(200));
        let [
            Check::Header { .. },
            Check::Json(json),
            Check::Pattern { pattern: text, .. },
            Check::Pattern { pattern, .. },
        ] = &made.checks[..]
        else {
            panic!("{:?}", made.checks)
        };
        assert!((json.accepts)(&serde_json::json!(0.5)) && !(json.accepts)(&serde_json::json!(0.25)));
        assert!(text.is_match(b"a.b") && !text.is_match(b"acb") && pattern.is_match(b"acb"));
    }

    #[test]
    fn a_request_with_a_body_is_the_bytes_that_go_over_the_wire() {
        let planned = PlannedRequest {
            method: "POST".to_owned(),
            path: "/score".to_owned(),
            headers: vec![("Content-Type".to_owned(), "application/json".to_owned())],
            body: Some("{}".to_owned()),
            expect: Expected::default(),
        };
        let work = work(&[planned], "127.0.0.1:8600", false, Seed(1)).expect("work");
        let bytes = String::from_utf8_lossy(&work.of(0).bytes).into_owned();
        assert!(bytes.starts_with("POST /score HTTP/1.1\r\n") && bytes.ends_with("\r\n\r\n{}"), "{bytes}");
        assert!(matches!(super::work(&[], "h", false, Seed(1)), Err(UnsendableError::Nothing)));
    }
}
