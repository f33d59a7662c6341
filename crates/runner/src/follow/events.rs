//! Listens to a stream of server-sent events, each of which may tell that work
//! has ended.

use super::Shared;
use super::callback::name_at;
use super::keeper::Heard;
use super::work::EventsOrder;
use engine::Clock as _;
use model::{Nanos, WorkEnd};
use serde_json::Value;
use std::io::{ErrorKind, Read, Write};
use std::thread::JoinHandle;
use std::time::Duration;
use wire::h1::{Answer, Received};

/// How long after a stream broke off it is opened again.
const PAUSE: Nanos = Nanos::from_millis(200);
/// How often the end of following is looked for.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// The longest line of a stream.
const LONGEST: usize = 1 << 20;

/// Listens on a thread of its own.
pub(super) fn begin(order: &EventsOrder, shared: &Shared) -> JoinHandle<()> {
    let (order, shared) = (order.clone(), shared.clone());
    std::thread::spawn(move || {
        while !shared.is_over() {
            if let Err(says) = listen(&order, &shared) {
                let _ = shared.heard.send(Heard::Failed(format!("GET {}: {says}", order.path)));
                shared.clock.sleep_until(shared.clock.now() + PAUSE);
            }
        }
        shared.count_cpu();
    })
}

/// Listens until the stream breaks off, which is an error, or following is over.
fn listen(order: &EventsOrder, shared: &Shared) -> Result<(), String> {
    let words = |error: &dyn std::error::Error| error.to_string();
    let request = order.control.request("GET", &order.path, None, true).map_err(|e| words(&e))?;
    let mut stream = order.control.connect().map_err(|e| words(&e))?;
    stream.write_all(request.bytes()).map_err(|e| words(&e))?;
    stream.set_read_timeout(LOOK_EVERY).map_err(|e| words(&e))?;
    let mut answer = Answer::default();
    answer.begin(request.asked());
    let (mut buffer, mut lines) = ([0; 16 * 1024], Lines::default());
    while !shared.is_over() {
        let count = match stream.read(&mut buffer) {
            Ok(0) => return Err("the stream ended".to_owned()),
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => continue,
            Err(error) => return Err(error.to_string()),
        };
        let at = shared.clock.now();
        let mut data = Vec::new();
        let received = answer.receive(&buffer[..count], &mut |part: &[u8]| lines.take(part, &mut data));
        let received = received.map_err(|error| error.to_string())?;
        if answer.status().is_some_and(|status| status != 200) {
            return Err(format!("status {}", answer.status().unwrap_or_default()));
        }
        data.iter().for_each(|data| tell(data, order, shared, at));
        if lines.line.len() > LONGEST {
            return Err(format!("a line of more than {LONGEST} bytes"));
        }
        if let Received::Complete { .. } = received {
            return Err("the stream ended".to_owned());
        }
    }
    Ok(())
}

fn tell(data: &str, order: &EventsOrder, shared: &Shared, at: Nanos) {
    let heard = match serde_json::from_str::<Value>(data) {
        Err(_) => Some(Heard::Failed("an event's data is not JSON".to_owned())),
        Ok(json) => {
            let is_given_up = order.given_up.as_ref().is_some_and(|given_up| (given_up.holds)(&json));
            let end = match (order.done.holds)(&json) {
                true => Some(WorkEnd::Done),
                false => is_given_up.then_some(WorkEnd::GivenUp),
            };
            match (name_at(&json, &order.name), end) {
                (Some(name), Some(end)) => Some(Heard::Ended(name, end, at)),
                (Some(name), None) => Some(Heard::NotYet(name, at)),
                // Events of other kinds may share the stream.
                (None, _) => None,
            }
        }
    };
    if let Some(heard) = heard {
        let _ = shared.heard.send(heard);
    }
}

/// Cuts a stream into lines, and lines into the data of events.
#[derive(Default)]
struct Lines {
    line: Vec<u8>,
    data: String,
}

impl Lines {
    fn take(&mut self, bytes: &[u8], events: &mut Vec<String>) {
        for &byte in bytes {
            match byte {
                b'\n' => self.end_line(events),
                b'\r' => {}
                byte => self.line.push(byte),
            }
        }
    }

    /// An empty line ends an event; several lines of data are one text.
    fn end_line(&mut self, events: &mut Vec<String>) {
        let line = String::from_utf8_lossy(&self.line).into_owned();
        self.line.clear();
        if line.is_empty() {
            if !self.data.is_empty() {
                events.push(std::mem::take(&mut self.data));
            }
        } else if let Some(data) = line.strip_prefix("data:") {
            if !self.data.is_empty() {
                self.data.push('\n');
            }
            self.data.push_str(data.strip_prefix(' ').unwrap_or(data));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_the_same_wherever_the_stream_is_cut() {
        let stream = b": hello\r\nevent: done\ndata: {\"id\":\ndata:1}\n\n\ndata: 2\n\nid: 7\ndata: cut";
        let mut whole = Vec::new();
        Lines::default().take(stream, &mut whole);
        assert_eq!(whole, ["{\"id\":\n1}", "2"]);
        let (mut lines, mut cut) = (Lines::default(), Vec::new());
        stream.iter().for_each(|byte| lines.take(&[*byte], &mut cut));
        assert_eq!(cut, whole);
    }
}
