//! A plain list: `TIME` or `TIME,METHOD,PATH` a line.

use super::request::{Escapes, Request};
use super::{LineFault, time};
use model::Nanos;

/// Whether the first line of a list names its columns. Times begin with a digit.
pub(super) fn is_heading(line: &[u8]) -> bool {
    line.iter().find(|byte| !matches!(byte, b' ' | b'"')).is_some_and(u8::is_ascii_alphabetic)
}

/// The line's time, and whether it names a request.
pub(super) fn read(line: &[u8], request: &mut Request) -> Result<(Nanos, bool), LineFault> {
    // A path may have commas.
    let mut fields = line.splitn(3, |byte| *byte == b',').map(bare);
    let moment = time::in_any_form(fields.next().unwrap_or_default())?;
    match (fields.next(), fields.next()) {
        (None | Some(b""), None | Some(b"")) => Ok((moment, false)),
        (Some(method), Some(path)) => {
            request.read(method, path, Escapes::None)?;
            Ok((moment, true))
        }
        (Some(_), None) | (None, Some(_)) => Err(LineFault::BadRequest),
    }
}

/// A field without the blanks and the quotes around it.
fn bare(field: &[u8]) -> &[u8] {
    match field.trim_ascii() {
        [b'"', inside @ .., b'"'] => inside,
        field => field,
    }
}
