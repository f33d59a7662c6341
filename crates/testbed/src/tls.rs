//! A server over TLS on real loopback sockets, with certificates made on the
//! spot: good ones, and each kind of bad one.

use engine::certificates;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, date_time_ymd};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

/// An authority of our own.
pub struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Default for Authority {
    fn default() -> Authority {
        Authority::new()
    }
}

impl Authority {
    /// A new one, which nobody knows.
    pub fn new() -> Authority {
        let mut params = CertificateParams::new(Vec::new()).expect("no names");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        Authority(CertifiedIssuer::self_signed(params, key).expect("signed"))
    }

    /// Its certificate, for who is to trust it.
    pub fn certificates(&self) -> Vec<CertificateDer<'static>> {
        vec![self.0.der().clone()]
    }

    /// The same in PEM.
    pub fn pem(&self) -> String {
        self.0.pem()
    }

    /// A certificate for this name with its key, in PEM; `expired` ran out long ago.
    pub fn signs(&self, name: &str, expired: bool) -> String {
        let mut params = CertificateParams::new(vec![name.to_owned()]).expect("a name");
        if expired {
            (params.not_before, params.not_after) = (date_time_ymd(2001, 1, 1), date_time_ymd(2002, 1, 1));
        }
        let key = KeyPair::generate().expect("a key");
        let certificate = params.signed_by(&key, &self.0).expect("signed").pem();
        format!("{certificate}{}", key.serialize_pem())
    }
}

/// What a server is like.
pub struct Served {
    /// The name that its certificate is for.
    pub name: &'static str,
    /// Whether that has run out.
    pub expired: bool,
    /// Whether callers must show a certificate of the authority.
    pub asks: bool,
    /// Whether it shows the authority's own certificate as its own.
    pub is_own_authority: bool,
    /// Bytes of each answer's body.
    pub body: usize,
}

/// One that is as it should be.
pub const PLAIN: Served =
    Served { name: "localhost", expired: false, asks: false, is_own_authority: false, body: 2 };

/// A server on threads of its own, and the authority behind its certificate.
pub fn serve(served: &Served) -> (SocketAddr, Authority) {
    let authority = if served.is_own_authority { self_signed(served.name) } else { Authority::new() };
    let pem = if served.is_own_authority {
        format!("{}{}", authority.pem(), authority.0.key().serialize_pem())
    } else {
        authority.signs(served.name, served.expired)
    };
    let chain = certificates(pem.as_bytes()).expect("a certificate");
    let key = PrivateKeyDer::from_pem_slice(pem.as_bytes()).expect("a key");
    #[expect(deprecated, reason = "the same as the engine's")]
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_protocol_versions(rustls::ALL_VERSIONS)
        .expect("versions");
    let builder = if served.asks {
        let mut roots = RootCertStore::empty();
        roots.add(authority.0.der().clone()).expect("an authority");
        let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build();
        builder.with_client_cert_verifier(verifier.expect("a verifier"))
    } else {
        builder.with_no_client_auth()
    };
    let mut config = builder.with_single_cert(chain, key).expect("a certificate");
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    (answer(Arc::new(config), served.body), authority)
}

/// An authority whose certificate is for a server's name, as development
/// certificates often are.
fn self_signed(name: &str) -> Authority {
    let mut params = CertificateParams::new(vec![name.to_owned()]).expect("a name");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().expect("a key");
    Authority(CertifiedIssuer::self_signed(params, key).expect("signed"))
}

fn answer(config: Arc<ServerConfig>, body: usize) -> SocketAddr {
    let mut reply = format!("HTTP/1.1 200 OK\r\nContent-Length: {body}\r\n\r\n").into_bytes();
    reply.resize(reply.len() + body, b'x');
    let reply = Arc::new(reply);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for socket in listener.incoming().flatten() {
            let session = ServerConnection::new(Arc::clone(&config)).expect("a session");
            let reply = Arc::clone(&reply);
            std::thread::spawn(move || {
                socket.set_nodelay(true).expect("a socket");
                let mut stream = StreamOwned::new(session, socket);
                // Each request is small: one read is one request.
                while let Ok(1..) = stream.read(&mut [0; 4_096]) {
                    if stream.write_all(&reply).is_err() {
                        return;
                    }
                }
            });
        }
    });
    address
}
