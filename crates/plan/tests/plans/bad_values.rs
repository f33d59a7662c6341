//! What is said about plans with bad values, units and keys, whole: what a person reads.

use crate::common::errors;

#[test]
fn a_rate_without_a_unit() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.open-546]
open = { rate = 546 }
"#), @r#"
    error: arm `open-546` has a rate without a unit
     --> checkout.toml:5:17
      |
    5 | open = { rate = 546 }
      |                 ^^^ write "546/s" (or "546/min")
    "#);
}

#[test]
fn a_time_without_a_unit_in_each_place() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[rounds]
measure = 30
warm_up = 400
[environment]
quiet = { idle = 95 }
[arm.a]
closed = { connections = 1 }
timeout = 5
[bound]
p99 = 0.010
"#), @r#"
    error: `rounds.measure` has no unit
     --> checkout.toml:5:11
      |
    5 | measure = 30
      |           ^^ write "30s" (or "30ms")

    error: `rounds.warm_up` has no unit
     --> checkout.toml:6:11
      |
    6 | warm_up = 400
      |           ^^^ write "400 requests" (or "400s")

    error: `environment.quiet.idle` has no unit
     --> checkout.toml:8:18
      |
    8 | quiet = { idle = 95 }
      |                  ^^ write "95%"

    error: arm `a` has a timeout without a unit
      --> checkout.toml:11:11
       |
    11 | timeout = 5
       |           ^ write "5s" (or "5ms")

    error: `bound.p99` has no unit
      --> checkout.toml:13:7
       |
    13 | p99 = 0.010
       |       ^^^^^ write "0.010s" (or "0.010ms")
    "#);
}

#[test]
fn a_unit_that_is_none() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[rounds]
measure = "30 parsecs"
[arm.a]
open = { rate = "546rps" }
"#), @r#"
    error: `rounds.measure` has the unknown unit `parsecs`
     --> checkout.toml:5:11
      |
    5 | measure = "30 parsecs"
      |           ^^^^^^^^^^^^ write ns, us, ms, s, min or h

    error: the rate of arm `a` has the unknown unit `rps`
     --> checkout.toml:7:17
      |
    7 | open = { rate = "546rps" }
      |                 ^^^^^^^^ write `/s`, `/min` or `/h`
    "#);
}

#[test]
fn a_text_without_a_unit() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
open = { rate = "546" }
"#), @r#"
    error: arm `a` has a rate without a unit
     --> checkout.toml:5:17
      |
    5 | open = { rate = "546" }
      |                 ^^^^^ write "546/s" (or "546/min")
    "#);
}

#[test]
fn an_unknown_key_and_the_one_that_is_meant() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[rounds]
mesure = "30s"
warmup = "1s"
number = 3
[arm.a]
closed = { connections = 1 }
"#), @r#"
    error: `rounds` has no key `mesure`
     --> checkout.toml:5:1
      |
    5 | mesure = "30s"
      | ^^^^^^ is `measure` meant?

    error: `rounds` has no key `warmup`
     --> checkout.toml:6:1
      |
    6 | warmup = "1s"
      | ^^^^^^ is `warm_up` meant?

    error: `rounds` has no key `number`
     --> checkout.toml:7:1
      |
    7 | number = 3
      | ^^^^^^ known here: count, count_warm_up, measure, seed, warm_up
    "#);
}

#[test]
fn an_unknown_table() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[tagret]
url = "x"
[arm.a]
closed = { connections = 1 }
"#), @"
    error: the plan has no key `tagret`
     --> checkout.toml:4:2
      |
    4 | [tagret]
      |  ^^^^^^ is `target` meant?
    ");
}

#[test]
fn an_empty_file() {
    insta::assert_snapshot!(errors(
        r#"

"#), @r#"
    error: the plan asks no question
     --> checkout.toml:1:1
      |
    1 |
      | ^ write question = "Does the new pool hold p99 at 546/s?"

    error: the plan names no target
     --> checkout.toml:1:1
      |
    1 |
      | ^ write [target] and its url

    error: the plan has no arms: nothing would be sent
     --> checkout.toml:1:1
      |
    1 |
      | ^ write [arm.NAME]
    "#);
}

#[test]
fn an_empty_question() {
    insta::assert_snapshot!(errors(
        r#"
question = "  "
[target]
url = "http://127.0.0.1:8600"
[arm.a]
closed = { connections = 1 }
"#), @r#"
    error: `question` is empty
     --> checkout.toml:1:12
      |
    1 | question = "  "
      |            ^^^^ write "Does the new pool hold p99 at 546/s?"
    "#);
}

#[test]
fn a_key_given_twice() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[rounds]
count = 6
count = 7
[arm.a]
closed = { connections = 1 }
"#), @"
    error: `count` is given twice
     --> checkout.toml:6:1
      |
    6 | count = 7
      | ^^^^^ remove one of them
    ");
}

#[test]
fn no_toml_in_two_places() {
    insta::assert_snapshot!(errors(
        r#"
question = 
[target
url = "http://a"
"#), @"
    error: the plan is not TOML
     --> checkout.toml:1:12
      |
    1 | question =
      |            ^ string values must be quoted, expected literal string

    error: the plan is not TOML
     --> checkout.toml:2:8
      |
    2 | [target
      |        ^ unclosed table, expected `]`
    ");
}

#[test]
fn a_word_that_is_none_of_the_known() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[tester]
connect = "reusing"
[arm.a]
open = { rate = "5/s", arrivals = "random" }
"#), @r#"
    error: `tester.connect` cannot be `reusing`
     --> checkout.toml:5:11
      |
    5 | connect = "reusing"
      |           ^^^^^^^^^ write "reuse" or "per-user" or "per-request"

    error: the arrivals of arm `a` cannot be `random`
     --> checkout.toml:7:35
      |
    7 | open = { rate = "5/s", arrivals = "random" }
      |                                   ^^^^^^^^ write "poisson" or "even"
    "#);
}

#[test]
fn values_of_other_types() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[rounds]
count = "6"
seed = 1.5
measure = ["30s"]
[arm.a]
closed = 16
count_warm_up = "yes"
[bound]
p99 = 2026-11-30
"#), @r#"
    error: `rounds.count` is in quotes, and must be a number
     --> checkout.toml:5:9
      |
    5 | count = "6"
      |         ^^^ write 6

    error: `rounds.seed` must be a whole number
     --> checkout.toml:6:8
      |
    6 | seed = 1.5
      |        ^^^

    error: `rounds.measure` is a list, and must be a length of time
     --> checkout.toml:7:11
      |
    7 | measure = ["30s"]
      |           ^^^^^^^ write "30s"

    error: the closed loop of arm `a` is a number, and must be a table
     --> checkout.toml:9:10
      |
    9 | closed = 16
      |          ^^ write { connections = 16 }

    error: `count_warm_up` of arm `a` is a text, and must be true or false
      --> checkout.toml:10:17
       |
    10 | count_warm_up = "yes"
       |                 ^^^^^ write false

    error: `bound.p99` is a date, and must be a length of time
      --> checkout.toml:12:7
       |
    12 | p99 = 2026-11-30
       |       ^^^^^^^^^^ write "30s"
    "#);
}
