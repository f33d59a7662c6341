use super::*;

const GET: RequestParts<'static> =
    RequestParts { method: "GET", path: "/", host: "localhost:8600", headers: &[], body: None, close: false };

fn headers(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect()
}

/// The request's text with the version, which changes, put out of the way.
#[track_caller]
fn check(parts: RequestParts<'_>, text: &str) {
    let request = parts.build().expect("the parts are fine");
    let sent = String::from_utf8_lossy(request.bytes()).replace(env!("CARGO_PKG_VERSION"), "VERSION");
    assert_eq!(sent, text);
}

#[track_caller]
fn check_refused(parts: RequestParts<'_>, message: &str) {
    assert_eq!(parts.build().unwrap_err().to_string(), message);
}

#[test]
fn a_get_says_host_user_agent_and_accept() {
    check(
        GET,
        "GET / HTTP/1.1\r\nHost: localhost:8600\r\nUser-Agent: doorclock/VERSION\r\nAccept: */*\r\n\r\n",
    );
}

#[test]
fn a_body_comes_with_its_length() {
    check(
        RequestParts { method: "POST", path: "/score?x=1", body: Some(b"{\"a\":1}"), ..GET },
        "POST /score?x=1 HTTP/1.1\r\nHost: localhost:8600\r\nUser-Agent: doorclock/VERSION\r\nAccept: */*\r\n\
         Content-Length: 7\r\n\r\n{\"a\":1}",
    );
}

#[test]
fn methods_made_for_a_body_say_that_there_is_none() {
    for (method, body, says) in [
        ("POST", None, true),
        ("PUT", None, true),
        ("PATCH", None, true),
        ("GET", None, false),
        ("DELETE", None, false),
        ("GET", Some(b"".as_slice()), true),
    ] {
        let request = RequestParts { method, body, ..GET }.build().expect("the parts are fine");
        let text = String::from_utf8_lossy(request.bytes()).into_owned();
        assert_eq!(text.contains("\r\nContent-Length: 0\r\n"), says, "{method} {body:?}");
    }
}

#[test]
fn given_headers_replace_ours_in_any_case_and_keep_their_order() {
    let given = headers(&[
        ("HOST", "elsewhere"),
        ("user-agent", "mine"),
        ("cookie", "a=1"),
        ("cookie", "b=2"),
        ("accept", "text/plain"),
        ("content-length", "2"),
        ("Connection", "keep-alive"),
    ]);
    check(
        RequestParts { headers: &given, body: Some(b"ok"), close: true, ..GET },
        "GET / HTTP/1.1\r\nHOST: elsewhere\r\nuser-agent: mine\r\ncookie: a=1\r\ncookie: b=2\r\n\
         accept: text/plain\r\ncontent-length: 2\r\nConnection: keep-alive\r\n\r\nok",
    );
}

#[test]
fn what_was_asked_is_remembered_for_reading_the_answer() {
    let closing = headers(&[("connection", "TE, Close")]);
    let cases = [
        (GET, Asked { head: false, close: false }),
        (RequestParts { method: "HEAD", ..GET }, Asked { head: true, close: false }),
        (RequestParts { close: true, ..GET }, Asked { head: false, close: true }),
        (RequestParts { headers: &closing, ..GET }, Asked { head: false, close: true }),
    ];
    for (parts, asked) in cases {
        assert_eq!(parts.build().map(|request| request.asked()), Ok(asked), "{parts:?}");
    }
}

#[test]
fn close_is_said_when_asked_for() {
    check(
        RequestParts { close: true, ..GET },
        "GET / HTTP/1.1\r\nHost: localhost:8600\r\nUser-Agent: doorclock/VERSION\r\nAccept: */*\r\n\
         Connection: close\r\n\r\n",
    );
}

#[test]
fn nothing_can_smuggle_a_line_into_the_head() {
    let word = "is not a word of letters, digits and !#$%&'*+-.^_`|~";
    for method in ["", "GE T", "GET\r\n", "GÉT", "GET/"] {
        check_refused(RequestParts { method, ..GET }, &format!("method {method:?} {word}"));
    }
    for (path, message) in [
        ("", "path \"\" does not begin with `/`"),
        ("x", "path \"x\" does not begin with `/`"),
        ("http://h/", "path \"http://h/\" does not begin with `/`"),
        ("/a b", "path holds ' ': percent-encode it"),
        ("/a\r\nX: y", "path holds '\\r': percent-encode it"),
        ("/ü", "path holds 'ü': percent-encode it"),
        ("/\u{7f}", "path holds '\\u{7f}': percent-encode it"),
        ("/a#b", "path holds a fragment (`#`), which is never sent: leave it out"),
    ] {
        check_refused(RequestParts { path, ..GET }, message);
    }
    for host in ["", "a b", "a\r\nX: y", "ü"] {
        let message = format!("host {host:?} is not a name or address with an optional port");
        check_refused(RequestParts { host, ..GET }, &message);
    }
    for name in ["", "a b", "a:", "a\r\nb", "ü"] {
        let given = headers(&[(name, "v")]);
        check_refused(RequestParts { headers: &given, ..GET }, &format!("header name {name:?} {word}"));
    }
    for (value, letter) in
        [("a\r\nX: y", "'\\r'"), ("a\nb", "'\\n'"), ("a\0", "'\\0'"), ("\u{7f}", "'\\u{7f}'")]
    {
        let given = headers(&[("x", value)]);
        check_refused(RequestParts { headers: &given, ..GET }, &format!("value of header x holds {letter}"));
    }
}

#[test]
fn values_may_hold_tabs_and_letters_beyond_ascii() {
    let given = headers(&[("x", "a\tb ü")]);
    assert!(RequestParts { headers: &given, ..GET }.build().is_ok());
}

#[test]
fn headers_that_would_break_the_framing_are_refused() {
    let cases = [
        (headers(&[("content-length", "3")]), "content-length is given as \"3\", but the body has 2 bytes"),
        (
            headers(&[("content-length", "2"), ("Content-Length", "2")]),
            "header Content-Length is given twice",
        ),
        (headers(&[("host", "a"), ("Host", "b")]), "header Host is given twice"),
        (
            headers(&[("transfer-encoding", "chunked")]),
            "transfer-encoding cannot be given: the body is sent as it is, with its length",
        ),
    ];
    for (given, message) in cases {
        check_refused(RequestParts { headers: &given, body: Some(b"ok"), ..GET }, message);
    }
    check_refused(
        RequestParts { method: "CONNECT", ..GET },
        "method CONNECT asks for a tunnel, which doorclock does not speak",
    );
}

#[test]
fn options_may_ask_about_the_whole_service() {
    assert!(RequestParts { method: "OPTIONS", path: "*", ..GET }.build().is_ok());
}
