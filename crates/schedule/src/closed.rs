//! The closed tester: each user sends again as soon as its answer is there.
//! While the service stands still, so does the tester.

use crate::users::{Users, ready_again};
use crate::{Due, Share, Tester, UserLevels};
use model::Nanos;

/// Users in a closed loop. Each is due as soon as she is there; then when her
/// last request ended, or [`FAILURE_PAUSE`](crate::FAILURE_PAUSE) later if that
/// failed. One who has left by then is due when she is there again.
#[derive(Clone, Debug)]
pub struct Closed {
    users: Users,
}

impl Closed {
    /// The tester of one `share` of `users` users. No request is due at or
    /// after `until`.
    pub fn new(users: u32, until: Nanos, share: Share) -> Closed {
        Closed::over_time(UserLevels::level(users, until), share)
    }

    /// The tester of one `share` of the users of `levels`. A request that is on
    /// its way when its user leaves is finished.
    pub fn over_time(levels: UserLevels, share: Share) -> Closed {
        let mut users = Users::new(levels, share);
        for user in users.own() {
            users.ready_at(user, Nanos::ZERO, at_once);
        }
        Closed { users }
    }
}

impl Tester for Closed {
    fn due(&mut self) -> Option<Nanos> {
        self.users.due()
    }

    fn take(&mut self) -> Option<Due> {
        self.users.take()
    }

    fn done(&mut self, user: u32, at: Nanos, failed: bool) {
        self.users.ready_at(user, ready_again(at, failed), at_once);
    }
}

/// When a user is due who comes at this moment.
fn at_once(comes: Nanos) -> Nanos {
    comes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FAILURE_PAUSE;
    use model::{Seed, Shape, ShapeKind, Stage, StageUnit};

    const UNTIL: Nanos = Nanos(1_000_000_000);

    fn due(index: u64, user: u32, scheduled: u64) -> Option<Due> {
        Some(Due { index, user, scheduled: Nanos(scheduled) })
    }

    #[test]
    fn a_closed_tester_waits_for_its_answer() {
        let mut closed = Closed::new(2, UNTIL, Share::whole());
        assert_eq!([closed.take(), closed.take()], [due(0, 0, 0), due(1, 1, 0)]);
        assert_eq!((closed.due(), closed.take()), (None, None), "both users wait");
        closed.done(1, Nanos(700), false);
        assert_eq!(closed.due(), Some(Nanos(700)));
        assert_eq!(closed.due(), Some(Nanos(700)), "asking takes nothing");
        assert_eq!(closed.take(), due(2, 1, 700));
        assert_eq!(closed.take(), None);
    }

    #[test]
    fn answers_are_followed_up_in_the_order_they_came() {
        let mut closed = Closed::new(3, UNTIL, Share::whole());
        (0..3).for_each(|_| assert!(closed.take().is_some()));
        for (user, at) in [(2, 30), (0, 10), (1, 20)] {
            closed.done(user, Nanos(at), false);
        }
        assert_eq!(
            [closed.take(), closed.take(), closed.take()],
            [due(3, 0, 10), due(4, 1, 20), due(5, 2, 30)]
        );
    }

    #[test]
    fn an_answer_stamped_before_a_later_take_does_not_turn_time_back() {
        let mut closed = Closed::new(2, UNTIL, Share::whole());
        (0..2).for_each(|_| assert!(closed.take().is_some()));
        closed.done(0, Nanos(50), false);
        assert_eq!(closed.take(), due(2, 0, 50));
        closed.done(1, Nanos(49), false);
        assert_eq!(closed.take(), due(3, 1, 50));
    }

    #[test]
    fn a_user_pauses_after_a_failure() {
        let mut closed = Closed::new(1, UNTIL, Share::whole());
        assert!(closed.take().is_some());
        closed.done(0, Nanos(5), true);
        assert_eq!(closed.due(), Some(FAILURE_PAUSE + Nanos(5)));
    }

    #[test]
    fn nothing_is_due_from_the_end_on() {
        let cases = [
            // (ended, failed, due next)
            (UNTIL.0 - 1, false, Some(UNTIL.0 - 1)),
            (UNTIL.0, false, None),
            (UNTIL.0 - FAILURE_PAUSE.0 - 1, true, Some(UNTIL.0 - 1)),
            (UNTIL.0 - FAILURE_PAUSE.0, true, None),
            (UNTIL.0 + 1, false, None),
        ];
        for (ended, failed, next) in cases {
            let mut closed = Closed::new(1, UNTIL, Share::whole());
            assert!(closed.take().is_some());
            closed.done(0, Nanos(ended), failed);
            assert_eq!(closed.due(), next.map(Nanos), "ended {ended}, failed {failed}");
        }
        assert_eq!(Closed::new(1, Nanos::ZERO, Share::whole()).due(), None);
    }

    #[test]
    fn each_part_has_its_own_users_and_numbers() {
        let mut part = Closed::new(5, UNTIL, Share::new(Seed(1), 1, 2));
        assert_eq!([part.take(), part.take(), part.take()], [due(1, 1, 0), due(3, 3, 0), None]);
        part.done(3, Nanos(9), false);
        assert_eq!(part.take(), due(5, 3, 9));
    }
    /// Two users for 10 s, none for 10 s, one for 10 s.
    fn there_and_back() -> UserLevels {
        let stage = |users| Stage::level(Nanos::from_secs(10), users);
        let stages = vec![stage(2.0), stage(0.0), stage(1.0)];
        let (kind, unit) = (ShapeKind::Stages, StageUnit::Users);
        UserLevels::of_shape(&Shape { kind, unit, pace: None, stages, replay: None }, Nanos::ZERO)
    }

    const SECOND: u64 = 1_000_000_000;

    #[test]
    fn a_user_whose_answer_comes_after_she_left_is_due_when_she_is_there_again() {
        let ended = [
            // (ended, failed, due next)
            (10 * SECOND - 1, false, Some(10 * SECOND - 1)),
            (10 * SECOND, false, Some(20 * SECOND)),
            (10 * SECOND - 1, true, Some(20 * SECOND)),
            (15 * SECOND, false, Some(20 * SECOND)),
            (20 * SECOND - 1, true, Some(20 * SECOND - 1 + FAILURE_PAUSE.0)),
            (30 * SECOND - 1, false, Some(30 * SECOND - 1)),
            (30 * SECOND, false, None),
        ];
        for (ended, failed, next) in ended {
            let mut closed = Closed::over_time(there_and_back(), Share::whole());
            assert_eq!(closed.take(), due(0, 0, 0));
            assert_eq!(closed.take(), due(1, 1, 0));
            closed.done(0, Nanos(ended), failed);
            assert_eq!(closed.due(), next.map(Nanos), "ended {ended}, failed {failed}");
        }
    }

    #[test]
    fn a_user_who_does_not_come_back_is_not_due_again() {
        let mut closed = Closed::over_time(there_and_back(), Share::whole());
        (0..2).for_each(|_| assert!(closed.take().is_some()));
        closed.done(1, Nanos(10 * SECOND), false);
        assert_eq!(closed.due(), None);
    }

    #[test]
    fn users_are_due_as_they_come() {
        let slope = Stage { length: Nanos::from_secs(10), from: 0.0, to: 4.0 };
        let (kind, unit) = (ShapeKind::RampUp, StageUnit::Users);
        let shape = Shape { kind, unit, pace: None, stages: vec![slope], replay: None };
        let levels = UserLevels::of_shape(&shape, Nanos::from_secs(5));
        let mut closed = Closed::over_time(levels, Share::whole());
        for (user, secs) in [(0, 5.0), (1, 7.5), (2, 10.0), (3, 12.5)] {
            assert_eq!(closed.take(), due(u64::from(user), user, (secs * 1e9) as u64));
        }
        assert_eq!(closed.take(), None);
    }
}
