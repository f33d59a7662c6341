//! What is said about plans with bad shapes, whole: what a person reads.

use crate::common::errors;

#[test]
fn a_shape_without_a_load() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
open = {}
[shape]
repeat = 2
"#), @r#"
    error: the shape says no load
     --> checkout.toml:6:2
      |
    6 | [shape]
      |  ^^^^^ give it one of stages, ramp-up, steady, burst, soak, day and replay
    "#);
}

#[test]
fn a_shape_of_two_kinds() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
open = {}
[shape]
steady = { rate = "5/s", lasts = "60s" }
burst = { base = "1/s", peak = "2/s", before = "9s", lasts = "9s", after = "9s" }
"#), @r#"
    error: the shape is `steady` and `burst` at once
     --> checkout.toml:8:1
      |
    8 | burst = { base = "1/s", peak = "2/s", before = "9s", lasts = "9s", after = "9s" }
      | ^^^^^ leave one: an arm may have a shape of its own
    "#);
}

#[test]
fn a_kind_that_is_not_known() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
open = {}
[shape]
brust = { base = "1/s" }
"#), @r#"
    error: the shape has no key `brust`
     --> checkout.toml:7:1
      |
    7 | brust = { base = "1/s" }
      | ^^^^^ is `burst` meant?
    "#);
}

#[test]
fn an_empty_list_of_stages_and_of_points() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
open = {}
shape = { stages = [] }
[arm.b]
open = {}
shape = { day = { points = [], lasts = "24min" } }
"#), @r#"
    error: the list of stages of arm `a` is empty: nothing would be sent
     --> checkout.toml:6:20
      |
    6 | shape = { stages = [] }
      |                    ^^ write { until = "20s", rate = "2/s" }

    error: the day of arm `b` has no points: nothing would be sent
     --> checkout.toml:9:28
      |
    9 | shape = { day = { points = [], lasts = "24min" } }
      |                            ^^ write { at = "0h", rate = "2/s" }
    "#);
}

#[test]
fn stages_that_are_no_list() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
open = {}
[shape.stages]
until = "20s"
rate = "5/s"
"#), @r#"
    error: the `stages` of the shape is a table, and must be a list of tables
     --> checkout.toml:6:1
      |
    6 | [shape.stages]
      | ^^^^^^^^^^^^^^ write [{ until = "20s", rate = "2/s" }, { until = "35s", rate = "20/s" }]
    "#);
}

#[test]
fn stages_out_of_order_and_without_time() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
open = {}
[arm.a.shape]
stages = [{ until = "35s", rate = "2/s" }, { until = "20s", rate = "20/s" }]
[arm.b]
open = {}
[arm.b.shape]
stages = [{ until = "35s", rate = "2/s" }, { until = "35s", rate = "20/s" }]
"#), @r#"
    error: stage 2 of arm `a` lies at 20s, and the one before it at 35s
     --> checkout.toml:7:54
      |
    7 | stages = [{ until = "35s", rate = "2/s" }, { until = "20s", rate = "20/s" }]
      |                                                      ^^^^^ write them in order of time, each from the shape's beginning

    error: stage 2 of arm `b` lasts no time
      --> checkout.toml:11:54
       |
    11 | stages = [{ until = "35s", rate = "2/s" }, { until = "35s", rate = "20/s" }]
       |                                                      ^^^^^ it ends when the one before it does
    "#);
}

#[test]
fn stages_with_both_loads_none_or_another_unit() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
open = {}
[shape]
pace = "10s"
stages = [
  { until = "10s", rate = "2/s", users = 4 },
  { until = "20s" },
  { until = "30s", users = 2 },
  { until = "40s", rate = "2/s" },
  { until = 50, rate = 2 },
]
"#), @r#"
    error: the `until` of stage 5 has no unit
      --> checkout.toml:13:13
       |
    13 |   { until = 50, rate = 2 },
       |             ^^ write "50s" (or "50ms")

    error: the `rate` of stage 5 has no unit
      --> checkout.toml:13:24
       |
    13 |   { until = 50, rate = 2 },
       |                        ^ write "2/s" (or "2/min")
    "#);
}

#[test]
fn stages_with_both_loads_none_or_another_unit_told_together() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
open = {}
[shape]
pace = "10s"
stages = [
  { until = "10s", rate = "2/s", users = 4 },
  { until = "20s" },
  { until = "30s", users = 2 },
  { until = "40s", rate = "2/s" },
]
"#), @r#"
    error: stage 1 has both `rate` and `users`
     --> checkout.toml:9:42
      |
    9 |   { until = "10s", rate = "2/s", users = 4 },
      |                                          ^ a load is a rate or users: leave one of them out

    error: stage 2 has no rate and no users
      --> checkout.toml:10:3
       |
    10 |   { until = "20s" },
       |   ^^^^^^^^^^^^^^^^^ write rate = "2/s", or users = 20

    error: stage 4 counts in `rate`, and those before it do not
      --> checkout.toml:12:27
       |
    12 |   { until = "40s", rate = "2/s" },
       |                           ^^^^^ write all of them as rates, or all as users
    "#);
}

#[test]
fn a_named_shape_without_its_loads() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
open = {}
shape = { steady = { lasts = "60s" } }
[arm.b]
open = {}
shape = { burst = { base = "2/s", peak_users = 4, before = "9s", lasts = "9s", after = "9s" } }
[arm.c]
open = {}
shape = { ramp-up = { from = "2/s", each = "20s" } }
"#), @r#"
    error: the steady load of arm `a` has no rate and no users
     --> checkout.toml:6:11
      |
    6 | shape = { steady = { lasts = "60s" } }
      |           ^^^^^^ write rate = "200/s", or users = 4

    error: the burst of arm `b` has both `base` and `peak_users`
     --> checkout.toml:9:48
      |
    9 | shape = { burst = { base = "2/s", peak_users = 4, before = "9s", lasts = "9s", after = "9s" } }
      |                                                ^ a load is a rate or users: leave one of them out

    error: the ramp-up of arm `c` lacks `to`
      --> checkout.toml:12:11
       |
    12 | shape = { ramp-up = { from = "2/s", each = "20s" } }
       |           ^^^^^^^ write to = "1000/s"
    "#);
}

#[test]
fn a_pace_of_zero() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
open = {}
[shape]
pace = "0s"
steady = { users = 4, lasts = "60s" }
"#), @r#"
    error: the pace of the shape is zero: nobody sends again after no time
     --> checkout.toml:7:8
      |
    7 | pace = "0s"
      |        ^^^^ write "10s"; leave it out for users who send again at once
    "#);
}

#[test]
fn a_pace_without_users() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
open = {}
[shape]
pace = "10s"
steady = { rate = "4/s", lasts = "60s" }
"#), @r#"
    error: the shape has a pace, and no users to keep it
     --> checkout.toml:7:8
      |
    7 | pace = "10s"
      |        ^^^^^ leave it out, or write users in the place of rates
    "#);
}

#[test]
fn loads_that_their_arms_cannot_send() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
open = {}
shape = { steady = { users = 4, lasts = "60s" } }
[arm.b]
paced = {}
shape = { steady = { rate = "4/s", lasts = "60s" } }
[arm.c]
closed = {}
shape = { steady = { rate = "4/s", lasts = "60s" } }
[arm.d]
paced = {}
shape = { steady = { users = 4, lasts = "60s" } }
[arm.e]
closed = {}
shape = { pace = "1s", steady = { users = 4, lasts = "60s" } }
"#), @r#"
    error: arm `a` is open, and its shape has users without a pace
     --> checkout.toml:5:1
      |
    5 | open = {}
      | ^^^^ give the shape pace = "10s": arrivals a second are users ÷ pace

    error: arm `b` is paced, and its shape has rates in the place of users
     --> checkout.toml:8:1
      |
    8 | paced = {}
      | ^^^^^ write users in the shape, or open = {}

    error: arm `c` is closed, and its shape has rates in the place of users
      --> checkout.toml:11:1
       |
    11 | closed = {}
       | ^^^^^^ write users in the shape, or open = {}

    error: arm `d` is paced, and its shape has users without a pace
      --> checkout.toml:14:1
       |
    14 | paced = {}
       | ^^^^^ give the shape pace = "10s": arrivals a second are users ÷ pace

    error: arm `e` is closed, and its shape has a pace that nobody would keep
      --> checkout.toml:17:1
       |
    17 | closed = {}
       | ^^^^^^ write paced = {}, or give this arm a shape without pace
    "#);
}

#[test]
fn points_that_overlap_or_lie_beyond() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
open = {}
shape.day = { lasts = "24min", points = [{ at = "0min", rate = "2/s" }, { at = "9min", rate = "30/s" }, { at = "9min", rate = "3/s" }] }
[arm.b]
open = {}
shape.day = { lasts = "24min", points = [{ at = "9min", rate = "2/s" }, { at = "8min", rate = "30/s" }] }
[arm.c]
open = {}
shape.day = { lasts = "24min", points = [{ at = "25min", rate = "2/s" }] }
"#), @r#"
    error: point 3 of arm `a` lies at 9min, as the one before it does
     --> checkout.toml:6:112
      |
    6 | shape.day = { lasts = "24min", points = [{ at = "0min", rate = "2/s" }, { at = "9min", rate = "30/s" }, { at = "9min", rate = "3/s" }] }
      |                                                                                                                ^^^^^^ leave one of them out

    error: point 2 of arm `b` lies at 8min, and the one before it at 9min
     --> checkout.toml:9:80
      |
    9 | shape.day = { lasts = "24min", points = [{ at = "9min", rate = "2/s" }, { at = "8min", rate = "30/s" }] }
      |                                                                                ^^^^^^ write them in order of time, each from the shape's beginning

    error: point 1 of arm `c` lies at 25min, and the whole lasts 24min
      --> checkout.toml:12:49
       |
    12 | shape.day = { lasts = "24min", points = [{ at = "25min", rate = "2/s" }] }
       |                                                 ^^^^^^^ let the whole last longer
    "#);
}

#[test]
fn peaks_that_are_no_higher() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
open = {}
shape.burst = { base = "2/s", peak = "2/s", before = "9s", lasts = "9s", after = "9s" }
[arm.b]
closed = {}
shape.burst = { base_users = 8, peak_users = 4, before = "9s", lasts = "9s", after = "9s" }
[arm.c]
open = {}
shape.ramp-up = { from = "20/s", to = "10/s", each = "20s" }
"#), @r#"
    error: the burst of arm `a` does not rise: from 2/s to 2/s
     --> checkout.toml:6:38
      |
    6 | shape.burst = { base = "2/s", peak = "2/s", before = "9s", lasts = "9s", after = "9s" }
      |                                      ^^^^^ raise it, or lower the other

    error: the burst of arm `b` does not rise: from 8 users to 4 users
     --> checkout.toml:9:46
      |
    9 | shape.burst = { base_users = 8, peak_users = 4, before = "9s", lasts = "9s", after = "9s" }
      |                                              ^ raise it, or lower the other

    error: the ramp-up of arm `c` does not rise: from 20/s to 10/s
      --> checkout.toml:12:39
       |
    12 | shape.ramp-up = { from = "20/s", to = "10/s", each = "20s" }
       |                                       ^^^^^^ raise it, or lower the other
    "#);
}

#[test]
fn steps_that_are_too_few_or_last_no_time() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
open = {}
shape.ramp-up = { from = "1/s", to = "10/s", each = "20s", steps = 1 }
"#), @r#"
    error: the `steps` of the ramp-up of arm `a` must be at least 2
     --> checkout.toml:6:68
      |
    6 | shape.ramp-up = { from = "1/s", to = "10/s", each = "20s", steps = 1 }
      |                                                                    ^
    "#);
}

#[test]
fn parts_that_last_no_time() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
open = {}
shape.ramp-up = { from = "1/s", to = "10/s", each = "0s" }
[arm.b]
open = {}
shape.burst = { base = "1/s", peak = "2/s", before = "9s", lasts = "9s", after = "0s" }
[arm.c]
open = {}
shape.soak = { rate = "1/s", lasts = "0s" }
"#), @r#"
    error: the ramp-up of arm `a` lasts no time by its `each`
     --> checkout.toml:6:53
      |
    6 | shape.ramp-up = { from = "1/s", to = "10/s", each = "0s" }
      |                                                     ^^^^ write "20s"

    error: the burst of arm `b` lasts no time by its `after`
     --> checkout.toml:9:82
      |
    9 | shape.burst = { base = "1/s", peak = "2/s", before = "9s", lasts = "9s", after = "0s" }
      |                                                                                  ^^^^ write "20s"

    error: the soak of arm `c` lasts no time by its `lasts`
      --> checkout.toml:12:38
       |
    12 | shape.soak = { rate = "1/s", lasts = "0s" }
       |                                      ^^^^ write "20s"
    "#);
}

#[test]
fn shapes_that_would_send_nothing() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
open = {}
shape.stages = [{ until = "60s", rate = "0/s" }]
[arm.b]
open = {}
shape.soak = { rate = "1/h", lasts = "60s" }
"#), @r#"
    error: the list of stages of arm `a` would send nothing: every load is zero
     --> checkout.toml:6:1
      |
    6 | shape.stages = [{ until = "60s", rate = "0/s" }]
      | ^^^^^

    error: the soak of arm `b` would send nothing: less than one request is due in 1min
     --> checkout.toml:9:7
      |
    9 | shape.soak = { rate = "1/h", lasts = "60s" }
      |       ^^^^ make it longer, or the load larger
    "#);
}

#[test]
fn a_steady_rate_of_nothing() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.c]
open = {}
shape.steady = { rate = "0/s", lasts = "60s" }
"#), @r#"
    error: the `rate` of the steady load of arm `c` must be above zero
     --> checkout.toml:6:25
      |
    6 | shape.steady = { rate = "0/s", lasts = "60s" }
      |                         ^^^^^
    "#);
}

#[test]
fn users_who_never_come() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
closed = {}
shape.stages = [{ until = "60s", users = 0 }]
"#), @r#"
    error: the list of stages of arm `a` would send nothing: every load is zero
     --> checkout.toml:6:1
      |
    6 | shape.stages = [{ until = "60s", users = 0 }]
      | ^^^^^
    "#);
}

#[test]
fn an_empty_load_and_no_shape_anywhere() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
open = {}
[arm.b]
paced = {}
[arm.c]
closed = {}
[arm.d]
open = { arrivals = "even" }
[arm.e]
paced = { rate = "5/s" }
"#), @r#"
    error: the open loop of arm `a` says no `rate`, and the plan has no shape for it to take
     --> checkout.toml:5:1
      |
    5 | open = {}
      | ^^^^ write rate = "546/s", or give the plan a [shape]

    error: the paced loop of arm `b` says no `rate` and no `connections`, and the plan has no shape for it to take
     --> checkout.toml:7:1
      |
    7 | paced = {}
      | ^^^^^ write rate = "546/s", connections = 8, or give the plan a [shape]

    error: the closed loop of arm `c` says no `connections`, and the plan has no shape for it to take
     --> checkout.toml:9:1
      |
    9 | closed = {}
      | ^^^^^^ write connections = 16, or give the plan a [shape]

    error: the open loop of arm `d` says no `rate`, and the plan has no shape for it to take
      --> checkout.toml:11:1
       |
    11 | open = { arrivals = "even" }
       | ^^^^ write rate = "546/s", or give the plan a [shape]

    error: the paced loop of arm `e` lacks `connections`
      --> checkout.toml:13:1
       |
    13 | paced = { rate = "5/s" }
       | ^^^^^ write connections = 8
    "#);
}

#[test]
fn a_rate_beside_a_shape() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
open = { rate = "5/s" }
shape.steady = { rate = "4/s", lasts = "60s" }
[arm.b]
closed = { connections = 5 }
[arm.b.shape]
steady = { users = 4, lasts = "60s" }
"#), @r#"
    error: arm `a` has both `open.rate` and a shape
     --> checkout.toml:6:1
      |
    6 | shape.steady = { rate = "4/s", lasts = "60s" }
      | ^^^^^ leave one of them out

    error: arm `b` has both `closed.connections` and a shape
     --> checkout.toml:9:8
      |
    9 | [arm.b.shape]
      |        ^^^^^ leave one of them out
    "#);
}

#[test]
fn a_measure_and_a_counted_warm_up_beside_a_shape() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
open = {}
measure = "30s"
count_warm_up = true
[shape]
steady = { rate = "4/s", lasts = "60s" }
"#), @r#"
    error: arm `a` has a `measure` of its own, and a shape that says how long it lasts
     --> checkout.toml:6:11
      |
    6 | measure = "30s"
      |           ^^^^^ leave it out

    error: arm `a` counts its warm-up, and its shape begins after it
     --> checkout.toml:7:17
      |
    7 | count_warm_up = true
      |                 ^^^^ leave it out, and write the warm-up as a stage
    "#);
}

#[test]
fn a_warm_up_by_requests_before_a_shape_that_begins_with_none() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
open = {}
warm_up = "400 requests"
[shape]
stages = [{ until = "60s", rate = "5/s", ramp = true }]
"#), @r#"
    error: arm `a` warms up by a number of requests, and its shape sends none before it begins
     --> checkout.toml:6:11
      |
    6 | warm_up = "400 requests"
      |           ^^^^^^^^^^^^^^ give the arm warm_up = "0s"
    "#);
}

#[test]
fn a_command_that_cannot_be_told_a_shape() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
command = "wrk"
closed = {}
[arm.b]
command = "wrk"
open = {}
shape.steady = { rate = "4/s", lasts = "60s" }
"#), @r#"
    error: the closed loop of arm `a` does not say what the tool was told
     --> checkout.toml:6:1
      |
    6 | closed = {}
      | ^^^^^^ write closed = { connections = 16 }

    error: arm `b` runs another tool, which cannot be told a shape yet
      --> checkout.toml:10:1
       |
    10 | shape.steady = { rate = "4/s", lasts = "60s" }
       | ^^^^^ write open = { rate = "546/s" }
    "#);
}

#[test]
fn a_shape_that_nobody_takes() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
open = { rate = "5/s" }
[shape]
steady = { rate = "4/s", lasts = "60s" }
"#), @r#"
    error: no arm takes the plan's shape: it would change nothing
     --> checkout.toml:6:2
      |
    6 | [shape]
      |  ^^^^^ write open = {} in an arm, or leave it out
    "#);
}

#[test]
fn a_shape_that_is_wrong_is_told_once_whoever_takes_it() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
open = {}
[arm.b]
open = {}
[shape]
steady = { lasts = "60s" }
"#), @r#"
    error: the steady load has no rate and no users
     --> checkout.toml:9:1
      |
    9 | steady = { lasts = "60s" }
      | ^^^^^^ write rate = "200/s", or users = 4
    "#);
}

#[test]
fn bare_numbers_and_slips_inside_shapes() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
open = {}
[arm.a.shape]
pace = 10
burst = { base = 2, peek = "20/s", before = "9s", lasts = "9s", after = 9 }
[arm.b]
open = {}
[shape]
day = { lasts = "24min", points = [{ at = 9, rate = "30/s" }, { rate = "3/s" }] }
"#), @r#"
    error: the `pace` of the shape of arm `a` has no unit
     --> checkout.toml:7:8
      |
    7 | pace = 10
      |        ^^ write "10s" (or "10ms")

    error: the `base` of the burst of arm `a` has no unit
     --> checkout.toml:8:18
      |
    8 | burst = { base = 2, peek = "20/s", before = "9s", lasts = "9s", after = 9 }
      |                  ^ write "2/s" (or "2/min")

    error: the burst of arm `a` has no key `peek`
     --> checkout.toml:8:21
      |
    8 | burst = { base = 2, peek = "20/s", before = "9s", lasts = "9s", after = 9 }
      |                     ^^^^ is `peak` meant?

    error: the `after` of the burst of arm `a` has no unit
     --> checkout.toml:8:73
      |
    8 | burst = { base = 2, peek = "20/s", before = "9s", lasts = "9s", after = 9 }
      |                                                                         ^ write "9s" (or "9ms")

    error: the `at` of point 1 has no unit
      --> checkout.toml:12:43
       |
    12 | day = { lasts = "24min", points = [{ at = 9, rate = "30/s" }, { rate = "3/s" }] }
       |                                           ^ write "9s" (or "9ms")

    error: point 2 lacks `at`
      --> checkout.toml:12:63
       |
    12 | day = { lasts = "24min", points = [{ at = 9, rate = "30/s" }, { rate = "3/s" }] }
       |                                                               ^^^^^^^^^^^^^^^^ write at = "9h"
    "#);
}

#[test]
fn shapes_too_long_and_of_too_many_stages() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
open = {}
shape = { repeat = 200, soak = { rate = "1/s", lasts = "24h" } }
[arm.b]
open = {}
shape = { repeat = 9999, ramp-up = { from = "1/s", to = "2/s", each = "1s" } }
"#), @r#"
    error: the repeated shape of arm `a` would last longer than 104 days
     --> checkout.toml:6:20
      |
    6 | shape = { repeat = 200, soak = { rate = "1/s", lasts = "24h" } }
      |                    ^^^

    error: the repeated shape of arm `b` would have too many stages to read
     --> checkout.toml:9:20
      |
    9 | shape = { repeat = 9999, ramp-up = { from = "1/s", to = "2/s", each = "1s" } }
      |                    ^^^^ take fewer and longer ones
    "#);
}

#[test]
fn more_rounds_than_the_exact_test_can_count() {
    insta::assert_snapshot!(errors(
        r#"
question = "q"
[target]
url = "http://127.0.0.1:8600"
[arm.a]
closed = { connections = 1 }
[rounds]
count = 501
"#), @r#"
    error: `rounds.count` must be at most 500
     --> checkout.toml:7:9
      |
    7 | count = 501
      |         ^^^ beyond, the exact test of paired rounds leaves the range of its numbers; tens of rounds tell percents apart
    "#);
}
