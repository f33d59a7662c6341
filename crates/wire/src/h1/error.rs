//! What an answer can do wrong.

use std::fmt;

/// A breach of HTTP/1.1 by the service. Small and plain, so that the hot path
/// can pass it on and only a report puts it into words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProtocolError {
    /// The first bytes are those of another protocol or version.
    #[error("answer begins with {began}, not with HTTP/1.1 or HTTP/1.0")]
    NotHttp {
        /// The first bytes.
        began: Seen,
    },
    /// Bytes came although no answer was awaited.
    #[error("{began} came although nothing was asked")]
    Unasked {
        /// The first of them.
        began: Seen,
    },
    /// The status line is no status line.
    #[error("status line is malformed")]
    BadStatusLine,
    /// A status code below 100.
    #[error("status {status} is not one: the lowest is 100")]
    BadStatus {
        /// The code.
        status: u16,
    },
    /// A header's name holds a byte that names cannot hold.
    #[error("name of a header is malformed")]
    BadHeaderName,
    /// A header's value holds a byte that values cannot hold.
    #[error("value of a header is malformed")]
    BadHeaderValue,
    /// A carriage return in the head without its line feed.
    #[error("line of the head ends with a bare carriage return")]
    BadLineEnd,
    /// The head does not end.
    #[error("head is larger than {limit} bytes")]
    HeadTooLarge {
        /// Most bytes a head may have.
        limit: usize,
    },
    /// More headers than we read.
    #[error("head has more than {limit} headers")]
    TooManyHeaders {
        /// Most headers a head may have.
        limit: usize,
    },
    /// 101: the service switched to a protocol that was not asked for.
    #[error("service switched protocols (101) unasked")]
    Switched,
    /// Interim answers (1xx) without end.
    #[error("more than {limit} interim answers (1xx) came before the answer")]
    TooManyInterims {
        /// Most interim answers before one answer.
        limit: u32,
    },
    /// A Content-Length that is no number.
    #[error("content-length {seen} is not a whole number")]
    BadLength {
        /// Its value.
        seen: Seen,
    },
    /// A Content-Length of 2^64 or more.
    #[error("content-length {seen} is too large")]
    LengthTooLarge {
        /// Its value.
        seen: Seen,
    },
    /// Two Content-Lengths that contradict each other.
    #[error("content-length is {first} and also {second}")]
    LengthsDiffer {
        /// The first.
        first: u64,
        /// The first that differs from it.
        second: u64,
    },
    /// The chunked coding was applied twice, or has parameters: RFC 9112
    /// section 7.1 knows neither.
    #[error("transfer-encoding names chunked twice or with parameters")]
    BadChunkedCoding,
    /// Something that cannot stand in a chunk's line.
    #[error("line of a chunk's size holds {seen}")]
    BadChunkLine {
        /// The first byte that cannot stand there.
        seen: Seen,
    },
    /// A chunk of 2^64 bytes or more.
    #[error("size of a chunk is too large")]
    ChunkTooLarge,
    /// A chunk's line does not end.
    #[error("line of a chunk's size is longer than {limit} bytes")]
    ChunkLineTooLong {
        /// Most bytes such a line may have.
        limit: usize,
    },
    /// A chunk's data are longer or shorter than its size says.
    #[error("chunk is followed by {seen}, not by the end of its line")]
    BadChunkEnd {
        /// The first byte that should have been another.
        seen: Seen,
    },
    /// The trailers do not end.
    #[error("trailers are larger than {limit} bytes")]
    TrailersTooLarge {
        /// Most bytes the trailers may have.
        limit: usize,
    },
}

/// Enough of a line for a person to recognise it.
const SEEN_LIMIT: usize = 14;

/// The first bytes of something unexpected, kept without allocating.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    bytes: [u8; SEEN_LIMIT],
    length: u8,
    more: bool,
}

impl Seen {
    /// The bytes that were kept.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }
}

impl From<&[u8]> for Seen {
    fn from(all: &[u8]) -> Seen {
        let length = all.len().min(SEEN_LIMIT);
        let mut bytes = [0; SEEN_LIMIT];
        bytes[..length].copy_from_slice(&all[..length]);
        Seen { bytes, length: length as u8, more: all.len() > length }
    }
}

/// In quotes, with escapes for what cannot be printed: `"SSH-2.0-OpenSS…"`.
impl fmt::Display for Seen {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let more = if self.more { "…" } else { "" };
        write!(out, "\"{}{more}\"", self.as_bytes().escape_ascii())
    }
}

impl fmt::Debug for Seen {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_say_what_was_seen_and_keep_it_short() {
        let cases = [
            (
                ProtocolError::NotHttp { began: b"SSH-2.0-OpenSSH_9.2p1\r\n".as_slice().into() },
                "answer begins with \"SSH-2.0-OpenSS…\", not with HTTP/1.1 or HTTP/1.0",
            ),
            (
                ProtocolError::BadChunkLine { seen: b"\n".as_slice().into() },
                "line of a chunk's size holds \"\\n\"",
            ),
            (ProtocolError::LengthsDiffer { first: 3, second: 4 }, "content-length is 3 and also 4"),
        ];
        for (error, text) in cases {
            assert_eq!(error.to_string(), text);
        }
    }

    #[test]
    fn errors_are_no_larger_than_three_words() {
        assert!(size_of::<ProtocolError>() <= 24, "{}", size_of::<ProtocolError>());
    }
}
