//! What is said about plans with bad recordings, whole: what a person reads.

use crate::common::errors;

#[test]
fn a_recording_that_is_not_there() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
open = {}
[shape]
replay = { file = "gone.log", format = "combined" }
"#), @r#"
    error: cannot read the recording `gone.log`: entity not found
     --> checkout.toml:7:19
      |
    7 | replay = { file = "gone.log", format = "combined" }
      |                   ^^^^^^^^^^ the path counts from the plan's folder
    "#);
}

#[test]
fn a_recording_without_a_format_or_in_an_unknown_one() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
open = {}
shape.replay = { file = "access.log" }
[arm.b]
open = {}
shape.replay = { file = "access.log", format = "combine" }
[arm.c]
open = {}
shape.replay = { file = "access.log", format = "apache" }
"#), @r#"
    error: the replay of arm `a` lacks `format`
     --> checkout.toml:6:7
      |
    6 | shape.replay = { file = "access.log" }
      |       ^^^^^^ write format = "combined"

    error: the `format` of the replay of arm `b` cannot be `combine`
     --> checkout.toml:9:48
      |
    9 | shape.replay = { file = "access.log", format = "combine" }
      |                                                ^^^^^^^^^ is "combined" meant?

    error: the `format` of the replay of arm `c` cannot be `apache`
      --> checkout.toml:12:48
       |
    12 | shape.replay = { file = "access.log", format = "apache" }
       |                                                ^^^^^^^^ write "common" or "combined" or "nginx" or "json" or "times"
    "#);
}

#[test]
fn a_broken_line() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
open = {}
[shape]
replay = { file = "broken.log", format = "common" }
"#), @r#"
    error: `broken.log`, line 2 cannot be read: it has no time where this form has one, or not one that exists: `oops`
     --> checkout.toml:7:19
      |
    7 | replay = { file = "broken.log", format = "common" }
      |                   ^^^^^^^^^^^^ repair it, name another format, or write broken = "skip" to count such lines and go on
    "#);
}

#[test]
fn a_recording_in_another_form() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
open = {}
[shape]
replay = { file = "access.log", format = "json", broken = "skip" }
"#), @r#"
    error: `access.log` is not in the form `json`: none of its 4 lines can be read; line 1 cannot be read: it is no JSON object: `1.2.3.4 - - [10/Oct/2026:13:55:36 +0000] "GET /a HTTP/1.1" 200 17`
     --> checkout.toml:7:42
      |
    7 | replay = { file = "access.log", format = "json", broken = "skip" }
      |                                          ^^^^^^ name the form that it is in
    "#);
}

#[test]
fn a_recording_that_goes_back_in_time() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
open = {}
[shape]
replay = { file = "back.log", format = "common" }
"#), @r#"
    error: `back.log`, line 2 goes back in time by 2s
     --> checkout.toml:7:19
      |
    7 | replay = { file = "back.log", format = "common" }
      |                   ^^^^^^^^^^ sort it by time, or write reorder = "2s" to have such lines put in order
    "#);
}

#[test]
fn an_empty_recording() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
open = {}
[shape]
replay = { file = "nothing.log", format = "common" }
"#), @r#"
    error: `nothing.log` has no lines: nothing would be sent
     --> checkout.toml:7:19
      |
    7 | replay = { file = "nothing.log", format = "common" }
      |                   ^^^^^^^^^^^^^
    "#);
}

#[test]
fn cuts_that_leave_nothing() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
open = {}
shape.replay = { file = "access.log", format = "common", from = "2s", until = "4s" }
[arm.b]
open = {}
shape.replay = { file = "access.log", format = "common", from = "4s", until = "2s" }
[arm.c]
open = {}
shape.replay = { file = "access.log", format = "common", from = "10min" }
"#), @r#"
    error: the replay of arm `a`: nothing arrived from 2s until 4s
     --> checkout.toml:6:79
      |
    6 | shape.replay = { file = "access.log", format = "common", from = "2s", until = "4s" }
      |                                                                               ^^^^ cut less: nothing would be sent

    error: the replay of arm `b`: from 4s until 2s is no time
     --> checkout.toml:9:79
      |
    9 | shape.replay = { file = "access.log", format = "common", from = "4s", until = "2s" }
      |                                                                               ^^^^ let it end later

    error: the replay of arm `c`: it lasts 5s, and cannot be cut at 10min
      --> checkout.toml:12:65
       |
    12 | shape.replay = { file = "access.log", format = "common", from = "10min" }
       |                                                                 ^^^^^^^
    "#);
}

#[test]
fn a_speed_of_nothing() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
open = {}
[shape]
replay = { file = "access.log", format = "common", speed = 0 }
"#), @r#"
    error: the replay: 0 is no speed
     --> checkout.toml:7:60
      |
    7 | replay = { file = "access.log", format = "common", speed = 0 }
      |                                                            ^ write 2.0 for twice as fast, 0.5 for half as fast
    "#);
}

#[test]
fn recorded_requests_where_there_are_none() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
open = {}
[shape]
replay = { file = "times.txt", format = "times", requests = true }
"#), @r#"
    error: `times.txt` tells times alone, and no requests that could be sent again
     --> checkout.toml:7:61
      |
    7 | replay = { file = "times.txt", format = "times", requests = true }
      |                                                             ^^^^ leave `requests` out
    "#);
}

#[test]
fn recorded_requests_that_cannot_be_sent() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
open = {}
[shape]
replay = { file = "proxy.log", format = "common", requests = true }
"#), @r#"
    error: `proxy.log`, line 1 cannot be read: its request is none that could be sent, such as `GET /path HTTP/1.1`: `1.2.3.4 - - [10/Oct/2026:13:55:36 +0000] "CONNECT other:443 HTTP/1.1" 200 17`
     --> checkout.toml:7:19
      |
    7 | replay = { file = "proxy.log", format = "common", requests = true }
      |                   ^^^^^^^^^^^ repair it, name another format, or write broken = "skip" to count such lines and go on
    "#);
}

#[test]
fn recorded_requests_beside_rows() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
open = {}
[shape]
replay = { file = "access.log", format = "common", requests = true }
[request]
rows = "customers.csv"
path = "/{{ row.customer }}"
"#), @r#"
    error: recorded requests are sent as they were, and take nothing from rows
     --> checkout.toml:9:8
      |
    9 | rows = "customers.csv"
      |        ^^^^^^^^^^^^^^^ leave the rows out, or `requests = true`
    "#);
}

#[test]
fn recorded_arrivals_in_loops_that_wait() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
closed = {}
[arm.b]
open = { arrivals = "even" }
[shape]
replay = { file = "access.log", format = "common" }
"#), @r#"
    error: arm `a` is closed, and recorded arrivals wait for nobody
     --> checkout.toml:5:1
      |
    5 | closed = {}
      | ^^^^^^ write open = {}

    error: `arrivals` of arm `b` would change nothing: its arrivals are recorded
     --> checkout.toml:7:21
      |
    7 | open = { arrivals = "even" }
      |                     ^^^^^^ leave it out
    "#);
}

#[test]
fn a_replay_that_is_repeated_from_outside_or_paced() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
open = {}
[shape]
repeat = 2
pace = "10s"
replay = { file = "access.log", format = "common" }
"#), @r#"
    error: the shape repeats itself outside of its replay
     --> checkout.toml:7:10
      |
    7 | repeat = 2
      |          ^ write `repeat` in the replay

    error: the shape has a pace, and no users to keep it
     --> checkout.toml:8:8
      |
    8 | pace = "10s"
      |        ^^^^^ leave it out, or write users in the place of rates
    "#);
}

#[test]
fn a_warm_up_by_requests_before_recorded_ones() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
open = {}
warm_up = "400 requests"
[shape]
replay = { file = "access.log", format = "common" }
"#), @r#"
    error: arm `a` warms up by a number of requests, and its shape sends none before it begins
     --> checkout.toml:6:11
      |
    6 | warm_up = "400 requests"
      |           ^^^^^^^^^^^^^^ give the arm warm_up = "0s"
    "#);
}
