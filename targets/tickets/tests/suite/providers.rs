//! The provider's quota, and a scripted provider that remembers when it was
//! asked.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

use crate::client::{Answer, metric, post};
use crate::process::Process;

/// A provider that answers as it is told.
pub struct Scripted {
    pub address: String,
    asked: Arc<Mutex<Vec<Duration>>>,
}

impl Scripted {
    /// `answer` makes the status line with further headers, and the body, for
    /// the path and the number of each request.
    pub fn new(answer: impl Fn(&str, usize) -> (String, Value) + Send + 'static) -> Scripted {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("its address").to_string();
        let asked = Arc::<Mutex<Vec<Duration>>>::default();
        let times = Arc::clone(&asked);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let path = read(&stream);
                let number = {
                    let mut times = times.lock().expect("a lock");
                    times.push(now());
                    times.len() - 1
                };
                let (head, body) = answer(&path, number);
                let body = body.to_string();
                let length = body.len();
                let _ = write!(&stream, "HTTP/1.1 {head}\r\ncontent-length: {length}\r\n\r\n{body}");
            }
        });
        Scripted { address, asked }
    }

    /// How long after the request before it each one came.
    pub fn gaps(&self) -> Vec<Duration> {
        self.asked.lock().expect("a lock").windows(2).map(|two| two[1] - two[0]).collect()
    }
}

/// Reads a request; gives its path.
fn read(stream: &TcpStream) -> String {
    let mut reader = BufReader::new(stream);
    let (mut path, mut length) = (String::new(), 0);
    for line in reader.by_ref().lines().map_while(Result::ok).take_while(|line| !line.is_empty()) {
        if path.is_empty() {
            path = line.split(' ').nth(1).unwrap_or_default().to_owned();
        }
        if let Some((name, value)) = line.split_once(": ")
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.parse().expect("a length");
        }
    }
    let _ = reader.read_exact(&mut vec![0; length]);
    path
}

fn now() -> Duration {
    Duration::try_from(clock_gettime(ClockId::Monotonic)).expect("a time after the machine's start")
}

fn classify(address: &str) -> Answer {
    post(address, "/classify", &json!({ "text": "where is my parcel" }))
}

#[test]
fn the_quota_is_full_at_first_and_after_a_reset_and_refused_calls_are_told_when_to_come_back() {
    let flags = ["--provider-burst", "3", "--provider-calls-per-min", "6", "--provider-speed", "1000"];
    let provider = Process::provider(&flags);
    for _ in 0..2 {
        for _ in 0..3 {
            let answer = classify(&provider.address);
            assert_eq!((answer.status, &answer.json()["category"]), (200, &json!("delivery")));
        }
        let refused = classify(&provider.address);
        assert_eq!(refused.status, 429, "{refused:?}");
        let seconds: u32 = refused.header("retry-after").expect("a time").parse().expect("seconds");
        let ms: u32 = refused.header("retry-after-ms").expect("a time").parse().expect("ms");
        // One comes back every 10 s.
        assert!((5..=10).contains(&seconds) && ms.div_ceil(1_000) == seconds, "{refused:?}");
        assert_eq!(post(&provider.address, "/reset", &json!({})).status, 200);
    }
    assert_eq!(metric(&provider.address, "provider_answered_total"), 6.0);
    assert_eq!(metric(&provider.address, "provider_refused_total"), 2.0);
    assert_eq!(metric(&provider.address, "provider_quota_calls"), 3.0);
}

#[test]
fn a_text_that_cannot_be_answered_fails_every_time_and_others_do_not() {
    let provider = Process::provider(&["--provider-speed", "1000"]);
    let answer = post(&provider.address, "/classify", &json!({ "text": "[unanswerable]" }));
    assert_eq!(answer.status, 500, "{answer:?}");
    assert_eq!(classify(&provider.address).status, 200);
}
