//! The network through epoll, waiting in nanoseconds.
//!
//! One `recvmsg` per ready connection and one `send` per message. Level-triggered:
//! what one `recvmsg` leaves behind is told again by the next wait.
//!
//! The kernel is asked to tell when bytes came (`stamp.rs`). So an answer's time
//! does not depend on when this thread is awake, and where only the next moment
//! to send matters, nothing else wakes it.

use super::stamp::{Stamps, receive};
use super::{Happened, Net, NetError, Slot, Wake, What};
use crate::clock::{Clock, MonotonicClock, timespec};
use model::{Nanos, SendPrecision};
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SendFlags, SocketFlags, SocketType, sockopt};
use std::collections::VecDeque;
use std::mem::MaybeUninit;
use std::net::SocketAddr;

/// Connections whose readiness one wait can tell; more are told by the next.
const EVENTS: usize = 256;

/// What epoll tells of an open connection: bytes, or the peer's end of them.
const READABLE: EventFlags = EventFlags::IN.union(EventFlags::RDHUP);

/// Bytes that one `recv` can take. Larger answers take several.
const RECEIVE_BYTES: usize = 64 * 1024;

/// The longest time that an awaited answer lies unread.
const LONGEST_DEFERRAL: Nanos = Nanos::from_millis(2);

/// The shortest sleep: what falls due within it is sent in one go. It bounds how
/// often the thread wakes at high rates, and adds this much lateness at most.
const SHORTEST_SLEEP: Nanos = Nanos::from_micros(40);

/// One read that takes as much as this may have found the kernel's buffer full,
/// and a peer waiting for room in it: from then on answers are read at once.
const LARGE_READ: usize = 32 * 1024;

/// Connections to one address through one epoll instance.
pub struct EpollNet {
    epoll: OwnedFd,
    clock: MonotonicClock,
    peer: SocketAddr,
    spin: Nanos,
    connections: Vec<Connection>,
    events: Vec<Event>,
    told: usize,
    happened: VecDeque<Happened>,
    buffer: Box<[u8]>,
    received: usize,
    stamps: Stamps,
    /// Whether an answer was large: each is read as it comes from then on.
    reads_at_once: bool,
}

#[derive(Default)]
struct Connection {
    socket: Option<OwnedFd>,
    /// Counts connections of this slot, so that readiness of a closed one
    /// that epoll told in the same batch is not taken for its successor's.
    generation: u32,
    is_connecting: bool,
    outgoing: Vec<u8>,
    handed_over: usize,
    /// The socket is full, and epoll tells when it no longer is.
    is_full: bool,
}

impl EpollNet {
    /// Connections to `peer`, timed by `clock`. Sets the calling thread's
    /// timer slack to the least the kernel has, so that waits end on time.
    pub fn new(
        clock: MonotonicClock,
        peer: SocketAddr,
        precision: SendPrecision,
    ) -> Result<EpollNet, NetError> {
        // Best effort: without it, waits end up to 50 µs later, and the lateness shows it.
        let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
        let spin = match precision {
            SendPrecision::Sleep => Nanos::ZERO,
            SendPrecision::Spin { last } => last,
        };
        let epoll = epoll::create(CreateFlags::CLOEXEC).map_err(NetError::Os)?;
        // epoll_pwait2 came with Linux 5.11; before it, every wait would fail.
        epoll::wait(&epoll, &mut [const { MaybeUninit::uninit() }; 1][..], Some(&timespec(Nanos::ZERO)))
            .map_err(NetError::Os)?;
        Ok(EpollNet {
            epoll,
            clock,
            peer,
            spin,
            connections: Vec::new(),
            events: Vec::with_capacity(EVENTS),
            told: 0,
            happened: VecDeque::with_capacity(2 * EVENTS),
            buffer: vec![0; RECEIVE_BYTES].into_boxed_slice(),
            received: 0,
            stamps: Stamps::new(&clock),
            reads_at_once: false,
        })
    }

    fn tell(&mut self, slot: Slot, what: What) {
        let now = self.clock.now();
        self.happened.push_back(Happened { slot, at: now, seen: now, what });
    }

    fn open(&mut self, slot: Slot) -> Result<(), Errno> {
        let family = if self.peer.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let socket = rustix::net::socket_with(family, SocketType::STREAM, flags, None)?;
        // A request is one small write; waiting to fill a segment would be our own delay.
        sockopt::set_tcp_nodelay(&socket, true)?;
        self.stamps.ask_for(&socket);
        match rustix::net::connect(&socket, &self.peer) {
            Ok(()) | Err(Errno::INPROGRESS) => {}
            Err(error) => return Err(error),
        }
        let connection = &mut self.connections[slot.index()];
        epoll::add(&self.epoll, &socket, event_data(slot, connection.generation), EventFlags::OUT)?;
        connection.is_connecting = true;
        connection.socket = Some(socket);
        Ok(())
    }

    fn write(&mut self, slot: Slot) {
        let connection = &mut self.connections[slot.index()];
        let Some(socket) = &connection.socket else { return };
        let rest = &connection.outgoing[connection.handed_over..];
        // NOSIGNAL: a peer that has closed must become an error, not a signal.
        match rustix::net::send(socket, rest, SendFlags::NOSIGNAL | SendFlags::DONTWAIT) {
            Ok(count) if count == rest.len() => {
                connection.outgoing.clear();
                connection.handed_over = 0;
                if std::mem::take(&mut connection.is_full) {
                    self.listen(slot, READABLE);
                }
            }
            Ok(count) => {
                connection.handed_over += count;
                self.wait_for_room(slot);
            }
            Err(Errno::AGAIN | Errno::INTR) => self.wait_for_room(slot),
            Err(error) => self.tell(slot, What::Failed(NetError::Os(error))),
        }
    }

    fn wait_for_room(&mut self, slot: Slot) {
        if !std::mem::replace(&mut self.connections[slot.index()].is_full, true) {
            self.listen(slot, READABLE | EventFlags::OUT);
        }
    }

    fn listen(&mut self, slot: Slot, to: EventFlags) {
        let connection = &self.connections[slot.index()];
        let Some(socket) = &connection.socket else { return };
        if let Err(error) = epoll::modify(&self.epoll, socket, event_data(slot, connection.generation), to) {
            self.tell(slot, What::Failed(NetError::Os(error)));
        }
    }

    /// Asks the kernel what is ready, waiting at most until `until`.
    fn poll(&mut self, until: Nanos) {
        let wait = timespec(until.saturating_sub(self.clock.now()));
        self.events.clear();
        self.told = 0;
        match epoll::wait(&self.epoll, rustix::buffer::spare_capacity(&mut self.events), Some(&wait)) {
            // A signal ended the wait: nothing was ready.
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => unreachable!("waiting worked when this was made: {error}"),
        }
        self.stamps.compare(&self.clock);
    }

    /// What one ready connection has to tell, and when the kernel had it.
    fn look(&mut self, slot: Slot, flags: EventFlags) -> Option<(What, Option<Nanos>)> {
        let untimed = |what| Some((what, None));
        let connection = &mut self.connections[slot.index()];
        let socket = connection.socket.as_ref()?;
        if connection.is_connecting {
            connection.is_connecting = false;
            return untimed(match sockopt::socket_error(socket) {
                Ok(Ok(())) => {
                    self.listen(slot, READABLE);
                    What::Connected
                }
                Ok(Err(error)) | Err(error) => What::Failed(NetError::Os(error)),
            });
        }
        if flags.contains(EventFlags::OUT) && self.is_sending(slot) {
            self.write(slot);
        }
        if !flags.intersects(READABLE | EventFlags::HUP | EventFlags::ERR) {
            return None;
        }
        let socket = self.connections[slot.index()].socket.as_ref()?;
        match receive(socket.as_fd(), &mut self.buffer, &mut self.stamps) {
            Ok((0, _)) => untimed(What::PeerClosed),
            Ok((count, stamp)) => {
                self.received = count;
                self.reads_at_once |= count >= LARGE_READ;
                Some((What::Received, stamp))
            }
            Err(Errno::AGAIN | Errno::INTR) => None,
            Err(error) => untimed(What::Failed(NetError::Os(error))),
        }
    }
}

impl Net for EpollNet {
    fn connect(&mut self, slot: Slot) {
        while self.connections.len() <= slot.index() {
            self.connections.push(Connection::default());
        }
        if let Err(error) = self.open(slot) {
            self.tell(slot, What::Failed(NetError::Os(error)));
        }
    }

    fn outgoing(&mut self, slot: Slot) -> &mut Vec<u8> {
        &mut self.connections[slot.index()].outgoing
    }

    fn send(&mut self, slot: Slot) {
        // Stamped before the call: what the kernel does inside it is no longer
        // ours. The first byte may leave before the call returns.
        self.tell(slot, What::Sent);
        self.write(slot);
    }

    fn is_sending(&self, slot: Slot) -> bool {
        !self.connections[slot.index()].outgoing.is_empty()
    }

    fn close(&mut self, slot: Slot) {
        let connection = &mut self.connections[slot.index()];
        // Closing the only descriptor takes it out of the epoll set as well.
        connection.socket = None;
        connection.generation = connection.generation.wrapping_add(1);
        connection.is_connecting = false;
        connection.outgoing.clear();
        connection.handed_over = 0;
        connection.is_full = false;
        self.happened.retain(|happened| happened.slot != slot);
    }

    fn wait(&mut self, until: Nanos, wake: Wake) -> bool {
        if !self.happened.is_empty() {
            return false;
        }
        if let Wake::Moment { awaits } = wake
            && self.spin == Nanos::ZERO
            && self.stamps.are_kept()
            && !self.reads_at_once
        {
            let now = self.clock.now();
            let longest = if awaits { now + LONGEST_DEFERRAL } else { Nanos::MAX };
            self.clock.sleep_until(until.min(longest).max(now + SHORTEST_SLEEP));
            self.poll(Nanos::ZERO);
            return true;
        }
        // The kernel wakes a thread late by tens of microseconds; spinning
        // over the last stretch trades a core for them.
        self.poll(until.saturating_sub(self.spin));
        while self.spin > Nanos::ZERO && self.events.is_empty() && self.clock.now() < until {
            self.poll(Nanos::ZERO);
        }
        true
    }

    fn next(&mut self) -> Option<Happened> {
        loop {
            if let Some(happened) = self.happened.pop_front() {
                return Some(happened);
            }
            let event = *self.events.get(self.told)?;
            self.told += 1;
            let (slot, generation) = slot_and_generation(event.data);
            if self.connections[slot.index()].generation != generation {
                continue;
            }
            if let Some((what, stamp)) = self.look(slot, event.flags) {
                let seen = self.clock.now();
                let at = stamp.map_or(seen, |stamp| stamp.min(seen));
                return Some(Happened { slot, at, seen, what });
            }
        }
    }

    fn received(&self) -> &[u8] {
        &self.buffer[..self.received]
    }

    fn backend(&self) -> &'static str {
        "epoll"
    }
}

fn event_data(slot: Slot, generation: u32) -> EventData {
    EventData::new_u64(u64::from(generation) << 32 | u64::from(slot.0))
}

fn slot_and_generation(data: EventData) -> (Slot, u32) {
    let data = data.u64();
    (Slot(data as u32), (data >> 32) as u32)
}
