//! A damaged folder is told as what it is, and never a panic.

use crate::common;
use doorclock_verify::{Damage, VerifyError, verify};
use model::Seed;
use std::fs;
use std::path::{Path, PathBuf};

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    common::write(folder.path(), &common::some(), None);
    folder
}

fn samples(folder: &Path) -> PathBuf {
    folder.join("runs/R1-paced/samples.parquet")
}

#[test]
fn samples_of_which_any_byte_was_changed_are_damaged() {
    let folder = folder();
    let path = samples(folder.path());
    let bytes = fs::read(&path).expect("samples");
    for change in 0..40 {
        let mut changed = bytes.clone();
        let at = Seed(5).mark(change) as usize % changed.len();
        changed[at] ^= 1 << (change % 8);
        fs::write(&path, &changed).expect("space");
        let error = verify(folder.path()).expect_err("changed samples");
        assert!(matches!(error, VerifyError::Damaged { .. }), "byte {at}: {error:?}");
    }
}

#[test]
fn samples_cut_short_or_gone_are_an_error() {
    let folder = folder();
    let path = samples(folder.path());
    let bytes = fs::read(&path).expect("samples");
    for length in [0, 1, 8, bytes.len() / 2, bytes.len() - 1] {
        fs::write(&path, &bytes[..length]).expect("space");
        let error = verify(folder.path()).expect_err("samples cut short");
        assert!(matches!(error, VerifyError::Damaged { .. }), "{length} bytes: {error:?}");
    }
    fs::remove_file(&path).expect("it was there");
    assert!(matches!(verify(folder.path()), Err(VerifyError::Io { .. })));
}

#[test]
fn json_cut_short_anywhere_or_of_another_format_is_an_error() {
    let folder = folder();
    for name in ["summary.json", "manifest.json", "runs/R1-paced/run.json", "runs/R1-paced/stalls.json"] {
        let path = folder.path().join(name);
        let whole = fs::read(&path).expect("a file");
        for tenth in 0..10 {
            fs::write(&path, &whole[..whole.len() * tenth / 10]).expect("space");
            let error = verify(folder.path()).expect_err("JSON cut short");
            assert!(matches!(error, VerifyError::BadJson { .. }), "{name}: {error:?}");
        }
        fs::write(&path, "{\"format\": 2}").expect("space");
        let error = verify(folder.path()).expect_err("another format");
        assert!(matches!(error, VerifyError::UnknownFormat { found: 2, .. }), "{name}: {error:?}");
        fs::write(&path, &whole).expect("space");
    }
    assert!(verify(folder.path()).expect("all is as it was").is_sound());
}

#[test]
fn files_that_are_not_as_they_were_sealed_are_named() {
    let folder = folder();
    fs::write(folder.path().join("report.html"), "another").expect("space");
    fs::write(folder.path().join("notes.txt"), "mine").expect("space");
    let found = verify(folder.path()).expect("a readable folder");
    assert_eq!(found.mismatches, []);
    assert_eq!(
        found.damage,
        [Damage::Changed("report.html".to_owned()), Damage::Extra("notes.txt".to_owned())]
    );
    assert!(!found.is_sound());
    fs::remove_file(folder.path().join("report.html")).expect("it was there");
    let found = verify(folder.path()).expect("a readable folder");
    assert_eq!(found.damage[0].to_string(), "report.html is missing");
}

/// Numbers as large as their types allow, in files whose checksums nobody can blame.
#[test]
fn absurd_numbers_are_mismatches_and_no_panic() {
    let folder = folder();
    let path = folder.path().join("runs/R1-paced/run.json");
    let text = fs::read_to_string(&path).expect("a file");
    let names = ["warm_up_ns", "timeout_ns", "counted_until_ns", "ended_ns", "taken", "taken_counted"];
    for name in names {
        for number in ["0", "1", "18446744073709551615"] {
            let from = text.find(&format!("\"{name}\": ")).expect("the name") + name.len() + 4;
            let until = from + text[from..].find([',', '\n']).expect("an end");
            let changed = format!("{}{number}{}", &text[..from], &text[until..]);
            fs::write(&path, changed).expect("space");
            let found = verify(folder.path()).expect("a readable folder");
            assert!(!found.mismatches.is_empty(), "{name} = {number}");
        }
    }
}

#[test]
fn a_folder_that_is_none_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(matches!(verify(folder.path()), Err(VerifyError::NoSummary { .. })));
    assert!(matches!(verify(&folder.path().join("nowhere")), Err(VerifyError::Io { .. })));
}
