//! A service on a thread of its own, and a tiny HTTP client that shares nothing
//! with it.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use doorclock_target_scorer::{Options, run};
use rustix::time::{ClockId, clock_gettime};
use serde_json::Value;

/// No answer takes this long: a test that waits for one has failed.
const PATIENCE: Duration = Duration::from_secs(20);

/// Options for a quick start on a free port.
pub fn small_shop() -> Options {
    Options { address: SocketAddr::from(([127, 0, 0, 1], 0)), customers: 200, ..Options::default() }
}

/// Starts a service and gives its address once it answers. It ends with the
/// test's process: only a signal stops it, and that would stop its neighbours.
pub fn start(options: Options) -> SocketAddr {
    let (announce, announced) = mpsc::channel();
    thread::spawn(move || run(options, |address| announce.send(address).expect("the test waits")));
    announced.recv().expect("the service starts")
}

/// CLOCK_MONOTONIC, the clock of `/arm` and `/stalls`.
pub fn now_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error} in {self:?}"))
    }
}

/// One kept-alive connection.
pub struct Connection {
    stream: TcpStream,
    received: Vec<u8>,
}

impl Connection {
    pub fn open(address: SocketAddr) -> Connection {
        let stream = TcpStream::connect(address).expect("the service listens");
        stream.set_nodelay(true).expect("a live connection");
        Connection { stream, received: Vec::new() }
    }

    pub fn get(&mut self, path: &str) -> Answer {
        self.ask("GET", path, "")
    }

    pub fn post(&mut self, path: &str, body: &str) -> Answer {
        self.ask("POST", path, body)
    }

    pub fn ask(&mut self, method: &str, path: &str, body: &str) -> Answer {
        self.send(method, path, body);
        self.receive()
    }

    pub fn send(&mut self, method: &str, path: &str, body: &str) {
        let request =
            format!("{method} {path} HTTP/1.1\r\nhost: test\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        self.stream.write_all(request.as_bytes()).expect("a live connection");
    }

    pub fn receive(&mut self) -> Answer {
        self.receive_within(PATIENCE).expect("an answer in time")
    }

    /// The answer, or `None` if it has not come whole within `patience` of
    /// silence; asking again then goes on where this stopped.
    pub fn receive_within(&mut self, patience: Duration) -> Option<Answer> {
        self.stream.set_read_timeout(Some(patience)).expect("patience above zero");
        loop {
            if let Some(answer) = self.take_answer() {
                return Some(answer);
            }
            let mut part = [0; 65_536];
            match self.stream.read(&mut part) {
                Ok(0) => panic!("closed in the middle of an answer: {:?}", self.received),
                Ok(length) => self.received.extend_from_slice(&part[..length]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return None,
                Err(error) => panic!("{error}"),
            }
        }
    }

    fn take_answer(&mut self) -> Option<Answer> {
        let head_length = self.received.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
        let head = String::from_utf8(self.received[..head_length].to_vec()).expect("a head in ASCII");
        let body_length: usize = header(&head, "content-length")?.parse().expect("a length");
        let body = self.received.get(head_length..head_length + body_length)?.to_vec();
        self.received.drain(..head_length + body_length);
        let status = head[9..12].parse().expect("a status");
        Some(Answer { status, head, body: String::from_utf8(body).expect("a body in UTF-8") })
    }
}

/// A header's value.
pub fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines().find_map(|line| {
        let (its_name, value) = line.split_once(": ")?;
        its_name.eq_ignore_ascii_case(name).then_some(value)
    })
}
