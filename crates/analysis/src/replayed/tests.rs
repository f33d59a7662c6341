//! Against a simulated service whose truth an open loop shows, and what is refused.

use super::*;
use crate::fixture::{Run, rate, sample};
use crate::summary::RunSummary;
use model::{ArrivalProcess, Load, Seed, Stalls};

const SERVICE: Nanos = Nanos::from_millis(1);
const LENGTH: Nanos = Nanos::from_secs(120);

/// Stalls of 100 ms every 4 s, moved about by up to a second.
fn stalls() -> Vec<Span> {
    let began = |turn: u64| Nanos::from_secs(4 * turn) + Nanos(Seed(5).mark(turn) % 1_000_000_000);
    let stalls = (0..30).map(began);
    stalls.map(|began| Span { began, ended: began + Nanos::from_millis(100) }).collect()
}

/// One server with one queue that stands still during stalls.
struct Server {
    free: Nanos,
    stalls: std::vec::IntoIter<Span>,
    next: Option<Span>,
}

impl Server {
    fn new(stalls: Vec<Span>) -> Server {
        let mut stalls = stalls.into_iter();
        let next = stalls.next();
        Server { free: Nanos::ZERO, stalls, next }
    }

    fn done(&mut self, at: Nanos) -> Nanos {
        let (mut now, mut left) = (at.max(self.free), SERVICE);
        while let Some(stall) = self.next.filter(|stall| stall.began < now + left) {
            left = left.saturating_sub(stall.began.saturating_sub(now));
            now = now.max(stall.ended);
            self.next = self.stalls.next();
        }
        self.free = now + left;
        self.free
    }
}

/// Eight users who aim at 500/s together: half of what the server can do.
fn paced() -> Vec<Sample> {
    let mut server = Server::new(stalls());
    let mut due: Vec<Nanos> = (0..8).map(|user| Nanos::from_millis(2 * user)).collect();
    let mut samples = Vec::new();
    loop {
        let (user, at) = due.iter().copied().enumerate().min_by_key(|(_, at)| *at).expect("eight users");
        if at >= LENGTH {
            return samples;
        }
        let done = server.done(at);
        due[user] = done.max(at + Nanos::from_millis(16));
        samples.push(sample(samples.len() as u64, at.0, at.0, done.0));
    }
}

/// Poisson arrivals at the same rate on the same server.
fn open() -> Vec<Sample> {
    let mut server = Server::new(stalls());
    let (mut at, mut samples) = (0.0, Vec::new());
    for index in 0.. {
        let unit = (Seed(9).mark(index) >> 11) as f64 / (1u64 << 53) as f64;
        at += -(1.0 - unit).ln() / 500.0;
        let due = Nanos::from_secs_f64(at);
        if due >= LENGTH {
            break;
        }
        samples.push(sample(index, due.0, due.0, server.done(due).0));
    }
    samples
}

fn judged(load: Load, samples: Vec<Sample>, told: bool, capacity_per_s: Option<f64>) -> RunSummary {
    let mut run = Run::looped(true);
    run.record.facts.load = load;
    run.record.facts.capacity_per_s = capacity_per_s;
    run.record.facts.warm_up = Nanos::ZERO;
    run.record.facts.measure = LENGTH;
    run.end().counted_until = LENGTH;
    run.end().ended = LENGTH;
    run.end().stalls = told.then(|| Stalls { planned: 30, seen: stalls() });
    run.samples = samples;
    run.agree();
    run.judged()
}

fn paced_load() -> Load {
    Load::Paced { rate: rate(500.0), connections: 8 }
}

fn p99(run: &RunSummary) -> f64 {
    run.response_time.p99.expect("a p99").value.0 as f64
}

fn replay_of(run: &RunSummary) -> f64 {
    run.corrected.as_ref().expect("a loop").replay.expect("not refused").0 as f64
}

#[test]
fn a_replay_is_what_an_open_loop_shows_however_stalls_and_capacity_are_known() {
    let load = Load::Open { rate: rate(500.0), arrivals: ArrivalProcess::Poisson };
    let truth = p99(&judged(load, open(), true, None));
    for (told, capacity) in [(true, Some(1000.0)), (true, None), (false, Some(1000.0)), (false, None)] {
        let run = judged(paced_load(), paced(), told, capacity);
        let (raw, replay) = (p99(&run) / truth, replay_of(&run) / truth);
        assert!(raw < 0.2, "as measured {raw}");
        assert!((0.93..1.07).contains(&replay), "stalls told: {told}, capacity {capacity:?}: {replay}");
        let corrected = run.corrected.expect("a loop");
        assert_eq!(corrected.assumptions.len(), 3);
        assert!(corrected.assumptions[2].starts_with("the replay sends Poisson arrivals at 500/s"));
    }
}

#[test]
fn the_same_run_is_replayed_to_the_same_nanosecond() {
    let once = || replay_of(&judged(paced_load(), paced(), true, None));
    assert_eq!(once(), once());
}

#[test]
fn a_replay_is_refused_with_its_reason() {
    let why = |load, stalls: usize, capacity_per_s| {
        let facts = RunFacts { load, capacity_per_s, ..Run::looped(true).record.facts };
        let span = Span { began: Nanos::ZERO, ended: LENGTH };
        let all: Vec<Span> = self::stalls().into_iter().take(stalls).collect();
        let found = replayed(&facts, span, &all, all.len(), &paced()).expect("samples in memory");
        (found.p99.is_some(), found.says)
    };
    let closed = Load::Closed { connections: 8 };
    for (load, stalls, capacity, reason) in [
        (closed, 30, Some(1000.0), "no replay: a closed loop plans no rate"),
        (paced_load(), 2, Some(1000.0), "no replay: it rests on the stalls, and there were 2"),
        (paced_load(), 30, Some(550.0), "no replay: 500/s is 91 % of the 550/s that the service does"),
    ] {
        let (given, says) = why(load, stalls, capacity);
        assert!(!given && says.starts_with(reason), "{says}");
    }
    assert!(why(paced_load(), 3, Some(556.0)).0, "three stalls, just below nine tenths");
}

#[test]
fn the_drain_is_what_was_out_when_a_stall_ended_by_the_time_it_took() {
    let ms = Nanos::from_millis;
    let stall = |began, ended| Span { began: ms(began), ended: ms(ended) };
    let stalls = [stall(100, 200), stall(1_000, 1_100), stall(2_000, 2_100)];
    let request = |sent: u64, done: u64| sample(sent, sent * 1_000_000, sent * 1_000_000, done * 1_000_000);
    let mut samples = vec![
        request(50, 99),       // answered before
        request(100, 204),     // out at the first stall's end
        request(150, 210),     // and this, until 10 ms after it
        request(200, 230),     // sent as it ended: not out
        request(1_050, 1_100), // answered as it ended: not out
        request(1_060, 2_105), // out through two stalls' ends
    ];
    samples.push(Sample { outcome: Outcome::TimedOut, ..request(150, 9_000) });
    let seen = Seen::of(&stalls, &samples).expect("samples in memory");
    let out: Vec<(u64, Nanos)> = vec![(2, ms(210)), (1, ms(2_105)), (1, ms(2_105))];
    assert_eq!(seen.out, out);
    let time = 0.010 + 1.005 + 0.005;
    assert!((seen.drain_rate().expect("known") - 4.0 / time).abs() < 1e-9);
    assert_eq!(Seen::of(&stalls, &samples[..1].to_vec()).expect("samples").drain_rate(), None);
}

#[test]
fn ordinary_is_what_no_stall_touched_with_its_queue() {
    let ms = |moment: u64| Nanos::from_millis(moment);
    // The first reaches to 400 ms although a shorter one follows it.
    let stalls = [Span { began: ms(100), ended: ms(250) }, Span { began: ms(260), ended: ms(270) }];
    let seen = Seen::of(&stalls, &Vec::new()).expect("no samples");
    let touched =
        |due: u64, done: u64| seen.is_touched(&sample(0, due * 1_000_000, due * 1_000_000, done * 1_000_000));
    for (due, done, expected) in [
        (90, 100, false),
        (90, 101, true),
        (200, 201, true),
        (399, 399, true),
        (400, 401, false),
        (50, 900, true),
    ] {
        assert_eq!(touched(due, done), expected, "due {due} ms, done {done} ms");
    }
}

#[test]
fn ordinary_times_enter_as_the_middles_of_a_thousand_equal_shares() {
    let samples: Vec<Sample> = (1..=2_000).map(|value| sample(value, 0, 0, value)).collect();
    let ordinary = Seen::of(&[], &samples).expect("samples in memory").ordinary();
    // Of 1 to 2,000 the middle of each share of two is its first.
    assert_eq!((ordinary.len(), ordinary[0], ordinary[1], ordinary[999]), (1_000, 1, 3, 1_999));
    let few = Seen::of(&[], &samples[..3].to_vec()).expect("samples in memory").ordinary();
    assert_eq!((few.len(), few[0], few[333], few[500], few[999]), (1_000, 1, 2, 2, 3));
}
