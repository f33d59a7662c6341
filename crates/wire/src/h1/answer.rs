//! The answers on one connection, read one after another.
//!
//! The engine's hot path runs through here. An answer that is whole in one
//! buffer is parsed where it lies. Only a head that is cut by the end of a
//! buffer is gathered, in memory that the connection keeps; bodies are never
//! copied.

use super::blank_line::BlankLine;
use super::chunked::Chunked;
use super::error::ProtocolError;
use super::head::{self, Asked, Framing, HEAD_LIMIT, Head};

/// Interim answers (1xx) before the real one. RFC 9110 names no limit; a
/// service that sends more is taken to have lost its way.
pub const INTERIM_LIMIT: u32 = 32;

/// Reads the answers on one connection: [`begin`](Answer::begin) before each
/// request, [`receive`](Answer::receive) for whatever comes,
/// [`end`](Answer::end) when the peer closes.
#[derive(Debug, Default)]
pub struct Answer {
    place: Place,
    asked: Asked,
    started: bool,
    interims: u32,
    status: u16,
    reusable: bool,
    /// The beginning of a head that was cut; empty between heads.
    gathered: Vec<u8>,
    /// How far `gathered` has come towards the line that ends it.
    blank_line: BlankLine,
    /// Whether the head is kept for whoever wants to look into it.
    keeps_head: bool,
    /// The latest head, where it is kept.
    head: Vec<u8>,
}

/// What the next byte belongs to.
#[derive(Clone, Copy, Debug, Default)]
enum Place {
    /// Nothing: no answer is awaited.
    #[default]
    Idle,
    Head,
    Body(Body),
    /// Nothing any more: the rules were broken.
    Broken(ProtocolError),
}

#[derive(Clone, Copy, Debug)]
enum Body {
    Length { left: u64 },
    Chunked(Chunked),
    UntilClose,
}

/// What some bytes did for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Received {
    /// All of the bytes were taken, and more must come.
    Partial,
    /// The answer is whole.
    Complete {
        /// Its status code.
        status: u16,
        /// Whether the connection may carry another request.
        reusable: bool,
        /// How many of the bytes were taken. The rest was not asked for: a
        /// connection that has some must not be used again.
        consumed: usize,
    },
}

/// What the close of a connection by the peer means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Nothing was awaited: an idle connection was closed.
    Idle,
    /// An answer was awaited and not one byte of it had come. On a connection
    /// that was kept alive, the request may be sent again on another.
    Unanswered,
    /// The close was the end of the answer's body: it is whole.
    Complete {
        /// Its status code.
        status: u16,
    },
    /// The answer had begun and will never be whole.
    Truncated(Truncated),
}

/// Where an answer was cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Truncated {
    /// Before the end of its head, interim answers included.
    #[error("connection closed inside the head of the answer")]
    Head,
    /// Inside a body of known length.
    #[error("connection closed {missing} bytes before the end of the body")]
    Body {
        /// Bytes of the body that never came.
        missing: u64,
    },
    /// Before the end of a chunked body or its trailers.
    #[error("connection closed before the last chunk of the body")]
    Chunks,
}

impl Answer {
    /// Awaits the answer to a request. Whatever was there before is
    /// forgotten, so that a new connection can take over this memory.
    pub fn begin(&mut self, asked: Asked) {
        self.place = Place::Head;
        self.asked = asked;
        self.started = false;
        self.interims = 0;
        self.status = 0;
        self.reusable = false;
        self.keeps_head = false;
        self.head.clear();
        self.forget_gathered();
    }

    /// Keeps the head of this answer, for [`header`](Answer::header). Without it
    /// no head is copied.
    pub fn keep_head(&mut self, keeps: bool) {
        self.keeps_head = keeps;
    }

    /// The value of a header of the answer, its first if there are several;
    /// `None` if it has none of that name, or its head was not kept.
    pub fn header(&self, name: &str) -> Option<&[u8]> {
        head::header(&self.head, name)
    }

    /// Takes bytes as they come, up to the end of the awaited answer. Pieces of
    /// the body are handed to `body`, in order and never empty.
    ///
    /// An error is final: the connection cannot be understood any more, and
    /// further bytes give the same error until the next [`begin`](Answer::begin).
    pub fn receive(&mut self, bytes: &[u8], body: &mut impl FnMut(&[u8])) -> Result<Received, ProtocolError> {
        let received = self.take(bytes, body);
        if let Err(error) = received {
            self.place = Place::Broken(error);
        }
        received
    }

    /// The peer closed its side: no more bytes will come.
    pub fn end(&mut self) -> Result<Ended, ProtocolError> {
        match std::mem::take(&mut self.place) {
            Place::Idle => Ok(Ended::Idle),
            Place::Head if !self.started => Ok(Ended::Unanswered),
            Place::Head => {
                // A cut head is parsed once its end is there. That never came,
                // and what did come may not have been HTTP at all.
                Head::parse(&self.gathered, self.asked)?;
                Ok(Ended::Truncated(Truncated::Head))
            }
            Place::Body(Body::UntilClose) => Ok(Ended::Complete { status: self.status }),
            Place::Body(Body::Length { left }) => Ok(Ended::Truncated(Truncated::Body { missing: left })),
            Place::Body(Body::Chunked(_)) => Ok(Ended::Truncated(Truncated::Chunks)),
            Place::Broken(error) => Err(error),
        }
    }

    /// Whether any byte of the answer has come, interim answers included.
    pub fn started(&self) -> bool {
        self.started
    }

    /// Whether an answer is awaited or under way.
    pub fn is_awaited(&self) -> bool {
        matches!(self.place, Place::Head | Place::Body(_))
    }

    /// The status code of the latest answer, once its head is there.
    pub fn status(&self) -> Option<u16> {
        (self.status != 0).then_some(self.status)
    }

    fn take(&mut self, bytes: &[u8], body: &mut impl FnMut(&[u8])) -> Result<Received, ProtocolError> {
        if bytes.is_empty() {
            return Ok(Received::Partial);
        }
        let mut rest = bytes;
        loop {
            match &mut self.place {
                Place::Idle => return Err(ProtocolError::Unasked { began: bytes.into() }),
                Place::Broken(error) => return Err(*error),
                Place::Head => match self.take_head(rest)? {
                    Some(taken) => rest = &rest[taken..],
                    None => return Ok(Received::Partial),
                },
                Place::Body(framed) => {
                    let Some(taken) = framed.take(rest, body)? else { return Ok(Received::Partial) };
                    self.place = Place::Idle;
                    let consumed = bytes.len() - rest.len() + taken;
                    return Ok(Received::Complete { status: self.status, reusable: self.reusable, consumed });
                }
            }
        }
    }

    /// Takes bytes of a head; says how many once the head is whole.
    fn take_head(&mut self, bytes: &[u8]) -> Result<Option<usize>, ProtocolError> {
        self.started = true;
        if self.gathered.is_empty()
            && let Some(head) = Head::parse(bytes, self.asked)?
        {
            if self.keeps_head {
                self.head.clear();
                self.head.extend_from_slice(&bytes[..head.length]);
            }
            self.enter(&head)?;
            return Ok(Some(head.length));
        }
        self.gather(bytes)
    }

    /// The slow way: keeps what there is of a head until its end has come, and
    /// parses it then, so that a head in tiny pieces costs no more than once over.
    fn gather(&mut self, bytes: &[u8]) -> Result<Option<usize>, ProtocolError> {
        let end = self.blank_line.find(bytes);
        let taken = end.unwrap_or(bytes.len());
        self.gathered.extend_from_slice(&bytes[..taken]);
        if end.is_none() && self.gathered.len() < HEAD_LIMIT {
            return Ok(None);
        }
        // The parser ends a head at the same blank line. Should the two ever
        // differ, it is about how a line ends.
        let head = Head::parse(&self.gathered, self.asked)?.ok_or(ProtocolError::BadLineEnd)?;
        if self.keeps_head {
            std::mem::swap(&mut self.head, &mut self.gathered);
        }
        self.forget_gathered();
        self.enter(&head)?;
        Ok(Some(taken))
    }

    fn forget_gathered(&mut self) {
        self.gathered.clear();
        self.blank_line = BlankLine::default();
    }

    /// Goes on to what follows a head: its body, or the next head after an interim one.
    fn enter(&mut self, head: &Head) -> Result<(), ProtocolError> {
        match head.status {
            101 => return Err(ProtocolError::Switched),
            100..200 => {
                self.interims += 1;
                if self.interims > INTERIM_LIMIT {
                    return Err(ProtocolError::TooManyInterims { limit: INTERIM_LIMIT });
                }
            }
            _ => {
                self.status = head.status;
                self.reusable = head.reusable;
                self.place = Place::Body(head.framing.into());
            }
        }
        Ok(())
    }
}

impl From<Framing> for Body {
    fn from(framing: Framing) -> Body {
        match framing {
            Framing::Length(left) => Body::Length { left },
            Framing::Chunked => Body::Chunked(Chunked::default()),
            Framing::UntilClose => Body::UntilClose,
        }
    }
}

impl Body {
    /// Takes bytes of a body; says how many once the body is whole.
    fn take(&mut self, bytes: &[u8], body: &mut impl FnMut(&[u8])) -> Result<Option<usize>, ProtocolError> {
        match self {
            Body::Length { left } => {
                let taken = usize::try_from(*left).unwrap_or(usize::MAX).min(bytes.len());
                if taken > 0 {
                    body(&bytes[..taken]);
                }
                *left -= taken as u64;
                Ok((*left == 0).then_some(taken))
            }
            Body::Chunked(chunked) => chunked.take(bytes, body),
            Body::UntilClose => {
                if !bytes.is_empty() {
                    body(bytes);
                }
                Ok(None)
            }
        }
    }
}

#[cfg(test)]
mod tests;
