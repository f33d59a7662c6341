//! `doorclock URL` against a real service: every kind of load and request, and
//! what is printed, kept and returned.

mod common;

use common::{Ended, Parrot, Scorer, assert_all_ok, assert_conservation, doorclock, number, only_run, text};
use serde_json::Value;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const PARROT_OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nyes";
const PARROT_BROKEN: &str =
    "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

/// A folder for the results of one look.
struct Looks(TempDir);

impl Looks {
    fn new() -> Looks {
        Looks(tempfile::tempdir().expect("a folder"))
    }

    fn out(&self) -> PathBuf {
        self.0.path().join("results")
    }

    /// A look of half a second without warm-up.
    fn look(&self, url: &str, flags: &[&str]) -> Ended {
        let out = self.out();
        let mut args = vec![url, "-d", "500ms", "--warm-up", "0s", "--out", text(&out)];
        args.extend(flags);
        common::Program::start(&args).end()
    }
}

/// A look with these flags and `--json`: the summary's one run.
#[track_caller]
fn look(url: &str, flags: &[&str], code: i32) -> Value {
    let ended = Looks::new().look(url, &[flags, &["--json"]].concat()).with_code(code);
    let run = only_run(&ended.json()).clone();
    assert_conservation(&run);
    run
}

#[test]
fn each_kind_of_load_measures_a_healthy_service() {
    let scorer = Scorer::start();
    let url = scorer.url("/healthz");
    let cases: [(&[&str], &str); 8] = [
        (&["-r", "300/s"], "open"),
        (&["-r", "300/s", "--arrivals", "even"], "open"),
        (&["-r", "300/s", "--threads", "2"], "open"),
        (&["-r", "300/s", "--spin"], "open"),
        (&["-r", "200/s", "--connect", "per-request"], "open"),
        (&["--closed", "2"], "closed"),
        (&["--closed", "4", "--threads", "2", "--connect", "per-user"], "closed"),
        (&["--paced", "200/s:4"], "paced"),
    ];
    for (flags, model) in cases {
        let ended = Looks::new().look(&url, &[flags, &["--json", "--expect", "200"]].concat()).with_code(0);
        let summary = ended.json();
        assert_eq!(summary["arms"][model]["model"], model, "{flags:?}");
        let run = only_run(&summary);
        assert_all_ok(run);
        assert!(number(run, "/scheduled") >= 50, "{flags:?}: {run:#}");
        assert!(number(run, "/response_time_ns/p50") >= number(run, "/service_time_ns/p50"), "{flags:?}");
    }
}

#[test]
fn each_request_has_a_connection_of_its_own_if_that_is_asked() {
    let scorer = Scorer::start();
    let run = look(&scorer.url("/healthz"), &["-r", "200/s", "--connect", "per-request"], 0);
    assert_eq!(number(&run, "/tester/connections_opened"), number(&run, "/scheduled"), "{run:#}");
    let run = look(&scorer.url("/healthz"), &["--closed", "1"], 0);
    assert_eq!(number(&run, "/tester/connections_opened"), 1, "{run:#}");
}

#[test]
fn as_many_threads_send_as_are_asked_and_between_them_they_keep_the_one_schedule() {
    let scorer = Scorer::start();
    let look =
        |threads| look(&scorer.url("/healthz"), &["-r", "400/s", "--seed", "11", "--threads", threads], 0);
    let (one, two) = (look("1"), look("2"));
    assert_eq!((number(&one, "/tester/threads"), number(&two, "/tester/threads")), (1, 2));
    assert_eq!(one["schedule_hash"], two["schedule_hash"]);
    assert_eq!(number(&one, "/scheduled"), number(&two, "/scheduled"));
}

#[test]
fn one_seed_gives_one_schedule_and_another_seed_another() {
    let scorer = Scorer::start();
    let hash = |seed| {
        let run = look(&scorer.url("/healthz"), &["-r", "300/s", "--seed", seed], 0);
        let hash = run["schedule_hash"].as_str().expect("an open loop has a schedule").to_owned();
        assert_eq!(hash.len(), 64, "SHA-256 in hex");
        (hash, number(&run, "/scheduled"))
    };
    let first = hash("1");
    assert_eq!(first, hash("1"));
    assert_ne!(first.0, hash("2").0);
}

#[test]
fn method_headers_and_body_reach_the_service_as_they_were_given() {
    let parrot = Parrot::saying(PARROT_OK);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("body.json");
    std::fs::write(&file, r#"{"from":"a file"}"#).expect("written");
    let from_file = format!("@{}", text(&file));
    let cases: [(&[&str], &str, &str); 4] = [
        (
            &["--data", r#"{"a":1}"#, "-H", "Content-Type: application/json"],
            "POST /x?q=1 HTTP/1.1\r\n",
            r#"{"a":1}"#,
        ),
        (&["--data", &from_file, "-H", "X-Shop: 7"], "POST /x?q=1 HTTP/1.1\r\n", r#"{"from":"a file"}"#),
        (&["-X", "PUT", "--data", "put"], "PUT /x?q=1 HTTP/1.1\r\n", "put"),
        (&["-X", "DELETE"], "DELETE /x?q=1 HTTP/1.1\r\n", ""),
    ];
    for (flags, line, body) in cases {
        let run = look(&parrot.url("/x?q=1"), &[flags, &["--connect", "per-request"]].concat(), 0);
        assert_all_ok(&run);
        let heard = parrot.heard().pop().expect("requests");
        let (head, came) = heard.split_once("\r\n\r\n").expect("a whole head");
        assert!(head.starts_with(line), "{heard}");
        assert_eq!(came, body, "{heard}");
        let header = flags.iter().find(|flag| flag.contains(": ")).unwrap_or(&"Host: ");
        assert!(head.to_lowercase().contains(&header.to_lowercase()), "`{header}` in {heard}");
    }
}

#[test]
fn a_score_is_asked_for_by_post_and_a_head_has_no_body() {
    let scorer = Scorer::start();
    let score = ["--data", r#"{"customer":"c-00001"}"#, "-H", "Content-Type: application/json"];
    let run = look(&scorer.url("/score"), &[&score[..], &["--expect", "200"]].concat(), 0);
    assert_eq!(run["method"], "POST");
    assert_all_ok(&run);
    let run = look(&scorer.url("/healthz"), &["-X", "HEAD", "--closed", "2", "--expect", "200"], 0);
    assert_eq!(run["method"], "HEAD");
    assert_all_ok(&run);
}

#[test]
fn an_expectation_that_does_not_hold_is_exit_code_1() {
    let scorer = Scorer::start();
    let run = look(&scorer.url("/healthz"), &["--expect", "404"], 1);
    assert_eq!((number(&run, "/ok"), number(&run, "/failed/wrong_status")), (0, number(&run, "/scheduled")));
    let run = look(&scorer.url("/nowhere"), &["--expect", "404"], 0);
    assert_all_ok(&run);
}

#[test]
fn a_service_whose_every_answer_is_an_error_gives_no_numbers() {
    let parrot = Parrot::saying(PARROT_BROKEN);
    let looks = Looks::new();
    let said = looks.look(&parrot.url("/"), &[]).with_code(3);
    assert!(said.stdout.contains("VOID"), "{said:#?}");
    assert!(said.stdout.contains("status 500"), "{said:#?}");
    assert!(!said.stdout.contains("response time"), "{said:#?}");
    // Nor does the folder say otherwise later.
    let again = doorclock(["report", text(&looks.out()), "--format", "json"]).with_code(3);
    assert_eq!(again.json()["verdict"], "void");
}

#[test]
fn the_screen_says_what_was_measured_how_far_to_trust_it_and_where_it_lies() {
    let (scorer, looks) = (Scorer::start(), Looks::new());
    let (url, out) = (scorer.url("/healthz"), looks.out());
    let said = looks.look(&url, &["-r", "300/s", "--seed", "5"]).with_code(0);
    assert_eq!(said.stderr, "", "no progress where nobody sees it");
    let words = [
        &url,
        "open loop",
        "300/s",
        "seed 5",
        ", load",
        "p99.9",
        "response time",
        "service time",
        "sent late by",
        "scheduled",
        "never sent",
        "kept up",
        "of CPU a request",
        text(&out),
    ];
    for word in words {
        assert!(said.stdout.contains(word), "`{word}` in {}", said.stdout);
    }
    assert!(["VALID", "DOUBTFUL"].iter().any(|verdict| said.stdout.contains(verdict)), "{}", said.stdout);
    // One screen for people: nothing wider than 80 columns but the folder's name.
    let wide = said.stdout.lines().find(|line| line.chars().count() > 80 && !line.contains(text(&out)));
    assert_eq!(wide, None);
    let again = doorclock(["report", text(&out)]).with_code(0);
    assert_eq!(again.stdout, said.stdout, "the report shows the same screen");
}

#[test]
fn with_json_standard_output_is_for_machines_and_words_go_to_standard_error() {
    let (scorer, looks) = (Scorer::start(), Looks::new());
    let said = looks.look(&scorer.url("/healthz"), &["--json"]).with_code(0);
    assert_eq!(said.json()["format"], 1);
    assert!(said.stderr.contains("response time"), "{said:#?}");
}

#[test]
fn the_results_folder_is_complete() {
    let (scorer, looks) = (Scorer::start(), Looks::new());
    let printed =
        looks.look(&scorer.url("/healthz"), &["--json", "--seed", "9", "--spin"]).with_code(0).json();
    let out = looks.out();
    assert_eq!(
        files_under(&out),
        [
            "manifest.json",
            "report.html",
            "runs/R1-open/run.json",
            "runs/R1-open/samples.parquet",
            "summary.json"
        ]
    );
    let read = |name: &str| -> Value {
        let text = std::fs::read_to_string(out.join(name)).expect(name);
        serde_json::from_str(&text).expect(name)
    };
    assert_eq!(read("summary.json"), printed);
    assert_eq!(read("runs/R1-open/run.json")["facts"]["spin_ns"], 150_000);
    let manifest = read("manifest.json");
    assert_eq!(
        (&manifest["sealed"], &manifest["seed"]),
        (&Value::from(true), &Value::from("9")),
        "{manifest:#}"
    );
    assert_eq!(manifest["files"].as_array().map(Vec::len), Some(4), "{manifest:#}");
}

/// Paths of all files, sorted.
fn files_under(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry")) {
        let name = entry.file_name().into_string().expect("a plain name");
        if entry.path().is_dir() {
            found.extend(files_under(&entry.path()).iter().map(|inner| format!("{name}/{inner}")));
        } else {
            found.push(name);
        }
    }
    found.sort();
    found
}
