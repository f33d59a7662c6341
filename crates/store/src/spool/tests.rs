use super::*;
use crate::LocalDisk;
use crate::testing::{SmallDisk, any_sample, samples};
use model::Nanos;
use proptest::prelude::*;
use std::fs;
use tempfile::TempDir;

/// What reading a spool of these bytes gives.
#[derive(Debug)]
struct Read {
    samples: Vec<Sample>,
    torn_bytes: u64,
}

fn read(bytes: &[u8]) -> Result<Read, StoreError> {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("spool");
    fs::write(&path, bytes).unwrap();
    read_file(&path)
}

fn read_file(path: &Path) -> Result<Read, StoreError> {
    let mut reader = SpoolReader::open(path)?;
    let mut samples = Vec::new();
    while let Some(batch) = reader.next_batch()? {
        samples.extend_from_slice(batch);
    }
    Ok(Read { samples, torn_bytes: reader.torn_bytes() })
}

/// The bytes of a spool with these batches.
fn spool_of(batches: &[Vec<Sample>]) -> Vec<u8> {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("spool");
    let mut spool = SpoolWriter::create(&LocalDisk, &path).unwrap();
    for batch in batches {
        spool.append(batch).unwrap();
    }
    fs::read(path).unwrap()
}

/// Three batches of ordinary samples and where each begins; the last is the file's end.
fn three_batches() -> ([Vec<Sample>; 3], Vec<u8>, [usize; 4]) {
    let batches = [samples(0, 5), samples(5, 8), samples(8, 12)];
    let bytes = spool_of(&batches);
    let starts = [5, 3, 4].iter().scan(HEAD_BYTES, |at, rows| {
        *at += BATCH_HEAD_BYTES + rows * ROW_BYTES;
        Some(*at)
    });
    let [a, b, c]: [usize; 3] = starts.collect::<Vec<_>>().try_into().unwrap();
    assert_eq!(c, bytes.len());
    (batches, bytes, [HEAD_BYTES, a, b, c])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_sample_comes_back_as_it_was_appended(
        batches in proptest::collection::vec(proptest::collection::vec(any_sample(), 0..20), 0..6),
    ) {
        let read = read(&spool_of(&batches)).unwrap();
        prop_assert_eq!(read.samples, batches.concat());
        prop_assert_eq!(read.torn_bytes, 0);
    }
}

#[test]
fn an_append_larger_than_a_batch_comes_back_whole() {
    let all = samples(0, BATCH_ROWS as u64 * 2 + 1);
    assert_eq!(read(&spool_of(std::slice::from_ref(&all))).unwrap().samples, all);
}

#[test]
fn a_spool_cut_anywhere_gives_all_batches_that_are_whole() {
    let (batches, bytes, starts) = three_batches();
    for length in 0..=bytes.len() {
        let read = read(&bytes[..length]).unwrap_or_else(|error| panic!("cut at {length}: {error}"));
        let whole = starts[1..].iter().filter(|end| **end <= length).count();
        assert_eq!(read.samples, batches[..whole].concat(), "cut at {length}");
        let kept = if length < HEAD_BYTES { 0 } else { starts[whole] };
        assert_eq!(read.torn_bytes, (length - kept) as u64, "cut at {length}");
    }
}

#[test]
fn a_flipped_byte_is_damage_before_a_whole_batch_and_a_torn_end_after_the_last() {
    let (batches, good, starts) = three_batches();
    for at in 0..good.len() {
        for flip in [0x01, 0x80, 0xff] {
            let mut bytes = good.clone();
            bytes[at] ^= flip;
            match read(&bytes) {
                Err(StoreError::Damaged { offset, .. }) => {
                    assert!(at < starts[2], "byte {at} lies in the last batch");
                    let start = starts.iter().rev().find(|start| **start <= at).copied().unwrap_or(0);
                    let expected = if at < HEAD_BYTES { offset } else { start as u64 };
                    assert_eq!(offset, expected, "byte {at}");
                }
                Err(StoreError::NewerFormat { .. }) => assert!((8..12).contains(&at), "byte {at}"),
                Err(other) => panic!("byte {at}: {other}"),
                Ok(read) => {
                    assert!(at >= starts[2], "a flip at byte {at} went unseen");
                    assert_eq!(read.samples, batches[..2].concat());
                    assert_eq!(read.torn_bytes, (good.len() - starts[2]) as u64);
                }
            }
        }
    }
}

#[test]
fn blocks_that_a_power_cut_left_unwritten_are_a_torn_end() {
    let (batches, mut bytes, _) = three_batches();
    bytes.extend([0; 100_000]);
    let read = read(&bytes).unwrap();
    assert_eq!((read.samples, read.torn_bytes), (batches.concat(), 100_000));
}

#[test]
fn damage_is_told_even_if_the_next_whole_batch_lies_far_behind() {
    let (_, mut bytes, starts) = three_batches();
    let last = bytes.split_off(starts[2]);
    // Not whole, and longer than the window of the search; the whole batch
    // then begins one byte before a window's border.
    let border = starts[2] + 1 + (1 << 20) - 3;
    bytes.resize(border - 1, 0xd0);
    bytes.extend(last);
    match read(&bytes) {
        Err(StoreError::Damaged { offset, .. }) => assert_eq!(offset, starts[2] as u64),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_spool_of_a_newer_format_is_refused_by_name() {
    let mut bytes = spool_of(&[]);
    bytes[8..].copy_from_slice(&(FORMAT + 1).to_le_bytes());
    let error = read(&bytes).unwrap_err();
    assert!(matches!(error, StoreError::NewerFormat { found: 2, known: 1, .. }), "{error}");
}

/// Appends `first` to a disk with room for it and `rest` more bytes, then
/// appends `second`, which does not fit.
fn overfill(folder: &Path, rest: u64) -> (SpoolWriter, SmallDisk, StoreError) {
    let disk = SmallDisk::with_room(u64::MAX);
    let mut spool = SpoolWriter::create(&disk, &folder.join("spool")).unwrap();
    spool.append(&samples(0, 10)).unwrap();
    disk.set_room(rest);
    let error = spool.append(&samples(10, 20)).unwrap_err();
    (spool, disk, error)
}

#[test]
fn a_full_disk_keeps_what_was_appended_and_says_how_much() {
    let folder = TempDir::new().unwrap();
    for rest in 0..(BATCH_HEAD_BYTES + 10 * ROW_BYTES) as u64 {
        let (spool, _, error) = overfill(folder.path(), rest);
        assert!(matches!(error, StoreError::SpoolFull { rows_kept: 10, .. }), "{error}");
        assert!(error.to_string().contains("the 10 samples before are kept"), "{error}");
        let read = read_file(spool.path()).unwrap();
        assert_eq!((read.samples, read.torn_bytes), (samples(0, 10), 0), "room for {rest} bytes");
    }
}

#[test]
fn appending_goes_on_once_there_is_room_again() {
    let folder = TempDir::new().unwrap();
    let (mut spool, disk, _) = overfill(folder.path(), 100);
    disk.set_room(u64::MAX);
    spool.append(&samples(10, 20)).unwrap();
    assert_eq!(read_file(spool.path()).unwrap().samples, samples(0, 20));
}

/// Two batches with signs of life around them, and where each frame begins.
fn signed(folder: &Path) -> (Vec<u8>, Vec<usize>) {
    let path = folder.join("signed");
    let mut spool = SpoolWriter::create(&LocalDisk, &path).unwrap();
    let mut starts = vec![spool.bytes as usize];
    for at in 0..3 {
        spool.sign(LastSign { at: Nanos(at), due_counted: (at > 0).then_some(at * 7) }).unwrap();
        starts.push(spool.bytes as usize);
        if at < 2 {
            spool.append(&samples(at * 5, at * 5 + 5)).unwrap();
            starts.push(spool.bytes as usize);
        }
    }
    (fs::read(path).unwrap(), starts)
}

#[test]
fn the_last_whole_sign_of_life_is_found_wherever_the_spool_is_cut() {
    let folder = TempDir::new().unwrap();
    let (bytes, starts) = signed(folder.path());
    let path = folder.path().join("cut");
    for length in HEAD_BYTES..=bytes.len() {
        fs::write(&path, &bytes[..length]).unwrap();
        let mut reader = SpoolReader::open(&path).unwrap();
        let mut read = Vec::new();
        while let Some(batch) = reader.next_batch().unwrap() {
            read.extend_from_slice(batch);
        }
        // Frames alternate, a sign first.
        let whole = starts[1..].iter().filter(|end| **end <= length).count() as u64;
        let (signs, batches) = (whole.div_ceil(2), whole / 2);
        let expected = signs.checked_sub(1);
        assert_eq!(reader.last_sign().map(|sign| sign.at.0), expected, "cut at {length}");
        let due = expected.filter(|at| *at > 0).map(|at| at * 7);
        assert_eq!(reader.last_sign().and_then(|sign| sign.due_counted), due, "cut at {length}");
        assert_eq!(read, samples(0, batches * 5), "cut at {length}");
    }
}

#[test]
fn a_flipped_byte_in_a_sign_is_damage_before_the_last_frame_and_torn_in_it() {
    let folder = TempDir::new().unwrap();
    let (good, starts) = signed(folder.path());
    let last = starts[starts.len() - 2];
    for at in HEAD_BYTES..good.len() {
        let mut bytes = good.clone();
        bytes[at] ^= 0x01;
        match read(&bytes) {
            Err(StoreError::Damaged { .. }) => assert!(at < last, "byte {at}"),
            Ok(read) => assert!(at >= last && read.torn_bytes == sign::SIGN_BYTES as u64, "byte {at}"),
            Err(other) => panic!("byte {at}: {other}"),
        }
    }
}

#[test]
fn the_buffer_of_the_writer_never_grows() {
    let folder = TempDir::new().unwrap();
    let mut spool = SpoolWriter::create(&LocalDisk, &folder.path().join("spool")).unwrap();
    let before = (spool.batch.as_ptr(), spool.batch.capacity());
    spool.append(&samples(0, BATCH_ROWS as u64 + 7)).unwrap();
    assert_eq!((spool.batch.as_ptr(), spool.batch.capacity()), before);
}
