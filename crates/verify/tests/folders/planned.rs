//! A planned experiment: six rounds of arms of every kind, of which one run is
//! void and one a lower bound, and some missing; guesses, bounds and twins.

use crate::common::{self, Run, facts_of, manifest_facts};
use analysis::{ExperimentFacts, GuessFigure, GuessSummary, Summary, Verdict};
use model::{
    Bound, Load, MachineStory, Nanos, Number, Outcome, Pairing, PlanFacts, PlannedGuess, RunRecord,
    SampleSource, Seed, Told, ToolFacts,
};
use sha2::{Digest, Sha256};
use std::path::Path;
use store::{Folder, StoredRun};

pub const PLAN: &str = "question = \"Do two computations agree?\"\n";
const ROUNDS: u32 = 6;

/// Runs as they were made: round by round.
pub fn runs() -> Vec<Run> {
    let mut runs: Vec<Run> = (1..=ROUNDS).flat_map(round).collect();
    // Not all were made before an interruption.
    runs.retain(|run| run.facts.round <= 2 || !["locust", "command"].contains(&run.facts.arm.as_str()));
    runs
}

fn round(round: u32) -> Vec<Run> {
    let mut stalled = common::stalled("open-stalls");
    slower(&mut stalled, round, 0);
    if round == 2 {
        // Too many fail for an exact p99.
        let few = stalled.samples.iter_mut().step_by(30);
        few.for_each(|sample| sample.outcome = Outcome::Reset);
    }
    let mut open = common::open("open", |_| {});
    slower(&mut open, round, 1);
    if round == 5 {
        open.samples.iter_mut().for_each(|sample| sample.outcome = Outcome::Refused);
    }
    let mut again = common::open("open-again", |_| {});
    slower(&mut again, round, 2);
    let mut paced = common::looped("paced", common::paced(), true, true);
    paced.facts.capacity_per_s = None;
    slower(&mut paced, round, 3);
    let mut closed = common::looped("closed", Load::Closed { connections: 4 }, true, false);
    slower(&mut closed, round, 4);
    let mut runs = vec![stalled, open, again, paced, closed, locust(), wrk(round), command()];
    for run in &mut runs {
        run.facts.round = round;
        run.facts.seed = Seed(7).derive("round").derive(&round.to_string());
        run.end.machine = Some(story(round));
        common::agree(run);
    }
    runs
}

/// Every round differs, and in every round each arm from the others.
fn slower(run: &mut Run, round: u32, arm: u64) {
    for sample in &mut run.samples {
        let most = 20_000 * (u64::from(round) + 3 * arm);
        sample.done += Nanos(Seed(u64::from(round)).derive("slower").mark(10 * sample.index + arm) % most);
    }
}

/// A tool that gives the time of every request, and no moment at which it was due.
fn locust() -> Run {
    let mut run = common::looped("locust", common::paced(), true, true);
    for sample in &mut run.samples {
        sample.scheduled = sample.sent.expect("all were sent");
        sample.waited = Nanos::ZERO;
    }
    run.facts.tool = tool("locust", "locust --headless");
    run.facts.capacity_per_s = None;
    run.end.told = Some(Told { requests: Some(1_800), gave_samples: true, ..Told::default() });
    run
}

/// A tool that prints its own percentiles.
fn wrk(round: u32) -> Run {
    let mut run = told("wrk", "wrk -c 8 URL");
    let ns = |value: u64| Some(Nanos(value + u64::from(round) * 1_000));
    run.end.told = Some(Told {
        requests: Some(1_500 + u64::from(round)),
        failed: Some(u64::from(round) % 3),
        rate_per_s: round.is_multiple_of(2).then_some(251.3),
        mean: ns(1_200_000),
        p50: ns(1_100_000),
        p99: ns(4_200_000),
        max: ns(9_000_000),
        ..Told::default()
    });
    run
}

/// A command of whose output nothing is read: it tells no number at all.
fn command() -> Run {
    told("command", "sh -c curl")
}

fn told(arm: &str, command: &str) -> Run {
    let mut run = common::looped(arm, Load::Closed { connections: 8 }, false, false);
    run.samples.clear();
    run.facts.tool = tool(arm, command);
    run
}

fn tool(name: &str, command: &str) -> Option<ToolFacts> {
    Some(ToolFacts { name: name.to_owned(), command: command.to_owned() })
}

fn story(round: u32) -> MachineStory {
    MachineStory {
        idle_before: Some(0.97),
        load_before: Some(0.25),
        waited_for_quiet: Nanos::from_millis(1_234 * u64::from(round)),
        was_quiet: Some(true),
        steal_share: Some(0.000_3),
        other_cores: (round > 1).then_some(0.021),
        throttled: Some(0),
        log_lines: Some(u64::from(round)),
        sessions: Some(1),
        service_core_share: Some(0.41),
    }
}

pub fn plan() -> PlanFacts {
    let flags = vec!["rounds.count=6".to_owned()];
    let text = format!("{PLAN}\n{}", flags[0]);
    let names = ["open-stalls", "open", "open-again", "paced", "closed", "locust", "wrk", "command"];
    let pair =
        |a: &str, b: &str, number, is_twin| Pairing { a: a.to_owned(), b: b.to_owned(), number, is_twin };
    let bound = |number, millis| Bound { number, at_most: Nanos::from_millis(millis) };
    PlanFacts {
        sha256: Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect(),
        flags,
        arms: names.map(str::to_owned).to_vec(),
        rounds: ROUNDS,
        pairings: vec![
            pair("open-again", "open", Number::P99, true),
            pair("open-again", "paced", Number::P50, false),
            pair("open-again", "open-stalls", Number::P99, false),
            pair("paced", "wrk", Number::P99, false),
            pair("paced", "open-stalls", Number::Mean, false),
            pair("open", "command", Number::Max, false),
        ],
        bounds: vec![bound(Number::P99, 10), bound(Number::P50, 1), bound(Number::Max, 5_000)],
        guesses: guesses().into_iter().map(|(guess, ..)| guess).collect(),
    }
}

/// A figure that a guess names: its arm and its name.
type Named = (&'static str, &'static str);

/// A guess, what becomes of it, and the figures it names.
pub type Guess = (PlannedGuess, &'static str, Vec<Named>);

/// Guesses, what becomes of them, and the figures they name.
fn guesses() -> Vec<Guess> {
    let guess = |holds: &str, is_late, verdict, figures: &[Named]| {
        let name = format!("{verdict}-{}", holds.len());
        let guess = PlannedGuess { name, says: "So it will be".to_owned(), holds: holds.to_owned(), is_late };
        (guess, verdict, figures.to_vec())
    };
    let mut all = vec![
        guess(
            "arm['open-stalls'].p50_ms | min > 0.5 and arm['paced'].stalls | min == 6",
            false,
            "right",
            &[("open-stalls", "p50_ms"), ("paced", "stalls")],
        ),
        guess(
            "0 < (arm['wrk'].p99_ms | max) / arm.paced.p99_ms | max < 0.001",
            false,
            "wrong",
            &[("wrk", "p99_ms"), ("paced", "p99_ms")],
        ),
        // One of its rounds is void, and one of the others a lower bound.
        guess("arm['open'].p99_ms | median < 1_000", false, "cannot say", &[("open", "p99_ms")]),
        guess("arm['open-stalls'].p99_ms | max > 1", false, "cannot say", &[("open-stalls", "p99_ms")]),
        guess("not arm['locust'].late_p99_ms | sum > 1", false, "cannot say", &[("locust", "late_p99_ms")]),
        guess("arm['locust'].episodes | min >= 0", false, "cannot say", &[("locust", "episodes")]),
        guess("arm['command'].ok | min >= 0", false, "cannot say", &[("command", "ok")]),
    ];
    let known = |figure: &'static str| {
        guess(&format!("arm['paced'].{figure} | mean >= 0"), false, "right", &[("paced", figure)])
    };
    all.extend(KNOWN.map(known));
    all.push(guess("arm['closed'].kept_up | min == 1", true, "cannot say", &[("closed", "kept_up")]));
    all
}

/// Figures that are known of the paced arm; with those above, all that there are.
#[rustfmt::skip] // They are a table.
const KNOWN: [&str; 29] = [
    "p50_ms", "p90_ms", "p95_ms", "p99_ms", "p999_ms", "max_ms", "mean_ms",
    "service_p50_ms", "service_p99_ms", "service_max_ms", "late_p50_ms", "late_p99_ms",
    "corrected_hdr_p99_ms", "corrected_utilisation_p99_ms", "corrected_replay_p99_ms",
    "rate_per_s", "scheduled", "ok", "failed", "unfinished", "never_sent", "episodes", "stalls",
    "sent_during_stalls", "first_window_p99_ms", "near_mean_share", "overlapped_share",
    "cpu_us_per_request", "core_share",
];

/// Writes the experiment. `said` takes the place of what analysis says, if given.
pub fn write(path: &Path, runs: &[Run], said: Option<&str>) {
    write_planned(path, runs, said, plan(), guesses());
}

/// The same of any plan. Its guesses are those that it was made with.
pub fn write_planned(path: &Path, runs: &[Run], said: Option<&str>, plan: PlanFacts, guesses: Vec<Guess>) {
    let folder = Folder::create(path).expect("an empty folder");
    folder.write_text("plan.toml", PLAN).expect("space");
    folder.write_plan(&plan).expect("space");
    // One that was cut short, put aside and made once more.
    common::store(&folder, &runs[..1]);
    folder.set_aside(&folder.runs().expect("readable runs")[0]).expect("space");
    common::store(&folder, runs);
    folder.write_machine(&common::machine()).expect("space");
    let of_folder = || report::json::summary(&summary(&folder, plan, guesses));
    let summary = said.map_or_else(of_folder, str::to_owned);
    common::report(&folder, &summary);
    common::seal(&folder);
}

/// What the tester says of a folder.
fn summary(folder: &Folder, plan: PlanFacts, guesses: Vec<Guess>) -> Summary {
    let stored = folder.runs().expect("readable runs");
    let capacity = analysis::capacity(stored.iter().map(StoredRun::record));
    let judged = |run: &StoredRun| {
        let mut record = run.record().clone();
        record.facts.capacity_per_s = record.facts.capacity_per_s.or(capacity);
        analysis::run(&record, run, analysis::Alongside::default()).expect("readable samples")
    };
    let runs = stored.iter().map(judged).collect();
    let facts = ExperimentFacts { plan: Some(plan), ..facts_of(&manifest_facts()) };
    let mut summary = analysis::experiment(facts, runs);
    for arm in &mut summary.arms {
        let is_void =
            |round| arm.runs.iter().any(|run| run.facts.round == round && run.verdict == Verdict::Void);
        let of_arm = stored.iter().filter(|run| {
            let facts = &run.record().facts;
            facts.arm == arm.name && !is_void(facts.round)
        });
        let of_arm: Vec<(&RunRecord, &dyn SampleSource)> =
            of_arm.map(|run| (run.record(), run as &dyn SampleSource)).collect();
        arm.pooled = analysis::pooled(&of_arm).expect("readable samples");
    }
    summary.guesses = guesses
        .into_iter()
        .map(|(guess, verdict, figures)| {
            let figure = |(arm, figure): (&str, &str)| GuessFigure {
                arm: arm.to_owned(),
                figure: figure.to_owned(),
                values: summary.figure(arm, figure),
            };
            GuessSummary { guess, verdict, figures: figures.into_iter().map(figure).collect() }
        })
        .collect();
    summary
}
