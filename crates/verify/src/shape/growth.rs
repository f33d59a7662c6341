//! Slow growth: the exact test of Mann and Kendall over twelve windows, and the
//! slope of Theil and Sen.
//!
//! The distribution of S is found by laying the values out one after the other
//! in every order, by what is left of each: a value put down now makes a rising
//! pair with each larger one that is still to come, and a falling one with each
//! smaller.

use super::seconds;
use super::stages::Run;
use crate::check::{Computed, List};
use std::collections::BTreeMap;

const WINDOWS: u64 = 12;
/// A median of fewer requests is none.
const FEWEST_REQUESTS: u64 = 10;
/// Fewer windows tell nothing.
const FEWEST_WINDOWS: usize = 6;
/// Two-sided.
const MOST_P: f64 = 0.02;
/// Neighbours that hang together more than this are not separate.
const MOST_CORRELATION: f64 = 0.3;
/// Less of the level than this over the run is not worth saying.
const WORTH_SAYING: f64 = 0.01;

/// What grew in a run: of a level load that asks for it, the median. How many
/// things were watched so far; `None` where none is to be.
pub(crate) fn list(run: &Run<'_>, list: &mut List) -> Option<usize> {
    if !["steady", "soak"].contains(&run.shape.kind.as_str()) {
        list.add("growth.0", Computed::Nothing);
        return None;
    }
    let offset = |at: u64| run.part.edge(at, WINDOWS) - run.part.began;
    let median = |at: u64| {
        let times = run.times(&run.due_in(offset(at), offset(at + 1)));
        times.percentile("p50").filter(|_| times.n() >= FEWEST_REQUESTS).map(|median| median as f64)
    };
    let windows: Vec<Option<f64>> = (0..WINDOWS).map(median).collect();
    grown("growth.0", ("response time p50", "ns"), &windows, run.part.length(), None, list);
    Some(1)
}

/// Everything that is said of something whose value in each window is known.
pub(crate) fn grown(
    name: &str,
    (of, unit): (&str, &str),
    windows: &[Option<f64>],
    length: u64,
    limit: Option<f64>,
    list: &mut List,
) {
    let name = |what: &str| format!("{name}.{what}");
    list.text(name("of"), of);
    list.text(name("unit"), unit);
    for (at, value) in windows.iter().enumerate() {
        list.near(name(&format!("windows.{at}")), *value);
    }
    list.add(name(&format!("windows.{}", windows.len())), Computed::Nothing);
    list.real(name("window_s"), Some(seconds(length / WINDOWS)));
    let moment = |at: usize| (at as f64 + 0.5) * seconds(length) / WINDOWS as f64;
    let points: Vec<(f64, f64)> =
        windows.iter().enumerate().filter_map(|(at, value)| Some((moment(at), (*value)?))).collect();
    let values: Vec<f64> = points.iter().map(|(_, value)| *value).collect();
    let score = score(&values);
    let p = (values.len() >= FEWEST_WINDOWS).then(|| p_of(score, &values));
    let slopes = slopes(&points);
    let slope = middle(&slopes);
    let interval = places(values.len()).checked_sub(1).and_then(|at| {
        let low = slopes.get(at)?;
        Some((*low, slopes[slopes.len() - 1 - at]))
    });
    let level = middle(&sorted(&values));
    let above: Vec<f64> = points.iter().map(|(at, value)| value - slope.unwrap_or(0.0) * at).collect();
    let height = middle(&sorted(&above));
    let correlation = height.and_then(|height| neighbours(&above, height, &values));
    let says = says(&values, score, p, correlation, slope.unwrap_or(0.0) * seconds(length), level);
    list.signed(name("s"), score);
    list.near(name("p"), p);
    list.near(name("slope_per_s"), slope);
    list.near(name("slope_low_per_s"), interval.map(|(low, _)| low));
    list.near(name("slope_high_per_s"), interval.map(|(_, high)| high));
    list.near(name("correlation"), correlation);
    list.text(name("says"), says);
    list.real(name("limit"), limit);
    let left = limit.filter(|_| says != TOO_SHORT).and_then(|limit| {
        let left = limit - (height? + slope? * seconds(length));
        let (low, high) = interval?;
        until(left, low, high)
    });
    list.maybe(name("until_limit_least_ns"), left.map(|(least, _)| least));
    list.maybe(name("until_limit_most_ns"), left.and_then(|(_, most)| most));
}

const TOO_SHORT: &str = "too short to tell";

fn says(
    values: &[f64],
    score: i64,
    p: Option<f64>,
    correlation: Option<f64>,
    rise: f64,
    level: Option<f64>,
) -> &'static str {
    let Some(p) = p else { return TOO_SHORT };
    if correlation.is_some_and(|correlation| correlation > MOST_CORRELATION) && !steps_one_way(values) {
        return TOO_SHORT;
    }
    let is_small = level.is_some_and(|level| rise.abs() < WORTH_SAYING * level.abs());
    match score {
        score if p > MOST_P || score == 0 => "no growth seen",
        _ if is_small => "negligible",
        score if score > 0 => "grows",
        _ => "falls",
    }
}

/// At least eight steps that change anything, all of one sign.
fn steps_one_way(values: &[f64]) -> bool {
    let steps: Vec<f64> = values.windows(2).map(|two| two[1] - two[0]).filter(|step| *step != 0.0).collect();
    steps.len() >= 8 && (steps.iter().all(|step| *step > 0.0) || steps.iter().all(|step| *step < 0.0))
}

/// How long until so much is left: at least, at most.
fn until(left: f64, low: f64, high: f64) -> Option<(u64, Option<u64>)> {
    let ns = |seconds: f64| (seconds * 1e9).round() as u64;
    if left <= 0.0 {
        return Some((0, Some(0)));
    }
    (high > 0.0).then(|| (ns(left / high), (low > 0.0).then(|| ns(left / low))))
}

/// Rising pairs less falling ones.
fn score(values: &[f64]) -> i64 {
    let mut score = 0;
    for later in 1..values.len() {
        for earlier in 0..later {
            score += i64::from(values[later] > values[earlier]) - i64::from(values[later] < values[earlier]);
        }
    }
    score
}

/// The share of all orders whose score is as far from zero.
fn p_of(score: i64, values: &[f64]) -> f64 {
    let rising = sorted(values);
    let groups: Vec<u8> = rising.chunk_by(|a, b| a == b).map(|equal| equal.len() as u8).collect();
    let scores = scores(&groups);
    let all: u128 = scores.values().sum();
    let as_far: u128 =
        scores.iter().filter(|(other, _)| other.abs() >= score.abs()).map(|(_, ways)| ways).sum();
    as_far as f64 / all as f64
}

/// In how many orders of values, so many of each size, each score comes.
fn scores(groups: &[u8]) -> BTreeMap<i64, u128> {
    // What is still to be laid out, and the ways to have come there by score.
    let mut level = BTreeMap::from([(groups.to_vec(), BTreeMap::from([(0i64, 1u128)]))]);
    for _ in 0..groups.iter().map(|size| usize::from(*size)).sum() {
        let mut next: BTreeMap<Vec<u8>, BTreeMap<i64, u128>> = BTreeMap::new();
        for (left, ways) in &level {
            for size in (0..left.len()).filter(|size| left[*size] > 0) {
                let count = |which: &[u8]| which.iter().map(|left| i64::from(*left)).sum::<i64>();
                let gain = count(&left[size + 1..]) - count(&left[..size]);
                let mut then = left.clone();
                then[size] -= 1;
                let to = next.entry(then).or_default();
                ways.iter().for_each(|(score, ways)| *to.entry(score + gain).or_default() += ways);
            }
        }
        level = next;
    }
    level.into_values().next().unwrap_or_default()
}

/// From how many places in, on both sides, slopes are an interval of 95 %.
fn places(values: usize) -> usize {
    let scores = scores(&vec![1; values]);
    let all: u128 = scores.values().sum();
    let (mut below, mut places) = (0, 0);
    for ways in scores.values() {
        below += ways;
        if 2.0 * below as f64 / all as f64 > 0.05 {
            break;
        }
        places += 1;
    }
    places
}

/// The slopes of all pairs, rising.
fn slopes(points: &[(f64, f64)]) -> Vec<f64> {
    let mut slopes = Vec::new();
    for (at, later) in points.iter().enumerate() {
        slopes.extend(points[..at].iter().map(|earlier| (later.1 - earlier.1) / (later.0 - earlier.0)));
    }
    sorted(&slopes)
}

/// The correlation of each with the next, of heights above the line; what
/// rounding alone lifts off it counts as on it.
fn neighbours(above: &[f64], height: f64, values: &[f64]) -> Option<f64> {
    let largest = values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    let is_on_it = |above: f64| (above - height).abs() <= 1e-9 * largest;
    let heights: Vec<f64> =
        above.iter().map(|above| if is_on_it(*above) { height } else { *above }).collect();
    let mean = heights.iter().sum::<f64>() / heights.len() as f64;
    let off: Vec<f64> = heights.iter().map(|height| height - mean).collect();
    let squares: f64 = off.iter().map(|off| off * off).sum();
    let products: f64 = off.windows(2).map(|two| two[0] * two[1]).sum();
    (squares > 0.0).then(|| products / squares)
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

fn middle(sorted: &[f64]) -> Option<f64> {
    let half = sorted.len() / 2;
    match sorted.len() % 2 {
        1 => Some(sorted[half]),
        _ => Some((sorted.get(half.checked_sub(1)?)? + sorted[half]) / 2.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exact_p_is_that_of_kendalls_table() {
        // METHOD 2h: one-sided .0083 at n = 6 from S = 13, .0071 at n = 8 from 20.
        for (n, s, one_sided) in [(6, 13, 0.0083), (8, 20, 0.0071), (10, 27, 0.0083)] {
            let scores = scores(&vec![1; n]);
            let all: u128 = scores.values().sum();
            let beyond: u128 = scores.range(s..).map(|(_, ways)| ways).sum();
            assert!((beyond as f64 / all as f64 - one_sided).abs() < 5e-5, "n = {n}");
        }
    }

    #[test]
    fn ties_take_pairs_away_that_could_rise() {
        // Of two equal ones and a larger there are three orders: S is 2, 0 and −2.
        assert_eq!(scores(&[2, 1]), BTreeMap::from([(-2, 1), (0, 1), (2, 1)]));
        assert_eq!(p_of(2, &[5.0, 5.0, 9.0]), 2.0 / 3.0);
    }

    #[test]
    fn what_rises_in_eight_steps_or_more_grows_though_neighbours_hang_together() {
        let line: Vec<f64> = (0..12).map(|at| f64::from(at * at)).collect();
        let says = |values: &[f64]| says(values, score(values), Some(0.001), Some(0.9), 100.0, Some(50.0));
        assert_eq!((says(&line), says(&[1.0, 2.0, 3.0, 2.5, 4.0, 5.0])), ("grows", TOO_SHORT));
    }
}
