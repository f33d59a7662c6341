//! The rate of arrivals over time: levels and slopes, one after the other.
//!
//! Start at [`Profile::cumulative`] and [`Profile::inverse`]: together they
//! turn evenly running time into the profile's time and back.

use model::{Nanos, Rate, Shape, Stage};
use thiserror::Error;

/// Arrivals closer together than the clock's nanosecond cannot be told apart.
const HIGHEST_RATE: f64 = 1e9;

/// 2⁵³ ns, 104 days: beyond it a float no longer holds every nanosecond.
pub(crate) const LONGEST: Nanos = Nanos(1 << 53);

/// A stretch of time over which the rate goes straight from one value to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// Arrivals a second at its beginning; may be zero.
    pub from_per_second: f64,
    /// Arrivals a second at its end.
    pub to_per_second: f64,
    /// How long it lasts.
    pub length: Nanos,
}

impl Segment {
    /// The same rate throughout.
    pub fn level(per_second: f64, length: Nanos) -> Segment {
        Segment::slope(per_second, per_second, length)
    }

    /// A rate that rises or falls evenly.
    pub fn slope(from_per_second: f64, to_per_second: f64, length: Nanos) -> Segment {
        Segment { from_per_second, to_per_second, length }
    }
}

/// Why segments make no profile. Segments are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum ProfileError {
    /// No segments at all.
    #[error("the load has no segments")]
    Empty,
    /// A segment without a length.
    #[error("segment {segment} lasts no time")]
    NoLength {
        /// Which.
        segment: usize,
    },
    /// A rate that is negative, not finite, or finer than the clock.
    #[error("segment {segment} has a rate of {per_second}/s: it must lie between 0 and 1,000,000,000/s")]
    BadRate {
        /// Which.
        segment: usize,
        /// The offending rate.
        per_second: f64,
    },
    /// Every rate is zero.
    #[error("the load would send nothing: every rate is zero")]
    NothingToSend,
    /// More than 2⁵³ ns in all.
    #[error("the load lasts longer than 104 days")]
    TooLong,
    /// Users who send by the service's answers alone.
    #[error("users without a pace make no rate: give them a pace, or give stages in arrivals a second")]
    NoPace,
}

/// A rate over time that sends something, from 0 to [`end`](Profile::end).
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    pieces: Vec<Piece>,
    end: Nanos,
}

impl Profile {
    /// The same rate from start to end.
    pub fn level(rate: Rate, length: Nanos) -> Result<Profile, ProfileError> {
        Profile::new(&[Segment::level(rate.as_per_second(), length)])
    }

    /// The arrivals that a shape means, after a `warm_up` at the rate of its
    /// beginning. In errors, segments are the shape's stages.
    pub fn of_shape(shape: &Shape, warm_up: Nanos) -> Result<Profile, ProfileError> {
        let rate = |load| shape.per_second(load).ok_or(ProfileError::NoPace);
        let segment = |stage: &Stage| Ok(Segment::slope(rate(stage.from)?, rate(stage.to)?, stage.length));
        let stages: Vec<Segment> = shape.stages.iter().map(segment).collect::<Result<_, _>>()?;
        let alone = Profile::new(&stages)?;
        if warm_up == Nanos::ZERO {
            return Ok(alone);
        }
        let warm_up = Segment::level(stages[0].from_per_second, warm_up);
        // Whatever else is wrong with stages, they have shown to be free of.
        Profile::new(&[&[warm_up], &stages[..]].concat())
    }

    /// The segments one after the other.
    pub fn new(segments: &[Segment]) -> Result<Profile, ProfileError> {
        if segments.is_empty() {
            return Err(ProfileError::Empty);
        }
        let mut pieces = Vec::with_capacity(segments.len());
        let (mut end, mut expected) = (Nanos::ZERO, 0.0);
        for (at, segment) in segments.iter().enumerate() {
            check(at, segment)?;
            let piece = Piece::new(end, expected, segment);
            end = end.saturating_add(segment.length);
            expected = piece.after;
            pieces.push(piece);
        }
        match (expected > 0.0, end <= LONGEST) {
            (true, true) => Ok(Profile { pieces, end }),
            (false, _) => Err(ProfileError::NothingToSend),
            (true, false) => Err(ProfileError::TooLong),
        }
    }

    /// The first moment after the profile.
    pub fn end(&self) -> Nanos {
        self.end
    }

    /// Arrivals to expect in all.
    pub fn expected(&self) -> f64 {
        self.pieces.last().map_or(0.0, |piece| piece.after)
    }

    /// Arrivals to expect before `moment`.
    pub fn cumulative(&self, moment: Nanos) -> f64 {
        let at = self.pieces.partition_point(|piece| piece.ended() <= moment);
        self.pieces.get(at).map_or(self.expected(), |piece| piece.cumulative(moment))
    }

    /// The moment before which `arrivals` are to be expected. Where the rate
    /// is zero for a while, the moment at which it no longer is; from
    /// [`expected`](Profile::expected) on, the end.
    pub fn inverse(&self, arrivals: f64) -> Nanos {
        let at = self.pieces.partition_point(|piece| piece.after <= arrivals);
        self.pieces.get(at).map_or(self.end, |piece| piece.inverse(arrivals))
    }

    /// The pieces in order.
    pub(crate) fn pieces(&self) -> &[Piece] {
        &self.pieces
    }
}

fn check(segment: usize, given: &Segment) -> Result<(), ProfileError> {
    if given.length == Nanos::ZERO {
        return Err(ProfileError::NoLength { segment });
    }
    for per_second in [given.from_per_second, given.to_per_second] {
        if !(0.0..=HIGHEST_RATE).contains(&per_second) {
            return Err(ProfileError::BadRate { segment, per_second });
        }
    }
    Ok(())
}

/// A segment in its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Piece {
    began: Nanos,
    length: Nanos,
    /// Arrivals a second at its beginning.
    rate: f64,
    /// What the rate gains each second; zero on a level.
    gain: f64,
    /// Arrivals expected before its beginning.
    before: f64,
    /// Arrivals expected before its end.
    pub(crate) after: f64,
}

impl Piece {
    fn new(began: Nanos, before: f64, segment: &Segment) -> Piece {
        let &Segment { from_per_second: from, to_per_second: to, length } = segment;
        let secs = length.as_secs_f64();
        let gain = (to - from) / secs;
        Piece { began, length, rate: from, gain, before, after: before + secs * ((from + to) / 2.0) }
    }

    fn ended(&self) -> Nanos {
        self.began.saturating_add(self.length)
    }

    /// For a moment inside the piece.
    fn cumulative(&self, moment: Nanos) -> f64 {
        let secs = (moment - self.began).as_secs_f64();
        (self.before + secs * (self.rate + self.gain * secs / 2.0)).min(self.after)
    }

    /// For `arrivals` from `before` up to, not including, `after`. Rounds down
    /// to the nanosecond, so that what falls inside a piece stays inside.
    #[inline]
    pub(crate) fn inverse(&self, arrivals: f64) -> Nanos {
        let nanos = Nanos((self.secs_until(arrivals - self.before) * 1e9) as u64);
        self.began + nanos.min(Nanos(self.length.0 - 1))
    }

    /// Solves rate·s + gain·s²/2 = arrivals for s. The textbook root
    /// (−rate + √…)/gain loses its digits on gentle slopes; this form of the
    /// same root only adds what is positive.
    #[inline]
    fn secs_until(&self, arrivals: f64) -> f64 {
        if self.gain == 0.0 {
            arrivals / self.rate
        } else if arrivals <= 0.0 {
            // Also the one place where a slope up from zero would be 0/0.
            0.0
        } else {
            // Rounding may push the root's inside below zero at the foot of a
            // slope down to zero.
            let rate_then = (self.rate * self.rate + 2.0 * self.gain * arrivals).max(0.0).sqrt();
            2.0 * arrivals / (self.rate + rate_then)
        }
    }
}

#[cfg(test)]
mod tests;
