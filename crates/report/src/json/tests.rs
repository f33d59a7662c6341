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
