//! Runs of made-up tools: shell scripts that print what real ones were
//! recorded to print, or something else.

use super::*;
use crate::beside::{Beside, Seen, SeenStalls};
use crate::order::OrderError;
use crate::readings_taken::ReadOrder;
use crate::run::RunError;
use model::{Rate, RunEvent, RunRecord, Sample, Span};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use store::Folder;

mod real;

/// What is left of a run.
struct Ran {
    result: Result<(), RunError>,
    record: RunRecord,
    samples: Vec<Sample>,
    /// What it printed, by the files in its own folder.
    printed: [String; 2],
    events: Vec<RunEvent>,
}

impl Ran {
    fn end(&self) -> &model::RunEnd {
        assert!(self.result.is_ok(), "{:?}", self.result);
        self.record.end.as_ref().expect("an end")
    }

    fn error(&self) -> String {
        assert!(self.record.end.is_none(), "a run without result has no end");
        self.result.as_ref().expect_err("no result").to_string()
    }
}

/// The error of a run that does not come as far as having files of its own.
fn execute_fails(order: &ToolOrder) -> String {
    let place = tempfile::tempdir().expect("a folder");
    let folder = Folder::create(place.path().join("results")).expect("a results folder");
    let stop = AtomicBool::new(false);
    execute(order, &folder, (1, 1), &mut (), &stop, &mut |_| {}).expect_err("no result").to_string()
}

fn order(output: ToolOutput, command: &str) -> ToolOrder {
    ToolOrder {
        arm: "other-546".to_owned(),
        round: 1,
        url: "http://127.0.0.1:8600/score?x=1".to_owned(),
        base: "http://127.0.0.1:8600".to_owned(),
        method: "GET".to_owned(),
        path: "/score?x=1".to_owned(),
        command: command.to_owned(),
        output,
        load: Load::Paced { rate: Rate::per_second(546.5).expect("a rate"), connections: 8 },
        seed: Seed(2_026),
        warm_up: Nanos::ZERO,
        measure: Nanos::from_secs(2),
        timeout: Nanos::from_secs(10),
        plan_dir: PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src/tool/fixtures")),
        stalls_asked: None,
        readings: ReadOrder::default(),
        capacity_per_s: None,
    }
}

fn run(order: &ToolOrder) -> Ran {
    run_until(order, &AtomicBool::new(false), |_| {})
}

fn run_until(order: &ToolOrder, stop: &AtomicBool, seen: impl FnMut(&RunEvent)) -> Ran {
    run_beside(order, &mut (), stop, seen)
}

fn run_beside(
    order: &ToolOrder,
    beside: &mut dyn Beside,
    stop: &AtomicBool,
    mut seen: impl FnMut(&RunEvent),
) -> Ran {
    let place = tempfile::tempdir().expect("a folder");
    let folder = Folder::create(place.path().join("results")).expect("a results folder");
    let mut events = Vec::new();
    let result = execute(order, &folder, (1, 1), beside, stop, &mut |event| {
        seen(&event);
        events.push(event);
    });
    let run = folder.runs().expect("runs").into_iter().next().expect("a run");
    let mut samples = Vec::new();
    run.read(&mut |batch| samples.extend_from_slice(batch)).expect("samples");
    let printed = ["stdout.txt", "stderr.txt"]
        .map(|name| std::fs::read_to_string(run.path().join("tool").join(name)).expect("what it printed"));
    Ran { result, record: run.record().clone(), samples, printed, events }
}

/// Writes one request every 10 ms from now on, beginning `first` tens of
/// milliseconds from now, with `count` of them, as our locustfile would. The
/// uptime is the monotonic clock, as long as the machine has not slept.
fn locust_writes(first: u32, count: u32, then: &str) -> String {
    format!(
        "sleep 0.03; read up rest < /proc/uptime; now=${{up%.*}}${{up#*.}}; i=0
         echo start_ns,response_ns,status,outcome,bytes > $DOORCLOCK_OUT/requests.csv
         while [ $i -lt {count} ]; do
           echo $((now + {first} + i))0000000,5000000,200,ok,39 >> $DOORCLOCK_OUT/requests.csv
           i=$((i+1))
         done
         {then}"
    )
}

#[test]
fn a_command_is_told_all_it_needs_and_what_it_prints_is_kept() {
    let script = "env | grep ^DOORCLOCK_ | sort; pwd >&2; sleep 0.1";
    let mut order = order(ToolOutput::Unknown, script);
    order.measure = Nanos::from_millis(100);
    let ran = run(&order);
    let [stdout, stderr] = &ran.printed;
    let expected = [
        "DOORCLOCK_CONNECTIONS=8",
        "DOORCLOCK_METHOD=GET",
        "DOORCLOCK_OUT=/",
        "DOORCLOCK_PATH=/score?x=1",
        "DOORCLOCK_PLAN_DIR=/",
        "DOORCLOCK_RATE=546.5",
        "DOORCLOCK_RUN_SECONDS=1",
        "DOORCLOCK_SECONDS=0.1",
        "DOORCLOCK_SEED=2026",
        "DOORCLOCK_TIMEOUT=10",
        "DOORCLOCK_URL=http://127.0.0.1:8600",
        "DOORCLOCK_WARM_UP_SECONDS=0",
        "DOORCLOCK_WHOLE_SECONDS=1",
    ];
    let lines: Vec<&str> = stdout.lines().filter(|line| !line.starts_with("DOORCLOCK_TEST_")).collect();
    assert_eq!(lines.len(), expected.len(), "{stdout}");
    for (line, expected) in lines.iter().zip(expected) {
        assert!(line.starts_with(expected), "{line} instead of {expected}");
    }
    assert!(stderr.trim().ends_with("src/tool/fixtures"), "{stderr}");
    let end = ran.end();
    assert_eq!((end.taken, &end.told, end.interrupted), (0, &None, false));
    assert_eq!(ran.record.facts.tool.as_ref().map(|tool| tool.command.as_str()), Some(script));
}

#[test]
fn a_plan_in_the_folder_we_are_in_needs_no_name_for_it() {
    let mut order = order(ToolOutput::Unknown, "cat Cargo.toml; sleep 0.1");
    (order.plan_dir, order.measure) = (PathBuf::new(), Nanos::from_millis(100));
    assert!(run(&order).printed[0].contains("doorclock-runner"));
    order.plan_dir = PathBuf::from("no/such/folder");
    assert!(execute_fails(&order).starts_with("arm.other-546.command: cannot find no/such/folder: "));
}

#[test]
fn a_closed_loop_has_no_rate_to_tell_even_if_the_shell_has_one() {
    let mut order =
        order(ToolOutput::Unknown, "echo ${DOORCLOCK_RATE-unset} $DOORCLOCK_CONNECTIONS; sleep 0.1");
    order.load = Load::Closed { connections: 4 };
    order.measure = Nanos::from_millis(100);
    assert_eq!(run(&order).printed[0], "unset 4\n");
}

#[test]
fn what_wrk_tells_is_kept_and_there_are_no_samples() {
    let ran = run(&order(ToolOutput::Wrk, "cat wrk-latency.txt"));
    let (end, told) = (ran.end(), ran.end().told.clone().expect("told"));
    assert_eq!((told.requests, told.p99, told.gave_samples), (Some(116_216), Some(Nanos(188_000)), false));
    assert_eq!((ran.samples.len(), end.taken, end.counted_until), (0, 0, Nanos::from_secs(2)));
    assert!(end.peak_rss_bytes.is_none_or(|bytes| bytes > 100_000));
}

#[test]
fn what_oha_tells_is_kept_and_its_csv_gives_samples() {
    let told = run(&order(ToolOutput::Oha, "cat oha.json")).end().told.clone().expect("told");
    assert_eq!((told.requests, told.gave_samples), (Some(400), false));
    let mut order = order(ToolOutput::Oha, "cat oha.csv");
    order.measure = Nanos::from_millis(350);
    let ran = run(&order);
    let end = ran.end();
    assert_eq!((end.taken, end.taken_counted, ran.samples.len()), (40, 35, 40));
    assert_eq!(ran.samples.iter().filter(|sample| sample.counted).count(), 35);
    let area: u128 = ran.samples.iter().map(|sample| u128::from(sample.response_time().0)).sum();
    assert_eq!(end.area, area);
    assert!(end.told.as_ref().is_some_and(|told| told.gave_samples));
}

#[test]
fn requests_of_locust_become_samples_of_which_the_middle_counts() {
    let mut order =
        order(ToolOutput::Locust, &locust_writes(0, 30, "cp locust_stats.csv $DOORCLOCK_OUT; sleep 0.5"));
    (order.warm_up, order.measure) = (Nanos::from_millis(100), Nanos::from_millis(150));
    let ran = run(&order);
    let end = ran.end();
    assert_eq!((end.taken, end.taken_counted, ran.samples.len()), (30, 15, 30));
    assert_eq!(end.counted_until, Nanos::from_millis(250));
    let counted: Vec<u64> = ran.samples.iter().filter(|s| s.counted).map(|s| s.index).collect();
    assert_eq!(counted, (10..25).collect::<Vec<u64>>());
    let told = end.told.as_ref().expect("told");
    assert_eq!((told.requests, told.gave_samples), (Some(2_184), true));
    let dones = ran.events.iter().filter_map(|event| match event {
        RunEvent::Progress(progress) => Some(progress.done),
        _ => None,
    });
    assert_eq!(dones.max(), Some(30), "progress counts requests");
}

#[test]
fn locust_may_end_with_1_when_requests_failed_but_not_without_any() {
    let mut order = order(ToolOutput::Locust, &locust_writes(0, 30, "sleep 0.5; exit 1"));
    order.measure = Nanos::from_millis(200);
    assert_eq!(run(&order).end().taken, 30);
    order.command = "echo no such locustfile >&2; exit 1".to_owned();
    assert_eq!(
        run(&order).error(),
        "arm.other-546.command: the command ended with exit status: 1: no such locustfile"
    );
}

#[test]
fn a_tool_that_is_missing_is_told_with_what_installs_it() {
    let error = run(&order(ToolOutput::Locust, "no-such-locust --headless")).error();
    assert!(error.starts_with("arm.other-546.command: a program is not installed here: "), "{error}");
    assert!(error.contains("no-such-locust"), "{error}");
    assert!(error.ends_with("; install it with `pip install locust`"), "{error}");
    let error = run(&order(ToolOutput::Unknown, "no-such-tool")).error();
    assert!(error.contains("no-such-tool") && !error.contains("install it"), "{error}");
}

#[test]
fn a_tool_that_fails_or_writes_something_else_is_told_with_its_own_words() {
    let cases = [
        (
            ToolOutput::Wrk,
            "echo unable to connect >&2; exit 1",
            "command: the command ended with exit status: 1: unable to connect",
        ),
        (ToolOutput::Oha, "kill -9 $$", "command: the command ended with signal: 9 (SIGKILL)"),
        (
            ToolOutput::Wrk,
            "cat wrk-plain.txt",
            "import: expected what `wrk --latency` prints, and found the end of the output",
        ),
        (
            ToolOutput::Wrk,
            "echo hello",
            "import: expected what `wrk --latency` prints, and found in line 1: hello",
        ),
        (
            ToolOutput::Oha,
            "cat oha-text.txt",
            "import: expected what `oha --no-tui --output-format json` (or `csv`) prints, and found in line 1: Summary:",
        ),
        (
            ToolOutput::Locust,
            "true",
            "import: expected $DOORCLOCK_OUT/requests.csv from plans/locustfile.py, or `locust --csv $DOORCLOCK_OUT/NAME`, and found no such file",
        ),
        (
            ToolOutput::Locust,
            "echo a,b > $DOORCLOCK_OUT/requests.csv",
            "import: expected lines of start_ns,response_ns,status,outcome,bytes in $DOORCLOCK_OUT/requests.csv, as plans/locustfile.py writes, and found in line 1: a,b",
        ),
    ];
    for (output, script, expected) in cases {
        assert_eq!(run(&order(output, script)).error(), format!("arm.other-546.{expected}"), "{script}");
    }
}

#[test]
fn a_tool_that_sends_for_another_time_or_nothing_at_all_measured_something_else() {
    let mut longer = order(ToolOutput::Wrk, "cat wrk-latency.txt");
    longer.measure = Nanos::from_secs(30);
    let error = run(&longer).error();
    assert!(error.contains("wrk sent for 2.0 s and the plan says 30.0 s"), "{error}");
    let mut shorter = order(ToolOutput::Oha, "cat oha.json");
    shorter.measure = Nanos::from_millis(500);
    let error = run(&shorter).error();
    assert!(error.contains("oha sent for 2.0 s and the plan says 0.5 s"), "{error}");
    let error = run(&order(ToolOutput::Unknown, "true")).error();
    assert!(error.contains("the command sent for 0.0 s and the plan says 2.0 s"), "{error}");
    let nothing = "sed 's/^  116216 requests/  0 requests/' wrk-latency.txt";
    let error = run(&order(ToolOutput::Wrk, nothing)).error();
    assert!(error.ends_with("wrk ended without an error, and without a request that counts"), "{error}");
}

#[test]
fn moments_of_another_clock_are_refused() {
    for (first, how) in
        [(-1_000, "begins before the command was started"), (1_000, "ends after the command had ended")]
    {
        let shift = format!("now=$((now + {first}))");
        let script = locust_writes(0, 30, "").replace("i=0", &format!("{shift}; i=0"));
        let mut order = order(ToolOutput::Locust, &script);
        order.measure = Nanos::from_millis(200);
        let error = run(&order).error();
        assert!(error.starts_with("arm.other-546.import: ") && error.contains(how), "{error}");
    }
}

#[test]
fn one_that_is_stopped_keeps_what_it_had_measured_marked_interrupted() {
    let stop = AtomicBool::new(false);
    let mut order = order(ToolOutput::Locust, &locust_writes(0, 30, "exec sleep 60"));
    order.measure = Nanos::from_secs(60);
    let ran = run_until(&order, &stop, |event| {
        if matches!(event, RunEvent::Progress(progress) if progress.done == 30) {
            stop.store(true, Relaxed);
        }
    });
    let end = ran.end();
    assert!(end.interrupted);
    assert_eq!((end.taken, ran.samples.len()), (30, 30));
    let stop = AtomicBool::new(true);
    let ran = run_until(&self::order(ToolOutput::Wrk, "exec sleep 60"), &stop, |_| {});
    assert_eq!((ran.end().interrupted, ran.end().taken, &ran.end().told), (true, 0, &None));
}

#[test]
fn cpu_is_that_of_the_counted_part_where_requests_are_known_and_all_of_it_otherwise() {
    // Busy before its first request, idle from then on.
    let busy = "i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done";
    let script = format!("{busy}; sleep 0.25; {}", locust_writes(0, 30, "sleep 0.5"));
    let mut order = order(ToolOutput::Locust, &script);
    order.measure = Nanos::from_millis(250);
    let counted = run(&order).end().cpu.process;
    order.output = ToolOutput::Unknown;
    let all = run(&order).end().cpu.process;
    assert!(all >= Nanos::from_millis(60), "{all:?}");
    assert!(counted.0 * 2 < all.0, "{counted:?} of {all:?}");
}

/// A service that stalls 10 ms in every 50 ms of the whole run.
#[derive(Default)]
struct Stalling {
    asked: Option<Span>,
    unreadable: bool,
}

impl Beside for Stalling {
    fn begin(&mut self, _: &engine::MonotonicClock, stalls: Span) -> Result<(), RunError> {
        self.asked = Some(stalls);
        Ok(())
    }

    fn end(&mut self, clock: &engine::MonotonicClock) -> Result<Seen, RunError> {
        if self.unreadable {
            return Err(OrderError::NoUsers.into());
        }
        let now = engine::Clock::now(clock);
        let planned: Vec<Nanos> =
            (0..).map(|n| Nanos::from_millis(50 * n)).take_while(|at| *at < now).collect();
        let stall = |began: &Nanos| Span { began: *began, ended: *began + Nanos::from_millis(10) };
        let seen = planned.iter().map(stall).collect();
        Ok(Seen { stalls: Some(SeenStalls { planned, seen }), machine: None })
    }
}

#[test]
fn stalls_are_laid_on_the_clock_of_the_requests_and_only_those_in_the_counted_part_expected() {
    let mut order = order(ToolOutput::Locust, &locust_writes(10, 40, "sleep 0.7"));
    (order.warm_up, order.measure) = (Nanos::from_millis(100), Nanos::from_millis(200));
    let mut beside = Stalling::default();
    let ran = run_beside(&order, &mut beside, &AtomicBool::new(false), |_| {});
    assert_eq!(beside.asked, Some(Span { began: Nanos::ZERO, ended: Nanos::from_millis(15_300) }));
    let stalls = ran.end().stalls.clone().expect("stalls");
    assert_eq!(stalls.planned, 4, "200 ms hold four");
    let counted =
        stalls.seen.iter().filter(|stall| stall.began >= order.warm_up && stall.began < order.until());
    assert_eq!(counted.count(), 4);
    assert!(stalls.seen.iter().all(|stall| stall.length() == Nanos::from_millis(10)), "{stalls:?}");
}

#[test]
fn requests_on_a_clock_of_the_tools_own_are_laid_beside_no_stalls() {
    let mut order = order(ToolOutput::Oha, "cat oha.csv");
    order.measure = Nanos::from_millis(350);
    let ran = run_beside(&order, &mut Stalling::default(), &AtomicBool::new(false), |_| {});
    assert_eq!(ran.end().stalls, None);
}

#[test]
fn stalls_that_cannot_be_read_cost_no_samples() {
    let mut order = order(ToolOutput::Oha, "cat oha.csv");
    order.measure = Nanos::from_millis(350);
    let mut beside = Stalling { unreadable: true, ..Stalling::default() };
    let ran = run_beside(&order, &mut beside, &AtomicBool::new(false), |_| {});
    assert!(ran.result.is_err());
    assert_eq!((ran.samples.len(), ran.record.end.map(|end| end.taken)), (40, Some(40)));
}
