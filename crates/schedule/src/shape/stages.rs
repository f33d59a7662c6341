//! Stages written out one by one.

use super::{ShapeError, ShapeFault, good_length, good_load, whole};
use model::{Nanos, Stage};

/// A stage by where it ends; it begins where the one before it ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UntilStage {
    /// Its end, from the shape's beginning.
    pub until: Nanos,
    /// Its load, or on a slope the one that it ends with.
    pub load: f64,
    /// Whether the load goes there straight from the load before it (from zero
    /// in the first stage) rather than being there at once.
    pub is_slope: bool,
}

/// Stages one after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Stages {
    /// At least one, in order of time.
    pub stages: Vec<UntilStage>,
}

impl Stages {
    /// Each with its length and the loads at its two ends.
    pub fn stages(&self) -> Result<Vec<Stage>, ShapeError> {
        let (mut began, mut before) = (Nanos::ZERO, 0.0);
        let mut all = Vec::with_capacity(self.stages.len());
        for (at, stage) in self.stages.iter().enumerate() {
            let stage = stage.after(began, before).map_err(|fault| fault.of_item(at))?;
            (began, before) = (began + stage.length, stage.to);
            all.push(stage);
        }
        whole(all)
    }
}

impl UntilStage {
    fn after(&self, began: Nanos, before: f64) -> Result<Stage, ShapeFault> {
        let load = good_load("load", self.load)?;
        if self.until < began {
            return Err(ShapeFault::OutOfOrder { moment: self.until, after: began });
        }
        let length = good_length("until", self.until - began)?;
        Ok(Stage { length, from: if self.is_slope { before } else { load }, to: load })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn until(secs: u64, load: f64, is_slope: bool) -> UntilStage {
        UntilStage { until: Nanos::from_secs(secs), load, is_slope }
    }

    fn stages(list: &[UntilStage]) -> Result<Vec<Stage>, ShapeError> {
        Stages { stages: list.to_vec() }.stages()
    }

    #[test]
    fn stages_begin_where_the_last_one_ended() {
        let list = [until(20, 2.0, false), until(35, 20.0, false), until(80, 2.0, true)];
        let expected = vec![
            Stage::level(Nanos::from_secs(20), 2.0),
            Stage::level(Nanos::from_secs(15), 20.0),
            Stage { length: Nanos::from_secs(45), from: 20.0, to: 2.0 },
        ];
        assert_eq!(stages(&list), Ok(expected));
    }

    #[test]
    fn a_first_slope_comes_up_from_zero() {
        let expected = Stage { length: Nanos::from_secs(9), from: 0.0, to: 5.0 };
        assert_eq!(stages(&[until(9, 5.0, true)]), Ok(vec![expected]));
    }

    #[test]
    fn a_list_that_makes_no_stages_says_which_item_is_to_blame() {
        let secs = Nanos::from_secs;
        let good = until(10, 5.0, false);
        let cases = [
            (vec![], None, ShapeFault::Empty),
            (
                vec![good, until(8, 1.0, false)],
                Some(1),
                ShapeFault::OutOfOrder { moment: secs(8), after: secs(10) },
            ),
            (vec![good, until(10, 1.0, true)], Some(1), ShapeFault::NoLength { field: "until" }),
            (vec![until(0, 1.0, false), good], Some(0), ShapeFault::NoLength { field: "until" }),
            (vec![good, good, until(20, -1.0, false)], Some(1), ShapeFault::NoLength { field: "until" }),
            (vec![good, until(20, -1.0, false)], Some(1), ShapeFault::BadLoad { field: "load", load: -1.0 }),
            (vec![until(10, 0.0, false), until(20, 0.0, true)], None, ShapeFault::NothingToSend),
            (vec![until(200 * 86_400, 1.0, false)], None, ShapeFault::TooLong),
            ((1..=10_001).map(|nth| until(nth, 1.0, false)).collect(), None, ShapeFault::TooManyStages),
        ];
        for (list, at, what) in cases {
            assert_eq!(stages(&list), Err(ShapeError { at, what }), "{:?}", &list[..list.len().min(3)]);
        }
        for odd in [f64::NAN, f64::INFINITY, 1.1e9] {
            let error = stages(&[good, until(20, odd, true)]).expect_err("no load");
            assert!(matches!(error, ShapeError { at: Some(1), what: ShapeFault::BadLoad { .. } }), "{error}");
        }
    }
}
