//! An interval for a quantile whose values come in clumps.
//!
//! The usual order-statistic interval assumes that values are independent.
//! Slow ones are not: they come from the same few events, and that interval
//! then covers the truth in 4 to 27 % of runs instead of 95 %. This one takes
//! the variance from batches of time: Woodruff's interval (JASA 47, 1952),
//! which bounds the share beyond the quantile and reads values off at the
//! bounds' ranks, on the logarithm of that share.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// One batch of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// How many values it has.
    pub n: u64,
    /// How many of them lie above the quantile of all.
    pub above: u64,
}

/// The interval's ends as ranks, counted from 1; read the values off there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankInterval {
    /// Rank of the lower end.
    pub low: u64,
    /// Rank of the upper end; `None` where the data does not bound it.
    pub high: Option<u64>,
}

/// The 95 % interval of the quantile that the batches' `above` counts were
/// taken against. `None` with fewer than two batches, or if nothing lies above.
pub fn woodruff(batches: &[Batch]) -> Option<RankInterval> {
    let n: u64 = batches.iter().map(|batch| batch.n).sum();
    let above: u64 = batches.iter().map(|batch| batch.above).sum();
    if batches.len() < 2 || above == 0 {
        return None;
    }
    let (all, count) = (n as f64, batches.len() as f64);
    let share = above as f64 / all;
    let squares: f64 =
        batches.iter().map(|batch| (batch.above as f64 - share * batch.n as f64).powi(2)).sum();
    let error = (count / (count - 1.0) * squares).sqrt() / all;
    let half_width = student_t_975(count - 1.0)? * error / share;
    let (least, most) = (share * (-half_width).exp(), share * half_width.exp());
    let high = (least * all >= 1.0).then(|| rank_above(least, n));
    Some(RankInterval { low: rank_above(most, n), high })
}

/// The rank that leaves `share` of `n` values above it.
fn rank_above(share: f64, n: u64) -> u64 {
    (((1.0 - share) * n as f64).ceil().max(1.0) as u64).min(n)
}

/// The 97.5 % point of Student's t.
fn student_t_975(freedom: f64) -> Option<f64> {
    StudentsT::new(0.0, 1.0, freedom).ok().map(|t| t.inverse_cdf(0.975))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn students_t_is_the_one_in_the_tables() {
        for (freedom, value) in [(1.0, 12.706), (4.0, 2.776), (19.0, 2.093), (120.0, 1.980)] {
            let found = student_t_975(freedom).unwrap();
            assert!((found - value).abs() < 5e-4, "{found} for {freedom}");
        }
    }

    #[test]
    fn equal_batches_leave_no_doubt_about_the_rank() {
        let interval = woodruff(&[Batch { n: 1000, above: 10 }; 20]).unwrap();
        assert_eq!(interval, RankInterval { low: 19_800, high: Some(19_800) });
    }

    #[test]
    fn an_interval_is_that_of_the_formula_worked_by_hand() {
        // r = .01, d = ±10: se = sqrt(20/19 × 20 × 100)/20,000 = .0022942,
        // h = 2.093 × .22942 = .48018, ranks (1 − .01 e^±h) × 20,000.
        let batch = |at| Batch { n: 1000, above: if at % 2 == 0 { 0 } else { 20 } };
        let interval = woodruff(&(0..20).map(batch).collect::<Vec<_>>()).unwrap();
        assert_eq!(interval, RankInterval { low: 19_677, high: Some(19_877) });
    }

    #[test]
    fn one_event_in_a_run_does_not_bound_the_upper_end() {
        let mut batches = [Batch { n: 50, above: 0 }; 20];
        batches[7].above = 5;
        assert_eq!(woodruff(&batches).map(|interval| interval.high), Some(None));
    }

    #[test]
    fn without_anything_above_there_is_no_interval() {
        assert_eq!(woodruff(&[Batch { n: 50, above: 0 }; 20]), None);
        assert_eq!(woodruff(&[Batch { n: 50, above: 1 }]), None);
        assert_eq!(woodruff(&[]), None);
    }
}
