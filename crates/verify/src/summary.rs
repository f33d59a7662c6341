//! The whole folder: every run that it holds against every run reported.

use crate::alongside::Alongside;
use crate::check::{Computed, List};
use crate::folder::{entries, name_of, read_json};
use crate::manifest::{Manifest, ManifestRun, Plan};
use crate::own::{Own, Reported};
use crate::record::{Load, Record};
use crate::run::worst_weight;
use crate::{Mismatch, Verification, VerifyError, experiment, page, run, samples, shape, told};
use serde_json::{Value, json};
use std::path::Path;

/// What is reported and has no figure of its own to compare.
const NOT_COMPARED: [&str; 3] = [
    "what report.html and report.md show: the page carries the figures it was made from, and these are compared",
    "doubts that leave a run valid or doubtful, and every sentence: a verdict is only held against its doubts",
    "examples of failures, which no sample holds",
];

/// What is said of an arm that its runs together decide.
const OF_RUNS: [&str; 3] = ["pooled_response_time_ns", "windows", "ramp"];

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
    let paths = entries(&folder.join("runs"))?;
    let paths: Vec<_> = paths.iter().filter(|path| path.join("run.json").exists()).collect();
    let records = paths.iter().map(|path| Record::read(path)).collect::<Result<Vec<_>, _>>()?;
    let capacity = capacity(&records);
    let mut own = Own::default();
    for (path, mut record) in paths.into_iter().zip(records) {
        record.facts.capacity_per_s = record.facts.capacity_per_s.or(capacity);
        check_run(path, &record, &manifest, &mut reported, &mut own, &mut found)?;
    }
    for (arm, run) in reported.left {
        found.mismatches.push(Mismatch {
            run: format!("R{}-{arm}", run["round"]),
            name: "run".to_owned(),
            reported: "a run".to_owned(),
            computed: "no samples".to_owned(),
        });
    }
    for (name, arm) in &reported.arms {
        let mut list = List::default();
        own.pooled(name, &mut list);
        experiment::spread(&own.arms[*name], own.changes(name), &mut list);
        let bounds = manifest.plan.as_ref().map_or(&[][..], |plan| &plan.bounds[..]);
        shape::ramp::list(own.shapes.get(*name), &own.arms[*name], bounds, &mut list);
        list.compare(name, &with_steepness(only(arm, &OF_RUNS)), &mut found);
    }
    check_whole(&summary, &own, &manifest, &mut found);
    page::check(folder, &summary, &mut found)?;
    manifest.note_edited_plan(folder, &mut found)?;
    found.not_checked.extend(NOT_COMPARED.map(str::to_owned));
    Ok(found)
}

/// Answers a second that the service can give, as the folder's own runs show
/// it: the most that a closed loop of doorclock's got without stalls.
fn capacity(records: &[Record]) -> Option<f64> {
    let tells = |record: &&Record| {
        let is_closed = matches!(record.facts.load, Load::Closed { .. }) && record.facts.tool.is_none();
        is_closed
            && !record.facts.load_changes()
            && record.facts.stalls_asked != Some(true)
            && !record.end.interrupted
    };
    let rates = records.iter().filter(tells).map(|record| {
        let length = record.end.counted_until_ns.saturating_sub(record.facts.warm_up_ns);
        if length == 0 { 0.0 } else { record.end.taken_counted as f64 / (length as f64 / 1e9) }
    });
    rates.filter(|rate| *rate > 0.0).max_by(f64::total_cmp)
}

fn check_run(
    path: &Path,
    record: &Record,
    manifest: &Manifest,
    reported: &mut Reported<'_>,
    own: &mut Own,
    found: &mut Verification,
) -> Result<(), VerifyError> {
    let name = name_of(path);
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
    let told = record.told_alone();
    let alongside = Alongside::read(path, record)?;
    let list = match &told {
        Some(told) => told::list(record, told, &alongside, run),
        None => run::list(record, &rows, &alongside, run),
    };
    let of_arm = arm_list(record);
    let times = told.is_none().then(|| run::response_times(record, &rows));
    own.add(&record.facts.arm, of_arm.tree(), list.tree(), times);
    if let Some(shape) = &record.facts.shape {
        own.shapes.entry(record.facts.arm.clone()).or_insert_with(|| shape.clone());
    }
    list.compare(&name, &with_void_doubts(run), found);
    of_arm.compare(&record.facts.arm, &without(arm, &[&["runs"], &OF_RUNS[..]].concat()), found);
    if let Some(kept) = manifest.runs.iter().find(|kept| kept.folder == format!("runs/{name}")) {
        let is_planned = manifest.plan.as_ref().is_none_or(|plan| plan.asks_for(&record.facts));
        manifest_list(record).compare(&name, &manifest_facts(kept, is_planned), found);
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
    let tool = record.facts.tool.as_ref();
    list.maybe_text("tool", tool.map(|tool| tool.name.as_str()));
    list.maybe_text("command", tool.map(|tool| tool.command.as_str()));
    list
}

fn manifest_list(record: &Record) -> List {
    let mut list = List::default();
    list.text("manifest.seed", &record.facts.seed);
    list.flag("manifest.is_planned", Some(true));
    list.maybe_text("manifest.schedule_sha256", record.facts.schedule_sha256.as_deref());
    list
}

fn manifest_facts(kept: &ManifestRun, is_planned: bool) -> Value {
    let (seed, hash) = (&kept.seed, &kept.schedule_sha256);
    json!({"manifest": {"seed": seed, "schedule_sha256": hash, "is_planned": is_planned}})
}

/// The run with a list of the doubts that are said to make it void.
fn with_void_doubts(run: &Value) -> Value {
    let doubts = run["doubts"].as_array().into_iter().flatten();
    let void: Vec<&Value> =
        doubts.filter(|doubt| doubt["weight"] == "void").map(|doubt| &doubt["code"]).collect();
    let void = json!(void);
    let mut run = without(run, &["doubts"]);
    if let Some(fields) = run.as_object_mut() {
        fields.insert("void_doubts".to_owned(), void);
    }
    run
}

/// Why a ramp is too steep is a sentence; that it is can be compared.
fn with_steepness(mut arm: Value) -> Value {
    if let Some(ramp) = arm["ramp"].as_object_mut() {
        let is_steep = ramp.remove("too_steep").is_some_and(|why| !why.is_null());
        ramp.insert("is_too_steep".to_owned(), json!(is_steep));
    }
    arm
}

fn without(object: &Value, names: &[&str]) -> Value {
    part(object, &|name| !names.contains(&name))
}

fn only(object: &Value, names: &[&str]) -> Value {
    part(object, &|name| names.contains(&name))
}

fn part(object: &Value, is_in: &dyn Fn(&str) -> bool) -> Value {
    let fields = object.as_object().into_iter().flatten().filter(|(name, _)| is_in(name));
    fields.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// What is said of the experiment: the worst verdict, all that is made of its
/// runs together, and what the manifest has word for word.
fn check_whole(summary: &Value, own: &Own, manifest: &Manifest, found: &mut Verification) {
    let mut list = List::default();
    let runs = own.runs();
    let verdicts: Vec<&str> = runs.iter().filter_map(|run| run["verdict"].as_str()).collect();
    let verdicts = verdicts.into_iter().chain([worst_weight(summary)]).collect::<Vec<&str>>();
    let worst = ["void", "doubtful"].into_iter().find(|verdict| verdicts.contains(verdict));
    list.text("verdict", if runs.is_empty() { "void" } else { worst.unwrap_or("valid") });
    list.whole("format", 1);
    let of_manifest = [
        ("question", &manifest.question),
        ("tool_version", &manifest.tool_version),
        ("began", &manifest.began_utc),
    ];
    of_manifest.into_iter().for_each(|(name, text)| list.text(name, text.as_deref().unwrap_or("unknown")));
    let plan = manifest.plan.as_ref();
    experiment::list(&own.arms, &summary["guesses"], plan, &mut list);
    let are_missing = plan.and_then(Plan::runs).is_some_and(|planned| (runs.len() as u64) < planned);
    list.flag("runs_missing", Some(are_missing));
    for (name, fact) in manifest.machine.as_ref().and_then(Value::as_object).into_iter().flatten() {
        list.add(format!("machine.{name}"), Computed::of(fact));
    }
    let late = summary["guesses"].as_array().into_iter().flatten().filter(|guess| guess["late"] == true);
    let late =
        late.map(|guess| format!("the words of the late guess {}, which only plan.toml has", guess["name"]));
    found.not_checked.extend(late);
    let mut said = without(summary, &["arms", "doubts"]);
    let doubts = summary["doubts"].as_array().into_iter().flatten();
    said["runs_missing"] = json!(doubts.into_iter().any(|doubt| doubt["code"] == "runs-missing"));
    list.compare("summary", &said, found);
}
