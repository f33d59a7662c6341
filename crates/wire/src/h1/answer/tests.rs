//! Bytes in, events out: a table for each rule. `tests/` holds the properties
//! that no table can show, and the recorded answers.

use super::super::{CHUNK_LINE_LIMIT, HEADER_LIMIT};
use super::*;

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
fn a_body_of_known_length_ends_there() {
    check(PLAIN, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, true, "hello");
    check(PLAIN, "HTTP/1.1 404 Not Found\r\ncontent-LENGTH:  0 \r\n\r\n", 404, true, "");
    check(PLAIN, "HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n", 200, true, "");
    check(PLAIN, "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", 200, true, "");
    check(PLAIN, "HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n", 999, true, "");
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
fn equal_lengths_count_as_one() {
    check(PLAIN, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 02\r\n\r\nok", 200, true, "ok");
    check(PLAIN, "HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nok", 200, true, "ok");
}

#[test]
fn lengths_that_contradict_each_other_are_an_error() {
    let error = ProtocolError::LengthsDiffer { first: 2, second: 3 };
    check_error("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n", error);
    check_error("HTTP/1.1 200 OK\r\nContent-Length: 2, 2,3\r\n\r\n", error);
}

#[test]
fn lengths_that_are_no_numbers_are_an_error() {
    for value in ["", "-1", "+1", "0x10", "1 2", "ten", "1.0", "²"] {
        let error = ProtocolError::BadLength { seen: seen(value) };
        check_error(format!("HTTP/1.1 200 OK\r\nContent-Length: {value}\r\n\r\n"), error);
    }
    let error = ProtocolError::BadLength { seen: seen("") };
    check_error("HTTP/1.1 200 OK\r\nContent-Length: 1,\r\n\r\n", error);
}

#[test]
fn lengths_are_read_up_to_the_last_that_fits() {
    let largest = u64::MAX.to_string();
    let missing = Ended::Truncated(Truncated::Body { missing: u64::MAX });
    check_end(PLAIN, &format!("HTTP/1.1 200 OK\r\nContent-Length: {largest}\r\n\r\n"), "", missing);
    for value in ["18446744073709551616", "99999999999999999999999"] {
        let error = ProtocolError::LengthTooLarge { seen: seen(value) };
        check_error(format!("HTTP/1.1 200 OK\r\nContent-Length: {value}\r\n\r\n"), error);
    }
}

#[test]
fn chunks_are_put_together_and_extensions_and_trailers_read_over() {
    let chunked = |rest: &str| format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{rest}");
    let cases = [
        ("0\r\n\r\n", ""),
        ("5\r\nhello\r\n0\r\n\r\n", "hello"),
        ("2\r\nhe\r\n3\r\nllo\r\n000\r\n\r\n", "hello"),
        ("A\r\n0123456789\r\n0\r\n\r\n", "0123456789"),
        ("a;n=v;q=\"x;y\"\r\n0123456789\r\n0;last\r\n\r\n", "0123456789"),
        ("2 \t;x\r\nok\r\n0  \r\n\r\n", "ok"),
        ("2\r\n\r\n\r\n0\r\n\r\n", "\\r\\n"),
        ("2\r\nok\r\n0\r\nX-Sum: 1\r\nX-More: 2\r\n\r\n", "ok"),
        ("2\r\nok\r\n0\r\nX: 1\n\n", "ok"),
        ("00000000000000000000002\r\nok\r\n0\r\n\r\n", "ok"),
    ];
    for (rest, body) in cases {
        check(PLAIN, &chunked(rest), 200, true, body);
    }
}

#[test]
fn chunks_that_break_the_rules_are_an_error() {
    let line = |byte: &str| ProtocolError::BadChunkLine { seen: seen(byte) };
    let end = |byte: &str| ProtocolError::BadChunkEnd { seen: seen(byte) };
    let cases = [
        ("\r\n", line("\r")),
        (";x\r\n", line(";")),
        ("g\r\n", line("g")),
        (" 2\r\n", line(" ")),
        ("-2\r\n", line("-")),
        ("0x2\r\n", line("x")),
        ("2\nok", line("\n")),
        ("2\r\r\n", line("\r")),
        ("2 3\r\n", line("3")),
        ("2;x\nok", line("\n")),
        ("2;\0\r\n", line("\0")),
        ("2\r\nokay\r\n", end("a")),
        ("2\r\nok\n0\r\n", end("\n")),
        ("2\r\nok\rx", end("x")),
        ("10000000000000000\r\n", ProtocolError::ChunkTooLarge),
    ];
    for (rest, error) in cases {
        check_error(format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{rest}"), error);
    }
}

#[test]
fn a_chunk_may_be_as_large_as_a_number_and_not_one_digit_larger() {
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let end = Ended::Truncated(Truncated::Chunks);
    check_end(PLAIN, &format!("{head}ffffffffffffffff\r\nabc"), "abc", end);
    check_error(format!("{head}fffffffffffffffff\r\n"), ProtocolError::ChunkTooLarge);
}

#[test]
fn chunked_wins_over_a_length() {
    let answer =
        "HTTP/1.1 200 OK\r\nContent-Length: 99\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n";
    check(PLAIN, answer, 200, true, "ok");
    let answer = answer.replace("99", "nonsense");
    check(PLAIN, &answer, 200, true, "ok");
}

#[test]
fn only_the_last_transfer_coding_frames_the_body() {
    let done = Ended::Complete { status: 200 };
    for fields in ["gzip, Chunked", ", gzip ,\tchunked ,", "gzip\r\nTransfer-Encoding: chunked"] {
        let answer = format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: {fields}\r\n\r\n2\r\nok\r\n0\r\n\r\n");
        check(PLAIN, &answer, 200, true, "ok");
    }
    for fields in ["gzip", "chunked, gzip", "chunked\r\nTransfer-Encoding: gzip", "", "xchunked", "identity"]
    {
        let answer =
            format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: {fields}\r\nContent-Length: 1\r\n\r\n2\r\nok");
        check_end(PLAIN, &answer, "2\\r\\nok", done);
    }
    for fields in ["chunked, chunked", "chunked;x=1", "chunked, gzip, chunked"] {
        let answer = format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: {fields}\r\n\r\n");
        check_error(answer, ProtocolError::BadChunkedCoding);
    }
}

#[test]
fn some_answers_have_no_body_whatever_their_headers_say() {
    for fields in ["Content-Length: 5", "Transfer-Encoding: chunked", "Content-Length: x", "X: y"] {
        for status in [204, 304] {
            check(PLAIN, &format!("HTTP/1.1 {status} X\r\n{fields}\r\n\r\n"), status, true, "");
        }
        check(HEAD, &format!("HTTP/1.1 200 OK\r\n{fields}\r\n\r\n"), 200, true, "");
    }
}

#[test]
fn a_body_without_length_ends_with_the_connection() {
    let done = Ended::Complete { status: 200 };
    check_end(PLAIN, "HTTP/1.1 200 OK\r\n\r\nall of it", "all of it", done);
    check_end(PLAIN, "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n\r\n", "", done);
}

#[test]
fn a_connection_is_reusable_if_both_sides_keep_it() {
    let cases = [
        ("1.1", "X: y", true),
        ("1.1", "Connection: close", false),
        ("1.1", "CONNECTION: Upgrade , CLOSE", false),
        ("1.1", "Connection: keep-alive\r\nConnection: close", false),
        ("1.1", "Connection: closed", true),
        ("1.1", "X-Connection: close", true),
        ("1.0", "X: y", false),
        ("1.0", "Connection: Keep-Alive", true),
        ("1.0", "Connection: foo,keep-alive", true),
        ("1.0", "Connection: keep-alive, close", false),
    ];
    for (version, field, reusable) in cases {
        let answer = format!("HTTP/{version} 200 OK\r\n{field}\r\nContent-Length: 2\r\n\r\nok");
        check(PLAIN, &answer, 200, reusable, "ok");
        check(Asked { close: true, ..PLAIN }, &answer, 200, false, "ok");
    }
}

#[test]
fn chunks_from_http_1_0_are_read_and_then_the_connection_is_left() {
    let answer =
        "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n";
    check(PLAIN, answer, 200, false, "ok");
}

#[test]
fn interim_answers_are_skipped_up_to_a_limit() {
    let interim =
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\nContent-Length: 9\r\n\r\n";
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
fn lines_of_chunks_and_trailers_may_fill_their_limits() {
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let line = |length: usize| format!("{head}0;{}\r\n\r\n", "x".repeat(length - 4));
    check(PLAIN, &line(CHUNK_LINE_LIMIT), 200, true, "");
    check_error(line(CHUNK_LINE_LIMIT + 1), ProtocolError::ChunkLineTooLong { limit: CHUNK_LINE_LIMIT });

    let trailers = |length: usize| format!("{head}0\r\nX: {}\r\n\r\n", "x".repeat(length - 7));
    check(PLAIN, &trailers(HEAD_LIMIT), 200, true, "");
    check_error(trailers(HEAD_LIMIT + 1), ProtocolError::TrailersTooLarge { limit: HEAD_LIMIT });
}

#[test]
fn many_chunks_together_may_be_longer_than_one_line() {
    let chunks = "1\r\nx\r\n".repeat(CHUNK_LINE_LIMIT);
    let bytes = format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}0\r\n\r\n");
    check(PLAIN, &bytes, 200, true, &"x".repeat(CHUNK_LINE_LIMIT));
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
