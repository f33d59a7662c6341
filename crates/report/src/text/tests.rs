//! The screens as people see them.

use super::{demo, experiment, quick_look, quick_look_of_arm, run_line};
use crate::fixtures::{self, closed, corrected, doubt, machine, open, paced};
use analysis::{Interval, Point, RunSummary, Summary, Verdict};
use model::{MachineFacts, Nanos};

const FOLDER: &str = "results/2026-12-01T10-15-00-8600";

/// Holds a screen to its snapshot and to its width. Lines that hold a path, a
/// command or a long example may be wider than 80 columns, none than 100.
fn check(name: &str, screen: &str) {
    for line in screen.lines() {
        let may_be_wide = ["doorclock report", "kept in", "the plan "].iter().any(|wide| line.contains(wide));
        let limit = if may_be_wide { 100 } else { 80 };
        assert!(line.chars().count() <= limit, "{} columns: {line}", line.chars().count());
        assert_eq!(line.trim_end(), line, "spaces at the end of a line");
    }
    insta::assert_snapshot!(name, screen);
}

fn seen(run: &RunSummary) -> String {
    quick_look(run, &machine(), Some(FOLDER))
}

#[test]
fn a_valid_run_shows_its_times_and_says_valid() {
    check("valid", &seen(&fixtures::run("quick", open(500.0), true)));
}

#[test]
fn a_doubtful_run_shows_its_times_and_what_to_do() {
    let mut run = fixtures::run("quick", open(500.0), true);
    run.verdict = Verdict::Doubtful;
    run.p99_interval = Interval { low: Some(Nanos::from_millis(41)), high: None, episodes: 3 };
    run.kept_up.kept_up = None;
    run.doubts = vec![
        doubt(
            "few-episodes",
            Verdict::Doubtful,
            "the p99 rests on 3 separate events",
            Some("run 2 min (-d 2m) for one you can quote"),
        ),
        doubt("busy-machine", Verdict::Doubtful, "the machine was only 61 % idle before the run.", None),
    ];
    check("doubtful", &seen(&run));
}

#[test]
fn a_void_run_shows_why_and_where_its_requests_went_but_no_time() {
    let mut run = fixtures::failing();
    run.verdict = Verdict::Void;
    run.doubts = vec![
        doubt("late", Verdict::Doubtful, "1 in 50 requests was sent late", None),
        doubt(
            "books",
            Verdict::Void,
            "14 requests are missing from the books",
            Some("report this as a bug of doorclock"),
        ),
    ];
    run.ok -= 14;
    let screen = seen(&run);
    assert!(!screen.contains("p99") && !screen.contains(" ms"), "a time is shown:\n{screen}");
    check("void", &screen);
}

#[test]
fn failures_have_a_line_each_and_make_percentiles_lower_bounds() {
    check("failures", &seen(&fixtures::failing()));
}

#[test]
fn a_paced_run_shows_its_p99_raw_and_corrected_with_what_that_assumes() {
    let mut run = fixtures::run("quick", paced(546.0, 8), true);
    run.corrected = Some(corrected());
    check("paced", &seen(&run));
}

#[test]
fn a_refused_correction_says_so() {
    let mut run = fixtures::run("quick", closed(4), false);
    let mut none = corrected();
    (none.hdr, none.utilisation, none.utilisation_share) = (None, None, None);
    none.assumptions = vec!["refused: fewer than 3 stalls were seen".into()];
    run.corrected = Some(none);
    check("refused", &seen(&run));
}

#[test]
fn unknown_numbers_are_dashes_and_gaps() {
    let mut run = fixtures::run("quick", open(0.5), false);
    run.response_time.p999 = None;
    run.lateness.all = analysis::Distribution::default();
    run.tester = analysis::TesterFigures::default();
    run.p99_interval = Interval { low: None, high: None, episodes: 1 };
    run.slices[3].p99 = None;
    run.interrupted = true;
    run.duration = Nanos::from_millis(12_400);
    check("unknown", &quick_look(&run, &MachineFacts::default(), None));
}

#[test]
fn percentiles_that_censored_requests_reach_are_marked() {
    let mut run = fixtures::run("quick", open(500.0), false);
    run.response_time.p90 = Some(Point { value: Nanos::from_secs(10), at_least: true });
    assert!(seen(&run).contains(" ≥ 10.0 s"), "{}", seen(&run));
}

#[test]
fn the_demo_shows_three_testers_and_what_follows() {
    check("demo", &demo(&fixtures::demo(), Some(FOLDER)));
}

/// The closed loop sees the stalls, the open loop is void, the paced never ran.
fn odd() -> Summary {
    let mut summary = fixtures::demo();
    summary.arms.retain(|arm| !arm.name.starts_with("paced"));
    for arm in &mut summary.arms {
        let run = &mut arm.runs[0];
        match arm.name.as_str() {
            "closed-1" => {
                run.response_time.p99 = Some(Point { value: Nanos::from_millis(61), at_least: false });
                run.p99_interval = Interval { low: None, high: None, episodes: 7 };
            }
            "open" => {
                run.verdict = Verdict::Void;
                run.doubts = vec![doubt(
                    "descriptors",
                    Verdict::Void,
                    "no connection could be opened for 2,114 requests.",
                    Some("raise the limit of open files (ulimit -n 4096)"),
                )];
            }
            _ => {}
        }
    }
    summary.verdict = Verdict::Void;
    summary
}

#[test]
fn a_demo_that_comes_out_otherwise_says_what_came_out() {
    check("demo-odd", &demo(&odd(), None));
}

#[test]
fn a_demo_without_the_demo_arms_is_drawn_as_an_experiment() {
    let summary = fixtures::summary(vec![("one".into(), fixtures::run("one", open(100.0), false))]);
    assert_eq!(demo(&summary, None), experiment(&summary, None, None));
}

#[test]
fn an_experiment_of_one_round_has_a_row_an_arm_and_each_kind_of_doubt() {
    check("experiment", &experiment(&odd(), None, None));
}

#[test]
fn an_experiment_answers_first_and_shows_every_round_as_a_dot() {
    let text = experiment(&fixtures::planned(), Some(fixtures::PLAN), Some(FOLDER));
    check("planned", &text);
}

#[test]
fn a_doubt_of_many_runs_is_said_once() {
    let text = experiment(&fixtures::planned(), None, None);
    assert_eq!(text.matches("few-episodes").count(), 1, "{text}");
    assert!(text.contains("few-episodes in 29 of 54 runs, such as closed-1, round 1"), "{text}");
}

#[test]
fn nothing_is_said_of_what_an_experiment_does_not_have() {
    let run = fixtures::run("one", open(100.0), false);
    let text = experiment(&fixtures::summary(vec![("one".into(), run)]), None, None);
    for title in ["Told apart", "Guesses", "bound", "shorter run", "corrected", "other tools"] {
        assert!(!text.contains(title), "{title} is mentioned:\n{text}");
    }
}

fn seen_of_arm(arm: &analysis::ArmSummary) -> String {
    quick_look_of_arm(arm, &machine(), Some(FOLDER))
}

#[test]
fn a_ramp_says_up_to_where_the_service_follows_and_shows_each_step() {
    let mut arm = fixtures::ramp_up();
    arm.runs.truncate(1);
    check("ramp-up", &seen_of_arm(&arm));
}

#[test]
fn a_ramp_that_cannot_say_says_why() {
    let mut arm = fixtures::ramp_up();
    arm.runs.truncate(1);
    let ramp = arm.ramp.as_mut().expect("a ramp");
    let why = || analysis::RampRate::CannotSay("of two steps, one is no line".into());
    (ramp.saturation, ramp.bounds[0].1, ramp.p50_doubles) =
        (analysis::RampRate::Above(1_200.0), why(), analysis::RampRate::Below(120.0));
    ramp.too_steep = Some("the slope of 30/s each second shows a bound 77/s too late".into());
    (arm.runs[0].stages[2].failed, arm.runs[0].stages[9].cut_off) = (3, 41);
    check("ramp-up-unknown", &seen_of_arm(&arm));
}

#[test]
fn a_burst_says_when_it_was_over_and_shows_before_during_and_after() {
    check("burst", &seen_of_arm(&fixtures::burst()));
}

#[test]
fn a_burst_that_was_never_over_says_so() {
    let mut arm = fixtures::burst();
    let burst = &mut arm.runs[0].bursts[0];
    burst.recovery = analysis::Recovery::NotWithin(Nanos::from_secs(8));
    burst.after.not_ok = 12;
    let text = seen_of_arm(&arm);
    assert!(text.contains("Not recovered within 8 s of the burst’s end"), "{text}");
    arm.runs[0].bursts[0].recovery = analysis::Recovery::CannotSay;
    assert!(seen_of_arm(&arm).contains("Recovery: cannot say"), "{}", seen_of_arm(&arm));
}

#[test]
fn a_steady_run_shows_its_number_and_its_drift() {
    check("steady", &seen_of_arm(&fixtures::steady()));
}

#[test]
fn a_soak_shows_what_grows_and_when_it_is_at_its_limit() {
    check("soak", &seen_of_arm(&fixtures::soak()));
}

#[test]
fn a_soak_that_is_too_short_says_so_and_names_no_slope() {
    let text = seen_of_arm(&fixtures::too_short());
    assert!(text.contains("Too short to tell: service resident."), "{text}");
    assert!(!text.contains("Nothing that was watched is seen to grow"), "{text}");
    check("soak-short", &text);
}

#[test]
fn a_day_of_many_stages_is_coarsened_and_drawn() {
    check("day", &seen_of_arm(&fixtures::day()));
}

#[test]
fn users_over_time_with_a_burst_answer_both_questions() {
    check("users", &seen_of_arm(&fixtures::users_over_time()));
}

#[test]
fn a_replay_says_what_it_knows_of_its_file() {
    check("replay", &seen_of_arm(&fixtures::replay()));
}

#[test]
fn an_experiment_of_shapes_answers_the_question_of_each_before_anything_else() {
    check("shaped", &experiment(&fixtures::shaped(), None, Some(FOLDER)));
}

#[test]
fn a_shaped_run_is_told_in_one_line_by_what_it_was_sent_for() {
    let lines: Vec<String> = fixtures::shaped().arms.iter().map(|arm| run_line(&arm.runs[0])).collect();
    insta::assert_snapshot!("run-lines-shaped", lines.join("\n"));
}

#[test]
fn a_void_shaped_run_shows_no_time_and_no_figure_of_its_shape() {
    for mut arm in fixtures::shaped().arms {
        arm.runs.truncate(1);
        arm.runs[0].verdict = Verdict::Void;
        let text = seen_of_arm(&arm);
        for figure in ["p99", " ms", "Recovered", "Saturated", "grows", "kept up"] {
            assert!(!text.contains(figure), "{figure} is shown:\n{text}");
        }
    }
}
