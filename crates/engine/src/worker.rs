//! The event loop of one sending thread: where a request's time is taken.
//!
//! `scheduled` comes from the tester before anything is sent; `sent`,
//! `first_byte` and `done` come from [`Net`] with what happened. The loop
//! itself never asks the clock in between. What happened has two moments: `at`,
//! when the kernel had it, goes into samples; `seen`, when this loop learnt of
//! it, is from when on it can act.
//!
//! Budget: per request no lock, format, log or allocation (held by
//! `tests/allocations.rs`), and CPU per request against wrk's as `cargo xtask
//! bench` shows it.

mod limits;
mod outcome;

pub use limits::{Limits, WorkerEnd};

use crate::batch::SampleSink;
use crate::capture::{Accepted, Capture, Follow};
use crate::clock::Clock;
use crate::connections::{Connections, State};
use crate::expect::BODY_LIMIT;
use crate::flights::{Flight, FlightId, Flights, Place};
use crate::net::{Happened, Net, NetError, Slot, Wake, What};
use crate::work::Work;
use model::{ConnectionPolicy, CpuUse, Nanos, Outcome, Sample};
use outcome::{Area, Examples, Failure};
use schedule::{Due, Tester};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use wire::h1::{Ended, Received};

/// How often one request is sent again before it counts as reset.
const RESENDS_AT_MOST: u8 = 3;

/// The longest wait, so that a request to stop is noticed.
const LONGEST_WAIT: Nanos = Nanos::from_millis(100);

/// How long samples may lie in a batch that is not full. A killed tester loses
/// no more than this.
const FLUSH_EVERY: Nanos = Nanos::from_millis(200);

/// One sending thread: a tester, its work, its connections and its samples.
pub struct Worker<'a, N, C, S> {
    /// Says what is due.
    pub tester: Box<dyn Tester + Send + 'a>,
    /// The requests to send.
    pub work: &'a Work,
    /// The network.
    pub net: N,
    /// The clock that `net` stamps by.
    pub clock: C,
    /// Where samples go.
    pub samples: S,
    /// Where accepted work is told, if somebody follows it.
    pub follow: Option<Follow>,
    /// The moments and limits it keeps to.
    pub limits: Limits,
    /// Set from outside to stop early.
    pub stop: &'a AtomicBool,
}

impl<N: Net, C: Clock, S: SampleSink> Worker<'_, N, C, S> {
    /// Sends until the schedule ends, waits for what is out, and tells what it
    /// did; the samples come back with it.
    pub fn run(self) -> (WorkerEnd, S) {
        let Limits { connection_policy, connection_limit, connection_numbers, .. } = self.limits;
        let connections = Connections::new(connection_policy, connection_limit, connection_numbers);
        Loop {
            flights: Flights::new(),
            waiting: VecDeque::new(),
            connections,
            area: Area::default(),
            examples: Examples::default(),
            end: WorkerEnd { until: self.limits.until, ..WorkerEnd::default() },
            cpu_before: None,
            cpu_after: None,
            flush_at: FLUSH_EVERY,
            worker: self,
        }
        .run()
    }
}

/// When something happened, and when this loop learnt of it.
type Moments = (Nanos, Nanos);

struct Loop<'a, N, C, S> {
    worker: Worker<'a, N, C, S>,
    connections: Connections,
    flights: Flights,
    /// Requests without a connection, in the order in which they get one.
    waiting: VecDeque<FlightId>,
    area: Area,
    examples: Examples,
    end: WorkerEnd,
    cpu_before: Option<CpuUse>,
    cpu_after: Option<CpuUse>,
    flush_at: Nanos,
}

impl<N: Net, C: Clock, S: SampleSink> Loop<'_, N, C, S> {
    fn run(mut self) -> (WorkerEnd, S) {
        loop {
            let now = self.worker.clock.now();
            self.pass_marks(now);
            self.time_out(now);
            self.send_due(now);
            if self.is_over(now) {
                // What has been handed to the kernel in this turn counts as sent.
                self.take_in();
                return self.finish(now);
            }
            let until = self.next_moment(now);
            let wake = self.wake();
            self.end.wakeups += u64::from(self.worker.net.wait(until, wake));
            self.take_in();
        }
    }

    /// Takes in all that the network has to tell.
    fn take_in(&mut self) {
        while let Some(happened) = self.worker.net.next() {
            self.handle(happened);
            // A long row of answers must not delay what is due meanwhile.
            self.send_due(happened.seen);
        }
    }

    fn handle(&mut self, Happened { slot, at, seen, what }: Happened) {
        match what {
            What::Sent => self.on_sent(slot, at),
            What::Received => self.on_received(slot, at, seen),
            What::Connected => self.on_connected(slot, at),
            What::PeerClosed => self.on_peer_closed(slot, at),
            What::Failed(error) => self.on_failed(slot, at, error),
        }
    }

    // ---- what is due ------------------------------------------------------

    fn send_due(&mut self, now: Nanos) {
        while self.worker.tester.due().is_some_and(|due| due <= now && due < self.end.until) {
            let Some(due) = self.worker.tester.take() else { return };
            self.area.enter(due.scheduled);
            self.end.taken += 1;
            self.end.taken_counted += u64::from(due.scheduled >= self.worker.limits.warm_up);
            self.assign(due, now);
        }
    }

    fn assign(&mut self, due: Due, now: Nanos) {
        let id = self.flights.insert(Flight::new(due, now));
        if let Some(slot) = self.connections.idle_for(due.user) {
            return self.start(slot, id, now);
        }
        // Whoever waits already comes first.
        self.waiting.push_back(id);
        self.open_for_waiting(now);
        let is_held_up = self.flights.get(id).place == Place::Waiting
            && !self.connections.may_open()
            && self.waiting.len() > self.opening_for_any();
        self.end.waited_at_limit += u64::from(is_held_up && due.scheduled >= self.worker.limits.warm_up);
    }

    /// Opens a connection that this request alone waits for.
    fn open_for(&mut self, id: FlightId, now: Nanos) {
        let user = self.flights.get(id).due.user;
        let slot = self.connections.begin(now, Some((id, user)));
        self.flights.get_mut(id).place = Place::Opening(slot);
        self.worker.net.connect(slot);
    }

    /// Opens connections for those who wait, in their order, as far as the limit
    /// allows: one for each that has none opening, or one of its own for each
    /// where connections are not shared.
    fn open_for_waiting(&mut self, now: Nanos) {
        if self.worker.limits.connection_policy == ConnectionPolicy::Reuse {
            while self.connections.may_open() && self.connections.opening() < self.waiting.len() {
                let slot = self.connections.begin(now, None);
                self.worker.net.connect(slot);
            }
        } else {
            while self.connections.may_open()
                && let Some(id) = self.waiting.pop_front()
            {
                self.open_for(id, now);
            }
        }
    }

    /// Connections that are opening for whoever waits by then.
    fn opening_for_any(&self) -> usize {
        let any = self.worker.limits.connection_policy == ConnectionPolicy::Reuse;
        if any { self.connections.opening() } else { 0 }
    }

    /// The waiting request whose turn it is, if it may take any connection.
    fn next_for_any(&mut self) -> Option<FlightId> {
        let any = self.worker.limits.connection_policy == ConnectionPolicy::Reuse;
        if any { self.waiting.pop_front() } else { None }
    }

    fn start(&mut self, slot: Slot, id: FlightId, now: Nanos) {
        self.connections.set_busy(slot, id);
        let connection = self.connections.get(slot);
        let flight = self.flights.get_mut(id);
        if flight.sent.is_none() {
            flight.waited = now.saturating_sub(flight.waiting_since);
        }
        flight.place = Place::On(slot);
        flight.connection = connection.number;
        let request = self.worker.work.of(flight.due.index);
        flight.bytes_out += request.bytes.len() as u32;
        connection.answer.begin(request.asked);
        let captures_head = self.worker.work.capture().is_some_and(Capture::looks_at_head);
        connection.answer.keep_head(captures_head || request.expect.looks_at_head());
        self.worker.net.outgoing(slot).extend_from_slice(&request.bytes);
        self.worker.net.send(slot);
    }

    // ---- what happened ----------------------------------------------------

    fn on_sent(&mut self, slot: Slot, at: Nanos) {
        if let Some(id) = self.connections.get(slot).flight {
            self.flights.get_mut(id).sent.get_or_insert(at);
        }
    }

    fn on_connected(&mut self, slot: Slot, at: Nanos) {
        let connection = self.connections.get(slot);
        let took = at.saturating_sub(connection.opened_at);
        let Some(id) = connection.flight.take().or_else(|| self.next_for_any()) else {
            self.connections.set_idle(slot);
            return;
        };
        self.flights.get_mut(id).connect = Some(took);
        self.start(slot, id, at);
    }

    fn on_received(&mut self, slot: Slot, at: Nanos, seen: Nanos) {
        let connection = self.connections.get(slot);
        let (State::Busy, Some(id)) = (connection.state, connection.flight) else {
            // Nobody asked for these bytes: the connection cannot be trusted with a request.
            self.close(slot, seen);
            return;
        };
        let flight = self.flights.get_mut(id);
        // The clocks are read one after the other: by some nanoseconds an answer
        // may seem to come before its request.
        let at = flight.sent.map_or(at, |sent| at.max(sent));
        flight.first_byte.get_or_insert(at);
        let bytes = self.worker.net.received();
        flight.bytes_in += bytes.len() as u64;
        let request = self.worker.work.of(flight.due.index);
        let expected = request.expect.body.as_deref();
        let captures_body = self.worker.work.capture().is_some_and(Capture::looks_at_body);
        let looks_at_body = captures_body || request.expect.looks_at_body();
        let (matched, differs) = (&mut connection.matched, &mut connection.differs);
        let body = &mut connection.body;
        let read = connection.answer.receive(bytes, &mut |part: &[u8]| {
            if looks_at_body {
                let room = (BODY_LIMIT + 1).saturating_sub(body.len());
                body.extend_from_slice(&part[..part.len().min(room)]);
            }
            let Some(expected) = expected else { return };
            *differs |= expected.get(*matched..*matched + part.len()) != Some(part);
            *matched += part.len();
        });
        match read {
            Ok(Received::Partial) => {}
            Ok(Received::Complete { status, reusable, consumed }) => {
                let is_clean = consumed == bytes.len() && !self.worker.net.is_sending(slot);
                self.complete(slot, (at, seen), status, reusable && is_clean);
            }
            Err(error) => {
                flight.status = connection.answer.status().unwrap_or(0);
                self.fail(id, (at, seen), Failure::Protocol(error));
                self.close(slot, seen);
            }
        }
    }

    /// An answer is there in full: the connection is free before the tester
    /// hears of it, so that the next request can use it.
    fn complete(&mut self, slot: Slot, (at, seen): Moments, status: u16, reusable: bool) {
        let connection = self.connections.get(slot);
        let Some(id) = connection.flight else { return };
        connection.answers += 1;
        let (matched, differs) = (connection.matched, connection.differs);
        let flight = self.flights.get_mut(id);
        flight.status = status;
        if flight.due.scheduled >= self.worker.limits.warm_up {
            self.end.read_lag.add(at, seen);
        }
        let expect = &self.worker.work.of(flight.due.index).expect;
        // Its time is taken: what checks cost here is in no response time.
        let failure = match &expect.body {
            // Whole, and read too late: a time limit that gives way is none.
            _ if at > flight.due.scheduled.saturating_add(self.worker.limits.timeout) => {
                Some(Failure::TimedOut)
            }
            _ if !expect.accepts(status) => Some(Failure::Status(status)),
            Some(body) if differs || matched != body.len() => Some(Failure::Content),
            _ if expect.checks.is_empty() => None,
            _ => {
                let header = |name: &str| connection.answer.header(name);
                expect.failed_check(&header, &connection.body).map(Failure::Check)
            }
        };
        if let (None, Some(capture), Some(follow)) =
            (&failure, self.worker.work.capture(), &self.worker.follow)
        {
            let header = |name: &str| connection.answer.header(name);
            let scheduled = flight.due.scheduled;
            let accepted = Accepted {
                index: flight.due.index,
                scheduled,
                answered: at,
                counted: scheduled >= self.worker.limits.warm_up,
                name: capture.name(&header, &connection.body),
            };
            // Whoever follows may have given up; the samples are kept all the same.
            let _ = follow.send(accepted);
        }
        if reusable && self.connections.keeps() {
            match self.next_for_any() {
                Some(next) => self.start(slot, next, seen),
                None => self.connections.set_idle(slot),
            }
        } else {
            self.close(slot, seen);
        }
        match failure {
            None => self.record(id, (at, seen), Outcome::Ok),
            Some(failure) => self.fail(id, (at, seen), failure),
        }
    }

    fn on_peer_closed(&mut self, slot: Slot, at: Nanos) {
        let connection = self.connections.get(slot);
        if connection.state != State::Busy {
            return self.lose(slot, at, Failure::PeerClosed);
        }
        match connection.answer.end() {
            Ok(Ended::Complete { status }) => self.complete(slot, (at, at), status, false),
            Ok(Ended::Truncated(where_cut)) => self.lose(slot, at, Failure::Truncated(where_cut)),
            Ok(Ended::Idle | Ended::Unanswered) => self.lose(slot, at, Failure::PeerClosed),
            Err(error) => self.lose(slot, at, Failure::Protocol(error)),
        }
    }

    fn on_failed(&mut self, slot: Slot, at: Nanos, error: NetError) {
        match self.connections.get(slot).state {
            State::Opening => self.on_not_opened(slot, at, error),
            _ => self.lose(slot, at, Failure::Broken(error)),
        }
    }

    /// A connection could not be opened: one request fails for it, the one it
    /// was opened for or the one that has waited longest.
    fn on_not_opened(&mut self, slot: Slot, at: Nanos, error: NetError) {
        let reserved = self.connections.get(slot).flight;
        self.connections.set_closed(slot);
        self.worker.net.close(slot);
        let Some(id) = reserved.or_else(|| self.waiting.pop_front()) else { return };
        if error.is_our_limit() && self.connections.refused_by_machine(at) {
            self.flights.get_mut(id).place = Place::Waiting;
            self.waiting.push_front(id);
            return;
        }
        self.fail(id, (at, at), Failure::NotOpened(error));
        self.open_for_waiting(at);
    }

    /// An open connection is gone. What it carried is sent again if the peer
    /// closed a kept-alive connection before any byte of the answer: the two
    /// crossed on the way, and no user would call it a failure.
    fn lose(&mut self, slot: Slot, at: Nanos, failure: Failure) {
        let connection = self.connections.get(slot);
        let was_kept_alive = connection.answers > 0;
        let carried = (connection.state == State::Busy).then_some(connection.flight).flatten();
        let nothing_came = !connection.answer.started();
        self.close(slot, at);
        let Some(id) = carried else { return };
        let flight = self.flights.get_mut(id);
        if was_kept_alive && nothing_came && flight.resent < RESENDS_AT_MOST {
            flight.resent += 1;
            flight.place = Place::Waiting;
            // Other idle connections may be as stale as this one was.
            if self.connections.may_open() {
                self.open_for(id, at);
            } else {
                self.waiting.push_front(id);
            }
        } else {
            self.fail(id, (at, at), failure);
        }
    }

    /// Closes a connection and lets a waiting request have its place.
    fn close(&mut self, slot: Slot, at: Nanos) {
        self.connections.set_closed(slot);
        self.worker.net.close(slot);
        self.open_for_waiting(at);
    }

    // ---- how a request ends -----------------------------------------------

    fn time_out(&mut self, now: Nanos) {
        while let Some(id) = self.flights.oldest() {
            let flight = self.flights.get(id);
            if now < flight.due.scheduled.saturating_add(self.worker.limits.timeout) {
                return;
            }
            match flight.place {
                Place::On(slot) | Place::Opening(slot) => {
                    self.fail(id, (now, now), Failure::TimedOut);
                    self.close(slot, now);
                }
                Place::Waiting => {
                    self.stop_waiting(id);
                    self.fail(id, (now, now), Failure::TimedOut);
                    // The connection that was begun for it is as old as it is, and
                    // as likely never to open.
                    if let Some(slot) = self.connections.longest_opening()
                        && self.connections.opening() > self.waiting.len()
                    {
                        self.close(slot, now);
                    }
                }
            }
        }
    }

    /// Takes a request out of the queue. The oldest request is first in it, but
    /// for one that was sent again a moment ago; searching the whole queue for
    /// each would make an overload cost its square.
    fn stop_waiting(&mut self, id: FlightId) {
        if self.waiting.front() == Some(&id) {
            self.waiting.pop_front();
        } else {
            self.waiting.retain(|waiting| *waiting != id);
        }
    }

    #[expect(clippy::needless_pass_by_value, reason = "a failure ends here; its callers have just made it")]
    fn fail(&mut self, id: FlightId, moments: Moments, failure: Failure) {
        if self.flights.get(id).due.scheduled >= self.worker.limits.warm_up {
            self.examples.add(&failure);
        }
        self.record(id, moments, failure.outcome());
    }

    fn record(&mut self, id: FlightId, (at, seen): Moments, outcome: Outcome) {
        let flight = self.flights.remove(id);
        self.area.leave(at);
        // A user of a closed loop goes on when the answer has been read.
        self.worker.tester.done(flight.due.user, seen, !outcome.is_answered());
        self.worker.samples.push(Sample {
            index: flight.due.index,
            user: flight.due.user,
            connection: flight.connection,
            scheduled: flight.due.scheduled,
            waited: if flight.sent.is_some() {
                flight.waited
            } else {
                at.saturating_sub(flight.waiting_since)
            },
            sent: flight.sent,
            first_byte: flight.first_byte,
            done: at,
            connect: flight.connect,
            bytes_in: flight.bytes_in,
            bytes_out: flight.bytes_out,
            status: flight.status,
            outcome,
            resent: flight.resent,
            counted: flight.due.scheduled >= self.worker.limits.warm_up,
        });
    }

    // ---- when to wake and when to end -------------------------------------

    /// Reads the CPU clocks as the counted part begins and ends, hands over
    /// samples that have lain for a while, notices a request to stop, and tries
    /// the planned connection limit again after a shortage.
    fn pass_marks(&mut self, now: Nanos) {
        if self.cpu_before.is_none() && now >= self.worker.limits.warm_up {
            self.cpu_before = Some(self.worker.clock.cpu());
        }
        if self.worker.stop.load(Relaxed) && now < self.end.until {
            self.end.until = now;
            self.end.interrupted = true;
        }
        if self.cpu_after.is_none() && now >= self.end.until {
            self.cpu_after = Some(self.worker.clock.cpu());
        }
        if self.connections.raise_limit(now) {
            self.open_for_waiting(now);
        }
        if now >= self.flush_at {
            self.worker.samples.flush();
            self.flush_at = now + FLUSH_EVERY;
        }
    }

    /// Only the next moment matters while no answer can make anything due, and
    /// nobody waits for a connection that is being opened.
    fn wake(&self) -> Wake {
        if self.worker.limits.may_read_later && self.waiting.is_empty() && self.connections.opening() == 0 {
            Wake::Moment { awaits: self.flights.oldest().is_some() }
        } else {
            Wake::Happening
        }
    }

    fn is_over(&self, now: Nanos) -> bool {
        let grace = if self.worker.stop.load(Relaxed) { Nanos::ZERO } else { self.worker.limits.grace };
        now >= self.end.until
            && (self.flights.oldest().is_none() || now >= self.end.until.saturating_add(grace))
    }

    fn next_moment(&mut self, now: Nanos) -> Nanos {
        let mut moment = now + LONGEST_WAIT;
        if let Some(due) = self.worker.tester.due().filter(|due| *due < self.end.until) {
            moment = moment.min(due);
        }
        if let Some(id) = self.flights.oldest() {
            moment =
                moment.min(self.flights.get(id).due.scheduled.saturating_add(self.worker.limits.timeout));
        }
        let ahead = [
            self.worker.limits.warm_up,
            self.end.until,
            self.end.until.saturating_add(self.worker.limits.grace),
        ];
        ahead.into_iter().filter(|mark| *mark > now).fold(moment, Nanos::min)
    }

    /// What is still out when the run ends is kept as a lower bound.
    fn finish(mut self, now: Nanos) -> (WorkerEnd, S) {
        while let Some(id) = self.flights.oldest() {
            let was_sent = self.flights.get(id).sent.is_some();
            let outcome = if was_sent { Outcome::Unfinished } else { Outcome::NeverSent };
            self.record(id, (now, now), outcome);
        }
        self.worker.samples.flush();
        let before = self.cpu_before.unwrap_or_default();
        let after = self.cpu_after.filter(|_| self.cpu_before.is_some()).unwrap_or_default();
        let end = WorkerEnd {
            ended: now,
            area: self.area.sum(),
            samples_lost: self.worker.samples.lost(),
            cpu: CpuUse {
                process: after.process.saturating_sub(before.process),
                senders: after.senders.saturating_sub(before.senders),
            },
            connections_opened: self.connections.opened,
            connections_peak: self.connections.peak,
            limit_lowered_to: self.connections.lowered_to,
            examples: self.examples.all,
            tls: self.worker.net.tls(),
            ..self.end
        };
        (end, self.worker.samples)
    }
}
