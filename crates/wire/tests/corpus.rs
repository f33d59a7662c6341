//! Answers in the style of the servers that are met most, and of some that
//! bend or break the rules, read whole, cut and mutated.
//!
//! Each file in `corpus/` is what comes over one connection after one request,
//! written by hand after the server in its name.

mod reading;

use doorclock_wire::h1::{Answer, Asked, Ended, ProtocolError, Truncated};
use reading::{Events, Outcome, cut, one_by_one, read};
use std::path::PathBuf;

const GET: Asked = Asked { head: false, close: false };
const HEAD: Asked = Asked { head: true, close: false };

/// File, what was asked, bytes of its body, and how it comes out.
fn table() -> Vec<(&'static str, Asked, usize, Outcome)> {
    let whole = |status, reusable, consumed| Outcome::Whole { status, reusable, consumed };
    let broken = |error: ProtocolError| Outcome::Broken(std::mem::discriminant(&error));
    vec![
        ("ab-keep-alive-1.0.http", GET, 2, whole(200, true, 81)),
        ("apache-close.http", GET, 16, Outcome::Closed(Ended::Complete { status: 200 })),
        ("apache-padded-chunks.http", GET, 9, whole(200, true, 135)),
        ("caddy-early-hints.http", GET, 2, whole(200, true, 264)),
        ("chunk-too-short.http", GET, 3, broken(ProtocolError::BadChunkEnd { seen: [].as_slice().into() })),
        ("cut-body.http", GET, 4, Outcome::Closed(Ended::Truncated(Truncated::Body { missing: 6 }))),
        ("cut-chunks.http", GET, 4, Outcome::Closed(Ended::Truncated(Truncated::Chunks))),
        ("cut-head.http", GET, 0, Outcome::Closed(Ended::Truncated(Truncated::Head))),
        ("folded-header.http", GET, 2, whole(200, false, 97)),
        ("go-trailers.http", GET, 6, whole(200, true, 218)),
        ("gunicorn-continue.http", GET, 8, whole(201, true, 187)),
        ("haproxy-timeout.http", GET, 110, whole(408, false, 233)),
        ("http2-only.http", GET, 0, broken(ProtocolError::NotHttp { began: [].as_slice().into() })),
        ("hyper-accepted.http", GET, 0, whole(202, true, 104)),
        ("hyper-json.http", GET, 34, whole(200, true, 142)),
        ("hyper-stream.http", GET, 26, whole(200, true, 158)),
        ("latin-1-reason.http", GET, 0, whole(404, true, 63)),
        ("left-over-after-body.http", GET, 2, whole(200, true, 40)),
        ("length-and-chunks.http", GET, 5, whole(200, true, 81)),
        ("line-feeds-only.http", GET, 3, whole(200, true, 63)),
        ("nginx-bad-gateway.http", GET, 157, whole(502, false, 309)),
        ("nginx-head.http", HEAD, 0, whole(200, true, 148)),
        ("nginx-not-modified.http", GET, 0, whole(304, true, 180)),
        ("nginx-static.http", GET, 122, whole(200, true, 360)),
        ("node-chunked.http", GET, 11, whole(200, true, 222)),
        ("python-http-1.0.http", GET, 6, whole(200, false, 191)),
        ("redis.http", GET, 0, broken(ProtocolError::NotHttp { began: [].as_slice().into() })),
        ("switched.http", GET, 0, broken(ProtocolError::Switched)),
        ("two-lengths.http", GET, 0, broken(ProtocolError::LengthsDiffer { first: 2, second: 20 })),
    ]
}

fn corpus() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

fn file(name: &str) -> Vec<u8> {
    std::fs::read(corpus().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn every_answer_is_read_as_its_server_means_it() {
    for (name, asked, body, outcome) in table() {
        let events = read(&mut Answer::default(), asked, &[&file(name)]);
        assert_eq!((events.body.len(), events.outcome), (body, outcome), "{name}");
    }
}

#[test]
fn every_file_of_the_corpus_is_in_the_table() {
    let mut found: Vec<String> = std::fs::read_dir(corpus())
        .expect("the corpus is there")
        .map(|entry| entry.expect("a readable entry").file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".http"))
        .collect();
    found.sort();
    let mut known: Vec<&str> = table().iter().map(|row| row.0).collect();
    known.sort_unstable();
    assert_eq!(found, known);
}

#[test]
fn every_answer_gives_the_same_wherever_it_is_cut() {
    let mut answer = Answer::default();
    for (name, asked, ..) in table() {
        let bytes = file(name);
        let whole = read(&mut answer, asked, &[&bytes]);
        for at in 0..=bytes.len() {
            assert_eq!(read(&mut answer, asked, &cut(&bytes, &[at])), whole, "{name} cut at {at}");
        }
        assert_eq!(read(&mut answer, asked, &one_by_one(&bytes)), whole, "{name} one by one");
    }
}

#[test]
fn mutated_answers_do_the_same_wherever_they_are_cut() {
    const CASES: u64 = 6_000;
    let originals: Vec<Vec<u8>> = table().iter().map(|row| file(row.0)).collect();
    let mut answer = Answer::default();
    let mut kinds = [0_u64; 3];
    for case in 0..CASES {
        let mut chance = Chance(case);
        let mut bytes = originals[chance.below(originals.len())].clone();
        for _ in 0..=chance.below(3) {
            chance.mutate(&mut bytes);
        }
        let asked = Asked { head: chance.below(8) == 0, close: false };
        let cuts: Vec<usize> = (0..chance.below(5)).map(|_| chance.below(bytes.len() + 1)).collect();

        let whole = read(&mut answer, asked, &[&bytes]);
        assert_sound(&whole, &bytes, case);
        assert_eq!(read(&mut answer, asked, &cut(&bytes, &cuts)), whole, "case {case}, cut at {cuts:?}");
        kinds[match whole.outcome {
            Outcome::Whole { .. } => 0,
            Outcome::Closed(_) => 1,
            Outcome::Broken(_) => 2,
        }] += 1;
    }
    // Mutations that all come out alike would test nothing.
    assert!(kinds.iter().all(|count| *count > CASES / 20), "{kinds:?}");
}

fn assert_sound(events: &Events, bytes: &[u8], case: u64) {
    assert!(events.body.len() <= bytes.len(), "case {case}");
    if let Outcome::Whole { status, consumed, .. } = events.outcome {
        assert!(consumed <= bytes.len() && (200..1000).contains(&status), "case {case}: {events:?}");
    }
}

/// SplitMix64: small, and the same on every machine, so that a case's number
/// is enough to see it again.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % limit as u64) as usize
    }

    /// One change of the kinds that bugs, proxies and broken sockets make.
    fn mutate(&mut self, bytes: &mut Vec<u8>) {
        const TOKENS: [&[u8]; 12] = [
            b"\r\n",
            b"\n",
            b"\r",
            b"\r\n\r\n",
            b" ",
            b"\0",
            b";",
            b"0\r\n",
            b"Content-Length: 1\r\n",
            b"Transfer-Encoding: chunked\r\n",
            b"Connection: close\r\n",
            b"ffffffffffffffff",
        ];
        let at = self.below(bytes.len() + 1);
        let length = self.below(12).min(bytes.len() - at);
        match self.below(5) {
            0 if at < bytes.len() => bytes[at] = self.below(256) as u8,
            1 => drop(bytes.drain(at..at + length)),
            2 => {
                let copy = bytes[at..at + length].to_vec();
                let to = self.below(bytes.len() + 1);
                bytes.splice(to..to, copy);
            }
            3 => bytes.truncate(at),
            _ => {
                let token = TOKENS[self.below(TOKENS.len())];
                bytes.splice(at..at, token.iter().copied());
            }
        }
    }
}
