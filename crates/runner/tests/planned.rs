//! Planned experiments from their first run to their last, against services
//! that are started for each run: this very file, as processes of their own.

use doorclock_runner::{Experiment, ExperimentError, TargetError, What};
use model::{MachineStory, RunEvent, Waits};
use plan::{Plan, PlanFile};
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use store::Folder;
use tempfile::TempDir;

/// The service: answers everything with 200 until it has answered so many
/// requests, then ends, if it is told to.
#[test]
#[ignore = "it is the service that the other tests start"]
fn serve() {
    let Ok(port) = std::env::var("SERVE_PORT") else { return };
    let dies_after = std::env::var("SERVE_DIES_AFTER").ok().and_then(|count| count.parse().ok());
    let listener = TcpListener::bind(format!("127.0.0.1:{port}")).expect("its port is free");
    let left = AtomicU64::new(dies_after.unwrap_or(u64::MAX));
    std::thread::scope(|scope| {
        for stream in listener.incoming().flatten() {
            scope.spawn(|| answer(stream, &left));
        }
    });
}

fn answer(mut stream: TcpStream, left: &AtomicU64) {
    let mut buffer = [0; 4_096];
    while let Ok(1..) = stream.read(&mut buffer) {
        if left.fetch_sub(1, Relaxed) == 0 {
            let _ = writeln!(std::io::stderr(), "out of tickets");
            std::process::exit(7);
        }
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    }
}

/// An experiment's files and its port.
struct Scene {
    dir: TempDir,
    port: u16,
    stop: AtomicBool,
}

impl Scene {
    fn new() -> Scene {
        let free = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = free.local_addr().expect("an address").port();
        Scene { dir: tempfile::tempdir().expect("a folder"), port, stop: AtomicBool::new(false) }
    }

    fn path(&self) -> &Path {
        self.dir.path()
    }

    /// The command that starts the service, with `variables` set for it.
    fn start(&self, variables: &str) -> String {
        let own = std::env::current_exe().expect("this program");
        let (own, port) = (own.display(), self.port);
        format!("{variables} SERVE_PORT={port} exec '{own}' --ignored --exact serve --nocapture")
    }

    /// Two open arms and a closed one, over two rounds, with `more` lines first.
    fn plan(&self, host: &str, start: &str, more: &str) -> Plan {
        let port = self.port;
        let text = format!(
            r#"
question = "Does it work?"
{more}
[target]
url = "http://{host}:{port}"
start = """{start}"""
ready = "/healthz"
[rounds]
count = 2
seed = 7
measure = "400ms"
warm_up = "100ms"
[arm.a]
open = {{ rate = "200/s" }}
[arm.b]
open = {{ rate = "200/s" }}
[arm.c]
closed = {{ connections = 1 }}
warm_up = "5 requests"
"#
        );
        PlanFile::parse(self.path().join("plan.toml"), text).and_then(|file| file.resolve()).expect("a plan")
    }

    fn folder(&self) -> Folder {
        let path = self.path().join("results");
        if path.exists() { Folder::open(path).expect("opened") } else { Folder::create(path).expect("made") }
    }

    /// Carries it out; what was told, and the runs that ended.
    fn carry_out(
        &self,
        plan: &Plan,
        mut look: impl FnMut(&RunEvent),
    ) -> (Result<(), ExperimentError>, Vec<(String, u32)>) {
        let folder = self.folder();
        let mut ended = Vec::new();
        let result = Experiment::new(plan, self.path(), &folder, &self.stop).and_then(|experiment| {
            experiment.carry_out::<ExperimentError>(&mut |event| look(&event), &mut |arm, round| {
                ended.push((arm.to_owned(), round));
                Ok(())
            })
        });
        (result, ended)
    }

    /// How often `mark` was written by the plan's commands.
    fn marks(&self, mark: &str) -> usize {
        let log = std::fs::read_to_string(self.path().join("log")).unwrap_or_default();
        log.lines().filter(|line| *line == mark).count()
    }
}

#[test]
fn every_arm_runs_in_every_round_under_its_seed_against_a_fresh_service() {
    let scene = Scene::new();
    let start = format!("echo start >> log; {}", scene.start(""));
    let plan = scene.plan("127.0.0.1", &start, "environment = { reset = [\"echo reset >> log\"] }");
    let (mut ahead, mut waits) = (Vec::new(), Vec::new());
    let (result, ended) = scene.carry_out(&plan, |event| match event {
        RunEvent::Ahead { number, left, .. } => ahead.push((*number, *left)),
        RunEvent::Waiting(what) => waits.push(*what),
        _ => {}
    });
    result.expect("carried out");
    assert_eq!(ahead.iter().map(|(number, _)| number.0).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6]);
    assert!(ahead.windows(2).all(|two| two[0].1 > two[1].1), "less and less is left: {ahead:?}");
    assert_eq!(waits, [Waits::Reset, Waits::Ready].repeat(6));
    assert_eq!((scene.marks("start"), scene.marks("reset")), (6, 6));
    let folder = scene.folder();
    let runs = folder.runs().expect("runs");
    let made: Vec<(String, u32)> =
        runs.iter().map(|run| (run.record().facts.arm.clone(), run.record().facts.round)).collect();
    assert_eq!(made, ended, "they lie in the order in which they were made");
    let hash = |arm: &str, round: u32| {
        let run = runs.iter().find(|run| run.record().facts.arm == arm && run.record().facts.round == round);
        run.and_then(|run| run.record().facts.schedule_hash.clone()).expect("an open run")
    };
    assert_eq!(hash("a", 1), hash("b", 1), "arms of one rate share their arrivals");
    assert_ne!(hash("a", 1), hash("a", 2), "each round has its own");
    for run in &runs {
        let end = run.record().end.as_ref().expect("an end");
        assert!(!end.interrupted && end.taken_counted > 10, "{end:?}");
        assert_eq!(end.waited_at_limit, 0, "opening its connections is no limit that held a loop up");
        let story = end.machine.as_ref().expect("a story");
        assert!(matches!(story, MachineStory { service_core_share: Some(_), .. }), "{story:?}");
    }
}

#[test]
fn a_service_that_dies_ends_the_experiment_and_its_run_is_made_once_more() {
    let scene = Scene::new();
    // The third service dies in the middle of its run.
    let dies = "$(test $(grep -c start log) -eq 3 && echo env SERVE_DIES_AFTER=50)";
    let own = scene.start("").trim().to_owned();
    let (variables, command) = own.split_once(" exec ").expect("a command");
    let start = format!("echo start >> log; export {variables}; exec {dies} {command}");
    let plan = scene.plan("127.0.0.1", &start, "");
    let (result, ended) = scene.carry_out(&plan, |_| {});
    let error = result.expect_err("it died");
    assert_eq!(error.key.as_deref(), Some("target.start"));
    assert!(matches!(error.what, What::Target(TargetError::Died { .. })), "{error}");
    let says = error.to_string();
    assert!(says.contains("(exit status: 7)") && says.ends_with("out of tickets"), "{says}");
    assert_eq!(ended.len(), 2, "the runs before are told");
    let folder = scene.folder();
    let runs = folder.runs().expect("runs");
    let ends: Vec<bool> =
        runs.iter().map(|run| run.record().end.as_ref().expect("an end").interrupted).collect();
    assert_eq!(ends, [false, false, true], "what was measured of the third is kept");
    drop(folder);
    let mut numbers = Vec::new();
    let (result, ended) = scene.carry_out(&plan, |event| {
        if let RunEvent::Ahead { number, .. } = event {
            numbers.push(number.0);
        }
    });
    result.expect("carried out to its end");
    assert_eq!((ended.len(), numbers), (4, vec![3, 4, 5, 6]));
    let ends = scene.folder().runs().expect("runs");
    assert!(ends.len() == 6 && ends.iter().all(|run| run.record().end.is_some()));
    assert_eq!(std::fs::read_dir(scene.path().join("results/interrupted")).expect("a folder").count(), 1);
}

#[test]
fn told_to_stop_it_ends_in_order_and_goes_on_another_time() {
    let scene = Scene::new();
    let plan = scene.plan("127.0.0.1", &scene.start(""), "");
    // While a service starts: no run is begun. In mid-run: it is marked.
    for (at, kept) in [(RunEvent::Waiting(Waits::Ready), 0), (started(), 1)] {
        scene.stop.store(false, Relaxed);
        let (result, _) = scene.carry_out(&plan, |event| {
            if std::mem::discriminant(event) == std::mem::discriminant(&at) {
                scene.stop.store(true, Relaxed);
            }
        });
        result.expect("no error");
        let runs = scene.folder().runs().expect("runs");
        assert_eq!(runs.len(), kept, "stopped at {at:?}");
        assert!(runs.iter().all(|run| run.record().end.as_ref().is_some_and(|end| end.interrupted)));
        assert!(TcpStream::connect(("127.0.0.1", scene.port)).is_err(), "its service is stopped");
    }
    // A tester killed between making a run's folder and writing its facts leaves this.
    std::fs::create_dir(scene.folder().run_path("c", 2)).expect("made");
    scene.stop.store(false, Relaxed);
    let (result, ended) = scene.carry_out(&plan, |_| {});
    result.expect("carried out");
    assert_eq!(ended.len(), 6);
}

fn started() -> RunEvent {
    RunEvent::Started { arm: String::new(), number: (1, 1) }
}

#[test]
fn what_is_wrong_around_a_run_points_at_its_key_and_starts_nothing() {
    let scene = Scene::new();
    let start = format!("echo start >> log; {}", scene.start(""));
    for (more, key, says) in [
        ("environment = { reset = [\"echo lost >&2; false\"] }", "environment.reset", "exit status: 1: lost"),
        (
            "environment = { quiet = { idle = \"0%\", over = \"20ms\", load = 0.000001, wait = \"1ms\", \
             otherwise = \"refuse\" } }",
            "environment.quiet",
            "did not become quiet",
        ),
    ] {
        let (result, ended) = scene.carry_out(&scene.plan("127.0.0.1", &start, more), |_| {});
        let error = result.expect_err("it is wrong");
        assert_eq!(error.key.as_deref(), Some(key), "{error}");
        assert!(error.to_string().contains(says), "{error}");
        assert!(ended.is_empty() && scene.folder().runs().expect("runs").is_empty());
    }
    let _holder = TcpListener::bind(("127.0.0.1", scene.port)).expect("its port");
    let (result, _) = scene.carry_out(&scene.plan("127.0.0.1", &start, ""), |_| {});
    let error = result.expect_err("its port is taken");
    assert_eq!(error.key.as_deref(), Some("target.start"));
    assert!(matches!(error.what, What::Target(TargetError::PortTaken { .. })), "{error}");
    assert_eq!(scene.marks("start"), 0);
}

#[test]
fn a_name_with_several_addresses_is_measured_at_the_one_where_the_service_listens() {
    // `localhost` is often ::1 first, and the service listens at 127.0.0.1 alone.
    let scene = Scene::new();
    let plan = scene.plan("localhost", &scene.start(""), "");
    let (result, ended) = scene.carry_out(&plan, |_| {});
    result.expect("carried out");
    assert_eq!(ended.len(), 6);
}
