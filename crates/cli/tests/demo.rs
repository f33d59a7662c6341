//! The main job, whole: `doorclock demo` on real processes and sockets, and
//! everything it leaves behind.
//!
//! In a file of its own, so that it runs alone: its lesson is about timing.

mod common;

use common::{Program, assert_all_ok, assert_conservation, doorclock, failures, number, text};
use engine::{Clock as _, MonotonicClock};
use model::Nanos;
use serde_json::Value;
use std::sync::LazyLock;

/// What a newcomer gives us.
const WHOLE_DEMO: Nanos = Nanos::from_secs(90);

const ARMS: [&str; 6] = ["closed-1-calm", "closed-1", "paced-calm", "paced", "open-calm", "open"];
const STALLED: [&str; 3] = ["closed-1", "paced", "open"];

/// One demo and all that came of it; its folder is gone by the time of the tests.
struct Demo {
    took: Nanos,
    stderr: String,
    summary: Value,
    summary_on_disk: Value,
    page: String,
    report_text: String,
    report_json: Value,
    report_html: String,
}

impl Demo {
    fn run() -> Demo {
        let folder = tempfile::tempdir().expect("a folder");
        let out = folder.path().join("results");
        let clock = MonotonicClock::starting_in(Nanos::ZERO);
        let demo = Program::start(&["demo", "--json", "--out", text(&out)]);
        let ended = demo.end_within(WHOLE_DEMO).with_code(0);
        let took = clock.now();
        let read = |name: &str| std::fs::read_to_string(out.join(name)).expect(name);
        let (summary_on_disk, page) = (read("summary.json"), read("report.html"));
        // The report must not need what was computed before.
        for computed in ["summary.json", "report.html"] {
            std::fs::remove_file(out.join(computed)).expect(computed);
        }
        let report = |format| doorclock(["report", text(&out), "--format", format]).with_code(0);
        Demo {
            took,
            summary: ended.json(),
            stderr: ended.stderr,
            summary_on_disk: serde_json::from_str(&summary_on_disk).expect("JSON"),
            page,
            report_text: report("text").stdout,
            report_json: report("json").json(),
            report_html: report("html").stdout,
        }
    }

    fn arm(&self, arm: &str) -> &Value {
        let run = &self.summary["arms"][arm]["runs"][0];
        assert!(run.is_object(), "no run of {arm} in {:#}", self.summary);
        run
    }

    fn p99(&self, arm: &str) -> Nanos {
        Nanos(number(self.arm(arm), "/response_time_ns/p99"))
    }

    fn sent_during(&self, arm: &str) -> u64 {
        number(self.arm(arm), "/stalls/sent_during")
    }
}

/// The demo, run once for all tests; should it fail, all of them do.
static DEMO: LazyLock<Demo> = LazyLock::new(Demo::run);

#[test]
fn it_is_over_within_the_minute_and_a_half_that_a_newcomer_gives_us() {
    assert!(DEMO.took < WHOLE_DEMO, "{}", DEMO.took);
}

#[test]
fn its_first_line_says_how_many_cores_and_under_what_load() {
    let first = DEMO.stderr.lines().next().expect("a first line");
    let (cores, load) = first.split_once(", load ").expect(first);
    let cores = cores.trim_end_matches(" cores").trim_end_matches(" core");
    let load = load.split(['.', ' ']).next().expect("a number");
    assert!(cores.parse::<u32>().is_ok() && load.parse::<u32>().is_ok(), "{first}");
}

#[test]
fn it_measures_three_testers_with_and_without_stalls_and_every_answer_is_right() {
    let arms: Vec<&String> = DEMO.summary["arms"].as_object().expect("arms").keys().collect();
    assert_eq!(arms.len(), ARMS.len(), "{arms:?}");
    for arm in ARMS {
        let run = DEMO.arm(arm);
        assert_conservation(run);
        assert_all_ok(run);
        assert!(failures(run).iter().all(|(_, count)| *count == 0), "{arm}: {run:#}");
        assert_ne!(run["verdict"], "void", "{arm}: {run:#}");
        assert_eq!(run["interrupted"], false, "{arm}");
    }
}

#[test]
fn each_stall_that_was_planned_was_seen() {
    for arm in STALLED {
        let stalls = &DEMO.arm(arm)["stalls"];
        assert!(number(stalls, "/planned") >= 3, "{arm}: {stalls:#}");
        assert_eq!(number(stalls, "/planned"), number(stalls, "/seen"), "{arm}");
        assert!(number(stalls, "/mean_length_ns") >= 100_000_000, "{arm}: {stalls:#}");
    }
}

/// Twice is what two runs of some seconds can differ by where other programs
/// run beside them: each such program takes slices of a few milliseconds. For
/// the same reason nothing below 10 ms counts as a difference. A p99 that saw
/// the stalls would stand near their 100 ms.
#[test]
fn the_closed_loop_reports_a_service_without_stalls() {
    let (calm, stalled) = (DEMO.p99("closed-1-calm"), DEMO.p99("closed-1"));
    assert!(stalled.0 < 2 * calm.0.max(Nanos::from_millis(5).0), "calm {calm}, stalled {stalled}");
}

/// Other programs that run beside slow the calm run as much as the stalled
/// one, so what tells them apart is the difference and not the ratio: half a
/// stall's 100 ms is more than they take, and a tester that missed the stalls
/// would show none.
#[test]
fn the_open_loop_reports_what_users_waited() {
    let (calm, stalled) = (DEMO.p99("open-calm"), DEMO.p99("open"));
    assert!(stalled >= Nanos::from_millis(50), "{stalled}");
    assert!(stalled >= calm + Nanos::from_millis(40), "calm {calm}, stalled {stalled}");
}

/// The open loop is due to send 55 requests a stall. The closed loop can have
/// sent one by the time a stall begins, which then waits it out.
#[test]
fn the_open_loop_asks_the_standing_service_by_the_hundred_and_the_closed_loop_hardly_ever() {
    let stalls = number(DEMO.arm("closed-1"), "/stalls/seen");
    let (closed, open) = (DEMO.sent_during("closed-1"), DEMO.sent_during("open"));
    assert!(open >= 100, "{open}");
    assert!(closed <= stalls, "{closed} in {stalls} stalls");
    assert!(closed * 10 <= open, "{closed} against {open}");
}

#[test]
fn the_folder_holds_the_summary_that_was_printed() {
    assert_eq!(DEMO.summary_on_disk, DEMO.summary);
}

#[test]
fn the_stored_samples_alone_give_every_number_again() {
    assert_eq!(DEMO.report_json, DEMO.summary);
}

#[test]
fn the_report_in_words_has_the_table_and_what_it_means() {
    let said = &DEMO.report_text;
    for words in ["closed loop, 1 connection", "paced loop", "open loop, 546/s", "p99 calm", "p99 stalled"] {
        assert!(said.contains(words), "`{words}` in {said}");
    }
    // What the demo itself had said, but for its last lines, which name the folder.
    let table = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| line.contains(" loop, "));
        lines.map(str::to_owned).collect()
    };
    assert_eq!(table(said), table(&DEMO.stderr));
}

#[test]
fn the_page_is_one_file_that_needs_no_other() {
    // The figures that it carries for machines are data, which no browser runs.
    let without_figures = |page: &str| {
        let (before, rest) = page.split_once("<script type=\"application/json\"").expect("figures");
        format!("{before}{}", rest.split_once("</script>").expect("their end").1)
    };
    for page in [&DEMO.page, &DEMO.report_html].map(|page| without_figures(page)) {
        assert!(page.starts_with("<!DOCTYPE html>") || page.starts_with("<!doctype html>"));
        assert!(page.contains("<svg"), "it has pictures");
        for outside in ["src=", "<link", "<script", "<iframe", "@import", "url(", "href=\"http", "href='http"]
        {
            assert!(!page.contains(outside), "`{outside}` in the page");
        }
    }
    assert_eq!(DEMO.report_html.trim_end(), DEMO.page.trim_end());
}
