//! A run as it goes on, for whoever watches.

use crate::timing::Timing;
use model::{Nanos, Progress, RunFacts, Sample};
use stats::{Histogram, Quantile};
use std::collections::BTreeMap;

/// Coarse buckets do for a figure that is replaced every second.
const BITS: u32 = 7;
/// Seconds kept: batches of several sending threads come a little out of order.
const SECONDS_KEPT: usize = 4;
const SECOND: u64 = 1_000_000_000;

/// Takes the same batches as the store, and takes a request's wait by the same
/// [`Timing`] as the final run. It keeps two counts and a few seconds' waits:
/// what is shown, and nothing that would cost the tester memory while it sends.
#[derive(Clone, Debug)]
pub struct Live {
    timeout: Nanos,
    until: Nanos,
    done: u64,
    failed: u64,
    /// Response times by the second in which they were done, warm-up included.
    seconds: BTreeMap<u64, Histogram>,
}

impl Live {
    /// Nothing seen yet of a run with these facts.
    pub fn new(facts: &RunFacts) -> Live {
        Live {
            timeout: facts.timeout,
            until: facts.warm_up + facts.measure,
            done: 0,
            failed: 0,
            seconds: BTreeMap::new(),
        }
    }

    /// Takes a batch in.
    pub fn observe(&mut self, batch: &[Sample]) {
        for sample in batch {
            self.done += u64::from(!sample.outcome.is_cut_off());
            self.failed += u64::from(sample.outcome.is_failure());
            if let Some(took) = Timing::Response.of(sample, self.timeout) {
                let second = self.seconds.entry(sample.done.0 / SECOND);
                second.or_insert_with(|| Histogram::new(BITS)).record(took.length.0);
            }
            if self.seconds.len() > SECONDS_KEPT {
                self.seconds.pop_first();
            }
        }
    }

    /// Where the run stands at a moment. Its p99 is that of the last whole
    /// second with answers; before there is one, of the second that goes on.
    pub fn progress(&self, at: Nanos) -> Progress {
        let whole = self.seconds.range(..at.0 / SECOND).next_back();
        let last = whole.or_else(|| self.seconds.first_key_value());
        let p99 = last.and_then(|(_, second)| second.value_at_rank(Quantile::P99.rank(second.count())));
        Progress { at, until: self.until, done: self.done, failed: self.failed, p99: p99.map(Nanos) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Run, sample};
    use model::Outcome;

    const MS: u64 = 1_000_000;

    fn live(samples: &[Sample]) -> Live {
        let mut live = Live::new(&Run::calm().record.facts);
        live.observe(samples);
        live
    }

    #[test]
    fn a_live_wait_is_the_one_of_the_final_run_however_batches_are_cut() {
        let mut run = Run::calm();
        run.change(|at| at % 20 == 7, |sample| sample.outcome = Outcome::Reset);
        let second = |sample: &&Sample| sample.done.0 / SECOND == 30;
        let mut waits: Vec<u64> = run
            .samples
            .iter()
            .filter(second)
            .filter_map(|sample| Timing::Response.of(sample, run.record.facts.timeout))
            .map(|took| took.length.0)
            .collect();
        waits.sort_unstable();
        let truth = stats::nearest_rank(&waits, Quantile::P99).expect("the second has answers");
        for cut in [1, 977, 15_500] {
            let mut live = Live::new(&run.record.facts);
            run.samples.chunks(cut).for_each(|batch| live.observe(batch));
            let progress = live.progress(Nanos(31 * SECOND));
            let p99 = progress.p99.expect("the second has answers").0;
            assert!(p99 >= truth && p99 - truth <= truth >> BITS, "{p99} is not {truth}");
            assert_eq!((progress.done, progress.failed), (15_500, 750));
        }
    }

    #[test]
    fn the_live_p99_is_that_of_the_last_whole_second_with_answers() {
        let first = (0..100).map(|i| sample(i, i * MS, i * MS, i * MS + 100));
        let second = (100..200).map(|i| sample(i, 1_100 * MS, 1_100 * MS, 1_100 * MS + 90));
        let live = live(&first.chain(second).collect::<Vec<_>>());
        let p99 = |at| live.progress(Nanos(at * MS)).p99;
        assert_eq!(p99(500), Some(Nanos(100)), "the second that goes on");
        assert_eq!(p99(1_500), Some(Nanos(100)));
        assert_eq!(p99(2_000), Some(Nanos(90)));
        assert_eq!(p99(9_000), Some(Nanos(90)), "nothing was answered since");
    }

    #[test]
    fn progress_counts_what_ended_and_what_failed() {
        let with = |index, outcome| Sample { outcome, ..sample(index, 0, 0, 10) };
        let samples = [
            with(0, Outcome::Ok),
            with(1, Outcome::Reset),
            with(2, Outcome::Unfinished),
            with(3, Outcome::Ok),
        ];
        let progress = live(&samples).progress(Nanos(11));
        assert_eq!((progress.done, progress.failed), (3, 1));
        assert_eq!(live(&[]).progress(Nanos(11)).p99, None);
    }
}
