//! The paced tester: a closed loop that also aims at a rate. A user that had
//! to wait for its answer is late for its next turn, and the turns it missed
//! are never made up: what most load testers call a constant rate.

use crate::users::{Users, ready_again};
use crate::{Due, Share, Tester};
use model::{Nanos, Rate};

/// Users who share a rate. Each has a turn every `users / rate`, evenly spread;
/// its next request is due a turn after its last one was, or when that one
/// ended (and [`FAILURE_PAUSE`](crate::FAILURE_PAUSE) later if it failed),
/// whichever is later.
#[derive(Clone, Debug)]
pub struct Paced {
    users: Users,
    share: Share,
    period: Nanos,
    /// When each own user's last request was due.
    last: Vec<Nanos>,
}

impl Paced {
    /// The tester of one `share` of `users` users, who aim at `rate` all
    /// together. No request is due at or after `until`.
    pub fn new(users: u32, rate: Rate, until: Nanos, share: Share) -> Paced {
        let turn = |nth: u32| Nanos::from_secs_f64(f64::from(nth) / rate.as_per_second());
        Paced {
            users: Users::new(users, until, share, turn),
            share,
            period: turn(users),
            last: vec![Nanos::ZERO; share.users_of(users).count()],
        }
    }
}

impl Tester for Paced {
    fn due(&mut self) -> Option<Nanos> {
        self.users.due()
    }

    fn take(&mut self) -> Option<Due> {
        let due = self.users.take()?;
        self.last[self.share.place(due.user)] = due.scheduled;
        Some(due)
    }

    fn done(&mut self, user: u32, at: Nanos, failed: bool) {
        let turn = self.last[self.share.place(user)].saturating_add(self.period);
        self.users.ready_at(user, turn.max(ready_again(at, failed)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FAILURE_PAUSE;
    use model::Seed;

    const UNTIL: Nanos = Nanos::from_secs(10);

    /// 4 users at 100/s: a turn of 40 ms each, 10 ms apart.
    fn paced(share: Share) -> Paced {
        Paced::new(4, Rate::per_second(100.0).expect("above zero"), UNTIL, share)
    }

    fn due(index: u64, user: u32, millis: u64) -> Option<Due> {
        Some(Due { index, user, scheduled: Nanos::from_millis(millis) })
    }

    #[test]
    fn users_begin_one_after_the_other_and_keep_the_rate() {
        let mut tester = paced(Share::whole());
        for nth in 0..40 {
            let next = tester.take();
            assert_eq!(next, due(nth, nth as u32 % 4, nth * 10));
            tester.done(nth as u32 % 4, Nanos::from_millis(nth * 10 + 3), false);
        }
    }

    #[test]
    fn a_paced_user_does_not_catch_up() {
        // One user at 10/s, so a turn of 100 ms; one answer takes 250 ms.
        let mut tester = Paced::new(1, Rate::per_second(10.0).expect("above zero"), UNTIL, Share::whole());
        let answers = [
            // (due, done): the slow answer moves every later turn.
            (0, 5),
            (100, 350),
            (350, 351),
            (450, 550),
            (550, 651),
            (651, 652),
            (751, 752),
        ];
        for (nth, (scheduled, done)) in (0..).zip(answers) {
            assert_eq!(tester.take(), due(nth, 0, scheduled));
            assert_eq!(tester.due(), None, "the user waits for its answer");
            tester.done(0, Nanos::from_millis(done), false);
        }
    }

    #[test]
    fn a_user_pauses_after_a_failure_that_came_late_in_its_turn() {
        let turn = Nanos::from_millis(40);
        let late = turn - FAILURE_PAUSE;
        for (ended, next) in
            [(Nanos(1), turn), (late, turn), (late + Nanos(1), turn + Nanos(1)), (turn, turn + FAILURE_PAUSE)]
        {
            let mut tester = paced(Share::new(Seed(1), 0, 4));
            assert_eq!(tester.take(), due(0, 0, 0));
            tester.done(0, ended, true);
            assert_eq!(tester.due(), Some(next), "ended {ended:?}");
        }
    }

    #[test]
    fn nothing_is_due_from_the_end_on() {
        let rate = Rate::per_second(100.0).expect("above zero");
        for (until, next) in [(Nanos(40_000_001), Some(Nanos(40_000_000))), (Nanos(40_000_000), None)] {
            let mut tester = Paced::new(4, rate, until, Share::new(Seed(1), 0, 4));
            assert_eq!(tester.take(), due(0, 0, 0));
            tester.done(0, Nanos(1), false);
            assert_eq!(tester.due(), next, "until {until:?}");
        }
        // The second and later users would begin too late.
        let mut short = Paced::new(4, rate, Nanos::from_millis(10), Share::whole());
        assert_eq!([short.take(), short.take()], [due(0, 0, 0), None]);
    }

    #[test]
    fn each_part_keeps_its_users_turns() {
        let mut part = paced(Share::new(Seed(1), 1, 2));
        assert_eq!([part.take(), part.take(), part.take()], [due(1, 1, 10), due(3, 3, 30), None]);
        part.done(3, Nanos::from_millis(31), false);
        part.done(1, Nanos::from_millis(15), false);
        assert_eq!([part.take(), part.take()], [due(5, 1, 50), due(7, 3, 70)]);
    }
}
