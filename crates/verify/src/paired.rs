//! Two arms over their rounds: all that is reported of a comparison, by the
//! textbook. `y` is the logarithm of b ÷ a in one round.

use crate::draws::Draws;

/// Differences up to which every pattern of signs is looked at.
const MOST_COUNTED: usize = 20;
/// Patterns that are drawn above that.
const DRAWN: usize = 99_999;

/// What is reported of one comparison.
pub(crate) struct Paired {
    pub(crate) effect: Option<f64>,
    pub(crate) interval: Option<(f64, f64, f64)>,
    pub(crate) p: Option<f64>,
    pub(crate) told_apart: Option<bool>,
    pub(crate) plain_rule: Option<bool>,
    pub(crate) smallest_visible: Option<f64>,
    pub(crate) same_within: Option<f64>,
    pub(crate) sd_rounds: Option<f64>,
    pub(crate) sd_paired: Option<f64>,
}

/// Of both arms' numbers, round by round.
pub(crate) fn paired(a: &[f64], b: &[f64]) -> Paired {
    let y: Vec<f64> = a.iter().zip(b).map(|(a, b)| (b / a).ln()).collect();
    let ln_a: Vec<f64> = a.iter().map(|a| a.ln()).collect();
    let n = y.len();
    let means = means_of_pairs(&y);
    let (spread, root) = (deviation(&y), (n as f64).sqrt());
    let mean = y.iter().sum::<f64>() / n as f64;
    let share = |y: f64| y.exp_m1();
    let half = |quantile: f64| Some(student(quantile, n.checked_sub(1)?)? * spread? / root);
    let is_one_sign = y.iter().all(|y| *y > 0.0) || y.iter().all(|y| *y < 0.0);
    let leaves_out_zero = half(0.975).is_some_and(|half| mean.abs() > half);
    Paired {
        effect: (n > 0).then(|| share(middle(&means))),
        interval: (n > 1).then(|| {
            let (place, coverage) = signed_rank(n);
            (share(means[place - 1]), share(means[means.len() - place]), coverage)
        }),
        p: (n > 0).then(|| sign_flip(&y)),
        told_apart: match n {
            0..=4 => None,
            5 => Some(is_one_sign && leaves_out_zero),
            _ => Some(is_one_sign),
        },
        plain_rule: (n > 1).then(|| {
            let apart = |low: &[f64], high: &[f64]| low.iter().all(|low| high.iter().all(|high| low < high));
            apart(a, b) || apart(b, a)
        }),
        smallest_visible: half(0.975).zip(half(0.8)).map(|(a, b)| share(a + b)),
        same_within: half(0.95).map(|half| share((mean - half).abs().max((mean + half).abs()))),
        sd_rounds: deviation(&ln_a),
        sd_paired: spread,
    }
}

/// The least p that so many rounds can give.
pub(crate) fn floor(rounds: u64) -> f64 {
    2f64.powi(1 - i32::try_from(rounds).unwrap_or(i32::MAX)).min(1.0)
}

/// Holm's correction: the smallest p times all of them, the next times one
/// fewer, and none below the one before it.
pub(crate) fn holm(p_values: &[f64]) -> Vec<f64> {
    let corrected = |at: usize| {
        let smaller = |other: usize| (p_values[other], other) <= (p_values[at], at);
        let up_to: Vec<usize> = (0..p_values.len()).filter(|other| smaller(*other)).collect();
        let each = up_to.iter().map(|other| {
            let before =
                (0..p_values.len()).filter(|one| (p_values[*one], *one) < (p_values[*other], *other)).count();
            (p_values[*other] * (p_values.len() - before) as f64).min(1.0)
        });
        each.fold(0.0, f64::max)
    };
    (0..p_values.len()).map(corrected).collect()
}

fn means_of_pairs(y: &[f64]) -> Vec<f64> {
    let mut means = Vec::new();
    for (at, first) in y.iter().enumerate() {
        means.extend(y[at..].iter().map(|second| (first + second) / 2.0));
    }
    means.sort_by(f64::total_cmp);
    means
}

fn middle(sorted: &[f64]) -> f64 {
    let n = sorted.len();
    if n % 2 == 1 { sorted[n / 2] } else { (sorted[n / 2 - 1] + sorted[n / 2]) / 2.0 }
}

/// The place, from either end of the means of pairs, of the tightest interval
/// that covers 95 % (or of the widest one, where even that covers less), and
/// how often it covers. For few rounds every choice of ranks is looked at; the
/// chance of a rank sum below a limit is their share.
fn signed_rank(n: usize) -> (usize, f64) {
    let most = n * (n + 1) / 2;
    // How many subsets of the ranks 1 to n have each sum.
    let mut subsets = vec![0.0; most + 1];
    subsets[0] = 1.0;
    for rank in 1..=n {
        for sum in (rank..=most).rev() {
            subsets[sum] += subsets[sum - rank];
        }
    }
    let all: f64 = subsets.iter().sum();
    let coverage = |place: usize| 1.0 - 2.0 * subsets[..place].iter().sum::<f64>() / all;
    let enough = (1..=most / 2).filter(|place| coverage(*place) >= 0.95).max().unwrap_or(1);
    (enough, coverage(enough))
}

/// The share of sign patterns whose sum lies as far from zero as the one seen:
/// of all patterns, or of those drawn where there are too many.
fn sign_flip(y: &[f64]) -> f64 {
    let seen = y.iter().sum::<f64>().abs();
    let room = 1e-9 * y.iter().map(|y| y.abs()).sum::<f64>();
    if y.len() > MOST_COUNTED {
        let mut draws = Draws(0);
        let extreme = (0..DRAWN).filter(|_| drawn_sum(y, &mut draws).abs() >= seen - room).count();
        // What was seen is one way too.
        return (extreme + 1) as f64 / (DRAWN + 1) as f64;
    }
    let mut sums = vec![0.0];
    for value in y {
        sums = sums.iter().flat_map(|sum| [sum + value, sum - value]).collect();
    }
    sums.iter().filter(|sum: &&f64| sum.abs() >= seen - room).count() as f64 / sums.len() as f64
}

/// The sum with each sign as drawn: difference i has its sign flipped where bit
/// i mod 64 is set of the draw that is its own and 63 others'.
fn drawn_sum(y: &[f64], draws: &mut Draws) -> f64 {
    let (mut sum, mut bits) = (0.0, 0u64);
    for (at, value) in y.iter().enumerate() {
        if at % 64 == 0 {
            bits = draws.next();
        }
        sum += if bits & 1 == 1 { -value } else { *value };
        bits >>= 1;
    }
    sum
}

/// Half the width of Student's 95 % interval around a mean; `None` of fewer than two.
pub(crate) fn student_half_width(values: &[f64]) -> Option<f64> {
    let spread = deviation(values)?;
    Some(student(0.975, values.len() - 1)? * spread / (values.len() as f64).sqrt())
}

fn deviation(values: &[f64]) -> Option<f64> {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>();
    (values.len() > 1).then(|| (squares / (n - 1.0)).sqrt())
}

/// Student's quantile above one half, by halving: the chance between 0 and t is
/// a finite sum of cosines (Abramowitz and Stegun, 26.7.3 and 26.7.4).
fn student(quantile: f64, freedom: usize) -> Option<f64> {
    if freedom == 0 {
        return None;
    }
    let (mut low, mut high) = (0.0f64, std::f64::consts::FRAC_PI_2);
    for _ in 0..200 {
        let angle = (low + high) / 2.0;
        if 0.5 + between_zero_and(angle, freedom) / 2.0 < quantile { low = angle } else { high = angle }
    }
    Some(((low + high) / 2.0).tan() * (freedom as f64).sqrt())
}

/// P(|T| < t) with t = √freedom · tan(angle).
fn between_zero_and(angle: f64, freedom: usize) -> f64 {
    let (sine, cosine) = angle.sin_cos();
    let squared = cosine * cosine;
    if freedom % 2 == 1 {
        // (2/π) (θ + sin θ (cos θ + 2/3 cos³ θ + …))
        let (mut term, mut sum) = (cosine, 0.0);
        for k in (3..=freedom).step_by(2) {
            sum += term;
            term *= squared * (k - 1) as f64 / k as f64;
        }
        (angle + sine * sum) * std::f64::consts::FRAC_2_PI
    } else {
        // sin θ (1 + 1/2 cos² θ + 1·3/(2·4) cos⁴ θ + …)
        let (mut term, mut sum) = (1.0, 0.0);
        for k in (2..=freedom).step_by(2) {
            sum += term;
            term *= squared * (k - 1) as f64 / k as f64;
        }
        sine * sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn students_quantiles_are_those_of_the_table() {
        for (quantile, freedom, expected) in [
            (0.975, 1, 12.706_204_736),
            (0.975, 2, 4.302_652_730),
            (0.975, 4, 2.776_445_105),
            (0.975, 5, 2.570_581_836),
            (0.8, 5, 0.919_543_780),
            (0.95, 9, 1.833_112_933),
        ] {
            let found = student(quantile, freedom).expect("a quantile");
            assert!((found - expected).abs() < 1e-8, "{quantile} with {freedom}: {found}");
        }
    }

    #[test]
    fn intervals_take_the_places_of_wilcoxons_table() {
        let places: Vec<usize> = [5, 6, 7, 8, 10, 12].map(|n| signed_rank(n).0).into();
        assert_eq!(places, [1, 1, 3, 4, 9, 14]);
        assert_eq!(signed_rank(5).1, 0.9375);
    }

    #[test]
    fn six_rounds_of_one_sign_are_told_apart_at_the_floor() {
        let a = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let b = a.map(|a| a * 1.1);
        let found = paired(&a, &b);
        assert_eq!((found.told_apart, found.plain_rule, found.p), (Some(true), Some(false), Some(floor(6))));
        assert!((found.effect.expect("an effect") - 0.1).abs() < 1e-12);
        assert_eq!(holm(&[0.04, 0.01, 0.03]), [0.06, 0.03, 0.06]);
    }
}
