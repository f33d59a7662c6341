//! Whatever is written by the rules is read as it was written, however it is
//! cut; whatever is not does no harm.

mod reading;

use doorclock_wire::h1::{Answer, Asked, Ended};
use proptest::collection::vec;
use proptest::prelude::*;
use reading::{Events, Outcome, cut, one_by_one, read};

/// An answer before it is put into bytes.
#[derive(Debug, Clone)]
struct Written {
    asked: Asked,
    interims: usize,
    status: u16,
    line_end: &'static str,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    framed: Framed,
    closes: bool,
}

#[derive(Debug, Clone)]
enum Framed {
    ByLength,
    /// Sizes of the chunks, taken in turn; an extension; the trailers.
    InChunks {
        sizes: Vec<usize>,
        extension: String,
        trailers: Vec<(String, String)>,
    },
    ByClose,
}

impl Written {
    fn has_body(&self) -> bool {
        !self.asked.head && self.status != 204 && self.status != 304
    }

    fn bytes(&self) -> Vec<u8> {
        let end = self.line_end;
        let mut head = format!("HTTP/1.1 103 Early Hints{end}X: y{end}{end}").repeat(self.interims);
        head += &format!("HTTP/1.1 {} Some reason{end}", self.status);
        for (name, value) in &self.headers {
            head += &format!("{name}:{value}{end}");
        }
        if self.closes {
            head += &format!("cOnnection: te, Close{end}");
        }
        match &self.framed {
            Framed::ByLength => head += &format!("Content-length: {}{end}", self.body.len()),
            Framed::InChunks { .. } => head += &format!("transfer-encoding: CHUNKED{end}"),
            Framed::ByClose => {}
        }
        head += end;
        let mut bytes = head.into_bytes();
        if self.has_body() {
            self.put_body(&mut bytes);
        }
        bytes
    }

    fn put_body(&self, bytes: &mut Vec<u8>) {
        let Framed::InChunks { sizes, extension, trailers } = &self.framed else {
            bytes.extend_from_slice(&self.body);
            return;
        };
        let mut rest = self.body.as_slice();
        let mut sizes = sizes.iter().cycle();
        while !rest.is_empty() {
            let size = sizes.next().map_or(rest.len(), |size| *size).min(rest.len());
            bytes.extend_from_slice(format!("{size:X}{extension}\r\n").as_bytes());
            bytes.extend_from_slice(&rest[..size]);
            bytes.extend_from_slice(b"\r\n");
            rest = &rest[size..];
        }
        bytes.extend_from_slice(format!("0{extension}\r\n").as_bytes());
        for (name, value) in trailers {
            bytes.extend_from_slice(format!("{name}: {value}{}", self.line_end).as_bytes());
        }
        bytes.extend_from_slice(self.line_end.as_bytes());
    }

    fn events(&self) -> Events {
        let status = self.status;
        let outcome = match self.framed {
            Framed::ByClose if self.has_body() => Outcome::Closed(Ended::Complete { status }),
            _ => Outcome::Whole {
                status,
                reusable: !self.closes && !self.asked.close,
                consumed: self.bytes().len(),
            },
        };
        let body = if self.has_body() { self.body.clone() } else { Vec::new() };
        Events { body, outcome }
    }
}

fn headers() -> impl Strategy<Value = Vec<(String, String)>> {
    vec(("X-[A-Za-z0-9_!~]{0,12}", "[ -~\t]{0,40}"), 0..6)
}

fn framed() -> impl Strategy<Value = Framed> {
    let chunks = (vec(1_usize..40, 1..5), "(|;x|; name=\"a;b\"|  )", headers());
    prop_oneof![
        3 => Just(Framed::ByLength),
        3 => chunks.prop_map(|(sizes, extension, trailers)| Framed::InChunks { sizes, extension, trailers }),
        1 => Just(Framed::ByClose),
    ]
}

fn written() -> impl Strategy<Value = Written> {
    (
        (prop::bool::weighted(0.2), prop::bool::weighted(0.1)),
        0_usize..3,
        prop_oneof![4 => Just(200_u16), 1 => Just(204), 1 => Just(304), 2 => 200_u16..1000],
        prop_oneof![4 => Just("\r\n"), 1 => Just("\n")],
        headers(),
        vec(any::<u8>(), 0..200),
        framed(),
        prop::bool::weighted(0.2),
    )
        .prop_map(|((head, close), interims, status, line_end, headers, body, framed, closes)| Written {
            asked: Asked { head, close },
            interims,
            status,
            line_end,
            headers,
            body,
            framed,
            closes,
        })
}

/// Bytes that often get past the first checks.
fn likely_bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"HTTP/1.1 200 OK\r\n".to_vec()),
        Just(b"HTTP/1.1 100 X\n\n".to_vec()),
        Just(b"Transfer-Encoding: chunked\r\n".to_vec()),
        Just(b"Content-Length: 3\r\n".to_vec()),
        Just(b"Connection:".to_vec()),
        Just(b"\r\n".to_vec()),
        Just(b"\r\n 5;\r\n".to_vec()),
        Just(b"3\r\nabc\r\n0\r\n".to_vec()),
        vec(any::<u8>(), 0..8),
    ];
    (prop::bool::weighted(0.8), vec(piece, 0..8)).prop_map(|(begins_well, pieces)| {
        let begin = if begins_well { b"HTTP/1.1 200 OK\r\n".to_vec() } else { Vec::new() };
        std::iter::once(begin).chain(pieces).flatten().collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn what_was_written_is_read_wherever_it_is_cut(one in written(), cuts in vec(any::<usize>(), 0..6)) {
        let bytes = one.bytes();
        let mut answer = Answer::default();
        prop_assert_eq!(read(&mut answer, one.asked, &[&bytes]), one.events());
        prop_assert_eq!(read(&mut answer, one.asked, &cut(&bytes, &cuts)), one.events());
        prop_assert_eq!(read(&mut answer, one.asked, &one_by_one(&bytes)), one.events());
    }

    #[test]
    fn answers_of_all_framings_follow_each_other_on_one_connection(
        all in vec(written(), 1..6),
        cuts in vec(any::<usize>(), 0..10),
    ) {
        let bytes: Vec<u8> = all.iter().flat_map(Written::bytes).collect();
        let pieces = cut(&bytes, &cuts);
        let mut answer = Answer::default();
        let mut consumed_before = 0;
        for one in &all {
            // The pieces as they stand after what earlier answers took of them.
            let rest = rest_of(&pieces, consumed_before);
            if one.has_body() && matches!(one.framed, Framed::ByClose) {
                // Its body is all that follows.
                let events = read(&mut answer, one.asked, &rest);
                prop_assert_eq!(events.outcome, one.events().outcome);
                return Ok(());
            }
            prop_assert_eq!(read(&mut answer, one.asked, &rest), one.events());
            consumed_before += one.bytes().len();
        }
        prop_assert_eq!(consumed_before, bytes.len());
    }

    #[test]
    fn an_answer_cut_short_is_never_whole(one in written(), at in any::<prop::sample::Index>()) {
        let bytes = one.bytes();
        let mut answer = Answer::default();
        let events = read(&mut answer, one.asked, &[&bytes[..at.index(bytes.len())]]);
        match events.outcome {
            Outcome::Closed(Ended::Unanswered | Ended::Truncated(_)) => {}
            // That a body which ends with the connection is cut nobody can tell.
            Outcome::Closed(Ended::Complete { .. }) => prop_assert!(matches!(one.framed, Framed::ByClose)),
            other => prop_assert!(false, "{other:?}"),
        }
    }

    #[test]
    fn any_bytes_do_the_same_wherever_they_are_cut(
        bytes in likely_bytes(),
        head in any::<bool>(),
        cuts in vec(any::<usize>(), 0..6),
    ) {
        let asked = Asked { head, close: false };
        let mut answer = Answer::default();
        let whole = read(&mut answer, asked, &[&bytes]);
        prop_assert!(whole.body.len() <= bytes.len());
        prop_assert_eq!(&read(&mut answer, asked, &cut(&bytes, &cuts)), &whole);
        prop_assert_eq!(&read(&mut answer, asked, &one_by_one(&bytes)), &whole);
    }

    #[test]
    fn random_bytes_do_no_harm(bytes in vec(any::<u8>(), 0..300)) {
        let events = read(&mut Answer::default(), Asked::default(), &[&bytes]);
        prop_assert!(!matches!(events.outcome, Outcome::Whole { .. }), "{events:?}");
    }
}

fn rest_of<'b>(pieces: &[&'b [u8]], mut consumed: usize) -> Vec<&'b [u8]> {
    let mut rest = Vec::new();
    for piece in pieces {
        let taken = consumed.min(piece.len());
        consumed -= taken;
        rest.push(&piece[taken..]);
    }
    rest
}
