//! What reading one answer costs, for the budget in the crate's head:
//!
//! ```text
//! cargo run --release -p doorclock-wire --example parse_cost
//! ```
//!
//! Prints the best and the median of many batches: the best is the cost of the
//! code, the median includes what the machine does beside it.

#![expect(clippy::print_stdout, reason = "an example prints")]
#![expect(clippy::disallowed_methods, reason = "an example that measures reads the clock")]

use doorclock_wire::h1::{Answer, Asked, Received};
use std::hint::black_box;
use std::time::Instant;

const BATCHES: usize = 400;
const ANSWERS_A_BATCH: u32 = 2_000;

fn main() {
    let body = "x".repeat(615);
    let fields = "Server: nginx/1.26.2\r\nDate: Mon, 30 Nov 2026 12:00:00 GMT\r\nContent-Type: text/html\r\n\
                  Last-Modified: Tue, 17 Jun 2025 19:49:16 GMT\r\nConnection: keep-alive\r\n\
                  ETag: \"6851c4dc-267\"\r\nAccept-Ranges: bytes\r\n";
    let length = format!("HTTP/1.1 200 OK\r\n{fields}Content-Length: 615\r\n\r\n{body}");
    let chunked =
        format!("HTTP/1.1 200 OK\r\n{fields}Transfer-Encoding: chunked\r\n\r\n267\r\n{body}\r\n0\r\n\r\n");
    report("whole, with a length", &[length.as_bytes()]);
    report("whole, in one chunk", &[chunked.as_bytes()]);
    let (head, rest) = length.as_bytes().split_at(120);
    report("with its head cut in two", &[head, rest]);
}

fn report(name: &str, pieces: &[&[u8]]) {
    let mut answer = Answer::default();
    let mut costs: Vec<f64> = (0..BATCHES).map(|_| batch(&mut answer, pieces)).collect();
    costs.sort_by(f64::total_cmp);
    let bytes: usize = pieces.iter().map(|piece| piece.len()).sum();
    println!("{name:<26} {bytes} bytes: best {:.0} ns, median {:.0} ns", costs[0], costs[BATCHES / 2]);
}

/// Nanoseconds per answer. The body is counted and not looked at.
fn batch(answer: &mut Answer, pieces: &[&[u8]]) -> f64 {
    let began = Instant::now();
    for _ in 0..ANSWERS_A_BATCH {
        let mut body_bytes = 0;
        answer.begin(Asked::default());
        let mut last = Ok(Received::Partial);
        for piece in pieces {
            last = answer.receive(black_box(piece), &mut |slice| body_bytes += slice.len());
        }
        assert!(matches!(last, Ok(Received::Complete { status: 200, reusable: true, .. })));
        assert_eq!(body_bytes, 615);
    }
    began.elapsed().as_nanos() as f64 / f64::from(ANSWERS_A_BATCH)
}
