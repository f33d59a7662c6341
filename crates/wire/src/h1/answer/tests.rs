//! Bytes in, events out: a table for each rule. `tests/` holds the properties
//! that no table can show, and the corpus.

use super::super::{CHUNK_LINE_LIMIT, HEADER_LIMIT};
use super::*;

mod framing;

const PLAIN: Asked = Asked { head: false, close: false };
const HEAD: Asked = Asked { head: true, close: false };

/// All that one answer gave: its body, and the last event.
#[derive(Debug, PartialEq)]
struct Read {
    body: String,
    last: Result<Received, ProtocolError>,
}

fn read(asked: Asked, bytes: &[u8]) -> Read {
    let mut answer = Answer::default();
    answer.begin(asked);
    let mut body = Vec::new();
    let last = answer.receive(bytes, &mut |piece| body.extend_from_slice(piece));
    Read { body: body.escape_ascii().to_string(), last }
}

/// The bytes are one whole answer and nothing else.
#[track_caller]
fn check(asked: Asked, bytes: &str, status: u16, reusable: bool, body: &str) {
    let last = Ok(Received::Complete { status, reusable, consumed: bytes.len() });
    assert_eq!(read(asked, bytes.as_bytes()), Read { body: body.into(), last }, "{bytes:?}");
}

/// The bytes are not the whole answer; `end` is what the peer's close makes of it.
#[track_caller]
fn check_end(asked: Asked, bytes: &str, body: &str, end: Ended) {
    let mut answer = Answer::default();
    answer.begin(asked);
    let mut seen = Vec::new();
    let last = answer.receive(bytes.as_bytes(), &mut |piece| seen.extend_from_slice(piece));
    assert_eq!(last, Ok(Received::Partial), "{bytes:?}");
    assert_eq!(seen.escape_ascii().to_string(), body, "{bytes:?}");
    assert_eq!(answer.end(), Ok(end), "{bytes:?}");
    assert_eq!(answer.end(), Ok(Ended::Idle), "{bytes:?} ends only once");
}

#[track_caller]
fn check_error(bytes: impl AsRef<[u8]>, error: ProtocolError) {
    let bytes = bytes.as_ref();
    assert_eq!(read(PLAIN, bytes).last, Err(error), "{}", bytes.escape_ascii());
}

fn seen(text: &str) -> super::super::Seen {
    text.as_bytes().into()
}

#[test]
fn lines_of_a_head_may_end_with_a_line_feed_alone() {
    check(PLAIN, "HTTP/1.1 200 OK\nContent-Length: 2\n\nok", 200, true, "ok");
}

#[test]
fn folded_headers_are_read_as_one_line() {
    check(
        PLAIN,
        "HTTP/1.1 200 OK\r\nConnection: a,\r\n  close\r\nContent-Length:\r\n 2\r\n\r\nok",
        200,
        false,
        "ok",
    );
}

#[test]
fn a_connection_is_reusable_if_both_sides_keep_it() {
    let cases = [
        ("1.1", "X: y", true),
        ("1.1", "Connection: close", false),
        ("1.1", "CONNECTION: Upgrade , CLOSE", false),
        ("1.1", "Connection: keep-alive\r\nConnection: close", false),
        ("1.1", "Connection: close, keep-alive", false),
        ("1.1", "Connection: closed", true),
        ("1.1", "X-Connection: close", true),
        ("1.0", "X: y", false),
        ("1.0", "Connection: Keep-Alive", true),
        ("1.0", "Connection: foo,keep-alive", true),
        ("1.0", "Connection: keep-alive,foo", true),
        ("1.0", "Connection: keep-alive, close", false),
    ];
    for (version, field, reusable) in cases {
        let answer = format!("HTTP/{version} 200 OK\r\n{field}\r\nContent-Length: 2\r\n\r\nok");
        check(PLAIN, &answer, 200, reusable, "ok");
        check(Asked { close: true, ..PLAIN }, &answer, 200, false, "ok");
    }
}

#[test]
fn interim_answers_are_skipped_up_to_a_limit() {
    let interim =
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\nContent-Length: x\r\n\r\n";
    let real = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    check(PLAIN, &format!("{interim}{real}"), 200, true, "ok");
    check_end(PLAIN, interim, "", Ended::Truncated(Truncated::Head));

    let at_limit = "HTTP/1.1 102 Processing\r\n\r\n".repeat(INTERIM_LIMIT as usize);
    check(PLAIN, &format!("{at_limit}{real}"), 200, true, "ok");
    let error = ProtocolError::TooManyInterims { limit: INTERIM_LIMIT };
    check_error(format!("{at_limit}HTTP/1.1 102 Processing\r\n\r\n{real}"), error);
}

#[test]
fn switching_protocols_is_an_error_because_nobody_asked() {
    check_error("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", ProtocolError::Switched);
}

#[test]
fn other_protocols_and_versions_are_named_by_their_first_bytes() {
    for bytes in [
        "SSH-2.0-OpenSSH\r\n",
        "HTTP/2.0 200 OK\r\n\r\n",
        "HTTP/1.2 200 OK\r\n\r\n",
        "http/1.1 200 OK\r\n\r\n",
        "<html>",
        "\0\0\x12\x04\0\0\0\0\0",
        "\r\nHTTP/1.1 200 OK\r\n\r\n",
        "\nHTTP/1.1 200 OK\r\n\r\n",
        " HTTP/1.1 200 OK\r\n\r\n",
    ] {
        check_error(bytes, ProtocolError::NotHttp { began: seen(bytes) });
    }
}

#[test]
fn heads_that_break_the_rules_are_an_error() {
    let cases = [
        ("HTTP/1.1 20 OK\r\n\r\n", ProtocolError::BadStatusLine),
        ("HTTP/1.1 2000 OK\r\n\r\n", ProtocolError::BadStatusLine),
        ("HTTP/1.1 OK\r\n\r\n", ProtocolError::BadStatusLine),
        ("HTTP/1.1 200 O\0K\r\n\r\n", ProtocolError::BadStatusLine),
        ("HTTP/1.1 099 Low\r\n\r\n", ProtocolError::BadStatus { status: 99 }),
        ("HTTP/1.1 200 OK\r\nno colon\r\n\r\n", ProtocolError::BadHeaderName),
        ("HTTP/1.1 200 OK\r\n: x\r\n\r\n", ProtocolError::BadHeaderName),
        ("HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\n", ProtocolError::BadHeaderName),
        ("HTTP/1.1 200 OK\r\n folded\r\n\r\n", ProtocolError::BadHeaderName),
        ("HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n", ProtocolError::BadHeaderValue),
        ("HTTP/1.1 200 OK\r\nX: a\rb\r\n\r\n", ProtocolError::BadHeaderValue),
        ("HTTP/1.1 200 OK\r\nX: a\r\n\rb\r\n\r\n", ProtocolError::BadLineEnd),
    ];
    for (bytes, error) in cases {
        check_error(bytes, error);
    }
}

#[test]
fn a_head_may_fill_its_limit_and_not_one_byte_more() {
    let around = "HTTP/1.1 204 X\r\nX: \r\n\r\n".len();
    let filled = |length: usize| format!("HTTP/1.1 204 X\r\nX: {}\r\n\r\n", "a".repeat(length - around));
    let too_large = ProtocolError::HeadTooLarge { limit: HEAD_LIMIT };
    check(PLAIN, &filled(HEAD_LIMIT), 204, true, "");
    check_error(filled(HEAD_LIMIT + 1), too_large);

    for (length, fits) in [(HEAD_LIMIT, true), (HEAD_LIMIT + 1, false)] {
        let mut answer = Answer::default();
        answer.begin(PLAIN);
        let head = filled(length);
        let last = head.as_bytes().chunks(1000).map(|piece| answer.receive(piece, &mut |_| ())).last();
        match fits {
            true => assert!(matches!(last, Some(Ok(Received::Complete { status: 204, .. }))), "{last:?}"),
            false => assert_eq!(last, Some(Err(too_large))),
        }
    }
}

#[test]
fn a_head_may_have_as_many_headers_as_the_limit_says() {
    let with = |headers: usize| format!("HTTP/1.1 204 X\r\n{}\r\n", "X: y\r\n".repeat(headers));
    check(PLAIN, &with(HEADER_LIMIT), 204, true, "");
    check_error(with(HEADER_LIMIT + 1), ProtocolError::TooManyHeaders { limit: HEADER_LIMIT });
}

#[test]
fn a_close_inside_an_answer_says_where_it_was_cut() {
    let cut = Ended::Truncated;
    check_end(PLAIN, "H", "", cut(Truncated::Head));
    check_end(PLAIN, "HTTP/1.1 200 OK\r\nContent-Le", "", cut(Truncated::Head));
    check_end(PLAIN, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "", cut(Truncated::Body { missing: 5 }));
    check_end(
        PLAIN,
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
        "hell",
        cut(Truncated::Body { missing: 1 }),
    );
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (rest, body) in [("", ""), ("5\r\nhe", "he"), ("2\r\nok\r\n0\r\n", "ok"), ("0\r\nX: y\r\n\r", "")] {
        check_end(PLAIN, &format!("{chunked}{rest}"), body, cut(Truncated::Chunks));
    }
}

#[test]
fn a_close_before_any_byte_is_told_apart_so_that_the_request_can_be_resent() {
    let mut answer = Answer::default();
    assert_eq!(answer.end(), Ok(Ended::Idle));
    answer.begin(PLAIN);
    assert_eq!(answer.receive(b"", &mut |_| ()), Ok(Received::Partial));
    assert!(!answer.started());
    assert_eq!(answer.end(), Ok(Ended::Unanswered));

    answer.begin(PLAIN);
    assert_eq!(answer.receive(b"H", &mut |_| ()), Ok(Received::Partial));
    assert!(answer.started());
    assert_eq!(answer.end(), Ok(Ended::Truncated(Truncated::Head)));

    answer.begin(PLAIN);
    assert!(!answer.started());
    assert_eq!(answer.end(), Ok(Ended::Unanswered));
}

#[test]
fn garbage_that_ends_before_a_head_does_is_an_error_and_no_cut() {
    let mut answer = Answer::default();
    answer.begin(PLAIN);
    for byte in b"HTTP/1.1 200 OK\r\nnot a header\r\n" {
        assert_eq!(answer.receive(&[*byte], &mut |_| ()), Ok(Received::Partial));
    }
    assert_eq!(answer.end(), Err(ProtocolError::BadHeaderName));
}

#[test]
fn bytes_after_the_answer_are_left_to_the_caller() {
    let bytes = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 408 X\r\n\r\n";
    let read = read(PLAIN, bytes);
    let consumed = bytes.len() - b"HTTP/1.1 408 X\r\n\r\n".len();
    assert_eq!(read.last, Ok(Received::Complete { status: 200, reusable: true, consumed }));
}

#[test]
fn bytes_on_an_idle_connection_are_an_error() {
    let mut answer = Answer::default();
    let unasked = Err(ProtocolError::Unasked { began: seen("hi") });
    assert_eq!(answer.receive(b"hi", &mut |_| ()), unasked);

    answer.begin(HEAD);
    let head = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n";
    assert!(matches!(answer.receive(head, &mut |_| ()), Ok(Received::Complete { .. })));
    assert!(!answer.is_awaited());
    assert_eq!(answer.receive(b"hi", &mut |_| ()), unasked);
}

#[test]
fn an_error_is_final_until_the_next_answer_begins() {
    let mut answer = Answer::default();
    answer.begin(PLAIN);
    let error = Err(ProtocolError::Switched);
    assert_eq!(answer.receive(b"HTTP/1.1 101 X\r\n\r\n", &mut |_| ()), error);
    let whole = b"HTTP/1.1 204 X\r\n\r\n";
    assert_eq!(answer.receive(whole, &mut |_| ()), error);
    assert!(!answer.is_awaited());

    answer.begin(PLAIN);
    assert!(matches!(answer.receive(whole, &mut |_| ()), Ok(Received::Complete { status: 204, .. })));
}

#[test]
fn the_status_is_known_with_the_head_and_forgotten_with_the_next_request() {
    let mut answer = Answer::default();
    answer.begin(PLAIN);
    assert_eq!(answer.receive(b"HTTP/1.1 100 X\r\n\r\nHTTP/1.1 50", &mut |_| ()), Ok(Received::Partial));
    assert_eq!(answer.status(), None);
    assert_eq!(answer.receive(b"3 X\r\nContent-Length: 9\r\n\r\nh", &mut |_| ()), Ok(Received::Partial));
    assert_eq!(answer.status(), Some(503));
    answer.begin(PLAIN);
    assert_eq!(answer.status(), None);
}

#[test]
fn a_head_that_was_cut_leaves_nothing_behind_for_the_next_connection() {
    let mut answer = Answer::default();
    answer.begin(PLAIN);
    assert_eq!(answer.receive(b"HTTP/1.1 200 OK\r\nConn", &mut |_| ()), Ok(Received::Partial));
    answer.begin(PLAIN);
    let whole = b"HTTP/1.1 204 X\r\n\r\n";
    let complete = Received::Complete { status: 204, reusable: true, consumed: whole.len() };
    assert_eq!(answer.receive(whole, &mut |_| ()), Ok(complete));
}

#[test]
fn an_answer_that_is_whole_in_one_buffer_is_not_copied() {
    for framed in ["Content-Length: 2\r\n\r\nok", "Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"] {
        let bytes = format!("HTTP/1.1 200 OK\r\n{framed}");
        let mut answer = Answer::default();
        answer.begin(PLAIN);
        let last = answer.receive(bytes.as_bytes(), &mut |piece| {
            assert!(bytes.as_bytes().as_ptr_range().contains(&piece.as_ptr()), "the body lies where it came");
        });
        assert!(matches!(last, Ok(Received::Complete { .. })));
        assert_eq!(answer.gathered.capacity(), 0, "nothing was gathered");
    }
}

#[test]
fn headers_can_be_looked_up_where_the_head_is_kept_however_it_was_cut() {
    let bytes = b"HTTP/1.1 100 Continue\r\nX-Id: early\r\n\r\nHTTP/1.1 200 OK\r\nX-Id: 7\r\nContent-Length: 2\r\n\r\nok";
    for cut in 1..bytes.len() {
        let mut answer = Answer::default();
        answer.begin(PLAIN);
        answer.keep_head(true);
        for part in [&bytes[..cut], &bytes[cut..]] {
            answer.receive(part, &mut |_| {}).expect("HTTP");
        }
        assert_eq!(answer.header("x-id"), Some(&b"7"[..]), "cut at {cut}");
        assert_eq!(answer.header("etag"), None);
        answer.begin(PLAIN);
        assert_eq!(answer.header("x-id"), None, "the next answer has none yet");
    }
    let mut unkept = Answer::default();
    unkept.begin(PLAIN);
    unkept.receive(bytes, &mut |_| {}).expect("HTTP");
    assert_eq!(unkept.header("x-id"), None);
}
