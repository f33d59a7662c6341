//! What a service's stalls did to the requests around them.

use crate::summary::{AroundBin, StallFigures};
use model::{Nanos, Sample, Span, Stalls};

const BIN_MS: u64 = 10;
const BEFORE_MS: u64 = 100;
const AFTER_MS: u64 = 300;
const BINS: usize = ((BEFORE_MS + AFTER_MS) / BIN_MS) as usize;

/// Counts around stalls while a pass goes on.
pub(crate) struct StallTally {
    planned: u64,
    /// Every stall, by its beginning.
    all: Vec<Span>,
    /// Those that began in the counted part.
    counted: Vec<Span>,
    requests: u64,
    sent_during: u64,
    overlapped: u64,
    around: [u64; BINS],
}

impl StallTally {
    /// No requests yet. `span` is the counted part.
    pub(crate) fn new(stalls: &Stalls, span: Span) -> StallTally {
        let mut all = stalls.seen.clone();
        all.sort_unstable_by_key(|stall| stall.began);
        let counted = all.iter().copied().filter(|stall| span.contains(stall.began)).collect();
        let around = [0; BINS];
        let planned = stalls.planned;
        StallTally { planned, all, counted, requests: 0, sent_during: 0, overlapped: 0, around }
    }

    /// Takes a counted sample in.
    pub(crate) fn observe(&mut self, sample: &Sample) {
        self.requests += 1;
        let Some(sent) = sample.sent else { return };
        let begun_by = |moment: Nanos| self.all.partition_point(|stall| stall.began <= moment);
        let latest = |count: usize| count.checked_sub(1).map(|at| self.all[at]);
        let during = latest(begun_by(sent)).is_some_and(|stall| stall.contains(sent));
        // Stalls do not overlap, so the latest that began before the answer
        // was there also ended last.
        let begun_before_done = self.all.partition_point(|stall| stall.began < sample.done);
        let overlapped = latest(begun_before_done).is_some_and(|stall| sent < stall.ended);
        self.sent_during += u64::from(during);
        self.overlapped += u64::from(overlapped);
        self.observe_around(sent);
    }

    fn observe_around(&mut self, sent: Nanos) {
        let (before, after) = (Nanos::from_millis(BEFORE_MS), Nanos::from_millis(AFTER_MS));
        let shifted = sent.saturating_add(before);
        let first = self.counted.partition_point(|stall| stall.began.saturating_add(after) <= sent);
        for stall in self.counted[first..].iter().take_while(|stall| stall.began <= shifted) {
            let offset = shifted - stall.began;
            self.around[(offset.0 / Nanos::from_millis(BIN_MS).0) as usize] += 1;
        }
    }

    pub(crate) fn finish(&self) -> StallFigures {
        let seen = self.counted.len() as u64;
        let per_stall = |count: u64| if seen == 0 { 0.0 } else { count as f64 / seen as f64 };
        let around = self.around.iter().zip(0i64..).map(|(count, at)| AroundBin {
            from_ms: at * BIN_MS as i64 - BEFORE_MS as i64,
            sent_per_stall: per_stall(*count),
        });
        StallFigures {
            planned: self.planned,
            seen,
            mean_length: self
                .counted
                .iter()
                .map(|stall| stall.length().0)
                .sum::<u64>()
                .checked_div(seen)
                .map(Nanos),
            sent_during: self.sent_during,
            overlapped_share: self.overlapped as f64 / self.requests.max(1) as f64,
            around: around.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::sample;

    const MS: u64 = 1_000_000;

    fn figures(stalls: &[(u64, u64)], sent_done: &[(u64, u64)]) -> StallFigures {
        let span = |&(began, ended): &(u64, u64)| Span { began: Nanos(began * MS), ended: Nanos(ended * MS) };
        let stalls = Stalls { planned: 2, seen: stalls.iter().map(span).collect() };
        let mut tally = StallTally::new(&stalls, span(&(1_000, 10_000)));
        for (index, (sent, done)) in (0..).zip(sent_done) {
            tally.observe(&sample(index, sent * MS, sent * MS, done * MS));
        }
        tally.finish()
    }

    #[test]
    fn a_request_is_sent_during_a_stall_from_its_first_moment_to_before_its_last() {
        let stalls = [(2_000, 2_100), (5_000, 5_100)];
        let figures = figures(&stalls, &[(1_999, 2_000), (2_000, 2_101), (2_099, 2_101), (2_100, 2_101)]);
        assert_eq!((figures.planned, figures.seen, figures.sent_during), (2, 2, 2));
    }

    #[test]
    fn a_request_overlaps_a_stall_if_it_was_out_during_any_part_of_it() {
        let stalls = [(2_000, 2_100), (5_000, 5_100)];
        let cases = [
            ((1_990, 2_000), 0.0),
            ((1_990, 2_001), 1.0),
            ((2_050, 2_060), 1.0),
            ((1_500, 4_000), 1.0),
            ((2_099, 2_200), 1.0),
            ((2_100, 2_200), 0.0),
            ((2_100, 5_001), 1.0),
        ];
        for (request, share) in cases {
            assert_eq!(figures(&stalls, &[request]).overlapped_share, share, "{request:?}");
        }
    }

    #[test]
    fn sends_around_a_stall_are_counted_by_ten_milliseconds() {
        let sent = [1_899, 1_900, 1_999, 2_000, 2_009, 2_010, 2_299, 2_300];
        let sent_done: Vec<(u64, u64)> = sent.iter().map(|at| (*at, at + 1)).collect();
        let around = figures(&[(2_000, 2_100), (8_000, 8_100)], &sent_done).around;
        assert_eq!(around.len(), 40);
        let seen: Vec<(i64, f64)> = around
            .iter()
            .filter(|bin| bin.sent_per_stall > 0.0)
            .map(|bin| (bin.from_ms, bin.sent_per_stall))
            .collect();
        assert_eq!(seen, [(-100, 0.5), (-10, 0.5), (0, 1.0), (10, 0.5), (290, 0.5)]);
    }

    #[test]
    fn a_stall_of_the_warm_up_is_not_among_the_counted() {
        let figures = figures(&[(900, 1_050), (2_000, 2_100)], &[(1_010, 1_060)]);
        assert_eq!((figures.seen, figures.sent_during), (1, 1));
        assert_eq!(figures.around.iter().map(|bin| bin.sent_per_stall).sum::<f64>(), 0.0);
    }

    #[test]
    fn two_stalls_close_together_both_count_what_lies_around_them() {
        let figures = figures(&[(2_000, 2_050), (2_100, 2_150)], &[(2_060, 2_061)]);
        assert_eq!(figures.around.iter().map(|bin| bin.sent_per_stall).sum::<f64>(), 1.0);
    }
}
