//! The paced tester: a closed loop that also aims at a rate. A user that had
//! to wait for its answer is late for its next turn, and the turns it missed
//! are never made up: what most load testers call a constant rate.

use crate::users::{Users, ready_again};
use crate::{Due, Share, Tester, UserLevels};
use model::{Nanos, Rate};

/// Users with a turn each every so often. A user's next request is due a turn
/// after her last one was, or when that one ended (and
/// [`FAILURE_PAUSE`](crate::FAILURE_PAUSE) later if it failed), whichever is
/// later. One who has left by then is due on her next beat after she comes.
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
    /// together: each has a turn every `users / rate`, evenly spread. No
    /// request is due at or after `until`.
    pub fn new(users: u32, rate: Rate, until: Nanos, share: Share) -> Paced {
        let turn = |nth: u32| Nanos::from_secs_f64(f64::from(nth) / rate.as_per_second());
        Paced::starting(UserLevels::level(users, until), turn(users), share, turn)
    }

    /// The tester of one `share` of the users of `levels`, each with a turn
    /// every `pace`. Each has a beat of her own, so that users who come
    /// together do not send in step. A request that is on its way when its user
    /// leaves is finished.
    pub fn over_time(levels: UserLevels, pace: Nanos, share: Share) -> Paced {
        Paced::starting(levels, pace, share, |user| phase(user, pace))
    }

    fn starting(levels: UserLevels, period: Nanos, share: Share, start: impl Fn(u32) -> Nanos) -> Paced {
        let last = vec![Nanos::ZERO; share.users_of(levels.most()).count()];
        let mut users = Users::new(levels, share);
        for user in users.own() {
            users.ready_at(user, start(user), |comes| beat(user, period, comes));
        }
        Paced { users, share, period, last }
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
        let moment = turn.max(ready_again(at, failed));
        self.users.ready_at(user, moment, |comes| beat(user, self.period, comes));
    }
}

/// Where in the period `user` has her beat: n golden sections round a circle.
/// However many users there are, this leaves no gap between two of them that is
/// more than 2.62 times another (the three-gap theorem).
fn phase(user: u32, period: Nanos) -> Nanos {
    // 2⁶⁴ ÷ 1.618…, so that the product's overflow is the circle.
    let part = u64::from(user).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    Nanos(((u128::from(part) * u128::from(period.0)) >> 64) as u64)
}

/// The first beat of `user` at `moment` or later.
fn beat(user: u32, period: Nanos, moment: Nanos) -> Nanos {
    let phase = phase(user, period);
    let beats = moment.saturating_sub(phase).0.div_ceil(period.0.max(1));
    Nanos(period.0.saturating_mul(beats)).saturating_add(phase)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FAILURE_PAUSE;
    use model::{Seed, Shape, ShapeKind, Stage, StageUnit};

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
    fn levels(stages: &[(u64, f64)]) -> UserLevels {
        let stage = |&(secs, users): &(u64, f64)| Stage::level(Nanos::from_secs(secs), users);
        let stages = stages.iter().map(stage).collect();
        let (kind, unit) = (ShapeKind::Stages, StageUnit::Users);
        UserLevels::of_shape(&Shape { kind, unit, pace: None, stages, replay: None }, Nanos::ZERO)
    }

    const PACE: Nanos = Nanos::from_secs(10);

    #[test]
    fn users_who_come_together_do_not_send_together_however_many_they_are() {
        for users in [2, 3, 5, 10, 64, 100, 1_000] {
            let mut phases: Vec<u64> = (0..users).map(|user| phase(user, PACE).0).collect();
            phases.sort_unstable();
            let around = phases[0] + PACE.0 - phases[phases.len() - 1];
            let gaps = phases.windows(2).map(|pair| pair[1] - pair[0]).chain([around]);
            let (least, most) = gaps.fold((u64::MAX, 0), |(low, high), gap| (low.min(gap), high.max(gap)));
            assert!(most as f64 <= 2.62 * least as f64, "{users} users: gaps from {least} to {most}");
        }
    }

    #[test]
    fn a_beat_is_the_first_at_a_moment_or_after_it() {
        let phase = phase(1, PACE);
        assert_eq!(phase, Nanos(6_180_339_887), "the golden section of ten seconds");
        let cases = [
            (Nanos::ZERO, phase),
            (phase, phase),
            (phase + Nanos(1), phase + PACE),
            (phase + PACE * 7, phase + PACE * 7),
            (phase + PACE * 7 + Nanos(1), phase + PACE * 8),
        ];
        for (moment, expected) in cases {
            assert_eq!(beat(1, PACE, moment), expected, "{moment:?}");
        }
        assert_eq!(beat(0, PACE, Nanos::MAX), Nanos::MAX, "beyond all time there is none");
    }

    #[test]
    fn a_user_who_comes_again_takes_up_her_own_beat() {
        // User 1 is there for 20 s, away for 23 s, and there again.
        let levels = levels(&[(20, 2.0), (23, 1.0), (27, 2.0)]);
        let mut own = Paced::over_time(levels, PACE, Share::new(Seed(1), 1, 2));
        let phase = phase(1, PACE);
        let mut taken = Vec::new();
        while let Some(due) = own.take() {
            assert_eq!(due.user, 1);
            taken.push(due.scheduled);
            // One slow answer moves the turns of her first visit.
            let took = if taken.len() == 1 { 11_000 } else { 5 };
            own.done(1, due.scheduled + Nanos::from_millis(took), false);
        }
        let late = phase + Nanos::from_secs(11);
        assert_eq!(taken, [phase, late, phase + PACE * 4, phase + PACE * 5, phase + PACE * 6]);
    }

    #[test]
    fn users_over_time_send_as_many_requests_as_users_and_pace_mean() {
        let mut tester = Paced::over_time(levels(&[(100, 30.0), (100, 300.0)]), PACE, Share::whole());
        let mut counts = [0; 20];
        while let Some(due) = tester.take() {
            counts[(due.scheduled.0 / PACE.0) as usize] += 1;
            tester.done(due.user, due.scheduled + Nanos(1), false);
        }
        assert_eq!(counts[..10], [30; 10], "each user once in each pace");
        assert_eq!(counts[10..], [300; 10]);
    }

    #[test]
    fn a_visit_between_two_beats_sends_nothing() {
        // User 1 has her beat at 6.18 s and is there from 1 to 6 s, and from 11 to 17 s.
        let levels = levels(&[(1, 1.0), (5, 2.0), (5, 1.0), (6, 2.0)]);
        let mut own = Paced::over_time(levels, PACE, Share::new(Seed(1), 1, 2));
        assert_eq!(own.take().map(|due| due.scheduled), Some(beat(1, PACE, Nanos::from_secs(11))));
        own.done(1, Nanos::from_secs(17), false);
        assert_eq!(own.due(), None);
    }
    #[test]
    fn without_a_pace_users_send_as_their_answers_come() {
        let mut own = Paced::over_time(levels(&[(1, 1.0), (9, 2.0)]), Nanos::ZERO, Share::new(Seed(1), 1, 2));
        assert_eq!(own.take(), due(1, 1, 1_000), "as she comes");
        own.done(1, Nanos::from_millis(1_007), false);
        assert_eq!(own.take(), due(3, 1, 1_007));
    }
}
