//! Loads over time by name: what a person writes down becomes a list of stages.
//!
//! Nothing here knows whether a load is a rate or a number of users, nor how
//! arrivals are made of it: [`Profile::of_shape`](crate::Profile::of_shape) and
//! [`UserLevels::of_shape`](crate::UserLevels::of_shape) take the stages from
//! here. A new shape is one new file with its parameters and `stages()`, plus a
//! line here. Start at [`Stages`]; [`Burst`] is the one to imitate.

mod burst;
mod day;
mod ramp_up;
mod repeat;
mod soak;
mod stages;
mod steady;

pub use burst::Burst;
pub use day::Day;
pub use ramp_up::RampUp;
pub use repeat::repeated;
pub use soak::Soak;
pub use stages::{Stages, UntilStage};
pub use steady::Steady;

use crate::profile::LONGEST;
use model::{Nanos, Stage};
use std::fmt;
use thiserror::Error;

/// More stages than anyone reads, and few enough to hold and to draw.
const MOST_STAGES: usize = 10_000;

/// Far above every load that can be sent: one arrival each nanosecond.
const HIGHEST_LOAD: f64 = 1e9;

/// Why parameters make no shape, and which item of a list is to blame.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub struct ShapeError {
    /// The item of the shape's list (stages, points), from 0; `None` where the
    /// shape has no list, or the whole of it is to blame.
    pub at: Option<usize>,
    /// The cause.
    pub what: ShapeFault,
}

/// What is wrong with a shape. A `field` is the parameter's name in Rust.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum ShapeFault {
    /// A list without items.
    #[error("there is nothing in the list: give at least one")]
    Empty,
    /// An item before the one that it follows.
    #[error("at {moment} it lies before {after}, where the one before it lies: put them in order of time")]
    OutOfOrder {
        /// Where it lies.
        moment: Nanos,
        /// Where the item before it lies.
        after: Nanos,
    },
    /// Two points at one moment.
    #[error("there are two points at {moment}: leave one out")]
    Overlapping {
        /// Where both lie.
        moment: Nanos,
    },
    /// A point after the end.
    #[error("at {moment} it lies beyond the end at {end}")]
    BeyondTheEnd {
        /// Where it lies.
        moment: Nanos,
        /// Where the shape ends.
        end: Nanos,
    },
    /// A stretch of no time.
    #[error("`{field}` leaves no time: it must be longer than zero")]
    NoLength {
        /// The parameter that says how long.
        field: &'static str,
    },
    /// Every load is zero.
    #[error("it would send nothing: every load is zero")]
    NothingToSend,
    /// A load that must be above another one and is not.
    #[error("{load} must be above {than}")]
    NotHigher {
        /// The load.
        load: f64,
        /// What it must exceed.
        than: f64,
    },
    /// Steps that make no staircase.
    #[error("{steps} steps are too few: a ramp has at least 2, the first and the last load")]
    TooFewSteps {
        /// How many were asked for.
        steps: u32,
    },
    /// A list that nobody could read.
    #[error("that makes more than {MOST_STAGES} stages: take fewer and longer ones")]
    TooManyStages,
    /// Not even once.
    #[error("repeated 0 times there is nothing left: repeat it at least once")]
    NotOnce,
    /// More than 104 days.
    #[error("it would last longer than 104 days")]
    TooLong,
    /// A load that is negative, not a number, or beyond all that can be sent.
    #[error("`{field}` is {load}: it must lie between 0 and 1,000,000,000")]
    BadLoad {
        /// The parameter.
        field: &'static str,
        /// Its value.
        load: f64,
    },
}

impl fmt::Display for ShapeError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at {
            // People count from 1.
            Some(at) => write!(out, "item {} of the list: {}", at + 1, self.what),
            None => self.what.fmt(out),
        }
    }
}

impl ShapeFault {
    /// The fault of item `at` of the list.
    fn of_item(self, at: usize) -> ShapeError {
        ShapeError { at: Some(at), what: self }
    }

    /// The fault of the shape as a whole.
    fn of_all(self) -> ShapeError {
        ShapeError { at: None, what: self }
    }
}

fn good_load(field: &'static str, load: f64) -> Result<f64, ShapeFault> {
    let good = (0.0..=HIGHEST_LOAD).contains(&load);
    // A minus before zero would be shown to people.
    if good { Ok(load.abs()) } else { Err(ShapeFault::BadLoad { field, load }) }
}

fn good_length(field: &'static str, length: Nanos) -> Result<Nanos, ShapeFault> {
    if length > Nanos::ZERO { Ok(length) } else { Err(ShapeFault::NoLength { field }) }
}

/// One level, as both [`Steady`] and [`Soak`] are.
fn one_level(load: f64, lasts: Nanos) -> Result<Vec<Stage>, ShapeError> {
    let load = good_load("load", load).map_err(ShapeFault::of_all)?;
    let lasts = good_length("lasts", lasts).map_err(ShapeFault::of_all)?;
    whole(vec![Stage::level(lasts, load)])
}

/// The stages, if as a whole they can be sent.
fn whole(stages: Vec<Stage>) -> Result<Vec<Stage>, ShapeError> {
    let length = stages.iter().fold(Nanos::ZERO, |sum, stage| sum.saturating_add(stage.length));
    let sends = stages.iter().any(|stage| stage.from > 0.0 || stage.to > 0.0);
    match () {
        () if stages.is_empty() => Err(ShapeFault::Empty.of_all()),
        () if stages.len() > MOST_STAGES => Err(ShapeFault::TooManyStages.of_all()),
        () if !sends => Err(ShapeFault::NothingToSend.of_all()),
        () if length > LONGEST => Err(ShapeFault::TooLong.of_all()),
        () => Ok(stages),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_count_items_as_people_do_and_say_what_to_do() {
        let fault = ShapeFault::NoLength { field: "until" };
        let said = "item 3 of the list: `until` leaves no time: it must be longer than zero";
        assert_eq!(fault.of_item(2).to_string(), said);
        assert_eq!(
            ShapeFault::NothingToSend.of_all().to_string(),
            "it would send nothing: every load is zero"
        );
    }

    #[test]
    fn a_shape_may_last_just_as_long_as_floats_hold_every_nanosecond() {
        assert!(one_level(1.0, LONGEST).is_ok());
        assert_eq!(one_level(1.0, LONGEST + Nanos(1)), Err(ShapeFault::TooLong.of_all()));
    }

    #[test]
    fn minus_zero_is_zero() {
        assert!(good_load("load", -0.0).is_ok_and(f64::is_sign_positive));
    }
}
