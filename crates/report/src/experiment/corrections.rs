//! The p99 of loops that wait with the service, corrected, and how near that
//! comes to what an open loop of the same rate measured.

use super::{Part, arms, named};
use crate::numbers::{UNKNOWN, times};
use crate::table::{Column, Table};
use analysis::{ArmSummary, Corrected, RunSummary, Summary};
use model::{Load, Nanos};

/// The four numbers, raw first.
type Of = fn(&Corrected) -> Option<Nanos>;
const NUMBERS: [Of; 4] = [|one| Some(one.raw), |one| one.hdr, |one| one.utilisation, |one| one.replay];

/// All arms with a correction; `None` without any, refused ones among them.
pub(crate) fn part(summary: &Summary) -> Option<Part> {
    let corrected: Vec<arms::Row<'_>> =
        arms::rows(summary).into_iter().filter(|row| !corrections(row).is_empty()).collect();
    if corrected.is_empty() {
        return None;
    }
    let heads = [
        (Column::Name, "arm"),
        (Column::Number, "as measured"),
        (Column::Number, "HdrHistogram’s rule"),
        (Column::Number, "by utilisation"),
        (Column::Number, "replay"),
    ];
    let given = corrected.iter().filter(|row| corrections(row).iter().any(|(_, one)| is_given(one)));
    let rows = given.flat_map(|row| [Some(p99s(row)), ratios(summary, row)]).flatten();
    Some(Part {
        title: "The p99 of loops that wait, corrected".into(),
        says: vec![
            "A loop that waits with the service can miss its stalls. Three rules put back what it may have missed; \
             each holds only under its conditions. Asking openly needs none of them."
                .to_owned(),
        ],
        table: Table::of(&heads, rows.collect()),
        notes: assumptions(&corrected),
    })
}

fn is_given(one: &Corrected) -> bool {
    one.hdr.or(one.utilisation).or(one.replay).is_some()
}

/// Its rounds that have one, by their numbers.
fn corrections<'a>(row: &arms::Row<'a>) -> Vec<(u32, &'a Corrected)> {
    row.runs.iter().filter_map(|run| Some((run.facts.round, run.corrected.as_ref()?))).collect()
}

/// The middle of the rounds of each number.
fn p99s(row: &arms::Row<'_>) -> Vec<String> {
    let middle = |of: Of| {
        let point = |run: &RunSummary| {
            let value = of(run.corrected.as_ref()?)?;
            Some(analysis::Point { value, at_least: false })
        };
        row.spread(point).map_or("refused".into(), |spread| spread.middle.value.to_string())
    };
    [row.arm.name.clone()].into_iter().chain(NUMBERS.map(middle)).collect()
}

/// Each number over the p99 that an open loop measured in the same round, from
/// the least to the largest; `None` where no arm asked so openly.
fn ratios(summary: &Summary, row: &arms::Row<'_>) -> Option<Vec<String>> {
    let truth = arms::Row::of(asked_openly(summary, row.arm)?);
    let over = |of: Of| {
        let in_round = |(round, one): (u32, &Corrected)| {
            let run = truth.runs.iter().find(|run| run.facts.round == round)?;
            let p99 = run.response_time.p99.filter(|p99| !p99.at_least)?;
            Some(of(one)?.0 as f64 / p99.value.0.max(1) as f64)
        };
        let ratios: Vec<f64> = corrections(row).into_iter().filter_map(in_round).collect();
        let ends =
            (ratios.iter().copied().min_by(f64::total_cmp), ratios.iter().copied().max_by(f64::total_cmp));
        match ends {
            (Some(least), Some(most)) if ratio(least) == ratio(most) => ratio(least),
            (Some(least), Some(most)) => format!("{} … {}", ratio(least), ratio(most)),
            _ => UNKNOWN.into(),
        }
    };
    let name = format!("÷ {}", truth.arm.name);
    Some([name].into_iter().chain(NUMBERS.map(over)).collect())
}

/// Two decimals near one, where the third digit is what is asked for.
fn ratio(ratio: f64) -> String {
    if ratio < 9.95 { format!("{ratio:.2}") } else { times(ratio) }
}

/// The arm whose open loop asked at the same rate, of a service that stalled
/// as this one did.
fn asked_openly<'a>(summary: &'a Summary, arm: &ArmSummary) -> Option<&'a ArmSummary> {
    let of = arm.runs.first()?;
    let rate = of.load().target_rate()?;
    summary.arms.iter().find(|other| {
        other.runs.first().is_some_and(|run| {
            matches!(run.load(), Load::Open { .. })
                && run.facts.tool.is_none()
                && run.load().target_rate() == Some(rate)
                && run.facts.stalls_asked == of.facts.stalls_asked
        })
    })
}

/// What must hold, or why a number is refused, in the words of each arm's
/// first such round; arms of which the same is said are named together.
fn assumptions(rows: &[arms::Row<'_>]) -> Vec<String> {
    let mut said: Vec<(&str, Vec<&str>)> = Vec::new();
    for row in rows {
        let first = corrections(row).first().map(|(_, one)| *one);
        for text in first.iter().flat_map(|one| &one.assumptions) {
            let text = text.trim_end_matches('.');
            match said.iter_mut().find(|(other, _)| *other == text) {
                Some((_, names)) => names.push(&row.arm.name),
                None => said.push((text, vec![&row.arm.name])),
            }
        }
    }
    said.into_iter().map(|(text, names)| format!("{}: {text}.", named(&names))).collect()
}
