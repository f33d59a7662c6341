//! All runs of an arm together: for reading, and never to compare arms by.

use crate::exact::find;
use crate::summary::Distribution;
use crate::tally::Tally;
use crate::timing::Timing;
use model::{RunRecord, Sample, SampleSource, SourceError};
use stats::Selection;

/// The response times of several runs as of one: counts are added, and then the
/// percentiles are taken. `None` of fewer than two runs, or if one of them has
/// no samples of its own.
///
/// # Errors
///
/// If a pass over the samples fails.
pub fn pooled(runs: &[(&RunRecord, &dyn SampleSource)]) -> Result<Option<Distribution>, SourceError> {
    let [(first, _), _, ..] = runs else { return Ok(None) };
    if runs.iter().any(|(record, _)| crate::told::told_alone(record).is_some()) {
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
