//! The network as the engine sees it: hand something over, be told what
//! happened and when.

pub mod epoll;
mod stamp;
pub mod tls;

use crate::tls::TlsProblem;
use model::{Nanos, TlsTold};
use std::fmt;

/// A place for one connection, numbered from 0; the engine chooses the number
/// and may connect again in a slot that was closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slot(pub u32);

impl Slot {
    /// The slot as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Something that happened to a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Happened {
    /// To which one.
    pub slot: Slot,
    /// When, as the network knows it; the one source of a sample's moments. Of
    /// received bytes it is the kernel's own stamp of the last of them, where it
    /// gives one.
    pub at: Nanos,
    /// When the tester came to know of it: from then on it can act.
    pub seen: Nanos,
    /// What.
    pub what: What,
}

/// What can happen to a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// It is open.
    Connected,
    /// The first byte of a message handed over with [`Net::send`] went to the kernel.
    Sent,
    /// Bytes came; [`Net::received`] holds them until the next call of [`Net::next`].
    Received,
    /// The peer has closed its side in good order.
    PeerClosed,
    /// It could not be opened, or broke.
    Failed(NetError),
}

/// Why a connection could not be opened, or broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetError {
    /// The kernel's reason.
    Os(rustix::io::Errno),
    /// The two do not agree on TLS.
    Tls(TlsProblem),
}

impl fmt::Display for NetError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NetError::Os(errno) => std::io::Error::from(*errno).fmt(out),
            NetError::Tls(problem) => problem.fmt(out),
        }
    }
}

impl NetError {
    /// This machine's own limits refused it, not the peer: no descriptor, no
    /// port or no memory was left.
    pub fn is_our_limit(self) -> bool {
        use rustix::io::Errno;
        let NetError::Os(errno) = self else { return false };
        matches!(errno, Errno::MFILE | Errno::NFILE | Errno::ADDRNOTAVAIL | Errno::NOMEM | Errno::NOBUFS)
    }
}

/// What ends a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wake {
    /// The first thing that happens, or its moment.
    Happening,
    /// Its moment alone: the kernel keeps what comes, with the time at which it
    /// came, so that nothing is lost by reading it later. A wake-up costs more
    /// than a request.
    Moment {
        /// Whether any answer is awaited: one that fails or is larger than the
        /// kernel's buffer must not lie for long.
        awaits: bool,
    },
}

/// Connections to one peer, completion-style: connects, sends and waits are
/// handed over, and [`Net::next`] tells what happened with the time it
/// happened. epoll, io_uring, TLS and the simulated network look alike here,
/// and a kernel's receive stamp has its place in [`Happened::at`].
pub trait Net {
    /// Begins to open a connection in a closed slot.
    fn connect(&mut self, slot: Slot);

    /// The buffer for the slot's next message: empty, and kept between
    /// messages. Only while [`Net::is_sending`] is false.
    fn outgoing(&mut self, slot: Slot) -> &mut Vec<u8>;

    /// Sends what was put into [`Net::outgoing`].
    fn send(&mut self, slot: Slot);

    /// Whether part of the last message is still to be handed to the kernel.
    fn is_sending(&self, slot: Slot) -> bool;

    /// Closes the slot at once; nothing more happens to its connection.
    fn close(&mut self, slot: Slot);

    /// Returns when something has happened or `until` has come; false if there
    /// was something to tell already, so that it returned at once.
    /// With [`Wake::Moment`] it may return before, and must not return long after.
    fn wait(&mut self, until: Nanos, wake: Wake) -> bool;

    /// The next thing that happened, in order; `None` once all is told.
    fn next(&mut self) -> Option<Happened>;

    /// The bytes of the last [`What::Received`].
    fn received(&self) -> &[u8];

    /// The name of the back end, as results show it.
    fn backend(&self) -> &'static str;

    /// What was agreed on and what handshakes took, where connections are secured.
    fn tls(&self) -> Option<TlsTold> {
        None
    }
}
