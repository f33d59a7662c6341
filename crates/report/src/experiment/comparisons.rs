//! What is told apart from what, by how much, and what could have been seen.

use super::Part;
use crate::numbers::{Measured, UNKNOWN, change, counted, probability, share};
use crate::table::{Column, Table};
use analysis::{Comparison, Summary};

/// `open-calm against open`.
pub(crate) fn pair(one: &Comparison) -> String {
    format!("{} against {}", one.pairing.b, one.pairing.a)
}

/// The change from a to b with its interval.
pub(crate) fn effect(one: &Comparison) -> Measured {
    change(one.effect, one.low, one.high)
}

/// `told apart`, `not told apart`, or why neither; of twins, what that makes of
/// the tool itself.
pub(crate) fn verdict(one: &Comparison) -> &'static str {
    match (one.pairing.is_twin, one.told_apart) {
        (true, Some(true)) => "told apart from itself: a FALSE ALARM",
        (true, Some(false)) => "not told apart: no false alarm",
        (false, Some(true)) => "told apart",
        (false, Some(false)) => "not told apart",
        (_, None) => "too few rounds to say",
    }
}

/// The plain rule's word: yes, no or a dash.
fn plain_rule(one: &Comparison) -> &'static str {
    one.plain_rule.map_or(UNKNOWN, |apart| if apart { "yes" } else { "no" })
}

/// p with its floor, and what Holm's correction makes of it.
fn chance(one: &Comparison) -> String {
    let floor = one.p_floor.map_or(String::new(), |_| format!("floor {}", probability(one.p_floor)));
    let holm = one.p_holm.map_or(String::new(), |_| format!("Holm {}", probability(one.p_holm)));
    let known: Vec<String> = [floor, holm].into_iter().filter(|text| !text.is_empty()).collect();
    let rest = if known.is_empty() { String::new() } else { format!(" ({})", known.join(", ")) };
    format!("p {}{rest}", probability(one.p))
}

/// The smallest difference that could have been seen and, where nothing was,
/// within which the two are the same.
fn visible(one: &Comparison) -> String {
    let smallest = one.smallest_visible.map(|least| format!("could have seen {}", share(least)));
    let same = same_within(one).map(|within| format!("the same within ±{}", share(within)));
    [smallest, same].into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// Nothing that is told apart is the same within anything.
fn same_within(one: &Comparison) -> Option<f64> {
    one.same_within.filter(|_| one.told_apart != Some(true))
}

/// One comparison in two sentences: what was found, and the figures behind it.
pub(crate) fn sentences(one: &Comparison) -> (String, String) {
    let found = format!("{}, {}: {}", pair(one), one.pairing.number.name(), verdict(one));
    if one.effect.is_none() {
        return (found, "no round has a number of both that can be compared".to_owned());
    }
    let effect = effect(one);
    let rest = [
        format!("{} {}", effect.value, effect.bracket),
        format!("{} over {}", chance(one), counted(u64::from(one.rounds), "round")),
        format!("plain rule: {}", plain_rule(one)),
        visible(one),
    ];
    let rest: Vec<String> = rest.into_iter().filter(|text| !text.is_empty()).collect();
    (found, rest.join("; "))
}

/// How to read the figures.
pub(crate) const NOTE: &str = "The change is the Hodges–Lehmann estimate over pairs of one round, with its exact \
    interval. Told apart: every round agrees on the sign (of five, Student's interval leaves out zero as well). The \
    plain rule asks besides that no round of one overlaps any of the other. p: exact sign flips; the floor is the least \
    that so many rounds can give; Holm: corrected for all pairs. Could have seen: the smallest change that would show \
    four times in five.";

/// How many pairs are told apart, and the tool's own false alarms.
fn overview(summary: &Summary) -> Vec<String> {
    let (twins, others): (Vec<&Comparison>, Vec<&Comparison>) =
        summary.comparisons.iter().partition(|one| one.pairing.is_twin);
    let apart = |all: &[&Comparison]| all.iter().filter(|one| one.told_apart == Some(true)).count() as u64;
    let mut says = Vec::new();
    if !others.is_empty() {
        says.push(format!("{} of {} told apart.", apart(&others), counted(others.len() as u64, "pair")));
    }
    if !twins.is_empty() {
        let checked = counted(twins.len() as u64, "arm");
        says.push(match apart(&twins) {
            0 => format!("{checked} ran twice as a check of the tool itself: no false alarm."),
            alarms => format!(
                "{checked} ran twice as a check of the tool itself: {}.",
                counted(alarms, "FALSE ALARM")
            ),
        });
    }
    says
}

/// All comparisons; `None` without any.
pub(crate) fn part(summary: &Summary) -> Option<Part> {
    let cells = |one: &Comparison| {
        let effect = effect(one);
        vec![
            pair(one),
            one.pairing.number.name().to_owned(),
            effect.value,
            effect.bracket,
            probability(one.p),
            probability(one.p_floor),
            probability(one.p_holm),
            verdict(one).to_owned(),
            plain_rule(one).to_owned(),
            one.smallest_visible.map_or(UNKNOWN.into(), share),
            same_within(one).map_or(UNKNOWN.into(), |within| format!("±{}", share(within))),
            one.coverage.map_or(UNKNOWN.into(), |coverage| format!("{:.1} %", coverage * 100.0)),
            one.rounds.to_string(),
            one.sd_rounds.map_or(UNKNOWN.into(), share),
            one.sd_paired.map_or(UNKNOWN.into(), share),
        ]
    };
    let heads = [
        (Column::Name, "pair"),
        (Column::Text, "number"),
        (Column::Number, "change"),
        (Column::Text, "interval"),
        (Column::Number, "p"),
        (Column::Number, "floor"),
        (Column::Number, "Holm"),
        (Column::Text, "verdict"),
        (Column::Text, "plain rule"),
        (Column::Number, "could have seen"),
        (Column::Number, "same within"),
        (Column::Number, "interval covers"),
        (Column::Number, "rounds"),
        (Column::Number, "scatter of rounds"),
        (Column::Number, "scatter of pairs"),
    ];
    let table = Table::of(&heads, summary.comparisons.iter().map(cells).collect())?;
    Some(Part {
        title: "Told apart, or not".into(),
        says: overview(summary),
        table: Some(table),
        notes: vec![
            NOTE.to_owned(),
            "Scatter: the standard deviation of the logarithm, of the first arm's rounds and of the paired ratios. \
             Where the second is smaller, a shared seed has paid."
                .to_owned(),
        ],
    })
}
