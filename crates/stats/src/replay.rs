//! Arrivals sent in thought through one server that stands still now and then:
//! what waits they would have met.
//!
//! The definition is exact, so that another program can compute the same
//! number. Arrivals fill the window again and again until there are enough;
//! each pass has draws of its own and begins with an idle server.
//!
//! - Draws come from SplitMix64 (Steele, Lea and Flood, 2014) whose state
//!   begins at the seed: a draw is u = (next >> 11 + ½) ÷ 2⁵³.
//! - A gap between arrivals is −ln(u) ÷ rate seconds; a pass ends with the first
//!   arrival at or past the window's end.
//! - Each arrival asks for 1 ÷ service rate of a first-come-first-served server,
//!   once as it is, once with the stalls, in which the server does nothing; work
//!   that a stall meets is continued after it. The difference of the two
//!   stays is the extra wait.
//! - The response time is the extra wait, in whole nanoseconds (rounded down),
//!   plus an ordinary response time, drawn from those given: the one of rank
//!   ⌈u × n⌉.

use crate::quantile::Quantile;

/// Arrivals that make the result's own noise small beside the run's.
const ENOUGH_ARRIVALS: f64 = 200_000.0;
/// Passes at most.
const MOST_PASSES: f64 = 50.0;

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
        let mut responses = self.responses();
        let rank = quantile.rank(responses.len() as u64);
        let at = usize::try_from(rank).ok()?.checked_sub(1)?;
        (at < responses.len()).then(|| *responses.select_nth_unstable(at).1)
    }

    fn responses(&self) -> Vec<u64> {
        let window = self.window as f64;
        let per_pass = self.rate_per_s * window / 1e9;
        let passes = (ENOUGH_ARRIVALS / per_pass).ceil().clamp(1.0, MOST_PASSES) as u64;
        let mut draws = SplitMix64(self.seed);
        let mut responses = Vec::new();
        for _ in 0..passes {
            let (mut calm, mut stalled) = (Server::new(&[]), Server::new(self.stalls));
            let mut at = 0.0;
            loop {
                at += -draws.unit().ln() / self.rate_per_s * 1e9;
                if at >= window {
                    break;
                }
                let service = 1e9 / self.service_rate_per_s;
                let extra = stalled.done(at, service) - calm.done(at, service);
                let rank = (draws.unit() * self.ordinary.len() as f64).ceil() as usize;
                responses.push(extra.max(0.0) as u64 + self.ordinary[rank.max(1) - 1]);
            }
        }
        responses
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

struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Above 0 and below 1.
    fn unit(&mut self) -> f64 {
        ((self.next() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
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

    #[test]
    fn extra_waits_are_those_of_fluid_theory_and_of_long_simulations() {
        // Simulated p99s of a server of fixed service time under periodic
        // stalls; the fluid's are 68, 80 and 92 ms.
        for (utilisation, simulated) in [(0.2, 68.9), (0.5, 82.6), (0.8, 99.8)] {
            let found = p99_ms(utilisation, &[0], &every_four_seconds());
            assert!((found / simulated - 1.0).abs() < 0.05, "at {utilisation}: {found} ms, not {simulated}");
        }
    }

    #[test]
    fn without_stalls_only_the_ordinary_times_are_left() {
        let ordinary: Vec<u64> = (1..=100).map(|ms| ms * 1_000_000).collect();
        let found = p99_ms(0.5, &ordinary, &[]);
        assert!((98.0..=100.0).contains(&found), "{found} ms");
    }

    #[test]
    fn the_same_seed_gives_the_same_value_and_the_generator_is_the_published_one() {
        assert_eq!(
            p99_ms(0.5, &[1, 2, 3], &every_four_seconds()),
            p99_ms(0.5, &[1, 2, 3], &every_four_seconds())
        );
        // The first values of SplitMix64 from state 1234567.
        let mut draws = SplitMix64(1_234_567);
        assert_eq!([draws.next(), draws.next()], [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
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
