//! Short series of numbers: middle, spread, trend, and how neighbours relate.

/// The median; the mean of the middle two of an even number of values.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        n if n % 2 == 1 => Some(sorted[middle]),
        _ => Some(f64::midpoint(sorted[middle - 1], sorted[middle])),
    }
}

/// Mann–Kendall's test for a trend, as a normal z with continuity correction
/// and ties accounted for: above 2.33, a rise at 1 % one-sided. Zero for a
/// series without any change; `None` for fewer than four values.
pub fn mann_kendall_z(values: &[f64]) -> Option<f64> {
    let n = values.len() as f64;
    if values.len() < 4 {
        return None;
    }
    let signs = pairs(values).map(|(_, earlier, later)| match later.total_cmp(&earlier) {
        std::cmp::Ordering::Less => -1.0,
        std::cmp::Ordering::Equal => 0.0,
        std::cmp::Ordering::Greater => 1.0,
    });
    let score: f64 = signs.sum();
    let spread = |n: f64| n * (n - 1.0) * (2.0 * n + 5.0);
    let variance = (spread(n) - ties(values).map(spread).sum::<f64>()) / 18.0;
    if score == 0.0 || variance <= 0.0 {
        return Some(0.0);
    }
    Some((score - score.signum()) / variance.sqrt())
}

/// Theil and Sen's slope: the median of the slopes between all pairs, per step.
pub fn theil_sen_slope(values: &[f64]) -> Option<f64> {
    let slopes: Vec<f64> = pairs(values).map(|(steps, earlier, later)| (later - earlier) / steps).collect();
    median(&slopes)
}

/// Standard deviation over mean; `None` for fewer than two values or a mean of zero.
pub fn coefficient_of_variation(values: &[f64]) -> Option<f64> {
    let mean = mean(values)?;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (values.len() >= 2 && mean != 0.0).then(|| (squares / (values.len() as f64 - 1.0)).sqrt() / mean)
}

/// Correlation of each value with the next; `None` where nothing varies.
pub fn lag_1_correlation(values: &[f64]) -> Option<f64> {
    let mean = mean(values)?;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let products: f64 = values.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
    (squares > 0.0).then(|| products / squares)
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// All pairs: how many steps apart, the earlier, the later.
fn pairs(values: &[f64]) -> impl Iterator<Item = (f64, f64, f64)> {
    values.iter().enumerate().flat_map(move |(at, earlier)| {
        values[at + 1..].iter().zip(1u32..).map(move |(later, steps)| (f64::from(steps), *earlier, *later))
    })
}

/// The sizes of groups of equal values.
fn ties(values: &[f64]) -> impl Iterator<Item = f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let groups: Vec<f64> = sorted.chunk_by(|a, b| a == b).map(|group| group.len() as f64).collect();
    groups.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: Option<f64>, expected: f64) {
        let found = found.expect("a value");
        assert!((found - expected).abs() < 1e-4, "{found} is not {expected}");
    }

    #[test]
    fn the_median_is_the_middle() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }

    #[test]
    fn mann_kendall_agrees_with_the_formula_worked_by_hand() {
        // S = 10, var = 5 × 4 × 15/18 = 16.667: z = 9/4.0825.
        close(mann_kendall_z(&[1.0, 2.0, 3.0, 4.0, 5.0]), 2.2045);
        close(mann_kendall_z(&[5.0, 4.0, 3.0, 2.0, 1.0]), -2.2045);
        // S = 5 with a tie of two: var = (4 × 3 × 13 − 2 × 1 × 9)/18 = 7.6667.
        close(mann_kendall_z(&[1.0, 2.0, 2.0, 3.0]), 1.4446);
        assert_eq!(mann_kendall_z(&[7.0; 9]), Some(0.0));
        assert_eq!(mann_kendall_z(&[1.0, 2.0, 3.0]), None);
    }

    #[test]
    fn theil_sen_finds_the_slope_despite_an_outlier() {
        assert_eq!(theil_sen_slope(&[1.0, 3.0, 5.0, 7.0, 900.0, 11.0, 13.0]), Some(2.0));
        assert_eq!(theil_sen_slope(&[1.0]), None);
    }

    #[test]
    fn spread_and_correlation_of_an_alternating_series() {
        close(coefficient_of_variation(&[1.0, 3.0, 1.0, 3.0]), 0.57735);
        assert_eq!(coefficient_of_variation(&[1.0]), None);
        close(lag_1_correlation(&[1.0, -1.0, 1.0, -1.0]), -0.75);
        assert_eq!(lag_1_correlation(&[2.0, 2.0]), None);
    }
}
