//! Exact values at ranks, found in further passes over the samples.

use model::{Sample, SampleSource, SourceError};
use stats::{Selected, Selection};

/// The values that `selections` look for. `feed` names, for a sample, each
/// selection that it belongs to by place, with the value that it has there.
pub(crate) fn find(
    samples: &dyn SampleSource,
    selections: Vec<Selection>,
    feed: impl Fn(&Sample, &mut dyn FnMut(usize, u64)),
) -> Result<Vec<Vec<Option<u64>>>, SourceError> {
    let mut states: Vec<Selected> = selections.into_iter().map(Selected::Again).collect();
    while states.iter().any(|state| matches!(state, Selected::Again(_))) {
        samples.pass(&mut |batch| {
            for sample in batch {
                feed(sample, &mut |at, value| {
                    if let Selected::Again(selection) = &mut states[at] {
                        selection.observe(value);
                    }
                });
            }
        })?;
        let ended = states.into_iter().map(|state| match state {
            Selected::Again(selection) => selection.finish(),
            exact @ Selected::Exact(_) => exact,
        });
        states = ended.collect();
    }
    let values = states.into_iter().filter_map(|state| match state {
        Selected::Exact(values) => Some(values),
        Selected::Again(_) => None,
    });
    Ok(values.collect())
}
