//! How connections are secured: whom to trust, what to show, which versions.
//!
//! Bytes in, a configuration out: files are read elsewhere.

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{Resumption, WebPkiServerVerifier, verify_server_name};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{
    CertificateError, ClientConfig, ClientConnection, DigitallySignedStruct, Error, RootCertStore,
    SignatureScheme, StreamOwned, SupportedProtocolVersion,
};
use std::fmt;
use std::net::TcpStream;
use std::sync::Arc;
use thiserror::Error;

/// Whom to trust.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trust {
    /// These certificate authorities.
    Authorities(Vec<CertificateDer<'static>>),
    /// Anybody. The answers may be those of another than was asked.
    Anybody,
}

/// One version alone, or whichever both sides know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// 1.2 or 1.3.
    Any,
    /// 1.2 alone.
    V12,
    /// 1.3 alone.
    V13,
}

/// What is wanted of TLS.
#[derive(Clone, Debug)]
pub struct TlsOrder {
    /// The name that the certificate must be for, sent as SNI.
    pub server_name: String,
    /// Whom to trust.
    pub trust: Trust,
    /// A certificate of our own with its chain, and its key, in PEM.
    pub client: Option<Vec<u8>>,
    /// Which versions may be spoken.
    pub version: Version,
    /// Whether a new connection may go on from the session of an older one.
    pub resumes: bool,
}

/// Why TLS cannot be spoken as wanted.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum TlsOrderError {
    /// Neither a name nor an address.
    #[error("`{0}` is no name that a certificate can be for")]
    Name(String),
    /// No authority could be used.
    #[error("no certificate authority is known here")]
    NoAuthority,
    /// A certificate of an authority that cannot be used.
    #[error("a certificate of the authorities cannot be used: {0}")]
    Authority(String),
    /// A client certificate that cannot be used.
    #[error("the client certificate cannot be used: {0}")]
    Client(String),
}

/// A blocking connection.
pub type SecureStream = StreamOwned<ClientConnection, TcpStream>;

/// How the connections of a run are secured; cheap to clone.
#[derive(Clone)]
pub struct Tls {
    config: Arc<ClientConfig>,
    name: ServerName<'static>,
    verifies: bool,
}

impl fmt::Debug for Tls {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Tls").field("name", &self.name).field("verifies", &self.verifies).finish()
    }
}

impl Tls {
    /// Made once for a run; its connections share their sessions.
    pub fn new(order: &TlsOrder) -> Result<Tls, TlsOrderError> {
        let name = ServerName::try_from(order.server_name.clone())
            .map_err(|_| TlsOrderError::Name(order.server_name.clone()))?;
        #[expect(
            deprecated,
            reason = "it lacks post-quantum key exchange, and aws-lc-rs takes twice as long to build"
        )]
        let provider = Arc::new(ring::default_provider());
        let versions: &[&SupportedProtocolVersion] = match order.version {
            Version::Any => rustls::ALL_VERSIONS,
            Version::V12 => &[&rustls::version::TLS12],
            Version::V13 => &[&rustls::version::TLS13],
        };
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_protocol_versions(versions)
            .expect("the provider knows both versions");
        let builder = match &order.trust {
            Trust::Authorities(all) => builder
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(KnownOnes::new(all, &provider)?)),
            Trust::Anybody => {
                builder.dangerous().with_custom_certificate_verifier(Arc::new(AnybodyWillDo(provider)))
            }
        };
        let mut config = match &order.client {
            None => builder.with_no_client_auth(),
            Some(pem) => {
                let (chain, key) = own_certificate(pem)?;
                builder
                    .with_client_auth_cert(chain, key)
                    .map_err(|error| TlsOrderError::Client(error.to_string()))?
            }
        };
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        if !order.resumes {
            config.resumption = Resumption::disabled();
        }
        Ok(Tls { config: Arc::new(config), name, verifies: order.trust != Trust::Anybody })
    }

    /// Whether the peer must show who it is.
    pub fn verifies(&self) -> bool {
        self.verifies
    }

    /// The same for single questions beside a run: they leave no session that a
    /// run could go on from.
    #[must_use]
    pub fn for_questions(&self) -> Tls {
        let mut config = ClientConfig::clone(&self.config);
        config.resumption = Resumption::disabled();
        Tls { config: Arc::new(config), ..self.clone() }
    }

    /// A blocking connection over `socket`, for single questions. Its handshake
    /// comes with the first bytes.
    pub fn stream(&self, socket: TcpStream) -> SecureStream {
        StreamOwned::new(self.session(), socket)
    }

    /// A connection that has not begun.
    pub fn session(&self) -> ClientConnection {
        ClientConnection::new(Arc::clone(&self.config), self.name.clone())
            .expect("the configuration fits TLS over TCP")
    }
}

fn roots(all: &[CertificateDer<'static>]) -> Result<RootCertStore, TlsOrderError> {
    let mut roots = RootCertStore::empty();
    let mut refused = None;
    for certificate in all {
        if let Err(error) = roots.add(certificate.clone()) {
            refused.get_or_insert(error.to_string());
        }
    }
    match (roots.is_empty(), refused) {
        (true, Some(why)) => Err(TlsOrderError::Authority(why)),
        (true, None) => Err(TlsOrderError::NoAuthority),
        (false, _) => Ok(roots),
    }
}

/// The certificates of a PEM text, such as those of an authority of one's own.
pub fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, TlsOrderError> {
    let all: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    match all {
        Ok(all) if all.is_empty() => Err(TlsOrderError::NoAuthority),
        Ok(all) => Ok(all),
        Err(error) => Err(TlsOrderError::Authority(error.to_string())),
    }
}

fn own_certificate(
    pem: &[u8],
) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>), TlsOrderError> {
    let failed = |why: &dyn fmt::Display| TlsOrderError::Client(why.to_string());
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let chain = chain.map_err(|error| failed(&error))?;
    if chain.is_empty() {
        return Err(failed(&"there is no certificate in the file"));
    }
    let key = PrivateKeyDer::from_pem_slice(pem).map_err(|error| failed(&error))?;
    Ok((chain, key))
}

/// Takes what an authority vouches for, and also a certificate that was named as
/// an authority's and is shown by the server itself, as self-signed ones of
/// development are: name and validity are checked all the same.
#[derive(Debug)]
struct KnownOnes {
    verifier: Arc<WebPkiServerVerifier>,
    named: Vec<CertificateDer<'static>>,
}

impl KnownOnes {
    fn new(
        all: &[CertificateDer<'static>],
        provider: &Arc<CryptoProvider>,
    ) -> Result<KnownOnes, TlsOrderError> {
        let verifier =
            WebPkiServerVerifier::builder_with_provider(Arc::new(roots(all)?), Arc::clone(provider))
                .build()
                .map_err(|error| TlsOrderError::Authority(error.to_string()))?;
        Ok(KnownOnes { verifier, named: all.to_vec() })
    }
}

impl ServerCertVerifier for KnownOnes {
    fn verify_server_cert(
        &self,
        shown: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        match self.verifier.verify_server_cert(shown, between, name, ocsp, now) {
            // This is found after the dates were, and before the name is looked at.
            Err(Error::InvalidCertificate(CertificateError::Other(why)))
                if format!("{why:?}").contains("CaUsedAsEndEntity")
                    && self.named.iter().any(|named| named.as_ref() == shown.as_ref()) =>
            {
                verify_server_name(&ParsedCertificate::try_from(shown)?, name)?;
                Ok(ServerCertVerified::assertion())
            }
            verdict => verdict,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.verifier.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.verifier.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.verifier.supported_verify_schemes()
    }
}

/// Takes whatever certificate is shown; signatures must still be made by it.
#[derive(Debug)]
struct AnybodyWillDo(Arc<CryptoProvider>);

impl ServerCertVerifier for AnybodyWillDo {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

/// Why TLS with the peer did not come about, or broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TlsProblem {
    /// Its certificate has expired.
    Expired,
    /// Its certificate is not valid yet.
    NotYetValid,
    /// Its certificate is for another name.
    WrongName,
    /// Nobody whom we trust vouches for its certificate: it is self-signed, or
    /// of an authority that is not known here.
    UnknownAuthority,
    /// Its certificate is bad in another way.
    BadCertificate,
    /// It refused, with this alert.
    Alert(rustls::AlertDescription),
    /// The two have no version or cipher in common.
    NothingInCommon,
    /// It does not speak HTTP/1.1 over TLS.
    NoProtocol,
    /// What it says is not TLS.
    NotTls,
    /// It closed the connection during the handshake.
    Closed,
    /// Something else.
    Other,
}

impl TlsProblem {
    /// What a blocking connection says, if TLS is what broke it.
    pub fn of_io(error: &std::io::Error) -> Option<TlsProblem> {
        error.get_ref()?.downcast_ref::<Error>().map(TlsProblem::of)
    }

    /// What an error of the library says.
    pub fn of(error: &Error) -> TlsProblem {
        use CertificateError as Certificate;
        match error {
            Error::InvalidCertificate(why) => match why {
                Certificate::Expired | Certificate::ExpiredContext { .. } => TlsProblem::Expired,
                Certificate::NotValidYet | Certificate::NotValidYetContext { .. } => TlsProblem::NotYetValid,
                Certificate::NotValidForName | Certificate::NotValidForNameContext { .. } => {
                    TlsProblem::WrongName
                }
                // An authority of the same name with another key is another one.
                Certificate::UnknownIssuer | Certificate::BadSignature => TlsProblem::UnknownAuthority,
                // A self-signed certificate that is no authority's is refused so.
                Certificate::Other(_) => TlsProblem::UnknownAuthority,
                _ => TlsProblem::BadCertificate,
            },
            Error::AlertReceived(alert) => TlsProblem::Alert(*alert),
            Error::PeerIncompatible(_) => TlsProblem::NothingInCommon,
            Error::NoApplicationProtocol => TlsProblem::NoProtocol,
            Error::InvalidMessage(_) => TlsProblem::NotTls,
            _ => TlsProblem::Other,
        }
    }
}

impl fmt::Display for TlsProblem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            TlsProblem::Expired => "the peer's certificate has expired",
            TlsProblem::NotYetValid => "the peer's certificate is not valid yet",
            TlsProblem::WrongName => "the peer's certificate is for another name",
            TlsProblem::UnknownAuthority => {
                "the peer's certificate is self-signed, or of an authority that is not known here"
            }
            TlsProblem::BadCertificate => "the peer's certificate is bad",
            TlsProblem::Alert(alert) => return write!(out, "the peer refused, with the alert {alert:?}"),
            TlsProblem::NothingInCommon => "the peer and we have no version or cipher in common",
            TlsProblem::NoProtocol => "the peer does not speak HTTP/1.1 over TLS",
            TlsProblem::NotTls => "what the peer says is not TLS",
            TlsProblem::Closed => "the peer closed the connection during the handshake",
            TlsProblem::Other => "the handshake failed",
        })
    }
}

/// What a connection agreed on: `TLS 1.3, AES_256_GCM_SHA384, X25519`.
pub fn agreed(session: &ClientConnection) -> String {
    let version = match session.protocol_version() {
        Some(rustls::ProtocolVersion::TLSv1_2) => "TLS 1.2".to_owned(),
        Some(rustls::ProtocolVersion::TLSv1_3) => "TLS 1.3".to_owned(),
        other => format!("{other:?}"),
    };
    let cipher = session.negotiated_cipher_suite().map_or_else(String::new, |suite| {
        let name = format!("{:?}", suite.suite());
        let short = name.trim_start_matches("TLS13_").trim_start_matches("TLS_");
        format!(", {short}")
    });
    let group = session
        .negotiated_key_exchange_group()
        .map_or_else(String::new, |group| format!(", {:?}", group.name()));
    format!("{version}{cipher}{group}")
}
