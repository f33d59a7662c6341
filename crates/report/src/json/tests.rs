//! The format as others read it.

use crate::fixtures;
use analysis::{Distribution, Interval, TesterFigures};
use model::MachineFacts;
use serde_json::Value;

fn parsed(summary: &analysis::Summary) -> Value {
    serde_json::from_str(&super::summary(summary)).expect("it is JSON")
}

/// One run of made-up requests, with the long list of bins cut to two.
fn one_arm(mut run: analysis::RunSummary) -> analysis::Summary {
    if let Some(stalls) = &mut run.stalls {
        stalls.around.truncate(2);
    }
    fixtures::summary(vec![("paced-546".into(), run)])
}

#[test]
fn a_summary_keeps_its_names_order_and_numbers() {
    let mut run = fixtures::failing();
    run.corrected = Some(fixtures::corrected());
    run.doubts =
        vec![fixtures::doubt("few-episodes", analysis::Verdict::Doubtful, "6 events", Some("run longer"))];
    insta::assert_snapshot!("summary", super::summary(&one_arm(run)));
}

#[test]
fn an_unknown_number_is_null_and_never_zero() {
    let mut run = fixtures::run("quick", fixtures::closed(1), false);
    run.response_time = Distribution { n: 1, ..Distribution::default() };
    run.p99_interval = Interval { low: None, high: None, episodes: 0 };
    run.tester = TesterFigures::default();
    run.little = None;
    run.rate_per_s = f64::NAN;
    let mut summary = one_arm(run);
    summary.machine = MachineFacts::default();
    let file = parsed(&summary);
    let run = &file["arms"]["paced-546"]["runs"][0];
    for name in ["mean", "p50", "p90", "p95", "p99", "p999", "max", "p99_low", "p99_high"] {
        assert_eq!(run["response_time_ns"].get(name), Some(&Value::Null), "{name}");
    }
    for name in ["cpu_ns_per_request", "core_share", "peak_rss_bytes", "connections_peak"] {
        assert_eq!(run["tester"].get(name), Some(&Value::Null), "{name}");
    }
    for name in ["stalls", "corrected_p99_ns", "little", "schedule_hash", "rate_per_s"] {
        assert_eq!(run.get(name), Some(&Value::Null), "{name}");
    }
    assert_eq!(file["arms"]["paced-546"].get("target_rate_per_s"), Some(&Value::Null));
    let machine = file["machine"].as_object().expect("an object");
    assert!(machine.values().all(Value::is_null), "{machine:?}");
}

#[test]
fn arms_keep_the_order_of_the_plan() {
    let text = super::summary(&fixtures::demo());
    let places: Vec<_> = ["\"closed-1\":", "\"closed-1-calm\":", "\"paced\":", "\"open\":", "\"open-calm\":"]
        .iter()
        .map(|name| text.find(name).expect("every arm is there"))
        .collect();
    assert!(places.is_sorted(), "{places:?}");
}

#[test]
fn a_planned_experiment_keeps_what_is_compared_guessed_and_bounded() {
    let file = parsed(&fixtures::planned());
    assert_eq!(file["planned_runs"], 60);
    let parts = serde_json::json!({
        "comparison": without(&file["comparisons"][0], &["ratios"]),
        "too few rounds": without(&file["comparisons"][6], &[]),
        "guess": file["guesses"][0],
        "late": file["guesses"][3],
        "unknown": file["guesses"][2]["figures"],
        "bound": without(&file["bounds"][0], &["arms"]),
        "bound of one arm": file["bounds"][0]["arms"][6],
    });
    insta::assert_snapshot!("planned", serde_json::to_string_pretty(&parts).expect("it is JSON"));
}

#[test]
fn a_run_of_another_tool_keeps_its_command_and_what_it_told() {
    let file = parsed(&fixtures::planned());
    let (arm, run) = (&file["arms"]["oha-8"], &file["arms"]["oha-8"]["runs"][0]);
    assert_eq!((&arm["tool"], &arm["windows"]), (&Value::from("oha"), &Value::Null));
    assert_eq!(arm["command"], "oha -z 30s -c 8 --output-format json URL");
    assert_eq!((&run["told"]["gave_samples"], &run["told"]["p90_ns"]), (&Value::from(false), &Value::Null));
    assert_eq!(run["told"]["p99_ns"], run["response_time_ns"]["p99"]);
    assert_eq!(file["arms"]["open-546"]["tool"], Value::Null);
}

#[test]
fn windows_and_the_machines_story_are_kept_with_their_units() {
    let file = parsed(&fixtures::planned());
    let arm = &file["arms"]["open-546-long"];
    let run = &arm["runs"][3];
    let windows = run["windows"].as_array().expect("a list");
    assert_eq!(
        (windows.len(), &windows[2]["began_s"], &windows[2]["length_s"]),
        (12, &20.0.into(), &10.0.into())
    );
    let least =
        arm["runs"].as_array().expect("a list").iter().map(|run| run["windows"][0]["p99_ns"].as_u64()).min();
    assert_eq!(arm["windows"]["first_ns"][0].as_u64(), least.expect("rounds"));
    assert_eq!(run["machine"]["waited_for_quiet_s"], 6.0);
    assert_eq!(run["machine"]["log_lines"], 0);
    assert_eq!(run["machine"]["was_quiet"], true);
    assert!(run["near_mean_share"].as_f64().is_some_and(|share| share < 0.01), "{}", run["near_mean_share"]);
}

#[test]
fn loads_over_time_keep_their_shape_and_what_was_found_of_it_with_units() {
    let file = parsed(&fixtures::shaped());
    let run = |arm: &str| file["arms"][arm]["runs"][0].clone();
    let mut burst = run("burst")["bursts"][0].clone();
    let backlog = burst["backlog"].as_array().expect("a list").clone();
    assert!((121..=240).contains(&backlog.len()), "{} points", backlog.len());
    burst["backlog"] = backlog[..2].into();
    let parts = serde_json::json!({
        "ramp": file["arms"]["ramp"]["ramp"],
        "shape": run("burst")["shape"],
        "replay": run("replay")["shape"]["replay"],
        "stage": run("users")["stages"][3],
        "burst": without(&burst, &["before", "after"]),
        "growth": run("soak")["growth"][3],
        "limit": without(&run("soak")["growth"][1], &["windows"]),
    });
    insta::assert_snapshot!("shaped", serde_json::to_string_pretty(&parts).expect("it is JSON"));
}

#[test]
fn what_cannot_be_said_of_a_load_over_time_is_null_and_an_unchanging_load_has_no_shape() {
    let mut summary = fixtures::shaped();
    let why = analysis::RampRate::CannotSay("too few steps".into());
    summary.arms[0].ramp.as_mut().expect("a ramp").saturation = why;
    summary.arms[1].runs[0].bursts[0].recovery = analysis::Recovery::CannotSay;
    summary.arms[5].runs[0].stages[0].planned_per_s = None;
    summary.arms.push(fixtures::too_short());
    summary.arms[7].name = "short".into();
    let file = parsed(&summary);
    let saturation = &file["arms"]["ramp"]["ramp"]["saturation"];
    assert_eq!((&saturation["says"], &saturation["why"]), (&"cannot say".into(), &"too few steps".into()));
    let burst = &file["arms"]["burst"]["runs"][0]["bursts"][0];
    let stage = &file["arms"]["users"]["runs"][0]["stages"][0];
    let growth = &file["arms"]["short"]["runs"][0]["growth"][0];
    for (of, names) in [
        (saturation, &["rate_per_s", "low_per_s", "high_per_s", "interval_from", "interval_n"][..]),
        (burst, &["recovery_ns"]),
        (stage, &["planned_from_per_s", "planned_to_per_s"]),
        (growth, &["p", "slope_per_s", "slope_low_per_s", "slope_high_per_s", "correlation"]),
        (growth, &["until_limit_least_ns", "until_limit_most_ns"]),
        (&file["arms"]["burst"], &["ramp"]),
        (&parsed(&fixtures::demo())["arms"]["open"]["runs"][0], &["shape"]),
    ] {
        for name in names {
            assert_eq!(of.get(name), Some(&Value::Null), "{name}");
        }
    }
}

/// An object without some of its names.
fn without(object: &Value, names: &[&str]) -> Value {
    let mut object = object.clone();
    for name in names {
        object.as_object_mut().expect("an object").remove(*name).expect("the name is there");
    }
    object
}
