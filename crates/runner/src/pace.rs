//! How long an experiment will go on: what its plan says, corrected by what its
//! runs took.

use model::Nanos;

/// What a run costs beside its own length until one has shown it: the quiet
/// check, and the service's start and end.
const BETWEEN_RUNS: Nanos = Nanos::from_secs(2);

/// How much longer runs take than they say.
pub(crate) struct Pace {
    runs: u64,
    beyond: Nanos,
}

impl Pace {
    pub(crate) fn new() -> Pace {
        Pace { runs: 0, beyond: Nanos::ZERO }
    }

    pub(crate) fn took(&mut self, took: Nanos, said: Nanos) {
        self.runs += 1;
        self.beyond += took.saturating_sub(said);
    }

    /// How long runs of these lengths will take.
    pub(crate) fn left(&self, lengths: impl Iterator<Item = Nanos>) -> Nanos {
        let beyond = self.beyond.0.checked_div(self.runs).map_or(BETWEEN_RUNS, Nanos);
        lengths.fold(Nanos::ZERO, |sum, length| sum + length + beyond)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_is_corrected_by_what_runs_took() {
        let mut pace = Pace::new();
        let lengths = [Nanos::from_secs(30), Nanos::from_secs(10)];
        assert_eq!(pace.left(lengths.into_iter()), Nanos::from_secs(44));
        pace.took(Nanos::from_secs(35), Nanos::from_secs(30));
        pace.took(Nanos::from_secs(11), Nanos::from_secs(10));
        assert_eq!(pace.left(lengths.into_iter()), Nanos::from_secs(46));
    }
}
