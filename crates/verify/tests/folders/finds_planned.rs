//! Every small change of a planned experiment is found, in whichever file.

use crate::finds::{Draw, change_one, nudged, reseal, with_change};
use crate::{common, planned};
use doorclock_verify::{Verification, verify};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use store::Folder;

const CHANGES: u64 = 50;
const SAMPLES: &str = "samples.parquet";
const PAGE: &str = "report.html";

/// Files, and the part of each in which values are changed in turn.
const PLACES: [(&str, &str); 12] = [
    ("summary.json", "/comparisons"),
    ("summary.json", "/guesses"),
    ("summary.json", "/bounds"),
    ("summary.json", "/arms/open-again/windows"),
    ("summary.json", "/arms/paced/runs/3/windows"),
    ("summary.json", "/arms/paced/runs/3/corrected_p99_ns"),
    ("manifest.json", "/plan"),
    ("manifest.json", "/plan/guesses"),
    ("runs/R4-wrk/run.json", "/end/told"),
    ("runs/R2-paced/run.json", "/end/machine"),
    (PAGE, ""),
    (SAMPLES, ""),
];

#[test]
fn every_one_of_50_changes_in_any_file_of_an_experiment_is_found() {
    let kept = tempfile::tempdir().expect("a folder");
    planned::write(kept.path(), &planned::runs(), None);
    for change in 0..CHANGES {
        let mut draw = Draw::of(2_000 + change);
        let (file, place) = PLACES[change as usize % PLACES.len()];
        let (what, found) = match file {
            SAMPLES => with_changed_sample(kept.path(), &mut draw),
            _ => with_changed_value(kept.path(), file, place, &mut draw),
        };
        assert!(!found.mismatches.is_empty(), "change {change} of {what} in {file} was not found");
        assert_eq!(found.damage, [], "change {change} of {what} in {file} was sealed");
    }
    assert_eq!(verify(kept.path()).expect("a readable folder").mismatches, [], "all is as it was");
}

#[test]
fn a_guess_that_is_not_in_the_manifest_must_be_marked_late() {
    let folder = tempfile::tempdir().expect("a folder");
    planned::write(folder.path(), &planned::runs(), None);
    let last = planned::plan().guesses.len() - 1;
    let found = with_change(folder.path(), &format!("/guesses/{last}/late"), |late| {
        json!(!late.as_bool().expect("a flag"))
    });
    let [mismatch] = &found.mismatches[..] else { panic!("{:?}", found.mismatches) };
    assert_eq!((&mismatch.name, mismatch.computed.as_str()), (&format!("guesses.{last}.late"), "true"));
}

#[test]
fn an_experiment_whose_missing_runs_are_not_told_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    planned::write(folder.path(), &planned::runs(), None);
    let found = with_change(folder.path(), "/doubts", |_| json!([]));
    assert!(found.mismatches.iter().any(|mismatch| mismatch.name == "runs_missing"), "{found}");
}

#[test]
fn a_number_changed_in_the_page_alone_is_found_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    common::write(folder.path(), &common::some(), None);
    let kept = Folder::open(folder.path()).expect("a results folder");
    let mut carried = read(folder.path(), "summary.json");
    let p99 = &mut carried["arms"]["paced"]["runs"][0]["response_time_ns"]["p99"];
    *p99 = nudged(p99, true);
    write_page(&kept, &carried);
    let found = verify(folder.path()).expect("a readable folder");
    let [mismatch] = &found.mismatches[..] else { panic!("{:?}", found.mismatches) };
    let name = "arms.paced.runs.0.response_time_ns.p99";
    assert_eq!((mismatch.run.as_str(), mismatch.name.as_str()), ("report.html", name));
}

/// One value of a JSON file changed, for as long as the folder is looked at.
fn with_changed_value(folder: &Path, file: &str, place: &str, draw: &mut Draw) -> (String, Verification) {
    let original = read(folder, if file == PAGE { "summary.json" } else { file });
    let mut names = Vec::new();
    values_in(original.pointer(place).expect("it is there"), place, &mut names);
    let name = names.swap_remove(draw.below(names.len()));
    let mut changed = original.clone();
    let value = changed.pointer_mut(&name).expect("it was found there");
    *value = altered(value, draw.below(2) == 0);
    write(folder, file, &changed);
    let found = verify(folder).expect("a readable folder");
    write(folder, file, &original);
    (name, found)
}

/// The same folder of runs of which one sample is another.
fn with_changed_sample(folder: &Path, draw: &mut Draw) -> (String, Verification) {
    let said = fs::read_to_string(folder.join("summary.json")).expect("a summary");
    let mut runs = planned::runs();
    let arm = ["open-stalls", "open-again", "paced", "closed"][draw.below(4)];
    let mut of_arm: Vec<_> = runs.iter_mut().filter(|run| run.facts.arm == arm).collect();
    let run = draw.below(of_arm.len());
    let what = change_one(std::slice::from_mut(of_arm[run]), draw);
    let copy = tempfile::tempdir().expect("a folder");
    planned::write(copy.path(), &runs, Some(&said));
    (format!("{arm}: {what}"), verify(copy.path()).expect("a readable folder"))
}

fn read(folder: &Path, file: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(folder.join(file)).expect("a file")).expect("JSON")
}

/// The file, with every checksum made to fit it.
fn write(path: &Path, file: &str, value: &Value) {
    let folder = Folder::open(path).expect("a results folder");
    match file {
        "summary.json" => return reseal(path, value),
        PAGE => return write_page(&folder, value),
        _ => fs::write(path.join(file), value.to_string()).expect("space"),
    }
    if file != "manifest.json" {
        common::seal(&folder);
    }
}

fn write_page(folder: &Folder, carried: &Value) {
    let page = common::page(&carried.to_string());
    folder.write_text(PAGE, &page).expect("space");
    common::seal(folder);
}

/// Names of all that can be changed a little: numbers, flags and texts.
fn values_in(value: &Value, name: &str, names: &mut Vec<String>) {
    // Sentences are not verified, nor what only the plan's file has.
    let is_told = value["late"] == true
        || ["/assumptions", "/plan/sha256", "/plan/flags"].iter().any(|end| name.ends_with(end));
    match value {
        _ if is_told => {}
        Value::Null => {}
        Value::Number(_) | Value::Bool(_) | Value::String(_) => names.push(name.to_owned()),
        Value::Object(fields) => {
            fields.iter().for_each(|(part, one)| values_in(one, &format!("{name}/{part}"), names));
        }
        Value::Array(all) => {
            all.iter().enumerate().for_each(|(at, one)| values_in(one, &format!("{name}/{at}"), names));
        }
    }
}

fn altered(value: &Value, up: bool) -> Value {
    match value {
        Value::Bool(flag) => json!(!flag),
        Value::String(text) => json!(format!("{text}.")),
        number => nudged(number, up),
    }
}
