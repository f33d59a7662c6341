//! What analysis says of readings.

use model::{Nanos, ReadingUnit};

/// One column of a reading over a run. Moments count from the start of the
/// counted part; reading goes on while work is followed after sending has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadingFigures {
    /// The reading's name.
    pub reading: String,
    /// The column's.
    pub column: String,
    /// The kind of probe.
    pub kind: String,
    /// What was asked, and whom.
    pub asks: String,
    /// The time from one asking to the next.
    pub every: Nanos,
    /// What it is counted in, if somebody said it.
    pub unit: Option<ReadingUnit>,
    /// What it must not reach, if somebody said it.
    pub limit: Option<f64>,
    /// How many numbers it gave.
    pub n: u64,
    /// The first of them.
    pub first: f64,
    /// The last.
    pub last: f64,
    /// The least.
    pub least: f64,
    /// The largest.
    pub most: f64,
    /// When it was first as large.
    pub most_at: Nanos,
    /// Its course, in points for a picture.
    pub course: Vec<ReadingPoint>,
}

/// A stretch of a reading's course.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReadingPoint {
    /// The moment of its first number.
    pub at: Nanos,
    /// The least of its numbers.
    pub least: f64,
    /// The largest.
    pub most: f64,
}
