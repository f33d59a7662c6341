//! The first screen: one run, its numbers, and whether to believe them.

use super::bars::{GAP, sparkline};
use super::screen::{Screen, WIDTH, shortened};
use super::shape::strips;
use crate::experiment::shapes::{Shaped, steady};
use crate::numbers::{count, measured, point};
use crate::words;
use analysis::{ArmSummary, Corrected, Distribution, RampFigures, RunSummary, Verdict};
use model::{MachineFacts, ShapeKind};

/// One run on one screen. `folder` is where its results are kept, if they are.
///
/// A void run shows why, and where its requests went; none of its times.
pub fn quick_look(run: &RunSummary, machine: &MachineFacts, folder: Option<&str>) -> String {
    drawn(run, None, machine, folder)
}

/// The same of an arm that ran once, with the rates that its ramp shows.
pub fn quick_look_of_arm(arm: &ArmSummary, machine: &MachineFacts, folder: Option<&str>) -> String {
    let run = arm.runs.first().expect("an arm has a run");
    drawn(run, arm.ramp.as_ref(), machine, folder)
}

fn drawn(
    run: &RunSummary,
    ramp: Option<&RampFigures>,
    machine: &MachineFacts,
    folder: Option<&str>,
) -> String {
    let mut screen = Screen::default();
    heading(&mut screen, run, machine);
    screen.blank();
    if run.verdict == Verdict::Void {
        verdict(&mut screen, run);
        screen.field("", "No times are shown, because none of them should be used.");
        screen.blank();
        requests(&mut screen, run);
    } else {
        measured_times(&mut screen, run, ramp);
        requests(&mut screen, run);
        screen.field("rate", &words::rate(run));
        tester(&mut screen, run);
        service(&mut screen, run);
        screen.blank();
        verdict(&mut screen, run);
    }
    kept_in(&mut screen, folder);
    screen.finish()
}

/// What users waited. A load that changes over time is told by its own figures:
/// a percentile over all of its loads would be that of none of them.
fn measured_times(screen: &mut Screen, run: &RunSummary, ramp: Option<&RampFigures>) {
    let Some(shaped) = Shaped::of_run(run, ramp) else {
        times(screen, run);
        screen.blank();
        tail(screen, run);
        return over_time(screen, run);
    };
    if words::changes(run) {
        shaped.parts().iter().for_each(|part| screen.part(part));
        let is_drawn = strips(screen, &shaped);
        screen.blank();
        if !is_drawn {
            over_time(screen, run);
        }
        return late(screen, run);
    }
    // A steady load asks for a number, which the table has, a soak for what grows.
    let is_steady = shaped.shape.kind == ShapeKind::Steady;
    if !is_steady {
        shaped.parts().iter().for_each(|part| screen.part(part));
        screen.blank();
    }
    times(screen, run);
    screen.blank();
    tail(screen, run);
    over_time(screen, run);
    if is_steady {
        let drifts = steady::drifts(&shaped);
        drifts.iter().for_each(|says| screen.field("drift", says.trim_end_matches('.')));
    }
}

/// The tester's share, where no table of its clocks is drawn.
fn late(screen: &mut Screen, run: &RunSummary) {
    let Distribution { p50, p99, max, .. } = run.lateness.all;
    let times = format!("p50 {}, p99 {}, max {}", point(p50), point(p99), point(max));
    screen.field("sent late by", &format!("{times}: the tester’s share of the times above"));
}

fn heading(screen: &mut Screen, run: &RunSummary, machine: &MachineFacts) {
    screen.line(&shortened(&format!("{} {}", run.facts.method, run.facts.url), WIDTH));
    let machine = words::machine_in_short(machine);
    let separator = if machine.is_empty() { "" } else { " · " };
    screen.paragraph(&format!("{}{separator}{machine}", words::what_was_run(run)));
}

/// The table: three clocks, five percentiles.
fn times(screen: &mut Screen, run: &RunSummary) {
    let heads = ["p50", "p90", "p99", "p99.9", "max"].map(|head| format!("{head:>9}")).concat();
    screen.line(&format!("{:13}{heads}", ""));
    let p99 = measured(run.response_time.p99, run.p99_interval).value;
    row(screen, "response time", &run.response_time, Some(p99), "scheduled → done");
    if run.ok < run.scheduled {
        row(screen, "  of ok alone", &run.response_time_ok, None, "answered as expected");
    }
    row(screen, "service time", &run.service_time, None, "sent → done");
    row(screen, "sent late by", &run.lateness.all, None, "scheduled → sent");
}

/// `p99` stands in for the distribution's own where it is rounded to its interval.
fn row(screen: &mut Screen, label: &str, times: &Distribution, p99: Option<String>, clock: &str) {
    let p99 = p99.unwrap_or_else(|| point(times.p99));
    let cells = [point(times.p50), point(times.p90), p99, point(times.p999), point(times.max)];
    let cells = cells.map(|cell| format!("{cell:>9}")).concat();
    screen.line(&format!("{label:<13}{cells}  {clock}"));
}

/// The p99 with its interval and what it rests on.
fn tail(screen: &mut Screen, run: &RunSummary) {
    let p99 = measured(run.response_time.p99, run.p99_interval);
    screen.field("p99", &format!("{} {}: {}", p99.value, p99.bracket, words::episodes(run)));
}

/// The p99 slice by slice.
fn over_time(screen: &mut Screen, run: &RunSummary) {
    let values: Vec<_> = run.slices.iter().map(|slice| slice.p99).collect();
    if let Some((line, top)) = sparkline(&values) {
        let gaps = if line.contains(GAP) { format!("; {GAP} none due") } else { String::new() };
        let each = words::each_slice(&run.slices);
        screen.field("p99 over time", &format!("{line} {each}, linear 0 to {top}{gaps}"));
    }
}

/// Where every request went, and each kind of failure with an example.
fn requests(screen: &mut Screen, run: &RunSummary) {
    screen.field("scheduled", &words::conservation(run));
    for (number, (outcome, failed)) in run.failed.iter().filter(|(_, failed)| *failed > 0).enumerate() {
        let label = if number == 0 { "failed" } else { "" };
        let example = match words::example(run, outcome) {
            Some(seen) => format!(", for example: {}", shortened(seen, WIDTH)),
            None => String::new(),
        };
        screen.field(label, &format!("{} {}{example}", count(*failed), words::outcome(outcome)));
    }
    if let Some(resent) = words::resent(run) {
        screen.field("resent", &resent);
    }
}

fn tester(screen: &mut Screen, run: &RunSummary) {
    screen.field("tester", &words::tester_cost(run));
    if let Some(split) = words::lateness_split(run) {
        screen.field("", &split);
    }
    if let Some(trusted) = words::trusted(run) {
        screen.field("", &trusted);
    }
    if let Some(tls) = words::tls(run) {
        screen.field("TLS", &tls);
    }
    if let Some(clock) = words::answers_clock(run) {
        screen.field("answers", &clock);
    }
}

/// What is known of the service: its stalls, and what a closed or paced loop
/// may have missed because of them.
fn service(screen: &mut Screen, run: &RunSummary) {
    if let Some(stalls) = &run.stalls {
        screen.field("stalls", &words::stalls(stalls));
    }
    if let Some(corrected) = &run.corrected {
        corrections(screen, corrected);
    }
}

/// The p99 raw and corrected, never without what the corrections assume.
fn corrections(screen: &mut Screen, corrected: &Corrected) {
    let time = |p99: Option<model::Nanos>| p99.map_or("refused".into(), |p99| p99.to_string());
    let interval = corrected.expected_interval;
    screen.blank();
    screen.field("corrected", "A loop that waits with the service can miss its stalls. Its p99 is");
    screen.unbroken("", &format!("{:>9}  as measured", corrected.raw.to_string()));
    screen.unbroken("", &format!("{:>9}  by HdrHistogram's rule, one every {interval}", time(corrected.hdr)));
    let utilisation = match corrected.utilisation_share {
        Some(share) => format!("by the same rule for a service {} busy", crate::numbers::share(share)),
        None => "by the same rule for a service as busy as this one".into(),
    };
    screen.unbroken("", &format!("{:>9}  {utilisation}", time(corrected.utilisation)));
    for assumption in &corrected.assumptions {
        screen.field("", &format!("- {assumption}"));
    }
}

fn verdict(screen: &mut Screen, run: &RunSummary) {
    let head = words::verdict(run.verdict);
    let doubts = words::gravest_first(&run.doubts);
    if doubts.is_empty() {
        let text = if run.verdict == Verdict::Valid { words::NOTHING_AGAINST } else { "no reason was given" };
        return screen.field(head, text);
    }
    for (number, doubt) in doubts.into_iter().enumerate() {
        screen.field(words::doubt_label(run.verdict, doubt.weight, number), &words::doubt(doubt));
    }
}

fn kept_in(screen: &mut Screen, folder: Option<&str>) {
    let Some(folder) = folder else { return };
    screen.unbroken("kept in", folder);
    screen.unbroken("look at it", &format!("doorclock report {folder} --format html --open"));
}
