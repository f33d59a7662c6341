//! Arrivals sent in thought through one server that stands still now and then:
//! what waits they would have met.
//!
//! The definition is exact, so that another program can compute the same
//! number. Its floating-point operations are those of IEEE 754 in double
//! precision in the order given, times in nanoseconds; of what they use, only
//! the logarithm may differ in its last digit from one machine to another.
//!
//! - Draws come from SplitMix64 (Steele, Lea and Flood, 2014) whose state
//!   begins at the seed: a draw is u = (next >> 11 + ½) ÷ 2⁵³.
//! - Arrivals fill the window in as many passes as make 200,000 on average, and
//!   at most 50: ⌈200,000 ÷ (rate × window ÷ 10⁹)⌉. A pass begins with an idle
//!   server at the window's beginning; the draws go on from pass to pass.
//! - The next arrival comes −ln(u) ÷ rate × 10⁹ after the last, or after the
//!   beginning; the first at or past the window's end ends the pass, and its
//!   draw is spent.
//! - Each arrival asks for 10⁹ ÷ service rate of a first-come-first-served
//!   server, once as it is, once with the stalls, in which the server does
//!   nothing; work that a stall meets is continued after it. The difference of
//!   the two times at which it is done is the extra wait.
//! - The response time is the extra wait, in whole nanoseconds (rounded down),
//!   plus an ordinary response time, drawn from those given by one more draw
//!   for each arrival: the one of rank ⌈u × n⌉.
//!
//! The result is a nearest rank over all arrivals. It is found by replaying
//! again, so memory does not grow with them.

use crate::draws::SplitMix64;
use crate::{Histogram, Quantile, Selected, Selection};

/// Arrivals that make the result's own noise small beside the run's.
const ENOUGH_ARRIVALS: f64 = 200_000.0;
/// Passes at most.
const MOST_PASSES: f64 = 50.0;
/// Of the histogram that tells where to look for a rank: 117 KB.
const BITS: u32 = 8;

/// What is replayed. Times are in nanoseconds from the window's beginning.
#[derive(Clone, Copy, Debug)]
pub struct Replay<'a> {
    /// Arrivals a second; above zero.
    pub rate_per_s: f64,
    /// What the server does a second; above `rate_per_s`.
    pub service_rate_per_s: f64,
    /// When it stands still: sorted, not overlapping, each as beginning and end.
    pub stalls: &'a [(u64, u64)],
    /// The window's length.
    pub window: u64,
    /// Seeds the draws.
    pub seed: u64,
    /// Response times that no stall touched, sorted; at least one.
    pub ordinary: &'a [u64],
}

impl Replay<'_> {
    /// The value of `quantile` over all arrivals, by nearest rank. `None` if
    /// the server could not keep up, or there is nothing to draw from.
    pub fn value_at(&self, quantile: Quantile) -> Option<u64> {
        let possible = self.rate_per_s > 0.0 && self.service_rate_per_s > self.rate_per_s;
        if !possible || self.ordinary.is_empty() || self.window == 0 {
            return None;
        }
        let mut histogram = Histogram::new(BITS);
        self.each_response(|response| histogram.record(response));
        let mut selection = Selection::new(&histogram, &[quantile.rank(histogram.count())]);
        loop {
            self.each_response(|response| selection.observe(response));
            match selection.finish() {
                Selected::Exact(values) => return values.into_iter().next().flatten(),
                Selected::Again(narrower) => selection = narrower,
            }
        }
    }

    /// The response time of every arrival, the same each time.
    fn each_response(&self, mut take: impl FnMut(u64)) {
        let window = self.window as f64;
        let per_pass = self.rate_per_s * window / 1e9;
        let passes = (ENOUGH_ARRIVALS / per_pass).ceil().clamp(1.0, MOST_PASSES) as u64;
        let service = 1e9 / self.service_rate_per_s;
        let mut draws = SplitMix64(self.seed);
        for _ in 0..passes {
            let (mut calm, mut stalled) = (Server::new(&[]), Server::new(self.stalls));
            let mut at = 0.0;
            loop {
                at += -draws.unit().ln() / self.rate_per_s * 1e9;
                if at >= window {
                    break;
                }
                let extra = stalled.done(at, service) - calm.done(at, service);
                let rank = (draws.unit() * self.ordinary.len() as f64).ceil() as usize;
                take(extra.max(0.0) as u64 + self.ordinary[rank.max(1) - 1]);
            }
        }
    }
}

/// A server that takes work in the order in which it comes.
struct Server<'a> {
    free: f64,
    /// Stalls that can still meet work.
    stalls: &'a [(u64, u64)],
}

impl<'a> Server<'a> {
    fn new(stalls: &'a [(u64, u64)]) -> Server<'a> {
        Server { free: 0.0, stalls }
    }

    /// When `service` of work that comes at `at` is done.
    fn done(&mut self, at: f64, service: f64) -> f64 {
        let mut now = at.max(self.free);
        let mut left = service;
        while let Some((began, ended)) = self.stalls.first().map(|(b, e)| (*b as f64, *e as f64)) {
            if now + left <= began {
                break;
            }
            if now < ended {
                // What is done before the stall begins stays done.
                left -= (began - now).max(0.0);
                now = ended;
            }
            self.stalls = &self.stalls[1..];
        }
        self.free = now + left;
        self.free
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    /// p99 in milliseconds of 546/s with stalls of 100 ms every 4 s, at this utilisation.
    fn p99_ms(utilisation: f64, ordinary: &[u64], stalls: &[(u64, u64)]) -> f64 {
        let replay = Replay {
            rate_per_s: 546.0,
            service_rate_per_s: 546.0 / utilisation,
            stalls,
            window: 400 * SECOND,
            seed: 7,
            ordinary,
        };
        replay.value_at(Quantile::P99).expect("a p99") as f64 / 1e6
    }

    fn every_four_seconds() -> Vec<(u64, u64)> {
        (0..100).map(|turn| (turn * 4 * SECOND + SECOND, turn * 4 * SECOND + SECOND + SECOND / 10)).collect()
    }

    /// How long a server of fixed service time that nothing stops takes, with its queue.
    fn calm_times(utilisation: f64) -> Vec<u64> {
        let (mut draws, mut server, mut at) = (SplitMix64(99), Server::new(&[]), 0.0);
        let mut times: Vec<u64> = (0..200_000)
            .map(|_| {
                at += -draws.unit().ln() / 546.0 * 1e9;
                (server.done(at, 1e9 * utilisation / 546.0) - at) as u64
            })
            .collect();
        times.sort_unstable();
        times
    }

    #[test]
    fn response_times_are_those_of_long_simulations() {
        // p99s of simulated servers of fixed service time under periodic stalls, over 40,000 s.
        for (utilisation, simulated) in [(0.2, 68.9), (0.5, 82.6), (0.8, 99.8)] {
            let found = p99_ms(utilisation, &calm_times(utilisation), &every_four_seconds());
            assert!((found / simulated - 1.0).abs() < 0.03, "at {utilisation}: {found} ms, not {simulated}");
        }
    }

    #[test]
    fn extra_waits_are_those_of_fluid_theory() {
        // S − x (1 − ρ) T, where x = 1 % lie above.
        for (utilisation, fluid) in [(0.2, 68.0), (0.5, 80.0)] {
            let found = p99_ms(utilisation, &[0], &every_four_seconds());
            assert!((found / fluid - 1.0).abs() < 0.03, "at {utilisation}: {found} ms, not {fluid}");
        }
    }

    #[test]
    fn another_program_computes_the_same_nanosecond() {
        // Computed from the definition above by a program in another language.
        let ordinary: Vec<u64> = (1..=100).map(|at| at * 1_000 + 7).collect();
        let tenth = SECOND / 10;
        let one = Replay {
            rate_per_s: 546.0,
            service_rate_per_s: 1_092.0,
            stalls: &[(SECOND, SECOND + tenth), (3 * SECOND, 3 * SECOND + 2 * tenth)],
            window: 10 * SECOND,
            seed: 42,
            ordinary: &ordinary,
        };
        assert_eq!(one.value_at(Quantile::P99), Some(151_627_742));
        let other = Replay {
            rate_per_s: 100.0,
            service_rate_per_s: 125.0,
            stalls: &[(SECOND / 2, SECOND)],
            window: 2 * SECOND,
            seed: 7,
            ordinary: &[5],
        };
        assert_eq!(other.value_at(Quantile::P99), Some(500_000_005));
        let mut arrivals = 0;
        other.each_response(|_| arrivals += 1);
        assert_eq!(arrivals, 9_969, "fifty passes, and no more");
    }

    #[test]
    fn the_value_is_that_of_sorting_every_response() {
        let stalls = every_four_seconds();
        let replay = Replay {
            rate_per_s: 546.0,
            service_rate_per_s: 700.0,
            stalls: &stalls,
            window: 400 * SECOND,
            seed: 3,
            ordinary: &[0],
        };
        let mut sorted = Vec::new();
        replay.each_response(|response| sorted.push(response));
        sorted.sort_unstable();
        for quantile in [Quantile::P50, Quantile::P99, Quantile::P999] {
            assert_eq!(replay.value_at(quantile), crate::nearest_rank(&sorted, quantile));
        }
    }

    #[test]
    fn without_stalls_only_the_ordinary_times_are_left() {
        let ordinary: Vec<u64> = (1..=100).map(|ms| ms * 1_000_000).collect();
        let found = p99_ms(0.5, &ordinary, &[]);
        assert!((98.0..=100.0).contains(&found), "{found} ms");
    }

    #[test]
    fn the_same_seed_gives_the_same_value() {
        assert_eq!(
            p99_ms(0.5, &[1, 2, 3], &every_four_seconds()),
            p99_ms(0.5, &[1, 2, 3], &every_four_seconds())
        );
    }

    #[test]
    fn a_server_that_cannot_keep_up_or_nothing_to_draw_from_gives_no_value() {
        let replay = |service_rate_per_s, ordinary| Replay {
            rate_per_s: 546.0,
            service_rate_per_s,
            stalls: &[],
            window: SECOND,
            seed: 1,
            ordinary,
        };
        assert_eq!(replay(546.0, &[1]).value_at(Quantile::P99), None);
        assert_eq!(replay(1_000.0, &[]).value_at(Quantile::P99), None);
    }

    #[test]
    fn work_that_a_stall_meets_is_continued_after_it() {
        let mut server = Server::new(&[(10, 20), (25, 30)]);
        assert_eq!(server.done(0.0, 5.0), 5.0);
        assert_eq!(server.done(8.0, 5.0), 23.0);
        assert_eq!(server.done(22.0, 4.0), 32.0);
        assert_eq!(server.done(40.0, 1.0), 41.0);
    }
}
