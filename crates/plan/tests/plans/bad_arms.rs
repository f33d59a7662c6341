//! What is said about plans with bad arms and stalls, whole: what a person reads.

use crate::common::errors;

#[test]
fn an_unknown_key_of_an_arm() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
opne = { rate = "5/s" }
"#), @r#"
    error: arm `a` has no key `opne`
     --> checkout.toml:5:1
      |
    5 | opne = { rate = "5/s" }
      | ^^^^ is `open` meant?
    "#);
}

#[test]
fn what_a_command_does_not_obey() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
command = "wrk -c 8"
import = "wrk"
closed = { connections = 8 }
[arm.b]
command = "wrk -c 8"
closed = { connections = 8 }
timeout = "2s"
[arm.c]
command = "vegeta attack"
open = { rate = "5/s", connections = 8 }
"#), @r#"
    error: `timeout` of arm `b` would change nothing: it is for doorclock's own testers
      --> checkout.toml:11:11
       |
    11 | timeout = "2s"
       |           ^^^^ leave it out, and say it in the command

    error: `open.connections` of arm `c` would change nothing: it is for doorclock's own testers
      --> checkout.toml:14:38
       |
    14 | open = { rate = "5/s", connections = 8 }
       |                                      ^ leave it out, and say it in the command
    "#);
}

#[test]
fn no_arms() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm]
"#), @"
    error: the plan has no arms: nothing would be sent
     --> checkout.toml:4:2
      |
    4 | [arm]
      |  ^^^ write [arm.NAME]
    ");
}

#[test]
fn an_arm_that_would_send_nothing() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
stalls = false
"#), @"
    error: arm `a` would send nothing
     --> checkout.toml:4:6
      |
    4 | [arm.a]
      |      ^ give it one of open, paced and closed
    ");
}

#[test]
fn a_rate_of_nothing() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
open = { rate = "0/s" }
[arm.b]
closed = { connections = 0 }
"#), @r#"
    error: the rate of arm `a` must be above zero
     --> checkout.toml:5:17
      |
    5 | open = { rate = "0/s" }
      |                 ^^^^^

    error: the connections of arm `b` must be at least 1
     --> checkout.toml:7:26
      |
    7 | closed = { connections = 0 }
      |                          ^
    "#);
}

#[test]
fn a_run_too_short_to_send_anything() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
open = { rate = "1/min" }
[arm.b]
closed = { connections = 1 }
measure = "0s"
"#), @r#"
    error: arm `a` would send nothing: at 0.017/s less than one request is due in 30.0 s
     --> checkout.toml:5:17
      |
    5 | open = { rate = "1/min" }
      |                 ^^^^^^^ measure longer, or raise the rate

    error: arm `b` would send nothing: it measures for no time
     --> checkout.toml:8:11
      |
    8 | measure = "0s"
      |           ^^^^ write "30s"
    "#);
}

#[test]
fn two_testers_in_one_arm() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
open = { rate = "5/s" }
closed = { connections = 1 }
"#), @"
    error: arm `a` has both `open` and `closed`
     --> checkout.toml:6:1
      |
    6 | closed = { connections = 1 }
      | ^^^^^^ give it one of open, paced and closed
    ");
}

#[test]
fn two_arms_of_one_name() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
closed = { connections = 1 }
[arm.b]
open = { rate = "5/s" }
[arm.a]
open = { rate = "5/s" }
"#), @"
    error: there are two arms of the name `a`
     --> checkout.toml:8:6
      |
    8 | [arm.a]
      |      ^ the first is on line 4: give this one another name
    ");
}

#[test]
fn arms_whose_names_are_no_folders() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm."a/b"]
closed = { connections = 1 }
[arm.".."]
closed = { connections = 1 }
[arm.""]
closed = { connections = 1 }
[arm."a\nb"]
closed = { connections = 1 }
"#), @r#"
    error: an arm cannot be called `a/b`: it names a folder
     --> checkout.toml:4:6
      |
    4 | [arm."a/b"]
      |      ^^^^^ leave out slashes, backslashes and control characters

    error: an arm cannot be called `..`: it names a folder
     --> checkout.toml:6:6
      |
    6 | [arm.".."]
      |      ^^^^ leave out slashes, backslashes and control characters

    error: an arm cannot be called ``: it is empty
     --> checkout.toml:8:6
      |
    8 | [arm.""]
      |      ^^

    error: an arm cannot be called `a\nb`: it names a folder
      --> checkout.toml:10:6
       |
    10 | [arm."a\nb"]
       |      ^^^^^^ leave out slashes, backslashes and control characters
    "#);
}

#[test]
fn stalls_that_overlap() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
closed = { connections = 1 }
[stalls]
every = "4s"
apart = "50ms"
length = "100ms"
"#), @r#"
    error: stalls of 100 ms cannot begin 50.0 ms apart: they would overlap
     --> checkout.toml:8:9
      |
    8 | apart = "50ms"
      |         ^^^^^^ at least the length, 100 ms
    "#);
}

#[test]
fn stalls_closer_than_apart() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
closed = { connections = 1 }
[stalls]
every = "300ms"
apart = "500ms"
length = "0s"
"#), @r#"
    error: stalls at least 500 ms apart cannot come every 300 ms on average
     --> checkout.toml:7:9
      |
    7 | every = "300ms"
      |         ^^^^^^^ at least 500 ms

    error: the stalls last no time
     --> checkout.toml:9:10
      |
    9 | length = "0s"
      |          ^^^^ write "100ms"
    "#);
}

#[test]
fn stalls_by_a_signal_to_nobody() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
closed = { connections = 1 }
[stalls]
every = "4s"
length = "100ms"
how = "signal"
"#), @r#"
    error: stalls by signal stop a process that doorclock has started, and the plan starts none
     --> checkout.toml:9:7
      |
    9 | how = "signal"
      |       ^^^^^^^^ give target.start a command
    "#);
}

#[test]
fn stalls_without_their_length() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
closed = { connections = 1 }
[stalls]
every = "4s"
"#), @r#"
    error: `stalls` lacks `length`
     --> checkout.toml:6:2
      |
    6 | [stalls]
      |  ^^^^^^ write length = "100ms"
    "#);
}

#[test]
fn stalls_that_the_plan_does_not_have() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
closed = { connections = 1 }
stalls = true
"#), @"
    error: arm `a` asks for stalls, and the plan has none
     --> checkout.toml:6:10
      |
    6 | stalls = true
      |          ^^^^ write [stalls] with every and length
    ");
}

#[test]
fn an_arm_that_imports_from_nobody() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
closed = { connections = 1 }
import = "wrk"
"#), @r#"
    error: arm `a` imports figures, and runs no other tool
     --> checkout.toml:6:10
      |
    6 | import = "wrk"
      |          ^^^^^ `import` goes with `command`
    "#);
}
