//! Which work was accepted and which has ended, whichever is heard of first.
//! Pure: it is handed moments.

use engine::Accepted;
use model::{Completion, Nanos, WorkEnd};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// The books on followed work.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    /// Work that has not ended, by its name. Several requests may have been
    /// answered with one name: a service may recognise a request that it has
    /// had before.
    waiting: HashMap<Box<str>, Vec<Waiting>>,
    ended: HashMap<Box<str>, Ended>,
    accepted: u64,
    repeated: u64,
    /// Ends that are to be written down.
    out: Vec<Completion>,
}

#[derive(Debug)]
struct Waiting {
    accepted: Accepted,
    not_before: Nanos,
}

#[derive(Clone, Copy, Debug)]
struct Ended {
    at: Nanos,
    end: WorkEnd,
    /// Whether an answer has named this work.
    is_known: bool,
}

impl Ledger {
    /// An answer has accepted work. Its name comes back if its end is to be learnt.
    pub fn accept(&mut self, accepted: Accepted) -> Option<Box<str>> {
        self.accepted += 1;
        let Some(name) = accepted.name.clone() else {
            let (at, not_before) = (accepted.answered, accepted.answered);
            self.close(accepted, WorkEnd::Nameless, not_before, at);
            return None;
        };
        if let Some(ended) = self.ended.get_mut(&name) {
            // The end was quicker than its answer's way to us, or another
            // request of the same name had it.
            ended.is_known = true;
            let Ended { at, end, .. } = *ended;
            let not_before = accepted.scheduled;
            self.close(accepted, end, not_before, at.max(not_before));
            return None;
        }
        let not_before = accepted.answered;
        let waiting = self.waiting.entry(name.clone()).or_default();
        waiting.push(Waiting { accepted, not_before });
        (waiting.len() == 1).then_some(name)
    }

    /// Work of this name had not ended at `moment`.
    pub fn not_yet(&mut self, name: &str, moment: Nanos) {
        for waiting in self.waiting.get_mut(name).into_iter().flatten() {
            waiting.not_before = waiting.not_before.max(moment);
        }
    }

    /// What is still waiting had not ended at `moment`.
    pub fn looked(&mut self, moment: Nanos) {
        for waiting in self.waiting.values_mut().flatten() {
            waiting.not_before = waiting.not_before.max(moment);
        }
    }

    /// The end of work of this name was learnt at `at`.
    pub fn end(&mut self, name: Box<str>, end: WorkEnd, at: Nanos) {
        let waiting = self.waiting.remove(&name);
        match self.ended.entry(name) {
            Entry::Occupied(_) => self.repeated += 1,
            Entry::Vacant(entry) => {
                entry.insert(Ended { at, end, is_known: waiting.is_some() });
            }
        }
        for Waiting { accepted, not_before } in waiting.into_iter().flatten() {
            self.close(accepted, end, not_before.min(at), at);
        }
    }

    /// Nobody follows any more: what has not ended by `now` never did, as far as is known.
    pub fn give_up(&mut self, now: Nanos) {
        let mut rest: Vec<Waiting> = self.waiting.drain().flat_map(|(_, waiting)| waiting).collect();
        rest.sort_unstable_by_key(|waiting| waiting.accepted.index);
        for Waiting { accepted, not_before } in rest {
            self.close(accepted, WorkEnd::Unfinished, not_before, now.max(not_before));
        }
    }

    /// Ends learnt since the last call.
    pub fn take(&mut self) -> Vec<Completion> {
        std::mem::take(&mut self.out)
    }

    /// Work whose end is not known yet.
    pub fn open(&self) -> u64 {
        self.waiting.values().map(|waiting| waiting.len() as u64).sum()
    }

    /// Work that was accepted.
    pub fn accepted(&self) -> u64 {
        self.accepted
    }

    /// Ends of work that no answer has named.
    pub fn strangers(&self) -> u64 {
        self.ended.values().filter(|ended| !ended.is_known).count() as u64
    }

    /// Ends of work that had ended before.
    pub fn repeated(&self) -> u64 {
        self.repeated
    }

    fn close(&mut self, accepted: Accepted, end: WorkEnd, not_before: Nanos, at: Nanos) {
        let Accepted { index, scheduled, answered, counted, name } = accepted;
        let name = name.map(String::from).unwrap_or_default();
        self.out.push(Completion { index, scheduled, answered, counted, name, end, not_before, at });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepted(index: u64, name: Option<&str>) -> Accepted {
        Accepted {
            index,
            scheduled: Nanos(index * 100),
            answered: Nanos(index * 100 + 10),
            counted: true,
            name: name.map(Into::into),
        }
    }

    /// (index, end, not before, at) of every end.
    fn ends(ledger: &mut Ledger) -> Vec<(u64, WorkEnd, u64, u64)> {
        let one = |c: Completion| (c.index, c.end, c.not_before.0, c.at.0);
        ledger.take().into_iter().map(one).collect()
    }

    #[test]
    fn an_end_lies_between_the_last_not_yet_and_the_moment_it_was_learnt() {
        let mut ledger = Ledger::default();
        assert_eq!(ledger.accept(accepted(1, Some("a"))).as_deref(), Some("a"));
        ledger.not_yet("a", Nanos(150));
        ledger.not_yet("a", Nanos(140));
        ledger.end("a".into(), WorkEnd::Done, Nanos(190));
        assert_eq!(ends(&mut ledger), [(1, WorkEnd::Done, 150, 190)]);
        assert_eq!((ledger.open(), ledger.accepted(), ledger.strangers()), (0, 1, 0));
    }

    #[test]
    fn an_end_that_is_heard_before_the_answer_is_no_stranger() {
        let mut ledger = Ledger::default();
        ledger.end("a".into(), WorkEnd::GivenUp, Nanos(105));
        assert_eq!((ledger.strangers(), ends(&mut ledger)), (1, vec![]));
        assert_eq!(ledger.accept(accepted(1, Some("a"))), None, "there is nothing left to learn");
        assert_eq!(ends(&mut ledger), [(1, WorkEnd::GivenUp, 100, 105)]);
        assert_eq!(ledger.strangers(), 0);
    }

    #[test]
    fn two_requests_of_one_name_end_together_and_are_asked_for_once() {
        let mut ledger = Ledger::default();
        assert!(ledger.accept(accepted(1, Some("a"))).is_some());
        assert!(ledger.accept(accepted(2, Some("a"))).is_none());
        ledger.end("a".into(), WorkEnd::Done, Nanos(300));
        ledger.end("a".into(), WorkEnd::Done, Nanos(301));
        assert_eq!(ends(&mut ledger), [(1, WorkEnd::Done, 110, 300), (2, WorkEnd::Done, 210, 300)]);
        assert_eq!(ledger.repeated(), 1);
    }

    #[test]
    fn what_has_no_name_or_no_end_is_kept_as_that() {
        let mut ledger = Ledger::default();
        ledger.accept(accepted(1, None));
        ledger.accept(accepted(3, Some("b")));
        ledger.accept(accepted(2, Some("a")));
        ledger.not_yet("a", Nanos(950));
        ledger.give_up(Nanos(1_000));
        let unfinished = WorkEnd::Unfinished;
        let expected =
            [(1, WorkEnd::Nameless, 110, 110), (2, unfinished, 950, 1_000), (3, unfinished, 310, 1_000)];
        assert_eq!(ends(&mut ledger), expected);
    }

    #[test]
    fn every_accepted_piece_of_work_ends_exactly_once_whatever_is_heard_in_whatever_order() {
        for seed in 0..200_u64 {
            let mut ledger = Ledger::default();
            let mut indices = Vec::new();
            let mut state = model::Seed(seed);
            for step in 0..60 {
                state = state.derive("step");
                let name = format!("w{}", state.0 % 17);
                match state.0 / 17 % 4 {
                    0 | 1 => {
                        ledger.accept(accepted(
                            step,
                            Some(&name).filter(|_| !state.0.is_multiple_of(23)).map(|n| &**n),
                        ));
                        indices.push(step);
                    }
                    2 => ledger.not_yet(&name, Nanos(step * 100)),
                    _ => ledger.end(name.into(), WorkEnd::Done, Nanos(step * 100)),
                }
            }
            ledger.give_up(Nanos(10_000));
            let all = ledger.take();
            let mut ended: Vec<u64> = all.iter().map(|one| one.index).collect();
            ended.sort_unstable();
            assert_eq!(ended, indices, "seed {seed}");
            assert!(all.iter().all(|one| one.not_before <= one.at), "seed {seed}: {all:?}");
        }
    }
}
