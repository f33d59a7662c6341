//! TLS over another network, with the same seam on both sides: a connection
//! is told to be open once it is secured, and bytes are those inside TLS.

use super::{Happened, Net, NetError, Slot, Wake, What};
use crate::lag::ReadLag;
use crate::tls::{Tls, TlsProblem, agreed};
use model::{Nanos, TlsTold};
use rustls::{ClientConnection, HandshakeKind};
use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};

/// Plain bytes taken out of a session at once.
const PART: usize = 16 * 1024;

/// TLS over `inner`.
pub struct TlsNet<N> {
    inner: N,
    tls: Tls,
    sessions: Vec<Session>,
    told: VecDeque<Happened>,
    /// What the last message held, in plain.
    plain: Vec<u8>,
    handshakes: ReadLag,
    resumed: u64,
    agreed: Option<String>,
}

#[derive(Default)]
struct Session {
    /// While there is a connection.
    connection: Option<Box<ClientConnection>>,
    /// In plain.
    outgoing: Vec<u8>,
    /// When the connection below was open.
    began: Nanos,
    is_secured: bool,
    /// Messages of TLS itself that were handed over and not told as sent yet:
    /// nobody has to know of them.
    own_messages: u32,
}

impl<N: Net> TlsNet<N> {
    /// Secures every connection of `inner`.
    pub fn new(inner: N, tls: Tls) -> TlsNet<N> {
        TlsNet {
            inner,
            tls,
            sessions: Vec::new(),
            told: VecDeque::new(),
            plain: Vec::new(),
            handshakes: ReadLag::default(),
            resumed: 0,
            agreed: None,
        }
    }

    /// Hands over what the session has to say.
    fn flush(&mut self, slot: Slot) {
        let Some(connection) = &mut self.sessions[slot.index()].connection else { return };
        let mut wrote = false;
        while connection.wants_write() {
            let written = connection.write_tls(self.inner.outgoing(slot));
            wrote |= written.is_ok_and(|count| count > 0);
        }
        if wrote {
            self.inner.send(slot);
            self.sessions[slot.index()].own_messages += 1;
        }
    }

    /// Takes in what came and tells what it means. What the session answers by
    /// itself, such as its part of the handshake, is sent at once.
    fn take_in(&mut self, Happened { slot, at, seen, .. }: Happened) {
        let session = &mut self.sessions[slot.index()];
        let Some(connection) = &mut session.connection else { return };
        self.plain.clear();
        let read = read_all(connection, self.inner.received(), &mut self.plain);
        let is_done = !session.is_secured && read.is_ok() && !connection.is_handshaking();
        if is_done {
            session.is_secured = true;
            self.handshakes.add(session.began, at.max(session.began + Nanos(1)));
            self.resumed += u64::from(connection.handshake_kind() == Some(HandshakeKind::Resumed));
            if self.agreed.is_none() {
                self.agreed = Some(agreed(connection));
            }
        }
        self.flush(slot);
        let mut tell = |what| self.told.push_back(Happened { slot, at, seen, what });
        if is_done {
            tell(What::Connected);
        }
        if !self.plain.is_empty() {
            tell(What::Received);
        }
        match read {
            Ok(false) => {}
            Ok(true) => tell(What::PeerClosed),
            Err(problem) => tell(What::Failed(NetError::Tls(problem))),
        }
    }
}

/// Feeds a session, and takes out what it holds in plain; true once the peer
/// has said that no more comes.
fn read_all(
    connection: &mut ClientConnection,
    mut bytes: &[u8],
    plain: &mut Vec<u8>,
) -> Result<bool, TlsProblem> {
    let mut has_closed = false;
    while !bytes.is_empty() {
        connection.read_tls(&mut bytes).map_err(|_| TlsProblem::NotTls)?;
        let state = connection.process_new_packets().map_err(|error| TlsProblem::of(&error))?;
        has_closed |= state.peer_has_closed();
        let mut left = state.plaintext_bytes_to_read();
        while left > 0 {
            let before = plain.len();
            plain.resize(before + left.min(PART), 0);
            match connection.reader().read(&mut plain[before..]) {
                Ok(count) => {
                    plain.truncate(before + count);
                    left -= count.min(left);
                    if count == 0 {
                        break;
                    }
                }
                Err(error) => {
                    plain.truncate(before);
                    if error.kind() == ErrorKind::WouldBlock {
                        break;
                    }
                    return Err(TlsProblem::Other);
                }
            }
        }
    }
    Ok(has_closed)
}

impl<N: Net> Net for TlsNet<N> {
    fn connect(&mut self, slot: Slot) {
        while self.sessions.len() <= slot.index() {
            self.sessions.push(Session::default());
        }
        self.inner.connect(slot);
    }

    fn outgoing(&mut self, slot: Slot) -> &mut Vec<u8> {
        &mut self.sessions[slot.index()].outgoing
    }

    fn send(&mut self, slot: Slot) {
        let session = &mut self.sessions[slot.index()];
        let Some(connection) = &mut session.connection else { return };
        // A session keeps so much unsent plain text by default; ours goes in parts.
        let mut rest = &session.outgoing[..];
        while !rest.is_empty() {
            let taken = connection.writer().write(rest).unwrap_or(0);
            rest = &rest[taken..];
            if taken == 0 || connection.wants_write() {
                while connection.wants_write() {
                    // Into memory: it cannot fail.
                    let _ = connection.write_tls(self.inner.outgoing(slot));
                }
            }
        }
        session.outgoing.clear();
        self.inner.send(slot);
    }

    fn is_sending(&self, slot: Slot) -> bool {
        self.inner.is_sending(slot)
    }

    fn close(&mut self, slot: Slot) {
        let session = &mut self.sessions[slot.index()];
        session.connection = None;
        session.outgoing.clear();
        session.is_secured = false;
        session.own_messages = 0;
        self.told.retain(|told| told.slot != slot);
        self.inner.close(slot);
    }

    fn wait(&mut self, until: Nanos, wake: Wake) -> bool {
        if !self.told.is_empty() {
            return false;
        }
        self.inner.wait(until, wake)
    }

    fn next(&mut self) -> Option<Happened> {
        loop {
            if let Some(told) = self.told.pop_front() {
                return Some(told);
            }
            let happened = self.inner.next()?;
            let slot = happened.slot;
            let session = &mut self.sessions[slot.index()];
            match happened.what {
                What::Connected => {
                    session.connection = Some(Box::new(self.tls.session()));
                    session.began = happened.at;
                    session.is_secured = false;
                    self.flush(slot);
                }
                What::Received => self.take_in(happened),
                What::Sent if session.own_messages > 0 => session.own_messages -= 1,
                What::PeerClosed if !session.is_secured => {
                    let what = What::Failed(NetError::Tls(TlsProblem::Closed));
                    return Some(Happened { what, ..happened });
                }
                What::Sent | What::PeerClosed | What::Failed(_) => return Some(happened),
            }
        }
    }

    fn received(&self) -> &[u8] {
        &self.plain
    }

    fn backend(&self) -> &'static str {
        self.inner.backend()
    }

    fn tls(&self) -> Option<TlsTold> {
        let took = self.handshakes.told();
        Some(TlsTold {
            agreed: self.agreed.clone(),
            verifies: self.tls.verifies(),
            handshakes: took.stamped,
            resumed: self.resumed,
            p50: took.p50,
            p99: took.p99,
            max: took.max,
        })
    }
}
