//! A tiny HTTP client that shares nothing with the service, and patience.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// An answer.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error} in {self:?}"))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (its_name, value) = line.split_once(": ")?;
            its_name.eq_ignore_ascii_case(name).then_some(value)
        })
    }

    /// The reason in a refusal, which must be JSON.
    pub fn error(&self) -> String {
        self.json()["error"].as_str().unwrap_or_else(|| panic!("no error in {self:?}")).to_owned()
    }
}

/// One request on a connection of its own; an error where no whole answer came.
pub fn try_ask(
    address: &str,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> io::Result<Answer> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(20)))?;
    let mut request = format!("{method} {path} HTTP/1.1\r\nhost: test\r\nconnection: close\r\n");
    for (name, value) in headers {
        request.push_str(&format!("{name}: {value}\r\n"));
    }
    request.push_str(&format!("content-length: {}\r\n\r\n", body.len()));
    stream.write_all(request.as_bytes())?;
    stream.write_all(body)?;
    let mut received = Vec::new();
    stream.read_to_end(&mut received)?;
    let cut = || io::Error::from(io::ErrorKind::UnexpectedEof);
    let head_length = received.windows(4).position(|four| four == b"\r\n\r\n").ok_or_else(cut)? + 4;
    let head = String::from_utf8_lossy(&received[..head_length]).into_owned();
    let status = head.get(9..12).and_then(|status| status.parse().ok()).ok_or_else(cut)?;
    let answer = Answer { status, head, body: received.split_off(head_length) };
    let length = answer.header("content-length").and_then(|length| length.parse().ok());
    if length.is_some_and(|length: usize| length != answer.body.len()) {
        return Err(cut());
    }
    Ok(answer)
}

/// One request that must be answered.
pub fn ask(address: &str, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
    try_ask(address, method, path, headers, body).unwrap_or_else(|error| panic!("{method} {path}: {error}"))
}

pub fn get(address: &str, path: &str) -> Answer {
    ask(address, "GET", path, &[], b"")
}

pub fn post(address: &str, path: &str, body: &Value) -> Answer {
    ask(address, "POST", path, &[], body.to_string().as_bytes())
}

/// A ticket of this customer.
pub fn ticket(customer: u32) -> Value {
    json!({
        "customer": format!("c-{customer:03}"),
        "subject": "Where is my parcel?",
        "body": "It should have come on Friday.",
    })
}

/// The id in a 202.
pub fn accepted(answer: &Answer) -> i64 {
    assert_eq!(answer.status, 202, "{answer:?}");
    let id = answer.json()["id"].as_i64().expect("an id");
    assert_eq!(answer.header("location"), Some(format!("/tickets/{id}").as_str()));
    id
}

/// A number of a metrics page.
pub fn metric(address: &str, name: &str) -> f64 {
    let page = get(address, "/metrics").text();
    let line = page.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("no {name} in {page}")).parse().expect("a number")
}

/// Looks again and again until there is something to see; half a minute in vain
/// is a failure.
pub fn patiently<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    for _ in 0..3_000 {
        if let Some(seen) = look() {
            return seen;
        }
        // Nobody wakes this thread: the service has no way to tell us.
        thread::park_timeout(Duration::from_millis(10));
    }
    panic!("waited in vain until {what}");
}

/// Waits until a ticket is done or dead.
pub fn ended(address: &str, id: i64) -> Value {
    patiently("the ticket has ended", || {
        let ticket = get(address, &format!("/tickets/{id}")).json();
        matches!(ticket["state"].as_str(), Some("succeeded" | "dead")).then_some(ticket)
    })
}
