//! Single requests beside the load: is it there, does it speak HTTP, arm its
//! stalls. Blocking, one connection each, never while a request is timed on
//! the same thread.

use engine::{Clock as _, MonotonicClock, SecureStream, Tls, TlsProblem};
use model::Nanos;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;
use thiserror::Error;
use wire::h1::{Answer, Asked, Ended, ProtocolError, Received, RequestError, RequestParts};

/// How long connecting, sending and the whole answer may take, each.
const PATIENCE: Duration = Duration::from_secs(5);

/// Asks one service single questions.
#[derive(Clone, Debug)]
pub struct Control {
    peer: SocketAddr,
    host: String,
    patience: Duration,
    tls: Option<Tls>,
}

/// A connection for questions, in the clear or secured.
#[derive(Debug)]
pub(crate) enum Line {
    Plain(TcpStream),
    Secure(Box<SecureStream>),
}

impl Line {
    fn socket(&self) -> &TcpStream {
        match self {
            Line::Plain(stream) => stream,
            Line::Secure(stream) => &stream.sock,
        }
    }

    /// How long reading waits.
    pub(crate) fn set_read_timeout(&self, patience: Duration) -> std::io::Result<()> {
        self.socket().set_read_timeout(Some(patience))
    }
}

impl Read for Line {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = match self {
            Line::Plain(stream) => return stream.read(buffer),
            Line::Secure(stream) => stream.read(buffer),
        };
        // A peer that closes without TLS's own farewell has closed; HTTP says
        // itself whether an answer was whole.
        match read {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(0),
            other => other,
        }
    }
}

impl Write for Line {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Line::Plain(stream) => stream.write(bytes),
            Line::Secure(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Line::Plain(stream) => stream.flush(),
            Line::Secure(stream) => stream.flush(),
        }
    }
}

/// What came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// Its status.
    pub status: u16,
    /// Its body.
    pub body: Vec<u8>,
    /// Whether its connection may carry another question.
    pub(crate) is_reusable: bool,
}

/// Why a question got no answer.
#[derive(Debug, Error)]
pub enum ControlError {
    /// No connection could be made.
    #[error("cannot connect to {peer}: {source}")]
    Connect {
        /// The address.
        peer: SocketAddr,
        /// The kernel's reason.
        source: std::io::Error,
    },
    /// The connection broke.
    #[error("connection to {peer} broke: {source}")]
    Broken {
        /// The address.
        peer: SocketAddr,
        /// The kernel's reason.
        source: std::io::Error,
    },
    /// It cannot be spoken to over TLS as wanted.
    #[error("{peer} cannot be spoken to over TLS: {problem}")]
    Tls {
        /// The address.
        peer: SocketAddr,
        /// What is wrong.
        problem: TlsProblem,
    },
    /// It took the request and gave no whole answer for a while.
    #[error("{peer} took the request and gave no whole answer within {} s", patience.as_secs_f64())]
    Silent {
        /// The address.
        peer: SocketAddr,
        /// How long was waited.
        patience: Duration,
    },
    /// What came back is not HTTP.
    #[error("{peer} answers, but not in HTTP/1.1: {source}")]
    NotHttp {
        /// The address.
        peer: SocketAddr,
        /// What is wrong with it.
        source: ProtocolError,
    },
    /// It closed the connection before the whole answer.
    #[error("{peer} closed the connection before the whole answer")]
    Closed {
        /// The address.
        peer: SocketAddr,
    },
    /// The question itself cannot be put into a request.
    #[error("not a request: {0}")]
    Request(#[from] RequestError),
}

impl Control {
    /// Asks `peer`, naming `host` in the Host header.
    pub fn new(peer: SocketAddr, host: &str) -> Control {
        Control { peer, host: host.to_owned(), patience: PATIENCE, tls: None }
    }

    /// The same with another patience.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Control {
        Control { patience, ..self }
    }

    /// The same over TLS, if there is any.
    #[must_use]
    pub fn over(self, tls: Option<&Tls>) -> Control {
        Control { tls: tls.map(Tls::for_questions), ..self }
    }

    /// One request and its whole answer.
    pub fn ask(&self, method: &str, path: &str, body: Option<&[u8]>) -> Result<Response, ControlError> {
        let request = self.request(method, path, body, true)?;
        let mut stream = self.connect()?;
        self.exchange(&mut stream, &request)
    }

    /// A GET over a connection that is kept for the next one. One that the
    /// service has closed in the meantime is made anew.
    pub(crate) fn get_over(&self, kept: &mut Option<Line>, path: &str) -> Result<Response, ControlError> {
        let request = self.request("GET", path, None, false)?;
        let old = kept.take().map(|mut stream| (self.exchange(&mut stream, &request), stream));
        let (answer, stream) = match old {
            Some((Ok(answer), stream)) => (answer, stream),
            Some((Err(silent @ ControlError::Silent { .. }), _)) => return Err(silent),
            Some((Err(_), _)) | None => {
                let mut stream = self.connect()?;
                (self.exchange(&mut stream, &request)?, stream)
            }
        };
        *kept = Some(stream).filter(|_| answer.is_reusable);
        Ok(answer)
    }

    /// A request to this service; `close` asks for a connection of its own.
    pub(crate) fn request(
        &self,
        method: &str,
        path: &str,
        body: Option<&[u8]>,
        close: bool,
    ) -> Result<wire::h1::Request, ControlError> {
        let json = ("Content-Type".to_owned(), "application/json".to_owned());
        let headers: Vec<(String, String)> = body.map(|_| json).into_iter().collect();
        Ok(RequestParts { method, path, host: &self.host, headers: &headers, body, close }.build()?)
    }

    pub(crate) fn connect(&self) -> Result<Line, ControlError> {
        let peer = self.peer;
        let stream = TcpStream::connect_timeout(&peer, self.patience)
            .map_err(|source| ControlError::Connect { peer, source })?;
        // Each part of a handshake is waited for as long as an answer is.
        stream
            .set_read_timeout(Some(self.patience))
            .map_err(|source| ControlError::Broken { peer, source })?;
        Ok(match &self.tls {
            None => Line::Plain(stream),
            Some(tls) => Line::Secure(Box::new(tls.stream(stream))),
        })
    }

    /// What a broken connection says.
    fn broken(&self, source: std::io::Error) -> ControlError {
        let peer = self.peer;
        match TlsProblem::of_io(&source) {
            Some(problem) => ControlError::Tls { peer, problem },
            None if matches!(source.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                ControlError::Silent { peer, patience: self.patience }
            }
            None => ControlError::Broken { peer, source },
        }
    }

    fn exchange(&self, stream: &mut Line, request: &wire::h1::Request) -> Result<Response, ControlError> {
        let broken = |source| self.broken(source);
        stream.socket().set_write_timeout(Some(self.patience)).map_err(broken)?;
        stream.write_all(request.bytes()).and_then(|()| stream.flush()).map_err(broken)?;
        self.read(stream, request.asked())
    }

    fn read(&self, stream: &mut Line, asked: Asked) -> Result<Response, ControlError> {
        let peer = self.peer;
        let mut answer = Answer::default();
        answer.begin(asked);
        let mut body = Vec::new();
        let mut buffer = [0; 16 * 1024];
        let clock = MonotonicClock::starting_in(Nanos::ZERO);
        loop {
            let left = self.patience.saturating_sub(Duration::from_nanos(clock.now().0));
            if left.is_zero() {
                return Err(ControlError::Silent { peer, patience: self.patience });
            }
            stream.set_read_timeout(left).map_err(|source| self.broken(source))?;
            let count = match stream.read(&mut buffer) {
                Ok(count) => count,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(source) => return Err(self.broken(source)),
            };
            let not_http = |source| ControlError::NotHttp { peer, source };
            if count == 0 {
                return match answer.end().map_err(not_http)? {
                    Ended::Complete { status } => Ok(Response { status, body, is_reusable: false }),
                    _ => Err(ControlError::Closed { peer }),
                };
            }
            let received = answer.receive(&buffer[..count], &mut |part: &[u8]| body.extend_from_slice(part));
            if let Received::Complete { status, reusable, .. } = received.map_err(not_http)? {
                return Ok(Response { status, body, is_reusable: reusable });
            }
        }
    }
}
