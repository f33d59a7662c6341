//! What grows while the load stays the same: a row for everything that was
//! watched, and the time until it is at its limit.

use super::Shaped;
use crate::experiment::{Part, named};
use crate::numbers::{UNKNOWN, amount, growth_an_hour, lasting, length, probability};
use crate::table::{Column, Table};
use analysis::{Grows, Growth};

/// Columns for which a terminal has no room; [`limits`] says the same.
pub(crate) const LIMIT: [&str; 2] = ["limit", "at it"];

/// `None` where nothing was watched.
pub(crate) fn part(of: &Shaped<'_>) -> Option<Part> {
    Some(Part {
        title: of.title("What grows").into(),
        says: says(of),
        table: Some(table(of)?),
        notes: notes(of),
    })
}

pub(crate) fn table(of: &Shaped<'_>) -> Option<Table> {
    let heads = [
        (Column::Name, "what"),
        (Column::Number, "round"),
        (Column::Number, "start → end"),
        (Column::Number, "an hour"),
        (Column::Text, "interval"),
        (Column::Text, "verdict"),
        (Column::Number, LIMIT[0]),
        (Column::Text, LIMIT[1]),
    ];
    let several = of.rounds() > 1;
    let watched =
        of.runs.iter().flat_map(|run| run.growth.iter().map(move |growth| (run.facts.round, growth)));
    let cells = |(round, growth): (u32, &Growth)| {
        let slope = growth_an_hour(growth);
        vec![
            growth.of.clone(),
            if several { round.to_string() } else { String::new() },
            ends(growth),
            slope.value,
            slope.bracket,
            growth.says.name().to_owned(),
            limit(growth).unwrap_or(UNKNOWN.into()),
            until(growth).unwrap_or(UNKNOWN.into()),
        ]
    };
    let table = Table::of(&heads, watched.map(cells).collect())?;
    Some(table.only_if_any(&["round"], "").only_if_any(&LIMIT, UNKNOWN))
}

/// `61.4 → 80.2 MiB`: the first and the last window of which a value is known.
fn ends(growth: &Growth) -> String {
    let known = || growth.windows.iter().copied().flatten();
    let (Some(first), Some(last)) = (known().next(), known().next_back()) else { return UNKNOWN.into() };
    let (first, last) = (amount(first, &growth.unit), amount(last, &growth.unit));
    match (first.rsplit_once(' '), last.rsplit_once(' ')) {
        (Some((number, unit)), Some((_, same))) if unit == same => format!("{number} → {last}"),
        _ => format!("{first} → {last}"),
    }
}

fn limit(growth: &Growth) -> Option<String> {
    Some(chosen_amount(growth.limit?, &growth.unit))
}

/// An amount that somebody chose, without digits that say nothing: `256 MiB`.
pub(crate) fn chosen_amount(amount: f64, unit: &str) -> String {
    crate::numbers::amount(amount, unit).replace(".00 ", " ").replace(".0 ", " ")
}

/// `in 1.2 h to 2.0 h`, `not before 3.4 h`.
fn until(growth: &Growth) -> Option<String> {
    Some(match growth.until_limit? {
        (least, Some(most)) if lasting(least) == lasting(most) => format!("in {}", lasting(least)),
        (least, Some(most)) => format!("in {} to {}", lasting(least), lasting(most)),
        (least, None) => format!("not before {}", lasting(least)),
    })
}

/// What grows first, then what falls, then all that cannot be told to.
pub(crate) fn says(of: &Shaped<'_>) -> Vec<String> {
    let mut names: Vec<&str> = Vec::new();
    for growth in of.runs.iter().flat_map(|run| &run.growth) {
        if !names.contains(&growth.of.as_str()) {
            names.push(&growth.of);
        }
    }
    let rounds = |name: &str| -> Vec<&Growth> {
        of.runs.iter().flat_map(|run| &run.growth).filter(|growth| growth.of == name).collect()
    };
    let moves = |verdict: Grows| {
        let sentence = move |name: &&str| moving(name, &rounds(name), verdict);
        names.iter().filter_map(sentence).collect::<Vec<String>>()
    };
    let whose = |verdict: Grows| -> Vec<&str> {
        names
            .iter()
            .copied()
            .filter(|name| rounds(name).iter().all(|growth| growth.says == verdict))
            .collect()
    };
    let about = |verdict: Grows, says: &str| {
        let names = whose(verdict);
        (!names.is_empty()).then(|| format!("{says}: {}.", named(&names)))
    };
    let (growing, falling) = (moves(Grows::Yes), moves(Grows::Falls));
    let nothing = match whose(Grows::TooShort).len() == names.len() || !growing.is_empty() {
        true => None,
        false => Some("Nothing that was watched is seen to grow.".to_owned()),
    };
    let rest = [
        about(Grows::Negligible, "A trend, but of less than 1 % of its level over the run"),
        about(Grows::NotSeen, "No growth that could be told from chance"),
        about(Grows::TooShort, "Too short to tell"),
    ];
    growing
        .into_iter()
        .chain(nothing)
        .chain(falling)
        .chain(rest.into_iter().flatten())
        .chain(limits(of))
        .collect()
}

/// `Limits, if it goes on like this: service descriptors (limit 1,024) not
/// before 23 days.` What grows has its limit said beside it.
fn limits(of: &Shaped<'_>) -> Option<String> {
    let has = |growth: &&Growth| growth.limit.is_some() && growth.says != Grows::Yes;
    let one = |growth: &Growth| {
        let limit = limit(growth).unwrap_or(UNKNOWN.into());
        let until = until(growth).unwrap_or_else(|| "cannot be said".into());
        format!("{} (limit {limit}) {until}", growth.of)
    };
    // The last round stands for all: they were asked the same.
    let said: Vec<String> = of.runs.last()?.growth.iter().filter(has).map(one).collect();
    (!said.is_empty()).then(|| format!("Limits, if it goes on like this: {}.", said.join("; ")))
}

/// `service rss grows by 120 MiB an hour [96, 140]; at its limit of 512 MiB in
/// 3 h to 5 h.`; over several rounds, in how many.
fn moving(name: &str, rounds: &[&Growth], verdict: Grows) -> Option<String> {
    let same: Vec<&&Growth> = rounds.iter().filter(|growth| growth.says == verdict).collect();
    let growth = *same.get(same.len().checked_sub(1)? / 2)?;
    let slope = growth_an_hour(growth);
    let often = if rounds.len() > 1 {
        format!(" in {} of {} rounds, in one of them", same.len(), rounds.len())
    } else {
        String::new()
    };
    let limit = match (limit(growth), until(growth)) {
        (Some(limit), Some(until)) => format!("; {until} it would be at its limit of {limit}"),
        (Some(limit), None) => format!("; its limit is {limit}"),
        (None, _) => String::new(),
    };
    let p = growth.p.map_or(String::new(), |p| format!(", p {}", probability(Some(p))));
    Some(format!("{name} {}{often} by {} an hour {}{p}{limit}.", verdict.name(), slope.value, slope.bracket))
}

/// How the windows were made and what is asked of a trend.
fn notes(of: &Shaped<'_>) -> Vec<String> {
    let first = of.runs.iter().flat_map(|run| &run.growth).find(|growth| !growth.windows.is_empty());
    let windows = first.map_or(String::new(), |growth| {
        format!(
            "Start and end are the first and the last of {} windows of {}: ",
            growth.windows.len(),
            length(growth.window)
        )
    });
    let what = "the median of response times, the least of a reading, so that what comes and goes is not taken for \
                growth. Slope: Theil–Sen, with Kendall’s interval. Grows: beyond chance by the exact Mann–Kendall test, \
                and by 1 % of its level or more over the run.";
    let text = if windows.is_empty() { format!("Of each window {what}") } else { format!("{windows}{what}") };
    vec![text]
}

/// A whole answer in few words, for one run: `grows: service rss`.
pub(crate) fn in_short(growth: &[Growth]) -> Option<String> {
    let whose = |verdict: Grows| -> Vec<&str> {
        growth.iter().filter(|growth| growth.says == verdict).map(|growth| growth.of.as_str()).collect()
    };
    match (&whose(Grows::Yes)[..], whose(Grows::TooShort).len()) {
        _ if growth.is_empty() => None,
        ([], short) if short == growth.len() => Some("too short to tell what grows".into()),
        ([], _) => Some("nothing is seen to grow".into()),
        (names, _) => Some(format!("grows: {}", named(names))),
    }
}
