//! Whether gaps and counts are those of a Poisson process.
//!
//! A test of shape alone cannot see a wrong rate: a rate 2 % off passes every
//! one of them and needs [`count_z`] over 40,000 events or more. On measured
//! data use a distance ([`exponential_distance`]) rather than a test: a clock
//! that ticks in 5 % of the mean gap is rejected at once and harms nothing.

/// Anderson–Darling, rate known (case 0): above it in 5 % of samples
/// (D'Agostino and Stephens, Goodness-of-Fit Techniques, 1986, table 4.2).
pub const AD_KNOWN_5_PERCENT: f64 = 2.492;
/// The same in 1 % of samples.
pub const AD_KNOWN_1_PERCENT: f64 = 3.857;
/// Anderson–Darling, rate estimated from the same gaps, after the factor
/// 1 + 0.6/n: above it in 5 % of samples (the same, table 4.14).
pub const AD_ESTIMATED_5_PERCENT: f64 = 1.341;
/// The same in 1 % of samples.
pub const AD_ESTIMATED_1_PERCENT: f64 = 1.957;

/// Anderson and Darling's A² of gaps against an exponential distribution of
/// this rate. `None` without gaps.
pub fn anderson_darling_known_rate(gaps: &[f64], rate: f64) -> Option<f64> {
    if gaps.is_empty() {
        return None;
    }
    let mut scaled: Vec<f64> = gaps.iter().map(|gap| gap * rate).collect();
    scaled.sort_unstable_by(f64::total_cmp);
    let n = scaled.len() as f64;
    let terms = scaled.iter().zip(scaled.iter().rev()).zip(0u32..).map(|((rising, falling), at)| {
        // ln F(x) = ln(1 − e^−x), and ln(1 − F(x)) = −x without rounding.
        (2.0 * f64::from(at) + 1.0) * ((-(-rising).exp_m1()).ln() - falling)
    });
    Some(-n - terms.sum::<f64>() / n)
}

/// The same with the rate taken from the gaps themselves, times 1 + 0.6/n.
pub fn anderson_darling_estimated_rate(gaps: &[f64]) -> Option<f64> {
    let n = gaps.len() as f64;
    let total: f64 = gaps.iter().sum();
    let statistic = anderson_darling_known_rate(gaps, n / total)?;
    Some(statistic * (1.0 + 0.6 / n))
}

/// Kolmogorov and Smirnov's distance between gaps and an exponential
/// distribution of this rate: 0 for the same, 1 for nothing in common.
pub fn exponential_distance(gaps: &[f64], rate: f64) -> Option<f64> {
    let mut shares: Vec<f64> = gaps.iter().map(|gap| -(-gap * rate).exp_m1()).collect();
    shares.sort_unstable_by(f64::total_cmp);
    let n = shares.len() as f64;
    let distances = shares.iter().zip(0u32..).map(|(share, at)| {
        let (before, after) = (f64::from(at) / n, f64::from(at + 1) / n);
        (share - before).abs().max((after - share).abs())
    });
    distances.reduce(f64::max)
}

/// How many standard deviations a count lies above what a Poisson process
/// gives on average.
pub fn count_z(count: u64, expected: f64) -> f64 {
    (count as f64 - expected) / expected.sqrt()
}

/// Variance over mean of counts in windows of equal length: 1 for a Poisson
/// process, near 0 for even arrivals. `None` for fewer than two windows or no events.
pub fn dispersion(counts: &[u64]) -> Option<f64> {
    let n = counts.len() as f64;
    let mean = counts.iter().sum::<u64>() as f64 / n;
    let squares: f64 = counts.iter().map(|count| (*count as f64 - mean).powi(2)).sum();
    (counts.len() >= 2 && mean > 0.0).then(|| squares / (n - 1.0) / mean)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Quantiles of an exponential distribution: as exponential as gaps can be.
    fn perfect(n: u32, rate: f64) -> Vec<f64> {
        (0..n).map(|at| -(1.0 - (f64::from(at) + 0.5) / f64::from(n)).ln() / rate).collect()
    }

    #[test]
    fn anderson_darling_of_two_gaps_agrees_with_the_formula_worked_by_hand() {
        // x = 1, 2: −2 − ½ [ln(1 − e^−1) − 2 + 3 (ln(1 − e^−2) − 1)] = 0.9475.
        let found = anderson_darling_known_rate(&[2.0, 1.0], 1.0).unwrap();
        assert!((found - 0.947_45).abs() < 1e-4, "{found}");
        assert_eq!(anderson_darling_known_rate(&[], 1.0), None);
    }

    #[test]
    fn exponential_gaps_pass_and_even_or_mistimed_gaps_do_not() {
        let good = perfect(1000, 546.0);
        assert!(anderson_darling_known_rate(&good, 546.0).unwrap() < 0.1);
        assert!(anderson_darling_estimated_rate(&good).unwrap() < 0.1);
        assert!(anderson_darling_known_rate(&good, 655.0).unwrap() > AD_KNOWN_1_PERCENT);
        assert!(anderson_darling_estimated_rate(&[1.0 / 546.0; 1000]).unwrap() > AD_ESTIMATED_1_PERCENT);
    }

    #[test]
    fn the_distance_of_even_gaps_is_that_of_a_step() {
        assert!(exponential_distance(&perfect(1000, 3.0), 3.0).unwrap() < 0.001);
        let step = exponential_distance(&[1.0; 50], 1.0).unwrap();
        assert!((step - (1.0 - 1.0 / std::f64::consts::E)).abs() < 1e-12, "{step}");
        assert_eq!(exponential_distance(&[], 1.0), None);
    }

    #[test]
    fn counts_are_judged_by_their_spread() {
        assert_eq!(count_z(10_200, 10_000.0), 2.0);
        assert_eq!(dispersion(&[5, 5, 5]), Some(0.0));
        assert_eq!(dispersion(&[0, 10]), Some(10.0));
        assert_eq!(dispersion(&[0, 0]), None);
        assert_eq!(dispersion(&[4]), None);
    }
}
