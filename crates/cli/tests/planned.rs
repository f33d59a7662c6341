//! `doorclock new`, `check` and `run` with the real program: what comes out of
//! a plan, and that a stopped experiment goes on where it stopped.

mod common;

use common::plans::{Plan, free_port, small};
use common::{Program, assert_all_ok, doorclock, eventually, number, text};
use rustix::process::Signal;
use serde_json::Value;
use std::path::Path;

/// The hashes of all schedules, by run.
fn hashes(summary: &Value) -> Vec<(String, u64, Value)> {
    let arms = summary["arms"].as_object().expect("arms");
    let runs = arms.iter().flat_map(|(arm, of)| {
        let runs = of["runs"].as_array().expect("runs").iter();
        runs.map(|run| (arm.clone(), number(run, "/round"), run["schedule_hash"].clone()))
    });
    runs.collect()
}

#[test]
fn the_same_plan_and_seed_send_at_the_same_moments_and_arms_of_a_round_share_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let plan = Plan::write(
        folder.path(),
        r#"
        [rounds]
        count = 2
        measure = "300ms"
        warm_up = "100ms"
        [stalls]
        every = "200ms"
        length = "10ms"
        how = "signal"
        [arm.open]
        open = { rate = "200/s" }
        [arm.open-calm]
        open = { rate = "200/s" }
        stalls = false
        "#,
    );
    let [first, second] = ["first", "second"].map(|out| plan.run_into(&folder.path().join(out)).json());
    assert_eq!(hashes(&first), hashes(&second));
    let of = |arm: &str, round: u64| {
        let found = hashes(&first).into_iter().find(|(a, r, _)| a == arm && *r == round);
        found.expect("a run").2
    };
    assert!(of("open", 1).is_string());
    assert_eq!(of("open", 1), of("open-calm", 1), "stalls or not, the same moments");
    assert_ne!(of("open", 1), of("open", 2), "every round has its own");
    let run = &first["arms"]["open"]["runs"][0];
    assert_all_ok(run);
    assert!(number(run, "/stalls/seen") >= 1, "{run:#}");
    assert_eq!(first["arms"]["open-calm"]["runs"][0]["stalls"], Value::Null);
    assert!(run["machine"]["service_core_share"].is_number(), "{run:#}");
}

#[test]
fn a_new_plan_can_be_checked_and_is_never_written_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let purposes = [
        ["compare", "bound", "stalls", "tools"].as_slice(),
        &["ramp-up", "steady", "burst", "soak", "day", "users", "replay"],
    ];
    for purpose in purposes.concat() {
        let path = folder.path().join(format!("{purpose}.toml"));
        doorclock(["new", text(&path), "--for", purpose]).with_code(0);
        let check = doorclock(["check", text(&path)]).with_code(0);
        assert!(check.stdout.contains(" round"), "{check:?}");
        let again = doorclock(["new", text(&path), "--for", purpose]);
        again.fails_with(2, &["exists already"]).and_hints("another name");
    }
    // A log that is there already is whoever's it is.
    let log = folder.path().join("access.log");
    assert!(std::fs::read_to_string(&log).expect("a log").lines().count() > 1_000);
    std::fs::write(&log, "mine").expect("written");
    let second = folder.path().join("again.toml");
    doorclock(["new", text(&second), "--for", "replay"]).with_code(0);
    assert_eq!(std::fs::read_to_string(&log).expect("a log"), "mine");
}

#[test]
fn a_check_says_what_will_be_sent_how_long_it_takes_and_whether_that_is_enough() {
    let folder = tempfile::tempdir().expect("a folder");
    let plan = Plan::write(
        folder.path(),
        r#"
        [rounds]
        count = 5
        measure = "12s"
        [stalls]
        every = "4s"
        length = "100ms"
        how = "signal"
        [arm.open]
        open = { rate = "500/s" }
        [arm.closed]
        closed = { connections = 4 }
        "#,
    );
    let check = doorclock(["check", plan.path()]).with_code(0).stdout;
    for part in ["6,000 requests", "3.0 stalls", "TOO SHORT for a p99", "40 s hold 10", "TOO FEW", "10 runs"]
    {
        assert!(check.contains(part), "`{part}` in\n{check}");
    }
}

#[test]
fn a_comparison_answers_its_question_with_figures_and_its_guesses_are_judged() {
    let folder = tempfile::tempdir().expect("a folder");
    let plan = Plan::write(
        folder.path(),
        r#"
        [rounds]
        count = 6
        measure = "400ms"
        warm_up = "50 requests"
        [arm.quick]
        open = { rate = "200/s" }
        [arm.slow]
        open = { rate = "200/s" }
        start = "doorclock target scorer --port PORT --service-time 3ms --with-parent"
        [arm.quick-again]
        like = "quick"
        [bound]
        p50 = "2ms"
        [[guess]]
        name = "G1"
        says = "slow is slower"
        holds = "arm['slow'].p50_ms | min > arm['quick'].p50_ms | max"
        [[guess]]
        name = "G2"
        says = "slow takes a second"
        holds = "arm['slow'].p50_ms | median > 1000"
        [compare]
        number = "p50"
        "#,
    );
    let out = folder.path().join("out");
    // A wrong guess and a bound that does not hold make the exit code 1.
    let score = [
        "--set",
        "request.path=/score",
        "--set",
        r#"request.json={ customer = "c-00001" }"#,
        "--out",
        text(&out),
    ];
    let summary = plan.run(&score).with_code(1).json();
    let [slow, again] = &summary["comparisons"].as_array().expect("two comparisons")[..] else {
        panic!("{:#}", summary["comparisons"])
    };
    assert_eq!((&slow["a"], &slow["b"], &slow["twin"]), (&"quick".into(), &"slow".into(), &false.into()));
    assert_eq!((slow["told_apart"].as_bool(), slow["plain_rule"].as_bool()), (Some(true), Some(true)));
    assert!(slow["effect"].as_f64().expect("an effect") > 1.0, "{slow:#}");
    assert_eq!(slow["p"].as_f64(), Some(2.0 / 64.0));
    assert_eq!((&again["b"], &again["twin"]), (&"quick-again".into(), &true.into()));
    let verdicts: Vec<&str> = summary["guesses"]
        .as_array()
        .expect("guesses")
        .iter()
        .filter_map(|g| g["verdict"].as_str())
        .collect();
    assert_eq!(verdicts, ["right", "wrong"]);
    let bound = &summary["bounds"][0];
    // It and its twin held it, at one rate.
    assert!(bound["highest"]["arm"].as_str().is_some_and(|arm| arm.starts_with("quick")), "{bound:#}");
    let answer = summary["answer"].as_str().expect("an answer");
    assert!(answer.starts_with("slow took ") && answer.contains(" told apart"), "{answer}");
    for file in ["report.html", "report.md", "plan.toml", "manifest.json"] {
        assert!(out.join(file).is_file(), "{file}");
    }
    doorclock(["verify", text(&out)]).with_code(0);
    a_guess_added_afterwards_is_marked(&out);
}

fn a_guess_added_afterwards_is_marked(out: &Path) {
    let path = out.join("plan.toml");
    let plan = std::fs::read_to_string(&path).expect("the plan");
    let late = "\n[[guess]]\nname = \"G3\"\nsays = \"I knew it\"\nholds = \"arm['slow'].p50_ms | min > 1\"\n";
    std::fs::write(&path, plan.replacen("[compare]", &format!("{late}[compare]"), 1)).expect("written");
    let report = doorclock(["report", text(out), "--format", "json"]);
    let summary = report.json();
    let late = &summary["guesses"][2];
    assert_eq!(
        (&late["name"], &late["late"], &late["verdict"]),
        (&"G3".into(), &true.into(), &"right".into())
    );
    assert_eq!(summary["guesses"][0]["late"], false);
    assert!(report.stderr.contains("plan.toml was changed"), "{}", report.stderr);
}

#[test]
fn an_interrupted_experiment_goes_on_at_the_run_where_it_stopped() {
    let folder = tempfile::tempdir().expect("a folder");
    let plan = Plan::write(
        folder.path(),
        r#"
        [rounds]
        count = 3
        measure = "700ms"
        warm_up = "0s"
        [arm.a]
        open = { rate = "100/s" }
        [arm.b]
        closed = { connections = 1 }
        "#,
    );
    let out = folder.path().join("out");
    let program = Program::start(&["run", plan.path(), "--out", text(&out), "--json"]);
    let runs = || std::fs::read_dir(out.join("runs")).map_or(0, Iterator::count);
    eventually("three runs begun", || (runs() >= 3).then_some(()));
    program.signal(Signal::INT);
    let stopped = program.end().with_code(130);
    let summary = stopped.json();
    let doubts = summary["doubts"].as_array().expect("doubts");
    assert!(doubts.iter().any(|doubt| doubt["code"] == "runs-missing"), "{doubts:#?}");
    let made_before = std::fs::metadata(first_finished(&out)).expect("a run").modified().expect("a time");

    // Another plan is not this one's continuation.
    let other = doorclock(["run", plan.path(), "--resume", text(&out), "--set", "rounds.count=4"]);
    other.fails_with(2, &["another plan"]).and_hints("plan.toml");
    let resumed = plan.run(&["--resume", text(&out)]).with_code(0).json();
    let all: usize =
        ["a", "b"].map(|arm| resumed["arms"][arm]["runs"].as_array().expect("runs").len()).iter().sum();
    assert_eq!(all, 6, "{resumed:#}");
    assert!(
        resumed["doubts"].as_array().expect("doubts").iter().all(|doubt| doubt["code"] != "runs-missing")
    );
    let made_after = std::fs::metadata(first_finished(&out)).expect("a run").modified().expect("a time");
    assert_eq!(made_before, made_after, "what had been measured was kept");
    doorclock(["verify", text(&out)]).with_code(0);
}

/// The samples of the run that was made first.
fn first_finished(out: &Path) -> std::path::PathBuf {
    let runs = std::fs::read_dir(out.join("runs")).expect("runs").flatten();
    let sequence = |path: &Path| {
        let text = std::fs::read_to_string(path.join("run.json")).expect("facts");
        number(&serde_json::from_str(&text).expect("JSON"), "/sequence")
    };
    let first = runs.map(|run| run.path()).min_by_key(|path| sequence(path)).expect("a run");
    first.join("samples.parquet")
}

/// Every plan that we hand out, in a form that takes seconds: it runs, nothing
/// fails, and all its numbers are computed again.
#[test]
fn every_plan_that_we_hand_out_runs_in_its_small_form() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, flags) in [
        ("compare", vec![]),
        ("bound", vec!["--without", "open-900", "--without", "closed-16"]),
        ("stalls", vec!["--set", "stalls.every=300ms", "--set", "stalls.apart=200ms"]),
        ("tools", vec!["--without", "wrk", "--without", "oha"]),
        (
            "coordinated-omission",
            [
                "closed-4",
                "closed-4-calm",
                "closed-16",
                "closed-16-calm",
                "closed-64",
                "closed-64-calm",
                "locust-546",
                "locust-546-calm",
                "open-328",
                "open-328-calm",
                "open-764",
                "open-764-calm",
                "open-983",
                "open-983-calm",
                "open-1074",
                "open-1074-calm",
                "open-546-long",
                "open-546-long-calm",
            ]
            .into_iter()
            .flat_map(|arm| ["--without", arm])
            .collect(),
        ),
    ] {
        let out = folder.path().join(name);
        let ended = small(name, &flags, &out);
        // Guesses may be wrong in so short a form; nothing else may go wrong.
        assert!(matches!(ended.code, Some(0 | 1)), "{name}: {ended:#?}");
        let summary = ended.json();
        for (arm, of) in summary["arms"].as_object().expect("arms") {
            let run = &of["runs"][0];
            assert!(number(run, "/ok") > 0, "{name}, {arm}: {run:#}");
            assert_eq!(number(run, "/ok"), number(run, "/scheduled"), "{name}, {arm}: {run:#}");
        }
        let verified = doorclock(["verify", text(&out)]);
        assert_eq!(verified.code, Some(0), "{name}: {verified:#?}");
    }
}

#[test]
fn the_customers_beside_the_plans_are_those_of_the_service() {
    let port = free_port();
    let service = common::Scorer::start();
    let reference = runner::Control::new(service.address(), &format!("127.0.0.1:{port}"))
        .ask("GET", "/reference", None)
        .expect("the reference");
    let kept = std::fs::read_to_string(common::plans::plans().join("customers.csv")).expect("customers");
    let reference = String::from_utf8(reference.body).expect("text");
    assert!(
        kept.lines().count() > 1_000 && reference.starts_with(&kept),
        "plans/customers.csv is out of date"
    );
}
