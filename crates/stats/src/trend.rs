//! Whether a short series rises or falls, by how much, and whether its values
//! are separate enough for that to be said.
//!
//! The test is Mann and Kendall's (Mann, Nonparametric Tests Against Trend,
//! 1945): S counts the pairs that rise less those that fall. Its distribution
//! is counted, not approximated, ties included. The slope is Theil and Sen's,
//! with the interval that inverts the same test.
//!
//! The test takes values to be independent. Neighbours that hang together rise
//! and fall in long waves, which it takes for trends. So the correlation of
//! each value with the next is looked at, once the slope is taken out of both.

use crate::series::{lag_1_correlation, mann_kendall_z, median};
use statrs::distribution::{ContinuousCDF, Normal};

/// Values up to which S is counted exactly: 34! is the last that 128 bits hold.
const MOST_COUNTED: usize = 34;
/// Of fewer values only a rise without a step back would be beyond chance, which
/// one odd value at either end would hide.
const FEWEST: usize = 6;
/// A trend is one that chance gives in 1 % of level series, each way.
const LEVEL_EACH_WAY: f64 = 0.01;
/// Above this correlation, neighbours are not taken to be independent. In
/// simulations of twelve block medians it is exceeded by 5 % of independent
/// series, and by 58 % of those whose correlation lasts for five blocks.
const MOST_CORRELATION: f64 = 0.3;
/// What an interval of a slope is to cover.
const CONFIDENCE: f64 = 0.95;

/// What a series' trend is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trend {
    /// Pairs that rise less pairs that fall.
    pub s: i64,
    /// Two-sided p of S; `None` for fewer than six values.
    pub p: Option<f64>,
    /// The slope, per unit of the moments; `None` for fewer than two values.
    pub slope: Option<f64>,
    /// The slope's interval of at least 95 %; `None` where so few values cannot
    /// give one.
    pub slope_interval: Option<(f64, f64)>,
    /// The line's height where the moments are zero: the median of what each
    /// value is above the slope.
    pub intercept: Option<f64>,
    /// Correlation of each value with the next, both as they lie above the line;
    /// `None` where all lie on it.
    pub correlation: Option<f64>,
    /// What that comes to.
    pub goes: Goes,
}

/// Where a series goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goes {
    /// Up, beyond chance.
    Up,
    /// Down, beyond chance.
    Down,
    /// No way that can be told from chance.
    Nowhere,
    /// There are too few values, or they hang together.
    CannotSay,
}

impl Trend {
    /// The trend of values at rising moments, as (moment, value).
    ///
    /// It goes up or down if p is at most 0.02, which is 0.01 each way. Where
    /// the correlation is above 0.3 that cannot be said, with one exception: if
    /// all steps from each value to the next that change anything have one
    /// sign, and there are eight of them or more. Even a walk whose steps are
    /// as likely up as down does that in fewer than 1 of 100 (2 ÷ 2⁸).
    pub fn of(points: &[(f64, f64)]) -> Trend {
        let values: Vec<f64> = points.iter().map(|(_, value)| *value).collect();
        let slopes = slopes(points);
        let slope = median(&slopes);
        let above: Vec<f64> = points.iter().map(|(at, value)| value - slope.unwrap_or(0.0) * at).collect();
        let p = if values.len() < FEWEST { None } else { mann_kendall_p(&values) };
        let s = mann_kendall_s(&values);
        let correlation = lag_1_correlation(&rounded(&above, &values));
        Trend {
            s,
            p,
            slope,
            slope_interval: slope_interval(&slopes, points.len()),
            intercept: median(&above),
            correlation,
            goes: goes(&values, s, p, correlation),
        }
    }
}

fn goes(values: &[f64], s: i64, p: Option<f64>, correlation: Option<f64>) -> Goes {
    let Some(p) = p else { return Goes::CannotSay };
    let is_trend = p <= 2.0 * LEVEL_EACH_WAY;
    let hangs_together = correlation.is_some_and(|correlation| correlation > MOST_CORRELATION);
    match s {
        _ if hangs_together && !all_one_way(values) => Goes::CannotSay,
        s if is_trend && s > 0 => Goes::Up,
        s if is_trend && s < 0 => Goes::Down,
        _ => Goes::Nowhere,
    }
}

/// Whether all steps that change anything go one way, and are so many that
/// chance alone does that in fewer than 1 of 100 series.
fn all_one_way(values: &[f64]) -> bool {
    let changes = || values.windows(2).filter(|pair| pair[0] != pair[1]);
    let ups = changes().filter(|pair| pair[0] < pair[1]).count();
    let count = changes().count();
    (ups == 0 || ups == count) && 2.0 / 2f64.powi(count as i32) <= LEVEL_EACH_WAY
}

/// What lies above a line, where what rounding leaves of values on it is zero:
/// else its correlation would be that of rounding errors.
fn rounded(above: &[f64], values: &[f64]) -> Vec<f64> {
    let largest = values.iter().fold(0.0f64, |largest, value| largest.max(value.abs()));
    let middle = median(above).unwrap_or(0.0);
    let clean = |above: &f64| if (above - middle).abs() <= 1e-9 * largest { middle } else { *above };
    above.iter().map(clean).collect()
}

/// Kendall's S: pairs of which the later is larger, less those of which it is smaller.
pub fn mann_kendall_s(values: &[f64]) -> i64 {
    let sign = |earlier: f64, later: f64| i64::from(later > earlier) - i64::from(later < earlier);
    let of_one = |(at, earlier): (usize, &f64)| {
        values[at + 1..].iter().map(|later| sign(*earlier, *later)).sum::<i64>()
    };
    values.iter().enumerate().map(of_one).sum()
}

/// Two-sided p of Mann and Kendall's test: the share of all orders of these
/// values, equal ones included, whose S lies as far from zero as this one's.
/// Exact for up to 34 values, above by the normal approximation. `None` for
/// fewer than two.
pub fn mann_kendall_p(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    if values.len() > MOST_COUNTED {
        let z = mann_kendall_z(values)?.abs();
        return Some((2.0 * Normal::standard().cdf(-z)).min(1.0));
    }
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let groups: Vec<usize> = sorted.chunk_by(|a, b| a == b).map(<[f64]>::len).collect();
    let ways = inversions(&groups);
    // Of as many pairs as differ, each inverted one takes two off S.
    let most = ways.len() as i64 - 1;
    let seen = mann_kendall_s(values).abs();
    let is_extreme = |inverted: i64| (most - 2 * inverted).abs() >= seen;
    let extreme: u128 = (0..).zip(&ways).filter(|(inverted, _)| is_extreme(*inverted)).map(|(_, n)| n).sum();
    Some(extreme as f64 / ways.iter().sum::<u128>() as f64)
}

/// In how many orders of values, of which groups of these sizes are equal,
/// 0, 1, 2, … pairs stand in falling order: the coefficients of the Gaussian
/// multinomial (Andrews, The Theory of Partitions, 1976, theorem 3.6). At most
/// [`MOST_COUNTED`] values.
fn inversions(groups: &[usize]) -> Vec<u128> {
    let mut ways = vec![1u128];
    let mut placed = 0;
    for &group in groups {
        for one in 1..=group {
            // Times (1 − q^(placed + one)), then divided by (1 − q^one). What
            // overflows in between wraps back, as the quotient has integers again.
            ways.resize(ways.len() + placed, 0);
            for at in (placed + one..ways.len()).rev() {
                ways[at] = ways[at].wrapping_sub(ways[at - placed - one]);
            }
            for at in one..ways.len() {
                ways[at] = ways[at].wrapping_add(ways[at - one]);
            }
        }
        placed += group;
    }
    ways
}

/// The slopes between all pairs, sorted. Pairs of one moment have none.
fn slopes(points: &[(f64, f64)]) -> Vec<f64> {
    let pairs = points.iter().enumerate().flat_map(|(at, earlier)| {
        let later = points[at + 1..].iter().filter(move |later| later.0 > earlier.0);
        later.map(move |later| (later.1 - earlier.1) / (later.0 - earlier.0))
    });
    let mut slopes: Vec<f64> = pairs.collect();
    slopes.sort_unstable_by(f64::total_cmp);
    slopes
}

/// From the k-th smallest slope to the k-th largest, with the largest k whose
/// interval covers 95 % by the exact distribution of S without ties (Sen,
/// Estimates of the Regression Coefficient Based on Kendall's Tau, 1968). Ties
/// make it cover more. `None` where even k = 1 covers less.
fn slope_interval(slopes: &[f64], values: usize) -> Option<(f64, f64)> {
    let k = if values <= MOST_COUNTED {
        let ways = inversions(&vec![1; values]);
        let all = ways.iter().sum::<u128>() as f64;
        let mut below = 0;
        let missed = ways.iter().map(|ways| {
            below += ways;
            2.0 * below as f64 / all
        });
        missed.take_while(|missed| *missed <= 1.0 - CONFIDENCE).count()
    } else {
        let n = values as f64;
        let spread = (n * (n - 1.0) * (2.0 * n + 5.0) / 18.0).sqrt();
        let half = Normal::standard().inverse_cdf(0.5 + CONFIDENCE / 2.0) * spread;
        ((slopes.len() as f64 - half) / 2.0).floor().max(0.0) as usize
    };
    let low = slopes.get(k.checked_sub(1)?)?;
    Some((*low, slopes[slopes.len() - k]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// p of one side where S is at least this, of so many values without ties.
    fn one_sided(values: usize, at_least: usize) -> f64 {
        let ways = inversions(&vec![1; values]);
        let pairs = values * (values - 1) / 2;
        let tail: u128 = ways.iter().take((pairs - at_least) / 2 + 1).sum();
        tail as f64 / ways.iter().sum::<u128>() as f64
    }

    fn series(values: &[f64]) -> Vec<(f64, f64)> {
        values.iter().zip(0u32..).map(|(value, at)| (f64::from(at), *value)).collect()
    }

    #[test]
    fn the_exact_distribution_is_that_of_the_tables() {
        for (values, s, p) in [(6, 13, 0.0083), (8, 20, 0.0071), (10, 27, 0.0083)] {
            let found = one_sided(values, s);
            assert!((found - p).abs() < 5e-5, "{found} is not {p} for {values} values");
        }
        // Of four values 24 orders: 1, 3, 5, 6, 5, 3 and 1 with 0 to 6 pairs inverted.
        assert_eq!(inversions(&[1; 4]), [1, 3, 5, 6, 5, 3, 1]);
        assert_eq!(inversions(&[1; 34]).iter().sum::<u128>(), (1..=34u128).product());
    }

    /// S of every order of `values`, the plain way.
    fn of_all_orders(values: &mut Vec<f64>, from: usize, each: &mut dyn FnMut(i64)) {
        if from == values.len() {
            each(mann_kendall_s(values));
        }
        for at in from..values.len() {
            values.swap(from, at);
            of_all_orders(values, from + 1, each);
            values.swap(from, at);
        }
    }

    #[test]
    fn p_is_the_share_of_all_orders_that_lie_as_far_out_ties_included() {
        for values in [
            vec![1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 6.0],
            vec![1.0, 1.0, 2.0, 3.0, 3.0, 3.0, 4.0],
            vec![5.0, 5.0, 5.0, 5.0, 4.0, 5.0, 3.0],
            vec![2.0; 5],
        ] {
            let seen = mann_kendall_s(&values).abs();
            let (mut extreme, mut all) = (0u32, 0u32);
            of_all_orders(&mut values.clone(), 0, &mut |s| {
                all += 1;
                extreme += u32::from(s.abs() >= seen);
            });
            let p = mann_kendall_p(&values).expect("values");
            assert!((p - f64::from(extreme) / f64::from(all)).abs() < 1e-12, "{p} of {values:?}");
        }
        assert_eq!(mann_kendall_p(&[1.0]), None);
    }

    #[test]
    fn above_34_values_the_normal_approximation_takes_over_without_a_jump() {
        // A series that rises somewhat: value and place share their order in part.
        let values = |n: u32| -> Vec<f64> { (0..n).map(|at| f64::from(at * 17 % n + at / 2)).collect() };
        for n in [34, 35] {
            let values = values(n);
            let z = mann_kendall_z(&values).expect("values").abs();
            let normal = 2.0 * Normal::standard().cdf(-z);
            let p = mann_kendall_p(&values).expect("values");
            assert!((p - normal).abs() < 0.02 * normal.max(0.05), "{p} and {normal} of {n}");
        }
    }

    #[test]
    fn the_slope_and_its_interval_are_those_of_the_textbook_ranks() {
        // Of ten values without ties P(S ≥ 23) is 0.0233: the 12th of 45 slopes
        // from either end (Hollander and Wolfe, table A.30).
        let values = [2.0, 4.1, 5.9, 8.3, 9.7, 12.4, 13.6, 16.5, 17.4, 20.6];
        let mut all = slopes(&series(&values));
        let trend = Trend::of(&series(&values));
        assert_eq!(trend.slope_interval, Some((all[11], all[33])));
        all.sort_by(f64::total_cmp);
        assert_eq!(trend.slope, Some(all[22]));
        assert_eq!((trend.s, trend.goes), (45, Goes::Up));
        assert!((trend.p.unwrap() - 2.0 / 3_628_800.0).abs() < 1e-15);
        // The best of four orders in 24 is too rare for no interval: 2 ÷ 24 > 5 %.
        assert_eq!(Trend::of(&series(&values[..4])).slope_interval, None);
    }

    #[test]
    fn a_slope_is_per_unit_of_time_and_not_per_step() {
        let points: Vec<(f64, f64)> =
            [0.0, 10.0, 20.0, 50.0, 60.0, 90.0].iter().map(|at| (*at, 7.0 + 0.5 * at)).collect();
        let trend = Trend::of(&points);
        assert_eq!((trend.slope, trend.intercept), (Some(0.5), Some(7.0)));
        assert_eq!((trend.correlation, trend.goes), (None, Goes::Up));
    }

    #[test]
    fn five_values_say_nothing_and_level_ones_go_nowhere() {
        let rising = Trend::of(&series(&[1.0, 2.0, 3.0, 4.0, 5.0]));
        assert_eq!((rising.s, rising.p, rising.goes), (10, None, Goes::CannotSay));
        let level = Trend::of(&series(&[3.0; 12]));
        assert_eq!((level.s, level.p, level.slope, level.goes), (0, Some(1.0), Some(0.0), Goes::Nowhere));
        assert_eq!(level.slope_interval, Some((0.0, 0.0)));
        let none = Trend::of(&[]);
        assert_eq!((none.s, none.p, none.slope, none.goes), (0, None, None, Goes::CannotSay));
    }

    #[test]
    fn one_long_wave_is_no_trend_but_a_rise_without_a_step_back_is() {
        let wave: Vec<f64> = (0..12).map(|at| 3.0 * (f64::from(at) * 0.35).sin()).collect();
        let trend = Trend::of(&series(&wave[..9]));
        assert!(trend.correlation.unwrap() > MOST_CORRELATION, "{trend:?}");
        assert_eq!(trend.goes, Goes::CannotSay);
        let bent: Vec<f64> = (0..12).map(|at| f64::from(at).powi(3)).collect();
        let trend = Trend::of(&series(&bent));
        assert!(trend.correlation.unwrap() > MOST_CORRELATION);
        assert_eq!(trend.goes, Goes::Up);
        let falling: Vec<f64> = bent.iter().map(|value| -value).collect();
        assert_eq!(Trend::of(&series(&falling)).goes, Goes::Down);
    }
}
