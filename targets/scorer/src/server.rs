//! Starting, serving and stopping: one thread from the first listen to the last
//! answer.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::serve::ListenerExt;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::net::{TcpListener, TcpSocket};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;

use crate::error::ScorerError;
use crate::http::{Service, router};
use crate::options::Options;
use crate::scoring::Scoring;

/// Connections that may wait to be accepted: during a stall nothing accepts,
/// and a tester in an open loop goes on opening. Linux caps it at
/// `net.core.somaxconn`, 4096 since Linux 5.4.
const BACKLOG: u32 = 4_096;

/// How long open connections get to finish after a signal. Requests take
/// milliseconds; a connection that never sent one would hold the service open.
const GRACE: Duration = Duration::from_millis(500);

/// Runs the service on this thread until SIGTERM or SIGINT. `announce` is called
/// with the address once requests are answered there.
pub fn run(options: Options, announce: impl FnOnce(SocketAddr)) -> Result<(), ScorerError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|source| ScorerError::EventLoop { source })?;
    runtime.block_on(serve(&options, announce))
}

async fn serve(options: &Options, announce: impl FnOnce(SocketAddr)) -> Result<(), ScorerError> {
    let cannot_listen = |source| listen_error(options.address, source);
    // Bound before the training, so that a taken port is told at once; listening
    // after it, so that nobody connects to a service that cannot answer yet.
    let socket = bind(options.address).map_err(cannot_listen)?;
    let scoring = Scoring::new(options.seed, options.customers)?;
    raise_descriptor_limit();
    let mut signals = Signals::new().map_err(|source| ScorerError::EventLoop { source })?;
    let listener = socket.listen(BACKLOG).map_err(cannot_listen)?;
    let address = listener.local_addr().map_err(cannot_listen)?;

    let service = Arc::new(Service::new(scoring, options.service_time));
    let (stop, stopped) = oneshot::channel();
    let mut serving = Box::pin(serve_until(listener, router(Arc::clone(&service)), stopped));
    announce(address);
    tokio::select! {
        ended = &mut serving => return ended.map_err(|source| ScorerError::Serve { source }),
        () = signals.stop() => {}
    }
    service.stalls.disarm();
    drop(stop);
    match tokio::time::timeout(GRACE, serving).await {
        Ok(ended) => ended.map_err(|source| ScorerError::Serve { source }),
        // What is still open now has nothing in work: it is cut.
        Err(_elapsed) => Ok(()),
    }
}

async fn serve_until(
    listener: TcpListener,
    router: Router,
    stopped: oneshot::Receiver<()>,
) -> io::Result<()> {
    // Without TCP_NODELAY an answer may wait for the acknowledgement of the one
    // before. A connection that refuses the option is already gone, and reading
    // from it will say so.
    let listener = listener.tap_io(|connection| {
        let _ = connection.set_nodelay(true);
    });
    // The sender never sends: it is dropped, and that is the signal.
    let stopped = async {
        let _ = stopped.await;
    };
    axum::serve(listener, router).with_graceful_shutdown(stopped).await
}

fn bind(address: SocketAddr) -> io::Result<TcpSocket> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // A fresh service takes the port that the last one has just left, while old
    // connections are still in TIME_WAIT.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    Ok(socket)
}

fn listen_error(address: SocketAddr, source: io::Error) -> ScorerError {
    match source.kind() {
        io::ErrorKind::AddrInUse => ScorerError::AddressInUse { address },
        _ => ScorerError::Listen { address, source },
    }
}

/// Lets as many connections in as the system allows. At the limit the accept
/// loop pauses for a second, which would be a stall that nobody planned. Where
/// raising is refused, the lower limit stays and still serves most plans.
fn raise_descriptor_limit() {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
}

/// The two signals that stop the service.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn new() -> io::Result<Signals> {
        Ok(Signals {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    async fn stop(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}
