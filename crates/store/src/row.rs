//! One sample as bytes in the spool: fixed size, little-endian.
//!
//! The layout is a promise (format 1): it changes only with `FORMAT`.

use model::{Nanos, Outcome, Sample};

/// Bytes of one row.
pub(crate) const ROW_BYTES: usize = 81;

/// Bits of the row's last byte: what is known of a sample, and whether it counts.
const SENT: u8 = 1;
const FIRST_BYTE: u8 = 1 << 1;
const CONNECT: u8 = 1 << 2;
const COUNTED: u8 = 1 << 3;

/// Appends the sample's row to `bytes`.
pub(crate) fn write(sample: &Sample, bytes: &mut Vec<u8>) {
    let flag = |bit: u8, set: bool| if set { bit } else { 0 };
    let flags = flag(SENT, sample.sent.is_some())
        | flag(FIRST_BYTE, sample.first_byte.is_some())
        | flag(CONNECT, sample.connect.is_some())
        | flag(COUNTED, sample.counted);
    let mut row = [0; ROW_BYTES];
    let mut rest = &mut row[..];
    put(&mut rest, sample.index.to_le_bytes());
    put(&mut rest, sample.user.to_le_bytes());
    put(&mut rest, sample.connection.to_le_bytes());
    put(&mut rest, sample.scheduled.0.to_le_bytes());
    put(&mut rest, sample.waited.0.to_le_bytes());
    put(&mut rest, or_zero(sample.sent).to_le_bytes());
    put(&mut rest, or_zero(sample.first_byte).to_le_bytes());
    put(&mut rest, sample.done.0.to_le_bytes());
    put(&mut rest, or_zero(sample.connect).to_le_bytes());
    put(&mut rest, sample.bytes_in.to_le_bytes());
    put(&mut rest, sample.bytes_out.to_le_bytes());
    put(&mut rest, sample.status.to_le_bytes());
    put(&mut rest, [sample.outcome as u8, sample.resent, flags]);
    bytes.extend_from_slice(&row);
}

/// The sample of a row; `None` if its outcome is not one of format 1.
pub(crate) fn read(row: &[u8; ROW_BYTES]) -> Option<Sample> {
    let mut rest = &row[..];
    let index = u64::from_le_bytes(take(&mut rest));
    let user = u32::from_le_bytes(take(&mut rest));
    let connection = u32::from_le_bytes(take(&mut rest));
    let [scheduled, waited, sent, first_byte, done, connect] =
        [(); 6].map(|()| Nanos(u64::from_le_bytes(take(&mut rest))));
    let bytes_in = u64::from_le_bytes(take(&mut rest));
    let bytes_out = u32::from_le_bytes(take(&mut rest));
    let status = u16::from_le_bytes(take(&mut rest));
    let [outcome, resent, flags] = take(&mut rest);
    let known = |bit: u8, nanos: Nanos| (flags & bit != 0).then_some(nanos);
    Some(Sample {
        index,
        user,
        connection,
        scheduled,
        waited,
        sent: known(SENT, sent),
        first_byte: known(FIRST_BYTE, first_byte),
        done,
        connect: known(CONNECT, connect),
        bytes_in,
        bytes_out,
        status,
        outcome: Outcome::from_number(outcome)?,
        resent,
        counted: flags & COUNTED != 0,
    })
}

/// The bytes of an unknown moment; its flag, not the zero, says that it is unknown.
fn or_zero(moment: Option<Nanos>) -> u64 {
    moment.map_or(0, |nanos| nanos.0)
}

/// Writes `field` at the front of `rest` and moves on.
fn put<const N: usize>(rest: &mut &mut [u8], field: [u8; N]) {
    let (front, back) = std::mem::take(rest).split_at_mut(N);
    front.copy_from_slice(&field);
    *rest = back;
}

/// Reads `N` bytes from the front of `rest` and moves on.
fn take<const N: usize>(rest: &mut &[u8]) -> [u8; N] {
    let (front, back) = rest.split_first_chunk().expect("the fields of a row add up to ROW_BYTES");
    *rest = back;
    *front
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layout_of_a_row_is_what_format_1_promises() {
        let sample = Sample {
            index: 0x0101_0101_0101_0101,
            user: 0x0202_0202,
            connection: 0x0303_0303,
            scheduled: Nanos(0x0404_0404_0404_0404),
            waited: Nanos(0x0505_0505_0505_0505),
            sent: Some(Nanos(0x0606_0606_0606_0606)),
            first_byte: None,
            done: Nanos(0x0808_0808_0808_0808),
            connect: Some(Nanos(0x0909_0909_0909_0909)),
            bytes_in: 0x0a0a_0a0a_0a0a_0a0a,
            bytes_out: 0x0b0b_0b0b,
            status: 0x0c0c,
            outcome: Outcome::TimedOut,
            resent: 0x0e,
            counted: true,
        };
        let mut bytes = Vec::new();
        write(&sample, &mut bytes);
        let fields = [
            (1, 8),
            (2, 4),
            (3, 4),
            (4, 8),
            (5, 8),
            (6, 8),
            (0, 8),
            (8, 8),
            (9, 8),
            (0x0a, 8),
            (0x0b, 4),
            (0x0c, 2),
            (3, 1),
            (0x0e, 1),
            (0b1101, 1),
        ];
        let expected: Vec<u8> = fields.iter().flat_map(|(byte, times)| vec![*byte; *times]).collect();
        assert_eq!(bytes, expected);
        assert_eq!(read(bytes[..].try_into().unwrap()), Some(sample));
    }

    #[test]
    fn a_row_with_an_outcome_of_another_format_is_refused() {
        let mut row = [0; ROW_BYTES];
        row[ROW_BYTES - 3] = 9;
        assert_eq!(read(&row), None);
    }
}
