//! Listening, serving and stopping one HTTP service.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::serve::ListenerExt;
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::error::Why;
use crate::worker::stopped;

/// Connections that may wait to be accepted. Linux caps it at
/// `net.core.somaxconn`, 4096 since Linux 5.4.
const BACKLOG: u32 = 4_096;

/// How long open connections get to finish after the stop: longer than the
/// database is waited for by default, so that what was asked is answered.
const GRACE: Duration = Duration::from_secs(3);

/// Listens; port 0 takes a free one.
pub(crate) fn listen(address: SocketAddr) -> Result<TcpListener, Why> {
    bind(address).and_then(|socket| socket.listen(BACKLOG)).map_err(|source| match source.kind() {
        io::ErrorKind::AddrInUse => Why::AddressInUse { address },
        _ => Why::Listen { address, source },
    })
}

fn bind(address: SocketAddr) -> io::Result<TcpSocket> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // A fresh service takes the port that the last one has just left, while old
    // connections are still in TIME_WAIT.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    Ok(socket)
}

/// The address really listened on.
pub(crate) fn address_of(listener: &TcpListener) -> Result<SocketAddr, Why> {
    listener.local_addr().map_err(|source| Why::Serve { source })
}

/// Serves until the stop, and a little longer for who is being answered.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    stop: watch::Receiver<bool>,
) -> Result<(), Why> {
    // Without TCP_NODELAY an answer may wait for the acknowledgement of the one
    // before. A connection that refuses the option is already gone, and reading
    // from it will say so.
    let listener = listener.tap_io(|connection| {
        let _ = connection.set_nodelay(true);
    });
    let mut told = stop.clone();
    let serving = axum::serve(listener, router)
        .with_graceful_shutdown(async move { stopped(&mut told).await })
        .into_future();
    tokio::pin!(serving);
    let mut stop = stop;
    tokio::select! {
        ended = &mut serving => return ended.map_err(|source| Why::Serve { source }),
        () = stopped(&mut stop) => {}
    }
    match timeout(GRACE, serving).await {
        Ok(ended) => ended.map_err(|source| Why::Serve { source }),
        // What is still open now has nothing in work: it is cut.
        Err(_elapsed) => Ok(()),
    }
}
