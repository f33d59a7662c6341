//! One connection read from start to end, for every test beside this one.

use doorclock_wire::h1::{Answer, Asked, Ended, ProtocolError, Received};

/// All that one answer gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Events {
    /// The body's pieces, joined.
    pub body: Vec<u8>,
    /// How it came out.
    pub outcome: Outcome,
}

/// How an answer came out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Outcome {
    /// It was whole before the bytes were at their end.
    Whole { status: u16, reusable: bool, consumed: usize },
    /// The bytes were at their end first, and the connection was closed.
    Closed(Ended),
    /// The rules were broken. What an error quotes may depend on the cuts; its kind may not.
    Broken(std::mem::Discriminant<ProtocolError>),
}

/// Reads one answer from the pieces and then closes the connection. `answer`
/// may have been used before.
pub fn read(answer: &mut Answer, asked: Asked, pieces: &[&[u8]]) -> Events {
    let mut body = Vec::new();
    let outcome = outcome(answer, asked, pieces, &mut body);
    Events { body, outcome }
}

fn outcome(answer: &mut Answer, asked: Asked, pieces: &[&[u8]], body: &mut Vec<u8>) -> Outcome {
    answer.begin(asked);
    let mut before = 0;
    for piece in pieces {
        let received = answer.receive(piece, &mut |slice| {
            assert!(!slice.is_empty(), "pieces of a body are never empty");
            body.extend_from_slice(slice);
        });
        match received {
            Ok(Received::Partial) => before += piece.len(),
            Ok(Received::Complete { status, reusable, consumed }) => {
                assert!(consumed <= piece.len());
                return Outcome::Whole { status, reusable, consumed: before + consumed };
            }
            Err(error) => return broken(error),
        }
    }
    answer.end().map_or_else(broken, Outcome::Closed)
}

fn broken(error: ProtocolError) -> Outcome {
    Outcome::Broken(std::mem::discriminant(&error))
}

/// `bytes` in pieces that end at `cuts`, which need not be in order or in range.
pub fn cut<'b>(bytes: &'b [u8], cuts: &[usize]) -> Vec<&'b [u8]> {
    let mut ends: Vec<usize> = cuts.iter().map(|cut| cut % (bytes.len() + 1)).collect();
    ends.push(bytes.len());
    ends.sort_unstable();
    let begins = std::iter::once(0).chain(ends.iter().copied());
    begins.zip(ends.iter()).map(|(begin, end)| &bytes[begin..*end]).collect()
}

/// `bytes` one by one.
pub fn one_by_one(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.chunks(1).collect()
}
