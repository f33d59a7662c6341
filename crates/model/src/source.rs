//! Samples that can be read more than once.

use crate::Sample;

/// Why samples could not be read to their end; the text says what and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceError(pub String);

impl std::fmt::Display for SourceError {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for SourceError {}

/// All samples of one run, in any order, as often as asked.
///
/// Exact percentiles in bounded memory need several passes over the samples;
/// this is the border that lets the arithmetic ask for a pass without knowing
/// where the samples lie.
pub trait SampleSource {
    /// Hands every sample to `each`, in batches. Every pass gives the same
    /// samples in the same order.
    fn pass(&self, each: &mut dyn FnMut(&[Sample])) -> Result<(), SourceError>;
}

/// Samples in memory, for tests and for small runs.
impl SampleSource for [Sample] {
    fn pass(&self, each: &mut dyn FnMut(&[Sample])) -> Result<(), SourceError> {
        each(self);
        Ok(())
    }
}

/// Samples in memory, for tests and for small runs.
impl SampleSource for Vec<Sample> {
    fn pass(&self, each: &mut dyn FnMut(&[Sample])) -> Result<(), SourceError> {
        self.as_slice().pass(each)
    }
}
