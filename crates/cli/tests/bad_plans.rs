//! Plans that cannot be carried out, with the real program: each ends in an
//! error that points into the plan, with its documented exit code, and loses
//! nothing that was measured before.

mod common;

use common::plans::Plan;
use common::{Ended, doorclock, text};
use std::path::Path;

const ARM: &str =
    "[arm.a]\nopen = { rate = \"200/s\" }\n[rounds]\ncount = 1\nmeasure = \"300ms\"\nwarm_up = \"0s\"\n";

/// A plan whose target is started by `start`.
fn started_by(folder: &Path, start: &str, rest: &str) -> Plan {
    let plan = format!(
        "question = \"q\"\n[target]\nurl = \"http://127.0.0.1:PORT\"\nready = \"/healthz\"\n\
         ready_within = \"30s\"\nstart = \"{start}\"\n[request]\npath = \"/healthz\"\n{rest}"
    );
    Plan::write_whole(folder, &plan)
}

/// Runs it into `out` below the folder: an error that points at `place`.
#[track_caller]
fn fails(plan: &Plan, folder: &Path, code: i32, says: &[&str], place: &str) -> Ended {
    let out = folder.join("out");
    let ended = doorclock(["run", plan.path(), "--out", text(&out)]).with_code(code);
    let errors: Vec<&str> = ended.stderr.lines().filter(|line| line.starts_with("error: ")).collect();
    assert_eq!(errors.len(), 1, "one error in {ended:#?}");
    for part in says {
        assert!(ended.stderr.contains(part), "`{part}` in {ended:#?}");
    }
    assert!(ended.stderr.contains("--> ") && ended.stderr.contains(place), "`{place}` in {ended:#?}");
    ended
}

#[test]
fn what_is_wrong_with_a_plan_by_itself_is_said_at_once_by_check_and_by_run() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("rows.csv"), "customer\nc-1\n").expect("written");
    std::fs::write(folder.path().join("none.csv"), "customer\n").expect("written");
    let plans = [
        ("[target]\nurl = \"http://127.0.0.1:1\"\n[arm.a]\nopen = { rate = \"5/s\" }\n", "asks no question"),
        ("question = \"q\"\n[target]\nurl = \"http://127.0.0.1:1\"\n[arm.a]\n", "would send nothing"),
        (
            "question = \"q\"\n[target]\nurl = \"http://127.0.0.1:1\"\n[arm.a]\nclosed = { connections = 1 }\n\
             [arm.a]\nclosed = { connections = 2 }\n",
            "two arms of the name `a`",
        ),
        (
            "question = \"q\"\n[target]\nurl = \"http://127.0.0.1:1\"\n[arm.a]\nclosed = { connections = 1 }\n\
             [[guess]]\nname = \"G1\"\nsays = \"s\"\nholds = \"arm['b'].p99_ms | min > 1\"\n",
            "names an arm that is not there",
        ),
        (
            "question = \"q\"\n[target]\nurl = \"http://127.0.0.1:1\"\n[arm.a]\nclosed = { connections = 1 }\n\
             [[guess]]\nname = \"G1\"\nsays = \"s\"\nholds = \"arm['a'].p99_ms | min\"\n",
            "does not say yes or no",
        ),
        (
            "question = \"q\"\n[target]\nurl = \"http://127.0.0.1:1\"\n[request]\nrows = \"rows.csv\"\n\
             path = \"/{{ row.custmer }}\"\n[arm.a]\nclosed = { connections = 1 }\n",
            "no column `custmer`",
        ),
        (
            "question = \"q\"\n[target]\nurl = \"http://127.0.0.1:1\"\n[request]\nrows = \"none.csv\"\n\
             path = \"/{{ row.customer }}\"\n[arm.a]\nclosed = { connections = 1 }\n",
            "none.csv",
        ),
    ];
    for (text_of_plan, says) in plans {
        let plan = Plan::write_whole(folder.path(), text_of_plan);
        for command in ["check", "run"] {
            let ended = doorclock([command, plan.path()]).with_code(2);
            assert!(ended.stderr.contains(says), "`{says}` in {ended:#?}");
            assert!(ended.stderr.contains("plan.toml:"), "{ended:#?}");
            assert_eq!(ended.stdout, "");
        }
    }
    assert!(!folder.path().join("results").exists(), "nothing was made");
}

#[test]
fn a_service_that_is_never_ready_or_ends_at_once_is_pointed_at() {
    let folder = tempfile::tempdir().expect("a folder");
    let plan = started_by(folder.path(), "echo no such table >&2; exit 7", ARM);
    fails(&plan, folder.path(), 4, &["ended before it was ready", "no such table"], "start = ");
    let folder = tempfile::tempdir().expect("a folder");
    let plan = started_by(folder.path(), "exec sleep 60", ARM);
    let text_of_plan = std::fs::read_to_string(plan.path()).expect("the plan");
    std::fs::write(plan.path(), text_of_plan.replace("\"30s\"", "\"300ms\"")).expect("written");
    fails(&plan, folder.path(), 4, &["was not ready within 300 ms", "nothing listens"], "start = ");
}

#[test]
fn a_port_that_is_taken_is_told_before_anything_is_measured() {
    let folder = tempfile::tempdir().expect("a folder");
    let service = common::Scorer::start();
    let plan = started_by(folder.path(), "exec sleep 60", ARM);
    let taken = format!("target.url=http://{}", service.address());
    let out = folder.path().join("out");
    let ended = doorclock(["run", plan.path(), "--out", text(&out), "--set", &taken]).with_code(4);
    assert!(ended.stderr.contains("something else answers"), "{ended:#?}");
    assert!(ended.stderr.contains("start = \"exec sleep 60\""), "{ended:#?}");
}

#[test]
fn a_service_that_leaves_its_port_taken_is_told_and_its_run_is_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    // The one that listens leaves the group that is stopped.
    let start = "setsid doorclock target scorer --port PORT --with-parent < /dev/zero & exec sleep 60";
    let rest = ARM.replace("count = 1", "count = 2");
    let plan = started_by(folder.path(), start, &rest);
    let ended = fails(&plan, folder.path(), 4, &["still answers", "left a process"], "start = ");
    assert!(ended.stderr.contains("doorclock report"), "{ended:#?}");
    let out = folder.path().join("out");
    let summary = doorclock(["report", text(&out), "--format", "json"]).json();
    assert_eq!(summary["arms"]["a"]["runs"].as_array().map(Vec::len), Some(1), "{summary:#}");
    stop_what_listens(&plan);
}

/// Ends the service that the plan left behind: it was started for this test.
fn stop_what_listens(plan: &Plan) {
    let text = std::fs::read_to_string(plan.path()).expect("the plan");
    let port = text.split("127.0.0.1:").nth(1).and_then(|rest| rest.split('"').next()).expect("its port");
    let wanted = format!("--port\0{port}\0");
    for process in std::fs::read_dir("/proc").expect("/proc").flatten() {
        let command = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
        let pid = process.file_name().to_string_lossy().parse().ok().and_then(rustix::process::Pid::from_raw);
        if let (true, Some(pid)) = (String::from_utf8_lossy(&command).contains(&wanted), pid) {
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
    }
}

#[test]
fn a_service_that_dies_in_mid_run_is_told_and_earlier_runs_are_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    // Every service lives for eight seconds, its start included: the first run is over by then.
    let start = "exec timeout 8 doorclock target scorer --port PORT";
    let rest = "[arm.a]\nopen = { rate = \"200/s\" }\n[arm.b]\nopen = { rate = \"200/s\" }\nmeasure = \"20s\"\n\
                [rounds]\ncount = 1\nmeasure = \"300ms\"\nwarm_up = \"0s\"\n[tester]\ngrace = \"1s\"\n";
    let plan = started_by(folder.path(), start, rest);
    fails(&plan, folder.path(), 4, &["in the middle of the run"], "start = ");
}

#[test]
fn a_tool_that_is_missing_or_prints_something_else_is_pointed_at() {
    let tool = |command: &str| {
        format!(
            "[arm.wrk]\ncommand = \"{command}\"\nimport = \"wrk\"\nclosed = {{ connections = 1 }}\n\
             [rounds]\ncount = 1\nmeasure = \"1s\"\nwarm_up = \"0s\"\n"
        )
    };
    let start = "doorclock target scorer --port PORT --with-parent";
    let folder = tempfile::tempdir().expect("a folder");
    let plan = started_by(folder.path(), start, &tool("no-such-wrk -c1"));
    fails(&plan, folder.path(), 4, &["not installed", "apt-get install wrk"], "command = ");
    let folder = tempfile::tempdir().expect("a folder");
    let plan = started_by(folder.path(), start, &tool("sleep 1; echo hello"));
    fails(&plan, folder.path(), 4, &["hello"], "wrk");
}

#[test]
fn a_reset_that_fails_stops_the_experiment_and_says_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let rest = format!("{ARM}[environment]\nreset = [\"echo no database >&2; exit 3\"]\n");
    let plan = started_by(folder.path(), "exec sleep 60", &rest);
    fails(&plan, folder.path(), 4, &["no database", "exit status: 3"], "reset = ");
}

#[test]
fn a_machine_that_is_never_quiet_is_refused_where_the_plan_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let quiet =
        "[environment.quiet]\nload = 0.0\nover = \"50ms\"\nwait = \"100ms\"\notherwise = \"refuse\"\n";
    let plan = started_by(folder.path(), "exec sleep 60", &format!("{ARM}{quiet}"));
    fails(&plan, folder.path(), 2, &["did not become quiet"], "quiet");
}
