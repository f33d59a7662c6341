//! Two arms over their rounds: told apart or not, and by how much.

use crate::summary::{ArmSummary, Comparison, RunSummary, Verdict};
use model::{Number, Pairing};
use stats::Paired;

/// Every pairing, with Holm's correction for all but the twins'.
pub(crate) fn comparisons(arms: &[ArmSummary], pairings: &[Pairing]) -> Vec<Comparison> {
    let mut all: Vec<Comparison> = pairings.iter().map(|pairing| compare(arms, pairing)).collect();
    let corrected = |one: &&mut Comparison| !one.pairing.is_twin && one.p.is_some();
    let p_values: Vec<f64> = all.iter_mut().filter(corrected).filter_map(|one| one.p).collect();
    let holm = stats::holm(&p_values);
    all.iter_mut().filter(corrected).zip(holm).for_each(|(one, p)| one.p_holm = Some(p));
    all
}

fn compare(arms: &[ArmSummary], pairing: &Pairing) -> Comparison {
    let runs = |name: &str| arms.iter().find(|arm| arm.name == name).map_or(&[][..], |arm| &arm.runs[..]);
    let (of_a, of_b) = (runs(&pairing.a), runs(&pairing.b));
    let pairs = of_a.iter().filter_map(|a| {
        let b = of_b.iter().find(|b| b.facts.round == a.facts.round)?;
        Some((value(a, pairing.number)?, value(b, pairing.number)?))
    });
    let (a, b): (Vec<f64>, Vec<f64>) = pairs.unzip();
    let ratios: Vec<f64> = a.iter().zip(&b).map(|(a, b)| b / a).collect();
    let logs: Vec<f64> = ratios.iter().map(|ratio| ratio.ln()).collect();
    let paired = Paired::new(&logs);
    let interval = paired.as_ref().and_then(Paired::interval);
    let ln_a: Vec<f64> = a.iter().map(|value| value.ln()).collect();
    let rounds = logs.len() as u32;
    Comparison {
        pairing: pairing.clone(),
        rounds,
        ratios,
        effect: paired.as_ref().map(|paired| paired.estimate().exp_m1()),
        low: interval.map(|interval| interval.low.exp_m1()),
        high: interval.map(|interval| interval.high.exp_m1()),
        coverage: interval.map(|interval| interval.coverage),
        p: paired.as_ref().map(Paired::p_value),
        p_floor: (rounds > 0).then(|| stats::sign_flip_floor(rounds)),
        p_holm: None,
        told_apart: paired.as_ref().and_then(Paired::told_apart),
        plain_rule: stats::plain_rule(&a, &b),
        smallest_visible: paired.as_ref().and_then(Paired::smallest_visible).map(f64::exp_m1),
        same_within: paired.as_ref().and_then(Paired::same_within).map(f64::exp_m1),
        sd_rounds: stats::sd(&ln_a),
        sd_paired: paired.as_ref().and_then(Paired::sd),
    }
}

/// A number of a run that can be compared: known, exact and above zero, of a
/// run that is not void.
pub(crate) fn value(run: &RunSummary, number: Number) -> Option<f64> {
    let times = &run.response_time;
    let exact =
        |point: Option<crate::Point>| point.filter(|point| !point.at_least).map(|point| point.value.0 as f64);
    let value = match number {
        Number::Mean => times.mean.filter(|_| times.censored == 0),
        Number::P50 => exact(times.p50),
        Number::P90 => exact(times.p90),
        Number::P95 => exact(times.p95),
        Number::P99 => exact(times.p99),
        Number::P999 => exact(times.p999),
        Number::Max => exact(times.max),
    };
    value.filter(|value| *value > 0.0 && run.verdict != Verdict::Void)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::arm;

    fn pairing(a: &str, b: &str, is_twin: bool) -> Pairing {
        Pairing { a: a.to_owned(), b: b.to_owned(), number: Number::P99, is_twin }
    }

    fn compared(a: &[f64], b: &[f64]) -> Comparison {
        comparisons(&[arm("a", a), arm("b", b)], &[pairing("a", "b", false)]).remove(0)
    }

    #[track_caller]
    fn close(found: Option<f64>, expected: f64) {
        let found = found.expect("known");
        assert!((found - expected).abs() < 1e-9 * expected.abs().max(1.0), "{found} is not {expected}");
    }

    /// Six rounds that differ by a factor of ten among themselves, and in each
    /// of which b is a few per cent above a.
    const A: [f64; 6] = [10.0, 20.0, 100.0, 40.0, 50.0, 80.0];
    const RATIOS: [f64; 6] = [1.04, 1.05, 1.06, 1.07, 1.08, 1.10];

    fn b() -> Vec<f64> {
        A.iter().zip(RATIOS).map(|(a, ratio)| a * ratio).collect()
    }

    #[test]
    fn what_differs_in_every_round_is_told_apart_and_the_plain_rule_misses_it() {
        let one = compared(&A, &b());
        assert_eq!((one.rounds, one.told_apart, one.plain_rule), (6, Some(true), Some(false)));
        for (found, expected) in one.ratios.iter().zip(RATIOS) {
            close(Some(*found), expected);
        }
        // Of six, the exact interval runs from the least ratio to the largest.
        close(one.low, 0.04);
        close(one.high, 0.10);
        close(one.coverage, 0.96875);
        // The 11th of the 21 geometric means of two ratios is that of 1.06 and 1.07.
        close(one.effect, (1.06f64 * 1.07).sqrt() - 1.0);
        close(one.p, 2.0 / 64.0);
        close(one.p_floor, 2.0 / 64.0);
        close(one.p_holm, 2.0 / 64.0);
        // Pairing takes out what the rounds share.
        assert!(one.sd_rounds.expect("known") > 0.8 && one.sd_paired.expect("known") < 0.03);
        // (t₀.₉₇₅ + t₀.₈₀) sd ÷ √n with 5 degrees of freedom.
        let visible = (2.570_581_836 + 0.919_543_780) * one.sd_paired.expect("known") / 6f64.sqrt();
        assert!((one.smallest_visible.expect("known") - visible.exp_m1()).abs() < 1e-6);
        assert!((0.08..0.10).contains(&one.same_within.expect("known")), "{:?}", one.same_within);
    }

    #[test]
    fn a_round_counts_only_where_both_have_the_number_exactly() {
        let mut arms = [arm("a", &A), arm("b", &b())];
        arms[0].runs[0].verdict = Verdict::Void;
        arms[1].runs[1].response_time.p99 = None;
        arms[1].runs[2].response_time.p99.as_mut().expect("a p99").at_least = true;
        arms[1].runs.remove(3);
        let one = comparisons(&arms, &[pairing("a", "b", false)]).remove(0);
        assert_eq!((one.rounds, one.ratios.len(), one.told_apart), (2, 2, None));
        close(Some(one.ratios[0]), 1.08);
        let none = comparisons(&arms[..1], &[pairing("a", "missing", false)]).remove(0);
        assert_eq!((none.rounds, none.effect, none.p, none.p_floor), (0, None, None, None));
    }

    #[test]
    fn a_mean_with_lower_bounds_in_it_is_no_number_to_compare() {
        let mut run = crate::fixture::summary("a", 1, 5.0);
        assert_eq!(value(&run, Number::Mean), run.response_time.mean);
        run.response_time.censored = 1;
        assert_eq!(value(&run, Number::Mean), None);
        assert_eq!(value(&run, Number::P99), Some(5e6));
    }

    #[test]
    fn holm_counts_every_comparison_but_the_twins() {
        let arms = [arm("a", &A), arm("b", &b()), arm("again", &A), arm("c", &b())];
        let all = comparisons(
            &arms,
            &[pairing("a", "b", false), pairing("a", "again", true), pairing("a", "c", false)],
        );
        close(all[0].p_holm, 4.0 / 64.0);
        close(all[2].p_holm, 4.0 / 64.0);
        assert_eq!((all[1].p_holm, all[1].p, all[1].told_apart), (None, Some(1.0), Some(false)));
        assert_eq!((all[1].effect, all[1].same_within), (Some(0.0), Some(0.0)));
    }
}
