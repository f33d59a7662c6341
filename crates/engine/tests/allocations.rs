//! The hot path allocates nothing per request: counted by an allocator of our
//! own on the sending thread, over real sockets.

use doorclock_engine::{Expect, Job, Limits, MonotonicClock, Numbers, Prepared, Work, run};
use model::{ConnectionPolicy, Nanos, Seed, SendPrecision};
use schedule::{Closed, Due, Share, Tester};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use wire::h1::RequestParts;

/// Requests before counting starts: connections, buffers and the first batches are there by then.
const SETTLED: u64 = 3_000;

thread_local! {
    /// Allocations of this thread since it began to count, if it has.
    static ALLOCATED: Cell<Option<u64>> = const { Cell::new(None) };
}

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[expect(unsafe_code, reason = "an allocator can be counted only by being one")]
// SAFETY: every call is passed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATED.with(|count| count.set(count.get().map(|count| count + 1)));
        // SAFETY: the caller keeps alloc's contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the memory came from `alloc` above.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// A closed loop that counts on the sending thread once things have settled.
struct Watched<'a> {
    inner: Closed,
    taken: &'a AtomicU64,
    allocated: &'a AtomicU64,
}

impl Tester for Watched<'_> {
    fn due(&mut self) -> Option<Nanos> {
        self.inner.due()
    }

    fn take(&mut self) -> Option<Due> {
        match self.taken.fetch_add(1, Relaxed) {
            SETTLED => ALLOCATED.with(|count| count.set(Some(0))),
            _ => self.allocated.store(ALLOCATED.with(Cell::get).unwrap_or(0), Relaxed),
        }
        self.inner.take()
    }

    fn done(&mut self, user: u32, at: Nanos, failed: bool) {
        self.inner.done(user, at, failed);
    }
}

#[test]
fn sending_allocates_nothing_per_request() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let peer = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                stream.set_nodelay(true).expect("a socket");
                // Each request is one small segment, so one read is one request.
                while let Ok(1..) = stream.read(&mut [0; 4_096]) {
                    if stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").is_err() {
                        return;
                    }
                }
            });
        }
    });
    let request = RequestParts { method: "GET", path: "/", host: "test", ..RequestParts::default() };
    let request = request.build().expect("a request");
    let expect = Expect { status: Some(200), body: Some(b"ok"[..].into()), checks: Vec::new() };
    let prepared = Prepared { bytes: request.bytes().into(), asked: request.asked(), expect };
    let work = Work::new(vec![prepared], Seed(1)).expect("one request");
    let limits = Limits {
        warm_up: Nanos::ZERO,
        until: Nanos::from_millis(1_500),
        grace: Nanos::from_secs(2),
        timeout: Nanos::from_secs(2),
        connection_policy: ConnectionPolicy::Reuse,
        connection_limit: 4,
        connection_numbers: Numbers::ALL,
        may_read_later: false,
    };
    let (taken, allocated, stop) = (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(false));
    let inner = Closed::new(4, limits.until, Share::whole());
    let testers: Vec<Box<dyn Tester + Send>> =
        vec![Box::new(Watched { inner, taken: &taken, allocated: &allocated })];
    let clock = MonotonicClock::starting_in(Nanos::from_millis(2));
    let precision = SendPrecision::Sleep;
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
    run(job, &mut |_| {}).expect("a run");
    let (requests, allocated) = (taken.load(Relaxed).saturating_sub(SETTLED), allocated.load(Relaxed));
    assert!(requests > 1_000, "only {requests} requests were counted");
    // What is left is per batch of samples, now and then.
    assert!(allocated <= 8 + requests / 500, "{allocated} allocations for {requests} requests");
}
