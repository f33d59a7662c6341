//! One level for long: what grows slowly?

use super::{ShapeError, one_level};
use model::{Nanos, Stage};

/// The same load for long. It is sent like a [`Steady`](super::Steady) one; the
/// report looks for growth in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Soak {
    /// The load; above zero.
    pub load: f64,
    /// How long.
    pub lasts: Nanos,
}

impl Soak {
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
    fn a_soak_is_one_level_and_sends_something() {
        let lasts = Nanos::from_secs(600);
        assert_eq!(Soak { load: 0.75, lasts }.stages(), Ok(vec![Stage::level(lasts, 0.75)]));
        let nothing = ShapeError { at: None, what: ShapeFault::NothingToSend };
        assert_eq!(Soak { load: 0.0, lasts }.stages(), Err(nothing));
    }
}
