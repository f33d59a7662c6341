//! Asks another process over HTTP: one request a connection, which on this
//! scale costs nothing and leaves no kept connection to go stale.

use std::error::Error as _;
use std::time::Duration;

use axum::body::Bytes;
use axum::http::header::{CONTENT_TYPE, HOST, RETRY_AFTER};
use axum::http::uri::{Scheme, Uri};
use axum::http::{HeaderMap, Request, StatusCode};
use http_body_util::{BodyExt, Full, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::time::timeout;

/// Like `retry-after` and finer: that header counts whole seconds, in which a
/// fast provider refills many tokens.
pub(crate) const RETRY_AFTER_MS: &str = "retry-after-ms";

/// Answers are small; one that is not is not from a provider.
const LONGEST_ANSWER: usize = 1 << 20;

/// Another process's HTTP service.
#[derive(Clone, Debug)]
pub(crate) struct Peer {
    authority: String,
    address: String,
    patience: Duration,
}

/// What a peer said.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Answer {
    /// Done, with this content.
    Done(Value),
    /// Too many requests: not before this time has passed.
    Later(Duration),
    /// No, and why.
    Failed(String),
}

impl Peer {
    /// The service at `url`, which has at most `patience` for each answer.
    pub(crate) fn new(url: &str, patience: Duration) -> Result<Peer, String> {
        let wrong = |why: &str| format!("`{url}` {why}; write http://HOST:PORT");
        let uri: Uri = url.parse().map_err(|_| wrong("is no URL"))?;
        if uri.scheme() != Some(&Scheme::HTTP) {
            return Err(wrong("does not begin with http://"));
        }
        if !matches!(uri.path(), "" | "/") || uri.query().is_some() {
            return Err(wrong("names more than a host and a port"));
        }
        let authority = uri.authority().ok_or_else(|| wrong("names no host"))?;
        let address = format!("{}:{}", authority.host(), authority.port_u16().unwrap_or(80));
        Ok(Peer { authority: authority.to_string(), address, patience })
    }

    /// Posts a JSON text.
    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        match timeout(self.patience, self.exchange(path, body)).await {
            Ok(Ok((status, headers, body))) => read(status, &headers, &body),
            Ok(Err(why)) => Answer::Failed(format!("no answer from {}: {why}", self.authority)),
            Err(_elapsed) => {
                Answer::Failed(format!("no answer from {} within {:?}", self.authority, self.patience))
            }
        }
    }

    async fn exchange(&self, path: &str, body: &Value) -> Result<(StatusCode, HeaderMap, Bytes), String> {
        let stream = TcpStream::connect(&self.address).await.map_err(|error| error.to_string())?;
        let (mut sender, connection) =
            http1::handshake(TokioIo::new(stream)).await.map_err(|error| with_cause(&error))?;
        // What ends the connection ends the request too, and is told there.
        let driver = tokio::spawn(async move { drop(connection.await) });
        let request = Request::post(path)
            .header(HOST, &self.authority)
            .header(CONTENT_TYPE, "application/json")
            .body(Full::new(Bytes::from(body.to_string())))
            .map_err(|error| error.to_string())?;
        let answer = async {
            let answer = sender.send_request(request).await.map_err(|error| with_cause(&error))?;
            let (head, body) = answer.into_parts();
            let body =
                Limited::new(body, LONGEST_ANSWER).collect().await.map_err(|error| error.to_string())?;
            Ok((head.status, head.headers, body.to_bytes()))
        };
        let answer = answer.await;
        driver.abort();
        answer
    }
}

fn with_cause(error: &hyper::Error) -> String {
    match error.source() {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}

fn read(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Answer {
    if status == StatusCode::TOO_MANY_REQUESTS {
        // Who does not say when may be asked again in a second.
        return Answer::Later(retry_after(headers).unwrap_or(Duration::from_secs(1)));
    }
    if !status.is_success() {
        let text = String::from_utf8_lossy(body);
        let start: String = text.trim().chars().take(200).collect();
        return Answer::Failed(format!("answered {status}: {start}"));
    }
    match serde_json::from_slice(body) {
        Ok(value) => Answer::Done(value),
        Err(error) => Answer::Failed(format!("answered {status} with what is no JSON: {error}")),
    }
}

/// A date instead of seconds, which the header allows too, is not read: it would
/// compare two clocks.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let number = |name: &str| headers.get(name)?.to_str().ok()?.trim().parse::<u64>().ok();
    let fine = number(RETRY_AFTER_MS).map(Duration::from_millis);
    fine.or_else(|| number(RETRY_AFTER.as_str()).map(Duration::from_secs))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    #[test]
    fn the_finer_time_to_come_back_wins_and_a_missing_one_is_a_second() {
        let later = |pairs: &[_]| read(StatusCode::TOO_MANY_REQUESTS, &headers(pairs), b"");
        assert_eq!(later(&[("retry-after", "2")]), Answer::Later(Duration::from_secs(2)));
        let both = [("retry-after", "1"), (RETRY_AFTER_MS, "12")];
        assert_eq!(later(&both), Answer::Later(Duration::from_millis(12)));
        assert_eq!(later(&[]), Answer::Later(Duration::from_secs(1)));
        assert_eq!(
            later(&[("retry-after", "Fri, 27 Nov 2026 10:00:00 GMT")]),
            Answer::Later(Duration::from_secs(1))
        );
    }

    #[test]
    fn an_answer_that_is_no_success_or_no_json_is_a_failure() {
        let failed = |status, body| match read(status, &HeaderMap::new(), body) {
            Answer::Failed(why) => why,
            other => panic!("{other:?}"),
        };
        assert_eq!(failed(StatusCode::BAD_GATEWAY, b" down \n"), "answered 502 Bad Gateway: down");
        assert!(failed(StatusCode::OK, b"<html>").contains("no JSON"));
    }

    #[test]
    fn a_url_with_more_than_a_host_is_refused() {
        let peer = |url| Peer::new(url, Duration::from_secs(1)).map(|peer| peer.address);
        assert_eq!(peer("http://localhost:8701/"), Ok("localhost:8701".to_owned()));
        assert_eq!(peer("http://localhost"), Ok("localhost:80".to_owned()));
        for url in ["https://localhost:1", "localhost:1", "http://localhost:1/v1", "http://h?x"] {
            assert!(peer(url).is_err(), "{url}");
        }
    }
}
