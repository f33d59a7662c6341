//! What nginx writes by default, or any line that begins with `$msec` or
//! `$time_iso8601` and quotes `$request` before other text that looks like one.

use super::request::{Escapes, Request};
use super::{LineFault, access, time};
use model::Nanos;

pub(super) fn read(line: &[u8], request: &mut Request) -> Result<Nanos, LineFault> {
    let (moment, rest) = leading_time(line).map_or_else(|| access::bracketed_time(line), Ok)?;
    request_in(rest, request)?;
    Ok(moment)
}

/// The line's first word, if it is a time. A host is none: it has more points.
fn leading_time(line: &[u8]) -> Option<(Nanos, &[u8])> {
    let end = line.iter().position(|byte| *byte == b' ')?;
    let moment = time::in_any_form(&line[..end]).ok()?;
    Some((moment, &line[end..]))
}

/// The first text in quotes that is a request. If none is, the fault of the
/// first: it stands where the request should.
fn request_in(mut rest: &[u8], request: &mut Request) -> Result<(), LineFault> {
    let mut first = None;
    while let Some((text, behind)) = access::quoted(rest) {
        match request.read_line(text, Escapes::Backslash) {
            Ok(()) => return Ok(()),
            Err(fault) => first = first.or(Some(fault)),
        }
        rest = behind;
    }
    Err(first.unwrap_or(LineFault::NoRequest))
}
