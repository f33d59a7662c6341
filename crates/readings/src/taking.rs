//! Takes every reading on its own period, each on a thread of its own.

use crate::probe::{Ask, open};
use crate::{Fetch, Now, Numbers};
use model::{Nanos, PlannedReading, Reading, ReadingFacts};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// What probes need of the world around them.
#[derive(Clone)]
pub struct Hands {
    /// The clock that readings are stamped by.
    pub now: Now,
    /// How a URL is asked.
    pub fetch: Fetch,
    /// The process of the service that was started for the run.
    pub target: Option<u32>,
}

/// Readings under way.
pub struct Taking {
    over: Arc<AtomicBool>,
    wake: Vec<Sender<()>>,
    threads: Vec<JoinHandle<()>>,
}

/// How long the end of a probe that does not answer is waited for. It is left
/// to itself then: its thread ends with its time limit.
const LINGER: Duration = Duration::from_millis(200);

impl Taking {
    /// Begins to take readings: at once, and then each on its own period. What
    /// is read comes out of the receiver, all numbers of one answer together.
    pub fn begin(planned: &[PlannedReading], hands: &Hands) -> (Taking, Receiver<Vec<Reading>>) {
        let (tell, told) = channel();
        let over = Arc::new(AtomicBool::new(false));
        let start = |planned: &PlannedReading| {
            let (wake, asleep) = channel();
            let taker = Taker {
                probe: open(&planned.probe, hands),
                facts: planned.facts.clone(),
                now: hands.now.clone(),
                over: Arc::clone(&over),
                asleep,
                tell: tell.clone(),
            };
            (wake, std::thread::spawn(move || taker.run()))
        };
        let (wake, threads) = planned.iter().map(start).unzip();
        (Taking { over, wake, threads }, told)
    }

    /// Ends them. One that is waiting for an answer is not waited for long.
    pub fn end(mut self) {
        self.over.store(true, Relaxed);
        self.wake.clear();
        let (done, all_done) = channel::<()>();
        let threads = std::mem::take(&mut self.threads);
        std::thread::spawn(move || {
            for thread in threads {
                // What a probe made of its last moments is told to nobody any more.
                let _ = thread.join();
            }
            drop(done);
        });
        let _ = all_done.recv_timeout(LINGER);
    }
}

struct Taker {
    probe: Box<dyn Ask>,
    facts: ReadingFacts,
    now: Now,
    over: Arc<AtomicBool>,
    /// Closed when it is time to end.
    asleep: Receiver<()>,
    tell: Sender<Vec<Reading>>,
}

impl Taker {
    fn run(mut self) {
        let name: Arc<str> = self.facts.name.as_str().into();
        let patience = Duration::from_nanos(self.facts.timeout.0);
        let mut due = (self.now)();
        loop {
            let asked = (self.now)();
            let found = self.probe.ask(patience);
            let answered = (self.now)();
            if self.over.load(Relaxed) {
                return;
            }
            let mut rows = rows(&name, asked, answered, found);
            due = due.saturating_add(self.facts.every);
            // Moments that passed while it was being answered: nothing was read then.
            while due <= answered {
                let took = answered.saturating_sub(asked);
                let note = format!("the answer before was still awaited; it took {took}");
                rows.push(gap(&name, due, due, &note));
                due = due.saturating_add(self.facts.every);
            }
            if self.tell.send(rows).is_err() || self.sleep_until(due) {
                return;
            }
        }
    }

    /// Waits; true if it is time to end.
    fn sleep_until(&self, due: Nanos) -> bool {
        let wait = Duration::from_nanos(due.saturating_sub((self.now)()).0);
        self.asleep.recv_timeout(wait) == Err(RecvTimeoutError::Disconnected)
    }
}

fn rows(name: &Arc<str>, asked: Nanos, answered: Nanos, found: Result<Numbers, String>) -> Vec<Reading> {
    match found {
        Err(why) => vec![gap(name, asked, answered, &why)],
        Ok(numbers) => numbers
            .into_iter()
            .map(|(column, number)| Reading {
                reading: Arc::clone(name),
                column: column.into(),
                asked,
                answered,
                value: number.as_ref().ok().copied(),
                note: number.err().map(Into::into),
            })
            .collect(),
    }
}

/// A whole reading that gave nothing.
fn gap(name: &Arc<str>, asked: Nanos, answered: Nanos, why: &str) -> Reading {
    let (reading, column) = (Arc::clone(name), "".into());
    Reading { reading, column, asked, answered, value: None, note: Some(why.into()) }
}

/// Hands for tests: a clock that goes on by 1 ms each time it is read, and nobody to ask.
#[cfg(test)]
pub(crate) fn test_hands() -> Hands {
    hands_that_fetch(Err("nobody is asked in this test"))
}

#[cfg(test)]
pub(crate) fn hands_that_fetch(body: Result<&'static str, &'static str>) -> Hands {
    use std::sync::{Mutex, PoisonError};
    let clock = Arc::new(Mutex::new(Nanos::ZERO));
    let now: Now = Arc::new(move || {
        let mut clock = clock.lock().unwrap_or_else(PoisonError::into_inner);
        *clock += Nanos::from_millis(1);
        *clock
    });
    let fetch: Fetch = Arc::new(move |_, _| body.map(|text| text.as_bytes().to_vec()).map_err(str::to_owned));
    Hands { now, fetch, target: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Probe, ReadingUnit};

    fn planned(line: &str, every: Nanos) -> PlannedReading {
        let probe = Probe::Command { line: line.to_owned(), folder: "/".into() };
        let facts = ReadingFacts {
            name: "one".to_owned(),
            kind: probe.kind().to_owned(),
            asks: probe.asks(),
            every,
            timeout: Nanos::from_secs(5),
            unit: Some(ReadingUnit::Count),
            limit: None,
            columns: Vec::new(),
        };
        PlannedReading { probe, facts }
    }

    #[test]
    fn a_reading_is_taken_again_and_again_until_it_is_ended() {
        // On this clock a tenth of a second takes 100 looks: the thread sleeps between.
        let (taking, told) = Taking::begin(&[planned("echo 5", Nanos::from_millis(10))], &test_hands());
        let answers: Vec<Vec<Reading>> = told.iter().take(3).collect();
        taking.end();
        assert!(told.iter().count() < 100, "it has ended");
        for answer in &answers {
            assert_eq!((&*answer[0].reading, &*answer[0].column), ("one", "value"));
            assert_eq!(answer[0].value, Some(5.0));
            assert!(answer[0].asked < answer[0].answered);
        }
        assert!(answers.windows(2).all(|pair| pair[0][0].answered < pair[1][0].asked));
    }

    #[test]
    fn what_gives_nothing_is_a_gap_with_its_reason() {
        let (taking, told) = Taking::begin(&[planned("exit 3", Nanos::from_secs(60))], &test_hands());
        let gap = told.recv().expect("an answer").remove(0);
        taking.end();
        assert_eq!((gap.value, &*gap.column), (None, ""));
        assert_eq!(gap.note.as_deref(), Some("it ended with exit status: 3"));
    }

    #[test]
    fn moments_that_pass_while_an_answer_is_awaited_are_gaps() {
        // Each look at this clock takes 1 ms and asking looks at it more than twice.
        let (taking, told) = Taking::begin(&[planned("echo 1", Nanos::from_millis(1))], &test_hands());
        let first = told.recv().expect("an answer");
        taking.end();
        assert_eq!(first[0].value, Some(1.0));
        assert!(first.len() > 1, "{first:?}");
        assert!(first[1..].iter().all(|row| row.value.is_none()), "{first:?}");
        assert!(first[1].note.as_deref().is_some_and(|note| note.starts_with("the answer before")));
    }
}
