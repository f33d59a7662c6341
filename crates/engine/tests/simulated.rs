//! The event loop on a simulated clock and network: each deadline one tick to
//! either side, each way a connection can end, and nothing lost in any of them.

use doorclock_engine::{Check, Expect, JsonCheck, Limits, Numbers, Prepared, Work, Worker, WorkerEnd};
use model::{ConnectionPolicy, Nanos, Outcome, Sample, Seed};
use rustix::io::Errno;
use schedule::{Due, Tester};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use testbed::{Accept, Action, QueueServer, Reply, ScriptServer, Server, answer, simulated};

/// Requests at moments that a test wrote down.
struct At {
    moments: Vec<u64>,
    taken: usize,
}

fn at(moments: &[u64]) -> At {
    At { moments: moments.to_vec(), taken: 0 }
}

impl Tester for At {
    fn due(&mut self) -> Option<Nanos> {
        self.moments.get(self.taken).copied().map(Nanos)
    }

    fn take(&mut self) -> Option<Due> {
        let scheduled = self.due()?;
        self.taken += 1;
        Some(Due { index: self.taken as u64 - 1, user: 0, scheduled })
    }

    fn done(&mut self, _: u32, _: Nanos, _: bool) {}
}

const LIMITS: Limits = Limits {
    warm_up: Nanos::ZERO,
    until: Nanos(1_000),
    grace: Nanos(500),
    timeout: Nanos(400),
    connection_policy: ConnectionPolicy::Reuse,
    connection_limit: 8,
    connection_numbers: Numbers::ALL,
    may_read_later: false,
};

fn work(expect: Expect) -> Work {
    let bytes = b"GET / HTTP/1.1\r\nHost: test\r\n\r\n"[..].into();
    Work::new(vec![Prepared { bytes, asked: wire::h1::Asked::default(), expect }], Seed(1))
        .expect("one request")
}

fn run(tester: impl Tester + Send, server: impl Server, limits: Limits) -> (WorkerEnd, Vec<Sample>) {
    run_expecting(Expect::default(), tester, server, limits)
}

fn run_expecting(
    expect: Expect,
    tester: impl Tester + Send,
    server: impl Server,
    limits: Limits,
) -> (WorkerEnd, Vec<Sample>) {
    let (clock, net) = simulated(server);
    let work = work(expect);
    let worker = Worker {
        tester: Box::new(tester),
        work: &work,
        net,
        clock,
        samples: Vec::new(),
        follow: None,
        limits,
        stop: &AtomicBool::new(false),
    };
    let (end, samples) = worker.run();
    check_books(&end, &samples);
    (end, samples)
}

/// What must hold of every run, however it went.
fn check_books(end: &WorkerEnd, samples: &[Sample]) {
    assert_eq!(end.taken, samples.len() as u64, "a sample for each request that became due");
    let stays: u128 = samples.iter().map(|sample| u128::from(sample.response_time().0)).sum();
    assert_eq!(end.area, stays, "the engine's area is the sum of all response times");
    for sample in samples {
        let moments = [Some(sample.scheduled), sample.sent, sample.first_byte, Some(sample.done)];
        assert!(moments.into_iter().flatten().is_sorted(), "moments in order: {sample:?}");
    }
}

fn script(
    on_request: impl FnMut(Nanos, u64, u64) -> Vec<Reply>,
) -> ScriptServer<impl FnMut(u64) -> Accept, impl FnMut(Nanos, u64, u64) -> Vec<Reply>> {
    ScriptServer { on_connect: |_| Accept::After(Nanos(10)), on_request, requests: 0 }
}

fn answers_after(delay: u64) -> impl Server {
    script(move |now, _, _| vec![Reply { at: now + Nanos(delay), action: answer() }])
}

fn bytes(text: &'static str) -> Action {
    Action::Bytes(text.as_bytes().into())
}

fn outcomes(samples: &[Sample]) -> Vec<Outcome> {
    let mut samples = samples.to_vec();
    samples.sort_by_key(|sample| sample.index);
    samples.iter().map(|sample| sample.outcome).collect()
}

#[test]
fn each_moment_of_a_request_is_kept_and_connecting_is_part_of_the_wait() {
    let (end, samples) = run(at(&[100, 300]), answers_after(50), LIMITS);
    let [first, second] = samples[..] else { panic!("two samples: {samples:?}") };
    assert_eq!(
        (first.scheduled, first.sent, first.first_byte, first.done),
        (Nanos(100), Some(Nanos(110)), Some(Nanos(160)), Nanos(160))
    );
    assert_eq!((first.waited, first.connect, first.connection), (Nanos(10), Some(Nanos(10)), 1));
    assert_eq!((second.scheduled, second.sent, second.done), (Nanos(300), Some(Nanos(300)), Nanos(350)));
    assert_eq!((second.waited, second.connect, second.connection), (Nanos::ZERO, None, 1));
    assert_eq!((end.connections_opened, end.connections_peak, end.ended), (1, 1, Nanos(1_000)));
}

#[test]
fn an_answer_at_the_time_limit_is_ok_and_one_a_tick_later_is_too_late() {
    // Scheduled at 100, so the limit comes at 500; connecting takes 10.
    for (delay, outcome, done) in
        [(389, Outcome::Ok, 499), (390, Outcome::Ok, 500), (391, Outcome::TimedOut, 500)]
    {
        let (_, samples) = run(at(&[100]), answers_after(delay), LIMITS);
        assert_eq!((samples[0].outcome, samples[0].done), (outcome, Nanos(done)), "answer after {delay}");
    }
}

#[test]
fn the_time_limit_counts_from_the_schedule_also_while_no_connection_opens() {
    let never = ScriptServer { on_connect: |_| Accept::Never, on_request: |_, _, _| Vec::new(), requests: 0 };
    let (_, samples) = run(at(&[100]), never, LIMITS);
    let [only] = samples[..] else { panic!("one sample") };
    assert_eq!(
        (only.outcome, only.sent, only.done, only.waited),
        (Outcome::TimedOut, None, Nanos(500), Nanos(400))
    );
}

#[test]
fn a_connection_that_hangs_in_opening_does_not_hold_up_later_requests() {
    let first_hangs = ScriptServer {
        on_connect: |connection| if connection == 1 { Accept::Never } else { Accept::After(Nanos(10)) },
        on_request: |now, _, _| vec![Reply { at: now, action: answer() }],
        requests: 0,
    };
    let (_, samples) = run(at(&[100, 600]), first_hangs, LIMITS);
    assert_eq!(outcomes(&samples), [Outcome::TimedOut, Outcome::Ok]);
}

#[test]
fn an_answer_at_the_end_of_grace_is_ok_and_one_a_tick_later_is_unfinished() {
    let limits = Limits { timeout: Nanos(10_000), ..LIMITS };
    // Scheduled at 900 and sent at 910; the run ends at 1000 and grace at 1500.
    for (delay, outcome, done) in
        [(589, Outcome::Ok, 1_499), (590, Outcome::Ok, 1_500), (591, Outcome::Unfinished, 1_500)]
    {
        let (end, samples) = run(at(&[900]), answers_after(delay), limits);
        assert_eq!((samples[0].outcome, samples[0].done), (outcome, Nanos(done)), "answer after {delay}");
        assert_eq!(end.ended, Nanos(done));
    }
}

#[test]
fn nothing_is_due_from_the_end_on() {
    let (end, samples) = run(at(&[999, 1_000, 1_001]), answers_after(1), LIMITS);
    assert_eq!((end.taken, samples.len(), samples[0].scheduled), (1, 1, Nanos(999)));
}

#[test]
fn requests_due_before_the_end_of_warm_up_are_sent_and_not_counted() {
    let (end, samples) =
        run(at(&[199, 200, 201]), answers_after(1), Limits { warm_up: Nanos(200), ..LIMITS });
    let counted: Vec<bool> = samples.iter().map(|sample| sample.counted).collect();
    assert_eq!((counted, end.taken, end.taken_counted), (vec![false, true, true], 3, 2));
}

#[test]
fn an_open_load_does_not_wait_for_answers() {
    let (end, samples) = run(at(&[100, 101, 102, 103]), answers_after(300), LIMITS);
    let sent: Vec<_> = samples.iter().map(|sample| sample.sent).collect();
    assert_eq!(sent, [110, 111, 112, 113].map(|moment| Some(Nanos(moment))));
    assert_eq!(end.connections_peak, 4);
}

#[test]
fn at_the_connection_limit_a_request_waits_at_the_tester_with_its_clock_running() {
    let (end, samples) =
        run(at(&[100, 101, 102]), answers_after(100), Limits { connection_limit: 1, ..LIMITS });
    let seen: Vec<_> =
        samples.iter().map(|sample| (sample.scheduled.0, sample.waited.0, sample.done.0)).collect();
    assert_eq!(seen, [(100, 10, 210), (101, 109, 310), (102, 208, 410)]);
    assert_eq!((end.connections_peak, end.connections_opened), (1, 1));
}

#[test]
fn a_request_that_never_got_a_connection_is_kept_as_never_sent() {
    let limits = Limits { connection_limit: 1, timeout: Nanos(10_000), ..LIMITS };
    let (_, samples) = run(at(&[100, 101]), answers_after(5_000), limits);
    assert_eq!(outcomes(&samples), [Outcome::Unfinished, Outcome::NeverSent]);
    assert!(samples.iter().all(|sample| sample.done == Nanos(1_500)));
}

#[test]
fn a_refused_connection_fails_one_request_each() {
    let refuses = ScriptServer {
        on_connect: |_| Accept::Refuse(Errno::CONNREFUSED),
        on_request: |_, _, _| Vec::new(),
        requests: 0,
    };
    let (end, samples) = run(at(&[100, 100, 200]), refuses, LIMITS);
    assert_eq!(outcomes(&samples), [Outcome::Refused; 3]);
    assert_eq!(end.connections_opened, 3);
    assert_eq!(end.examples.len(), 1);
    assert!(end.examples[0].1.contains("refused"), "{:?}", end.examples);
}

#[test]
fn when_this_machine_has_no_descriptor_left_requests_wait_for_the_connections_there_are() {
    let allows_one = ScriptServer {
        on_connect: |connection| {
            if connection == 1 { Accept::After(Nanos(10)) } else { Accept::Refuse(Errno::MFILE) }
        },
        on_request: |now, _, _| vec![Reply { at: now + Nanos(50), action: answer() }],
        requests: 0,
    };
    let (end, samples) = run(at(&[100, 120]), allows_one, LIMITS);
    assert_eq!(outcomes(&samples), [Outcome::Ok, Outcome::Ok]);
    assert_eq!(end.limit_lowered_to, Some(1), "and it is told");
}

#[test]
fn a_kept_alive_connection_closed_before_any_byte_is_a_resend_with_the_clock_running() {
    for end_of_it in [|| Action::Close, || Action::Break(Errno::CONNRESET), || Action::Break(Errno::PIPE)] {
        let closes_second = script(move |now, _, request| match request {
            2 => vec![Reply { at: now + Nanos(5), action: end_of_it() }],
            _ => vec![Reply { at: now + Nanos(50), action: answer() }],
        });
        let (end, samples) = run(at(&[100, 300]), closes_second, LIMITS);
        let second = samples[1];
        assert_eq!((second.outcome, second.resent), (Outcome::Ok, 1));
        // Sent at 300, closed at 305, connected at 315, answered at 365.
        assert_eq!((second.sent, second.done, second.connection), (Some(Nanos(300)), Nanos(365), 2));
        assert_eq!(end.connections_opened, 2);
    }
}

#[test]
fn a_fresh_connection_that_closes_without_an_answer_is_a_reset_and_not_resent() {
    let closes = script(|now, _, _| vec![Reply { at: now + Nanos(5), action: Action::Close }]);
    let (_, samples) = run(at(&[100]), closes, LIMITS);
    assert_eq!((samples[0].outcome, samples[0].resent), (Outcome::Reset, 0));
}

#[test]
fn once_a_byte_of_the_answer_has_come_a_close_is_a_reset() {
    let closes = script(|now, _, request| match request {
        1 => vec![Reply { at: now, action: answer() }],
        _ => vec![
            Reply { at: now + Nanos(5), action: bytes("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhal") },
            Reply { at: now + Nanos(9), action: Action::Close },
        ],
    });
    let (end, samples) = run(at(&[100, 300]), closes, LIMITS);
    assert_eq!(outcomes(&samples), [Outcome::Ok, Outcome::Reset]);
    assert_eq!((samples[1].first_byte, samples[1].done), (Some(Nanos(305)), Nanos(309)));
    assert!(end.examples[0].1.contains("6 bytes"), "{:?}", end.examples);
}

#[test]
fn a_service_that_closes_every_kept_alive_connection_is_not_asked_for_ever() {
    // Each connection answers once and then closes on the next request.
    let mut answered = std::collections::HashSet::new();
    let once_each = script(move |now, connection, _| {
        let first = answered.insert(connection);
        vec![Reply { at: now + Nanos(5), action: if first { answer() } else { Action::Close } }]
    });
    let (_, samples) = run(at(&[100, 200, 300]), once_each, LIMITS);
    assert_eq!(outcomes(&samples), [Outcome::Ok; 3]);
    assert_eq!(samples.iter().map(|sample| sample.resent).collect::<Vec<_>>(), [0, 1, 1]);
}

#[test]
fn an_idle_connection_that_closes_harms_no_request() {
    let closes_after = script(|now, _, _| {
        vec![
            Reply { at: now + Nanos(5), action: answer() },
            Reply { at: now + Nanos(20), action: Action::Close },
        ]
    });
    let (end, samples) = run(at(&[100, 300]), closes_after, LIMITS);
    assert_eq!(outcomes(&samples), [Outcome::Ok; 2]);
    assert_eq!((end.connections_opened, samples[1].resent), (2, 0));
}

#[test]
fn what_is_not_http_is_a_protocol_error_and_its_connection_is_not_used_again() {
    let talks_smtp =
        script(|now, _, _| vec![Reply { at: now + Nanos(5), action: bytes("220 mail ready\r\n\r\n") }]);
    let (end, samples) = run(at(&[100, 300]), talks_smtp, LIMITS);
    assert_eq!(outcomes(&samples), [Outcome::ProtocolError; 2]);
    assert_eq!(end.connections_opened, 2);
}

#[test]
fn bytes_that_nobody_asked_for_cost_the_connection_and_no_request() {
    let talks_on = script(|now, _, _| {
        vec![Reply {
            at: now,
            action: bytes("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n"),
        }]
    });
    let (end, samples) = run(at(&[100, 300]), talks_on, LIMITS);
    assert_eq!(outcomes(&samples), [Outcome::Ok; 2]);
    assert_eq!(end.connections_opened, 2);
}

#[test]
fn a_body_delimited_by_the_close_is_whole_when_the_peer_closes() {
    let closes = script(|now, _, _| {
        vec![
            Reply { at: now + Nanos(5), action: bytes("HTTP/1.1 200 OK\r\n\r\nbo") },
            Reply { at: now + Nanos(6), action: bytes("dy") },
            Reply { at: now + Nanos(9), action: Action::Close },
        ]
    });
    let expect = Expect { status: Some(200), body: Some(b"body"[..].into()), checks: Vec::new() };
    let (_, samples) = run_expecting(expect, at(&[100]), closes, LIMITS);
    assert_eq!((samples[0].outcome, samples[0].done), (Outcome::Ok, Nanos(119)));
}

#[test]
fn an_answer_is_checked_byte_for_byte_against_what_is_expected() {
    let cases = [
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", Outcome::Ok),
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno", Outcome::FailedCheck),
        ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\no", Outcome::FailedCheck),
        ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nokk", Outcome::FailedCheck),
        ("HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok", Outcome::WrongStatus),
    ];
    for (text, outcome) in cases {
        let expect = Expect { status: Some(200), body: Some(b"ok"[..].into()), checks: Vec::new() };
        let server = script(move |now, _, _| vec![Reply { at: now, action: bytes(text) }]);
        let (_, samples) = run_expecting(expect, at(&[100]), server, LIMITS);
        assert_eq!(samples[0].outcome, outcome, "{text:?}");
    }
}

/// What becomes of an answer that comes in two parts and must hold a text.
fn judged(text: &'static str, check: Check) -> (WorkerEnd, Vec<Sample>) {
    let (first, second) = text.split_at(text.len() / 2);
    let server = script(move |now, _, _| {
        [(now, first), (now + Nanos(10), second)].map(|(at, part)| Reply { at, action: bytes(part) }).into()
    });
    let expect = Expect { checks: vec![check], ..Expect::default() };
    run_expecting(expect, at(&[100]), server, LIMITS)
}

#[test]
fn checks_look_at_whole_answers_however_they_are_cut_and_cost_no_response_time() {
    let plain = "HTTP/1.1 200 OK\r\nX-Kind: score\r\nContent-Length: 13\r\n\r\n{\"score\":0.5}";
    let header = |value: &str| Check::Header { name: "x-kind".to_owned(), value: value.to_owned() };
    let json = |expected: f64| {
        Check::Json(JsonCheck {
            pointer: "/score".to_owned(),
            accepts: Arc::new(move |found| found.as_f64() == Some(expected)),
            shown: expected.to_string(),
        })
    };
    for (check, outcome, example) in [
        (header("score"), Outcome::Ok, None),
        (header("other"), Outcome::FailedCheck, Some("header x-kind is \"score\", expected \"other\"")),
        (json(0.5), Outcome::Ok, None),
        (json(0.25), Outcome::FailedCheck, Some("/score is 0.5, expected 0.25")),
    ] {
        let (end, samples) = judged(plain, check);
        let (_, unchecked) = judged_without(plain);
        assert_eq!(samples[0].outcome, outcome, "{end:?}");
        assert_eq!(samples[0].done, unchecked[0].done, "checks cost no response time");
        assert_eq!(end.examples.first().map(|(_, says)| says.as_str()), example);
    }
}

fn judged_without(text: &'static str) -> (WorkerEnd, Vec<Sample>) {
    judged(
        text,
        Check::Pattern { pattern: regex::bytes::Regex::new("").expect("a pattern"), shown: String::new() },
    )
}

#[test]
fn per_request_opens_a_connection_for_each() {
    let limits = Limits { connection_policy: ConnectionPolicy::PerRequest, ..LIMITS };
    let (end, samples) = run(at(&[100, 300, 500]), answers_after(50), limits);
    assert!(samples.iter().all(|sample| sample.connect == Some(Nanos(10)) && sample.outcome == Outcome::Ok));
    assert_eq!((end.connections_opened, end.connections_peak), (3, 1));
}

#[test]
fn per_user_keeps_each_users_connection_for_it_alone() {
    let limits = Limits { connection_policy: ConnectionPolicy::PerUser, ..LIMITS };
    let tester = schedule::Paced::new(
        2,
        model::Rate::per_second(1e7).expect("a rate"),
        Nanos(1_000),
        schedule::Share::whole(),
    );
    let (end, samples) = run(tester, answers_after(20), limits);
    assert_eq!(end.connections_opened, 2);
    let first_of = |user| samples.iter().find(|sample| sample.user == user).map(|sample| sample.connection);
    assert_ne!(first_of(0), first_of(1));
    assert!(samples.iter().all(|sample| Some(sample.connection) == first_of(sample.user)));
}

#[test]
fn a_closed_loop_waits_with_the_service() {
    let tester = schedule::Closed::new(1, Nanos(1_000), schedule::Share::whole());
    let (_, samples) = run(tester, answers_after(90), LIMITS);
    // The first at 0 waits 10 for its connection; each next is due when the last is done.
    let scheduled: Vec<u64> = samples.iter().map(|sample| sample.scheduled.0).collect();
    assert_eq!(scheduled, [0, 100, 190, 280, 370, 460, 550, 640, 730, 820, 910]);
    assert!(samples.iter().skip(1).all(|sample| sample.lateness() == Some(Nanos::ZERO)));
}

#[test]
fn a_machine_that_wakes_threads_late_shows_as_lateness_and_not_as_service_time() {
    let (clock, net) = simulated(QueueServer::new(Nanos(20), Vec::new()));
    let work = work(Expect::default());
    let tester = Box::new(at(&[100, 300, 500]));
    let net = net.waking_late_by(Nanos(7));
    let stop = AtomicBool::new(false);
    let (_, samples) = Worker {
        tester,
        work: &work,
        net,
        clock,
        samples: Vec::new(),
        follow: None,
        limits: LIMITS,
        stop: &stop,
    }
    .run();
    let later = &samples[1..];
    assert!(later.iter().all(|sample| sample.own_delay() == Some(Nanos(7))), "{later:?}");
}

#[test]
fn an_answer_that_is_read_after_the_time_limit_is_too_late_even_if_it_is_whole() {
    // Every wait ends 7 late, so the answer at 495 is read at 502.
    let (clock, net) = simulated(QueueServer::new(Nanos(388), Vec::new()));
    let work = work(Expect::default());
    let net = net.waking_late_by(Nanos(7));
    let stop = AtomicBool::new(false);
    let tester = Box::new(at(&[100]));
    let (_, samples) = Worker {
        tester,
        work: &work,
        net,
        clock,
        samples: Vec::new(),
        follow: None,
        limits: LIMITS,
        stop: &stop,
    }
    .run();
    assert_eq!((samples[0].outcome, samples[0].status), (Outcome::TimedOut, 200), "{samples:?}");
    assert!(samples[0].done > Nanos(500), "{samples:?}");
}

#[test]
fn told_to_stop_it_ends_at_once_and_keeps_what_is_out() {
    let stop = AtomicBool::new(true);
    let (clock, net) = simulated(answers_after(50));
    let work = work(Expect::default());
    let (end, samples) = Worker {
        tester: Box::new(at(&[0, 100])),
        work: &work,
        net,
        clock,
        samples: Vec::new(),
        follow: None,
        limits: LIMITS,
        stop: &stop,
    }
    .run();
    assert!(end.interrupted);
    assert_eq!((end.until, end.taken, samples.len()), (Nanos::ZERO, 0, 0));
}

#[test]
fn a_passing_shortage_of_this_machine_does_not_throttle_the_rest_of_the_run() {
    // The second connection is refused once; 100 ms later there is room again.
    let ms = 1_000_000;
    let refuses_once = ScriptServer {
        on_connect: |connection| {
            if connection == 2 { Accept::Refuse(Errno::NOBUFS) } else { Accept::After(Nanos(10)) }
        },
        on_request: move |now, _, _| vec![Reply { at: now + Nanos(50 * ms), action: answer() }],
        requests: 0,
    };
    let moments: Vec<u64> = (0..40).map(|turn| turn * 10 * ms).collect();
    let limits = Limits {
        until: Nanos(400 * ms),
        grace: Nanos(5_000 * ms),
        timeout: Nanos(5_000 * ms),
        connection_limit: 50,
        ..LIMITS
    };
    let (end, samples) = run(at(&moments), refuses_once, limits);
    assert_eq!(end.limit_lowered_to, Some(1));
    let late: Vec<&Sample> = samples.iter().filter(|sample| sample.scheduled.0 > 200 * ms).collect();
    assert!(late.iter().all(|sample| sample.response_time().0 < 51 * ms), "{:?}", late.first());
}

#[test]
fn who_waits_for_a_connection_that_is_opening_is_not_held_up_by_the_limit() {
    let limits = Limits { connection_limit: 2, ..LIMITS };
    // Both connections open for the first two; the third has none to wait for.
    for (moments, held_up) in [(&[0, 0][..], 0), (&[0, 0, 0], 1), (&[0, 0, 500], 0)] {
        let (end, _) = run(at(moments), answers_after(100), limits);
        assert_eq!((end.waited_at_limit, end.connections_opened), (held_up, 2), "{moments:?}");
    }
}

#[test]
fn with_a_connection_for_each_request_those_who_wait_are_sent_in_their_order_as_soon_as_there_is_room() {
    let limits = Limits { connection_policy: ConnectionPolicy::PerRequest, connection_limit: 2, ..LIMITS };
    let (end, samples) = run(at(&[100, 101, 102, 103]), answers_after(100), limits);
    let mut sent: Vec<_> =
        samples.iter().map(|sample| (sample.index, sample.sent.map(|sent| sent.0))).collect();
    sent.sort_unstable();
    // Each waits 10 for its connection; the third and fourth wait for a place first.
    assert_eq!(sent, [(0, Some(110)), (1, Some(111)), (2, Some(220)), (3, Some(221))]);
    assert_eq!((end.waited_at_limit, end.connections_peak), (2, 2));
}

#[test]
fn a_request_handed_to_the_kernel_in_the_last_turn_is_unfinished_and_not_never_sent() {
    let limits = Limits { grace: Nanos::ZERO, ..LIMITS };
    // The first request opens the connection; the second is due one tick
    // before the end, and the loop wakes 7 late: after the end.
    let (clock, net) = simulated(QueueServer::new(Nanos(20), Vec::new()));
    let work = work(Expect::default());
    let stop = AtomicBool::new(false);
    let net = net.waking_late_by(Nanos(7));
    let tester = Box::new(at(&[100, 999]));
    let (_, samples) =
        Worker { tester, work: &work, net, clock, samples: Vec::new(), follow: None, limits, stop: &stop }
            .run();
    assert_eq!(outcomes(&samples), [Outcome::Ok, Outcome::Unfinished]);
    assert!(samples.iter().all(|sample| sample.sent.is_some()), "{samples:?}");
}

/// Whatever connects, answers, closes and hangs at random, under any policy and
/// limit: the books hold, the limit is kept to, and no request waits for ever.
#[test]
fn random_services_and_limits_never_break_the_books() {
    const POLICIES: [ConnectionPolicy; 3] =
        [ConnectionPolicy::Reuse, ConnectionPolicy::PerRequest, ConnectionPolicy::PerUser];
    for seed in 0..3_000 {
        let draw =
            move |purpose: &str, index: u64, below: u64| Seed(seed).derive(purpose).mark(index) % below;
        let policy = POLICIES[(seed % 3) as usize];
        let limit = 1 + draw("limit", 0, 4) as u32;
        let server = ScriptServer {
            on_connect: move |connection| match draw("connect", connection, 10) {
                0 => Accept::Never,
                1 => Accept::Refuse(Errno::CONNREFUSED),
                2 => Accept::Refuse(Errno::MFILE),
                _ => Accept::After(Nanos(draw("open", connection, 30))),
            },
            on_request: move |now, _, request| {
                let at = now + Nanos(draw("answer", request, 120));
                match draw("reply", request, 10) {
                    0 => Vec::new(),
                    1 => vec![Reply { at, action: Action::Close }],
                    2 => vec![Reply { at, action: Action::Break(Errno::CONNRESET) }],
                    3 => vec![Reply { at, action: bytes("nonsense\r\n\r\n") }],
                    4 => vec![
                        Reply { at, action: answer() },
                        Reply { at: at + Nanos(9), action: Action::Close },
                    ],
                    _ => vec![Reply { at, action: answer() }],
                }
            },
            requests: 0,
        };
        let limits = Limits { connection_policy: policy, connection_limit: limit, ..LIMITS };
        let (end, samples) = if policy == ConnectionPolicy::PerUser {
            let users = schedule::Closed::new(limit, Nanos(1_000), schedule::Share::whole());
            run(users, server, limits)
        } else {
            let moments: Vec<u64> = (0..60).map(|turn| turn * 16 + draw("gap", turn, 16)).collect();
            run(at(&moments), server, limits)
        };
        assert!(end.connections_peak <= limit, "seed {seed}: {} connections", end.connections_peak);
        // Grace ends after the last time limit, so nothing may be left over.
        assert!(samples.iter().all(|sample| !sample.outcome.is_cut_off()), "seed {seed}: {samples:?}");
    }
}
