//! Signs of life: short frames between the batches of a spool.
//!
//! A sample exists only once its request is done. A tester that is killed
//! while its service stands still would leave no trace of the requests that
//! were waiting, were it not for the last sign before.

use model::{LastSign, Nanos};

/// The first bytes of a sign; like those of a batch, nothing that text or an
/// unwritten block begins with.
pub(super) const SIGN_MAGIC: [u8; 4] = [0xd0, 0x0c, 0xa1, 0xfe];
/// Bytes of a sign: magic, checksum, moment, requests due, whether those are known.
pub(super) const SIGN_BYTES: usize = 25;
/// Where the checksum ends and what it is of begins.
const BODY: usize = 8;

/// A sign as it is written.
pub(super) fn frame(sign: LastSign) -> [u8; SIGN_BYTES] {
    let mut frame = [0; SIGN_BYTES];
    frame[..4].copy_from_slice(&SIGN_MAGIC);
    frame[8..16].copy_from_slice(&sign.at.0.to_le_bytes());
    frame[16..24].copy_from_slice(&sign.due_counted.unwrap_or(0).to_le_bytes());
    frame[24] = u8::from(sign.due_counted.is_some());
    let sum = crc32fast::hash(&frame[BODY..]);
    frame[4..8].copy_from_slice(&sum.to_le_bytes());
    frame
}

/// The sign in these bytes; `None` if they are not a whole one.
pub(super) fn read(bytes: &[u8; SIGN_BYTES]) -> Option<LastSign> {
    let (words, &[known]) = bytes[BODY..].as_chunks::<8>() else { return None };
    let [at, due] = words else { return None };
    let whole = bytes[..4] == SIGN_MAGIC && bytes[4..8] == crc32fast::hash(&bytes[BODY..]).to_le_bytes();
    let due_counted = (known == 1).then_some(u64::from_le_bytes(*due));
    whole.then_some(LastSign { at: Nanos(u64::from_le_bytes(*at)), due_counted })
}
