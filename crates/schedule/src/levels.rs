//! Users over time: who is there when.
//!
//! User n, from 0, is there while the level is above n. So those who came last
//! leave first, a level of 2.5 holds three users, and on a slope each has a
//! moment of her own at which she comes or leaves: where the level crosses n,
//! to the nanosecond.

use model::{Nanos, Shape, Stage};

/// How many users there are over time, from 0 to [`end`](UserLevels::end).
#[derive(Clone, Debug, PartialEq)]
pub struct UserLevels {
    pieces: Vec<Piece>,
    most: u32,
    end: Nanos,
}

impl UserLevels {
    /// The users of a `shape` whose stages count users. During the `warm_up`
    /// before it there are as many as at its beginning.
    pub fn of_shape(shape: &Shape, warm_up: Nanos) -> UserLevels {
        let first = shape.stages.first().map_or(0.0, |stage| stage.from);
        UserLevels::new([Stage::level(warm_up, first)].iter().chain(&shape.stages))
    }

    /// As many users throughout.
    pub(crate) fn level(users: u32, until: Nanos) -> UserLevels {
        UserLevels::new(&[Stage::level(until, f64::from(users))])
    }

    fn new<'a>(stages: impl IntoIterator<Item = &'a Stage>) -> UserLevels {
        let mut levels = UserLevels { pieces: Vec::new(), most: 0, end: Nanos::ZERO };
        for stage in stages {
            let &Stage { length, from, to } = stage;
            levels.most = levels.most.max(from.max(to).ceil() as u32);
            if length > Nanos::ZERO {
                let began = levels.end;
                levels.end = began.saturating_add(length);
                levels.pieces.push(Piece { began, length, from, to });
            }
        }
        levels
    }

    /// The most users at once.
    pub fn most(&self) -> u32 {
        self.most
    }

    /// The first moment at which nobody is there any more.
    pub fn end(&self) -> Nanos {
        self.end
    }

    /// The first moment, at `moment` or later, at which `user` is there.
    pub fn there_from(&self, user: u32, moment: Nanos) -> Option<Nanos> {
        let at = self.pieces.partition_point(|piece| piece.ended() <= moment);
        let comes = |piece: &Piece| {
            let (came, left) = piece.presence(f64::from(user));
            let there = came.max(moment);
            (there < left).then_some(there)
        };
        self.pieces[at..].iter().find_map(comes)
    }
}

/// A stage in its place.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Piece {
    began: Nanos,
    length: Nanos,
    from: f64,
    to: f64,
}

impl Piece {
    fn ended(&self) -> Nanos {
        self.began.saturating_add(self.length)
    }

    /// From when to when the level lies above `nth` here. Both are the same
    /// where it never does.
    fn presence(&self, nth: f64) -> (Nanos, Nanos) {
        match (self.from > nth, self.to > nth) {
            (true, true) => (self.began, self.ended()),
            (false, true) => (self.crossing(nth), self.ended()),
            (true, false) => (self.began, self.crossing(nth)),
            (false, false) => (self.began, self.began),
        }
    }

    /// When the level is `nth`, which lies between its two ends. Multiplied
    /// before it is divided, because then round numbers stay exact.
    fn crossing(&self, nth: f64) -> Nanos {
        let nanos = self.length.0 as f64 * (nth - self.from) / (self.to - self.from);
        self.began.saturating_add(Nanos(nanos.round() as u64).min(self.length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{ShapeKind, StageUnit};
    use proptest::prelude::*;

    const fn stage(secs: u64, from: f64, to: f64) -> Stage {
        Stage { length: Nanos::from_secs(secs), from, to }
    }

    fn levels(stages: &[Stage], warm_up_secs: u64) -> UserLevels {
        let shape = Shape {
            kind: ShapeKind::Stages,
            unit: StageUnit::Users,
            pace: None,
            stages: stages.to_vec(),
            replay: None,
        };
        UserLevels::of_shape(&shape, Nanos::from_secs(warm_up_secs))
    }

    /// From when to when a user is there, in milliseconds, found as a tester does.
    fn visits(levels: &UserLevels, user: u32) -> Vec<(u64, u64)> {
        let millis = |moment: Nanos| {
            assert_eq!(moment.0 % 1_000_000, 0, "{moment:?} is no whole millisecond");
            moment.0 / 1_000_000
        };
        let mut all = Vec::new();
        let mut moment = Nanos::ZERO;
        while let Some(came) = levels.there_from(user, moment) {
            // The last nanosecond of the visit, by halving over all that may end it.
            let ends = |piece: &Piece| [piece.ended(), piece.presence(f64::from(user)).1];
            let mut candidates: Vec<Nanos> = levels.pieces.iter().flat_map(ends).collect();
            candidates.sort();
            let left = candidates
                .into_iter()
                .find(|left| *left > came && levels.there_from(user, *left) != Some(*left))
                .expect("every visit ends");
            assert_eq!(levels.there_from(user, left - Nanos(1)), Some(left - Nanos(1)));
            all.push((millis(came), millis(left)));
            moment = left;
        }
        all
    }

    #[test]
    fn the_last_to_come_is_the_first_to_leave() {
        let steps = levels(&[stage(10, 1.0, 1.0), stage(10, 3.0, 3.0), stage(10, 2.0, 2.0)], 0);
        assert_eq!((steps.most(), steps.end()), (3, Nanos::from_secs(30)));
        assert_eq!(visits(&steps, 0), [(0, 30_000)]);
        assert_eq!(visits(&steps, 1), [(10_000, 30_000)]);
        assert_eq!(visits(&steps, 2), [(10_000, 20_000)]);
        assert_eq!(visits(&steps, 3), []);
    }

    #[test]
    fn on_a_slope_each_comes_and_leaves_where_the_level_crosses_her_number() {
        let there_and_back = levels(&[stage(10, 0.0, 4.0), stage(6, 4.0, 4.0), stage(2, 4.0, 0.0)], 0);
        for (user, visit) in
            [(0, (0, 18_000)), (1, (2_500, 17_500)), (2, (5_000, 17_000)), (3, (7_500, 16_500))]
        {
            assert_eq!(visits(&there_and_back, user), [visit], "user {user}");
        }
        assert_eq!(visits(&there_and_back, 4), [], "the level is never above 4");
        let peak = levels(&[stage(10, 0.0, 1.0), stage(10, 1.0, 0.0)], 0);
        assert_eq!((peak.most(), visits(&peak, 1)), (1, vec![]), "touching 1 is not being above it");
    }

    #[test]
    fn part_of_a_user_is_one_more() {
        let half = levels(&[stage(10, 2.5, 2.5), stage(10, 0.0, 0.0), stage(10, 0.1, 0.1)], 0);
        assert_eq!(half.most(), 3);
        assert_eq!(visits(&half, 0), [(0, 10_000), (20_000, 30_000)]);
        assert_eq!(visits(&half, 2), [(0, 10_000)]);
    }

    #[test]
    fn during_the_warm_up_there_are_as_many_as_at_the_beginning() {
        let warm = levels(&[stage(10, 2.0, 1.0)], 5);
        assert_eq!(warm.end(), Nanos::from_secs(15));
        assert_eq!((visits(&warm, 0), visits(&warm, 1)), (vec![(0, 15_000)], vec![(0, 15_000)]));
        let from_nobody = levels(&[stage(10, 0.0, 1.0)], 5);
        assert_eq!(visits(&from_nobody, 0), [(5_000, 15_000)]);
    }

    #[test]
    fn nobody_is_there_without_time_or_users() {
        for none in [UserLevels::level(3, Nanos::ZERO), UserLevels::level(0, Nanos(9))] {
            assert_eq!(none.there_from(0, Nanos::ZERO), None);
        }
        assert_eq!(UserLevels::level(1, Nanos(9)).there_from(0, Nanos(8)), Some(Nanos(8)));
        assert_eq!(UserLevels::level(1, Nanos(9)).there_from(0, Nanos(9)), None);
    }

    proptest! {
        #[test]
        fn away_from_a_crossing_a_user_is_there_just_while_the_level_is_above_her_number(
            parts in prop::collection::vec((1_u64..1_000_000_000, 0.0..20.0_f64, 0.0..20.0_f64), 1..6),
            user in 0_u32..20,
            at in 0.0..1.0_f64,
        ) {
            let stages: Vec<Stage> =
                parts.iter().map(|&(length, from, to)| Stage { length: Nanos(length), from, to }).collect();
            let levels = levels(&stages, 0);
            let moment = Nanos((levels.end().0 as f64 * at) as u64);
            let piece = levels.pieces.iter().find(|piece| moment < piece.ended()).expect("before the end");
            let part = (moment - piece.began).0 as f64 / piece.length.0 as f64;
            let level = piece.from + (piece.to - piece.from) * part;
            // Rounded to the nanosecond, a crossing may lie half of one away.
            let step = (piece.to - piece.from).abs() / piece.length.0 as f64;
            prop_assume!((level - f64::from(user)).abs() > step);
            prop_assert_eq!(levels.there_from(user, moment) == Some(moment), level > f64::from(user));
        }
    }
}
