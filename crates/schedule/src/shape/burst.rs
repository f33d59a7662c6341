//! A level, a higher one, the first again: what do users see, and how long
//! does the service take to recover?

use super::{ShapeError, ShapeFault, good_length, good_load, whole};
use model::{Nanos, Stage};

/// Three levels, the middle one higher.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Burst {
    /// The load before and after.
    pub base: f64,
    /// The load of the burst; above `base`.
    pub peak: f64,
    /// How long the base lasts before the burst.
    pub before: Nanos,
    /// How long the burst lasts.
    pub lasts: Nanos,
    /// How long the base lasts afterwards.
    pub after: Nanos,
}

impl Burst {
    /// Three stages.
    pub fn stages(&self) -> Result<Vec<Stage>, ShapeError> {
        self.levels().map_err(ShapeFault::of_all).and_then(whole)
    }

    fn levels(&self) -> Result<Vec<Stage>, ShapeFault> {
        let (base, peak) = (good_load("base", self.base)?, good_load("peak", self.peak)?);
        if peak <= base {
            return Err(ShapeFault::NotHigher { load: peak, than: base });
        }
        Ok(vec![
            Stage::level(good_length("before", self.before)?, base),
            Stage::level(good_length("lasts", self.lasts)?, peak),
            Stage::level(good_length("after", self.after)?, base),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BURST: Burst = Burst {
        base: 0.2,
        peak: 2.0,
        before: Nanos::from_secs(20),
        lasts: Nanos::from_secs(15),
        after: Nanos::from_secs(45),
    };

    #[test]
    fn a_burst_is_three_levels() {
        let level = |secs, load| Stage::level(Nanos::from_secs(secs), load);
        assert_eq!(BURST.stages(), Ok(vec![level(20, 0.2), level(15, 2.0), level(45, 0.2)]));
    }

    #[test]
    fn a_burst_may_rise_from_nothing() {
        let stages = Burst { base: 0.0, ..BURST }.stages().expect("a burst");
        assert_eq!((stages[0].from, stages[1].from, stages[2].from), (0.0, 2.0, 0.0));
    }

    #[test]
    fn what_makes_no_burst_says_why() {
        let none = Nanos::ZERO;
        let cases = [
            (Burst { peak: 0.2, ..BURST }, ShapeFault::NotHigher { load: 0.2, than: 0.2 }),
            (Burst { peak: 0.1, ..BURST }, ShapeFault::NotHigher { load: 0.1, than: 0.2 }),
            (Burst { base: -1.0, ..BURST }, ShapeFault::BadLoad { field: "base", load: -1.0 }),
            (Burst { before: none, ..BURST }, ShapeFault::NoLength { field: "before" }),
            (Burst { lasts: none, ..BURST }, ShapeFault::NoLength { field: "lasts" }),
            (Burst { after: none, ..BURST }, ShapeFault::NoLength { field: "after" }),
            (Burst { after: Nanos::MAX, ..BURST }, ShapeFault::TooLong),
        ];
        for (burst, what) in cases {
            assert_eq!(burst.stages(), Err(ShapeError { at: None, what }), "{burst:?}");
        }
    }
}
