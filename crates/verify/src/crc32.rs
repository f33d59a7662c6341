//! CRC-32 as in IEEE 802.3, by which `run.json` vouches for its samples.

/// The polynomial, lowest bit first.
const POLYNOMIAL: u32 = 0xedb8_8320;

/// The checksum of `bytes`.
pub(crate) fn of(bytes: &[u8]) -> u32 {
    let table: Vec<u32> = (0..256).map(remainder).collect();
    let sum = bytes.iter().fold(!0u32, |sum, byte| {
        let at = (sum ^ u32::from(*byte)) & 0xff;
        (sum >> 8) ^ table[at as usize]
    });
    !sum
}

/// What eight steps make of one byte.
fn remainder(byte: u32) -> u32 {
    (0..8).fold(byte, |rest, _| if rest & 1 == 1 { (rest >> 1) ^ POLYNOMIAL } else { rest >> 1 })
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_checksum_is_that_of_the_catalogue() {
        // The check value that catalogues of CRCs give for CRC-32/ISO-HDLC.
        assert_eq!(super::of(b"123456789"), 0xcbf4_3926);
        assert_eq!(super::of(b""), 0);
    }
}
