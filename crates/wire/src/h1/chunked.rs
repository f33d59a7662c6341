//! A body in chunks (RFC 9112 section 7.1), cut anywhere.
//!
//! Extensions and trailers are read over: nothing of what we measure depends
//! on them. The lines of chunks end with CR LF and nothing else: the leave to
//! accept LF alone is for heads and trailers, and taking it here has let
//! smuggled requests through more than one server.

use super::blank_line::BlankLine;
use super::error::ProtocolError;
use super::head::HEAD_LIMIT;

/// Bytes of one chunk's line, extensions included. Sizes take 16 at most;
/// what servers sign or pad chunks with stays well below this.
pub const CHUNK_LINE_LIMIT: usize = 4096;

/// Reads a chunked body.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Chunked {
    place: Place,
    /// Bytes so far of the present chunk's line, or of all trailers.
    line: usize,
}

/// What the next byte belongs to.
#[derive(Clone, Copy, Debug, Default)]
enum Place {
    /// The first digit of a chunk's size.
    #[default]
    Size,
    Digits {
        size: u64,
    },
    /// Blanks after the size, with which some servers fill the line up.
    Padding {
        size: u64,
    },
    Extension {
        size: u64,
    },
    LineFeed {
        size: u64,
    },
    Data {
        left: u64,
    },
    DataReturn,
    DataLineFeed,
    Trailers(BlankLine),
}

impl Chunked {
    /// Takes bytes of the body; says how many once it is whole.
    pub(super) fn take(
        &mut self,
        bytes: &[u8],
        body: &mut impl FnMut(&[u8]),
    ) -> Result<Option<usize>, ProtocolError> {
        let mut at = 0;
        while at < bytes.len() {
            let rest = &bytes[at..];
            match &mut self.place {
                Place::Data { left } => {
                    let taken = usize::try_from(*left).unwrap_or(usize::MAX).min(rest.len());
                    body(&rest[..taken]);
                    at += taken;
                    *left -= taken as u64;
                    if *left == 0 {
                        self.place = Place::DataReturn;
                    }
                }
                Place::Trailers(blank_line) => {
                    let end = blank_line.find(rest);
                    self.line += end.unwrap_or(rest.len());
                    if self.line > HEAD_LIMIT {
                        return Err(ProtocolError::TrailersTooLarge { limit: HEAD_LIMIT });
                    }
                    return Ok(end.map(|taken| at + taken));
                }
                _ => {
                    self.take_of_line(rest[0])?;
                    at += 1;
                }
            }
        }
        Ok(None)
    }

    /// Takes one byte of what surrounds the data.
    fn take_of_line(&mut self, byte: u8) -> Result<(), ProtocolError> {
        self.line += 1;
        if self.line > CHUNK_LINE_LIMIT {
            return Err(ProtocolError::ChunkLineTooLong { limit: CHUNK_LINE_LIMIT });
        }
        let digit = char::from(byte).to_digit(16).map(u64::from);
        self.place = match (self.place, byte, digit) {
            (Place::Size, _, Some(size)) => Place::Digits { size },
            (Place::Digits { size }, _, Some(digit)) => {
                let sixteenfold = size.checked_mul(16).ok_or(ProtocolError::ChunkTooLarge)?;
                Place::Digits { size: sixteenfold + digit }
            }
            (Place::Digits { size } | Place::Padding { size }, b' ' | b'\t', _) => Place::Padding { size },
            (Place::Digits { size } | Place::Padding { size }, b';', _) => Place::Extension { size },
            (Place::Digits { size } | Place::Padding { size } | Place::Extension { size }, b'\r', _) => {
                Place::LineFeed { size }
            }
            (Place::Extension { size }, b'\t' | b' '..=b'~' | 0x80.., _) => Place::Extension { size },
            (Place::LineFeed { size }, b'\n', _) => self.after_line(size),
            (Place::DataReturn, b'\r', _) => Place::DataLineFeed,
            (Place::DataLineFeed, b'\n', _) => self.before_line(),
            (Place::DataReturn | Place::DataLineFeed, _, _) => {
                return Err(ProtocolError::BadChunkEnd { seen: [byte].as_slice().into() });
            }
            _ => return Err(ProtocolError::BadChunkLine { seen: [byte].as_slice().into() }),
        };
        Ok(())
    }

    fn before_line(&mut self) -> Place {
        self.line = 0;
        Place::Size
    }

    fn after_line(&mut self, size: u64) -> Place {
        self.line = 0;
        match size {
            0 => Place::Trailers(BlankLine::Start),
            left => Place::Data { left },
        }
    }
}
