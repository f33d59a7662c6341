use super::*;
use crate::log::{LogFormat, LogOptions, parse};
use crate::{Arrival, Arrivals};
use proptest::prelude::*;
use std::sync::Arc;

const HOW: ReplayOptions = ReplayOptions { speed: 1.0, from: None, until: None, repeat: 1, seed: Seed(1) };

fn log(text: &str) -> Log {
    parse(text.as_bytes(), &LogOptions::new(LogFormat::Times)).expect("a good log")
}

fn recorded(text: &str, how: ReplayOptions) -> Recorded {
    Recorded::new(&log(text), &how).expect("something to send")
}

fn secs(secs: f64) -> Option<Nanos> {
    Some(Nanos::from_secs_f64(secs))
}

/// Moments and length, in milliseconds.
fn millis(recorded: &Recorded) -> (Vec<f64>, f64) {
    (
        recorded.moments().iter().map(|moment| moment.as_millis_f64()).collect(),
        recorded.length().as_millis_f64(),
    )
}

#[test]
fn fine_times_stay_as_they_are_between_whole_seconds() {
    let fine = recorded("100.25\n100.75\n102.5\n", HOW);
    assert_eq!(millis(&fine), (vec![250.0, 750.0, 2_500.0], 3_000.0));
    assert_eq!((fine.requests(), fine.order()), (&[][..], &[][..]), "it tells no requests");
    // The last arrival is the first of a second, which is part of the recording.
    assert_eq!(millis(&recorded("7.5\n9.0\n", HOW)), (vec![500.0, 2_000.0], 3_000.0));
}

#[test]
fn whole_seconds_are_spread_by_the_seed_in_the_order_of_the_lines() {
    let text: String = (0..300).map(|nth| format!("{},GET,/{nth}\n", 50 + nth / 100)).collect();
    let spread = recorded(&text, HOW);
    let within = |moment: &Nanos| moment.0 % SECOND.0;
    for second in 0..3 {
        let own = &spread.moments()[second * 100..(second + 1) * 100];
        assert!(own.iter().all(|moment| moment.0 / SECOND.0 == second as u64), "each stays in its second");
        let mean = own.iter().map(within).sum::<u64>() as f64 / 100e9;
        // Three standard deviations of the mean of 100 uniform places.
        assert!((mean - 0.5).abs() < 0.087, "second {second}: {mean}");
    }
    assert!(spread.moments().is_sorted());
    assert_eq!(spread.order(), (0..300).collect::<Vec<u32>>());
    assert_eq!(spread.length(), SECOND * 3);
    assert_eq!(recorded(&text, HOW), spread, "one seed, one schedule");
    assert_ne!(recorded(&text, ReplayOptions { seed: Seed(2), ..HOW }).moments(), spread.moments());
    let places = |second: usize| spread.moments()[second * 100..(second + 1) * 100].iter().map(within);
    assert!(places(0).ne(places(1)), "no second repeats another");
}

#[test]
fn a_log_of_whole_seconds_and_one_finer_line_is_not_spread() {
    assert_eq!(millis(&recorded("5\n5\n6.5\n", HOW)), (vec![0.0, 0.0, 1_500.0], 2_000.0));
}

#[test]
fn it_can_be_sent_faster_or_slower() {
    let text = "0.0\n0.5\n1.5\n";
    let at = |speed| millis(&recorded(text, ReplayOptions { speed, ..HOW }));
    assert_eq!(at(2.0), (vec![0.0, 250.0, 750.0], 1_000.0));
    assert_eq!(at(0.5), (vec![0.0, 1_000.0, 3_000.0], 4_000.0));
}

#[test]
fn it_can_be_cut_in_its_own_time() {
    let text = "10.5,GET,/a\n11.5,GET,/b\n12.5,GET,/c\n13.5,GET,/b\n";
    let cut = |from, until| recorded(text, ReplayOptions { from, until, ..HOW });
    assert_eq!(millis(&cut(secs(1.5), None)), (vec![0.0, 1_000.0, 2_000.0], 2_500.0));
    assert_eq!(millis(&cut(None, secs(1.5))), (vec![500.0], 1_500.0), "the end itself is cut away");
    let middle = cut(secs(1.0), secs(3.25));
    assert_eq!(millis(&middle), (vec![500.0, 1_500.0], 2_250.0));
    let pair = |path: &str| ("GET".to_owned(), path.to_owned());
    assert_eq!((middle.requests(), middle.order()), (&[pair("/b"), pair("/c")][..], &[0, 1][..]));
    let end = cut(secs(1.25), None);
    assert_eq!((end.requests(), end.order()), (&[pair("/b"), pair("/c")][..], &[0, 1, 0][..]));
    let twice_as_fast = recorded(text, ReplayOptions { from: secs(1.0), speed: 2.0, ..HOW });
    assert_eq!(millis(&twice_as_fast), (vec![250.0, 750.0, 1_250.0], 1_500.0), "cut before it is sped up");
}

#[test]
fn a_cut_moves_no_arrival_within_its_second() {
    let text: String = (0..40).map(|nth| format!("{}\n", nth / 10)).collect();
    let whole = recorded(&text, HOW);
    let cut = recorded(&text, ReplayOptions { from: secs(2.0), ..HOW });
    let later: Vec<Nanos> = whole.moments()[20..].iter().map(|moment| *moment - SECOND * 2).collect();
    assert_eq!(cut.moments(), later);
}

#[test]
fn repeats_are_the_same_again() {
    let text = "0.5,GET,/a\n2.25,PUT,/b\n";
    let twice = recorded(text, ReplayOptions { repeat: 2, ..HOW });
    assert_eq!(millis(&twice), (vec![500.0, 2_250.0, 3_500.0, 5_250.0], 6_000.0));
    assert_eq!(twice.order(), [0, 1, 0, 1]);
    let part = ReplayOptions { repeat: 3, speed: 2.0, from: secs(2.0), ..HOW };
    assert_eq!(millis(&recorded(text, part)), (vec![125.0, 625.0, 1_125.0], 1_500.0));
}

#[test]
fn what_cannot_be_sent_says_why() {
    let text = "10.5\n12.5\n";
    let (one, two, three) = (SECOND, SECOND * 2, SECOND * 3);
    let cases = [
        (ReplayOptions { repeat: 0, ..HOW }, RecordedError::NotOnce),
        (ReplayOptions { speed: 0.0, ..HOW }, RecordedError::BadSpeed { speed: 0.0 }),
        (ReplayOptions { speed: -1.0, ..HOW }, RecordedError::BadSpeed { speed: -1.0 }),
        (ReplayOptions { speed: 1.1e6, ..HOW }, RecordedError::BadSpeed { speed: 1.1e6 }),
        (
            ReplayOptions { from: Some(three), ..HOW },
            RecordedError::BeyondTheEnd { moment: three, length: three },
        ),
        (
            ReplayOptions { until: Some(three + Nanos(1)), ..HOW },
            RecordedError::BeyondTheEnd { moment: three + Nanos(1), length: three },
        ),
        (
            ReplayOptions { from: Some(one), until: Some(one), ..HOW },
            RecordedError::NoLength { from: one, until: one },
        ),
        (
            ReplayOptions { from: Some(one), until: Some(two), ..HOW },
            RecordedError::NothingToSend { from: one, until: two },
        ),
        (ReplayOptions { speed: 1e-9, ..HOW }, RecordedError::TooLong),
        (ReplayOptions { repeat: 4_000_000, ..HOW }, RecordedError::TooLong),
        (
            ReplayOptions { repeat: 60_000_000, speed: 1e6, ..HOW },
            RecordedError::TooMany { arrivals: 120_000_000 },
        ),
    ];
    for (how, error) in cases {
        assert_eq!(Recorded::new(&log(text), &how), Err(error), "{how:?}");
    }
    let no_number = Recorded::new(&log(text), &ReplayOptions { speed: f64::NAN, ..HOW });
    assert!(matches!(no_number, Err(RecordedError::BadSpeed { .. })), "{no_number:?}");
}

#[test]
fn stages_tell_the_mean_rate_of_equal_stretches() {
    let levels = |recorded: &Recorded| -> Vec<(u64, f64)> {
        recorded.stages().iter().map(|stage| (stage.length.0, (stage.mean() * 1e6).round() / 1e6)).collect()
    };
    let second = SECOND.0;
    let short = recorded("0.25\n0.5\n2.5\n", HOW);
    assert_eq!(levels(&short), [(second, 2.0), (second, 0.0), (second, 1.0)]);
    let fast = recorded("0.25\n0.5\n2.5\n", ReplayOptions { speed: 4.0, ..HOW });
    assert_eq!(levels(&fast), [(750_000_000, 4.0)], "no shorter than a second, or than all of it");
    let text: String = (0..3_601).map(|nth| format!("{nth}.0\n{nth}.5\n")).collect();
    let long = recorded(&text, HOW);
    let stages = long.stages();
    assert_eq!(stages.len(), 60);
    assert_eq!(stages.iter().map(|stage| stage.length).sum::<Nanos>(), long.length());
    assert!(stages.iter().all(|stage| (stage.mean() - 2.0).abs() < 0.02), "{stages:?}");
    let arrivals: f64 = stages.iter().map(|stage| stage.mean() * stage.length.as_secs_f64()).sum();
    assert!((arrivals - long.moments().len() as f64).abs() < 1e-6, "no arrival is left out: {arrivals}");
}

#[test]
fn recorded_arrivals_follow_a_silent_warm_up() {
    let once = Arc::new(recorded("0.25\n0.5\n", HOW));
    let mut arrivals = Arrivals::recorded(Arc::clone(&once), SECOND * 3);
    let arrival = |index, millis| Some(Arrival { index, scheduled: Nanos::from_millis(millis) });
    assert_eq!([arrivals.next(), arrivals.next()], [arrival(0, 3_250), arrival(1, 3_500)]);
    assert_eq!([arrivals.next(), arrivals.next()], [None, None], "once over it stays over");
}

proptest! {
    #[test]
    fn moments_are_in_order_and_before_the_end_and_each_has_its_request(
        gaps in prop::collection::vec((0_u64..3_000, 0_u32..5), 1..40),
        is_coarse: bool,
        speed in prop_oneof![Just(1.0), 0.001..1_000.0_f64],
        repeat in 1_u32..4,
        cut in (0.0..1.0_f64, 0.0..1.0_f64),
        seed: u64,
    ) {
        let mut at = 1_700_000_000_000_u64;
        let lines: String = gaps
            .iter()
            .map(|&(gap, path)| {
                at += gap;
                let millis = if is_coarse { 0 } else { at % 1_000 };
                format!("{}.{millis:03},GET,/{path}\n", at / 1_000)
            })
            .collect();
        let log = log(&lines);
        let whole = Recorded::new(&log, &HOW).expect("all of it");
        let part = |part: f64| Nanos((whole.length().0 as f64 * part) as u64);
        let (from, until) = (part(cut.0.min(cut.1)), part(cut.0.max(cut.1)));
        let how = ReplayOptions { speed, repeat, from: Some(from), until: Some(until), seed: Seed(seed) };
        match Recorded::new(&log, &how) {
            Ok(recorded) => {
                prop_assert!(recorded.moments().is_sorted());
                prop_assert!(recorded.moments().last().expect("not empty") < &recorded.length());
                prop_assert_eq!(recorded.order().len(), recorded.moments().len());
                let paths = recorded.requests().len() as u32;
                prop_assert!((0..paths).all(|request| recorded.order().contains(&request)));
                prop_assert!(recorded.order().iter().all(|request| *request < paths));
            }
            Err(error) => prop_assert!(
                matches!(error, RecordedError::NothingToSend { .. } | RecordedError::NoLength { .. }),
                "{}", error
            ),
        }
    }
}
