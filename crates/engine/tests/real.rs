//! The epoll back end on real loopback sockets.

use doorclock_engine::{Expect, Job, Limits, MonotonicClock, Numbers, Prepared, Work, WorkerEnd, run};
use model::{ArrivalProcess, ConnectionPolicy, Nanos, Outcome, Rate, Sample, Seed, SendPrecision};
use schedule::{Arrivals, Closed, Open, Profile, Share, Tester};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use wire::h1::RequestParts;

/// A server that hands every connection to `serve` on a thread of its own.
fn server(serve: impl Fn(TcpStream) + Send + Clone + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let serve = serve.clone();
            std::thread::spawn(move || serve(stream));
        }
    });
    address
}

/// Reads requests without a body and answers each with `reply`.
fn answering(reply: Vec<u8>) -> SocketAddr {
    server(move |mut stream| {
        stream.set_nodelay(true).expect("a socket");
        let mut seen = Vec::new();
        let mut buffer = [0; 4_096];
        while let Ok(count @ 1..) = stream.read(&mut buffer) {
            seen.extend_from_slice(&buffer[..count]);
            while let Some(end) = seen.windows(4).position(|four| four == b"\r\n\r\n") {
                seen.drain(..end + 4);
                if stream.write_all(&reply).is_err() {
                    return;
                }
            }
        }
    })
}

fn get() -> Prepared {
    let request = RequestParts { method: "GET", path: "/", host: "test", ..RequestParts::default() }
        .build()
        .expect("a request");
    Prepared { bytes: request.bytes().into(), asked: request.asked(), expect: Expect::default() }
}

const LIMITS: Limits = Limits {
    warm_up: Nanos::ZERO,
    until: Nanos::from_millis(400),
    grace: Nanos::from_secs(2),
    timeout: Nanos::from_secs(2),
    connection_policy: ConnectionPolicy::Reuse,
    connection_limit: 64,
    connection_numbers: Numbers::ALL,
    may_read_later: false,
};

fn measure<'a>(
    peer: SocketAddr,
    request: Prepared,
    testers: Vec<Box<dyn Tester + Send + 'a>>,
    precision: SendPrecision,
) -> (WorkerEnd, Vec<Sample>) {
    measure_within(LIMITS, peer, request, testers, precision)
}

/// Where answers may lie in the kernel until the next request is due.
const READING_LATER: Limits = Limits { may_read_later: true, ..LIMITS };

fn measure_within<'a>(
    limits: Limits,
    peer: SocketAddr,
    request: Prepared,
    testers: Vec<Box<dyn Tester + Send + 'a>>,
    precision: SendPrecision,
) -> (WorkerEnd, Vec<Sample>) {
    let work = Work::new(vec![request], Seed(1)).expect("one request");
    let clock = MonotonicClock::starting_in(Nanos::from_millis(2));
    let stop = AtomicBool::new(false);
    let mut samples = Vec::new();
    let job = Job {
        peer,
        work: &work,
        testers,
        follow: None,
        tls: None,
        limits,
        precision,
        cpus: Vec::new(),
        clock,
        stop: &stop,
    };
    let totals = run(job, &mut |batch| samples.extend_from_slice(batch)).expect("a run");
    assert_eq!(totals.taken, samples.len() as u64);
    (totals, samples)
}

fn open(rate: f64, threads: u32) -> Vec<Box<dyn Tester + Send>> {
    let profile = Profile::level(Rate::per_second(rate).expect("a rate"), LIMITS.until).expect("a profile");
    let arrivals = Arrivals::new(profile, ArrivalProcess::Poisson, Seed(3));
    (0..threads)
        .map(|part| {
            Box::new(Open::new(arrivals.clone(), Share::new(Seed(3), part, threads)))
                as Box<dyn Tester + Send>
        })
        .collect()
}

fn closed(connections: u32) -> Vec<Box<dyn Tester + Send>> {
    vec![Box::new(Closed::new(connections, LIMITS.until, Share::whole()))]
}

#[test]
fn two_threads_send_the_one_schedule_between_them() {
    let peer = answering(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".to_vec());
    let (_, samples) = measure(peer, get(), open(2_000.0, 2), SendPrecision::Sleep);
    let profile =
        Profile::level(Rate::per_second(2_000.0).expect("a rate"), LIMITS.until).expect("a profile");
    let planned: Vec<(u64, Nanos)> = Arrivals::new(profile, ArrivalProcess::Poisson, Seed(3))
        .map(|arrival| (arrival.index, arrival.scheduled))
        .collect();
    let mut sent: Vec<(u64, Nanos)> = samples.iter().map(|sample| (sample.index, sample.scheduled)).collect();
    sent.sort_unstable();
    assert_eq!(sent, planned);
    assert!(samples.iter().all(|sample| sample.outcome == Outcome::Ok && sample.status == 200));
}

#[test]
fn nothing_is_sent_before_its_moment_whether_sleeping_or_spinning() {
    let peer = answering(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".to_vec());
    for precision in [SendPrecision::Sleep, SendPrecision::Spin { last: Nanos::from_micros(150) }] {
        let (_, samples) = measure(peer, get(), open(500.0, 1), precision);
        assert!(samples.len() > 100);
        for sample in samples {
            let sent = sample.sent.expect("sent");
            assert!(sent >= sample.scheduled && sample.done >= sent, "{precision:?}: {sample:?}");
        }
    }
}

#[test]
fn a_large_answer_in_many_pieces_is_one_whole_answer() {
    let body = 3_000_000;
    let mut reply = format!("HTTP/1.1 200 OK\r\nContent-Length: {body}\r\n\r\n").into_bytes();
    reply.resize(reply.len() + body, b'x');
    let length = reply.len() as u64;
    let (_, samples) = measure(answering(reply), get(), closed(2), SendPrecision::Sleep);
    assert!(samples.len() > 2);
    assert!(
        samples.iter().all(|sample| sample.outcome == Outcome::Ok && sample.bytes_in == length),
        "{:?}",
        samples[0]
    );
}

#[test]
fn a_large_request_goes_out_whole_while_the_socket_is_full_in_between() {
    let body = vec![b'y'; 3_000_000];
    let length = body.len();
    let peer = server(move |mut stream| {
        let mut buffer = vec![0; 65_536];
        let mut left = 0;
        while let Ok(count @ 1..) = stream.read(&mut buffer) {
            left += count;
            // The head is a few hundred bytes; whatever follows the body's end is the next request.
            if left > length {
                left = 0;
                if stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").is_err() {
                    return;
                }
            }
        }
    });
    let parts = RequestParts {
        method: "POST",
        path: "/",
        host: "test",
        body: Some(&body),
        ..RequestParts::default()
    };
    let request = parts.build().expect("a request");
    let prepared =
        Prepared { bytes: request.bytes().into(), asked: request.asked(), expect: Expect::default() };
    let (_, samples) = measure(peer, prepared, closed(1), SendPrecision::Sleep);
    assert!(samples.len() > 2);
    assert!(samples.iter().all(|sample| sample.outcome == Outcome::Ok), "{:?}", samples[0]);
}

#[test]
fn a_port_where_nobody_listens_refuses_and_a_failing_user_pauses() {
    let free =
        TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a free port");
    let (totals, samples) = measure(free, get(), closed(1), SendPrecision::Sleep);
    assert!(samples.iter().all(|sample| sample.outcome == Outcome::Refused && sample.sent.is_none()));
    // 400 ms with a pause of 10 ms after each failure.
    assert!((2..=41).contains(&samples.len()), "{} attempts", samples.len());
    assert_eq!(totals.examples.len(), 1);
}

#[test]
fn an_answer_that_comes_before_the_request_is_out_costs_the_connection_only() {
    const BODY: usize = 20_000_000;
    let peer = server(|mut stream| {
        // Answers the first bytes of a request and reads the rest, as servers do that say no early.
        let mut buffer = vec![0; 65_536];
        let mut seen = 0;
        while let Ok(count @ 1..) = stream.read(&mut buffer) {
            if seen == 0 && stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").is_err() {
                return;
            }
            seen = if seen + count > BODY { 0 } else { seen + count };
        }
    });
    let body = vec![b'y'; BODY];
    let parts = RequestParts {
        method: "POST",
        path: "/",
        host: "test",
        body: Some(&body),
        ..RequestParts::default()
    };
    let request = parts.build().expect("a request");
    let prepared =
        Prepared { bytes: request.bytes().into(), asked: request.asked(), expect: Expect::default() };
    let (totals, samples) = measure(peer, prepared, closed(1), SendPrecision::Sleep);
    let bad = samples.iter().find(|sample| sample.outcome != Outcome::Ok);
    assert_eq!(bad, None, "{:?}", totals.examples);
    assert!(totals.connections_opened > 1);
}

#[test]
fn a_request_to_stop_ends_a_run_before_its_time() {
    let peer = answering(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".to_vec());
    let work = Work::new(vec![get()], Seed(1)).expect("one request");
    let stop = AtomicBool::new(false);
    let limits = Limits { until: Nanos::from_secs(60), ..LIMITS };
    let testers: Vec<Box<dyn Tester + Send>> = vec![Box::new(Closed::new(1, limits.until, Share::whole()))];
    let clock = MonotonicClock::starting_in(Nanos::ZERO);
    let job = Job {
        peer,
        work: &work,
        testers,
        follow: None,
        tls: None,
        limits,
        precision: SendPrecision::Sleep,
        cpus: Vec::new(),
        clock,
        stop: &stop,
    };
    let mut kept = 0;
    let totals = run(job, &mut |batch| {
        kept += batch.len() as u64;
        stop.store(kept > 0, Relaxed);
    })
    .expect("a run");
    assert!(totals.interrupted && totals.until < Nanos::from_secs(30));
    assert_eq!(totals.taken, kept);
}

#[test]
fn a_core_that_is_not_there_is_an_error_and_nothing_is_sent() {
    let work = Work::new(vec![get()], Seed(1)).expect("one request");
    let stop = AtomicBool::new(false);
    let testers: Vec<Box<dyn Tester + Send>> = vec![Box::new(Closed::new(1, LIMITS.until, Share::whole()))];
    let clock = MonotonicClock::starting_in(Nanos::ZERO);
    let peer = SocketAddr::from(([127, 0, 0, 1], 9));
    let job = Job {
        peer,
        work: &work,
        testers,
        follow: None,
        tls: None,
        limits: LIMITS,
        precision: SendPrecision::Sleep,
        cpus: vec![1_023],
        clock,
        stop: &stop,
    };
    let failure = run(job, &mut |batch| assert!(batch.is_empty())).expect_err("no such core");
    assert!(failure.to_string().starts_with("cannot keep a sending thread to core 1023"), "{failure}");
}

#[test]
fn an_answer_that_is_read_later_has_the_time_at_which_the_kernel_had_it() {
    let peer = answering(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".to_vec());
    let (at_once, _) = measure(peer, get(), open(500.0, 1), SendPrecision::Sleep);
    let (later, samples) = measure_within(READING_LATER, peer, get(), open(500.0, 1), SendPrecision::Sleep);
    assert!(samples.iter().all(|sample| sample.outcome == Outcome::Ok), "{samples:?}");
    let (prompt, lazy) = (at_once.read_lag.told(), later.read_lag.told());
    // The kernel stamps from some moment after the first socket asked for it on.
    assert!(lazy.stamped > 9 * lazy.unstamped, "{lazy:?}");
    assert!(prompt.stamped > 9 * prompt.unstamped, "{prompt:?}");
    // One wake-up a request and not two: an answer that came between two is read with the next.
    let wakes = |end: &WorkerEnd| end.wakeups as f64 / end.taken as f64;
    assert!(wakes(&later) < 1.6 && wakes(&later) < wakes(&at_once), "{} {}", wakes(&later), wakes(&at_once));
    // It lay there for long, and none of that is in its time.
    let mut took: Vec<Nanos> =
        samples.iter().map(|one| one.done.saturating_sub(one.sent.expect("sent"))).collect();
    took.sort_unstable();
    let lay = lazy.p50.expect("a median");
    assert!(took[took.len() / 2] < lay, "half took {} or less, and lay for {lay}", took[took.len() / 2]);
}

#[test]
fn what_never_answers_is_given_up_in_time_though_nothing_wakes_the_thread() {
    let silent = server(|mut stream| while let Ok(1..) = stream.read(&mut [0; 4_096]) {});
    let limits = Limits { timeout: Nanos::from_millis(100), ..READING_LATER };
    let (_, samples) = measure_within(limits, silent, get(), open(200.0, 1), SendPrecision::Sleep);
    assert!(samples.len() > 40);
    for sample in samples {
        assert_eq!(sample.outcome, Outcome::TimedOut, "{sample:?}");
        assert!(sample.done >= sample.scheduled + limits.timeout, "{sample:?}");
    }
}

#[test]
fn large_answers_are_read_as_they_come_even_where_reading_later_is_allowed() {
    let body = 1_000_000;
    let mut reply = format!("HTTP/1.1 200 OK\r\nContent-Length: {body}\r\n\r\n").into_bytes();
    reply.resize(reply.len() + body, b'x');
    let peer = answering(reply);
    let (end, samples) = measure_within(READING_LATER, peer, get(), open(50.0, 1), SendPrecision::Sleep);
    assert!(samples.iter().all(|sample| sample.outcome == Outcome::Ok), "{:?}", samples[0]);
    // Many reads each, every one of them on a wake-up of its own.
    assert!(end.wakeups > 3 * end.taken, "{} wake-ups for {} answers", end.wakeups, end.taken);
}
