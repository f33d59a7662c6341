//! Everything that is reported of one run, computed again.

use crate::alongside::Alongside;
use crate::check::{Computed, List};
use crate::manifest::sha256;
use crate::record::{Load, Record, Stall};
use crate::samples::{FAILURES, NEVER_SENT, Row, UNFINISHED};
use crate::times::{Times, Took, exactly, lateness, own_delay, response, service, waiting};
use crate::{corrected, keeping_up, replay, shape, stalls, standstill, tail, windows};
use serde_json::Value;

/// How far apart the two sides of Little's law may lie before a run is void.
const LITTLE_MARGIN: f64 = 0.02;

/// Its values under their names in `summary.json`. `reported` is asked for its
/// doubts alone, since the verdict must be the worst of them.
pub(crate) fn list(record: &Record, rows: &[Row], alongside: &Alongside, reported: &Value) -> List {
    let mut list = List::default();
    facts(record, rows, &mut list);
    counts(record, rows, &mut list);
    times(record, rows, &mut list);
    over_time(record, rows, alongside, &mut list);
    alongside.list(record, &mut list);
    tester(record, &mut list);
    beside(record, &mut list);
    list.text("verdict", worst_weight(reported));
    list.add("void_doubts", Computed::Words(void_codes(record, rows, alongside)));
    list
}

/// What was asked for, as `run.json` has it; only the schedule's hash is taken
/// again, from the samples of a run that sent all of it.
pub(crate) fn facts(record: &Record, rows: &[Row], list: &mut List) {
    let (facts, part) = (&record.facts, record.counted_part());
    list.whole("round", facts.round);
    list.flag("interrupted", Some(record.end.interrupted));
    match &facts.shape {
        Some(shape) => shape.list(list),
        None => list.add("shape", Computed::Unknown),
    }
    list.text("url", &facts.url);
    list.text("method", &facts.method);
    list.maybe("seed", facts.seed.parse().ok());
    list.real("duration_s", Some(part.seconds()));
    list.real("warm_up_s", Some(facts.warm_up_ns as f64 / 1e9));
    list.real("timeout_s", Some(facts.timeout_ns as f64 / 1e9));
    list.text("connection_policy", &facts.connection_policy);
    list.whole("connection_limit", facts.connection_limit);
    let hash = match &facts.schedule_sha256 {
        Some(_) if sent_its_whole_schedule(record) => Some(schedule_hash(rows)),
        as_planned => as_planned.clone(),
    };
    list.maybe_text("schedule_hash", hash.as_deref());
}

fn sent_its_whole_schedule(record: &Record) -> bool {
    matches!(record.facts.load, Load::Open { .. }) && !record.end.interrupted && record.end.samples_lost == 0
}

/// SHA-256 of every scheduled moment in the order of the schedule, each as 8
/// bytes, lowest first.
fn schedule_hash(rows: &[Row]) -> String {
    let mut moments: Vec<(u64, u64)> = rows.iter().map(|row| (row.index, row.scheduled)).collect();
    moments.sort_unstable();
    let bytes: Vec<u8> = moments.iter().flat_map(|(_, scheduled)| scheduled.to_le_bytes()).collect();
    sha256(&bytes)
}

fn counts(record: &Record, rows: &[Row], list: &mut List) {
    let part = record.counted_part();
    list.whole("scheduled", record.end.taken_counted);
    list.whole("ok", counted(rows).filter(|row| row.is_ok()).count() as u64);
    for failure in FAILURES {
        list.whole(format!("failed.{failure}"), with_outcome(rows, failure));
    }
    list.whole("unfinished", with_outcome(rows, UNFINISHED));
    list.whole("never_sent", with_outcome(rows, NEVER_SENT));
    list.whole("resent", counted(rows).map(|row| row.resent).sum());
    list.real("rate_per_s", Some(rate_per_s(record, rows)));
    let (word, visible) = keeping_up::judge(&record.facts.load, rows, part, record.facts.capacity_per_s);
    list.text("kept_up", word);
    list.real("smallest_visible_shortfall", Some(visible));
    let little = little(record, rows);
    match little {
        None => list.add("little", Computed::Unknown),
        Some((mean_in_system, rate_times_mean)) => {
            list.real("little.mean_in_system", Some(mean_in_system));
            list.real("little.rate_times_mean", Some(rate_times_mean));
        }
    }
}

fn counted(rows: &[Row]) -> impl Iterator<Item = &Row> {
    rows.iter().filter(|row| row.counted)
}

fn with_outcome(rows: &[Row], outcome: &str) -> u64 {
    counted(rows).filter(|row| row.outcome == outcome).count() as u64
}

/// Answers a second that came inside the counted part, the warm-up's included.
fn rate_per_s(record: &Record, rows: &[Row]) -> f64 {
    let part = record.counted_part();
    if part.length() == 0 { 0.0 } else { keeping_up::answers(rows, part) as f64 / part.seconds() }
}

/// Mean number in the system by the engine's sum, and by the samples.
fn little(record: &Record, rows: &[Row]) -> Option<(f64, f64)> {
    let length = record.end.ended_ns;
    let stays: u128 = rows.iter().map(|row| u128::from(row.stay())).sum();
    let mean = |area: u128| area as f64 / length as f64;
    (length > 0).then(|| (mean(record.end.area_request_ns), mean(stays)))
}

fn times(record: &Record, rows: &[Row], list: &mut List) {
    let (facts, part) = (&record.facts, record.counted_part());
    let (timeout, counted) = (facts.timeout_ns, counted(rows).collect::<Vec<&Row>>());
    let all = || counted.iter().copied();
    let responses = Times::new(all().map(|row| response(row, timeout)));
    responses.list("response_time_ns", list);
    tail::list(&counted, &responses, part, timeout, list);
    let ok = all().filter(|row| row.is_ok());
    Times::new(ok.map(|row| exactly(row.stay()))).list("ok_response_time_ns", list);
    let services = Times::new(all().filter_map(|row| service(row, timeout)));
    services.list("service_time_ns", list);
    Times::new(all().filter_map(|row| row.connect).map(exactly)).list("connect_time_ns", list);
    // When another tool should have sent, it does not tell.
    let planned = || all().filter(|_| facts.tool.is_none());
    Times::new(planned().map(lateness)).list("lateness_ns", list);
    Times::new(planned().map(waiting)).list("lateness_ns.waiting", list);
    Times::new(planned().map(own_delay)).list("lateness_ns.own", list);

    let p95 = services.percentile("p95").unwrap_or(0);
    let mut met: Vec<Stall> = match &record.stalls {
        Some(told) => stalls::seen_in(told, part),
        None => standstill::stalls(rows, part, p95),
    };
    met.sort_by_key(|stall| stall.began_ns);
    let lengths: Vec<u64> = met.iter().map(stalls::length).collect();
    let replayed = match facts.load_changes() {
        true => Some(None),
        false => replay::is_possible(facts, part).then(|| replay::p99(facts, &counted, part, &met)),
    };
    corrected::list(facts, &responses, rate_per_s(record, rows), (&lengths, p95), replayed, list);
    windows::list(&counted, part, timeout, list);
    list.real("near_mean_share", windows::near_mean(&responses));
    match &record.stalls {
        Some(told) => stalls::list(told, &counted, part, list),
        None => list.add("stalls", Computed::Unknown),
    }
}

/// What the shape of a load over time asks for.
fn over_time(record: &Record, rows: &[Row], alongside: &Alongside, list: &mut List) {
    let (facts, part) = (&record.facts, record.counted_part());
    let Some(shape) = &facts.shape else {
        for none in ["stages", "bursts", "growth"] {
            list.add(none, Computed::Nothing);
        }
        return;
    };
    let run = shape::stages::Run { shape, load: &facts.load, rows, part, timeout: facts.timeout_ns };
    shape::stages::list(&run, list);
    shape::burst::list(&run, list);
    let watched = shape::growth::list(&run, list);
    if let Some(at) = watched {
        alongside.growth(record, at, list);
    }
}

fn tester(record: &Record, list: &mut List) {
    let (facts, end, part) = (&record.facts, &record.end, record.counted_part());
    let a_request = |cpu: u64| (end.taken_counted > 0).then(|| cpu as f64 / end.taken_counted as f64);
    let core_share = (part.length() > 0).then(|| end.cpu_process_ns as f64 / 1e9 / part.seconds());
    list.real("tester.cpu_ns_per_request", a_request(end.cpu_process_ns));
    list.real("tester.sender_cpu_ns_per_request", a_request(end.cpu_senders_ns));
    list.real("tester.core_share", core_share);
    list.text("tester.backend", &facts.backend);
    list.whole("tester.threads", facts.threads);
    list.maybe("tester.peak_rss_bytes", end.peak_rss_bytes);
    list.whole("tester.connections_opened", end.connections_opened);
    list.whole("tester.connections_peak", end.connections_peak);
    list.whole("tester.waited_at_limit", end.waited_at_limit);
    list.maybe("tester.limit_lowered_to", end.limit_lowered_to);
    newer("tester.own_reading", end.own_reading.as_ref(), list);
    newer("tester.tls", end.tls.as_ref(), list);
}

/// What another tool tells and what the machine did, as `run.json` has them.
pub(crate) fn beside(record: &Record, list: &mut List) {
    copied("told", record.end.told.as_ref(), list);
    let story = record.end.machine.as_ref().map(|story| {
        let mut story = story.clone();
        // The one time among them is reported in seconds.
        if let Some(fields) = story.as_object_mut()
            && let Some(waited) = fields.remove("waited_for_quiet_ns").and_then(|waited| waited.as_f64())
        {
            fields.insert("waited_for_quiet_s".to_owned(), serde_json::json!(waited / 1e9));
        }
        story
    });
    copied("machine", story.as_ref(), list);
}

/// The fields of an object, word for word; an object that is missing is `null`.
fn copied(name: &str, object: Option<&Value>, list: &mut List) {
    let Some(fields) = object.and_then(Value::as_object) else { return list.add(name, Computed::Unknown) };
    for (field, value) in fields {
        list.add(format!("{name}.{field}"), Computed::of(value));
    }
}

/// The same of what older versions did not tell.
fn newer(name: &str, object: Option<&Value>, list: &mut List) {
    match object {
        None => list.add(name, Computed::Newer),
        known => copied(name, known, list),
    }
}

/// The response times of a run's counted requests.
pub(crate) fn response_times(record: &Record, rows: &[Row]) -> Vec<Took> {
    counted(rows).map(|row| response(row, record.facts.timeout_ns)).collect()
}

/// The verdict that the reported doubts add up to.
pub(crate) fn worst_weight(reported: &Value) -> &'static str {
    let weights = reported["doubts"].as_array().into_iter().flatten();
    let weights: Vec<&str> = weights.filter_map(|doubt| doubt["weight"].as_str()).collect();
    ["void", "doubtful"].into_iter().find(|weight| weights.contains(weight)).unwrap_or("valid")
}

/// The doubts that make a run void, by the books alone.
fn void_codes(record: &Record, rows: &[Row], alongside: &Alongside) -> Vec<String> {
    let end = &record.end;
    let counted_rows = counted(rows).count() as u64;
    let no_answer = !counted(rows).any(Row::is_ok);
    let planned = record.facts.planned_warm_up.zip(record.facts.planned_counted);
    let off_plan = planned.is_some_and(|(warm_up, counted)| {
        end.taken_counted != counted || u128::from(end.taken) != u128::from(warm_up) + u128::from(counted)
    });
    let apart = little(record, rows)
        .is_some_and(|(engine, samples)| (engine - samples).abs() > LITTLE_MARGIN * engine.max(samples));
    let codes = [
        ("no-requests", counted_rows == 0),
        ("everything-failed", counted_rows > 0 && no_answer),
        ("conservation", end.taken_counted != counted_rows),
        ("samples-missing", end.taken != rows.len() as u64),
        ("plan-not-kept", off_plan && !end.interrupted),
        ("samples-lost", end.samples_lost > 0),
        ("little", apart),
        ("work-missing", alongside.work_is_missing(record, rows)),
    ];
    codes.into_iter().filter(|(_, holds)| *holds).map(|(code, _)| code.to_owned()).collect()
}
