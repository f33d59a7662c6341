//! Against HdrHistogram itself, against the closed form, and what is refused.

use super::*;
use crate::fixture::{Run, rate};
use model::Seed;
use proptest::prelude::*;

fn facts(load: Load, capacity_per_s: Option<f64>) -> RunFacts {
    RunFacts { load, capacity_per_s, ..Run::calm().record.facts }
}

fn paced(per_second: f64, connections: u32) -> Load {
    Load::Paced { rate: rate(per_second), connections }
}

/// Stalls of 100 ms every 4 s, as 8 connections see them that are 1 ms apart
/// and send every 8 ms each: one long wait on each of them, and else 1 ms.
fn usual() -> Histogram {
    const STALLS: u64 = 100;
    let mut waits = Histogram::new(crate::tally::BITS);
    (0..8).for_each(|apart| waits.record_n((100 - apart) * 1_000_000, STALLS));
    waits.record_n(1_000_000, STALLS * 3_900);
    waits
}

fn p99(waits: &Histogram) -> Option<Nanos> {
    waits.value_at_rank(Quantile::P99.rank(waits.count())).map(Nanos)
}

#[track_caller]
fn within(found: Option<Nanos>, expected_ms: f64, grain_ms: f64) {
    let found = found.unwrap().as_millis_f64();
    assert!((found - expected_ms).abs() <= grain_ms, "{found} ms is not {expected_ms} ms");
}

#[test]
fn both_corrections_are_the_fluid_closed_forms() {
    // S = 100 ms every T = 4 s at half the capacity: a wait of S − xT = 60 ms
    // by HdrHistogram's rule, S − x(1−ρ)T = 80 ms in truth, to half an interval.
    let (load, waits) = (paced(1000.0, 8), usual());
    let corrected = corrected(&facts(load, Some(2000.0)), &waits, p99(&waits), 970.0).unwrap();
    assert_eq!(corrected.expected_interval, Nanos::from_millis(8));
    assert_eq!(corrected.utilisation_share, Some(0.5));
    within(Some(corrected.raw), 1.0, 0.001);
    within(corrected.hdr, 60.0, 2.0);
    within(corrected.utilisation, 80.0, 2.0);
    assert_eq!(corrected.assumptions.len(), 2);
}

#[test]
fn no_correction_by_utilisation_without_a_capacity_and_none_at_all_near_it() {
    let waits = usual();
    let of = |load, capacity| corrected(&facts(load, capacity), &waits, p99(&waits), 970.0).unwrap();
    for (load, capacity, why) in [
        (paced(1000.0, 8), None, "the service's capacity is not known"),
        (paced(1000.0, 8), Some(1100.0), "at 91 % of the capacity it is far too low"),
        (Load::Closed { connections: 8 }, Some(2000.0), "a closed loop plans no rate"),
        (paced(1000.0, 1), Some(2000.0), "even ordinary requests take longer than its interval of 500 µs"),
    ] {
        let corrected = of(load, capacity);
        assert_eq!(corrected.utilisation, None);
        assert_eq!(corrected.hdr.is_some(), capacity != Some(1100.0));
        assert!(corrected.assumptions[1].contains(why), "{:?}", corrected.assumptions);
    }
    let refused = of(paced(1000.0, 8), Some(1100.0));
    assert!(refused.assumptions[0].starts_with("no number by HdrHistogram's rule: at 91 % of the capacity"));
    let below = of(paced(1000.0, 8), Some(1112.0));
    assert!(below.utilisation.is_some() && below.hdr.is_some(), "just below nine tenths");
}

#[test]
fn a_closed_loop_expects_its_mean_time_from_request_to_request() {
    let waits = usual();
    let load = Load::Closed { connections: 4 };
    let corrected = corrected(&facts(load, None), &waits, p99(&waits), 1000.0).unwrap();
    assert_eq!(corrected.expected_interval, Nanos::from_millis(4));
}

#[test]
fn open_loops_and_empty_runs_are_not_corrected() {
    let waits = usual();
    let open = Run::calm().record.facts;
    assert_eq!(corrected(&open, &waits, p99(&waits), 1000.0), None);
    let closed = facts(Load::Closed { connections: 1 }, None);
    assert_eq!(corrected(&closed, &waits, p99(&waits), 0.0), None);
    assert_eq!(corrected(&closed, &Histogram::new(10), None, 1000.0), None);
}

#[test]
fn where_nothing_was_omitted_the_correction_is_exactly_what_was_measured() {
    let mut waits = Histogram::new(10);
    (0..1000).for_each(|i| waits.record(1_000_000 + i * 977));
    let raw = Nanos(1_967_231);
    let corrected = corrected(&facts(paced(500.0, 8), None), &waits, Some(raw), 500.0).unwrap();
    assert_eq!(corrected.hdr, Some(raw));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn hdr_agrees_with_hdrhistogram_itself(seed in any::<u64>(), interval in 100_000..20_000_000u64) {
        let mut ours = Histogram::new(crate::tally::BITS);
        let mut theirs = hdrhistogram::Histogram::<u64>::new(4).unwrap();
        for index in 0..2_000 {
            let draw = Seed(seed).mark(index);
            let value = 1_000_000 + draw % 3_000_000 + if draw.is_multiple_of(97) { draw % 200_000_000 } else { 0 };
            ours.record(value);
            theirs.record(value).unwrap();
        }
        let (ours, theirs) = (fill_omitted(&ours, interval), theirs.clone_correct(interval));
        let count = ours.count().abs_diff(theirs.len());
        prop_assert!(count <= theirs.len() / 500 + 2, "{} and {}", ours.count(), theirs.len());
        for (quantile, share) in [(Quantile::P50, 0.5), (Quantile::P90, 0.9), (Quantile::P99, 0.99)] {
            // One phantom more or less moves the rank by one, so theirs
            // is taken a thousandth to either side.
            let found = ours.value_at_rank(quantile.rank(ours.count())).unwrap() as f64;
            let least = theirs.value_at_quantile(share - 0.001) as f64;
            let most = theirs.value_at_quantile(share + 0.001) as f64;
            prop_assert!(least * 0.998 <= found && found <= most * 1.002, "{} at {}", found, share);
        }
    }
}
