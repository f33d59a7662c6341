//! Following through real sockets: a service that works for a while after its
//! answer, and tells of it in each of the ways that can be listened to.

use super::*;
use crate::control::Control;
use engine::Accepted;
use model::{Completion, WorkEnd};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Mutex;

/// A run's folder, with the books that are kept in it.
struct Run {
    folder: tempfile::TempDir,
    clock: MonotonicClock,
}

impl Run {
    fn new() -> Run {
        let folder = tempfile::tempdir().expect("a folder");
        Run { folder, clock: MonotonicClock::starting_in(Nanos::ZERO) }
    }

    fn accepted(&self, index: u64, name: &str) -> Accepted {
        let now = self.clock.now();
        Accepted { index, scheduled: now, answered: now, counted: true, name: Some(name.into()) }
    }

    /// What lies in the folder, by index.
    fn completions(&self) -> Vec<Completion> {
        let text = std::fs::read_to_string(self.folder.path().join("completions.jsonl")).expect("a file");
        let one = |line: &str| {
            let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
            let moment = |key: &str| Nanos(line[key].as_u64().expect("a moment"));
            Completion {
                index: line["index"].as_u64().expect("a number"),
                scheduled: moment("scheduled_ns"),
                answered: moment("answered_ns"),
                counted: line["counted"].as_bool().expect("a flag"),
                name: line["name"].as_str().expect("a text").to_owned(),
                end: WorkEnd::named(line["end"].as_str().expect("a text")).expect("an end"),
                not_before: moment("not_before_ns"),
                at: moment("ended_ns"),
            }
        };
        let mut all: Vec<Completion> = text.lines().map(one).collect();
        all.sort_by_key(|completion| completion.index);
        all
    }

    fn ends(&self) -> Vec<(String, WorkEnd)> {
        self.completions().into_iter().map(|one| (one.name, one.end)).collect()
    }
}

fn state_is(state: &'static str) -> Condition {
    Condition { holds: Arc::new(move |json| json["state"] == state), shown: format!("/state == '{state}'") }
}

fn order(by: FollowBy, within: Nanos) -> FollowOrder {
    FollowOrder { by, within, at_most: None, quota: None, stored: None }
}

/// A service on keep-alive connections; `answer` gives status and body for a path.
fn service(answer: impl Fn(&str) -> (u16, String) + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let peer = listener.local_addr().expect("an address");
    let answer = Arc::new(answer);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answer = Arc::clone(&answer);
            std::thread::spawn(move || {
                let mut reader = BufReader::new(stream.try_clone().expect("a handle"));
                let (mut stream, mut line) = (stream, String::new());
                while reader.read_line(&mut line).is_ok_and(|count| count > 0) {
                    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
                    while line != "\r\n" {
                        line.clear();
                        if !reader.read_line(&mut line).is_ok_and(|count| count > 0) {
                            return;
                        }
                    }
                    let (status, body) = answer(&path);
                    let head = format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\n\r\n", body.len());
                    if stream.write_all((head + &body).as_bytes()).is_err() {
                        return;
                    }
                    line.clear();
                }
            });
        }
    });
    peer
}

fn poll(peer: SocketAddr, every: Nanos) -> FollowBy {
    FollowBy::Poll(PollOrder {
        control: Control::new(peer, "test"),
        around_name: (String::new(), String::new()),
        every,
        done: state_is("done"),
        given_up: Some(state_is("dead")),
    })
}

#[test]
fn polled_work_ends_between_the_last_not_yet_and_the_answer_that_says_so() {
    // Each piece of work is done at its third poll; "/dead" is given up at its second.
    let polls = Mutex::new(HashMap::<String, u32>::new());
    let peer = service(move |path| {
        let mut polls = polls.lock().expect("not poisoned");
        let count = polls.entry(path.to_owned()).or_default();
        *count += 1;
        let state = match (path, *count) {
            ("/dead", 2) => "dead",
            (_, 3) => "done",
            _ => "running",
        };
        (200, format!("{{\"state\": \"{state}\"}}"))
    });
    let run = Run::new();
    let every = Nanos::from_millis(30);
    let order = order(poll(peer, every), Nanos::from_secs(20));
    let (following, follow) = Following::begin(&order, run.clock, run.folder.path()).expect("followed");
    for index in 0..20 {
        follow.send(run.accepted(index, &format!("/w{index}"))).expect("heard");
    }
    follow.send(run.accepted(20, "/dead")).expect("heard");
    drop(follow);
    let followed = following.finish(&AtomicBool::new(false), &mut |_, _, _| {}).expect("kept");
    assert_eq!((followed.failed, followed.strangers, followed.repeated), (0, 0, 0), "{followed:?}");
    assert_eq!(followed.asked, 20 * 3 + 2);
    assert!(followed.cpu > Nanos::ZERO && !followed.is_cut_short);
    let all = run.completions();
    assert_eq!(all.len(), 21);
    assert_eq!(all[20].end, WorkEnd::GivenUp);
    for one in &all[..20] {
        assert_eq!(one.end, WorkEnd::Done);
        assert!(one.not_before >= one.answered + every * 2, "asked twice before: {one:?}");
        assert!(one.at >= one.not_before + every, "{one:?}");
    }
}

#[test]
fn a_poll_that_answers_404_or_no_json_is_told_and_what_never_ends_is_a_lower_bound() {
    let peer = service(|path| match path {
        "/gone" => (404, String::new()),
        "/text" => (200, "hello".to_owned()),
        _ => (200, "{\"state\": \"running\"}".to_owned()),
    });
    let run = Run::new();
    let within = Nanos::from_millis(300);
    let order = order(poll(peer, Nanos::from_millis(20)), within);
    let (following, follow) = Following::begin(&order, run.clock, run.folder.path()).expect("followed");
    for (index, name) in ["/gone", "/text", "/runs", "no path"].into_iter().enumerate() {
        follow.send(run.accepted(index as u64, name)).expect("heard");
    }
    drop(follow);
    let began = run.clock.now();
    let mut told = Vec::new();
    let followed = following
        .finish(&AtomicBool::new(false), &mut |ended, all, _| told.push((ended, all)))
        .expect("kept");
    assert!(run.clock.now() >= began + within, "it is waited for as long as was said");
    assert!(followed.failed >= 3, "{followed:?}");
    let example = followed.example.expect("an example");
    assert!(
        ["GET /gone: status 404", "GET /text: the answer is not JSON", "\"no path\" is no path to ask for"]
            .contains(&example.as_str()),
        "{example}"
    );
    assert!(told.last().is_some_and(|last| *last == (0, 4)), "{told:?}");
    let all = run.completions();
    assert!(all.len() == 4 && all.iter().all(|one| one.end == WorkEnd::Unfinished), "{all:?}");
    assert!(all[2].not_before > all[2].answered, "it was seen running");
    assert_eq!(all[0].not_before, all[0].answered, "of this nothing was seen");
}

#[test]
fn told_to_stop_it_ends_at_once_and_keeps_what_it_has_learnt() {
    let peer = service(|_| (200, "{\"state\": \"running\"}".to_owned()));
    let run = Run::new();
    let order = order(poll(peer, Nanos::from_millis(20)), Nanos::from_secs(600));
    let (following, follow) = Following::begin(&order, run.clock, run.folder.path()).expect("followed");
    follow.send(run.accepted(0, "/w")).expect("heard");
    drop(follow);
    let followed = following.finish(&AtomicBool::new(true), &mut |_, _, _| {}).expect("kept");
    assert!(followed.is_cut_short);
    assert_eq!(run.ends(), [("/w".to_owned(), WorkEnd::Unfinished)]);
}

fn call(peer: SocketAddr, path: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(peer).expect("connected");
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all((head + body).as_bytes()).expect("sent");
    let mut buffer = [0; 256];
    let count = stream.read(&mut buffer).expect("answered");
    String::from_utf8_lossy(&buffer[..count]).into_owned()
}

#[test]
fn a_call_ends_its_work_and_one_from_a_stranger_is_counted_and_told() {
    let free = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    let run = Run::new();
    let by = FollowBy::Callback(CallbackOrder {
        listen: free.to_string(),
        path: "/done".to_owned(),
        name: "/id".to_owned(),
        given_up: Some(state_is("dead")),
    });
    let order = order(by, Nanos::from_secs(20));
    let (following, follow) = Following::begin(&order, run.clock, run.folder.path()).expect("followed");
    for (index, name) in ["1", "b"].into_iter().enumerate() {
        follow.send(run.accepted(index as u64, name)).expect("heard");
    }
    assert!(call(free, "/done", "{\"id\": 1}").starts_with("HTTP/1.1 204"));
    assert!(call(free, "/done", "{\"id\": 1}").starts_with("HTTP/1.1 204"), "once more");
    assert!(call(free, "/done", "{\"id\": \"stranger\"}").starts_with("HTTP/1.1 204"));
    assert!(call(free, "/other", "{}").starts_with("HTTP/1.1 404"));
    assert!(call(free, "/done", "{}").starts_with("HTTP/1.1 422"));
    assert!(call(free, "/done", "{\"id\": \"b\", \"state\": \"dead\"}").starts_with("HTTP/1.1 204"));
    drop(follow);
    let followed = following.finish(&AtomicBool::new(false), &mut |_, _, _| {}).expect("kept");
    assert_eq!((followed.asked, followed.failed), (6, 2), "{followed:?}");
    assert_eq!((followed.strangers, followed.repeated), (1, 1));
    assert_eq!(followed.example.as_deref(), Some("a call: \"/other\" is called, not \"/done\""));
    assert_eq!(run.ends(), [("1".to_owned(), WorkEnd::Done), ("b".to_owned(), WorkEnd::GivenUp)]);
}

#[test]
fn an_address_that_is_taken_is_an_error_before_anything_is_sent() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let run = Run::new();
    let by = FollowBy::Callback(CallbackOrder {
        listen: taken.local_addr().expect("an address").to_string(),
        path: "/".to_owned(),
        name: "/id".to_owned(),
        given_up: None,
    });
    let began = Following::begin(&order(by, Nanos::ZERO), run.clock, run.folder.path());
    let error = began.err().expect("taken").to_string();
    assert!(error.starts_with("cannot listen on 127.0.0.1:"), "{error}");
}

#[test]
fn events_end_their_work_also_after_the_stream_broke_off() {
    // The first stream tells one end and breaks off, the second tells the other.
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let peer = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for (stream, event) in listener.incoming().flatten().zip([
            "data: {\"id\": \"a\", \"state\": \"running\"}\n\ndata: {\"id\": \"a\", \"state\": \"done\"}\n\n",
            "event: x\ndata: {\"other\": 1}\n\ndata: {\"id\": \"b\", \"state\": \"done\"}\n\n",
        ]) {
            let mut stream = stream;
            let mut buffer = [0; 1_024];
            let _ = stream.read(&mut buffer);
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
            let _ = stream.write_all((head.to_owned() + event).as_bytes());
        }
    });
    let run = Run::new();
    let by = FollowBy::Events(EventsOrder {
        control: Control::new(peer, "test"),
        path: "/events".to_owned(),
        name: "/id".to_owned(),
        done: state_is("done"),
        given_up: None,
    });
    let (following, follow) =
        Following::begin(&order(by, Nanos::from_secs(20)), run.clock, run.folder.path()).expect("followed");
    for (index, name) in ["a", "b"].into_iter().enumerate() {
        follow.send(run.accepted(index as u64, name)).expect("heard");
    }
    drop(follow);
    let followed = following.finish(&AtomicBool::new(false), &mut |_, _, _| {}).expect("kept");
    assert!(followed.example.is_some_and(|example| example == "GET /events: the stream ended"));
    assert_eq!(run.ends(), [("a".to_owned(), WorkEnd::Done), ("b".to_owned(), WorkEnd::Done)]);
}
