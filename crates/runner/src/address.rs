//! From a URL to an address that we may send load to.

use crate::control::{Control, ControlError};
use engine::Tls;
use std::net::{SocketAddr, ToSocketAddrs};
use std::time::Duration;
use thiserror::Error;
use wire::url::{Host, Target};

/// How long the question whether it speaks HTTP waits. A service that stands
/// still is no error: finding that out is what the run is for.
const PATIENCE: Duration = Duration::from_secs(2);

/// Where a run connects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// The address, looked up once.
    pub peer: SocketAddr,
    /// Other addresses of the same name, which are left alone.
    pub others: Vec<SocketAddr>,
    /// False if it took a request and gave no whole answer within 2 s.
    pub answered: bool,
}

/// Why no load can be sent to a target.
#[derive(Debug, Error)]
pub enum AddressError {
    /// Its name has no address.
    #[error("the name `{name}` does not resolve: {source}")]
    NoAddress {
        /// The name.
        name: String,
        /// The resolver's reason.
        source: std::io::Error,
    },
    /// It is not on this machine, and nobody said that it is ours.
    #[error("`{host}` is not this machine, and load goes only to services that are yours")]
    NotOwned {
        /// The host as it was written.
        host: String,
    },
    /// It cannot be reached, or speaks something else.
    #[error(transparent)]
    Unusable(ControlError),
}

/// Looks the target up once, holds that it is ours (this machine, or named in
/// `owned`), and asks it one question without side effects (`OPTIONS *`) to see
/// that it speaks HTTP. Of several addresses the first that connects is taken.
/// `connect_to` is connected to in the place of the host's addresses; requests
/// and TLS name the host all the same.
pub fn resolve(
    target: &Target,
    owned: &[String],
    connect_to: Option<SocketAddr>,
    tls: Option<&Tls>,
) -> Result<Address, AddressError> {
    let candidates = own_addresses(target, owned, connect_to)?;
    let mut last = None;
    for peer in candidates.iter().copied() {
        let control = Control::new(peer, &target.host_header()).with_patience(PATIENCE).over(tls);
        let answered = match control.ask("OPTIONS", "*", None) {
            Ok(_) => true,
            // A small server may close on a method it does not know, and one that
            // stands still says nothing. The run will tell.
            Err(ControlError::Silent { .. } | ControlError::Closed { .. } | ControlError::Broken { .. }) => {
                false
            }
            Err(error @ ControlError::Connect { .. }) => {
                last.get_or_insert(error);
                continue;
            }
            Err(error) => return Err(AddressError::Unusable(error)),
        };
        let others = candidates.iter().copied().filter(|other| *other != peer).collect();
        return Ok(Address { peer, others, answered });
    }
    let name = target.host().to_string();
    let nothing = || std::io::Error::other("no address");
    Err(last.map_or_else(|| AddressError::NoAddress { name, source: nothing() }, AddressError::Unusable))
}

/// The target's addresses, at least one, if they are ours. Sends nothing.
pub(crate) fn own_addresses(
    target: &Target,
    owned: &[String],
    connect_to: Option<SocketAddr>,
) -> Result<Vec<SocketAddr>, AddressError> {
    let candidates = connect_to.map_or_else(|| look_up(target), |address| Ok(vec![address]))?;
    let host = connect_to.map_or_else(|| target.host().to_string(), |address| address.ip().to_string());
    if candidates.is_empty() {
        let source = std::io::Error::other("no address");
        return Err(AddressError::NoAddress { name: host, source });
    }
    let is_ours = owned.iter().any(|own| own.eq_ignore_ascii_case(&host))
        || candidates.iter().all(|address| address.ip().to_canonical().is_loopback());
    if is_ours { Ok(candidates) } else { Err(AddressError::NotOwned { host }) }
}

fn look_up(target: &Target) -> Result<Vec<SocketAddr>, AddressError> {
    let port = target.port();
    match target.host() {
        Host::V4(address) => Ok(vec![SocketAddr::from((*address, port))]),
        Host::V6(address) => Ok(vec![SocketAddr::from((*address, port))]),
        Host::Name(name) => match (name.as_str(), port).to_socket_addrs() {
            Ok(addresses) => Ok(addresses.collect()),
            Err(source) => Err(AddressError::NoAddress { name: name.clone(), source }),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpListener;

    /// A port on which every connection reads once and is told `reply`.
    fn port_that_says(reply: &'static [u8]) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let _ = stream.read(&mut [0; 4_096]);
                let _ = stream.write_all(reply);
            }
        });
        port
    }

    fn resolve_text(url: &str, owned: &[&str]) -> Result<Address, AddressError> {
        let owned: Vec<String> = owned.iter().map(|own| (*own).to_owned()).collect();
        resolve(&url.parse().expect("a URL"), &owned, None, None)
    }

    #[test]
    fn a_service_on_this_machine_is_found_by_address_and_by_name() {
        let port = port_that_says(b"HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n");
        for host in ["127.0.0.1", "localhost"] {
            let found = resolve_text(&format!("http://{host}:{port}/"), &[]).expect("found");
            assert_eq!((found.peer, found.answered), (SocketAddr::from(([127, 0, 0, 1], port)), true));
        }
    }

    #[test]
    fn a_host_that_is_not_ours_is_refused_before_anything_is_sent() {
        let error = resolve_text("http://192.0.2.1/", &["example.test"]).expect_err("refused");
        assert!(matches!(&error, AddressError::NotOwned { host } if host == "192.0.2.1"), "{error}");
    }

    #[test]
    fn a_name_without_address_a_closed_port_and_a_port_without_http_are_told_apart() {
        let error = resolve_text("http://no-such-host.invalid/", &[]).expect_err("no such host");
        assert!(error.to_string().starts_with("the name `no-such-host.invalid` does not resolve"), "{error}");
        let free = TcpListener::bind("127.0.0.1:0")
            .and_then(|listener| listener.local_addr())
            .expect("a port")
            .port();
        let error = resolve_text(&format!("http://127.0.0.1:{free}/"), &[]).expect_err("closed");
        assert!(error.to_string().starts_with(&format!("cannot connect to 127.0.0.1:{free}")), "{error}");
        let port = port_that_says(b"220 mail ready\r\n\r\n");
        let error = resolve_text(&format!("http://127.0.0.1:{port}/"), &[]).expect_err("mail");
        assert!(error.to_string().contains("not in HTTP/1.1"), "{error}");
    }

    #[test]
    fn a_service_that_closes_on_a_method_it_does_not_know_is_no_error() {
        let port = port_that_says(b"");
        let found = resolve_text(&format!("http://127.0.0.1:{port}/"), &[]).expect("found");
        assert!(!found.answered);
    }

    #[test]
    fn a_service_that_stands_still_is_no_error() {
        // Bound and never accepted: the kernel completes the connection, nobody reads.
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let found = resolve_text(&format!("http://127.0.0.1:{port}/"), &[]).expect("found");
        assert!(!found.answered);
    }
}
