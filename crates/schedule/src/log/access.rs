//! The fields that access logs are made of: times in brackets, text in quotes.

use super::request::{Escapes, Request};
use super::{LineFault, time};
use model::Nanos;

/// The time in the first brackets that hold one, and the line behind them.
/// Hosts may stand in brackets too (`[::1]`), and users may have any name.
pub(super) fn bracketed_time(line: &[u8]) -> Result<(Nanos, &[u8]), LineFault> {
    let mut rest = line;
    let mut fault = LineFault::NoTime;
    while let Some(open) = rest.iter().position(|byte| *byte == b'[') {
        rest = &rest[open + 1..];
        let Some(close) = rest.iter().take(MOST_TIME).position(|byte| *byte == b']') else { continue };
        match time::in_any_form(&rest[..close]) {
            Ok(moment) => return Ok((moment, &rest[close + 1..])),
            Err(LineFault::FarTime) => fault = LineFault::FarTime,
            Err(_) => {}
        }
    }
    Err(fault)
}

/// More bytes than any time takes, so that brackets that are never closed do
/// not make a long line slow.
const MOST_TIME: usize = 64;

/// What stands in the next pair of quotes, and the line behind it. A quote
/// behind a backslash belongs to the text.
pub(super) fn quoted(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let open = line.iter().position(|byte| *byte == b'"')?;
    let text = &line[open + 1..];
    let mut at = 0;
    loop {
        match text.get(at)? {
            b'"' => return Some((&text[..at], &text[at + 1..])),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// What all of these logs have: `… [time] "request" status size`. Returns the
/// time and what stands behind.
pub(super) fn leading<'a>(line: &'a [u8], request: &mut Request) -> Result<(Nanos, &'a [u8]), LineFault> {
    let (moment, rest) = bracketed_time(line)?;
    let (text, rest) = match rest {
        [b' ', b'"', ..] => quoted(rest).ok_or(LineFault::NoRequest)?,
        _ => return Err(LineFault::NoRequest),
    };
    request.read_line(text, Escapes::Backslash)?;
    Ok((moment, answer(rest)?))
}

/// Skips the answer's status and size.
fn answer(rest: &[u8]) -> Result<&[u8], LineFault> {
    let mut words = rest.splitn(4, |byte| *byte == b' ');
    let (before, status, size) = (words.next(), words.next(), words.next());
    let is_number = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let is_answer = before == Some(b"")
        && status.is_some_and(|status| status.len() == 3 && is_number(status))
        && size.is_some_and(|size| size == b"-" || is_number(size));
    if is_answer { Ok(words.next().unwrap_or_default()) } else { Err(LineFault::NoAnswer) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_end_where_no_backslash_stands_before() {
        type Found = Option<(&'static [u8], &'static [u8])>;
        let cases: [(&[u8], Found); 8] = [
            (br#" "a b" c"#, Some((b"a b", b" c"))),
            (br#""" c"#, Some((b"", b" c"))),
            (br#""a\"b" c"#, Some((br#"a\"b"#, b" c"))),
            (br#""a\\" c"#, Some((br"a\\", b" c"))),
            (br#""a\\\" c"#, None),
            (br#""a"#, None),
            (br#""a\"#, None),
            (b"a", None),
        ];
        for (line, expected) in cases {
            assert_eq!(quoted(line), expected, "{}", line.escape_ascii());
        }
    }

    #[test]
    fn the_time_is_found_behind_hosts_and_users_in_brackets() {
        let second = Nanos(971_211_336_000_000_000);
        for line in [
            &b"[10/Oct/2000:13:55:36 -0700] x"[..],
            b"[::1] - - [10/Oct/2000:13:55:36 -0700] x",
            b"::1 - [open [10/Oct/2000:13:55:36 -0700] x",
            b"h - [] [10/Oct/2000:13:55:36 -0700] x",
            b"h - - [2000-10-10T20:55:36Z] x",
        ] {
            assert_eq!(bracketed_time(line), Ok((second, &b" x"[..])), "{}", line.escape_ascii());
        }
        for line in [&b""[..], b"[", b"[]", b"[yesterday]", b"10/Oct/2000:13:55:36 -0700"] {
            assert_eq!(bracketed_time(line), Err(LineFault::NoTime), "{}", line.escape_ascii());
        }
        assert_eq!(bracketed_time(b"[10/Oct/1900:13:55:36 -0700]"), Err(LineFault::FarTime));
    }
}
