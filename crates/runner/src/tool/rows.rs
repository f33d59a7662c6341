//! Single requests of a tool, and how they become samples.

use model::{Nanos, Outcome, Sample, Span};

/// A request as a tool tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// When the tool's clock for it started.
    pub(super) start: Nanos,
    /// From there to the answer's first byte, where the tool tells it.
    pub(super) first_byte: Option<Nanos>,
    /// From there to its end.
    pub(super) response: Nanos,
    /// The answer's status; 0 if there was none.
    pub(super) status: u16,
    /// How it ended.
    pub(super) outcome: Outcome,
    /// Bytes of the answer, as the tool counts them.
    pub(super) bytes: u64,
}

impl Row {
    fn done(&self) -> Nanos {
        self.start.saturating_add(self.response)
    }
}

/// What a tool's moments are counted from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// CLOCK_MONOTONIC of this machine, as doorclock and the service have it.
    Monotonic,
    /// A moment that only the tool knows. Its requests cannot be laid beside
    /// anything else that happened, a stall for instance.
    Own,
}

/// All requests of a run, in the order of their starts; at least one.
#[derive(Debug)]
pub(super) struct Rows {
    rows: Vec<Row>,
    origin: Origin,
}

impl Rows {
    /// `None` if there are none.
    pub(super) fn new(mut rows: Vec<Row>, origin: Origin) -> Option<Rows> {
        rows.sort_by_key(|row| row.start);
        (!rows.is_empty()).then_some(Rows { rows, origin })
    }

    /// What their moments are counted from.
    pub(super) fn origin(&self) -> Origin {
        self.origin
    }

    /// When the first began, by [`Rows::origin`]. A run's clock starts here.
    pub(super) fn first_start(&self) -> Nanos {
        self.rows[0].start
    }

    /// When the last ended, by [`Rows::origin`].
    pub(super) fn last_done(&self) -> Nanos {
        self.rows.iter().map(Row::done).fold(Nanos::ZERO, Nanos::max)
    }

    /// From the first start to the last end.
    pub(super) fn length(&self) -> Nanos {
        self.last_done().saturating_sub(self.first_start())
    }

    /// One sample a request, on a clock that starts with the first. `counted`
    /// is the counted part on that clock.
    ///
    /// A tool's request is scheduled when its clock for it starts: when it
    /// should have been sent, the tool does not tell.
    pub(super) fn samples(&self, counted: Span) -> impl Iterator<Item = Sample> {
        let zero = self.first_start();
        self.rows.iter().zip(0..).map(move |(row, index)| {
            let scheduled = row.start.saturating_sub(zero);
            Sample {
                index,
                user: 0,
                connection: 0,
                scheduled,
                waited: Nanos::ZERO,
                sent: Some(scheduled),
                first_byte: row.first_byte.map(|after| scheduled.saturating_add(after.min(row.response))),
                done: scheduled.saturating_add(row.response),
                connect: None,
                bytes_in: row.bytes,
                bytes_out: 0,
                status: row.status,
                outcome: row.outcome,
                resent: 0,
                counted: counted.contains(scheduled),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(start_ms: u64, response_ms: u64) -> Row {
        Row {
            start: Nanos::from_millis(start_ms),
            first_byte: None,
            response: Nanos::from_millis(response_ms),
            status: 200,
            outcome: Outcome::Ok,
            bytes: 39,
        }
    }

    #[test]
    fn samples_begin_with_the_first_start_and_only_those_in_the_counted_part_count() {
        let rows =
            Rows::new(vec![row(1_030, 2), row(1_000, 50), row(1_010, 5)], Origin::Monotonic).expect("rows");
        assert_eq!(
            (rows.first_start(), rows.last_done()),
            (Nanos::from_millis(1_000), Nanos::from_millis(1_050))
        );
        assert_eq!(rows.length(), Nanos::from_millis(50));
        let counted = Span { began: Nanos::from_millis(10), ended: Nanos::from_millis(30) };
        let samples: Vec<Sample> = rows.samples(counted).collect();
        let seen: Vec<(u64, u64, u64, bool)> = samples
            .iter()
            .map(|s| (s.index, s.scheduled.0 / 1_000_000, s.response_time().0 / 1_000_000, s.counted))
            .collect();
        assert_eq!(seen, [(0, 0, 50, false), (1, 10, 5, true), (2, 30, 2, false)]);
        assert!(samples.iter().all(|sample| sample.sent == Some(sample.scheduled)));
    }

    #[test]
    fn no_requests_are_no_rows() {
        assert!(Rows::new(Vec::new(), Origin::Own).is_none());
    }
}
