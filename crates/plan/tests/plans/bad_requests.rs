//! What is said about plans with bad targets, requests and their rows, whole: what a person reads.

use crate::common::errors;

#[test]
fn a_status_that_no_answer_has() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[request]
expect = { status = 700 }
[arm.a]
closed = { connections = 1 }
"#), @"
    error: `request.expect.status` must be at most 599
     --> checkout.toml:5:21
      |
    5 | expect = { status = 700 }
      |                     ^^^
    ");
}

#[test]
fn a_target_that_is_no_url() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "127.0.0.1:8600"
ready = "healthz"
[arm.a]
closed = { connections = 1 }
"#), @r#"
    error: `target.url` is no URL
     --> checkout.toml:3:7
      |
    3 | url = "127.0.0.1:8600"
      |       ^^^^^^^^^^^^^^^^ write "http://HOST:PORT"

    error: `target.ready` is no path
     --> checkout.toml:4:9
      |
    4 | ready = "healthz"
      |         ^^^^^^^^^ write "/healthz"
    "#);
}

#[test]
fn tls_that_is_set_up_for_a_url_in_the_clear() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
tls = { ca = "ca.pem", version = "1.2" }
[arm.a]
closed = { connections = 1 }
"#), @r#"
    error: `target.tls` is set, and `target.url` does not ask for TLS
     --> checkout.toml:4:1
      |
    4 | tls = { ca = "ca.pem", version = "1.2" }
      | ^^^ write https:// in the URL, or leave `tls` out
    "#);
}

#[test]
fn a_request_with_two_bodies() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[request]
method = "PO ST"
path = "score me"
json = { a = 1 }
body = "a"
[arm.a]
closed = { connections = 1 }
"#), @r#"
    error: `PO ST` is no method
     --> checkout.toml:5:10
      |
    5 | method = "PO ST"
      |          ^^^^^^^

    error: `request.path` does not begin with `/`
     --> checkout.toml:6:8
      |
    6 | path = "score me"
      |        ^^^^^^^^^^ write "/…"

    error: `request.path` holds ' '
     --> checkout.toml:6:8
      |
    6 | path = "score me"
      |        ^^^^^^^^^^ percent-encode it

    error: the request has both `json` and `body`
     --> checkout.toml:8:8
      |
    8 | body = "a"
      |        ^^^ leave one of them out
    "#);
}

#[test]
fn headers_and_pointers_that_are_none() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[request]
headers = { "a b" = "c", d = "e\nf" }
expect = { status = 200 }
[arm.a]
closed = { connections = 1 }
"#), @r#"
    error: `a b` is no name of a header
     --> checkout.toml:5:13
      |
    5 | headers = { "a b" = "c", d = "e\nf" }
      |             ^^^^^

    error: header `d` holds a line end or control character
     --> checkout.toml:5:30
      |
    5 | headers = { "a b" = "c", d = "e\nf" }
      |                              ^^^^^^
    "#);
}

#[test]
fn a_pointer_that_is_none() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[request]
expect = { json = { "score.value" = 1 } }
[arm.a]
closed = { connections = 1 }
"#), @r#"
    error: `score.value` is no JSON pointer
     --> checkout.toml:5:21
      |
    5 | expect = { json = { "score.value" = 1 } }
      |                     ^^^^^^^^^^^^^ write "/score/value"
    "#);
}

#[test]
fn rows_that_are_not_there() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[request]
rows = "nobody.csv"
json = { a = "{{ row.customer }}" }
[arm.a]
closed = { connections = 1 }
"#), @r#"
    error: cannot read the rows `nobody.csv`: entity not found
     --> checkout.toml:5:8
      |
    5 | rows = "nobody.csv"
      |        ^^^^^^^^^^^^ the path counts from the plan's folder
    "#);
}

#[test]
fn a_template_that_names_no_column() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[request]
rows = "customers.csv"
path = "/score/{{ row.custmer }}"
json = { a = "x {{ row.age }}" }
[arm.a]
closed = { connections = 1 }
"#), @r#"
    error: the rows have no column `custmer`
     --> checkout.toml:6:16
      |
    6 | path = "/score/{{ row.custmer }}"
      |                ^^^^^^^^^^^^^^^^^ is `customer` meant?

    error: the rows have no column `age`
     --> checkout.toml:7:17
      |
    7 | json = { a = "x {{ row.age }}" }
      |                 ^^^^^^^^^^^^^ the columns are customer, score
    "#);
}

#[test]
fn a_template_without_rows() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[request]
path = "/{{ row.customer }}"
headers = { x = "{{ user.name }}" }
body = "{{ row.a"
[arm.a]
closed = { connections = 1 }
"#), @r#"
    error: `row.customer` needs rows, and the request names none
     --> checkout.toml:5:10
      |
    5 | path = "/{{ row.customer }}"
      |          ^^^^^^^^^^^^^^^^^^ give request.rows a CSV or JSON lines file

    error: the text holds `{{ user.name }}`, which is no column of a row
     --> checkout.toml:6:18
      |
    6 | headers = { x = "{{ user.name }}" }
      |                  ^^^^^^^^^^^^^^^ write {{ row.COLUMN }}

    error: the text opens {{ and never closes it
     --> checkout.toml:7:9
      |
    7 | body = "{{ row.a"
      |         ^^^^^^^^ write {{ row.COLUMN }}
    "#);
}

#[test]
fn a_row_that_is_no_number() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[request]
rows = "customers.csv"
json = { a = "{{ row.customer | float }}" }
[arm.a]
closed = { connections = 1 }
"#), @r#"
    error: line 2 of the rows has `c-00001` for `customer`, which is no number
     --> checkout.toml:5:8
      |
    5 | rows = "customers.csv"
      |        ^^^^^^^^^^^^^^^
    "#);
}

#[test]
fn rows_of_uneven_length() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[request]
rows = "uneven.csv"
[arm.a]
closed = { connections = 1 }
"#), @r#"
    error: `uneven.csv`, line 2, has 1 values for 2 columns
     --> checkout.toml:5:8
      |
    5 | rows = "uneven.csv"
      |        ^^^^^^^^^^^^
    "#);
}

#[test]
fn rows_without_rows() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[request]
rows = "empty.csv"
[arm.a]
closed = { connections = 1 }
"#), @r#"
    error: `empty.csv` has no rows: nothing would be sent
     --> checkout.toml:5:8
      |
    5 | rows = "empty.csv"
      |        ^^^^^^^^^^^
    "#);
}
