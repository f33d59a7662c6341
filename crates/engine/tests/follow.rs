//! Work that goes on after its answer, as the engine tells it.

use doorclock_engine::{Accepted, Capture, Expect, Limits, Numbers, Prepared, Work, Worker};
use model::{ConnectionPolicy, Nanos, Seed};
use schedule::{Closed, Share};
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::channel;
use testbed::{Accept, Action, Reply, ScriptServer, simulated};

const LIMITS: Limits = Limits {
    warm_up: Nanos(50),
    until: Nanos(160),
    grace: Nanos(500),
    timeout: Nanos(400),
    connection_policy: ConnectionPolicy::Reuse,
    connection_limit: 8,
    connection_numbers: Numbers::ALL,
    may_read_later: false,
};

#[test]
fn work_that_an_answer_accepted_is_told_with_its_name_and_moments_and_no_other() {
    // The second answer refuses; the third accepts and names nothing.
    let server = ScriptServer {
        on_connect: |_| Accept::After(Nanos(10)),
        on_request: |now: Nanos, _, nth| {
            let answer: &[u8] = match nth {
                1 => b"HTTP/1.1 202 Accepted\r\nLocation: /t/0\r\nContent-Length: 0\r\n\r\n",
                2 => b"HTTP/1.1 429 No\r\nLocation: /t/1\r\nContent-Length: 0\r\n\r\n",
                _ => b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n",
            };
            vec![Reply { at: now + Nanos(50), action: Action::Bytes(answer.into()) }]
        },
        requests: 0,
    };
    let (clock, net) = simulated(server);
    let bytes = b"POST / HTTP/1.1\r\nHost: test\r\n\r\n"[..].into();
    let asked = wire::h1::Asked::default();
    let work = Work::new(vec![Prepared { bytes, asked, expect: Expect::default() }], Seed(1))
        .expect("one request")
        .capturing(Capture::Header("location".to_owned()));
    let (follow, followed) = channel();
    let worker = Worker {
        tester: Box::new(Closed::new(1, LIMITS.until, Share::whole())),
        work: &work,
        net,
        clock,
        samples: Vec::new(),
        follow: Some(follow),
        limits: LIMITS,
        stop: &AtomicBool::new(false),
    };
    let (end, samples) = worker.run();
    assert_eq!((end.taken, samples.len()), (3, 3));
    let told: Vec<Accepted> = followed.iter().collect();
    let accepted = |index: usize, name: Option<&str>, counted| Accepted {
        index: index as u64,
        scheduled: samples[index].scheduled,
        answered: samples[index].done,
        counted,
        name: name.map(Into::into),
    };
    assert_eq!(told, [accepted(0, Some("/t/0"), false), accepted(2, None, true)]);
    assert_eq!((told[1].scheduled, told[1].answered), (Nanos(110), Nanos(160)));
}
