//! Where a body ends: by its length, its last chunk, or the connection.

use super::*;

#[test]
fn a_body_of_known_length_ends_there() {
    check(PLAIN, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, true, "hello");
    check(PLAIN, "HTTP/1.1 404 Not Found\r\ncontent-LENGTH:  0 \r\n\r\n", 404, true, "");
    check(PLAIN, "HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n", 200, true, "");
    check(PLAIN, "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", 200, true, "");
    check(PLAIN, "HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n", 999, true, "");
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
    let error = ProtocolError::LengthsDiffer { first: 3, second: 2 };
    check_error("HTTP/1.1 200 OK\r\nContent-Length: 3, 2\r\n\r\n", error);
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
    for fields in [
        "gzip, Chunked",
        ", gzip ,\tchunked ,",
        "gzip\r\nTransfer-Encoding: chunked",
        "chunked\r\nTransfer-Encoding:",
    ] {
        let answer = format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: {fields}\r\n\r\n2\r\nok\r\n0\r\n\r\n");
        check(PLAIN, &answer, 200, true, "ok");
    }
    for fields in ["gzip", "chunked, gzip", "chunked\r\nTransfer-Encoding: gzip", "", "xchunked", "identity"]
    {
        let answer =
            format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: {fields}\r\nContent-Length: 1\r\n\r\n2\r\nok");
        check_end(PLAIN, &answer, "2\\r\\nok", done);
    }
    for fields in
        ["chunked, chunked", "chunked;x=1", "chunked, gzip, chunked", "chunked\r\nTransfer-Encoding: chunked"]
    {
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
fn chunks_from_http_1_0_are_read_and_then_the_connection_is_left() {
    let answer =
        "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n";
    check(PLAIN, answer, 200, false, "ok");
}

#[test]
fn lines_of_chunks_and_trailers_may_fill_their_limits() {
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let line = |length: usize| format!("{head}0;{}\r\n\r\n", "x".repeat(length - 4));
    check(PLAIN, &line(CHUNK_LINE_LIMIT), 200, true, "");
    let too_long = ProtocolError::ChunkLineTooLong { limit: CHUNK_LINE_LIMIT };
    check_error(line(CHUNK_LINE_LIMIT + 1), too_long);
    let second_line = |length: usize| line(length).replace("0;", "2\r\nok\r\n0;");
    check(PLAIN, &second_line(CHUNK_LINE_LIMIT), 200, true, "ok");
    check_error(second_line(CHUNK_LINE_LIMIT + 1), too_long);

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
