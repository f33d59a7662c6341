//! The p99's interval, and the separate events that the slowest 1 % came from.
//!
//! Woodruff's interval (JASA 47, 1952) with a variance from 20 batches of equal
//! scheduled time, on the logarithm of the tail's share.

use crate::check::{Computed, List};
use crate::record::Part;
use crate::samples::Row;
use crate::times::{Times, response};

const BATCHES: u64 = 20;
/// The 97.5 % point of Student's t with 19 degrees of freedom. Tables have
/// 2.0930; the test beside integrates the density up to it.
const T_975_19: f64 = 2.093_024_054_408_263;
/// A rank comes out of `exp` and may lie this close to a whole number by
/// rounding alone; then the values on both sides of it are right.
const ROUNDING: f64 = 1e-6;

/// The interval and the episodes, under the response time's names.
pub(crate) fn list(counted: &[&Row], times: &Times, part: Part, timeout: u64, list: &mut List) {
    let name = |what: &str| format!("response_time_ns.{what}");
    let Some(p99) = times.percentile("p99") else {
        list.maybe(name("p99_low"), None);
        list.maybe(name("p99_high"), None);
        list.whole(name("p99_episodes"), 0);
        return;
    };
    let is_slow = |row: &&&Row| response(row, timeout).length > p99;
    let slow: Vec<u64> = counted.iter().filter(is_slow).map(|row| row.scheduled).collect();
    let all: Vec<u64> = counted.iter().map(|row| row.scheduled).collect();
    let (low, high) = interval(&all, &slow, times, part);
    list.add(name("p99_low"), Computed::OneOf(low));
    list.add(name("p99_high"), Computed::OneOf(high));
    let usual_gap = part.length() / times.n().max(1);
    let apart = p99.saturating_mul(10).max(usual_gap.saturating_mul(50));
    list.whole(name("p99_episodes"), episodes(slow, apart));
}

/// The values that the interval's ends may have.
fn interval(all: &[u64], slow: &[u64], times: &Times, part: Part) -> (Vec<Option<u64>>, Vec<Option<u64>>) {
    if slow.is_empty() {
        return (vec![None], vec![None]);
    }
    let (all, slow) = (by_batch(all, part), by_batch(slow, part));
    let n = times.n() as f64;
    let share = slow.iter().sum::<f64>() / n;
    let apart = all.iter().zip(&slow).map(|(all, slow)| slow - share * all);
    let batches = BATCHES as f64;
    let error = (apart.map(|d| d * d).sum::<f64>() * batches / (batches - 1.0)).sqrt() / n;
    let stretch = (T_975_19 * error / share).exp();
    let low = values_above(share * stretch, times).into_iter().map(Some).collect();
    let smallest = share / stretch;
    let mut high = Vec::new();
    if smallest * n >= 1.0 - ROUNDING {
        // Among lower bounds the true value may be any larger one.
        let bounded = |value: u64| (!times.is_lower_bound(value)).then_some(value);
        high.extend(values_above(smallest, times).into_iter().map(bounded));
    }
    if smallest * n < 1.0 + ROUNDING {
        high.push(None);
    }
    (low, high)
}

/// The value at the rank that leaves this share above it: one, or two where
/// rounding decides.
fn values_above(share: f64, times: &Times) -> Vec<u64> {
    let n = times.n();
    let rank = (1.0 - share) * n as f64;
    let whole = |rank: f64| (rank.ceil().max(1.0) as u64).min(n);
    let ranks = [whole(rank - ROUNDING), whole(rank + ROUNDING)];
    ranks.into_iter().filter_map(|rank| times.at_rank(rank)).collect()
}

/// How many of the moments lie in each batch; those outside, in the nearest.
fn by_batch(moments: &[u64], part: Part) -> Vec<f64> {
    let mut sorted = moments.to_vec();
    sorted.sort_unstable();
    let before = |edge: u64| sorted.partition_point(|moment| *moment < edge) as f64;
    let inner = (1..BATCHES).map(|at| before(part.edge(at, BATCHES)));
    let mut so_far = 0.0;
    let ends = inner.chain([sorted.len() as f64]);
    ends.map(|end| end - std::mem::replace(&mut so_far, end)).collect()
}

/// Moments with less than `apart` between neighbours are one episode.
fn episodes(mut moments: Vec<u64>, apart: u64) -> u64 {
    moments.sort_unstable();
    let parted = moments.windows(2).filter(|pair| pair[1] - pair[0] >= apart.max(1)).count() as u64;
    parted + u64::from(!moments.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_point_of_students_t_leaves_a_fortieth_above_it() {
        // Γ(10) / Γ(9.5), from Γ(1) = 1 and Γ(0.5) = √π by Γ(x + 1) = x Γ(x).
        let whole: f64 = (1..10).map(f64::from).product();
        let half: f64 = (0..9).map(|k| f64::from(k) + 0.5).product::<f64>() * std::f64::consts::PI.sqrt();
        let scale = whole / half / (19.0 * std::f64::consts::PI).sqrt();
        let density = |t: f64| scale * (1.0 + t * t / 19.0).powi(-10);
        // Simpson's rule; its error at this step is far below what is asked.
        let steps = 2000;
        let step = T_975_19 / f64::from(steps);
        let weight = |at: i32| match at {
            0 => 1.0,
            at if at == steps => 1.0,
            at if at % 2 == 1 => 4.0,
            _ => 2.0,
        };
        let sum: f64 = (0..=steps).map(|at| weight(at) * density(f64::from(at) * step)).sum();
        let integral = sum * step / 3.0;
        assert!((integral - 0.475).abs() < 1e-12, "{integral}");
    }

    #[test]
    fn episodes_part_where_the_gap_is_reached() {
        assert_eq!(episodes(vec![], 10), 0);
        assert_eq!(episodes(vec![30, 5, 14, 5, 40], 10), 3);
        assert_eq!(episodes(vec![1, 1, 2], 0), 2);
    }

    #[test]
    fn moments_outside_belong_to_the_nearest_batch() {
        let counts = by_batch(&[0, 100, 104, 105, 199, 200, 900], Part { began: 100, ended: 200 });
        assert_eq!((counts[0], counts[1], counts[19]), (3.0, 1.0, 3.0));
        assert_eq!(counts.iter().sum::<f64>(), 7.0);
    }
}
