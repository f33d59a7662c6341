//! `host ident user [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.1" 200 17`

use super::request::Request;
use super::{LineFault, access};
use model::Nanos;

pub(super) fn read(line: &[u8], request: &mut Request) -> Result<Nanos, LineFault> {
    access::leading(line, request).map(|(moment, _)| moment)
}
