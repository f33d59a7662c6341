//! The correction by replay: what a loop's p99 would be if the rate it planned
//! had come by chance, through one server that stands still when this one did.
//!
//! The server does what the service is known to do, or what it did with the
//! requests that were out when each stall ended. Ordinary response times are
//! those of good answers that no stall touched: out during it, or due within
//! its own length after it. They enter as a thousand values, evenly by rank,
//! each at the upper edge of its bucket of eleven significant bits.
//!
//! The draws are part of the definition: SplitMix64 from the run's seed, for
//! each arrival one for the gap and one for the ordinary time, in as many
//! passes over the counted part as make 200,000 arrivals, at most 50.

use crate::corrected::upper_edge;
use crate::draws::Draws;
use crate::record::{Facts, Load, Part, Stall};
use crate::samples::Row;
use crate::stalls::length;
use crate::times::rank;

const MOST_UTILISATION: f64 = 0.9;
const ARRIVALS: f64 = 200_000.0;
const MOST_PASSES: f64 = 50.0;
/// Arrivals of one pass that are held in memory at most: five hours at 546/s.
/// A counted part that would have more is not replayed a second time.
const MOST_HELD: f64 = 1e7;
const MOST_ARRIVALS: f64 = 1e8;
const ORDINARY: u64 = 1_000;

/// Whether [`p99`] can be asked for.
pub(crate) fn is_possible(facts: &Facts, part: Part) -> bool {
    facts.load.target_rate().is_none_or(|rate| rate * part.seconds() <= MOST_HELD)
}

/// The p99 by replay; `None` where it is refused. `stalls` are those that began
/// in the counted part, in order.
pub(crate) fn p99(facts: &Facts, counted: &[&Row], part: Part, stalls: &[Stall]) -> Option<u64> {
    let Load::Paced { rate_per_s: rate, .. } = facts.load else { return None };
    let known = facts.capacity_per_s.filter(|capacity| *capacity > 0.0);
    let service_rate = known.or_else(|| drained(counted, stalls))?;
    if rate / service_rate > MOST_UTILISATION || service_rate <= rate {
        return None;
    }
    let window = part.length() as f64;
    // No run holds so many; a file that says so is damaged, and found elsewhere.
    if rate * window / 1e9 > MOST_ARRIVALS {
        return None;
    }
    let ordinary = ordinary(counted, stalls);
    if ordinary.is_empty() {
        return None;
    }
    let offset = |moment: u64| moment.min(part.ended).saturating_sub(part.began) as f64;
    let stalls: Vec<(f64, f64)> =
        stalls.iter().map(|stall| (offset(stall.began_ns), offset(stall.ended_ns))).collect();
    let passes = (ARRIVALS / (rate * window / 1e9)).ceil().clamp(1.0, MOST_PASSES) as u64;
    let mut draws = Draws(facts.seed.parse().ok()?);
    let mut responses = Vec::new();
    for _ in 0..passes {
        let arrivals = one_pass(&mut draws, rate, window, ordinary.len());
        let work = 1e9 / service_rate;
        let calm = served(&arrivals, work, &[]);
        let stalled = served(&arrivals, work, &stalls);
        let both = calm.iter().zip(&stalled).zip(&arrivals);
        responses.extend(
            both.map(|((calm, stalled), (_, place))| (stalled - calm).max(0.0) as u64 + ordinary[*place]),
        );
    }
    let at = usize::try_from(rank(responses.len() as u64, 99, 100).checked_sub(1)?).ok()?;
    Some(*responses.select_nth_unstable(at).1)
}

/// Arrivals of one pass: when each comes, and which ordinary time it has.
fn one_pass(draws: &mut Draws, rate: f64, window: f64, ordinary: usize) -> Vec<(f64, usize)> {
    let mut arrivals = Vec::new();
    let mut at = 0.0;
    loop {
        at += -draws.unit().ln() / rate * 1e9;
        if at >= window {
            return arrivals;
        }
        let place = (draws.unit() * ordinary as f64).ceil() as usize;
        arrivals.push((at, place.max(1) - 1));
    }
}

/// When each arrival is done: in the order in which they come, with `work` for
/// each, none of it during a stall.
fn served(arrivals: &[(f64, usize)], work: f64, stalls: &[(f64, f64)]) -> Vec<f64> {
    let mut free: f64 = 0.0;
    let mut next = 0;
    let each = arrivals.iter().map(|(at, _)| {
        let (mut now, mut left) = (at.max(free), work);
        while let Some((began, ended)) = stalls.get(next).filter(|(began, _)| now + left > *began) {
            if now < *ended {
                left -= (began - now).max(0.0);
                now = *ended;
            }
            next += 1;
        }
        free = now + left;
        free
    });
    each.collect()
}

/// Answers a second to what was out when stalls ended.
fn drained(counted: &[&Row], stalls: &[Stall]) -> Option<f64> {
    let (mut count, mut seconds) = (0u64, 0.0);
    for stall in stalls {
        let was_out = |row: &&&Row| {
            let sent_before = row.sent.is_some_and(|sent| sent < stall.ended_ns);
            sent_before && row.is_answered() && row.done > stall.ended_ns
        };
        let done: Vec<u64> = counted.iter().filter(was_out).map(|row| row.done).collect();
        let Some(last) = done.iter().max() else { continue };
        count += done.len() as u64;
        seconds += (last - stall.ended_ns) as f64 / 1e9;
    }
    (seconds > 0.0).then(|| count as f64 / seconds)
}

fn ordinary(counted: &[&Row], stalls: &[Stall]) -> Vec<u64> {
    let reach = |stall: &Stall| stall.ended_ns.saturating_add(length(stall));
    let is_touched =
        |row: &Row| stalls.iter().any(|stall| row.scheduled < reach(stall) && stall.began_ns < row.done);
    let untouched = counted.iter().filter(|row| row.is_ok() && !is_touched(row));
    let mut times: Vec<u64> = untouched.map(|row| row.stay()).collect();
    times.sort_unstable();
    let Some(largest) = times.last().copied() else { return Vec::new() };
    let n = times.len() as u128;
    let place = |i: u64| (u128::from(2 * i - 1) * n).div_ceil(u128::from(2 * ORDINARY)).max(1) as usize - 1;
    (1..=ORDINARY).map(|i| upper_edge(times[place(i)]).min(largest)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_waits_for_the_end_of_a_stall_and_for_the_work_before_it() {
        let arrivals = [(0.0, 0), (8.0, 0), (22.0, 0), (40.0, 0)];
        assert_eq!(served(&arrivals, 5.0, &[(10.0, 20.0), (25.0, 30.0)]), [5.0, 23.0, 33.0, 45.0]);
        assert_eq!(served(&arrivals, 5.0, &[]), [5.0, 13.0, 27.0, 45.0]);
    }
}
