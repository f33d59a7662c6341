//! What is said about plans with bad guesses, whole: what a person reads.

use crate::common::errors;

#[test]
fn a_guess_that_names_no_arm() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
closed = { connections = 1 }
[[guess]]
name = "G1"
says = "s"
holds = "arm['b'].p99_ms | min > 1 and arm.c.p99_ms | max < 2"
"#), @r#"
    error: guess `G1` names an arm that is not there, `b`
     --> checkout.toml:9:15
      |
    9 | holds = "arm['b'].p99_ms | min > 1 and arm.c.p99_ms | max < 2"
      |               ^ the plan has a

    error: guess `G1` names an arm that is not there, `c`
     --> checkout.toml:9:44
      |
    9 | holds = "arm['b'].p99_ms | min > 1 and arm.c.p99_ms | max < 2"
      |                                            ^ the plan has a
    "#);
}

#[test]
fn a_guess_without_an_arm_at_all() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
closed = { connections = 1 }
[[guess]]
name = "G1"
says = "s"
holds = "1 < 2"
"#), @r#"
    error: guess `G1` names no arm
     --> checkout.toml:9:10
      |
    9 | holds = "1 < 2"
      |          ^^^^^ write it like arm['a'].p99_ms | max <= 100
    "#);
}

#[test]
fn a_guess_that_is_no_yes_or_no() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
closed = { connections = 1 }
[[guess]]
name = "G1"
says = "s"
holds = "arm.a.p99_ms | min"
[[guess]]
name = "G2"
says = "s"
holds = "arm.a.p99_ms | min > 1 and 5"
"#), @r#"
    error: guess `G1` does not say yes or no
     --> checkout.toml:9:25
      |
    9 | holds = "arm.a.p99_ms | min"
      |                         ^^^ write it like arm['a'].p99_ms | max <= 100

    error: guess `G2` does not say yes or no
      --> checkout.toml:13:37
       |
    13 | holds = "arm.a.p99_ms | min > 1 and 5"
       |                                     ^ write it like arm['a'].p99_ms | max <= 100
    "#);
}

#[test]
fn a_guess_with_an_unknown_figure_and_filter() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
closed = { connections = 1 }
[[guess]]
name = "G1"
says = "s"
holds = "arm.a.p99 | min > 1"
[[guess]]
name = "G2"
says = "s"
holds = "arm.a.p99_ms | maxi > 1"
"#), @r#"
    error: guess `G1` names an unknown figure, `p99`
     --> checkout.toml:9:16
      |
    9 | holds = "arm.a.p99 | min > 1"
      |                ^^^ such as p99_ms; docs/PLAN.md lists them all

    error: guess `G2` uses the unknown filter `maxi`
      --> checkout.toml:13:25
       |
    13 | holds = "arm.a.p99_ms | maxi > 1"
       |                         ^^^^ is `max` meant?
    "#);
}

#[test]
fn a_guess_about_every_round_at_once() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
closed = { connections = 1 }
[[guess]]
name = "G1"
says = "s"
holds = "arm.a.p99_ms > 1"
"#), @r#"
    error: guess `G1` compares a figure that has one value for each round
     --> checkout.toml:9:16
      |
    9 | holds = "arm.a.p99_ms > 1"
      |                ^^^^^^ write arm['a'].p99_ms | min (or max, mean, median, sum)
    "#);
}

#[test]
fn a_guess_that_is_no_expression() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
closed = { connections = 1 }
[[guess]]
name = "G1"
says = "s"
holds = "arm.a.p99_ms | min >= "
"#), @r#"
    error: guess `G1` is no expression: unexpected end of input, expected expression
     --> checkout.toml:9:29
      |
    9 | holds = "arm.a.p99_ms | min >= "
      |                             ^^ write it like arm['a'].p99_ms | max <= 100
    "#);
}

#[test]
fn two_guesses_of_one_name_and_one_without() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
closed = { connections = 1 }
[[guess]]
name = "G1"
says = "s"
holds = "arm.a.ok | min > 1"
[[guess]]
name = "G1"
says = "t"
holds = "arm.a.ok | min > 2"
"#), @r#"
    error: there are two guesses of the name `G1`
      --> checkout.toml:11:8
       |
    11 | name = "G1"
       |        ^^^^ give this one another name
    "#);
}

#[test]
fn a_guess_that_lacks_its_words() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
closed = { connections = 1 }
[[guess]]
name = "G1"
holds = "arm.a.ok | min > 1"
"#), @r#"
    error: guess 1 lacks `says`
     --> checkout.toml:6:1
      |
    6 | [[guess]]
      | ^^^^^^^^^ write says = "the open loop's p99 is above 60 ms in every round"
    "#);
}
