//! Whether the service kept up with what it was asked.
//!
//! Open loop: the backlog by schedule, requests due less answers given, is
//! looked at 2048 times in each of 20 blocks, and the smallest of each block is
//! its floor. It fell behind if the floors rise (Mann–Kendall above 2.33, and a
//! Theil–Sen slope that makes more than 0.5 % of the offered over the run), or
//! if they end three standard deviations above where they began. It kept up if
//! the lowest of the last six is no higher than the median of the first six.
//! Paced loop: by the rate that was reached.

use crate::record::{Load, Part};
use crate::samples::Row;
use std::cmp::Ordering;

const BLOCKS: u64 = 20;
const LOOKS: u64 = 2048;
const YES: &str = "yes";
const NO: &str = "no";
pub(crate) const CANNOT_TELL: &str = "cannot tell";

/// The word, and the smallest shortfall that could have been seen.
pub(crate) fn judge(load: &Load, rows: &[Row], part: Part, capacity: Option<f64>) -> (&'static str, f64) {
    match load {
        Load::Closed { .. } => (CANNOT_TELL, 1.0),
        Load::Paced { rate_per_s, .. } => paced(answers(rows, part), rate_per_s * part.seconds()),
        Load::Open { .. } => {
            let possible = capacity.map_or(answers(rows, part) as f64, |capacity| capacity * part.seconds());
            (open(rows, part), visible(possible))
        }
    }
}

/// The smallest shortfall that shows beside so many answers.
pub(crate) fn visible(possible: f64) -> f64 {
    if possible > 18.0 { (18.0 / possible).sqrt() } else { 1.0 }
}

/// Answers that came inside the counted part, whatever they said.
pub(crate) fn answers(rows: &[Row], part: Part) -> u64 {
    rows.iter().filter(|row| row.is_answered() && part.holds(row.done)).count() as u64
}

/// The same of a loop that was to send so many.
pub(crate) fn paced(answers: u64, planned: f64) -> (&'static str, f64) {
    if planned < 1.0 {
        return (CANNOT_TELL, 1.0);
    }
    let (missing, chance) = (planned - answers as f64, 3.0 * planned.sqrt());
    let word = if missing > chance {
        NO
    } else if missing <= 0.005 * planned {
        YES
    } else {
        CANNOT_TELL
    };
    (word, (chance / planned).min(1.0))
}

fn open(rows: &[Row], part: Part) -> &'static str {
    let offered = rows.iter().filter(|row| part.holds(row.scheduled)).count() as f64;
    by_floors(&floors(rows, part), offered)
}

/// The word for a backlog with these floors while so many were due.
pub(crate) fn by_floors(floors: &[i64], offered: f64) -> &'static str {
    if offered < 100.0 {
        return CANNOT_TELL;
    }
    let (first, last) = (&floors[..6], &floors[floors.len() - 6..]);
    let rising = mann_kendall(floors) > 2.33 && theil_sen(floors) * BLOCKS as f64 > 0.005 * offered;
    let short = (floors[floors.len() - 1] - floors[0]) as f64 > 3.0 * offered.sqrt();
    if rising || short {
        return NO;
    }
    let lowest = last.iter().copied().min().unwrap_or(i64::MAX);
    let usual = median(first.iter().map(|floor| *floor as f64).collect());
    if lowest as f64 <= usual { YES } else { CANNOT_TELL }
}

/// The smallest backlog of each block, as seen at the end of each look.
fn floors(rows: &[Row], part: Part) -> Vec<i64> {
    let mut due: Vec<u64> = rows.iter().map(|row| row.scheduled).collect();
    let mut answered: Vec<u64> = rows.iter().filter(|row| row.is_answered()).map(|row| row.done).collect();
    due.sort_unstable();
    answered.sort_unstable();
    let before = |moments: &[u64], edge: u64| moments.partition_point(|moment| *moment < edge) as i64;
    let backlog = |look: u64| {
        let edge = part.edge(look + 1, BLOCKS * LOOKS);
        before(&due, edge) - before(&answered, edge)
    };
    let floor = |block: u64| (block * LOOKS..(block + 1) * LOOKS).map(backlog).min().unwrap_or(0);
    (0..BLOCKS).map(floor).collect()
}

/// Mann–Kendall's z, with continuity correction and ties accounted for.
fn mann_kendall(values: &[i64]) -> f64 {
    let sign = |(earlier, later): (i64, i64)| match later.cmp(&earlier) {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    };
    let score: i64 = pairs(values).map(|(_, earlier, later)| sign((earlier, later))).sum();
    let weight = |n: f64| n * (n - 1.0) * (2.0 * n + 5.0);
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let ties: f64 = sorted.chunk_by(|a, b| a == b).map(|tied| weight(tied.len() as f64)).sum();
    let variance = (weight(values.len() as f64) - ties) / 18.0;
    match score {
        0 => 0.0,
        _ if variance <= 0.0 => 0.0,
        score => (score - score.signum()) as f64 / variance.sqrt(),
    }
}

/// The median of the slopes between all pairs.
fn theil_sen(values: &[i64]) -> f64 {
    median(pairs(values).map(|(steps, earlier, later)| (later - earlier) as f64 / steps).collect())
}

/// Every pair: steps between, the earlier, the later.
fn pairs(values: &[i64]) -> impl Iterator<Item = (f64, i64, i64)> {
    let places = 0..values.len();
    places.flat_map(move |later| {
        (0..later).map(move |earlier| ((later - earlier) as f64, values[earlier], values[later]))
    })
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => 0.0,
        n if n % 2 == 1 => values[middle],
        _ => f64::midpoint(values[middle - 1], values[middle]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paced_loop_keeps_up_from_half_a_percent_and_falls_behind_from_three_deviations() {
        let word = |answers| paced(answers, 10_000.0).0;
        assert_eq!([9_950, 9_949, 9_700, 9_699].map(word), [YES, CANNOT_TELL, CANNOT_TELL, NO]);
    }

    #[test]
    fn the_trend_of_a_straight_line_is_the_textbooks() {
        // Ten values in order: S = 45, variance 10 × 9 × 25 / 18 = 125.
        let line: Vec<i64> = (0..10).map(|at| 3 * at).collect();
        assert!((mann_kendall(&line) - 44.0 / 125f64.sqrt()).abs() < 1e-12);
        assert_eq!(theil_sen(&line), 3.0);
        assert_eq!(mann_kendall(&[5; 10]), 0.0);
    }
}
