//! A run of another tool that gives no time of single requests: all that is
//! reported of it is what the tool tells.

use crate::alongside::Alongside;
use crate::check::{Computed, List};
use crate::record::Record;
use crate::run::{beside, facts, worst_weight};
use crate::samples::FAILURES;
use crate::times::Times;
use serde_json::Value;

/// Its values under their names in `summary.json`. `told` is what `run.json`
/// has of the tool's own figures.
pub(crate) fn list(record: &Record, told: &Value, alongside: &Alongside, reported: &Value) -> List {
    let mut list = List::default();
    facts(record, &[], &mut list);
    beside(record, &mut list);
    alongside.list(record, &mut list);
    let whole = |field: &str| told[field].as_u64();
    let (requests, failed) = (whole("requests").unwrap_or(0), whole("failed").unwrap_or(0));
    let seconds = record.counted_part().seconds();
    list.whole("scheduled", requests);
    list.whole("ok", requests.saturating_sub(failed));
    for failure in FAILURES {
        // What kind of failure they were, only the tool knows.
        list.whole(format!("failed.{failure}"), if failure == "failed_check" { failed } else { 0 });
    }
    ["unfinished", "never_sent", "resent"].into_iter().for_each(|name| list.whole(name, 0));
    let reached = (seconds > 0.0).then(|| requests as f64 / seconds);
    list.real("rate_per_s", Some(told["rate_per_s"].as_f64().or(reached).unwrap_or(0.0)));
    list.text("kept_up", "cannot tell");
    list.real("smallest_visible_shortfall", Some(1.0));
    times(told, requests, &mut list);
    for nothing in ["corrected_p99_ns", "stalls", "little", "near_mean_share"] {
        list.add(nothing, Computed::Unknown);
    }
    list.add("windows", Computed::Nothing);
    tester(record, requests, seconds, &mut list);
    list.text("verdict", worst_weight(reported));
    let codes = [("no-requests", requests == 0), ("everything-failed", requests > 0 && failed >= requests)];
    let void = codes.into_iter().filter(|(_, holds)| *holds).map(|(code, _)| code.to_owned()).collect();
    list.add("void_doubts", Computed::Words(void));
    list
}

fn times(told: &Value, requests: u64, list: &mut List) {
    let name = |what: &str| format!("response_time_ns.{what}");
    list.whole(name("n"), requests);
    list.whole(name("censored"), 0);
    list.real(name("mean"), told["mean_ns"].as_f64());
    for percentile in ["p50", "p90", "p95", "p99", "p999", "max"] {
        list.maybe(name(percentile), told[format!("{percentile}_ns")].as_u64());
    }
    list.add(name("at_least"), Computed::Words(Vec::new()));
    list.maybe(name("p99_low"), None);
    list.maybe(name("p99_high"), None);
    list.whole(name("p99_episodes"), 0);
    let unknown = ["ok_response_time_ns", "service_time_ns", "connect_time_ns"];
    let late = ["lateness_ns", "lateness_ns.waiting", "lateness_ns.own"];
    let empty = Times::new([]);
    unknown.into_iter().chain(late).for_each(|name| empty.list(name, list));
}

fn tester(record: &Record, requests: u64, seconds: f64, list: &mut List) {
    let (facts, end) = (&record.facts, &record.end);
    let a_request = (requests > 0).then(|| end.cpu_process_ns as f64 / requests as f64);
    list.real("tester.cpu_ns_per_request", a_request);
    list.real("tester.sender_cpu_ns_per_request", a_request);
    list.real("tester.core_share", (seconds > 0.0).then(|| end.cpu_process_ns as f64 / 1e9 / seconds));
    list.text("tester.backend", &facts.backend);
    list.whole("tester.threads", facts.threads);
    list.maybe("tester.peak_rss_bytes", end.peak_rss_bytes);
    for unknown in ["connections_opened", "connections_peak", "waited_at_limit", "limit_lowered_to"] {
        list.maybe(format!("tester.{unknown}"), None);
    }
    list.add("tester.own_reading", Computed::Newer);
    list.add("tester.tls", Computed::Newer);
}
