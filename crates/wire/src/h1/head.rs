//! The head of one answer: how it is framed and whether the connection may
//! live on. All other headers are passed over without a look at their values.

use super::error::ProtocolError;
use httparse::{ParserConfig, Response, Status};
use std::mem::MaybeUninit;

/// Bytes of one head, status line included; also of all trailers. Browsers and
/// proxies refuse far smaller ones (nginx reads 4 to 8 KiB from an upstream).
pub const HEAD_LIMIT: usize = 64 * 1024;

/// Headers of one head. 128 slots are 4 KiB of stack, left unwritten.
pub const HEADER_LIMIT: usize = 128;

/// What a request asked that bears on reading its answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// It was a HEAD: its answer has no body, whatever the headers say.
    pub head: bool,
    /// It said `Connection: close`: no other request may follow it.
    pub close: bool,
}

/// What a head says about what follows it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    /// Bytes of the head.
    pub(super) length: usize,
    pub(super) status: u16,
    /// Whether the connection may carry another request after the body.
    pub(super) reusable: bool,
    pub(super) framing: Framing,
}

/// What ends a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    Length(u64),
    Chunked,
    UntilClose,
}

impl Head {
    /// The head at the beginning of `bytes`; `None` if more must come.
    pub(super) fn parse(bytes: &[u8], asked: Asked) -> Result<Option<Head>, ProtocolError> {
        // The parser skips empty lines first, which RFC 9112 section 2.2
        // grants to requests alone. Before an answer they are left-overs of a
        // body that was longer than its length.
        if matches!(bytes.first(), Some(b'\r' | b'\n')) {
            return Err(ProtocolError::NotHttp { began: bytes.into() });
        }
        let window = &bytes[..bytes.len().min(HEAD_LIMIT)];
        let mut slots = [const { MaybeUninit::uninit() }; HEADER_LIMIT];
        let mut response = Response::new(&mut []);
        let mut config = ParserConfig::default();
        // Section 5.2: a user agent must accept folded headers.
        config.allow_obsolete_multiline_headers_in_responses(true);
        match config.parse_response_with_uninit_headers(&mut response, window, &mut slots) {
            Ok(Status::Complete(length)) => Head::read(&response, length, asked).map(Some),
            Ok(Status::Partial) if window.len() == HEAD_LIMIT => {
                Err(ProtocolError::HeadTooLarge { limit: HEAD_LIMIT })
            }
            Ok(Status::Partial) => Ok(None),
            Err(error) => Err(named(error, bytes)),
        }
    }

    fn read(response: &Response<'_, '_>, length: usize, asked: Asked) -> Result<Head, ProtocolError> {
        let status = response.code.unwrap_or(0);
        if status < 100 {
            return Err(ProtocolError::BadStatus { status });
        }
        let mut fields = Fields::default();
        for header in response.headers.iter() {
            fields.read(header.name, header.value);
        }
        let framing = fields.framing(status, asked)?;
        let keeps = match response.version {
            Some(0) => fields.keeps_alive && fields.coding.is_none(),
            _ => true,
        };
        let reusable = keeps && !fields.closes && !asked.close;
        Ok(Head { length, status, reusable, framing })
    }
}

/// The first value of the header `name` in a head that has been parsed before.
pub(super) fn header<'h>(head: &'h [u8], name: &str) -> Option<&'h [u8]> {
    let mut slots = [httparse::EMPTY_HEADER; HEADER_LIMIT];
    let mut response = Response::new(&mut slots);
    let mut config = ParserConfig::default();
    config.allow_obsolete_multiline_headers_in_responses(true);
    config.parse_response(&mut response, head).ok()?;
    response.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name)).map(|header| header.value)
}

/// The headers that frame a body or end a connection, as far as they are read.
/// What is wrong with them matters only where they decide something.
#[derive(Default)]
struct Fields {
    length: Option<Result<u64, ProtocolError>>,
    coding: Option<Result<Coding, ProtocolError>>,
    closes: bool,
    keeps_alive: bool,
}

/// The last transfer coding of an answer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Coding {
    Chunked,
    Other { after_chunked: bool },
}

impl Fields {
    fn read(&mut self, name: &str, value: &[u8]) {
        // Lengths tell almost all headers apart before any letter is compared.
        match name.len() {
            10 if name.eq_ignore_ascii_case("connection") => self.read_connection(value),
            14 if name.eq_ignore_ascii_case("content-length") => {
                let so_far = self.length.take();
                self.length = Some(lengths(value, so_far));
            }
            17 if name.eq_ignore_ascii_case("transfer-encoding") => {
                let so_far = self.coding.take();
                self.coding = Some(last_coding(value, so_far));
            }
            _ => {}
        }
    }

    fn read_connection(&mut self, value: &[u8]) {
        for token in list(value) {
            self.closes |= token.eq_ignore_ascii_case(b"close");
            self.keeps_alive |= token.eq_ignore_ascii_case(b"keep-alive");
        }
    }

    /// RFC 9112 section 6.3, in its order.
    fn framing(&self, status: u16, asked: Asked) -> Result<Framing, ProtocolError> {
        if asked.head || matches!(status, 100..200 | 204 | 304) {
            return Ok(Framing::Length(0));
        }
        match (self.coding, self.length) {
            (Some(Ok(Coding::Chunked)), _) => Ok(Framing::Chunked),
            (Some(Ok(Coding::Other { .. })), _) | (None, None) => Ok(Framing::UntilClose),
            (None, Some(Ok(length))) => Ok(Framing::Length(length)),
            (Some(Err(error)), _) | (None, Some(Err(error))) => Err(error),
        }
    }
}

/// The one length that a Content-Length gives, which may be a list of equals.
fn lengths(value: &[u8], so_far: Option<Result<u64, ProtocolError>>) -> Result<u64, ProtocolError> {
    let mut known = so_far.transpose()?;
    for part in value.split(|byte| *byte == b',') {
        let second = number(part.trim_ascii())?;
        match known {
            Some(first) if first != second => return Err(ProtocolError::LengthsDiffer { first, second }),
            _ => known = Some(second),
        }
    }
    known.ok_or_else(|| ProtocolError::BadLength { seen: value.into() })
}

fn number(digits: &[u8]) -> Result<u64, ProtocolError> {
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(ProtocolError::BadLength { seen: digits.into() });
    }
    digits
        .iter()
        .try_fold(0_u64, |number, digit| number.checked_mul(10)?.checked_add(u64::from(digit - b'0')))
        .ok_or_else(|| ProtocolError::LengthTooLarge { seen: digits.into() })
}

/// The last coding of a Transfer-Encoding, after those of earlier ones.
fn last_coding(value: &[u8], so_far: Option<Result<Coding, ProtocolError>>) -> Result<Coding, ProtocolError> {
    let mut last = so_far.transpose()?.unwrap_or(Coding::Other { after_chunked: false });
    for coding in list(value) {
        let (name, parameters) = match coding.iter().position(|byte| *byte == b';') {
            Some(at) => (coding[..at].trim_ascii_end(), true),
            None => (coding, false),
        };
        let chunked_before = last != Coding::Other { after_chunked: false };
        last = match name.eq_ignore_ascii_case(b"chunked") {
            true if parameters || chunked_before => return Err(ProtocolError::BadChunkedCoding),
            true => Coding::Chunked,
            false => Coding::Other { after_chunked: chunked_before },
        };
    }
    Ok(last)
}

/// The members of a list, without blanks (and line ends of folded headers)
/// around them. Empty members count for nothing, by RFC 9110 section 5.6.1.
fn list(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii).filter(|member| !member.is_empty())
}

fn named(error: httparse::Error, bytes: &[u8]) -> ProtocolError {
    match error {
        httparse::Error::Version => ProtocolError::NotHttp { began: bytes.into() },
        httparse::Error::Status | httparse::Error::Token => ProtocolError::BadStatusLine,
        httparse::Error::HeaderName => ProtocolError::BadHeaderName,
        httparse::Error::HeaderValue => ProtocolError::BadHeaderValue,
        httparse::Error::NewLine => ProtocolError::BadLineEnd,
        httparse::Error::TooManyHeaders => ProtocolError::TooManyHeaders { limit: HEADER_LIMIT },
    }
}
