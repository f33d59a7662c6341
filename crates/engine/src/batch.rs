//! Samples on their way out of a sending thread: whole batches, never one by one.

use model::Sample;
use std::sync::mpsc::{Receiver, Sender, channel};

/// Rows of a batch. At 20,000/s a batch fills in 100 ms.
pub const BATCH_ROWS: usize = 2_048;

/// Batches that may be on their way at once before samples are given up and
/// counted as lost: 512 × 2,048 rows are 120 MB, or 15 s at 70,000/s.
const BATCHES_AT_MOST: usize = 512;

/// Where a worker puts its samples.
pub trait SampleSink {
    /// Takes one sample. Neither blocks nor allocates, but for a batch now and then.
    fn push(&mut self, sample: Sample);
    /// Hands over what there is, even if the batch is not full.
    fn flush(&mut self);
    /// Samples that could not be kept.
    fn lost(&self) -> u64;
}

/// The sending thread's end: fills a batch, hands it over, takes an emptied one.
pub struct BatchSink {
    current: Vec<Sample>,
    full: Sender<Vec<Sample>>,
    emptied: Receiver<Vec<Sample>>,
    made: usize,
    lost: u64,
}

/// A sink and the two ends for the thread that keeps samples: it receives full
/// batches, and sends them back cleared.
pub fn batches() -> (BatchSink, Receiver<Vec<Sample>>, Sender<Vec<Sample>>) {
    let (full, to_keep) = channel();
    let (give_back, emptied) = channel();
    let current = Vec::with_capacity(BATCH_ROWS);
    (BatchSink { current, full, emptied, made: 1, lost: 0 }, to_keep, give_back)
}

impl SampleSink for BatchSink {
    fn push(&mut self, sample: Sample) {
        self.current.push(sample);
        if self.current.len() == BATCH_ROWS {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if self.current.is_empty() {
            return;
        }
        let next = match self.emptied.try_recv() {
            Ok(batch) => batch,
            Err(_) if self.made < BATCHES_AT_MOST => {
                self.made += 1;
                Vec::with_capacity(BATCH_ROWS)
            }
            // Waiting for the disk here would delay sending. Losing rows is
            // the lesser harm, and the count of them voids the run.
            Err(_) => {
                self.lost += self.current.len() as u64;
                self.current.clear();
                return;
            }
        };
        let batch = std::mem::replace(&mut self.current, next);
        if let Err(unsent) = self.full.send(batch) {
            self.lost += unsent.0.len() as u64;
        }
    }

    fn lost(&self) -> u64 {
        self.lost
    }
}

/// Samples kept in memory, for tests.
impl SampleSink for Vec<Sample> {
    fn push(&mut self, sample: Sample) {
        Vec::push(self, sample);
    }

    fn flush(&mut self) {}

    fn lost(&self) -> u64 {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Nanos, Outcome};

    fn sample(index: u64) -> Sample {
        Sample {
            index,
            user: 0,
            connection: 1,
            scheduled: Nanos(index),
            waited: Nanos::ZERO,
            sent: None,
            first_byte: None,
            done: Nanos(index),
            connect: None,
            bytes_in: 0,
            bytes_out: 0,
            status: 0,
            outcome: Outcome::NeverSent,
            resent: 0,
            counted: true,
        }
    }

    #[test]
    fn samples_arrive_whole_and_in_order_and_emptied_batches_are_used_again() {
        let (mut sink, to_keep, give_back) = batches();
        let mut kept = Vec::new();
        for index in 0..10 * BATCH_ROWS as u64 + 7 {
            sink.push(sample(index));
            while let Ok(mut batch) = to_keep.try_recv() {
                kept.append(&mut batch);
                give_back.send(batch).expect("the sink is there");
            }
        }
        sink.flush();
        kept.extend(to_keep.try_iter().flatten());
        assert!(kept.iter().map(|sample| sample.index).eq(0..10 * BATCH_ROWS as u64 + 7));
        assert_eq!((sink.made, sink.lost()), (2, 0));
    }

    #[test]
    fn samples_that_nobody_keeps_are_counted_as_lost() {
        let (mut sink, to_keep, _give_back) = batches();
        drop(to_keep);
        (0..5).for_each(|index| sink.push(sample(index)));
        sink.flush();
        assert_eq!(sink.lost(), 5);
    }

    #[test]
    fn a_keeper_that_stands_still_costs_bounded_memory_and_the_loss_is_counted() {
        let (mut sink, _to_keep, _give_back) = batches();
        let rows = (BATCHES_AT_MOST * BATCH_ROWS) as u64;
        (0..rows + 1).for_each(|index| sink.push(sample(index)));
        assert_eq!(sink.made, BATCHES_AT_MOST);
        assert_eq!(sink.lost(), BATCH_ROWS as u64);
    }
}
