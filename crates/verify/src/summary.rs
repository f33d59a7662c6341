//! The whole folder: every run that it holds against every run reported.

use crate::check::{Computed, List};
use crate::folder::{entries, name_of, read_json};
use crate::manifest::{Manifest, ManifestRun};
use crate::record::{Load, Record};
use crate::run::worst_weight;
use crate::{Mismatch, Verification, VerifyError, run, samples};
use serde_json::{Value, json};
use std::path::Path;

/// What is reported and has no figure of its own to compare.
const NOT_COMPARED: [&str; 3] = [
    "report.html: it is drawn from the same figures, and its checksum is compared",
    "doubts that leave a run valid or doubtful, and every sentence: a verdict is only held against its doubts",
    "examples of failures, which no sample holds",
];

/// Computes every number of the results folder again and compares.
///
/// # Errors
///
/// If there is nothing to compare with (no `summary.json`, a run without an
/// end), or if a file cannot be read as its format promises.
pub fn verify(folder: &Path) -> Result<Verification, VerifyError> {
    let summary_path = folder.join("summary.json");
    // An unreadable folder is told as such, rather than as one without a summary.
    entries(folder)?;
    if !summary_path.exists() {
        return Err(VerifyError::NoSummary { folder: folder.to_path_buf() });
    }
    let summary: Value = read_json(&summary_path)?;
    let manifest = Manifest::read(folder)?;
    let mut found = Verification { damage: manifest.damage(folder)?, ..Verification::default() };
    let mut reported = Reported::of(&summary);
    for path in entries(&folder.join("runs"))?.iter().filter(|path| path.join("run.json").exists()) {
        check_run(path, &manifest, &mut reported, &mut found)?;
    }
    for (arm, run) in reported.left {
        found.mismatches.push(Mismatch {
            run: format!("R{}-{arm}", run["round"]),
            name: "run".to_owned(),
            reported: "a run".to_owned(),
            computed: "no samples".to_owned(),
        });
    }
    check_whole(&summary, &manifest, &mut found);
    found.not_checked.extend(NOT_COMPARED.map(str::to_owned));
    Ok(found)
}

/// The summary's arms, and those of their runs whose samples are still to come.
struct Reported<'a> {
    arms: Vec<(&'a str, &'a Value)>,
    left: Vec<(&'a str, &'a Value)>,
}

impl<'a> Reported<'a> {
    fn of(summary: &'a Value) -> Reported<'a> {
        let arms = summary["arms"].as_object().into_iter().flatten();
        let arms: Vec<(&str, &Value)> = arms.map(|(name, arm)| (name.as_str(), arm)).collect();
        let runs = |&(name, arm): &(&'a str, &'a Value)| {
            arm["runs"].as_array().into_iter().flatten().map(move |run| (name, run))
        };
        let left = arms.iter().flat_map(runs).collect();
        Reported { arms, left }
    }

    /// Takes the run of this arm and round out, with its arm.
    fn take(&mut self, arm: &str, round: u64) -> Option<(&'a Value, &'a Value)> {
        let is_it = |(name, run): &(&str, &Value)| *name == arm && run["round"].as_u64() == Some(round);
        let at = self.left.iter().position(is_it)?;
        let (_, run) = self.left.remove(at);
        let (_, arm) = self.arms.iter().find(|(name, _)| *name == arm)?;
        Some((arm, run))
    }
}

fn check_run(
    path: &Path,
    manifest: &Manifest,
    reported: &mut Reported<'_>,
    found: &mut Verification,
) -> Result<(), VerifyError> {
    let name = name_of(path);
    let record = Record::read(path)?;
    let rows = samples::rows(&path.join("samples.parquet"), &record.samples)?;
    let Some((arm, run)) = reported.take(&record.facts.arm, record.facts.round) else {
        found.mismatches.push(Mismatch {
            run: name,
            name: "run".to_owned(),
            reported: "nothing".to_owned(),
            computed: format!("a run of {} samples", rows.len()),
        });
        return Ok(());
    };
    run::list(&record, &rows, run).compare(&name, &with_void_doubts(run), found);
    arm_list(&record).compare(&record.facts.arm, &without(arm, "runs"), found);
    if let Some(kept) = manifest.runs.iter().find(|kept| kept.folder == format!("runs/{name}")) {
        manifest_list(&record).compare(&name, &manifest_facts(kept), found);
    }
    Ok(())
}

/// What is said of an arm; its runs were asked for the same.
fn arm_list(record: &Record) -> List {
    let (mut list, load) = (List::default(), &record.facts.load);
    let (model, arrivals) = match load {
        Load::Open { arrivals, .. } => ("open", Some(arrivals.as_str())),
        Load::Paced { .. } => ("paced", None),
        Load::Closed { .. } => ("closed", None),
    };
    list.text("model", model);
    list.real("target_rate_per_s", load.target_rate());
    list.maybe_text("arrivals", arrivals);
    list.maybe("connections", load.connections());
    list.flag("stalls", record.facts.stalls_asked);
    list
}

fn manifest_list(record: &Record) -> List {
    let mut list = List::default();
    list.text("manifest.seed", &record.facts.seed);
    list.maybe_text("manifest.schedule_sha256", record.facts.schedule_sha256.as_deref());
    list
}

fn manifest_facts(kept: &ManifestRun) -> Value {
    json!({"manifest": {"seed": kept.seed, "schedule_sha256": kept.schedule_sha256}})
}

/// The run with a list of the doubts that are said to make it void.
fn with_void_doubts(run: &Value) -> Value {
    let doubts = run["doubts"].as_array().into_iter().flatten();
    let void: Vec<&Value> =
        doubts.filter(|doubt| doubt["weight"] == "void").map(|doubt| &doubt["code"]).collect();
    let void = json!(void);
    let mut run = without(run, "doubts");
    if let Some(fields) = run.as_object_mut() {
        fields.insert("void_doubts".to_owned(), void);
    }
    run
}

fn without(object: &Value, field: &str) -> Value {
    let mut rest = object.clone();
    if let Some(fields) = rest.as_object_mut() {
        fields.remove(field);
    }
    rest
}

/// What is said of the experiment: the worst verdict, and the machine's facts.
fn check_whole(summary: &Value, manifest: &Manifest, found: &mut Verification) {
    let mut list = List::default();
    let arms = summary["arms"].as_object().into_iter().flatten();
    let runs = arms.flat_map(|(_, arm)| arm["runs"].as_array().into_iter().flatten());
    let of_runs: Vec<&str> = runs.filter_map(|run| run["verdict"].as_str()).collect();
    let verdicts: Vec<&str> = of_runs.iter().copied().chain([worst_weight(summary)]).collect();
    let worst = ["void", "doubtful"].into_iter().find(|verdict| verdicts.contains(verdict));
    let verdict = if of_runs.is_empty() { "void" } else { worst.unwrap_or("valid") };
    list.text("verdict", verdict);
    list.whole("format", 1);
    for (name, fact) in manifest.machine.as_ref().and_then(Value::as_object).into_iter().flatten() {
        list.add(format!("machine.{name}"), computed(fact));
    }
    list.compare("summary", &without(&without(summary, "arms"), "doubts"), found);
}

/// A value of the manifest, as the summary should have it.
fn computed(fact: &Value) -> Computed {
    match fact {
        Value::Bool(flag) => Computed::Flag(*flag),
        Value::String(text) => Computed::Text(text.clone()),
        Value::Number(number) => match (number.as_u64(), number.as_f64()) {
            (Some(whole), _) => Computed::Whole(whole),
            (None, Some(real)) => Computed::Real(real),
            (None, None) => Computed::Unknown,
        },
        Value::Null | Value::Array(_) | Value::Object(_) => Computed::Unknown,
    }
}
