//! The bytes of one request, built and checked once, before the run.

use super::head::Asked;

/// What a request is made of.
#[derive(Clone, Copy, Debug, Default)]
pub struct RequestParts<'a> {
    /// `GET`, `POST` and so on, in the case it is to be sent in.
    pub method: &'a str,
    /// Path and query, beginning with `/` (or `*` alone, for OPTIONS).
    pub path: &'a str,
    /// The Host header: name or address, and the port unless it is 80.
    pub host: &'a str,
    /// More headers, sent in this order. One that doorclock would send by
    /// itself (Host, User-Agent, Accept, Connection, Content-Length) replaces it.
    pub headers: &'a [(String, String)],
    /// The body, if there is one.
    pub body: Option<&'a [u8]>,
    /// Say `Connection: close`.
    pub close: bool,
}

/// A request as it goes over the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    bytes: Vec<u8>,
    asked: Asked,
}

/// Why parts do not make a request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// Not a token.
    #[error("method {0:?} is not a word of letters, digits and !#$%&'*+-.^_`|~")]
    BadMethod(String),
    /// CONNECT turns the connection into a tunnel: nothing would be measured.
    #[error("method CONNECT asks for a tunnel, which doorclock does not speak")]
    Connect,
    /// Does not begin with a slash.
    #[error("path {0:?} does not begin with `/`")]
    RelativePath(String),
    /// Holds a blank, a control character or a letter beyond ASCII.
    #[error("path holds {letter:?}: percent-encode it")]
    BadPathLetter {
        /// The first such letter.
        letter: char,
    },
    /// Holds a `#`.
    #[error("path holds a fragment (`#`), which is never sent: leave it out")]
    Fragment,
    /// Empty, or holds what a host cannot.
    #[error("host {0:?} is not a name or address with an optional port")]
    BadHost(String),
    /// Not a token.
    #[error("header name {0:?} is not a word of letters, digits and !#$%&'*+-.^_`|~")]
    BadHeaderName(String),
    /// Holds a line end or another control character.
    #[error("value of header {name} holds {letter:?}")]
    BadHeaderValue {
        /// The header.
        name: String,
        /// The first such letter.
        letter: char,
    },
    /// A header that must not be there twice.
    #[error("header {0} is given twice")]
    Twice(String),
    /// The service would wait for the rest, or take the rest for another request.
    #[error("content-length is given as {given:?}, but the body has {is} bytes")]
    WrongLength {
        /// The header's value.
        given: String,
        /// Bytes of the body.
        is: usize,
    },
    /// Bodies are sent as they are, with their length.
    #[error("transfer-encoding cannot be given: the body is sent as it is, with its length")]
    TransferEncoding,
}

/// By what services see who is knocking.
const USER_AGENT: &str = concat!("doorclock/", env!("CARGO_PKG_VERSION"));

impl Request {
    /// What is sent: head and body.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// What [`Answer::begin`](super::Answer::begin) wants to know of it.
    pub fn asked(&self) -> Asked {
        self.asked
    }
}

impl RequestParts<'_> {
    /// Checks the parts and puts them together.
    pub fn build(&self) -> Result<Request, RequestError> {
        self.check()?;
        let mut head = Vec::with_capacity(256 + self.body.map_or(0, <[u8]>::len));
        for piece in [self.method, " ", self.path, " HTTP/1.1\r\n"] {
            head.extend_from_slice(piece.as_bytes());
        }
        let mut line = |name: &str, value: &str| {
            for piece in [name, ": ", value, "\r\n"] {
                head.extend_from_slice(piece.as_bytes());
            }
        };
        for (name, value) in [("Host", self.host), ("User-Agent", USER_AGENT), ("Accept", "*/*")] {
            if self.given(name).is_none() {
                line(name, value);
            }
        }
        for (name, value) in self.headers {
            line(name, value);
        }
        if self.close && self.given("connection").is_none() {
            line("Connection", "close");
        }
        if let Some(length) = self.content_length()
            && self.given("content-length").is_none()
        {
            line("Content-Length", &length.to_string());
        }
        head.extend_from_slice(b"\r\n");
        head.extend_from_slice(self.body.unwrap_or_default());
        Ok(Request { bytes: head, asked: self.asked() })
    }

    fn check(&self) -> Result<(), RequestError> {
        check_method(self.method)?;
        check_path(self.path)?;
        if self.host.is_empty() || !self.host.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(RequestError::BadHost(self.host.into()));
        }
        self.headers.iter().try_for_each(|(name, value)| check_header(name, value))?;
        for name in ["Host", "Content-Length"] {
            if self.all_given(name).count() > 1 {
                return Err(RequestError::Twice(name.into()));
            }
        }
        let is = self.body.map_or(0, <[u8]>::len);
        match self.given("content-length") {
            Some(given) if given != is.to_string() => {
                Err(RequestError::WrongLength { given: given.into(), is })
            }
            _ => Ok(()),
        }
    }

    /// RFC 9110 section 8.6: a method that is made for a body says so even
    /// where the body is empty.
    fn content_length(&self) -> Option<usize> {
        let wants_body = matches!(self.method, "POST" | "PUT" | "PATCH");
        self.body.map(<[u8]>::len).or(wants_body.then_some(0))
    }

    fn asked(&self) -> Asked {
        let closes = |value: &str| value.split(',').any(|token| token.trim().eq_ignore_ascii_case("close"));
        Asked { head: self.method == "HEAD", close: self.close || self.all_given("connection").any(closes) }
    }

    fn given(&self, name: &str) -> Option<&str> {
        self.all_given(name).next()
    }

    fn all_given<'s>(&'s self, name: &str) -> impl Iterator<Item = &'s str> {
        self.headers
            .iter()
            .filter(move |(given, _)| given.eq_ignore_ascii_case(name))
            .map(|(_, value)| &**value)
    }
}

fn check_method(method: &str) -> Result<(), RequestError> {
    match method {
        "CONNECT" => Err(RequestError::Connect),
        word if is_token(word) => Ok(()),
        other => Err(RequestError::BadMethod(other.into())),
    }
}

fn check_path(path: &str) -> Result<(), RequestError> {
    if path != "*" && !path.starts_with('/') {
        return Err(RequestError::RelativePath(path.into()));
    }
    match path.chars().find(|letter| !letter.is_ascii_graphic() || *letter == '#') {
        Some('#') => Err(RequestError::Fragment),
        Some(letter) => Err(RequestError::BadPathLetter { letter }),
        None => Ok(()),
    }
}

fn check_header(name: &str, value: &str) -> Result<(), RequestError> {
    if !is_token(name) {
        return Err(RequestError::BadHeaderName(name.into()));
    }
    if name.eq_ignore_ascii_case("transfer-encoding") {
        return Err(RequestError::TransferEncoding);
    }
    match value.chars().find(|letter| letter.is_ascii_control() && *letter != '\t') {
        Some(letter) => Err(RequestError::BadHeaderValue { name: name.into(), letter }),
        None => Ok(()),
    }
}

/// RFC 9110 section 5.6.2.
fn is_token(word: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !word.is_empty() && word.bytes().all(is_letter)
}

#[cfg(test)]
mod tests;
