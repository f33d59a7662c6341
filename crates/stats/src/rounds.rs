//! How many blocks a paired comparison needs, and what so many can show:
//! for planning, before there is any data.

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// The chance of a false alarm that is accepted, both sides together.
const FALSE_ALARMS: f64 = 0.05;
/// How often a difference that exists is to be seen.
const POWER: f64 = 0.8;
/// Fewer blocks leave one degree of freedom at most for their scatter.
const FEWEST_BLOCKS: u32 = 3;
/// More blocks are nobody's plan. Besides, the quantiles of Student's t that
/// come from `statrs` lose digits as freedom grows: they are right to 10⁻⁶ up to
/// here and to 10⁻³ at a million.
const MOST_BLOCKS: u32 = 10_000;
/// (z₀.₉₇₅ + z₀.₈)²: what [`rounds_needed`] comes to, over (effect ÷ sd)², were
/// the scatter known. Estimating it can only cost blocks, so the search begins here.
const NORMAL_LIMIT: f64 = 7.848;

/// The least p that the sign-flip test can give with so many blocks: 2 ÷ 2ⁿ, at most 1.
pub fn sign_flip_floor(blocks: u32) -> f64 {
    (2.0 / 2f64.powi(blocks as i32)).min(1.0)
}

/// The fewest blocks with which the best of so many comparisons can pass at
/// 5 % after Holm's correction: 2 ÷ 2ⁿ ≤ 0.05 ÷ m.
pub fn rounds_for(comparisons: usize) -> u32 {
    let level = FALSE_ALARMS / comparisons.max(1) as f64;
    (1..).find(|blocks| sign_flip_floor(*blocks) <= level).expect("the floor falls to nothing")
}

/// The fewest blocks with which Student's paired test, two-sided at 5 %, sees
/// `effect` four times in five. `effect` is a share (0.05 where b is 5 % above
/// a, and above −1), `sd` the standard deviation of the paired ln(b ÷ a); the
/// test is on that logarithm, so what is to be seen is ln(1 + effect).
///
/// The power is the exact one of the noncentral t distribution (Cohen,
/// Statistical Power Analysis, 1988, chapter 2). Three at least, for two leave
/// their scatter unknown. `None` where no number of blocks will do: no effect,
/// or one so small that it takes more than 10,000.
pub fn rounds_needed(sd: f64, effect: f64) -> Option<u32> {
    let shift = effect.ln_1p().abs();
    if !(sd >= 0.0 && sd.is_finite() && shift > 0.0 && shift.is_finite()) {
        return None;
    }
    let scaled = shift / sd;
    let limit = NORMAL_LIMIT / (scaled * scaled);
    // A limit too large for an integer becomes the largest, and the range empty.
    (FEWEST_BLOCKS.max(limit as u32)..=MOST_BLOCKS).find(|blocks| power(*blocks, scaled) >= POWER)
}

/// The smallest centre that `blocks` differences of standard deviation `sd`
/// show four times in five at 5 %, two-sided: (t₀.₉₇₅ + t₀.₈) sd ÷ √n. `None`
/// of one block.
pub fn smallest_visible(sd: f64, blocks: u32) -> Option<f64> {
    let count = blocks as usize;
    let both = student(1.0 - FALSE_ALARMS / 2.0, count)? + student(POWER, count)?;
    Some(both * sd / f64::from(blocks).sqrt())
}

/// Student's quantile for a mean of `count` values.
pub(crate) fn student(quantile: f64, count: usize) -> Option<f64> {
    let freedom = count.checked_sub(1).filter(|freedom| *freedom > 0)?;
    StudentsT::new(0.0, 1.0, freedom as f64).ok().map(|t| t.inverse_cdf(quantile))
}

/// How often Student's test sees a centre of `scaled` standard deviations.
///
/// Given the estimate s of a true standard deviation of one, the test sees it
/// where a normal value lies beyond ±t·s; that chance is averaged over s, whose
/// density is in proportion to s^(f−1) e^(−f s²/2) for f degrees of freedom.
fn power(blocks: u32, scaled: f64) -> f64 {
    // Even, as Simpson's rule wants; 400 give eight digits.
    const STEPS: u32 = 400;
    let Some(critical) = student(1.0 - FALSE_ALARMS / 2.0, blocks as usize) else { return 0.0 };
    let freedom = f64::from(blocks) - 1.0;
    let centre = scaled * f64::from(blocks).sqrt();
    // Nine standard deviations of s to either side leave out nothing that counts.
    let reach = 9.0 / (2.0 * freedom).sqrt();
    let (least, most) = ((1.0 - reach).max(0.0), 1.0 + reach);
    let (mut seen, mut all) = (0.0, 0.0);
    for step in 0..=STEPS {
        let s = least + (most - least) * f64::from(step) / f64::from(STEPS);
        let simpson = if step == 0 || step == STEPS { 1.0 } else { f64::from(2 + 2 * (step % 2)) };
        let weight = simpson * ((freedom - 1.0) * s.ln() - freedom * (s * s - 1.0) / 2.0).exp();
        all += weight;
        seen += weight * (normal(centre - critical * s) + normal(-centre - critical * s));
    }
    seen / all
}

/// P(Z ≤ z).
fn normal(z: f64) -> f64 {
    Normal::standard().cdf(z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_comparisons_need_so_many_blocks() {
        for (comparisons, blocks) in [(1, 6), (2, 7), (3, 7), (4, 8), (6, 8), (7, 9), (12, 9), (13, 10)] {
            assert_eq!(rounds_for(comparisons), blocks, "{comparisons} comparisons");
        }
    }

    #[test]
    fn an_effect_needs_the_rounds_of_the_power_table() {
        let table = [
            (0.01, [Some(11), Some(5), Some(4), Some(3), Some(3), Some(3)]),
            (0.02, [Some(34), Some(11), Some(6), Some(4), Some(3), Some(3)]),
            (0.05, [Some(201), Some(52), Some(25), Some(11), Some(5), Some(3)]),
            (0.10, [None, Some(203), Some(92), Some(35), Some(11), Some(5)]),
            (0.15, [None, None, Some(205), Some(77), Some(22), Some(8)]),
        ];
        for (sd, row) in table {
            for (effect, blocks) in [0.01, 0.02, 0.03, 0.05, 0.1, 0.2].into_iter().zip(row) {
                if blocks.is_some() {
                    assert_eq!(rounds_needed(sd, effect), blocks, "sd {sd}, effect {effect}");
                }
            }
        }
    }

    #[test]
    fn a_power_is_that_of_the_noncentral_t_distribution() {
        // Published powers of the one-sample test: one sd with 10, half a one with 34.
        for (blocks, scaled, expected) in [(10, 1.0, 0.803_097), (34, 0.5, 0.807_778)] {
            let found = power(blocks, scaled);
            assert!((found - expected).abs() < 1e-5, "{found} with {blocks}");
        }
        assert!((power(6, 0.0) - 0.05).abs() < 1e-8, "without an effect there are false alarms alone");
    }

    #[test]
    fn what_cannot_be_seen_needs_no_number_of_rounds() {
        assert_eq!(rounds_needed(0.02, 0.0), None);
        assert_eq!(rounds_needed(0.02, -1.0), None);
        assert_eq!(rounds_needed(f64::NAN, 0.1), None);
        assert_eq!(rounds_needed(1.0, 1e-6), None);
        assert_eq!(rounds_needed(1.0, 1e-200), None);
        // 7.8489 ÷ 0.03² and 1.96² ÷ 2 more, by the usual approximation.
        assert_eq!(rounds_needed(1.0, 0.03f64.exp_m1()), Some(8_723));
        assert_eq!(rounds_needed(0.0, 0.1), Some(3), "even where nothing scatters");
        assert_eq!(rounds_needed(0.02, 1.0 / 1.05 - 1.0), rounds_needed(0.02, 0.05), "either way round");
    }

    #[test]
    fn students_quantile_is_right_for_as_many_blocks_as_are_ever_needed() {
        // z + (z³ + z) ÷ 4f + (5z⁵ + 16z³ + 3z) ÷ 96f² (Abramowitz and Stegun, 26.7.5).
        let z = 1.959_963_985f64;
        for blocks in (500..=MOST_BLOCKS as usize).step_by(7) {
            let f = blocks as f64 - 1.0;
            let expected = z
                + (z.powi(3) + z) / (4.0 * f)
                + (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / (96.0 * f * f);
            let found = student(0.975, blocks).expect("two blocks or more");
            assert!((found - expected).abs() < 1e-6, "{found}, not {expected}, with {blocks}");
        }
    }

    #[test]
    fn what_six_blocks_can_show_is_what_students_quantiles_say() {
        // t with 5 degrees of freedom: 2.5706 at 97.5 %, 0.9195 at 80 %.
        let visible = smallest_visible(0.024, 6).expect("six blocks");
        assert!((visible - (2.5706 + 0.9195) * 0.024 / 6f64.sqrt()).abs() < 1e-5, "{visible}");
        assert_eq!(smallest_visible(0.024, 1), None);
    }
}
