//! Work that goes on after its answer, with the real program against the ticket
//! system: what was accepted, when it was done, and what was read beside it.
//!
//! The provider is 60 times as fast as the real one, and so is the load: what
//! takes a minute takes a second. Five minutes are five seconds here.

mod common;

use common::plans::{free_port, plans};
use common::tickets::{START, assert_none_is_lost, completion, run, tickets};
use common::{Ended, Program, assert_conservation, doorclock, number, only_run, text};
use serde_json::Value;
use std::path::{Path, PathBuf};

const BURST: &str = r#"
    [arm.a]
    open = {}
    [arm.a.shape]
    stages = [{ until = "500ms", rate = "40/s" }, { until = "1s", rate = "400/s" }, { until = "2s", rate = "40/s" }]
"#;

#[test]
fn a_burst_that_the_workers_cannot_follow_is_answered_with_no() {
    let folder = tempfile::tempdir().expect("a folder");
    let by = r#"
        [completion]
        name = "{{ response.headers.location }}"
        max  = "1s"
        sql  = { url = "sqlite:data/tickets.sqlite", every = "50ms", query = "select '/tickets/' || ticket, state = 'dead' from jobs where state in ('succeeded', 'dead')" }
        [readings.queue]
        every = "100ms"
        [readings.queue.sql]
        url   = "sqlite:data/tickets.sqlite"
        query = "select count(*) as queued from jobs where state = 'queued'"
        [readings.service]
        every   = "500ms"
        process = { target = true }
    "#;
    let plan = tickets(folder.path(), START, &format!("{BURST}{by}"));
    let (ended, summary) = run(&plan, folder.path());
    assert_none_is_lost(&summary, folder.path());
    let (work, one) = (completion(&summary), only_run(&summary));
    assert_eq!((ended.code, &work["held"]), (Some(1), &Value::from("no")), "{work:#}");
    let answer = summary["answer"].as_str().expect("an answer");
    assert!(answer.starts_with("No: ") && answer.contains("took longer than 1.00 s"), "{answer}");
    // Answers come at once, and results long after: their medians are far apart.
    assert!(
        number(work, "/submit_to_result_ns/p50") > 10 * number(one, "/ok_response_time_ns/p50"),
        "{one:#}"
    );
    assert!(number(work, "/drained_after_ns") > 0 && number(work, "/peak") > 20, "{work:#}");
    let readings = one["readings"].as_array().expect("readings");
    let column = |name: &str| {
        readings
            .iter()
            .find(|one| one["column"] == name)
            .unwrap_or_else(|| panic!("no {name} in {readings:#?}"))
    };
    assert!(column("queued")["most"].as_f64().is_some_and(|most| most > 10.0), "{readings:#?}");
    assert!(column("rss_bytes")["least"].as_f64().is_some_and(|least| least > 1e6), "{readings:#?}");
    let report = doorclock(["report", text(&folder.path().join("out"))]).with_code(0).stdout;
    assert!(
        report.contains("From submit to result") && report.contains("What was read beside the load"),
        "{report}"
    );
}

#[test]
fn work_that_is_done_in_time_is_answered_with_yes_whichever_way_its_end_is_learnt() {
    let few = r#"
        [arm.a]
        open = {}
        [arm.a.shape]
        steady = { rate = "20/s", lasts = "2s" }
    "#;
    let poll = r#"
        [completion]
        max  = "10s"
        poll = { url = "{{ response.headers.location }}", every = "50ms", done = "/state == 'succeeded'", given_up = "/state == 'dead'" }
    "#;
    let folder = tempfile::tempdir().expect("a folder");
    let plan = tickets(folder.path(), START, &format!("{few}{poll}"));
    let (ended, summary) = run(&plan, folder.path());
    assert_none_is_lost(&summary, folder.path());
    let work = completion(&summary);
    assert_eq!((ended.code, &work["held"]), (Some(0), &Value::from("yes")), "{work:#}");
    assert!(summary["answer"].as_str().is_some_and(|answer| answer.starts_with("Yes: all ")), "{summary:#}");
    assert!(number(work, "/followed/asked") >= number(work, "/accepted"), "{work:#}");
}

#[test]
fn work_whose_end_is_asked_for_in_vain_is_a_lower_bound_and_not_a_success() {
    let few = r#"
        [arm.a]
        open = {}
        [arm.a.shape]
        steady = { rate = "20/s", lasts = "1s" }
        [completion]
        max    = "500ms"
        within = "1s"
        poll   = { url = "/nowhere{{ response.headers.location }}", every = "100ms", done = "/state == 'succeeded'" }
    "#;
    let folder = tempfile::tempdir().expect("a folder");
    let plan = tickets(folder.path(), START, few);
    let (ended, summary) = run(&plan, folder.path());
    let (work, one) = (completion(&summary), only_run(&summary));
    assert_eq!(ended.code, Some(1), "{work:#}");
    assert_eq!(number(work, "/unfinished"), number(work, "/accepted"));
    assert!(
        work["followed"]["example"].as_str().is_some_and(|example| example.contains("status 404")),
        "{work:#}"
    );
    let codes: Vec<&str> =
        one["doubts"].as_array().expect("doubts").iter().filter_map(|d| d["code"].as_str()).collect();
    assert!(codes.contains(&"failed-questions") && codes.contains(&"unfinished-work"), "{codes:?}");
    assert!(
        work["submit_to_result_ns"]["at_least"].as_array().is_some_and(|all| !all.is_empty()),
        "{work:#}"
    );
}

#[test]
fn readings_that_cannot_be_taken_are_gaps_with_a_reason_and_the_run_is_kept() {
    let bad = r#"
        [arm.a]
        open = {}
        [arm.a.shape]
        steady = { rate = "20/s", lasts = "1s" }
        [readings.wrong]
        every = "200ms"
        sql   = { url = "sqlite:data/tickets.sqlite", query = "select speed from jobs" }
        [readings.words]
        every = "200ms"
        sql   = { url = "sqlite:data/tickets.sqlite", query = "select 'many' as queued" }
        [readings.down]
        every = "200ms"
        sql   = { url = "postgres://nobody@127.0.0.1:1/x", query = "select 1" }
        [readings.gone]
        every   = "200ms"
        process = { pid = 4194304 }
        [readings.load]
        every   = "200ms"
        machine = true
    "#;
    let folder = tempfile::tempdir().expect("a folder");
    let plan = tickets(folder.path(), START, bad);
    let (_, summary) = run(&plan, folder.path());
    let one = only_run(&summary);
    let gaps = one["reading_gaps"].as_array().expect("gaps");
    let first = |name: &str| {
        let gap =
            gaps.iter().find(|gap| gap["reading"] == name).unwrap_or_else(|| panic!("{name} in {gaps:#?}"));
        assert_eq!(gap["gaps"], gap["asked"], "{gap:#}");
        gap["first"].as_str().expect("a reason").to_owned()
    };
    assert!(first("wrong").contains("no such column: speed"), "{gaps:#?}");
    assert_eq!(first("words"), "it is text: \"many\"");
    assert!(first("down").contains("refused"), "{gaps:#?}");
    assert_eq!(first("gone"), "there is no process 4194304");
    let read = one["readings"].as_array().expect("readings");
    assert!(read.iter().all(|one| one["reading"] == "load") && !read.is_empty(), "{read:#?}");
    assert_eq!(one["verdict"], "doubtful", "a reading that gave nothing is told");
}

/// One of our plans on free ports, in a folder of its own.
fn small(name: &str, start: &str, sets: &[&str], folder: &Path) -> (Ended, PathBuf) {
    let (port, provider) = (free_port(), free_port());
    for file in [format!("{name}.toml"), "ticket-customers.csv".to_owned()] {
        std::fs::copy(plans().join(&file), folder.join(&file)).expect("copied");
    }
    let (plan, out) = (folder.join(format!("{name}.toml")), folder.join("out"));
    let mut all = vec![
        format!("target.start={start} --port {port} --provider-port {provider} --data tickets-data"),
        format!("target.url=http://127.0.0.1:{port}"),
        "target.ready_within=30s".to_owned(),
        "rounds.count=1".to_owned(),
        "rounds.warm_up=0s".to_owned(),
        "environment.quiet.wait=0s".to_owned(),
        "environment.quiet.over=50ms".to_owned(),
        format!("readings.queue.prometheus.url=http://127.0.0.1:{port}/metrics"),
        "readings.queue.every=200ms".to_owned(),
        "readings.service.every=500ms".to_owned(),
    ];
    all.extend(sets.iter().map(|set| (*set).to_owned()));
    let mut args = vec!["run", text(&plan), "--json", "--out", text(&out)];
    args.extend(all.iter().flat_map(|set| ["--set", set]));
    (Program::start(&args).end(), out)
}

/// The rates of LABS B, 60 times as fast.
const SIXTY_TIMES: &str = r#"shape={stages=[{until="333ms",rate="RATE1/s"},{until="583ms",rate="RATE2/s"},{until="1333ms",rate="RATE1/s"}]}"#;

#[test]
fn our_black_friday_plans_answer_their_questions_in_a_small_form() {
    let rates = |low: &str, high: &str| SIXTY_TIMES.replace("RATE1", low).replace("RATE2", high);
    let (strong, black_friday) = (rates("120", "1200"), rates("12", "120"));
    let (in_time, quota) = ("completion.max=5s", "completion.quota=50/s");
    let soak = r#"shape={soak={rate="45/s",lasts="4s"}}"#;
    let ramp = r#"shape={ramp-up={from="50/s",to="200/s",steps=3,each="1s"}}"#;
    let free = START.replace("--customer-per-min 480", "--customer-per-min 100000 --customer-burst 100000");
    let plans: [(&str, &str, Vec<&str>, &str); 4] = [
        ("black-friday-strong", START, vec![&strong, in_time, quota, "completion.sql.every=50ms"], "No: "),
        (
            "black-friday",
            START,
            vec![&black_friday, in_time, quota, "completion.poll.every=50ms"],
            "Yes: all ",
        ),
        ("black-friday-soak", START, vec![soak, in_time, quota, "completion.poll.every=50ms"], "Yes: all "),
        ("black-friday-ramp", &free, vec![ramp], "The service "),
    ];
    for (name, start, sets, says) in plans {
        let folder = tempfile::tempdir().expect("a folder");
        let (ended, out) = small(name, start, &sets, folder.path());
        assert!(matches!(ended.code, Some(0 | 1)), "{name}: {ended:#?}");
        let summary = ended.json();
        let answer = summary["answer"].as_str().expect("an answer");
        assert!(answer.starts_with(says), "{name}: {answer}");
        let run = only_run(&summary);
        assert_conservation(run);
        if run["completion"].is_object() {
            assert_eq!(run["completion"]["followed"]["stored"], run["ok"], "{name}: accepted and stored");
        }
        doorclock(["verify", text(&out)]).with_code(0);
    }
}
