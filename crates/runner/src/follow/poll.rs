//! Asks for each piece of work until it has ended.

use super::Shared;
use super::keeper::{Heard, Named};
use super::work::PollOrder;
use crate::control::{Line, Response};
use engine::Clock as _;
use model::{Nanos, WorkEnd};
use serde_json::Value;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Threads that ask, each over one connection: one slow answer holds up a
/// quarter of the questions, and the service is never asked more than four at once.
const ASKERS: usize = 4;

/// The longest sleep, so that the end of following is noticed.
const LONGEST_WAIT: Nanos = Nanos::from_millis(50);

/// Starts the askers. Each is told names, with the moment of their answers.
pub(super) fn begin(order: &PollOrder, shared: &Shared) -> (Vec<Sender<Named>>, Vec<JoinHandle<()>>) {
    let start = |_| {
        let (names, to_ask) = channel();
        let asker =
            Asker { order: order.clone(), shared: shared.clone(), due: BinaryHeap::new(), kept: None };
        (names, std::thread::spawn(move || asker.run(&to_ask)))
    };
    (0..ASKERS).map(start).unzip()
}

struct Asker {
    order: PollOrder,
    shared: Shared,
    /// Whom to ask for next, and when.
    due: BinaryHeap<Reverse<(Nanos, Box<str>)>>,
    kept: Option<Line>,
}

impl Asker {
    fn run(mut self, names: &Receiver<Named>) {
        while !self.shared.is_over() {
            let now = self.shared.clock.now();
            let next = self.due.peek().map_or(now + LONGEST_WAIT, |Reverse((due, _))| *due);
            let wait = next.saturating_sub(now).min(LONGEST_WAIT);
            match names.recv_timeout(Duration::from_nanos(wait.0)) {
                Ok((name, answered)) => {
                    self.due.push(Reverse((answered.saturating_add(self.order.every), name)));
                }
                Err(RecvTimeoutError::Timeout) => {}
                // Nobody keeps the books any more.
                Err(RecvTimeoutError::Disconnected) => break,
            }
            self.ask_if_due();
        }
        self.shared.count_cpu();
    }

    fn ask_if_due(&mut self) {
        let now = self.shared.clock.now();
        let Some(Reverse((due, _))) = self.due.peek() else { return };
        if *due > now {
            return;
        }
        let Some(Reverse((_, name))) = self.due.pop() else { return };
        let heard = match self.ask(&name) {
            Ok(None) => Heard::NotYet(name.clone(), now),
            Ok(Some(end)) => {
                let at = self.shared.clock.now();
                let _ = self.shared.heard.send(Heard::Ended(name, end, at));
                return;
            }
            Err(says) => Heard::Failed(says),
        };
        let _ = self.shared.heard.send(heard);
        self.due.push(Reverse((self.shared.clock.now() + self.order.every, name)));
    }

    /// How the work ended; `None` if it has not.
    fn ask(&mut self, name: &str) -> Result<Option<WorkEnd>, String> {
        let path = self.path(name)?;
        let answer = self.order.control.get_over(&mut self.kept, &path);
        let answer = answer.map_err(|error| format!("GET {path}: {error}"))?;
        self.read(&answer).map_err(|why| format!("GET {path}: {why}"))
    }

    fn read(&self, answer: &Response) -> Result<Option<WorkEnd>, String> {
        if !(200..300).contains(&answer.status) {
            return Err(format!("status {}", answer.status));
        }
        let json: Value =
            serde_json::from_slice(&answer.body).map_err(|_| "the answer is not JSON".to_owned())?;
        let is_given_up = self.order.given_up.as_ref().is_some_and(|given_up| (given_up.holds)(&json));
        Ok(match (self.order.done.holds)(&json) {
            true => Some(WorkEnd::Done),
            false => is_given_up.then_some(WorkEnd::GivenUp),
        })
    }

    /// The path that asks for work of this name.
    fn path(&self, name: &str) -> Result<String, String> {
        let (before, after) = &self.order.around_name;
        let name = path_of(name);
        let path = format!("{before}{name}{after}");
        if path.starts_with('/') { Ok(path) } else { Err(format!("{path:?} is no path to ask for")) }
    }
}

/// The path of a whole URL; anything else as it is. Whatever host a service
/// names, it is the service itself that is asked.
fn path_of(name: &str) -> &str {
    let Some((_, rest)) = name.split_once("://") else { return name };
    rest.find('/').map_or("/", |at| &rest[at..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_may_be_a_path_or_a_whole_url() {
        assert_eq!(path_of("/tickets/7"), "/tickets/7");
        assert_eq!(path_of("http://10.0.0.1:80/tickets/7?x=/"), "/tickets/7?x=/");
        assert_eq!(path_of("https://host"), "/");
        assert_eq!(path_of("7"), "7");
    }
}
