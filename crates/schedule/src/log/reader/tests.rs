use super::*;
use proptest::prelude::*;

const SECOND: Nanos = Nanos::from_secs(1);

/// 10 October 2000, 20:55:36 UTC.
const THEN: u64 = 971_211_336;

fn strict(format: LogFormat, text: &str) -> Result<Log, LogError> {
    parse(text.as_bytes(), &LogOptions::new(format))
}

fn skipping(format: LogFormat, text: &str) -> Result<Log, LogError> {
    parse(text.as_bytes(), &LogOptions { skip_broken: true, ..LogOptions::new(format) })
}

/// Milliseconds after the first entry's second, and the request as text.
fn told(log: &Log) -> Vec<(f64, String)> {
    let began = log.entries[0].at.0 / SECOND.0 * SECOND.0;
    let one = |entry: &Entry| {
        let request = entry.request.map(|number| &log.requests[number as usize]);
        let text = request.map_or(String::new(), |(method, path)| format!("{method} {path}"));
        ((entry.at.0 - began) as f64 / 1e6, text)
    };
    log.entries.iter().map(one).collect()
}

fn check(format: LogFormat, text: &str, expected: &[(f64, &str)]) {
    let log = strict(format, text).unwrap_or_else(|error| panic!("{error}"));
    let expected: Vec<_> = expected.iter().map(|(at, request)| (*at, (*request).to_owned())).collect();
    assert_eq!(told(&log), expected);
    assert_eq!((log.lines, log.broken_count), (expected.len() as u64, 0));
}

/// What is wrong with a single line.
fn fault(format: LogFormat, line: &str) -> LineFault {
    match strict(format, line) {
        Err(LogError::Broken(broken)) => broken.why,
        other => panic!("{line}: {other:?}"),
    }
}

#[test]
fn common_logs_are_read() {
    let text = "\
127.0.0.1 - - [10/Oct/2000:13:55:36 -0700] \"GET /a HTTP/1.0\" 200 2326
2001:db8::7 - Ann Smith [10/Oct/2000:13:55:36 -0700] \"POST /b?c=d HTTP/1.1\" 404 -
[::1] - - [10/Oct/2000:22:55:38 +0200] \"GET /a HTTP/1.0\" 301 0 0.004 more
";
    check(LogFormat::Common, text, &[(0.0, "GET /a"), (0.0, "POST /b?c=d"), (2_000.0, "GET /a")]);
    let log = strict(LogFormat::Common, text).expect("a log");
    assert_eq!((log.entries[0].at, log.resolution), (SECOND * THEN, SECOND));
    assert_eq!(log.requests.len(), 2, "each request is kept once");
}

#[test]
fn combined_logs_are_read() {
    let text = "\
h - - [10/Oct/2000:13:55:36 -0700] \"GET /a HTTP/1.1\" 200 5 \"-\" \"Mozilla/5.0 (X11; \\\"odd\\\")\"
h - - [10/Oct/2000:13:55:37 -0700] \"GET /?q=\\\"x\\\" HTTP/1.1\" 200 5 \"http://a/\" \"\" \"10.0.0.1\" 0.2
";
    check(LogFormat::Combined, text, &[(0.0, "GET /a"), (1_000.0, "GET /?q=%22x%22")]);
}

#[test]
fn nginx_logs_are_read_by_default_and_with_the_time_first() {
    let text = "\
10.1.2.3 - - [10/Oct/2000:20:55:36 +0000] \"GET /a HTTP/1.1\" 200 612 \"-\" \"curl/8.5.0\"
971211336.250 10.1.2.3 \"upstream:80\" \"GET /b HTTP/2.0\" 200 0.003
2000-10-10T20:55:37+00:00 ::1 \"GET /c HTTP/1.1\"
[2000-10-10T20:55:38+00:00] \"DELETE /d HTTP/1.1\" 204
::1 - - [971211338.500] \"GET /e\" 200
";
    let expected =
        [(0.0, "GET /a"), (250.0, "GET /b"), (1e3, "GET /c"), (2e3, "DELETE /d"), (2.5e3, "GET /e")];
    check(LogFormat::Nginx, text, &expected);
    assert_eq!(strict(LogFormat::Nginx, text).expect("a log").resolution, Nanos::from_millis(10));
}

#[test]
fn json_lines_are_read_under_the_keys_in_use() {
    let text = r#"
{"time":"2000-10-10T20:55:36Z","method":"GET","path":"/a"}
{"ts":971211336.5,"request":"GET /b HTTP/1.1","method":null}
{"level":"info","ts":971211336.6241024,"request":{"proto":"HTTP/2","method":"GET","uri":"/c","headers":{"a":["b"]}}}
{"timestamp":971211336750,"method":"PUT","uri":"/d é","x":[1,[2]],"y":-3,"z":true}
{"@timestamp":"2000-10-10T22:55:37.000+0200","request_method":"GET","request_uri":"/e"}
{"time_local":"10/Oct/2000:13:55:38 -0700","method":"G\u0045T","path":"/f"}
  {"msec":"971211339.125","request":"GET http://h/g HTTP/1.1"}
"#;
    let expected = [
        (0.0, "GET /a"),
        (500.0, "GET /b"),
        (624.102, "GET /c"),
        (750.0, "PUT /d%20%C3%A9"),
        (1_000.0, "GET /e"),
        (2_000.0, "GET /f"),
        (3_125.0, "GET /g"),
    ];
    check(LogFormat::Json, text, &expected);
}

#[test]
fn json_lines_need_no_request() {
    check(LogFormat::Json, "{\"ts\":1}\n{\"ts\":2,\"method\":\"GET\"}", &[(0.0, ""), (1_000.0, "")]);
}

#[test]
fn plain_times_are_read_with_requests_or_without() {
    check(LogFormat::Times, "0.5\n 0.75 \n\n2\n", &[(500.0, ""), (750.0, ""), (2_000.0, "")]);
    let text = "\u{feff}\"time\",method,path\r\n\
        2000-10-10T20:55:36.5Z,GET,/a\r\n\
        \"2000-10-10T20:55:37Z\", POST , \"/b,c?d\" \r\n\
        2000-10-10T20:55:37Z,GET,/a";
    check(LogFormat::Times, text, &[(500.0, "GET /a"), (1_000.0, "POST /b,c?d"), (1_000.0, "GET /a")]);
}

#[test]
fn a_broken_line_says_what_is_wrong_with_it() {
    let cases = [
        (LogFormat::Common, "-", LineFault::NoTime),
        (LogFormat::Common, "h - - [10/Xct/2000:13:55:36 -0700] \"GET / HTTP/1.0\" 200 1", LineFault::NoTime),
        (
            LogFormat::Common,
            "h - - [10/Oct/1960:13:55:36 -0700] \"GET / HTTP/1.0\" 200 1",
            LineFault::FarTime,
        ),
        (LogFormat::Common, "h - - [10/Oct/2000:13:55:36 -0700] GET / 200 1", LineFault::NoRequest),
        (LogFormat::Common, "h - - [10/Oct/2000:13:55:36 -0700] \"GET / HTTP", LineFault::NoRequest),
        (LogFormat::Common, "h - - [10/Oct/2000:13:55:36 -0700] \"-\" 408 0", LineFault::BadRequest),
        (LogFormat::Common, "h - - [10/Oct/2000:13:55:36 -0700] \"\\x16\\x03\" 400 0", LineFault::BadRequest),
        (
            LogFormat::Common,
            "h - - [10/Oct/2000:13:55:36 -0700] \"\u{16}\u{3}\" 400 0",
            LineFault::BadRequest,
        ),
        (LogFormat::Common, "h - - [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.0\" 20", LineFault::NoAnswer),
        (LogFormat::Common, "h - - [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.0\" 200", LineFault::NoAnswer),
        (
            LogFormat::Common,
            "h - - [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.0\"200 5",
            LineFault::NoAnswer,
        ),
        (
            LogFormat::Combined,
            "h - - [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.0\" 200 5",
            LineFault::NotCombined,
        ),
        (
            LogFormat::Combined,
            "h - - [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.0\" 200 5 \"-\" \"curl",
            LineFault::NotCombined,
        ),
        (LogFormat::Nginx, "971211336.250 200 0.003", LineFault::NoRequest),
        (LogFormat::Nginx, "971211336.250 \"-\" \"curl\"", LineFault::BadRequest),
        (LogFormat::Nginx, "127.0.0.1 \"GET / HTTP/1.1\"", LineFault::NoTime),
        (LogFormat::Json, "{\"ts\":1,", LineFault::NotJson),
        (LogFormat::Json, "[1,2,3,4,5,6,7,8,9,10,11,12,13]", LineFault::NotJson),
        (LogFormat::Json, "{\"method\":\"GET\",\"path\":\"/\"}", LineFault::NoTime),
        (LogFormat::Json, "{\"ts\":-1}", LineFault::NoTime),
        (LogFormat::Json, "{\"ts\":\"yesterday\"}", LineFault::NoTime),
        (LogFormat::Json, "{\"ts\":{\"at\":1}}", LineFault::NoTime),
        (LogFormat::Json, "{\"ts\":1,\"path\":\"/\"}", LineFault::BadRequest),
        (LogFormat::Json, "{\"ts\":1,\"request\":\"-\"}", LineFault::BadRequest),
        (LogFormat::Times, "1,GET", LineFault::BadRequest),
        (LogFormat::Times, "1,,/a", LineFault::BadRequest),
        (LogFormat::Times, "1;2", LineFault::NoTime),
        (LogFormat::Times, "-5", LineFault::NoTime),
    ];
    for (format, line, expected) in cases {
        assert_eq!(fault(format, line), expected, "{line}");
    }
}

#[test]
fn deeply_nested_json_is_broken_and_no_overflow() {
    let deep = format!("{{\"ts\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(fault(LogFormat::Json, &deep), LineFault::NoTime);
    let deep = format!("{{\"ts\":1,\"request\":{}1{}}}", "{\"uri\":".repeat(100_000), "}".repeat(100_000));
    assert_eq!(fault(LogFormat::Json, &deep), LineFault::NotJson);
}

#[test]
fn the_first_broken_line_is_an_error_at_its_place_unless_they_are_skipped() {
    let text = "1\n\nx1\n2\nx2\nx3\nx4\nx5\nx6\n3\n";
    let broken = |number, text: &str| BrokenLine { number, text: text.to_owned(), why: LineFault::NoTime };
    assert_eq!(strict(LogFormat::Times, text), Err(LogError::Broken(broken(3, "x1"))));
    let log = skipping(LogFormat::Times, text).expect("three lines are good");
    assert_eq!((log.entries.len(), log.lines, log.broken_count), (3, 9, 6));
    let shown: Vec<_> = [(3, "x1"), (5, "x2"), (6, "x3"), (7, "x4"), (8, "x5")]
        .map(|(number, text)| broken(number, text))
        .to_vec();
    assert_eq!(log.broken, shown);
}

#[test]
fn errors_show_the_line_and_say_what_to_do() {
    let error = strict(LogFormat::Times, "1\nyester\u{7}day\n").expect_err("no time");
    assert_eq!(
        error.to_string(),
        "line 2 cannot be read: it has no time where this form has one, or not one that exists\n  \
         yester\\u{7}day\nrepair or remove it, check the form of the log, or have broken lines skipped"
    );
}

#[test]
fn a_long_line_is_shown_in_part_and_read_in_full() {
    let long = format!("?{}", "é".repeat(1_000_000));
    let Err(LogError::Broken(broken)) = strict(LogFormat::Times, &long) else { panic!("a good line?") };
    assert_eq!(broken.text, format!("?{}…", "é".repeat(99)));
    let path = format!("/{}", "a".repeat(1_000_000));
    let log = strict(LogFormat::Times, &format!("1,GET,{path}")).expect("a log");
    assert_eq!(log.requests[0].1, path);
    // Each bracket might begin a time.
    let brackets = format!("{} \"GET / HTTP/1.1\"", "[".repeat(1_000_000));
    assert_eq!(fault(LogFormat::Nginx, &brackets), LineFault::NoTime);
}

#[test]
fn a_log_without_any_good_line_is_an_error() {
    for text in ["", "\n\r\n \n", "time,method,path\n"] {
        assert_eq!(skipping(LogFormat::Times, text), Err(LogError::NoLines), "{text:?}");
    }
    let first = BrokenLine { number: 2, text: "{}".to_owned(), why: LineFault::NoTime };
    assert_eq!(skipping(LogFormat::Json, "\n{}\nx\n"), Err(LogError::AllBroken { lines: 2, first }));
}

#[test]
fn a_heading_may_stand_in_the_first_line_only() {
    assert_eq!(fault(LogFormat::Times, "time\ntime\n1"), LineFault::NoTime);
    assert_eq!(fault(LogFormat::Times, "1\ntime"), LineFault::NoTime);
}

#[test]
fn all_lines_name_a_request_or_none_does() {
    for (text, number) in [("1,GET,/\n2\n", 2), ("1\n2,,\n3,GET,/", 3)] {
        match strict(LogFormat::Times, text) {
            Err(LogError::Broken(broken)) => {
                assert_eq!((broken.number, broken.why), (number, LineFault::OddOneOut));
            }
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn a_step_back_in_time_is_an_error_at_its_line_even_where_broken_lines_are_skipped() {
    let text = "10\n10\n12\nx\n11.5\n13\n9\n14\n";
    let secs = Nanos::from_secs_f64;
    let error = LogError::BackInTime { line: 5, back: secs(0.5), longest: secs(4.0) };
    assert_eq!(skipping(LogFormat::Times, text), Err(error.clone()));
    assert_eq!(
        error.to_string(),
        "line 5 goes back in time by 0.5 s; the longest way back in this log is 4 s. Sort the log by time, \
         or allow steps back of that length"
    );
    // A broken line before it comes first, one after it does not.
    assert!(matches!(strict(LogFormat::Times, text), Err(LogError::Broken(BrokenLine { number: 4, .. }))));
    let behind = strict(LogFormat::Times, "2\n1\nx");
    assert_eq!(behind, Err(LogError::BackInTime { line: 2, back: SECOND, longest: SECOND }));
}

#[test]
fn steps_back_within_what_is_allowed_are_put_in_order() {
    let read = |reorder| {
        let options = LogOptions { reorder, ..LogOptions::new(LogFormat::Times) };
        parse(b"10,GET,/a\n12,GET,/b\n11,GET,/c\n12,GET,/d\n10.5,GET,/e", &options)
    };
    let log = read(Nanos::from_millis(1_500)).expect("within the limit");
    let order: Vec<String> = told(&log).into_iter().map(|(_, request)| request).collect();
    assert_eq!(order, ["GET /a", "GET /e", "GET /c", "GET /b", "GET /d"]);
    let (back, longest) = (Nanos::from_millis(1_500), Nanos::from_millis(1_500));
    assert_eq!(
        read(Nanos::from_millis(1_500) - Nanos(1)),
        Err(LogError::BackInTime { line: 5, back, longest })
    );
}

#[test]
fn the_resolution_is_the_finest_step_of_the_values() {
    let cases = [
        ("1\n2\n", 1_000_000_000),
        ("1.000\n2.000\n", 1_000_000_000),
        ("1\n2.5\n", 100_000_000),
        ("1\n2.25\n3.5\n", 10_000_000),
        ("1.000000001\n2\n", 1),
    ];
    for (text, step) in cases {
        let log = strict(LogFormat::Times, text).expect("a log");
        assert_eq!(log.resolution, Nanos(step), "{text:?}");
    }
}

#[test]
fn forms_are_found_by_their_names() {
    for format in LogFormat::ALL {
        assert_eq!(LogFormat::named(format.name()), Some(format));
    }
    assert_eq!(LogFormat::named("apache"), None);
}

fn any_format() -> impl Strategy<Value = LogFormat> {
    prop::sample::select(LogFormat::ALL.to_vec())
}

/// Pieces of real lines, so that chance gets past the first byte.
fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let pieces = [
        "\n",
        "\r",
        " ",
        "\"",
        "[",
        "]",
        "\\",
        "{",
        "}",
        ":",
        ",",
        "-",
        "1",
        "0.5",
        "\\x1",
        "\u{0}",
        "é",
        "GET /a",
        "GET /a HTTP/1.1",
        " 200 5 ",
        "[10/Oct/2000:13:55:36 -0700] ",
        "2000-10-10T20:55:37+00:00",
        "971211336.250 ",
        "{\"ts\":",
        "\"method\":\"GET\"",
        "\"path\":\"/\"",
        "9999999999999999999",
        "http://h",
        "\"request\":",
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..40)
        .prop_map(|some| some.concat().into_bytes())
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic_and_its_books_balance(
        bytes in prop_oneof![prop::collection::vec(any::<u8>(), 0..400), pieces()],
        format in any_format(),
        skip_broken: bool,
        reorder in prop_oneof![Just(Nanos::ZERO), Just(Nanos::MAX)],
    ) {
        match parse(&bytes, &LogOptions { format, skip_broken, reorder }) {
            Ok(log) => {
                prop_assert_eq!(log.entries.len() as u64 + log.broken_count, log.lines);
                prop_assert!(skip_broken || log.broken_count == 0);
                prop_assert!(log.entries.is_sorted_by_key(|entry| entry.at));
                let used = |number: u32| (number as usize) < log.requests.len();
                prop_assert!(log.entries.iter().all(|entry| entry.request.is_none_or(used)));
            }
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }

    #[test]
    fn lines_end_as_they_may(cr: bool, last: bool, empty in 0_usize..3) {
        let end = format!("{}\n", if cr { "\r" } else { "" });
        let mut text = format!("1{}2{end}3", end.repeat(1 + empty));
        if last {
            text.push_str(&end);
        }
        let log = strict(LogFormat::Times, &text).expect("three times");
        prop_assert_eq!((log.lines, log.entries.len()), (3, 3));
    }
}
