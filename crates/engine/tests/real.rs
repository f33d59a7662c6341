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
};

fn measure<'a>(
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
        limits: LIMITS,
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
        limits: LIMITS,
        precision: SendPrecision::Sleep,
        cpus: vec![1_023],
        clock,
        stop: &stop,
    };
    let failure = run(job, &mut |batch| assert!(batch.is_empty())).expect_err("no such core");
    assert!(failure.to_string().starts_with("cannot keep a sending thread to core 1023"), "{failure}");
}
