//! HTTP/1.1 as RFC 9112 has it, the client's side.
//!
//! [`RequestParts`] become a [`Request`], bytes that are sent as they are any
//! number of times. An [`Answer`] reads what comes back, cut anywhere.

mod answer;
mod blank_line;
mod chunked;
mod error;
mod head;
mod request;

pub use answer::{Answer, Ended, INTERIM_LIMIT, Received, Truncated};
pub use chunked::CHUNK_LINE_LIMIT;
pub use error::{ProtocolError, Seen};
pub use head::{Asked, HEAD_LIMIT, HEADER_LIMIT};
pub use request::{Request, RequestError, RequestParts};
