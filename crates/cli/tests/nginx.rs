//! A server that is none of ours counts what we send: doorclock's books and
//! nginx's must agree to the last request.
//!
//! `cargo xtask test` starts the nginx and says where it is.

use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;

/// Asking whether anybody is there, before the run, is a request too.
const GREETING: u64 = 1;

fn nginx_url() -> String {
    std::env::var("DOORCLOCK_TEST_NGINX").expect("`cargo xtask test` says where nginx is")
}

/// Requests that nginx has served so far, this question included.
fn served() -> u64 {
    let url = nginx_url();
    let address = url.trim_start_matches("http://").trim_end_matches('/');
    let mut stream = TcpStream::connect(address).expect("nginx listens");
    write!(stream, "GET /status HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").expect("asked");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("answered");
    let (_, numbers) = answer.split_once("accepts handled requests").expect("a status page");
    numbers.split_whitespace().nth(2).and_then(|count| count.parse().ok()).expect("a count")
}

/// Measures with `flags`; the summary's one run, and what nginx counted.
fn measure(flags: &[&str]) -> (Value, u64) {
    let folder = tempfile::tempdir().expect("a folder");
    let before = served();
    let output = Command::new(env!("CARGO_BIN_EXE_doorclock"))
        .arg(nginx_url())
        .args(["-d", "1s", "--warm-up", "0s", "--json", "--out"])
        .arg(folder.path().join("results"))
        .args(flags)
        .output()
        .expect("doorclock runs");
    let counted = served() - before - 1;
    let words = String::from_utf8_lossy(&output.stderr);
    let summary: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}\n{words}"));
    let arm = summary["arms"].as_object().and_then(|arms| arms.values().next()).expect("one arm");
    (arm["runs"][0].clone(), counted)
}

fn number(run: &Value, name: &str) -> u64 {
    run[name].as_u64().unwrap_or_else(|| panic!("{name} in {run:#}"))
}

/// The tests share one server and its one count, so they take turns in here.
#[test]
#[ignore = "needs nginx: `cargo xtask test` brings it"]
fn nginx_counts_each_request_that_doorclock_says_it_sent() {
    for flags in [
        ["-r", "2000/s", "--connect", "reuse"],
        ["-r", "500/s", "--connect", "per-request"],
        ["--paced", "500/s:4", "--connect", "per-user"],
        ["--closed", "8", "--connect", "reuse"],
    ] {
        let (run, counted) = measure(&flags);
        let scheduled = number(&run, "scheduled");
        assert!(scheduled > 100, "{flags:?}: {run:#}");
        assert_eq!(number(&run, "ok"), scheduled, "{flags:?}: {run:#}");
        assert_eq!(counted, scheduled + number(&run, "resent") + GREETING, "{flags:?}: {run:#}");
    }
}
