//! Is the service there, and is it ready?

use crate::control::Control;
use engine::Tls;
use model::Nanos;
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// How long one look at the port, or one question to it, may take.
const KNOCK_PATIENCE: Duration = Duration::from_millis(500);

/// When a service counts as ready.
#[derive(Clone, Copy)]
pub(crate) struct Ready<'a> {
    /// The addresses of its name; it may listen at any of them.
    pub(crate) peers: &'a [SocketAddr],
    /// The host, as requests name it.
    pub(crate) host: &'a str,
    /// A path that answers 200; without one, taking a connection is enough.
    pub(crate) path: Option<&'a str>,
    /// How long it may take.
    pub(crate) within: Nanos,
    /// How it is spoken to over TLS, if it is.
    pub(crate) tls: Option<&'a Tls>,
}

impl Ready<'_> {
    /// Where it is ready; what was seen instead, if it is not.
    pub(crate) fn look(&self) -> Result<SocketAddr, String> {
        let Some(peer) = taken(self.peers) else {
            return Err(format!("nothing listens at {}", self.listed()));
        };
        let Some(path) = self.path else { return Ok(peer) };
        match Control::new(peer, self.host)
            .with_patience(KNOCK_PATIENCE)
            .over(self.tls)
            .ask("GET", path, None)
        {
            Ok(response) if response.status == 200 => Ok(peer),
            Ok(response) => Err(format!("{path} answers {}", response.status)),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Its addresses, for a person.
    pub(crate) fn listed(&self) -> String {
        self.peers.iter().map(SocketAddr::to_string).collect::<Vec<_>>().join(" or ")
    }
}

/// The first of these addresses at which something listens.
pub(crate) fn taken(peers: &[SocketAddr]) -> Option<SocketAddr> {
    peers.iter().copied().find(|peer| is_taken(*peer))
}

/// One whose queue is full takes no connection and refuses none either.
fn is_taken(peer: SocketAddr) -> bool {
    match TcpStream::connect_timeout(&peer, KNOCK_PATIENCE) {
        Ok(_) => true,
        Err(error) => error.kind() == std::io::ErrorKind::TimedOut,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn a_service_is_found_at_whichever_address_of_its_name_it_listens() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let here = listener.local_addr().expect("an address");
        // Nobody else can hold this address with that port.
        let nowhere = SocketAddr::from(([127, 0, 0, 77], here.port()));
        let peers = [nowhere, here];
        let ready = Ready { peers: &peers, host: "test", path: None, within: Nanos::ZERO, tls: None };
        assert_eq!(ready.look(), Ok(here));
        drop(listener);
        assert_eq!(ready.look(), Err(format!("nothing listens at {nowhere} or {here}")));
    }
}
