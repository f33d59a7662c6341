//! One level: a number to compare or to promise.

use super::{ShapeError, one_level};
use model::{Nanos, Stage};

/// The same load throughout.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steady {
    /// The load; above zero.
    pub load: f64,
    /// How long.
    pub lasts: Nanos,
}

impl Steady {
    /// One stage.
    pub fn stages(&self) -> Result<Vec<Stage>, ShapeError> {
        one_level(self.load, self.lasts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::ShapeFault;

    #[test]
    fn a_steady_load_is_one_level() {
        let lasts = Nanos::from_secs(60);
        assert_eq!(Steady { load: 200.0, lasts }.stages(), Ok(vec![Stage::level(lasts, 200.0)]));
    }

    #[test]
    fn a_level_of_nothing_or_for_no_time_is_none() {
        let second = Nanos::from_secs(1);
        let cases = [
            (0.0, second, ShapeFault::NothingToSend),
            (-2.0, second, ShapeFault::BadLoad { field: "load", load: -2.0 }),
            (2.0, Nanos::ZERO, ShapeFault::NoLength { field: "lasts" }),
            (2.0, Nanos::MAX, ShapeFault::TooLong),
        ];
        for (load, lasts, what) in cases {
            let steady = Steady { load, lasts };
            assert_eq!(steady.stages(), Err(ShapeError { at: None, what }), "{steady:?}");
        }
    }
}
