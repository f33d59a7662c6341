//! The requests of a command, made ready to send.

use crate::failure::{Exit, Failure};
use engine::{Expect, Prepared, Work};
use model::Seed;
use wire::h1::{Request, RequestParts};

/// One request as bytes, with what its answer must be.
pub fn prepare(parts: RequestParts<'_>, expect: Expect) -> Result<Prepared, Failure> {
    let request: Request = parts.build().map_err(|error| Failure::new(Exit::Usage, error))?;
    Ok(Prepared { bytes: request.bytes().into(), asked: request.asked(), expect })
}

/// Questions about every customer of the scorer, each with the answer that the
/// service's own reference says it must give.
///
/// `reference` is the CSV of `/reference`: a line `customer,score` and one for
/// each customer.
pub fn scores(reference: &[u8], host: &str, seed: Seed) -> Result<Work, Failure> {
    let nonsense = |what: &str| {
        Failure::new(Exit::Unreachable, format!("the scorer's /reference makes no sense: {what}"))
    };
    let text = std::str::from_utf8(reference).map_err(|_| nonsense("it is not text"))?;
    let mut lines = text.lines();
    if lines.next() != Some("customer,score") {
        return Err(nonsense("it does not begin with `customer,score`"));
    }
    let headers = [("Content-Type".to_owned(), "application/json".to_owned())];
    let question = |line: &str| {
        let (customer, score) = line.split_once(',').ok_or_else(|| nonsense(line))?;
        let body = format!(r#"{{"customer":"{customer}"}}"#);
        let answer = format!(r#"{{"customer":"{customer}","score":{score}}}"#);
        let parts = RequestParts {
            method: "POST",
            path: "/score",
            host,
            headers: &headers,
            body: Some(body.as_bytes()),
            close: false,
        };
        prepare(
            parts,
            Expect { status: Some(200), body: Some(answer.into_bytes().into()), checks: Vec::new() },
        )
    };
    let requests = lines.map(question).collect::<Result<Vec<_>, _>>()?;
    Work::new(requests, seed).ok_or_else(|| nonsense("it names no customer"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_customer_becomes_a_question_with_its_own_right_answer() {
        let work =
            scores(b"customer,score\nc-00001,0.250000\n", "127.0.0.1:8600", Seed(1)).expect("one customer");
        let request = work.of(0);
        assert!(request.bytes.starts_with(b"POST /score HTTP/1.1\r\n"));
        assert!(request.bytes.ends_with(br#"{"customer":"c-00001"}"#));
        assert_eq!(request.expect.body.as_deref(), Some(&br#"{"customer":"c-00001","score":0.250000}"#[..]));
    }

    #[test]
    fn a_reference_that_makes_no_sense_is_an_error() {
        for bad in [&b""[..], b"customer,score\n", b"customer,score\nhello\n", b"name,score\na,1\n", b"\xff"]
        {
            assert_eq!(scores(bad, "h", Seed(1)).expect_err("nonsense").exit, Exit::Unreachable);
        }
    }
}
