//! Real tools against a service in this process. `cargo xtask test` installs
//! them and says where they are.

use super::*;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};

/// A service that answers every GET on every connection at once; it goes on
/// until this process ends.
fn service() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            std::thread::spawn(move || answer_all(&stream));
        }
    });
    address
}

fn answer_all(stream: &TcpStream) {
    stream.set_nodelay(true).expect("no delay");
    let mut answers = stream;
    // A request ends with an empty line.
    for line in BufReader::new(stream).lines().map_while(Result::ok) {
        if line.is_empty() && answers.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").is_err() {
            return;
        }
    }
}

fn real(output: ToolOutput, command: &str) -> ToolOrder {
    let base = format!("http://{}", service());
    let plan_dir = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../plans"));
    let path = "/hello".to_owned();
    ToolOrder { url: format!("{base}{path}"), base, path, plan_dir, ..order(output, command) }
}

fn cpu_us_per_request(ran: &Ran, requests: u64) -> f64 {
    ran.end().cpu.process.0 as f64 / 1e3 / requests as f64
}

fn plausible(p99: Nanos) {
    assert!(p99 > Nanos::from_micros(10) && p99 < Nanos::from_secs(1), "{p99:?}");
}

#[test]
#[ignore = "needs locust: `cargo xtask test` brings it"]
fn locust_gives_every_request_and_costs_cpu() {
    let locust = std::env::var("DOORCLOCK_TEST_LOCUST").expect("`cargo xtask test` says where locust is");
    let command = format!(
        "{locust} -f locustfile.py --headless --only-summary -H $DOORCLOCK_URL -u $DOORCLOCK_CONNECTIONS \
         -r $DOORCLOCK_CONNECTIONS -t ${{DOORCLOCK_RUN_SECONDS}}s --csv $DOORCLOCK_OUT/locust"
    );
    let mut order = real(ToolOutput::Locust, &command);
    (order.warm_up, order.measure) = (Nanos::from_millis(500), Nanos::from_secs(3));
    let ran = run(&order);
    let end = ran.end();
    let rate = end.taken_counted as f64 / 3.0;
    assert!((rate / 546.5 - 1.0).abs() < 0.1, "paced at 546.5/s, and {rate:.1}/s were sent");
    assert!(end.taken > end.taken_counted && ran.samples.len() as u64 == end.taken);
    assert!(ran.samples.iter().all(|sample| sample.outcome == model::Outcome::Ok));
    let mut times: Vec<Nanos> = ran.samples.iter().filter(|s| s.counted).map(Sample::response_time).collect();
    times.sort();
    plausible(times[times.len() * 99 / 100]);
    let told = end.told.clone().expect("its own figures");
    assert!(told.gave_samples && told.requests.is_some_and(|requests| requests > 0), "{told:?}");
    let cost = cpu_us_per_request(&ran, end.taken_counted);
    assert!((20.0..10_000.0).contains(&cost), "{cost} µs a request");
    assert!(end.peak_rss_bytes.is_some_and(|bytes| bytes > 20_000_000), "{:?}", end.peak_rss_bytes);
}

#[test]
#[ignore = "needs locust: `cargo xtask test` brings it"]
fn locust_against_nobody_tells_failures_and_not_nothing() {
    let locust = std::env::var("DOORCLOCK_TEST_LOCUST").expect("`cargo xtask test` says where locust is");
    let command = format!(
        "{locust} -f locustfile.py --headless -H $DOORCLOCK_URL -u $DOORCLOCK_CONNECTIONS \
         -r $DOORCLOCK_CONNECTIONS -t ${{DOORCLOCK_RUN_SECONDS}}s"
    );
    let mut order = real(ToolOutput::Locust, &command);
    let nobody = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    order.base = format!("http://{nobody}");
    order.measure = Nanos::from_secs(1);
    let ran = run(&order);
    assert!(ran.end().taken_counted > 100);
    assert!(ran.samples.iter().all(|sample| sample.outcome == model::Outcome::Refused));
}

#[test]
#[ignore = "needs wrk: `cargo xtask test` brings it"]
fn wrk_tells_its_own_figures_and_costs_cpu() {
    let wrk = std::env::var("DOORCLOCK_TEST_WRK").expect("`cargo xtask test` says where wrk is");
    let command = format!(
        "{wrk} -t1 -c$DOORCLOCK_CONNECTIONS -d${{DOORCLOCK_WHOLE_SECONDS}}s --latency $DOORCLOCK_URL$DOORCLOCK_PATH"
    );
    let mut order = real(ToolOutput::Wrk, &command);
    order.load = Load::Closed { connections: 4 };
    let ran = run(&order);
    let told = ran.end().told.clone().expect("told");
    let requests = told.requests.expect("a count");
    assert!(requests > 1_000 && told.failed == Some(0) && !told.gave_samples, "{told:?}");
    plausible(told.p99.expect("a p99"));
    let cost = cpu_us_per_request(&ran, requests);
    assert!((0.1..1_000.0).contains(&cost), "{cost} µs a request");
    assert!(ran.samples.is_empty());
}
