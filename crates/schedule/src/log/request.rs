//! Requests as logs write them, made into ones that can be sent again.

use super::LineFault;
use std::collections::HashMap;

/// Longer than any method in use.
const LONGEST_METHOD: usize = 20;

/// Whether a field of a log escapes what it could not write as it was.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Escapes {
    /// As Apache and nginx do: `\x16`, `\"`, `\\`, `\n`.
    Backslash,
    /// A backslash stands for itself.
    None,
}

/// A request that is being read: `METHOD /path`. One buffer for all lines.
#[derive(Default)]
pub(super) struct Request(String);

impl Request {
    /// Reads `GET /path HTTP/1.1`.
    pub(super) fn read_line(&mut self, line: &[u8], escapes: Escapes) -> Result<(), LineFault> {
        let mut words = line.split(|byte| *byte == b' ');
        let (method, target) = (words.next(), words.next());
        match (method, target, words.next(), words.next()) {
            (Some(method), Some(target), None, None) => self.read(method, target, escapes),
            (Some(method), Some(target), Some(version), None) if version.starts_with(b"HTTP/") => {
                self.read(method, target, escapes)
            }
            _ => Err(LineFault::BadRequest),
        }
    }

    /// Takes a method and a target. Of a target with a host only the path and
    /// the query count. What may not stand in a path as it is, is
    /// percent-encoded: it means the same.
    pub(super) fn read(&mut self, method: &[u8], target: &[u8], escapes: Escapes) -> Result<(), LineFault> {
        let is_method = |byte: &u8| byte.is_ascii_uppercase() || matches!(byte, b'-' | b'_');
        if method.is_empty() || method.len() > LONGEST_METHOD || !method.iter().all(is_method) {
            return Err(LineFault::BadRequest);
        }
        self.0.clear();
        self.0.extend(method.iter().map(|byte| char::from(*byte)));
        self.0.push(' ');
        let path = without_host(target);
        match path.first() {
            Some(b'/') => {}
            Some(b'?') => self.0.push('/'),
            None if path.len() < target.len() => self.0.push('/'),
            _ => return Err(LineFault::BadRequest),
        }
        self.push_path(path, escapes)
    }

    fn push_path(&mut self, mut path: &[u8], escapes: Escapes) -> Result<(), LineFault> {
        while let [first, rest @ ..] = path {
            path = rest;
            match first {
                b'\\' if escapes == Escapes::Backslash => {
                    let (byte, rest) = unescaped(path);
                    self.push_encoded(byte);
                    path = rest;
                }
                0..b' ' | 0x7f => return Err(LineFault::BadRequest),
                b' ' | b'"' | b'#' | b'<' | b'>' | b'\\' | 0x80.. => self.push_encoded(*first),
                _ => self.0.push(char::from(*first)),
            }
        }
        Ok(())
    }

    fn push_encoded(&mut self, byte: u8) {
        const DIGITS: [char; 16] =
            ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F'];
        self.0.push('%');
        self.0.push(DIGITS[usize::from(byte >> 4)]);
        self.0.push(DIGITS[usize::from(byte & 15)]);
    }
}

/// The path of `http://host/path`; anything else as it is.
fn without_host(target: &[u8]) -> &[u8] {
    let scheme = [&b"http://"[..], b"https://"]
        .into_iter()
        .find(|scheme| target.get(..scheme.len()).is_some_and(|head| head.eq_ignore_ascii_case(scheme)));
    let Some(scheme) = scheme else { return target };
    let rest = &target[scheme.len()..];
    let host = rest.iter().take_while(|byte| !matches!(byte, b'/' | b'?')).count();
    &rest[host..]
}

/// The byte that the text behind a backslash stands for, and what follows. A
/// backslash that escapes nothing stands for itself.
fn unescaped(text: &[u8]) -> (u8, &[u8]) {
    let hex = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    match text {
        [b'x', high, low, rest @ ..] => match (hex(*high), hex(*low)) {
            (Some(high), Some(low)) => (high << 4 | low, rest),
            _ => (b'\\', text),
        },
        [b'n', rest @ ..] => (b'\n', rest),
        [b'r', rest @ ..] => (b'\r', rest),
        [b't', rest @ ..] => (b'\t', rest),
        [byte @ (b'"' | b'\\'), rest @ ..] => (*byte, rest),
        _ => (b'\\', text),
    }
}

/// Each different request of a log, once, by number.
#[derive(Default)]
pub(super) struct Requests {
    numbers: HashMap<String, u32>,
    all: Vec<(String, String)>,
}

impl Requests {
    pub(super) fn number(&mut self, request: &Request) -> u32 {
        if let Some(number) = self.numbers.get(&request.0) {
            return *number;
        }
        let number = self.all.len() as u32;
        let (method, path) = request.0.split_once(' ').expect("it was written with a space");
        self.all.push((method.to_owned(), path.to_owned()));
        self.numbers.insert(request.0.clone(), number);
        number
    }

    pub(super) fn into_all(self) -> Vec<(String, String)> {
        self.all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(line: &[u8]) -> Result<String, LineFault> {
        let mut request = Request::default();
        request.read_line(line, Escapes::Backslash).map(|()| request.0)
    }

    #[test]
    fn a_request_line_is_a_method_and_a_path() {
        let cases: [(&[u8], &str); 9] = [
            (b"GET / HTTP/1.1", "GET /"),
            (b"POST /a/b?c=d&e=%20f HTTP/2.0", "POST /a/b?c=d&e=%20f"),
            (b"GET /old", "GET /old"),
            (b"M-SEARCH /x HTTP/1.1", "M-SEARCH /x"),
            (b"GET http://example.test/a?b HTTP/1.1", "GET /a?b"),
            (b"GET HTTPS://example.test HTTP/1.1", "GET /"),
            (b"GET http://example.test?a=/b HTTP/1.1", "GET /?a=/b"),
            ("GET /café HTTP/1.1".as_bytes(), "GET /caf%C3%A9"),
            (b"GET /a\xff|[b]{c} HTTP/1.1", "GET /a%FF|[b]{c}"),
        ];
        for (bytes, expected) in cases {
            assert_eq!(line(bytes).as_deref(), Ok(expected), "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn escaped_bytes_are_sent_as_what_they_were() {
        let cases: [(&[u8], &str); 5] = [
            (br"GET /caf\xC3\xa9 HTTP/1.1", "GET /caf%C3%A9"),
            (br#"GET /?q=\"a\\b\x22 HTTP/1.1"#, "GET /?q=%22a%5Cb%22"),
            (br"GET /a\tb\n\r HTTP/1.1", "GET /a%09b%0A%0D"),
            (br"GET /a\xZZ\q HTTP/1.1", r"GET /a%5CxZZ%5Cq"),
            (br"GET /a\ HTTP/1.1", r"GET /a%5C"),
        ];
        for (bytes, expected) in cases {
            assert_eq!(line(bytes).as_deref(), Ok(expected), "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn what_nobody_could_send_is_no_request() {
        let cases: [&[u8]; 15] = [
            b"",
            b"-",
            b"GET",
            b"GET  HTTP/1.1",
            b"get / HTTP/1.1",
            b"GET / HTTP/1.1 ",
            b"GET /a b HTTP/1.1",
            b"GET / SPDY/3",
            b"GET a HTTP/1.1",
            b"OPTIONS * HTTP/1.1",
            b"CONNECT example.test:443 HTTP/1.1",
            br"\x16\x03\x01\x00\xEE",
            b"\x16\x03\x01 / HTTP/1.1",
            b"GET /a\x00b HTTP/1.1",
            b"AMETHODFARLONGERTHANANY / HTTP/1.1",
        ];
        for bytes in cases {
            assert_eq!(line(bytes), Err(LineFault::BadRequest), "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn without_escapes_a_backslash_is_one() {
        let mut request = Request::default();
        assert_eq!(request.read(b"GET", br"/a\x41 b", Escapes::None), Ok(()));
        assert_eq!(request.0, "GET /a%5Cx41%20b");
    }

    #[test]
    fn each_request_has_one_number() {
        let (mut request, mut requests) = (Request::default(), Requests::default());
        let mut number = |method: &str, path: &str| {
            request.read(method.as_bytes(), path.as_bytes(), Escapes::None).expect("a request");
            requests.number(&request)
        };
        assert_eq!([number("GET", "/a"), number("GET", "/b"), number("GET", "/a")], [0, 1, 0]);
        assert_eq!(number("PUT", "/a"), 2);
        let pair = |method: &str, path: &str| (method.to_owned(), path.to_owned());
        assert_eq!(requests.into_all(), [pair("GET", "/a"), pair("GET", "/b"), pair("PUT", "/a")]);
    }
}
