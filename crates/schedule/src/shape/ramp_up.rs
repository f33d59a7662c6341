//! Rising loads: up to where does the service follow?

use super::{MOST_STAGES, ShapeError, ShapeFault, good_length, good_load, whole};
use crate::profile::LONGEST;
use model::{Nanos, Stage};

/// Steps evenly apart, or one slope over the same time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RampUp {
    /// The first step's load.
    pub from: f64,
    /// The last step's load; above `from`.
    pub to: f64,
    /// How many steps, the first and the last included; at least 2.
    pub steps: u32,
    /// How long each lasts.
    pub each: Nanos,
    /// Whether it is a slope that lasts as long as all steps together.
    pub is_slope: bool,
}

impl RampUp {
    /// One stage a step, or one in all on a slope.
    pub fn stages(&self) -> Result<Vec<Stage>, ShapeError> {
        self.check().map_err(ShapeFault::of_all)?;
        if self.is_slope {
            let length = Nanos(self.each.0 * u64::from(self.steps));
            return whole(vec![Stage { length, from: self.from, to: self.to }]);
        }
        whole((0..self.steps).map(|step| Stage::level(self.each, self.load(step))).collect())
    }

    /// The load of a step, from 0. The first and the last are what was asked
    /// for to the bit, and round numbers stay round in between.
    fn load(&self, step: u32) -> f64 {
        let last = self.steps - 1;
        match step {
            0 => self.from,
            _ if step == last => self.to,
            _ => (self.from * f64::from(last - step) + self.to * f64::from(step)) / f64::from(last),
        }
    }

    fn check(&self) -> Result<(), ShapeFault> {
        good_load("from", self.from)?;
        good_load("to", self.to)?;
        good_length("each", self.each)?;
        match () {
            () if self.to <= self.from => Err(ShapeFault::NotHigher { load: self.to, than: self.from }),
            () if self.steps < 2 => Err(ShapeFault::TooFewSteps { steps: self.steps }),
            () if !self.is_slope && self.steps as usize > MOST_STAGES => Err(ShapeFault::TooManyStages),
            () if self.each > Nanos(LONGEST.0 / u64::from(self.steps)) => Err(ShapeFault::TooLong),
            () => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RAMP: RampUp =
        RampUp { from: 100.0, to: 1_000.0, steps: 10, each: Nanos::from_secs(20), is_slope: false };

    #[test]
    fn steps_are_evenly_apart_from_the_first_to_the_last_load() {
        let stages = RAMP.stages().expect("a ramp");
        let loads: Vec<f64> = stages.iter().map(|stage| stage.from).collect();
        assert_eq!(loads, [100., 200., 300., 400., 500., 600., 700., 800., 900., 1_000.]);
        assert!(stages.iter().all(|stage| stage.is_level() && stage.length == RAMP.each));
    }

    #[test]
    fn a_slope_is_one_stage_of_the_same_length() {
        let slope = RampUp { is_slope: true, ..RAMP };
        let expected = Stage { length: Nanos::from_secs(200), from: 100.0, to: 1_000.0 };
        assert_eq!(slope.stages(), Ok(vec![expected]));
    }

    #[test]
    fn a_ramp_from_nothing_begins_with_a_silent_step() {
        let stages = RampUp { from: 0.0, to: 1.0, steps: 2, ..RAMP }.stages().expect("a ramp");
        assert_eq!(stages, [Stage::level(RAMP.each, 0.0), Stage::level(RAMP.each, 1.0)]);
    }

    #[test]
    fn what_makes_no_ramp_says_why() {
        let cases = [
            (RampUp { steps: 1, ..RAMP }, ShapeFault::TooFewSteps { steps: 1 }),
            (RampUp { steps: 0, is_slope: true, ..RAMP }, ShapeFault::TooFewSteps { steps: 0 }),
            (RampUp { to: 100.0, ..RAMP }, ShapeFault::NotHigher { load: 100.0, than: 100.0 }),
            (RampUp { from: -1.0, ..RAMP }, ShapeFault::BadLoad { field: "from", load: -1.0 }),
            (RampUp { to: 2e9, ..RAMP }, ShapeFault::BadLoad { field: "to", load: 2e9 }),
            (RampUp { each: Nanos::ZERO, ..RAMP }, ShapeFault::NoLength { field: "each" }),
            (RampUp { steps: u32::MAX, each: Nanos(1), ..RAMP }, ShapeFault::TooManyStages),
            (RampUp { steps: u32::MAX, is_slope: true, ..RAMP }, ShapeFault::TooLong),
            (RampUp { each: Nanos::MAX, ..RAMP }, ShapeFault::TooLong),
        ];
        for (ramp, what) in cases {
            assert_eq!(ramp.stages(), Err(ShapeError { at: None, what }), "{ramp:?}");
        }
    }
}
