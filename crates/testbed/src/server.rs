//! Servers for the simulated network.

use model::{Nanos, Span};
use rustix::io::Errno;
use std::borrow::Cow;
use std::collections::VecDeque;

/// What becomes of an attempt to connect.
pub enum Accept {
    /// It is open after this long.
    After(Nanos),
    /// It is refused at once, with this error.
    Refuse(Errno),
    /// Nothing ever comes back.
    Never,
}

/// Something that the server does on a connection.
pub enum Action {
    /// Sends bytes.
    Bytes(Cow<'static, [u8]>),
    /// Closes in good order.
    Close,
    /// Breaks the connection, which the tester sees as this error.
    Break(Errno),
}

/// An action and its moment.
pub struct Reply {
    /// When.
    pub at: Nanos,
    /// What.
    pub action: Action,
}

/// A pretend server: told what comes and when, it says what it will do.
pub trait Server {
    /// Somebody connects; `connection` is its number from 1.
    fn connect(&mut self, now: Nanos, connection: u64) -> Accept;
    /// A whole request has come.
    fn request(&mut self, now: Nanos, connection: u64, request: &[u8]) -> Vec<Reply>;
}

/// A small whole answer.
pub fn answer() -> Action {
    Action::Bytes(Cow::Borrowed(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"))
}

/// One server with one queue, first come first served, a fixed service time,
/// and stalls during which nothing moves: M/D/1 when asked by Poisson arrivals.
pub struct QueueServer {
    service: Nanos,
    free_at: Nanos,
    stalls: VecDeque<Span>,
}

impl QueueServer {
    /// A server that works `service` on each request and stands still during
    /// `stalls`, which are in order and apart.
    pub fn new(service: Nanos, stalls: Vec<Span>) -> QueueServer {
        QueueServer { service, free_at: Nanos::ZERO, stalls: stalls.into() }
    }

    fn work_from(&mut self, begin: Nanos) -> Nanos {
        let mut at = begin;
        let mut left = self.service;
        while let Some(stall) = self.stalls.front().copied() {
            if at.saturating_add(left) <= stall.began {
                break;
            }
            left = left.saturating_sub(stall.began.saturating_sub(at));
            at = at.max(stall.ended);
            self.stalls.pop_front();
        }
        at + left
    }
}

impl Server for QueueServer {
    fn connect(&mut self, _: Nanos, _: u64) -> Accept {
        Accept::After(Nanos::ZERO)
    }

    fn request(&mut self, now: Nanos, _: u64, _: &[u8]) -> Vec<Reply> {
        self.free_at = self.work_from(now.max(self.free_at));
        vec![Reply { at: self.free_at, action: answer() }]
    }
}

/// A server that does what a test wrote down, request by request.
pub struct ScriptServer<A, R> {
    /// What becomes of the n-th attempt to connect, from 1.
    pub on_connect: A,
    /// What is done about a request: its moment, its connection's number and
    /// its own number, both from 1.
    pub on_request: R,
    /// Requests so far.
    pub requests: u64,
}

impl<A, R> Server for ScriptServer<A, R>
where
    A: FnMut(u64) -> Accept,
    R: FnMut(Nanos, u64, u64) -> Vec<Reply>,
{
    fn connect(&mut self, _: Nanos, connection: u64) -> Accept {
        (self.on_connect)(connection)
    }

    fn request(&mut self, now: Nanos, connection: u64, _: &[u8]) -> Vec<Reply> {
        self.requests += 1;
        (self.on_request)(now, connection, self.requests)
    }
}
