use super::*;
use crate::testing::{SmallDisk, end, facts, samples};
use crate::{Folder, LocalDisk, StoredRun};
use model::{ColumnFacts, ReadingFacts, ReadingUnit, Readings};
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use proptest::prelude::*;
use tempfile::TempDir;

fn reading_facts() -> Vec<ReadingFacts> {
    let queue = ReadingFacts {
        name: "queue".to_owned(),
        kind: "sql".to_owned(),
        asks: "jobs.db: select count(*) as queued from jobs".to_owned(),
        every: Nanos::from_secs(1),
        timeout: Nanos::from_millis(500),
        unit: Some(ReadingUnit::Count),
        limit: Some(0.1),
        columns: vec![ColumnFacts {
            column: "oldest".to_owned(),
            unit: Some(ReadingUnit::Seconds),
            limit: None,
        }],
    };
    let bare = ReadingFacts {
        name: "machine".to_owned(),
        unit: None,
        limit: None,
        columns: Vec::new(),
        ..queue.clone()
    };
    vec![queue, bare]
}

/// Every third is a gap.
fn reading(at: u64) -> Reading {
    let is_gap = at % 3 == 2;
    Reading {
        reading: if at.is_multiple_of(2) { "queue" } else { "machine" }.into(),
        column: if is_gap { "" } else { "queued" }.into(),
        asked: Nanos(at * 1_000_000_007),
        answered: Nanos(at * 1_000_000_007 + 250_001),
        value: (!is_gap).then_some(at as f64 / 3.0),
        note: is_gap.then(|| "no answer within 500 ms: \"…\"\n".into()),
    }
}

fn rows(from: u64, until: u64) -> Vec<Reading> {
    (from..until).map(reading).collect()
}

fn new_folder() -> (TempDir, Folder) {
    let place = TempDir::new().unwrap();
    let folder = Folder::create(place.path().join("results")).unwrap();
    (place, folder)
}

fn only_run(folder: &Folder) -> StoredRun {
    let [run] = <[StoredRun; 1]>::try_from(folder.runs().unwrap()).unwrap();
    run
}

/// A finished run with these readings; its folder.
fn finished(folder: &Folder, rows: &[Reading]) -> PathBuf {
    let mut run = folder.start_run(&facts("open")).unwrap();
    let mut readings = run.readings(&reading_facts()).unwrap();
    rows.chunks(100).for_each(|rows| readings.append(rows).unwrap());
    run.append(&samples(0, 10)).unwrap();
    let path = run.path().to_path_buf();
    run.finish(&end()).unwrap();
    path
}

#[test]
fn readings_come_back_with_their_facts_in_columns_once_the_run_has_ended() {
    let (_place, folder) = new_folder();
    // More than a row group, and no multiple of anything.
    let all = rows(0, 70_001);
    let path = finished(&folder, &all);
    assert!(path.join(COLUMNS).exists() && !path.join(SPOOL).exists());
    let run = only_run(&folder);
    assert!(run.readings().unwrap() == Some(Readings { facts: reading_facts(), rows: all }));
    assert_eq!(run.rows(), 10, "the samples are there as well");
}

#[test]
fn a_run_without_readings_has_none_and_one_that_read_nothing_has_an_empty_list() {
    let (_place, folder) = new_folder();
    folder.start_run(&facts("open")).unwrap().finish(&end()).unwrap();
    assert_eq!(only_run(&folder).readings().unwrap(), None);
    let (_place, folder) = new_folder();
    finished(&folder, &[]);
    let none = Readings { facts: reading_facts(), rows: Vec::new() };
    assert_eq!(only_run(&folder).readings().unwrap(), Some(none));
}

#[test]
fn a_killed_run_keeps_what_was_read_by_then() {
    let (_place, folder) = new_folder();
    let mut run = folder.start_run(&facts("open")).unwrap();
    let path = run.path().to_path_buf();
    let mut readings = run.readings(&reading_facts()).unwrap();
    readings.append(&rows(0, 5)).unwrap();
    readings.append(&rows(5, 9)).unwrap();
    drop(run);
    let read = || only_run(&folder).readings().map(|read| read.unwrap().rows);
    assert_eq!(read().unwrap(), rows(0, 9));

    // The last line cut anywhere: all before it.
    let whole = fs::read(path.join(SPOOL)).unwrap();
    let last = whole[..whole.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
    for length in last..whole.len() {
        fs::write(path.join(SPOOL), &whole[..length]).unwrap();
        assert_eq!(read().unwrap(), rows(0, 8), "cut at {length}");
    }
    // A line that is none is damage, and told with its place.
    fs::write(path.join(SPOOL), [&whole[..last], b"{\"reading\": 5}\n"].concat()).unwrap();
    match read() {
        Err(StoreError::Damaged { offset, .. }) => assert_eq!(offset, last as u64),
        other => panic!("{other:?}"),
    }
    fs::remove_file(path.join(SPOOL)).unwrap();
    assert_eq!(read().unwrap(), [], "killed before the first line");
}

#[test]
fn changed_or_missing_columns_are_told() {
    let (_place, folder) = new_folder();
    let path = finished(&folder, &rows(0, 50)).join(COLUMNS);
    let good = fs::read(&path).unwrap();
    for at in [4, good.len() / 2, good.len() - 5] {
        let mut bytes = good.clone();
        bytes[at] ^= 1;
        fs::write(&path, bytes).unwrap();
        let error = only_run(&folder).readings().unwrap_err();
        assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    }
    fs::remove_file(&path).unwrap();
    let error = only_run(&folder).readings().unwrap_err();
    assert!(matches!(error, StoreError::Missing { .. }), "{error}");
}

#[test]
fn a_full_disk_keeps_what_was_appended_before() {
    let place = TempDir::new().unwrap();
    let disk = SmallDisk::with_room(u64::MAX);
    let mut readings = ReadingWriter::create(&disk, place.path()).unwrap();
    readings.append(&rows(0, 4)).unwrap();
    for room in 0..300 {
        disk.set_room(room);
        let error = readings.append(&rows(4, 8)).unwrap_err();
        assert!(matches!(error, StoreError::DiskFull { .. }), "{error}");
        assert_eq!(read_lines(place.path()).unwrap(), rows(0, 4), "room for {room} bytes");
    }
    disk.set_room(u64::MAX);
    readings.append(&rows(4, 8)).unwrap();
    assert_eq!(read_lines(place.path()).unwrap(), rows(0, 8));
}

#[test]
fn a_disk_that_fills_up_at_the_end_leaves_the_lines() {
    for room in [0, 500, 2_000] {
        let place = TempDir::new().unwrap();
        let disk = SmallDisk::with_room(u64::MAX);
        let folder = Folder::create_on(Arc::new(disk.clone()), place.path().join("results")).unwrap();
        let mut run = folder.start_run(&facts("open")).unwrap();
        run.readings(&reading_facts()).unwrap().append(&rows(0, 40)).unwrap();
        disk.set_room(room);
        run.finish(&end()).unwrap_err();
        assert_eq!(only_run(&folder).readings().unwrap().unwrap().rows, rows(0, 40), "room for {room} bytes");
    }
}

fn any_reading() -> impl Strategy<Value = Reading> {
    let texts = ("[a-z.]{0,8}", "\\PC{0,8}", proptest::option::of("\\PC{0,20}"));
    let value = proptest::option::of(proptest::num::f64::NORMAL | proptest::num::f64::ZERO);
    (texts, any::<u64>(), any::<u64>(), value).prop_map(
        |((reading, column, note), asked, answered, value)| {
            let (asked, answered) = (Nanos(asked), Nanos(answered));
            let note = note.map(Into::into);
            Reading { reading: reading.into(), column: column.into(), asked, answered, value, note }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_reading_comes_back_to_the_bit(all in proptest::collection::vec(any_reading(), 0..40)) {
        let place = TempDir::new().unwrap();
        let mut writer = ReadingWriter::create(&LocalDisk, place.path()).unwrap();
        writer.append(&all).unwrap();
        prop_assert_eq!(&read_lines(place.path()).unwrap(), &all);
        convert(&LocalDisk, place.path(), |_| Ok(())).unwrap();
        prop_assert_eq!(columns::read_readings(&place.path().join(COLUMNS)).unwrap(), all);
    }
}

/// Other tools read these names and types: they are a promise.
#[test]
fn the_schema_is_what_format_1_promises() {
    let (_place, folder) = new_folder();
    let path = finished(&folder, &rows(0, 5)).join(COLUMNS);
    let file = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let mut text = Vec::new();
    parquet::schema::printer::print_schema(&mut text, file.metadata().file_metadata().schema());
    let expected = "\
message reading {
  REQUIRED BYTE_ARRAY reading (STRING);
  REQUIRED BYTE_ARRAY column (STRING);
  REQUIRED INT64 asked_ns;
  REQUIRED INT64 answered_ns;
  OPTIONAL DOUBLE value;
  OPTIONAL BYTE_ARRAY note (STRING);
}
";
    assert_eq!(String::from_utf8(text).unwrap(), expected);
}
