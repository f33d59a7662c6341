//! What a plan will do, drawn before anything is sent.

mod shape;

use crate::numbers::{belong_together, chosen, count, counted, length, share};
use crate::words;
use analysis::{ArmOutlook, Outlook, P99Outlook, PlannedArm};
use model::{Nanos, Rate, Shape};

/// Columns of the drawing of load over time.
const WIDTH: u64 = 40;
/// A screen's width.
const SCREEN: usize = 80;

/// The screen of `doorclock check`.
pub fn outlook(question: &str, outlook: &Outlook, per_run: Nanos) -> String {
    let mut lines = vec![question.to_owned(), String::new()];
    lines.extend(drawing(outlook));
    lines.push(String::new());
    lines.extend(shapes(outlook));
    lines.extend(outlook.arms.iter().flat_map(|arm| wrapped(0, &will_send(arm))));
    lines.push(String::new());
    let says =
        long_enough(outlook).into_iter().chain(comparisons(outlook)).chain([duration(outlook, per_run)]);
    lines.extend(says.flat_map(|says| wrapped(0, &says)));
    lines.join("\n") + "\n"
}

/// A row an arm on one time axis: light where nothing is counted, dark where it is.
fn drawing(outlook: &Outlook) -> Vec<String> {
    let longest =
        outlook.arms.iter().map(|arm| arm.arm.warm_up + arm.arm.measure).max().unwrap_or(Nanos::ZERO);
    let name = outlook.arms.iter().map(|arm| arm.arm.name.chars().count()).max().unwrap_or(0);
    let columns = |time: Nanos| {
        let exact = u128::from(time.0) * u128::from(WIDTH) / u128::from(longest.0.max(1));
        exact as usize
    };
    let row = |one: &ArmOutlook| {
        let arm = &one.arm;
        let all = columns(arm.warm_up + arm.measure).max(1);
        let light = columns(arm.warm_up).min(all - 1);
        let dark = match &arm.shape {
            Some(shape) => shape::row(shape, all - light),
            None => "█".repeat(all - light),
        };
        let bar = "░".repeat(light) + &dark;
        format!("{:<name$} {bar:<40} {}", arm.name, load(arm))
    };
    let axis = format!("{:<name$} 0{:>39}", "", long(longest));
    outlook.arms.iter().map(row).chain([axis]).collect()
}

fn load(arm: &PlannedArm) -> String {
    let says = match &arm.shape {
        // In full it stands below.
        Some(shape) => format!("{} loop, {}", arm.load.name(), shape.kind.name()),
        None => words::load_in_short(arm.load),
    };
    arm.tool.as_ref().map_or(says.clone(), |tool| format!("{tool}: {says}"))
}

/// Every shape once, under the names of the arms that have it.
fn shapes(outlook: &Outlook) -> Vec<String> {
    let mut found: Vec<(&Shape, &ArmOutlook, Vec<&str>)> = Vec::new();
    for one in &outlook.arms {
        let Some(shape) = &one.arm.shape else { continue };
        match found.iter_mut().find(|(other, first, _)| *other == shape && first.shape == one.shape) {
            Some((_, _, names)) => names.push(&one.arm.name),
            None => found.push((shape, one, vec![&one.arm.name])),
        }
    }
    let drawn = |(shape, first, names): (&Shape, &ArmOutlook, Vec<&str>)| {
        let of = first.shape.as_ref();
        let mut lines =
            of.map_or(Vec::new(), |of| shape::whole(&named(&names), shape, of, &first.arm.skipped));
        lines.push(String::new());
        lines
    };
    found.into_iter().flat_map(drawn).collect()
}

fn will_send(one: &ArmOutlook) -> String {
    let arm = &one.arm;
    let counted_part = long(arm.measure);
    let requests = match (one.requests, arm.load.target_rate().map(Rate::as_per_second)) {
        (Some(requests), _) if arm.shape.as_ref().is_some_and(|shape| shape.replay.is_some()) => {
            format!("{} recorded requests in {counted_part}", count(requests.round() as u64))
        }
        (Some(requests), Some(_)) => {
            format!("about {} requests in {counted_part}", count(requests.round() as u64))
        }
        _ => format!("as many requests as the service answers in {counted_part}"),
    };
    let stalls = one.stalls.map_or(String::new(), |stalls| format!(", about {stalls:.1} stalls"));
    format!("{}: {requests} a run{stalls}", arm.name)
}

/// Arms with the same outlook are named together.
fn long_enough(outlook: &Outlook) -> Vec<String> {
    let mut kinds: Vec<(P99Outlook, Vec<&str>)> = Vec::new();
    for one in &outlook.arms {
        match kinds.iter_mut().find(|(kind, _)| *kind == one.p99) {
            Some((_, names)) => names.push(&one.arm.name),
            None => kinds.push((one.p99, vec![&one.arm.name])),
        }
    }
    let has_shapes = outlook.arms.iter().any(|one| one.arm.shape.is_some());
    let by = if has_shapes { "`measure`, or the shape" } else { "`measure`" };
    let says = |(kind, names): (P99Outlook, Vec<&str>)| format!("{}: {}", named(&names), p99(kind, by));
    kinds.into_iter().map(says).collect()
}

/// At most three names, and how many more.
fn named(names: &[&str]) -> String {
    match names {
        [first, second, third, rest @ ..] if rest.len() > 1 => {
            format!("{first}, {second}, {third} and {} more", rest.len())
        }
        names => names.join(", "),
    }
}

/// `by` is what makes a run longer.
fn p99(kind: P99Outlook, by: &str) -> String {
    match kind {
        P99Outlook::TooFewRequests => {
            "TOO SHORT: fewer than 1,000 requests a run; its slowest 1 % are a handful".to_owned()
        }
        P99Outlook::NoP99 { enough } => {
            format!("TOO SHORT for a p99: fewer than 5 stalls a run; {} hold 10 ({by})", length(enough))
        }
        P99Outlook::Weak { enough } => {
            format!("long enough for a weak p99: 5 to 9 stalls a run; {} hold 10 ({by})", length(enough))
        }
        P99Outlook::Enough => "long enough for a p99: 10 stalls a run or more".to_owned(),
        P99Outlook::Unknown => {
            "whether it is long enough shows after a run, by how many slow events it met".to_owned()
        }
    }
}

fn comparisons(outlook: &Outlook) -> Vec<String> {
    let Some(needed) = outlook.rounds_needed else {
        return vec!["nothing is compared".to_owned()];
    };
    let pairs = counted(u64::from(outlook.pairs), "pair");
    let rounds = counted(u64::from(outlook.rounds), "round");
    let enough = if outlook.rounds >= needed {
        format!("{pairs} compared over {rounds}: enough to tell one apart at 5 %")
    } else {
        format!(
            "{pairs} compared over {rounds}: TOO FEW to tell one apart at 5 %; {needed} are enough (`rounds.count`)"
        )
    };
    let floor = format!("the least p that {rounds} can give is {:.3}", outlook.p_floor);
    let visible = outlook.smallest_visible.map(|effect| {
        format!(
            "a difference of {} shows four times in five, if paired rounds scatter by {}",
            share(effect),
            share(outlook.assumed_sd)
        )
    });
    [enough, floor].into_iter().chain(visible).collect()
}

fn duration(outlook: &Outlook, per_run: Nanos) -> String {
    let runs = u64::from(outlook.rounds) * outlook.arms.len() as u64;
    let all = outlook.length + per_run * runs;
    format!(
        "{} ({} × {}), about {} in all",
        counted(runs, "run"),
        counted(outlook.arms.len() as u64, "arm"),
        counted(u64::from(outlook.rounds), "round"),
        roughly(all)
    )
}

/// Lines of a screen's width, set in by `indent`, and the later ones by two more.
fn wrapped(indent: usize, text: &str) -> Vec<String> {
    // A number stays with its unit.
    let mut words: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match words.last_mut() {
            Some(last) if belong_together(last, word) => *last = format!("{last} {word}"),
            _ => words.push(word.to_owned()),
        }
    }
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(last) if last.chars().count() + 1 + word.chars().count() <= SCREEN => {
                last.push(' ');
                last.push_str(&word);
            }
            Some(_) => lines.push(format!("{:indent$}  {word}", "")),
            None => lines.push(format!("{:indent$}{word}", "")),
        }
    }
    lines
}

/// A length that somebody chose, in hours and to their hundredth where it is long.
fn long(time: Nanos) -> String {
    let seconds = time.as_secs_f64();
    if seconds <= 18_000.0 { length(time) } else { format!("{} h", chosen((seconds / 36.0).round() / 100.0)) }
}

/// Minutes from ten minutes on, and hours from five: nobody plans a lunch break by seconds.
fn roughly(time: Nanos) -> String {
    match time.as_secs_f64() {
        seconds if seconds < 600.0 => length(Nanos::from_secs(seconds.ceil() as u64)),
        seconds if seconds < 18_000.0 => format!("{:.0} min", seconds / 60.0),
        seconds => format!("{:.0} h", seconds / 3_600.0),
    }
}

#[cfg(test)]
mod tests;
