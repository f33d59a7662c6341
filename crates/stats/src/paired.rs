//! Two treatments over the same blocks: how far apart they are, how sure that
//! is, and what so few blocks could have shown at all.
//!
//! A value is the difference of one block. For ratios, hand over logarithms.

use crate::rounds::{sign_flip_floor, smallest_visible, student};
use crate::series::median;
use crate::sign_flip::sign_flip_p;

/// The confidence that an exact interval must reach where it can.
const CONFIDENCE: f64 = 0.95;

/// Differences of two treatments, one for each block.
#[derive(Clone, Debug, PartialEq)]
pub struct Paired {
    differences: Vec<f64>,
    /// Means of every pair of differences, each with itself too, sorted.
    walsh: Vec<f64>,
}

/// An interval that needs no distribution but symmetry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExactInterval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// How often such an interval covers the centre, 0 to 1.
    pub coverage: f64,
}

impl Paired {
    /// `None` of no differences, or if one of them is no finite number.
    pub fn new(differences: &[f64]) -> Option<Paired> {
        if differences.is_empty() || differences.iter().any(|difference| !difference.is_finite()) {
            return None;
        }
        let pairs = differences
            .iter()
            .enumerate()
            .flat_map(|(at, a)| differences[at..].iter().map(move |b| (a + b) / 2.0));
        let mut walsh: Vec<f64> = pairs.collect();
        walsh.sort_by(f64::total_cmp);
        Some(Paired { differences: differences.to_vec(), walsh })
    }

    /// How many blocks there are.
    pub fn count(&self) -> usize {
        self.differences.len()
    }

    /// The Hodges–Lehmann estimate of the centre: the median of the n(n+1)/2
    /// means of pairs (Hodges and Lehmann, 1963).
    pub fn estimate(&self) -> f64 {
        median(&self.walsh).expect("there is at least one mean")
    }

    /// The interval that inverts Wilcoxon's signed-rank test: from the k-th
    /// smallest mean of a pair to the k-th largest, with the largest k that
    /// covers 95 %, or k = 1 where even that covers less (five blocks: 93.75 %;
    /// Hollander, Wolfe and Chicken, Nonparametric Statistical Methods, 3.3).
    /// `None` of one block.
    ///
    /// With ten blocks the 8th is sometimes taken, which covers 96.3 %; by the
    /// exact distribution the 9th, with 95.1 %, is the tightest that is enough.
    pub fn interval(&self) -> Option<ExactInterval> {
        let count = self.differences.len();
        if count < 2 {
            return None;
        }
        let lower = signed_rank_cdf(count);
        // P(rank sum ≤ k - 1) is the chance to miss on one side.
        let coverage = |k: usize| 1.0 - 2.0 * lower.get(k - 1).copied().unwrap_or(1.0);
        let k = (1..=self.walsh.len() / 2).take_while(|k| coverage(*k) >= CONFIDENCE).last().unwrap_or(1);
        Some(ExactInterval {
            low: self.walsh[k - 1],
            high: self.walsh[self.walsh.len() - k],
            coverage: coverage(k),
        })
    }

    /// Two-sided p of the sign-flip test on the mean: the share of all 2ⁿ ways
    /// to give the differences signs whose mean lies as far from zero as the
    /// one seen (Fisher, 1935). Above twenty blocks it is the share of 100,000
    /// ways, one of them the one seen and the others drawn, always the same.
    pub fn p_value(&self) -> f64 {
        sign_flip_p(&self.differences)
    }

    /// The least p that so many blocks can give: 2 ÷ 2ⁿ, at most 1. Where ways
    /// are drawn, [`Paired::p_value`] stays at or above 1 ÷ 100,000.
    pub fn p_floor(&self) -> f64 {
        sign_flip_floor(self.count() as u32)
    }

    /// Whether every difference is above zero, or every one below.
    pub fn all_one_sign(&self) -> bool {
        self.differences.iter().all(|d| *d > 0.0) || self.differences.iter().all(|d| *d < 0.0)
    }

    /// Whether the treatments are told apart: with six blocks or more, if every
    /// difference has one sign (a false alarm in 2 ÷ 2ⁿ); with five, if
    /// moreover Student's 95 % interval leaves out zero, since one sign alone
    /// comes by chance in 6 %. `None` with fewer.
    pub fn told_apart(&self) -> Option<bool> {
        match self.differences.len() {
            0..5 => None,
            5 => Some(self.all_one_sign() && self.student_interval(0.95).is_some_and(|(a, b)| a * b > 0.0)),
            _ => Some(self.all_one_sign()),
        }
    }

    /// Student's interval of the mean at `level`, such as 0.95; `None` of one block.
    pub fn student_interval(&self, level: f64) -> Option<(f64, f64)> {
        let half = student(0.5 + level / 2.0, self.count())? * self.sd()? / (self.count() as f64).sqrt();
        let mean = self.mean();
        Some((mean - half, mean + half))
    }

    /// The least d for which the two are the same within ±d: Student's 90 %
    /// interval lies inside (two one-sided tests at 5 %, Schuirmann, 1987).
    pub fn same_within(&self) -> Option<f64> {
        self.within(0.9)
    }

    /// The least d such that Student's interval at `level` lies inside ±d;
    /// `None` of one block.
    pub fn within(&self, level: f64) -> Option<f64> {
        self.student_interval(level).map(|(low, high)| low.abs().max(high.abs()))
    }

    /// The smallest centre that so many blocks show four times in five.
    pub fn smallest_visible(&self) -> Option<f64> {
        smallest_visible(self.sd()?, self.count() as u32)
    }

    /// Standard deviation of the differences; `None` of one block.
    pub fn sd(&self) -> Option<f64> {
        sd(&self.differences)
    }

    fn mean(&self) -> f64 {
        self.differences.iter().sum::<f64>() / self.count() as f64
    }
}

/// Standard deviation with n − 1; `None` of fewer than two values.
pub fn sd(values: &[f64]) -> Option<f64> {
    let count = values.len();
    if count < 2 {
        return None;
    }
    let mean = values.iter().sum::<f64>() / count as f64;
    Some((values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1) as f64).sqrt())
}

/// The plain rule: every paired difference has one sign, and the two sets do
/// not overlap. Of `a` and `b`, block by block; `None` of fewer than two blocks
/// or sets of different sizes.
pub fn plain_rule(a: &[f64], b: &[f64]) -> Option<bool> {
    if a.len() != b.len() || a.len() < 2 {
        return None;
    }
    let one_sign = a.iter().zip(b).all(|(a, b)| b > a) || a.iter().zip(b).all(|(a, b)| b < a);
    Some(one_sign && no_overlap(a, b))
}

/// Whether every value of one set lies below every value of the other. Equal
/// values overlap, and an empty set is not told from any.
pub fn no_overlap(a: &[f64], b: &[f64]) -> bool {
    let below = |low: &[f64], high: &[f64]| low.iter().all(|low| high.iter().all(|high| low < high));
    !a.is_empty() && !b.is_empty() && (below(a, b) || below(b, a))
}

/// p values corrected for there being several, in the order given (Holm, 1979).
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|a, b| p_values[*a].total_cmp(&p_values[*b]));
    let mut corrected = vec![0.0; p_values.len()];
    let mut largest = 0.0f64;
    for (place, at) in order.iter().enumerate() {
        largest = largest.max(((p_values.len() - place) as f64 * p_values[*at]).min(1.0));
        corrected[*at] = largest;
    }
    corrected
}

/// P(rank sum ≤ w) for w = 0, 1, … of Wilcoxon's signed-rank statistic, by counting.
fn signed_rank_cdf(count: usize) -> Vec<f64> {
    let mut ways = vec![1.0];
    for rank in 1..=count {
        let mut next = ways.clone();
        next.resize(ways.len() + rank, 0.0);
        ways.iter().enumerate().for_each(|(sum, ways)| next[sum + rank] += ways);
        ways = next;
    }
    let all = 2f64.powi(count as i32);
    let mut below = 0.0;
    ways.into_iter()
        .map(|ways| {
            below += ways;
            below / all
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(count: usize) -> Paired {
        // No two means of pairs are equal, so that ranks are told apart.
        Paired::new(&(0..count).map(|at| 1.7f64.powi(at as i32)).collect::<Vec<_>>()).expect("finite")
    }

    #[test]
    fn exact_intervals_have_the_ranks_and_coverages_of_wilcoxons_table() {
        for (count, k, coverage) in
            [(5, 1, 0.9375), (6, 1, 0.96875), (7, 3, 0.953), (8, 4, 0.961), (10, 9, 0.951), (12, 14, 0.958)]
        {
            let paired = spread(count);
            let interval = paired.interval().expect("an interval");
            assert!((interval.coverage - coverage).abs() < 0.001, "{count} blocks: {}", interval.coverage);
            assert_eq!(
                (interval.low, interval.high),
                (paired.walsh[k - 1], paired.walsh[paired.walsh.len() - k])
            );
        }
        assert_eq!(spread(1).interval(), None);
    }

    #[test]
    fn the_estimate_is_the_median_of_means_of_pairs() {
        // Means of pairs: 1, 2, 2.5, 3, 4, 5.5, 3 of its own kind …
        assert_eq!(Paired::new(&[1.0, 3.0, 4.0]).expect("finite").estimate(), 2.75);
        assert_eq!(Paired::new(&[2.0]).expect("finite").estimate(), 2.0);
    }

    #[test]
    fn blocks_of_one_sign_and_size_have_the_least_p_there_is() {
        for count in [5, 6, 8] {
            let one_sided = Paired::new(&vec![0.1; count]).expect("finite");
            assert_eq!(one_sided.p_value(), one_sided.p_floor());
        }
    }

    #[test]
    fn five_blocks_need_students_interval_too_and_four_say_nothing() {
        let told = |differences: &[f64]| Paired::new(differences).expect("finite").told_apart();
        assert_eq!(told(&[0.1; 4]), None);
        assert_eq!(told(&[0.10, 0.11, 0.09, 0.10, 0.12]), Some(true));
        assert_eq!(told(&[0.001, 0.9, 0.002, 0.003, 0.001]), Some(false));
        assert_eq!(told(&[0.001, 0.9, 0.002, 0.003, 0.001, 0.5]), Some(true));
        assert_eq!(told(&[0.1, 0.9, 0.2, 0.3, 0.1, -0.1]), Some(false));
    }

    #[test]
    fn holm_keeps_the_order_given_and_never_falls() {
        assert_eq!(holm(&[0.04, 0.01, 0.03]), [0.06, 0.03, 0.06]);
        assert_eq!(holm(&[0.6, 0.7]), [1.0, 1.0]);
        assert!(holm(&[]).is_empty());
    }

    #[test]
    fn the_plain_rule_asks_for_no_overlap() {
        assert_eq!(plain_rule(&[1.0, 2.0], &[3.0, 4.0]), Some(true));
        assert_eq!(plain_rule(&[1.0, 3.0], &[2.0, 4.0]), Some(false));
        assert_eq!(plain_rule(&[1.0], &[2.0]), None);
        assert!(no_overlap(&[3.0, 4.0, 5.0], &[1.0, 2.0]));
        assert!(!no_overlap(&[1.0, 2.0], &[2.0, 3.0]), "equal values overlap");
        assert!(!no_overlap(&[], &[1.0]));
        assert!(!no_overlap(&[f64::NAN], &[1.0]));
    }

    #[test]
    fn the_same_within_is_the_far_end_of_students_interval() {
        // Mean 0.01, sd 0.01 and t₀.₉₅ of 2 degrees of freedom, 2.9200.
        let paired = Paired::new(&[0.0, 0.01, 0.02]).expect("finite");
        let expected = 0.01 + 2.920 * 0.01 / 3f64.sqrt();
        assert!((paired.same_within().expect("three blocks") - expected).abs() < 1e-5);
        assert!(paired.within(0.95) > paired.within(0.9));
        assert_eq!(Paired::new(&[0.1]).expect("finite").within(0.9), None);
        assert_eq!(paired.p_floor(), 0.25);
    }

    #[test]
    fn what_is_no_number_makes_no_comparison() {
        assert_eq!(Paired::new(&[]), None);
        assert_eq!(Paired::new(&[1.0, f64::NAN]), None);
    }
}
