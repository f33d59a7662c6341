//! From what a plan or a command line wants of TLS to connections that have it.

use engine::{Tls, TlsOrder, TlsOrderError, Trust, Version, certificates};
use std::path::{Path, PathBuf};
use thiserror::Error;
use wire::url::{Host, Target};

/// What is wanted of TLS, with its files still to be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Certificates (PEM) of the authorities to trust, in place of the machine's.
    pub authorities: Option<PathBuf>,
    /// A certificate of our own with its chain and its key (PEM, one file).
    pub client: Option<PathBuf>,
    /// The name to ask for, in place of the URL's host.
    pub server_name: Option<String>,
    /// Which versions may be spoken.
    pub version: Version,
    /// Whether a new connection may go on from the session of an older one.
    pub resumes: bool,
    /// Whether anybody's certificate will do.
    pub is_insecure: bool,
}

impl Default for Wanted {
    fn default() -> Wanted {
        Wanted {
            authorities: None,
            client: None,
            server_name: None,
            version: Version::Any,
            resumes: true,
            is_insecure: false,
        }
    }
}

/// Why connections cannot be secured as wanted.
#[derive(Debug, Error)]
pub enum SecureError {
    /// A file that is named cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The kernel's reason.
        source: std::io::Error,
    },
    /// What is wanted makes no sense.
    #[error(transparent)]
    Order(#[from] TlsOrderError),
    /// Something is wanted of TLS, and the URL does not ask for it.
    #[error("TLS is set up for {0}, which is not asked over TLS: write https://")]
    NotSecured(String),
}

/// How `target` is spoken to over TLS; `None` where its URL does not ask for that.
pub fn secure(target: &Target, wanted: &Wanted) -> Result<Option<Tls>, SecureError> {
    if !target.is_secured() {
        let is_plain = *wanted == Wanted::default();
        return if is_plain { Ok(None) } else { Err(SecureError::NotSecured(target.to_string())) };
    }
    let trust = match &wanted.authorities {
        _ if wanted.is_insecure => Trust::Anybody,
        Some(path) => Trust::Authorities(certificates(&read(path)?)?),
        // What cannot be read of the machine's own is left out; if that is all, it shows.
        None => Trust::Authorities(rustls_native_certs::load_native_certs().certs),
    };
    let host = match target.host() {
        Host::V6(address) => address.to_string(),
        host => host.to_string(),
    };
    let order = TlsOrder {
        server_name: wanted.server_name.clone().unwrap_or(host),
        trust,
        client: wanted.client.as_deref().map(read).transpose()?,
        version: wanted.version,
        resumes: wanted.resumes,
    };
    Ok(Some(Tls::new(&order)?))
}

fn read(path: &Path) -> Result<Vec<u8>, SecureError> {
    std::fs::read(path).map_err(|source| SecureError::File { path: path.to_owned(), source })
}
