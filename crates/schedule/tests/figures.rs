//! What schedules cost. Run by hand, in release, on a quiet machine:
//! `cargo test --release -p doorclock-schedule --test figures -- --ignored --nocapture --test-threads 1`
//!
//! The peak of memory is that of the process so far: ask for one test at a
//! time where it matters.

use doorclock_schedule::log::{Log, LogFormat, LogOptions, parse};
use doorclock_schedule::shape::Day;
use doorclock_schedule::{Arrivals, ArrivalsDigest, Profile, Recorded, ReplayOptions, Segment, digest};
use model::{ArrivalProcess, Nanos, Seed, Shape, ShapeKind, StageUnit};
use std::fmt::Write as _;
use std::fs;
use std::hint::black_box;
use std::io::Write as _;
use std::sync::Arc;
use std::time::Instant;

const LINES: u64 = 1_000_000;

/// Shows the time on a CPU beside the time on the wall: on a busy machine only
/// the first can be compared.
fn timed<T>(what: &str, count_of: impl Fn(&T) -> u64, work: impl FnOnce() -> T) -> T {
    #[expect(clippy::disallowed_methods, reason = "a measurement by hand, of real time")]
    let (began, cpu_began) = (Instant::now(), cpu_ns());
    let result = work();
    let (wall, cpu_ns) = (began.elapsed().as_secs_f64(), cpu_ns() - cpu_began);
    let (count, cpu) = (count_of(&result), cpu_ns as f64 / 1e9);
    let each = cpu_ns as f64 / count as f64;
    say(&format!("{what:<34}{count:>11} in {wall:>6.2} s, on a CPU {cpu:>6.2} s = {each:>6.1} ns each"));
    result
}

/// Time this thread has spent on a CPU.
fn cpu_ns() -> u64 {
    let stat = fs::read_to_string("/proc/thread-self/schedstat").expect("Linux has it");
    stat.split_whitespace().next().and_then(|ns| ns.parse().ok()).expect("a number")
}

fn say(line: &str) {
    writeln!(std::io::stderr(), "{line}").expect("stderr is open");
}

/// Most memory resident so far, in MB.
fn peak_mb() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("Linux has it");
    let line = status.lines().find(|line| line.starts_with("VmHWM")).expect("it has this line");
    line.split_whitespace().nth(1).and_then(|kb| kb.parse::<u64>().ok()).expect("a number") / 1024
}

#[test]
#[ignore = "a measurement, not a promise"]
fn a_day_of_100_million_arrivals_is_walked_and_hashed() {
    let hour = |hours: u64| Nanos::from_secs(3_600 * hours);
    let points = [(0, 0.2), (4, 0.05), (9, 1.9), (12, 1.4), (16, 1.9), (20, 1.0)];
    let points = points.map(|(at, part)| (hour(at), part * 1_110.0)).to_vec();
    let stages = Day { points, lasts: hour(24) }.stages().expect("a good day");
    let shape = Shape { kind: ShapeKind::Day, unit: StageUnit::PerSecond, pace: None, stages, replay: None };
    let profile = Profile::of_shape(&shape, Nanos::from_secs(60)).expect("a good shape");
    say(&format!("expected: {:.0} arrivals over {} s", profile.expected(), profile.end().as_secs_f64()));
    for process in [ArrivalProcess::Poisson, ArrivalProcess::Even] {
        let arrivals = Arrivals::new(profile.clone(), process, Seed(2026));
        timed(&format!("{process:?}: walked"), |count| *count, || walked(arrivals.clone()));
        let all = timed(
            &format!("{process:?}: walked and hashed"),
            |all: &ArrivalsDigest| all.count,
            || digest(arrivals, Nanos::from_secs(60)),
        );
        say(&format!("hash {}, peak memory {} MB", all.hash, peak_mb()));
        assert!(all.count > 100_000_000);
    }
}

/// Walks all, looks at each as a sender would, and counts them.
fn walked(arrivals: Arrivals) -> u64 {
    arrivals.map(black_box).fold(0, |count, _| count + 1)
}

#[test]
#[ignore = "a measurement, not a promise"]
fn what_an_arrival_costs() {
    let level = Segment::level(20_000.0, Nanos::from_secs(500));
    let slope = Segment::slope(0.0, 40_000.0, Nanos::from_secs(500));
    for (what, segment) in [("on a level", level), ("on a slope", slope)] {
        let profile = Profile::new(&[segment]).expect("a good profile");
        let arrivals = Arrivals::new(profile, ArrivalProcess::Poisson, Seed(1));
        timed(what, |count| *count, || walked(arrivals));
    }
    let log = log_of(LogFormat::Times);
    let ten_times = ReplayOptions { repeat: 10, ..ReplayOptions::new(Seed(1)) };
    let recorded = Recorded::new(&log, &ten_times).expect("arrivals");
    let arrivals = Arrivals::recorded(Arc::new(recorded), Nanos::ZERO);
    timed("recorded", |count| *count, || walked(arrivals));
}

/// A million lines, some 60 MB to 200 MB, of 5,000 different paths.
fn lines(format: LogFormat) -> String {
    let mut text = String::new();
    for nth in 0..LINES {
        let (path, millis) = (Seed(1).mark(nth) % 5_000, nth % 500 * 2);
        let (minute, second) = (nth / 500 / 60, nth / 500 % 60);
        let clf = format_args!("10/Oct/2000:{:02}:{:02}:{second:02} -0700", 13 + minute / 60, minute % 60)
            .to_string();
        let agent = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0";
        let leading = format!(
            "10.0.{}.7 - - [{clf}] \"GET /shop/item/{path}?ref=home HTTP/1.1\" 200 {nth}",
            path % 256
        );
        let line = match format {
            LogFormat::Common => writeln!(text, "{leading}"),
            LogFormat::Combined => writeln!(text, "{leading} \"https://shop.test/home\" \"{agent}\""),
            LogFormat::Nginx => {
                let secs = 971_211_336 + nth / 500;
                writeln!(text, "{secs}.{millis:03} {leading} \"-\" \"{agent}\"")
            }
            LogFormat::Json => writeln!(
                text,
                "{{\"time\":\"2000-10-10T{:02}:{:02}:{second:02}.{millis:03}Z\",\"remote\":\"10.0.0.7\",\
                 \"method\":\"GET\",\"path\":\"/shop/item/{path}?ref=home\",\"status\":200,\"agent\":\"{agent}\",\
                 \"took_ms\":{}.5}}",
                13 + minute / 60,
                minute % 60,
                path % 90
            ),
            LogFormat::Times => writeln!(text, "{}.{millis:03},GET,/shop/item/{path}", nth / 500),
        };
        line.expect("a string takes all that is written to it");
    }
    text
}

fn log_of(format: LogFormat) -> Log {
    parse(lines(format).as_bytes(), &LogOptions::new(format)).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
#[ignore = "a measurement, not a promise"]
fn a_log_of_a_million_lines_is_read_and_made_a_schedule() {
    for format in LogFormat::ALL {
        let text = lines(format);
        let options = LogOptions::new(format);
        let name = format!("{}, {} MB: read", format.name(), text.len() / 1_000_000);
        let log = timed(
            &name,
            |log: &Log| log.lines,
            || parse(text.as_bytes(), &options).unwrap_or_else(|error| panic!("{error}")),
        );
        assert_eq!((log.lines, log.requests.len()), (LINES, 5_000));
        drop(text);
        let how = ReplayOptions::new(Seed(1));
        let count = |recorded: &Recorded| recorded.moments().len() as u64;
        timed("  made a schedule", count, || Recorded::new(&log, &how).expect("arrivals"));
        let twice = ReplayOptions { speed: 2.0, repeat: 2, ..how };
        timed("  twice, twice as fast", count, || Recorded::new(&log, &twice).expect("arrivals"));
    }
    say(&format!("peak memory {} MB", peak_mb()));
}
