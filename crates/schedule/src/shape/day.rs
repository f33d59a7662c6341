//! A curve through points, such as a day's.

use super::{ShapeError, ShapeFault, good_length, good_load, whole};
use model::{Nanos, Stage};

/// Straight lines from point to point. The curve comes round: a line leads
/// from the last point past the end to the first one, so that one day follows
/// on another without a jump.
#[derive(Clone, Debug, PartialEq)]
pub struct Day {
    /// Moments from the beginning, each with its load; in order, at least one.
    pub points: Vec<(Nanos, f64)>,
    /// How long it lasts; no point lies beyond.
    pub lasts: Nanos,
}

impl Day {
    /// One stage from each point to the next, and to and from the two ends.
    pub fn stages(&self) -> Result<Vec<Stage>, ShapeError> {
        good_length("lasts", self.lasts).map_err(ShapeFault::of_all)?;
        self.check()?;
        let (Some(first), Some(last)) = (self.points.first(), self.points.last()) else {
            return Err(ShapeFault::Empty.of_all());
        };
        let edge = self.load_at_both_ends(*first, *last);
        let mut all = Vec::with_capacity(self.points.len() + 1);
        let mut from = (Nanos::ZERO, edge);
        for to in self.points.iter().copied().chain([(self.lasts, edge)]) {
            // A point at the very beginning or end leaves no stretch there.
            if to.0 > from.0 {
                all.push(Stage { length: to.0 - from.0, from: from.1, to: to.1 });
            }
            from = to;
        }
        whole(all)
    }

    /// Where the line from the last point to the first of the next round
    /// crosses midnight. All of it may lie at one moment: a last point at the
    /// end and a first at the beginning leave no line to cross it.
    fn load_at_both_ends(&self, first: (Nanos, f64), last: (Nanos, f64)) -> f64 {
        let (left, right) = ((self.lasts - last.0).as_secs_f64(), first.0.as_secs_f64());
        match left + right {
            0.0 => last.1,
            both => (last.1 * right + first.1 * left) / both,
        }
    }

    fn check(&self) -> Result<(), ShapeError> {
        let mut before = None;
        for (at, &(moment, load)) in self.points.iter().enumerate() {
            let fault = match before {
                Some(after) if moment < after => Err(ShapeFault::OutOfOrder { moment, after }),
                Some(after) if moment == after => Err(ShapeFault::Overlapping { moment }),
                _ if moment > self.lasts => Err(ShapeFault::BeyondTheEnd { moment, end: self.lasts }),
                _ => good_load("load", load).map(drop),
            };
            fault.map_err(|fault| fault.of_item(at))?;
            before = Some(moment);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(secs: u64, load: f64) -> (Nanos, f64) {
        (Nanos::from_secs(secs), load)
    }

    fn day(points: &[(Nanos, f64)]) -> Result<Vec<Stage>, ShapeError> {
        Day { points: points.to_vec(), lasts: Nanos::from_secs(24) }.stages()
    }

    /// Each stage's length in seconds and its two loads.
    fn drawn(points: &[(Nanos, f64)]) -> Vec<(u64, f64, f64)> {
        let all = day(points).expect("a day");
        all.iter().map(|stage| (stage.length.0 / 1_000_000_000, stage.from, stage.to)).collect()
    }

    #[test]
    fn lines_lead_from_point_to_point_and_round_the_end() {
        assert_eq!(
            drawn(&[at(6, 2.0), at(12, 30.0), at(18, 10.0)]),
            [(6, 6.0, 2.0), (6, 2.0, 30.0), (6, 30.0, 10.0), (6, 10.0, 6.0)]
        );
        assert_eq!(drawn(&[at(0, 2.0), at(9, 30.0)]), [(9, 2.0, 30.0), (15, 30.0, 2.0)]);
        assert_eq!(drawn(&[at(9, 30.0), at(24, 2.0)]), [(9, 2.0, 30.0), (15, 30.0, 2.0)]);
        assert_eq!(drawn(&[at(5, 7.0)]), [(5, 7.0, 7.0), (19, 7.0, 7.0)], "one point is a level");
    }

    #[test]
    fn points_at_both_ends_may_differ() {
        assert_eq!(drawn(&[at(0, 2.0), at(24, 30.0)]), [(24, 2.0, 30.0)]);
    }

    #[test]
    fn points_that_make_no_curve_say_which_is_to_blame() {
        let secs = Nanos::from_secs;
        let cases = [
            (vec![], None, ShapeFault::Empty),
            (
                vec![at(5, 1.0), at(3, 1.0)],
                Some(1),
                ShapeFault::OutOfOrder { moment: secs(3), after: secs(5) },
            ),
            (vec![at(3, 1.0), at(5, 1.0), at(5, 2.0)], Some(2), ShapeFault::Overlapping { moment: secs(5) }),
            (vec![at(25, 1.0)], Some(0), ShapeFault::BeyondTheEnd { moment: secs(25), end: secs(24) }),
            (vec![at(5, -1.0)], Some(0), ShapeFault::BadLoad { field: "load", load: -1.0 }),
            (vec![at(5, 0.0), at(6, 0.0)], None, ShapeFault::NothingToSend),
        ];
        for (points, at, what) in cases {
            assert_eq!(day(&points), Err(ShapeError { at, what }), "{points:?}");
        }
        let no_time = Day { points: vec![at(0, 1.0)], lasts: Nanos::ZERO };
        let what = ShapeFault::NoLength { field: "lasts" };
        assert_eq!(no_time.stages(), Err(ShapeError { at: None, what }));
    }
}
