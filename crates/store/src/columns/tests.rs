use super::*;
use crate::disk::{Disk, LocalDisk};
use crate::spool::{SpoolReader, SpoolWriter};
use crate::testing::{any_sample, samples};
use parquet::file::reader::{FileReader, SerializedFileReader};
use proptest::prelude::*;
use std::fs::{self, File};
use std::path::PathBuf;
use tempfile::TempDir;

/// Puts the samples through a spool into columns.
fn columns_of(folder: &TempDir, samples: &[Sample]) -> (PathBuf, Written) {
    let spool_path = folder.path().join("spool");
    SpoolWriter::create(&LocalDisk, &spool_path).unwrap().append(samples).unwrap();
    let path = folder.path().join("parquet");
    let mut spool = SpoolReader::open(&spool_path).unwrap();
    let written = write(&mut spool, LocalDisk.create(&path).unwrap(), &path).unwrap();
    (path, written)
}

fn read_all(path: &std::path::Path) -> Vec<Sample> {
    let mut all = Vec::new();
    read(path, &mut |samples| all.extend_from_slice(samples)).unwrap();
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_sample_comes_back_as_it_was_written(
        samples in proptest::collection::vec(any_sample(), 0..60),
    ) {
        let folder = TempDir::new().unwrap();
        let (path, written) = columns_of(&folder, &samples);
        prop_assert_eq!(written.rows, samples.len() as u64);
        prop_assert_eq!(read_all(&path), samples);
    }
}

#[test]
fn samples_of_several_row_groups_come_back_in_order() {
    let folder = TempDir::new().unwrap();
    // Not a multiple of the rows of a group, a slice or a batch.
    let samples = samples(0, 150_001);
    let (path, written) = columns_of(&folder, &samples);
    assert_eq!(written.rows, 150_001);
    assert!(read_all(&path) == samples);
}

#[test]
fn size_and_checksum_are_those_of_the_file() {
    let folder = TempDir::new().unwrap();
    let (path, written) = columns_of(&folder, &samples(0, 1000));
    let bytes = fs::read(path).unwrap();
    assert_eq!((written.bytes, written.crc32), (bytes.len() as u64, crc32fast::hash(&bytes)));
}

/// Other tools read these names and types: they are a promise.
#[test]
fn the_schema_is_what_format_1_promises() {
    let folder = TempDir::new().unwrap();
    let (path, _) = columns_of(&folder, &samples(0, 10));
    let file = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let mut text = Vec::new();
    parquet::schema::printer::print_schema(&mut text, file.metadata().file_metadata().schema());
    let expected = "\
message sample {
  REQUIRED INT64 index;
  REQUIRED INT32 user (INTEGER(32,false));
  REQUIRED INT32 connection (INTEGER(32,false));
  REQUIRED INT64 scheduled_ns;
  REQUIRED INT64 waited_ns;
  OPTIONAL INT64 sent_ns;
  OPTIONAL INT64 first_byte_ns;
  REQUIRED INT64 done_ns;
  OPTIONAL INT64 connect_ns;
  REQUIRED INT64 bytes_in;
  REQUIRED INT32 bytes_out (INTEGER(32,false));
  REQUIRED INT32 status (INTEGER(16,false));
  REQUIRED BYTE_ARRAY outcome (STRING);
  REQUIRED INT32 resent (INTEGER(8,false));
  REQUIRED BOOLEAN counted;
}
";
    assert_eq!(String::from_utf8(text).unwrap(), expected);
}
