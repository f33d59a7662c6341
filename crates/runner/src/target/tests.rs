use super::*;
use std::net::TcpListener;

fn free_port() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("an address")
}

fn start(command: &str, peer: SocketAddr) -> Result<TargetProcess, TargetError> {
    TargetProcess::start(command, Path::new("."), &[peer])
}

fn ready<'a>(peer: &'a SocketAddr, path: Option<&'a str>) -> Ready<'a> {
    Ready {
        peers: std::slice::from_ref(peer),
        host: "test",
        path,
        within: Nanos::from_millis(200),
        tls: None,
    }
}

fn never() -> AtomicBool {
    AtomicBool::new(false)
}

#[test]
fn a_port_that_is_taken_is_told_before_anything_is_started() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let peer = listener.local_addr().expect("an address");
    let marker = tempfile::tempdir().expect("a folder").path().join("started");
    let Err(error) = start(&format!("touch {}", marker.display()), peer) else { panic!("started") };
    assert!(matches!(error, TargetError::PortTaken { peer: at } if at == peer), "{error}");
    assert!(!marker.exists());
}

#[test]
fn a_service_that_ends_early_or_is_never_ready_says_what_it_printed() {
    let peer = free_port();
    let mut process = start("echo no such table >&2; exit 7", peer).expect("started");
    let long = Ready { within: Nanos::from_secs(20), ..ready(&peer, None) };
    let error = process.wait_until_ready(long, &never()).expect_err("it ended").to_string();
    assert!(error.contains("ended before it was ready (exit status: 7)"), "{error}");
    assert!(error.ends_with(": no such table"), "{error}");
    drop(process);
    let mut process = start("echo warming up; exec sleep 60", peer).expect("started");
    let error = process.wait_until_ready(ready(&peer, Some("/healthz")), &never()).expect_err("not ready");
    let error = error.to_string();
    assert!(error.contains("was not ready within 200 ms: nothing listens at 127.0.0.1:"), "{error}");
    assert!(error.ends_with(": warming up"), "{error}");
}

#[test]
fn a_service_that_runs_by_itself_is_waited_for_too() {
    let peer = free_port();
    let error = wait_for_running(ready(&peer, None), &never()).expect_err("nobody is there").to_string();
    assert!(error.contains(&format!("`{peer}` was not ready")), "{error}");
    let listener = TcpListener::bind(peer).expect("its port");
    assert_eq!(wait_for_running(ready(&peer, None), &never()).expect("ready"), Some(peer));
    drop(listener);
}

#[test]
fn a_service_is_stopped_with_all_it_started_also_one_that_stands_still() {
    let peer = free_port();
    for command in ["sleep 60 & exec sleep 60", "trap '' TERM; sleep 60 & wait"] {
        let process = start(command, peer).expect("started");
        let group = process.group();
        let _ = kill_process_group(group, Signal::STOP);
        process.stop().expect("stopped");
        assert!(comes_to_its_end(group), "`{command}` lives on");
    }
}

#[test]
fn told_to_stop_it_waits_no_longer() {
    let (peer, stop) = (free_port(), AtomicBool::new(true));
    let mut process = start("exec sleep 60", peer).expect("started");
    let long = Ready { within: Nanos::from_secs(60), ..ready(&peer, None) };
    assert_eq!(process.wait_until_ready(long, &stop).expect("no error"), None);
    assert_eq!(wait_for_running(long, &stop).expect("no error"), None);
}

#[test]
fn a_service_ends_with_all_it_started_when_we_are_gone() {
    for command in ["sleep 60 & exec sleep 60", "sh -c 'exec sleep 60'; echo"] {
        let mut process = start(command, free_port()).expect("started");
        assert!(!only_zombies(process.group()), "`{command}` runs");
        // What the kernel does when we end: it closes our end of the pipe.
        drop(process.child.stdin.take());
        assert!(comes_to_its_end(process.group()), "`{command}` lives on");
    }
}

/// A killed process takes a moment to die, and a look may miss one that forks
/// while the list is read: two looks in a row must find none.
fn comes_to_its_end(group: Pid) -> bool {
    let clock = MonotonicClock::starting_in(Nanos::ZERO);
    let mut looks_without = 0;
    while looks_without < 2 && clock.now() < Nanos::from_secs(10) {
        looks_without = if only_zombies(group) { looks_without + 1 } else { 0 };
        clock.sleep_until(clock.now() + LOOK_EVERY);
    }
    looks_without == 2
}

/// An orphan that was killed may be listed until the machine's first process
/// has waited for it.
fn only_zombies(group: Pid) -> bool {
    let group = group.as_raw_nonzero().to_string();
    let processes = std::fs::read_dir("/proc").expect("/proc").flatten();
    let stats = processes.filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok());
    stats.into_iter().all(|stat| {
        let fields: Vec<&str> =
            stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace().take(3).collect();
        !matches!(fields[..], [state, _, of] if of == group && state != "Z" && state != "X")
    })
}

#[test]
fn a_service_that_leaves_its_port_taken_is_told() {
    // The port is held by somebody who is not of the group, as a daemon would be.
    let peer = free_port();
    let process = start("exec sleep 60", peer).expect("started");
    let listener = TcpListener::bind(peer).expect("its port");
    let error = process.stop().expect_err("the port is taken");
    assert!(matches!(&error, TargetError::LeftPort { command, .. } if command == "exec sleep 60"), "{error}");
    drop(listener);
}

#[test]
fn a_service_that_died_is_told_and_one_that_lives_is_not() {
    let peer = free_port();
    let mut process = start("exec sleep 60", peer).expect("started");
    process.hold_it_lives().expect("it lives");
    kill_process_group(process.group(), Signal::KILL).expect("killed");
    let clock = MonotonicClock::starting_in(Nanos::ZERO);
    while process.has_ended().is_none() && clock.now() < Nanos::from_secs(5) {
        clock.sleep_until(clock.now() + LOOK_EVERY);
    }
    let error = process.hold_it_lives().expect_err("it died").to_string();
    assert!(error.contains("ended in the middle of the run (signal: 9"), "{error}");
}
