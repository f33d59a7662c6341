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
