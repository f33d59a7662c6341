//! Every small change of a run is found, whether in what is reported or in what
//! was measured.

use crate::common::{self, Run};
use doorclock_verify::{Verification, verify};
use model::{Nanos, Outcome, Sample, Seed};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use store::Folder;

const CHANGES: u64 = 50;

/// `n` numbers below their limits, the same for the same change.
pub struct Draw {
    seed: Seed,
    at: u64,
}

impl Draw {
    pub fn of(change: u64) -> Draw {
        Draw { seed: Seed(change).derive("change"), at: 0 }
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.at += 1;
        (self.seed.mark(self.at) % limit as u64) as usize
    }
}

#[test]
fn every_one_of_50_changed_numbers_in_a_summary_is_found_by_name() {
    let kept = tempfile::tempdir().expect("a folder");
    common::write(kept.path(), &common::all(), None);
    let path = kept.path().join("summary.json");
    let original: Value = serde_json::from_str(&fs::read_to_string(&path).expect("a summary")).expect("JSON");
    let mut names = Vec::new();
    numbers_in(&original["arms"], "/arms", &mut names);
    for change in 0..CHANGES {
        let mut draw = Draw::of(change);
        let name = &names[draw.below(names.len())];
        let mut changed = original.clone();
        let number = changed.pointer_mut(name).expect("it was found there");
        *number = nudged(number, draw.below(2) == 0);
        reseal(kept.path(), &changed);
        let found = verify(kept.path()).expect("a readable folder");
        let last = name.rsplit('/').next().expect("a name");
        let named = found.mismatches.iter().any(|mismatch| mismatch.name.contains(last))
            || (last == "round" && !found.mismatches.is_empty());
        assert!(named, "change {change} of {name}: {:?}", found.mismatches);
        assert_eq!(found.damage, [], "change {change} of {name} was sealed");
    }
}

#[test]
fn every_one_of_50_changed_samples_is_found_though_all_checksums_fit() {
    let kept = tempfile::tempdir().expect("a folder");
    let runs = common::some();
    common::write(kept.path(), &runs, None);
    let said = fs::read_to_string(kept.path().join("summary.json")).expect("a summary");
    for change in 0..CHANGES {
        let mut draw = Draw::of(1000 + change);
        let mut runs = runs.clone();
        let what = change_one(&mut runs, &mut draw);
        let copy = tempfile::tempdir().expect("a folder");
        common::write(copy.path(), &runs, Some(&said));
        let found = verify(copy.path()).expect("a readable folder");
        assert!(!found.mismatches.is_empty(), "change {change}, {what}, was not found");
        assert_eq!(found.damage, [], "change {change} was sealed");
    }
}

#[test]
fn a_p99_changed_by_one_nanosecond_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    common::write(folder.path(), &common::some(), None);
    let found = with_change(folder.path(), "/arms/paced/runs/0/response_time_ns/p99", |value| {
        json!(value.as_u64().expect("a p99") + 1)
    });
    let [mismatch] = &found.mismatches[..] else { panic!("{:?}", found.mismatches) };
    assert_eq!((mismatch.run.as_str(), mismatch.name.as_str()), ("R1-paced", "response_time_ns.p99"));
}

#[test]
fn a_verdict_that_its_doubts_do_not_bear_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    common::write(folder.path(), &common::all(), None);
    let found = with_change(folder.path(), "/arms/nothing/runs/0/verdict", |_| json!("valid"));
    assert!(found.mismatches.iter().any(|mismatch| mismatch.name == "verdict"), "{:?}", found.mismatches);
    // Nor do doubts help that have been made lighter.
    let found = with_change(folder.path(), "/arms/nothing/runs/0/doubts", |_| json!([]));
    let void = found.mismatches.iter().find(|mismatch| mismatch.name == "void_doubts");
    assert_eq!(void.map(|mismatch| mismatch.computed.as_str()), Some("[\"everything-failed\"]"));
}

#[test]
fn a_run_without_samples_and_samples_without_a_run_are_found() {
    let folder = tempfile::tempdir().expect("a folder");
    common::write(folder.path(), &common::some(), None);
    let found = with_change(folder.path(), "/arms/paced/runs/0/round", |_| json!(2));
    let mut runs: Vec<(&str, &str)> =
        found.mismatches.iter().map(|mismatch| (mismatch.run.as_str(), mismatch.name.as_str())).collect();
    runs.sort_unstable();
    assert_eq!(runs, [("R1-paced", "run"), ("R2-paced", "run"), ("paced", "windows")]);
}

/// The folder with one value of its summary changed, for as long as it is looked at.
pub fn with_change(folder: &Path, name: &str, change: impl Fn(&Value) -> Value) -> Verification {
    let text = fs::read_to_string(folder.join("summary.json")).expect("a summary");
    let original: Value = serde_json::from_str(&text).expect("JSON");
    let mut changed = original.clone();
    let value = changed.pointer_mut(name).expect("the value is there");
    *value = change(value);
    reseal(folder, &changed);
    let found = verify(folder).expect("a readable folder");
    reseal(folder, &original);
    found
}

pub fn reseal(path: &Path, summary: &Value) {
    let folder = Folder::open(path).expect("a results folder");
    common::report(&folder, &summary.to_string());
    common::seal(&folder);
}

pub fn numbers_in(value: &Value, name: &str, names: &mut Vec<String>) {
    match value {
        Value::Number(_) => names.push(name.to_owned()),
        Value::Object(fields) => {
            fields.iter().for_each(|(part, one)| numbers_in(one, &format!("{name}/{part}"), names));
        }
        Value::Array(all) => {
            all.iter().enumerate().for_each(|(at, one)| numbers_in(one, &format!("{name}/{at}"), names));
        }
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

/// One more or less; of a float a billionth, or a little where it was zero.
pub fn nudged(number: &Value, up: bool) -> Value {
    if let Some(whole) = number.as_u64() {
        return json!(if up || whole == 0 { whole.wrapping_add(1) } else { whole - 1 });
    }
    if let Some(signed) = number.as_i64() {
        return json!(signed + 1);
    }
    let real = number.as_f64().expect("a float");
    let factor = if up { 1.0 + 1e-9 } else { 1.0 - 1e-9 };
    json!(if real == 0.0 { 1e-9 } else { real * factor })
}

/// Changes one field of one counted sample by as little as it can be.
pub fn change_one(runs: &mut [Run], draw: &mut Draw) -> String {
    let run = draw.below(runs.len());
    let samples = &mut runs[run].samples;
    let ok: Vec<usize> =
        (0..samples.len()).filter(|at| samples[*at].counted && samples[*at].outcome == Outcome::Ok).collect();
    let at = ok[draw.below(ok.len())];
    let sample: &mut Sample = &mut samples[at];
    let one = Nanos(1);
    let what = match draw.below(7) {
        0 => {
            sample.done += one;
            "done"
        }
        1 => {
            sample.scheduled += one;
            "scheduled"
        }
        2 => {
            sample.sent = sample.sent.map(|sent| sent + one);
            "sent"
        }
        3 => {
            sample.waited += one;
            "waited"
        }
        4 => {
            sample.outcome = Outcome::Reset;
            "outcome"
        }
        5 => {
            sample.resent += 1;
            "resent"
        }
        _ => {
            sample.counted = false;
            "counted"
        }
    };
    format!("{what} of sample {at} of run {run}")
}
