//! The arrivals of a few seeds, pinned. A plan names its arrivals by a seed
//! alone, so these numbers must never change: if this test fails, it is the
//! code that is wrong.
//!
//! They were computed by a second implementation as well (Python, from the
//! published descriptions of SplitMix64 and PCG64-DXSM and its own `log`),
//! which agreed on every nanosecond of all of them. So were the shapes, the
//! places of a recording within its seconds, and the beats of users.

use doorclock_schedule::log::{LogFormat, LogOptions, parse};
use doorclock_schedule::shape::{Burst, Day, RampUp, Soak, Stages, Steady, UntilStage, repeated};
use doorclock_schedule::{
    Arrival, Arrivals, Paced, Profile, Recorded, ReplayOptions, Segment, Share, Tester, UserLevels, digest,
};
use model::{ArrivalProcess, Nanos, Seed, Shape, ShapeKind, Stage, StageUnit};
use std::sync::Arc;

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

const SEED: Seed = Seed(2026);
const WARM_UP: Nanos = Nanos::from_secs(2);

const fn secs(secs: u64) -> Nanos {
    Nanos::from_secs(secs)
}

/// The first four moments, how many there are, how many of them are counted,
/// and the hash of all.
type Pinned = ([u64; 4], u64, u64, &'static str);

fn check_arrivals(arrivals: impl Iterator<Item = Arrival> + Clone, warm_up: Nanos, pinned: Pinned) {
    let first: Vec<u64> = arrivals.clone().take(4).map(|arrival| arrival.scheduled.0).collect();
    let all = digest(arrivals, warm_up);
    assert_eq!(
        (&first[..], all.count, all.counted, &all.hash[..]),
        (&pinned.0[..], pinned.1, pinned.2, pinned.3)
    );
}

/// Pins the arrivals of stages in arrivals a second, or in users of this pace.
fn check_shape(stages: Vec<Stage>, pace: Option<Nanos>, process: ArrivalProcess, pinned: Pinned) {
    let unit = if pace.is_some() { StageUnit::Users } else { StageUnit::PerSecond };
    let shape = Shape { kind: ShapeKind::Stages, unit, pace, stages, replay: None };
    let profile = Profile::of_shape(&shape, WARM_UP).expect("a good shape");
    check_arrivals(Arrivals::new(profile, process, SEED), WARM_UP, pinned);
}

#[test]
fn stages_of_users_with_a_pace() {
    let stage = |until, load, is_slope| UntilStage { until: secs(until), load, is_slope };
    let stages = vec![stage(20, 2.0, false), stage(35, 20.0, false), stage(80, 2.0, true)];
    check_shape(
        Stages { stages }.stages().expect("good stages"),
        Some(Nanos::from_millis(100)),
        ArrivalProcess::Poisson,
        (
            [108_219_947, 111_882_936, 169_598_563, 203_875_060],
            8_387,
            8_343,
            "f87551a74a386d05b880449ed61020b07f35d908968d41271318a8a64313d755",
        ),
    );
}

#[test]
fn a_ramp_up_in_steps_and_as_a_slope() {
    let steps = RampUp { from: 100.0, to: 1_000.0, steps: 10, each: secs(2), is_slope: false };
    check_shape(
        steps.stages().expect("a good ramp"),
        None,
        ArrivalProcess::Poisson,
        (
            [21_643_989, 22_376_587, 33_919_712, 40_775_012],
            11_231,
            11_020,
            "a8c4dd2b779eb541739d48b73d8f10bbb052940a03895637d7df8c06f13a10a3",
        ),
    );
    check_shape(
        RampUp { is_slope: true, ..steps }.stages().expect("a good ramp"),
        None,
        ArrivalProcess::Even,
        (
            [1_148_189, 11_148_189, 21_148_189, 31_148_189],
            11_200,
            11_000,
            "a6df5dd8c92e8ad967740b656b0bedce070aca5d6b2fc2a2c76043e38031d1b3",
        ),
    );
}

#[test]
fn a_steady_load_and_a_soak() {
    check_shape(
        Steady { load: 200.0, lasts: secs(60) }.stages().expect("a good level"),
        None,
        ArrivalProcess::Poisson,
        (
            [10_821_994, 11_188_293, 16_959_856, 20_387_506],
            12_412,
            11_976,
            "00a7da949771cd109c7e8d959eeaf9962dd5cf6c08b975d4a8c025ed45bb5c01",
        ),
    );
    check_shape(
        Soak { load: 0.75, lasts: secs(600) }.stages().expect("a good level"),
        None,
        ArrivalProcess::Even,
        (
            [153_091_899, 1_486_425_233, 2_819_758_566, 4_153_091_899],
            452,
            450,
            "18bd3730f2a6387d30e8aab47b553e796e1ba62cba0d62d5ada6316529df6ab8",
        ),
    );
}

#[test]
fn a_burst_twice() {
    let burst = Burst { base: 0.2, peak: 2.0, before: secs(20), lasts: secs(15), after: secs(45) };
    check_shape(
        repeated(&burst.stages().expect("a good burst"), 2).expect("good rounds"),
        None,
        ArrivalProcess::Poisson,
        (
            [10_821_994_792, 11_188_293_687, 16_959_856_371, 20_387_506_096],
            98,
            98,
            "2dfe2ec36445bc034523a7ebcbcf82292bfe2618210052308f538be81b4534c4",
        ),
    );
}

#[test]
fn a_day_of_24_seconds() {
    let points = vec![(secs(3), 2.0), (secs(9), 30.0), (secs(18), 12.0)];
    check_shape(
        Day { points, lasts: secs(24) }.stages().expect("a good day"),
        None,
        ArrivalProcess::Poisson,
        (
            [405_824_804, 419_561_013, 635_994_613, 764_531_478],
            393,
            382,
            "b99965989f21728c2c91177213049f4867a464562ea26a50e1a3384128f50d6d",
        ),
    );
}

#[test]
fn a_recording_of_whole_seconds() {
    // Fewer and fewer a second: squares leave ever wider gaps.
    let lines: String = (0..400).map(|nth| format!("{}\n", 1_700_000_000 + nth * nth / 4_000)).collect();
    let log = parse(lines.as_bytes(), &LogOptions::new(LogFormat::Times)).expect("a good log");
    let check = |how: ReplayOptions, pinned| {
        let recorded = Recorded::new(&log, &how).expect("arrivals");
        check_arrivals(Arrivals::recorded(Arc::new(recorded), WARM_UP), WARM_UP, pinned);
    };
    check(
        ReplayOptions::new(SEED),
        (
            [2_003_931_863, 2_007_373_291, 2_012_207_931, 2_041_414_183],
            400,
            400,
            "6b45f3e15c38dae641b3079bd38347a6606955afa537e21afad0639e9b8442cb",
        ),
    );
    let (from, until) = (Some(secs(5)), Some(secs(20)));
    check(
        ReplayOptions { speed: 1.7, repeat: 2, from, until, seed: SEED },
        (
            [2_078_682_224, 2_131_641_162, 2_159_533_770, 2_350_892_278],
            282,
            282,
            "d6fcaf0dfd3039a44709de9e013684402844b53beea7e0d2bd0a2875e44a23db",
        ),
    );
}

#[test]
fn paced_users_who_come_and_go_before_a_prompt_service() {
    let stages = [3.0, 8.0, 2.0, 4.0].map(|users| Stage::level(secs(5), users)).to_vec();
    let (kind, unit) = (ShapeKind::Stages, StageUnit::Users);
    let shape = Shape { kind, unit, pace: Some(secs(1)), stages, replay: None };
    let levels = UserLevels::of_shape(&shape, Nanos::ZERO);
    let mut tester = Paced::over_time(levels, secs(1), Share::whole());
    let mut sent = Vec::new();
    while let Some(due) = tester.take() {
        sent.push(Arrival { index: due.index, scheduled: due.scheduled });
        tester.done(due.user, due.scheduled + Nanos::from_millis(3), false);
    }
    check_arrivals(
        sent.into_iter(),
        Nanos::ZERO,
        (
            [0, 236_067_977, 618_033_988, 1_000_000_000],
            85,
            85,
            "1d49123bc00e23aa3d98821a2be57b4018213472f9051fd840fe46868ed2dd20",
        ),
    );
}
