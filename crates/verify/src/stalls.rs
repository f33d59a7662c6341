//! What the stalls did, where the service tells them.

use crate::check::List;
use crate::record::{Part, Stall, Stalls};
use crate::samples::Row;

const MS: i128 = 1_000_000;
/// Bins of 10 ms from 100 ms before a stall's beginning to 300 ms after it.
const BIN_MS: i64 = 10;
const FROM_MS: i64 = -100;
const BINS: i64 = 40;

/// Everything that is reported of the stalls.
pub(crate) fn list(stalls: &Stalls, counted: &[&Row], part: Part, list: &mut List) {
    let seen = seen_in(stalls, part);
    let mut sent: Vec<u64> = counted.iter().filter_map(|row| row.sent).collect();
    sent.sort_unstable();
    let during = |moment: &&u64| stalls.seen.iter().any(|stall| holds(stall, **moment));
    let overlapped = counted.iter().filter(|row| was_out_during(row, &stalls.seen)).count() as f64;
    let lengths: u128 = seen.iter().map(|stall| u128::from(length(stall))).sum();
    let mean = lengths.checked_div(seen.len() as u128).and_then(|mean| u64::try_from(mean).ok());
    list.whole("stalls.planned", stalls.planned);
    list.whole("stalls.seen", seen.len() as u64);
    list.maybe("stalls.mean_length_ns", mean);
    list.whole("stalls.sent_during", sent.iter().filter(during).count() as u64);
    list.real("stalls.overlapped_share", Some(overlapped / counted.len().max(1) as f64));
    for at in 0..BINS {
        let from_ms = FROM_MS + at * BIN_MS;
        let sent_in: usize = seen.iter().map(|stall| sent_around(&sent, stall.began_ns, from_ms)).sum();
        list.signed(format!("stalls.around.{at}.from_ms"), from_ms);
        let per_stall = sent_in as f64 / seen.len().max(1) as f64;
        list.real(format!("stalls.around.{at}.sent_per_stall"), Some(per_stall));
    }
}

/// The stalls that began in the counted part.
pub(crate) fn seen_in(stalls: &Stalls, part: Part) -> Vec<Stall> {
    stalls.seen.iter().copied().filter(|stall| part.holds(stall.began_ns)).collect()
}

pub(crate) fn length(stall: &Stall) -> u64 {
    stall.ended_ns.saturating_sub(stall.began_ns)
}

fn holds(stall: &Stall, moment: u64) -> bool {
    (stall.began_ns..stall.ended_ns).contains(&moment)
}

/// Whether any part of a stall lay between sending and the end.
fn was_out_during(row: &Row, stalls: &[Stall]) -> bool {
    row.sent.is_some_and(|sent| stalls.iter().any(|stall| stall.began_ns < row.done && sent < stall.ended_ns))
}

/// How many of the moments lie in the bin that begins `from_ms` after `began`.
fn sent_around(sorted: &[u64], began: u64, from_ms: i64) -> usize {
    let before = |ms: i64| {
        let edge = i128::from(began) + i128::from(ms) * MS;
        sorted.partition_point(|moment| i128::from(*moment) < edge)
    };
    before(from_ms + BIN_MS) - before(from_ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bin_holds_its_first_moment_and_not_the_next_bins() {
        let ms = 1_000_000;
        let sent = [1_900 * ms, 1_909 * ms, 1_910 * ms, 2_000 * ms];
        assert_eq!(sent_around(&sent, 2_000 * ms, -100), 2);
        assert_eq!(sent_around(&sent, 2_000 * ms, -90), 1);
        assert_eq!(sent_around(&sent, 2_000 * ms, 0), 1);
        assert_eq!(sent_around(&sent, 50 * ms, -100), 0);
    }
}
