//! The arrivals of a few seeds, pinned. A plan names its arrivals by a seed
//! alone, so these numbers must never change: if this test fails, it is the
//! code that is wrong.
//!
//! They were computed by a second implementation as well (Python, from the
//! published descriptions of SplitMix64 and PCG64-DXSM and its own `log`),
//! which agreed on every nanosecond of all of them.

use doorclock_schedule::{Arrivals, Profile, Segment, digest};
use model::{ArrivalProcess, Nanos, Seed};

struct Golden {
    seed: u64,
    process: ArrivalProcess,
    segments: Vec<Segment>,
    first: [u64; 8],
    count: u64,
    counted: u64,
    hash: &'static str,
}

fn level(per_second: f64, secs: u64) -> Segment {
    Segment::level(per_second, Nanos::from_secs(secs))
}

fn slope(from: f64, to: f64, secs: u64) -> Segment {
    Segment::slope(from, to, Nanos::from_secs(secs))
}

fn check(golden: &Golden) {
    let profile = Profile::new(&golden.segments).expect("a good profile");
    let arrivals = Arrivals::new(profile, golden.process, Seed(golden.seed));
    let first: Vec<u64> = arrivals.clone().take(8).map(|arrival| arrival.scheduled.0).collect();
    let summed_up = digest(arrivals, Nanos::from_secs(2));
    assert_eq!(
        (&first[..], summed_up.count, summed_up.counted, &summed_up.hash[..]),
        (&golden.first[..], golden.count, golden.counted, golden.hash)
    );
}

#[test]
fn a_poisson_level() {
    check(&Golden {
        seed: 2026,
        process: ArrivalProcess::Poisson,
        segments: vec![level(546.0, 30)],
        first: [3_964_100, 4_098_276, 6_212_401, 7_467_950, 7_643_203, 8_226_633, 10_167_372, 12_853_891],
        count: 16_388,
        counted: 15_266,
        hash: "fa69a43492c25196884f378eb93e958868f450a7093bac3c9c03f86d0e60d41d",
    });
}

#[test]
fn an_even_level() {
    check(&Golden {
        seed: 2026,
        process: ArrivalProcess::Even,
        segments: vec![level(546.0, 30)],
        first: [210_291, 2_041_792, 3_873_294, 5_704_796, 7_536_298, 9_367_800, 11_199_302, 13_030_803],
        count: 16_380,
        counted: 15_288,
        hash: "92727afa842e92d2b0d292f3f32746d3426ffd40ddbbafe149a90075e9a5f0dc",
    });
}

#[test]
fn a_poisson_burst_with_slopes_and_a_silence() {
    check(&Golden {
        seed: 7,
        process: ArrivalProcess::Poisson,
        segments: vec![
            slope(0.0, 20.0, 3),
            level(20.0, 2),
            slope(20.0, 2.5, 3),
            level(0.0, 1),
            level(5.0, 4),
        ],
        first: [
            164_226_902,
            909_184_467,
            950_324_676,
            1_095_364_524,
            1_328_837_673,
            1_339_538_138,
            1_501_810_928,
            1_538_561_984,
        ],
        count: 113,
        counted: 103,
        hash: "3adb7ad9788bb20e1bad0171b693b8615c426b38e054e081554e23119451248e",
    });
}

#[test]
fn an_even_ramp_under_the_largest_seed() {
    check(&Golden {
        seed: u64::MAX,
        process: ArrivalProcess::Even,
        segments: vec![slope(1.0, 100.0, 10)],
        first: [
            160_499_923,
            418_997_297,
            586_323_803,
            720_237_790,
            835_188_756,
            937_492_909,
            1_030_585_544,
            1_116_581_335,
        ],
        count: 505,
        counted: 483,
        hash: "9c54b0f0ce7e43d75570ee72dfe195bf46307c265547bddde6609c6fe2fbfa0d",
    });
}
