//! `host ident user [time] "GET /a HTTP/1.1" 200 17 "referer" "user agent"`

use super::request::Request;
use super::{LineFault, access};
use model::Nanos;

pub(super) fn read(line: &[u8], request: &mut Request) -> Result<Nanos, LineFault> {
    let (moment, rest) = access::leading(line, request)?;
    let (_referer, rest) = access::quoted(rest).ok_or(LineFault::NotCombined)?;
    let (_user_agent, _) = access::quoted(rest).ok_or(LineFault::NotCombined)?;
    Ok(moment)
}
