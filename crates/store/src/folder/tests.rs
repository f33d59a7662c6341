use super::*;
use crate::testing::{SmallDisk, bare_facts, end, facts, samples};
use model::{
    Bound, LastSign, Nanos, Pairing, PlanFacts, PlannedGuess, RunEnd, RunRecord, Sample, SampleSource, Seed,
};
use tempfile::TempDir;

/// A folder of its own for one test.
fn new_folder() -> (TempDir, Folder) {
    let place = TempDir::new().unwrap();
    let folder = Folder::create(place.path().join("results")).unwrap();
    (place, folder)
}

fn manifest_facts() -> ManifestFacts {
    ManifestFacts {
        tool_version: "0.1.0".to_owned(),
        began: "2026-12-01T10:15:00Z".to_owned(),
        question: "What do users wait?".to_owned(),
        seed: Seed(u64::MAX - 1),
    }
}

/// Runs one arm to its end and gives the run's folder.
fn finished_run(folder: &Folder, arm: &str, samples: &[Sample]) -> PathBuf {
    let mut run = folder.start_run(&facts(arm)).unwrap();
    run.append(samples).unwrap();
    let path = run.path().to_path_buf();
    run.finish(&end()).unwrap();
    path
}

/// The only run of the folder.
fn only_run(folder: &Folder) -> StoredRun {
    let [run] = <[StoredRun; 1]>::try_from(folder.runs().unwrap()).unwrap();
    run
}

fn read_all(run: &StoredRun) -> Result<Vec<Sample>, StoreError> {
    let mut all = Vec::new();
    run.read(&mut |samples| all.extend_from_slice(samples)).map(|()| all)
}

#[test]
fn a_run_comes_back_with_its_facts_its_end_and_its_samples() {
    let no_stalls = RunEnd {
        stalls: None,
        peak_rss_bytes: None,
        examples: Vec::new(),
        followed: None,
        told: None,
        machine: None,
        ..end()
    };
    for (facts, end) in [(facts("open"), end()), (bare_facts("closed"), no_stalls)] {
        let (_place, folder) = new_folder();
        let mut run = folder.start_run(&facts).unwrap();
        run.append(&samples(0, 30)).unwrap();
        run.append(&samples(30, 100)).unwrap();
        assert_eq!(run.rows(), 100);
        run.finish(&end).unwrap();

        let run = only_run(&Folder::open(folder.path()).unwrap());
        assert_eq!(run.record(), &RunRecord { facts, end: Some(end), last_sign: None });
        assert_eq!((run.rows(), run.from_spool(), run.torn_bytes()), (100, false, 0));
        assert_eq!(read_all(&run).unwrap(), samples(0, 100));
        assert!(!run.path().join("samples.spool").exists());
    }
}

#[test]
fn every_pass_gives_the_same_samples_though_the_run_goes_on() {
    let (_place, folder) = new_folder();
    let mut writer = folder.start_run(&facts("open")).unwrap();
    writer.append(&samples(0, 10)).unwrap();
    let run = only_run(&folder);
    writer.append(&samples(10, 20)).unwrap();
    for _ in 0..2 {
        let mut all = Vec::new();
        run.pass(&mut |samples| all.extend_from_slice(samples)).unwrap();
        assert_eq!(all, samples(0, 10));
    }
}

#[test]
fn runs_are_given_in_the_order_in_which_they_were_made() {
    let (_place, folder) = new_folder();
    for arm in ["zebra", "ape", "lion"] {
        finished_run(&folder, arm, &[]);
    }
    let arms: Vec<_> = folder.runs().unwrap().iter().map(|run| run.record().facts.arm.clone()).collect();
    assert_eq!(arms, ["zebra", "ape", "lion"]);
}

#[test]
fn an_arm_runs_once_in_a_round() {
    let (_place, folder) = new_folder();
    finished_run(&folder, "open", &[]);
    assert!(matches!(folder.start_run(&facts("open")), Err(StoreError::RunExists { .. })));
    assert!(folder.start_run(&RunFacts { round: 2, ..facts("open") }).is_ok());
}

#[test]
fn a_run_that_is_set_aside_is_kept_and_makes_room_for_another() {
    let (_place, folder) = new_folder();
    for turn in 1..=2 {
        finished_run(&folder, "open", &samples(0, 10 * turn));
        folder.set_aside(&only_run(&folder)).unwrap();
        assert!(folder.runs().unwrap().is_empty());
    }
    finished_run(&folder, "open", &samples(0, 5));
    assert_eq!(only_run(&folder).rows(), 5);
    for kept in ["interrupted/R1-open-1/samples.parquet", "interrupted/R1-open-2/samples.parquet"] {
        assert!(folder.path().join(kept).is_file(), "{kept}");
    }
}

#[test]
fn runs_made_after_one_was_set_aside_still_come_last() {
    let (_place, folder) = new_folder();
    for arm in ["a", "b", "c"] {
        finished_run(&folder, arm, &samples(0, 1));
    }
    folder.set_aside(&folder.runs().unwrap()[0]).unwrap();
    finished_run(&folder, "a", &samples(0, 1));
    let order: Vec<String> = folder.runs().unwrap().iter().map(|run| run.name().to_owned()).collect();
    assert_eq!(order, ["R1-b", "R1-c", "R1-a"]);
}

#[test]
fn the_manifest_keeps_what_was_planned_and_no_guess_that_came_late() {
    let (_place, folder) = new_folder();
    let guess = |name: &str, is_late| PlannedGuess {
        name: name.to_owned(),
        says: "it is slow".to_owned(),
        holds: "arm['open'].p99_ms | min > 1".to_owned(),
        is_late,
    };
    let number = model::Number::P99;
    let plan = PlanFacts {
        sha256: "ab".repeat(32),
        flags: vec!["rounds.count=6".to_owned()],
        arms: vec!["open".to_owned(), "open-again".to_owned()],
        rounds: 6,
        pairings: vec![Pairing { a: "open".to_owned(), b: "open-again".to_owned(), number, is_twin: true }],
        bounds: vec![Bound { number, at_most: Nanos::from_millis(10) }],
        guesses: vec![guess("G1", false), guess("G2", true)],
    };
    folder.write_plan(&plan).unwrap();
    folder.seal(&manifest_facts()).unwrap();
    let kept = folder.manifest().unwrap().unwrap().plan.unwrap();
    assert_eq!(kept, PlanFacts { guesses: vec![guess("G1", false)], ..plan });
}

#[test]
fn texts_come_back_and_a_missing_one_is_none() {
    let (_place, folder) = new_folder();
    folder.write_text("plan.toml", "question = \"?\"\r\n").unwrap();
    folder.write_text("plan.toml", "question = \"…\"\n").unwrap();
    assert_eq!(folder.read_text("plan.toml").unwrap().as_deref(), Some("question = \"…\"\n"));
    assert_eq!(folder.read_text("report.html").unwrap(), None);
}

#[test]
fn names_that_lead_out_of_the_folder_or_belong_to_it_are_refused() {
    let (_place, folder) = new_folder();
    for name in ["", "..", "../plan.toml", "a\\b", "a\nb", "manifest.json", "x.part", &"x".repeat(241)] {
        let refused = folder.write_text(name, "");
        assert!(matches!(refused, Err(StoreError::BadName { .. })), "{name:?}");
    }
    assert!(matches!(folder.start_run(&facts("../../open")), Err(StoreError::BadName { .. })));
    assert!(folder.start_run(&facts("open 546/s")).is_err());
    assert!(folder.start_run(&facts("offen für alle")).is_ok());
}

#[test]
fn a_folder_is_made_with_its_parents_but_never_over_another() {
    let place = TempDir::new().unwrap();
    let path = place.path().join("a/b");
    Folder::create(&path).unwrap();
    assert!(matches!(Folder::create(&path), Err(StoreError::NotEmpty { .. })));
    assert!(matches!(Folder::create(place.path()), Err(StoreError::NotEmpty { .. })));
}

#[test]
fn what_is_not_a_results_folder_is_refused() {
    let place = TempDir::new().unwrap();
    assert!(matches!(Folder::open(place.path().join("none")), Err(StoreError::Io { .. })));
    assert!(matches!(Folder::open(place.path()), Err(StoreError::NotResults { .. })));
    // A web page's.
    fs::write(place.path().join("manifest.json"), r#"{"name": "app"}"#).unwrap();
    assert!(matches!(Folder::open(place.path()), Err(StoreError::NotResults { .. })));
}

#[test]
fn a_folder_of_a_newer_format_is_refused_with_what_to_do() {
    let (_place, folder) = new_folder();
    let manifest = folder.path().join("manifest.json");
    fs::write(&manifest, r#"{"format": 2, "all": "different"}"#).unwrap();
    let error = Folder::open(folder.path()).unwrap_err();
    assert!(error.to_string().ends_with("read it with a newer doorclock"), "{error}");
}

#[test]
fn a_killed_run_tells_its_last_sign_of_life_and_one_that_ended_does_not() {
    let (_place, folder) = new_folder();
    folder.begin(&manifest_facts()).unwrap();
    let sign = LastSign { at: Nanos(900), due_counted: Some(41) };
    for ends in [false, true] {
        let arm = if ends { "ended" } else { "killed" };
        let mut run = folder.start_run(&facts(arm)).unwrap();
        run.append(&samples(0, 10)).unwrap();
        run.sign(sign).unwrap();
        let sign = (!ends).then_some(sign);
        if ends {
            run.finish(&RunEnd { stalls: None, ..end() }).unwrap();
        } else {
            drop(run);
        }
        let runs = Folder::open(folder.path()).unwrap().runs().unwrap();
        let run = runs.iter().find(|run| run.record().facts.arm == arm).unwrap();
        assert_eq!(run.record().last_sign, sign, "{arm}");
        assert_eq!(read_all(run).unwrap(), samples(0, 10), "{arm}");
    }
}

#[test]
fn a_killed_run_is_read_up_to_its_last_whole_batch() {
    let (_place, folder) = new_folder();
    folder.begin(&manifest_facts()).unwrap();
    let mut run = folder.start_run(&facts("open")).unwrap();
    run.append(&samples(0, 10)).unwrap();
    run.append(&samples(10, 20)).unwrap();
    let spool = run.path().join("samples.spool");
    drop(run);
    let length = fs::metadata(&spool).unwrap().len();
    fs::File::options().write(true).open(&spool).unwrap().set_len(length - 1).unwrap();

    let folder = Folder::open(folder.path()).unwrap();
    let run = only_run(&folder);
    assert_eq!(run.record(), &RunRecord { facts: facts("open"), end: None, last_sign: None });
    assert_eq!((run.rows(), run.from_spool(), run.torn_bytes()), (10, true, 12 + 10 * 81 - 1));
    assert_eq!(read_all(&run).unwrap(), samples(0, 10));
    let manifest = folder.manifest().unwrap().unwrap();
    assert_eq!((manifest.sealed, manifest.began.as_deref()), (false, Some("2026-12-01T10:15:00Z")));
    assert!(matches!(folder.check(), Err(StoreError::NotSealed { .. })));
}

#[test]
fn a_folder_without_a_manifest_is_read_and_told() {
    let (_place, folder) = new_folder();
    finished_run(&folder, "open", &samples(0, 10));
    fs::remove_file(folder.path().join("manifest.json")).unwrap();
    let folder = Folder::open(folder.path()).unwrap();
    assert_eq!(folder.manifest().unwrap(), None);
    assert_eq!(read_all(&only_run(&folder)).unwrap(), samples(0, 10));
}

#[test]
fn a_run_killed_at_its_very_beginning_is_left_out_or_empty() {
    let (_place, folder) = new_folder();
    fs::create_dir(folder.path().join("runs/R1-before-run.json")).unwrap();
    assert_eq!(folder.runs().unwrap().len(), 0);
    let run = folder.start_run(&facts("before-the-spool")).unwrap();
    fs::remove_file(run.path().join("samples.spool")).unwrap();
    assert_eq!(read_all(&only_run(&folder)).unwrap(), []);
}

#[test]
fn wherever_a_crash_stops_the_end_of_a_run_its_samples_are_read() {
    let (_place, folder) = new_folder();
    let mut run = folder.start_run(&facts("open")).unwrap();
    run.append(&samples(0, 50)).unwrap();
    let path = run.path().to_path_buf();
    let [spool, columns] = ["samples.spool", "samples.parquet"].map(|name| path.join(name));
    let spool_bytes = fs::read(&spool).unwrap();
    run.finish(&end()).unwrap();
    let columns_bytes = fs::read(&columns).unwrap();
    let check = |from_spool: bool| {
        let run = only_run(&folder);
        assert_eq!(run.from_spool(), from_spool);
        assert_eq!(run.record().end, Some(end()));
        assert_eq!(read_all(&run).unwrap(), samples(0, 50));
    };

    // Before the spool is removed: the columns are whole and count.
    fs::write(&spool, &spool_bytes).unwrap();
    check(false);
    // Before the columns get their name.
    fs::rename(&columns, path.join("samples.parquet.part")).unwrap();
    check(true);
    // While they are written: run.json does not vouch for them yet.
    let mut run: serde_json::Value = read_json(&path.join("run.json")).unwrap().unwrap();
    run["samples"] = serde_json::Value::Null;
    fs::write(path.join("run.json"), run.to_string()).unwrap();
    fs::write(path.join("samples.parquet.part"), &columns_bytes[..100]).unwrap();
    check(true);
}

#[test]
fn a_disk_that_gets_full_at_the_end_of_a_run_loses_no_sample() {
    let mut failed_at_all = [false; 3];
    for room in (0..80_000).step_by(487) {
        let place = TempDir::new().unwrap();
        let disk = SmallDisk::with_room(u64::MAX);
        let folder = Folder::create_on(Arc::new(disk.clone()), place.path()).unwrap();
        let mut run = folder.start_run(&facts("open")).unwrap();
        run.append(&samples(0, 2000)).unwrap();
        disk.set_room(room);
        let step = match run.finish(&end()) {
            Err(StoreError::DiskFull { .. }) => 0,
            Err(StoreError::NotConverted { rows: 2000, source, .. }) => {
                assert!(matches!(*source, StoreError::DiskFull { .. }), "room for {room}: {source}");
                1
            }
            Ok(()) => 2,
            Err(other) => panic!("room for {room} bytes: {other}"),
        };
        failed_at_all[step] = true;
        let run = only_run(&folder);
        assert_eq!(read_all(&run).unwrap(), samples(0, 2000), "room for {room} bytes");
        assert_eq!(run.record().end.is_some(), step > 0, "room for {room} bytes");
        let names = fs::read_dir(run.path()).unwrap().map(|entry| entry.unwrap().file_name());
        let parts: Vec<_> = names.filter(|name| name.to_string_lossy().ends_with(".part")).collect();
        assert!(parts.is_empty(), "room for {room} bytes: {parts:?} left");
    }
    assert_eq!(failed_at_all, [true; 3], "the rooms tried reach every step");
}

#[test]
fn any_flipped_byte_in_the_columns_is_found() {
    let (_place, folder) = new_folder();
    let columns = finished_run(&folder, "open", &samples(0, 40)).join("samples.parquet");
    let good = fs::read(&columns).unwrap();
    for at in 0..good.len() {
        let mut bytes = good.clone();
        bytes[at] ^= 1 << (at % 8);
        fs::write(&columns, bytes).unwrap();
        let error = read_all(&only_run(&folder)).unwrap_err();
        assert!(matches!(error, StoreError::Damaged { .. }), "byte {at}: {error}");
        assert!(error.to_string().contains("samples.parquet is damaged at byte"), "{error}");
    }
}

#[test]
fn columns_cut_short_or_gone_are_told() {
    let (_place, folder) = new_folder();
    let columns = finished_run(&folder, "open", &samples(0, 40)).join("samples.parquet");
    let good = fs::read(&columns).unwrap();
    fs::write(&columns, &good[..good.len() - 1]).unwrap();
    let offset = good.len() as u64 - 1;
    match read_all(&only_run(&folder)) {
        Err(StoreError::Damaged { offset: at, .. }) => assert_eq!(at, offset),
        other => panic!("{other:?}"),
    }
    fs::remove_file(&columns).unwrap();
    assert!(matches!(folder.runs(), Err(StoreError::Missing { .. })));
}

#[test]
fn columns_of_another_schema_are_told_even_if_their_checksum_is_right() {
    let (_place, folder) = new_folder();
    let path = finished_run(&folder, "open", &[]);
    let foreign = b"PAR1 and nothing else PAR1";
    fs::write(path.join("samples.parquet"), foreign).unwrap();
    let mut run: serde_json::Value = read_json(&path.join("run.json")).unwrap().unwrap();
    run["samples"]["bytes"] = foreign.len().into();
    run["samples"]["crc32"] = crc32fast::hash(foreign).into();
    fs::write(path.join("run.json"), run.to_string()).unwrap();
    assert!(matches!(read_all(&only_run(&folder)), Err(StoreError::Damaged { .. })));
}

#[test]
fn no_flipped_byte_in_the_facts_makes_a_panic() {
    let (_place, folder) = new_folder();
    let path = finished_run(&folder, "open", &samples(0, 5));
    for name in ["run.json", "stalls.json"] {
        let good = fs::read(path.join(name)).unwrap();
        for at in 0..good.len() {
            let mut bytes = good.clone();
            bytes[at] ^= 1 << (at % 8);
            fs::write(path.join(name), bytes).unwrap();
            // Some are another fact in good order; only the manifest tells those.
            for run in folder.runs().into_iter().flatten() {
                let _ = read_all(&run);
            }
        }
        fs::write(path.join(name), good).unwrap();
    }
    assert_eq!(only_run(&folder).record().end, Some(end()));
}

#[test]
fn a_missing_file_of_stalls_is_told_rather_than_taken_for_no_stalls() {
    let (_place, folder) = new_folder();
    let path = finished_run(&folder, "open", &[]);
    fs::remove_file(path.join("stalls.json")).unwrap();
    let error = folder.runs().unwrap_err();
    assert!(error.to_string().contains("stalls.json is missing"), "{error}");
}

#[test]
fn a_value_that_means_nothing_is_told_with_its_field() {
    let (_place, folder) = new_folder();
    let path = finished_run(&folder, "open", &[]).join("run.json");
    let text = fs::read_to_string(&path).unwrap();
    for (good, bad, field) in [
        ("\"rate_per_s\": 546.1", "\"rate_per_s\": 0.0", "facts.load.rate_per_s"),
        ("\"poisson\"", "\"fishy\"", "facts.load.arrivals"),
        ("\"reuse\"", "\"recycle\"", "facts.connection_policy"),
        ("\"18446744073709551615\"", "\"one\"", "facts.seed"),
    ] {
        assert!(text.contains(good), "{good}");
        fs::write(&path, text.replace(good, bad)).unwrap();
        let error = folder.runs().unwrap_err().to_string();
        assert!(error.contains(&format!("run.json: {field} cannot be")), "{error}");
    }
}

#[test]
fn the_manifest_tells_the_facts_the_runs_and_every_file() {
    let (_place, folder) = new_folder();
    let machine = MachineFacts {
        processor: Some("a fast one".to_owned()),
        cores: Some(2),
        descriptors: Some((1024, 1 << 40)),
        ports: Some((32_768, 60_999)),
        load_1m: Some(0.1),
        watched: Some(Nanos::from_secs(2)),
        ..MachineFacts::default()
    };
    folder.write_machine(&machine).unwrap();
    folder.write_text("plan.toml", "abc").unwrap();
    finished_run(&folder, "open", &samples(0, 5));
    folder.seal(&manifest_facts()).unwrap();

    let manifest = Folder::open(folder.path()).unwrap().manifest().unwrap().unwrap();
    assert!(manifest.sealed);
    assert_eq!(manifest.tool_version.as_deref(), Some("0.1.0"));
    assert_eq!(manifest.seed, Some(Seed(u64::MAX - 1)));
    assert_eq!(manifest.machine, Some(machine));
    let [run] = &manifest.runs[..] else { panic!("{:?}", manifest.runs) };
    assert_eq!((run.folder.as_str(), run.seed), ("runs/R1-open", Seed(u64::MAX)));
    assert_eq!(run.schedule_hash, facts("open").schedule_hash);
    let paths: Vec<_> = manifest.files.iter().map(|file| file.path.as_str()).collect();
    let run_files = ["run.json", "samples.parquet", "stalls.json"].map(|name| format!("runs/R1-open/{name}"));
    assert_eq!(paths[0], "plan.toml");
    assert_eq!(paths[1..], run_files);
    // SHA-256 of "abc", as FIPS 180-2 gives it in its first example.
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!((manifest.files[0].bytes, manifest.files[0].sha256.as_str()), (3, abc));
}

#[test]
fn a_check_finds_what_is_missing_changed_and_extra() {
    let (_place, folder) = new_folder();
    for name in ["a.txt", "b.txt", "c.txt"] {
        folder.write_text(name, name).unwrap();
    }
    folder.seal(&manifest_facts()).unwrap();
    assert_eq!(folder.check().unwrap(), []);

    fs::remove_file(folder.path().join("a.txt")).unwrap();
    folder.write_text("b.txt", "B.txt").unwrap();
    folder.write_text("d.txt", "").unwrap();
    let [a, b, d] = ["a.txt", "b.txt", "d.txt"].map(str::to_owned);
    assert_eq!(folder.check().unwrap(), [Damage::Missing(a), Damage::Changed(b), Damage::Extra(d)]);
}

#[test]
fn a_full_disk_leaves_the_old_text_in_place() {
    let place = TempDir::new().unwrap();
    let disk = SmallDisk::with_room(u64::MAX);
    let folder = Folder::create_on(Arc::new(disk.clone()), place.path()).unwrap();
    folder.write_text("summary.json", "old").unwrap();
    disk.set_room(2);
    let error = folder.write_text("summary.json", "new").unwrap_err();
    assert!(matches!(error, StoreError::DiskFull { .. }), "{error}");
    assert_eq!(folder.read_text("summary.json").unwrap().as_deref(), Some("old"));
}
