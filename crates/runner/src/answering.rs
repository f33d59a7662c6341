//! A peer that answers any request with the same tiny answer, on a thread of its
//! own: cheap enough that the tester is what is measured.

use model::Nanos;
use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::thread::{CpuSet, sched_setaffinity};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::JoinHandle;

const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
/// How often the end is looked for while nobody asks.
const LOOK_EVERY: Nanos = Nanos::from_millis(50);
/// The listener's place among the connections.
const LISTENER: u64 = u64::MAX;

/// A peer that answers until it is let go.
pub struct Answering {
    address: SocketAddr,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Answering {
    /// Starts one on a free port of this machine, on the given core if one is given.
    pub fn start(core: Option<usize>) -> io::Result<Answering> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        epoll::add(&epoll, &listener, EventData::new_u64(LISTENER), EventFlags::IN)?;
        let over = Arc::new(AtomicBool::new(false));
        let peer = Peer { listener, epoll, connections: Vec::new(), over: Arc::clone(&over) };
        let thread = std::thread::Builder::new().name("answer".to_owned()).spawn(move || {
            if let Some(core) = core {
                let mut set = CpuSet::new();
                set.set(core);
                // A core that is not ours leaves the thread where it is.
                let _ = sched_setaffinity(None, &set);
            }
            peer.answer();
        })?;
        Ok(Answering { address, over, thread: Some(thread) })
    }

    /// Where it answers.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.over.store(true, Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct Peer {
    listener: TcpListener,
    epoll: rustix::fd::OwnedFd,
    connections: Vec<Option<TcpStream>>,
    over: Arc<AtomicBool>,
}

impl Peer {
    fn answer(mut self) {
        let wait = Timespec { tv_sec: 0, tv_nsec: LOOK_EVERY.0 as i64 };
        let mut events = Vec::with_capacity(256);
        while !self.over.load(Relaxed) {
            events.clear();
            if epoll::wait(&self.epoll, rustix::buffer::spare_capacity(&mut events), Some(&wait)).is_err() {
                continue;
            }
            for event in &events {
                match event.data.u64() {
                    LISTENER => self.accept(),
                    at => self.serve(at as usize),
                }
            }
        }
    }

    fn accept(&mut self) {
        while let Ok((stream, _)) = self.listener.accept() {
            let at = self.connections.iter().position(Option::is_none).unwrap_or_else(|| {
                self.connections.push(None);
                self.connections.len() - 1
            });
            let is_ready = stream.set_nonblocking(true).and_then(|()| stream.set_nodelay(true)).is_ok()
                && epoll::add(&self.epoll, &stream, EventData::new_u64(at as u64), EventFlags::IN).is_ok();
            self.connections[at] = Some(stream).filter(|_| is_ready);
        }
    }

    /// One read is one request: a tester has one out on each connection.
    fn serve(&mut self, at: usize) {
        let Some(stream) = &mut self.connections[at] else { return };
        let mut buffer = [0; 4_096];
        let goes_on = match stream.read(&mut buffer) {
            Ok(0) => false,
            Ok(_) => stream.write_all(ANSWER).is_ok(),
            Err(error) => matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted),
        };
        if !goes_on {
            self.connections[at] = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Control;

    #[test]
    fn it_answers_until_it_is_let_go() {
        let peer = Answering::start(None).expect("a peer");
        let address = peer.address();
        let control = Control::new(address, "test");
        for _ in 0..3 {
            let answer = control.ask("GET", "/", None).expect("an answer");
            assert_eq!((answer.status, &answer.body[..]), (200, &b"ok"[..]));
        }
        drop(peer);
        assert!(TcpStream::connect(address).is_err());
    }
}
