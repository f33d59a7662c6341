//! Requests sent before a run whose warm-up is a number of requests and no
//! length of time: by a closed loop of the arm's own connections, kept nowhere.

use crate::order::Order;
use engine::{Job, MonotonicClock, RunFailure};
use model::{Nanos, SendPrecision};
use schedule::{Closed, Due, Share, Tester};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// A service that does not answer so many within this is measured as it is.
const AT_MOST: Nanos = Nanos::from_secs(60);

/// Sends exactly `requests` requests of `order`'s work over `connections`
/// connections, if the service answers them within a minute.
pub(crate) fn send(
    order: &Order,
    requests: u64,
    connections: u32,
    stop: &AtomicBool,
) -> Result<(), RunFailure> {
    let over = AtomicBool::new(false);
    let tester = Limited {
        inner: Closed::new(connections, AT_MOST, Share::new(order.seed, 0, 1)),
        left: requests,
        out: 0,
        over: &over,
        stop,
    };
    let mut limits = order.limits();
    limits.warm_up = Nanos::ZERO;
    limits.until = AT_MOST;
    limits.connection_limit = connections.max(1);
    limits.may_read_later = false;
    let job = Job {
        follow: None,
        peer: order.peer,
        tls: order.tls.clone(),
        work: &order.work,
        testers: vec![Box::new(tester)],
        limits,
        precision: SendPrecision::Sleep,
        cpus: order.cpus.clone(),
        clock: MonotonicClock::starting_in(Nanos::ZERO),
        stop: &over,
    };
    engine::run(job, &mut |_| {}).map(drop)
}

/// A closed loop that ends after so many requests.
struct Limited<'a> {
    inner: Closed,
    left: u64,
    out: u64,
    /// Set when the last one is answered, or we are told to stop.
    over: &'a AtomicBool,
    stop: &'a AtomicBool,
}

impl Tester for Limited<'_> {
    fn due(&mut self) -> Option<Nanos> {
        if self.stop.load(Relaxed) {
            self.over.store(true, Relaxed);
        }
        if self.left == 0 { None } else { self.inner.due() }
    }

    fn take(&mut self) -> Option<Due> {
        let due = self.inner.take()?;
        self.left -= 1;
        self.out += 1;
        Some(due)
    }

    fn done(&mut self, user: u32, at: Nanos, failed: bool) {
        self.out -= 1;
        if self.left == 0 && self.out == 0 {
            self.over.store(true, Relaxed);
        }
        self.inner.done(user, at, failed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arm;
    use engine::Clock as _;
    use plan::PlanFile;
    use std::io::{Read as _, Write as _};
    use std::net::{SocketAddr, TcpListener, TcpStream};
    use std::sync::Arc;
    use std::sync::atomic::AtomicU64;

    /// A service that counts what it is asked, and answers or does not.
    fn service(answers: bool) -> (SocketAddr, Arc<AtomicU64>) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let peer = listener.local_addr().expect("an address");
        let count = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&count);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let counted = Arc::clone(&counted);
                std::thread::spawn(move || serve(stream, answers, &counted));
            }
        });
        (peer, count)
    }

    fn serve(mut stream: TcpStream, answers: bool, count: &AtomicU64) {
        let mut buffer = [0; 4_096];
        // A closed loop's next request comes after the answer to its last.
        while let Ok(1..) = stream.read(&mut buffer) {
            count.fetch_add(1, Relaxed);
            if answers {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
            }
        }
    }

    fn order(peer: SocketAddr) -> Order {
        let text = format!(
            "question = \"?\"\n[target]\nurl = \"http://{peer}\"\n[rounds]\ncount = 1\nseed = 1\n\
             measure = \"1s\"\n[arm.a]\nclosed = {{ connections = 3 }}\n"
        );
        let plan = PlanFile::parse("plan.toml", text).and_then(|file| file.resolve()).expect("a plan");
        arm::order(&plan, &plan.arms[0], 1, plan.rounds.seed_of(1), "test", (peer, None), None)
            .expect("an order")
    }

    #[test]
    fn exactly_as_many_requests_are_sent_as_asked_for() {
        for requests in [1, 2, 50] {
            let (peer, count) = service(true);
            send(&order(peer), requests, 3, &AtomicBool::new(false)).expect("sent");
            assert_eq!(count.load(Relaxed), requests);
        }
    }

    #[test]
    fn a_service_that_does_not_answer_holds_nobody_up_who_wants_to_stop() {
        let (peer, count) = service(false);
        let stop = AtomicBool::new(false);
        let clock = MonotonicClock::starting_in(Nanos::ZERO);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while count.load(Relaxed) == 0 && clock.now() < Nanos::from_secs(20) {
                    clock.sleep_until(clock.now() + Nanos::from_millis(1));
                }
                stop.store(true, Relaxed);
            });
            send(&order(peer), 50, 3, &stop).expect("no error");
        });
        assert!((1..=3).contains(&count.load(Relaxed)), "one a connection at most");
        assert!(clock.now() < AT_MOST, "{}", clock.now());
    }
}
