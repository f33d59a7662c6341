//! What a plan will do, drawn before anything is sent.

use crate::numbers::{count, counted, length, share};
use crate::words;
use analysis::{ArmOutlook, Outlook, P99Outlook};
use model::{Load, Nanos, Rate};

/// Columns of the drawing of load over time.
const WIDTH: u64 = 40;

/// The screen of `doorclock check`.
pub fn outlook(question: &str, outlook: &Outlook, per_run: Nanos) -> String {
    let mut lines = vec![question.to_owned(), String::new()];
    lines.extend(drawing(outlook));
    lines.push(String::new());
    lines.extend(outlook.arms.iter().map(will_send));
    lines.push(String::new());
    lines.extend(long_enough(outlook));
    lines.extend(comparisons(outlook));
    lines.push(duration(outlook, per_run));
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
        let bar = "░".repeat(light) + &"█".repeat(all - light);
        format!("{:<name$} {bar:<40} {}", arm.name, load(arm.load, arm.tool.as_deref()))
    };
    let axis = format!("{:<name$} 0{:>39}", "", length(longest));
    outlook.arms.iter().map(row).chain([axis]).collect()
}

fn load(load: Load, tool: Option<&str>) -> String {
    let says = words::load_in_short(load);
    tool.map_or(says.clone(), |tool| format!("{tool}: {says}"))
}

fn will_send(one: &ArmOutlook) -> String {
    let arm = &one.arm;
    let counted_part = length(arm.measure);
    let requests = match (one.requests, arm.load.target_rate().map(Rate::as_per_second)) {
        (Some(requests), Some(_)) => format!("about {} requests in {counted_part}", count(requests as u64)),
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
    let says = |(kind, names): (P99Outlook, Vec<&str>)| format!("{}: {}", named(&names), p99(kind));
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

fn p99(kind: P99Outlook) -> String {
    match kind {
        P99Outlook::TooFewRequests => {
            "TOO SHORT: fewer than 1,000 requests a run; its slowest 1 % are a handful".to_owned()
        }
        P99Outlook::NoP99 { enough } => {
            format!("TOO SHORT for a p99: fewer than 5 stalls a run; {} hold 10 (`measure`)", length(enough))
        }
        P99Outlook::Weak { enough } => {
            format!("long enough for a weak p99: 5 to 9 stalls a run; {} hold 10 (`measure`)", length(enough))
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

/// Minutes from ten minutes on: nobody plans a lunch break by seconds.
fn roughly(time: Nanos) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 600.0 {
        length(Nanos::from_secs(seconds.ceil() as u64))
    } else {
        format!("{:.0} min", seconds / 60.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::PlannedArm;
    use model::ArrivalProcess;

    fn arm(name: &str, load: Load, measure_s: u64, stalls_every_s: Option<u64>) -> PlannedArm {
        PlannedArm {
            name: name.to_owned(),
            load,
            tool: (name == "wrk").then(|| "wrk".to_owned()),
            warm_up: Nanos::from_secs(5),
            measure: Nanos::from_secs(measure_s),
            stalls_every: stalls_every_s.map(Nanos::from_secs),
        }
    }

    #[test]
    fn the_screen_says_what_is_sent_how_long_it_takes_and_whether_that_is_enough() {
        let rate = Rate::per_second(546.0).expect("a rate");
        let open = Load::Open { rate, arrivals: ArrivalProcess::Poisson };
        let closed = Load::Closed { connections: 8 };
        let arms = vec![
            arm("open", open, 15, Some(4)),
            arm("open-long", open, 35, Some(4)),
            arm("open-calm", open, 15, None),
            arm("wrk", closed, 15, Some(4)),
        ];
        let plan = analysis::outlook(arms, 6, 3);
        insta::assert_snapshot!(outlook("Which of these see the stalls?", &plan, Nanos::from_secs(4)));
    }
}
