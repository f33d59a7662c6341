//! Between the service and its database or cache: lets bytes through, holds
//! them, or cuts the line, as a failing server or network would.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

/// What happens to connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    Open,
    /// Connections stand, and nothing comes through.
    Held,
    /// Connections break, and new ones too.
    Cut,
}

/// A line to a server.
pub struct Proxy {
    pub address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    server: String,
    line: Mutex<Line>,
    changed: Condvar,
    open: Mutex<Vec<TcpStream>>,
}

impl Proxy {
    /// A line to `server`, which is `HOST:PORT`.
    pub fn to(server: &str) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("its address");
        let shared = Arc::new(Shared {
            server: server.to_owned(),
            line: Mutex::new(Line::Open),
            changed: Condvar::new(),
            open: Mutex::default(),
        });
        let accepting = Arc::clone(&shared);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                accepting.connect(client);
            }
        });
        Proxy { address, shared }
    }

    pub fn set(&self, line: Line) {
        *self.shared.line.lock().expect("a lock") = line;
        self.shared.changed.notify_all();
        if line == Line::Cut {
            for stream in self.shared.open.lock().expect("a lock").drain(..) {
                let _ = stream.shutdown(Shutdown::Both);
            }
        }
    }
}

impl Shared {
    fn connect(self: &Arc<Self>, client: TcpStream) {
        // A client that connects to a cut line sees it close at once.
        if *self.line.lock().expect("a lock") == Line::Cut {
            return;
        }
        let Ok(server) = TcpStream::connect(&self.server) else { return };
        let copies = [&client, &server].map(|stream| stream.try_clone().expect("a descriptor"));
        self.open.lock().expect("a lock").extend(copies);
        let twins = (client.try_clone().expect("a descriptor"), server.try_clone().expect("a descriptor"));
        let (there, back) = (Arc::clone(self), Arc::clone(self));
        thread::spawn(move || there.copy(client, server));
        thread::spawn(move || back.copy(twins.1, twins.0));
    }

    fn copy(&self, mut from: TcpStream, mut to: TcpStream) {
        let mut part = [0; 16_384];
        while let Ok(length @ 1..) = from.read(&mut part) {
            let line = self.line.lock().expect("a lock");
            let line = self.changed.wait_while(line, |line| *line == Line::Held).expect("a lock");
            if *line == Line::Cut || to.write_all(&part[..length]).is_err() {
                break;
            }
        }
        let _ = from.shutdown(Shutdown::Both);
        let _ = to.shutdown(Shutdown::Both);
    }
}
