//! All runs of an arm together: for reading, and never to compare arms by.

use crate::exact::find;
use crate::summary::Distribution;
use crate::tally::Tally;
use crate::timing::Timing;
use crate::told::told_alone;
use model::{RunRecord, Sample, SampleSource, SourceError};
use stats::Selection;

/// The response times of several runs as of one: counts are added, and then the
/// percentiles are taken. `None` of fewer than two runs, or if one of them has
/// no samples of its own, or was killed: of some of its requests nothing is known.
///
/// # Errors
///
/// If a pass over the samples fails.
pub fn pooled(runs: &[(&RunRecord, &dyn SampleSource)]) -> Result<Option<Distribution>, SourceError> {
    let [(first, _), _, ..] = runs else { return Ok(None) };
    if runs.iter().any(|(record, _)| record.end.is_none() || told_alone(record).is_some()) {
        return Ok(None);
    }
    let timeout = first.facts.timeout;
    let all = All(runs);
    let mut tally = Tally::new(timeout);
    all.pass(&mut |batch| batch.iter().for_each(|sample| tally.observe(sample)))?;
    let column = tally.column(Timing::Response);
    let selection = Selection::new(&column.histogram, &column.ranks());
    let found = find(&all, vec![selection], |sample, give| {
        if sample.counted
            && let Some(took) = Timing::Response.of(sample, timeout)
        {
            give(0, took.length.0);
        }
    })?;
    let mut values = [None; crate::tally::QUANTILES.len()];
    values.copy_from_slice(&found[0]);
    Ok(Some(column.distribution(&values)))
}

/// Runs one after another.
struct All<'a>(&'a [(&'a RunRecord, &'a dyn SampleSource)]);

impl SampleSource for All<'_> {
    fn pass(&self, each: &mut dyn FnMut(&[Sample])) -> Result<(), SourceError> {
        self.0.iter().try_for_each(|(_, samples)| samples.pass(each))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Run, sample};
    use crate::summary::Point;
    use model::{Nanos, Told, ToolFacts};

    fn of(runs: &[Run]) -> Option<Distribution> {
        let both: Vec<(&RunRecord, &dyn SampleSource)> =
            runs.iter().map(|run| (&run.record, &run.samples as &dyn SampleSource)).collect();
        pooled(&both).expect("samples in memory")
    }

    fn run(count: u64, took_ms: u64) -> Run {
        let mut run = Run::calm();
        let request =
            |index| sample(index, 1_000_000_000, 1_000_000_000, 1_000_000_000 + took_ms * 1_000_000);
        run.samples = (0..count).map(request).collect();
        run.samples.push(Sample { counted: false, ..request(count) });
        run
    }

    #[test]
    fn two_runs_together_have_the_p99_of_all_requests_and_not_a_mean_of_two() {
        let together = of(&[run(900, 10), run(100, 110)]).expect("two runs");
        let ms = |value| Some(Point { value: Nanos::from_millis(value), at_least: false });
        assert_eq!((together.n, together.censored), (1_000, 0));
        assert_eq!((together.p50, together.p90, together.p99), (ms(10), ms(10), ms(110)));
        assert_eq!(together.mean, Some(20e6));
    }

    #[test]
    fn runs_with_the_same_requests_are_pooled_to_the_percentiles_of_one() {
        let (one, two) =
            (Run::calm().judged().response_time, of(&[Run::calm(), Run::calm()]).expect("two runs"));
        assert_eq!(two.n, 2 * one.n);
        assert_eq!((two.p50, two.p99, two.p999, two.max), (one.p50, one.p99, one.p999, one.max));
    }

    #[test]
    fn one_run_is_not_pooled_nor_are_those_whose_requests_are_not_all_known() {
        assert_eq!(of(&[run(900, 10)]), None);
        let mut killed = run(900, 10);
        killed.record.end = None;
        assert_eq!(of(&[run(900, 10), killed]), None);
        let mut told = run(0, 10);
        told.record.facts.tool = Some(ToolFacts { name: "wrk".to_owned(), command: "wrk".to_owned() });
        told.end().told = Some(Told { requests: Some(900), ..Told::default() });
        assert_eq!(of(&[run(900, 10), told]), None);
    }
}
