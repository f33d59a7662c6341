//! The open tester: arrivals on their own clock, whatever the service does.

use crate::{Arrival, Arrivals, Due, Share, Tester};
use model::Nanos;

/// Sends its share of the arrivals when they are due, answered or not.
#[derive(Clone, Debug)]
pub struct Open {
    arrivals: Arrivals,
    share: Share,
    next: Option<Arrival>,
}

impl Open {
    /// The tester of one `share` of the `arrivals`.
    pub fn new(arrivals: Arrivals, share: Share) -> Open {
        let mut open = Open { arrivals, share, next: None };
        open.next = open.next_own();
        open
    }

    fn next_own(&mut self) -> Option<Arrival> {
        self.arrivals.find(|arrival| self.share.has_arrival(arrival.index))
    }
}

impl Tester for Open {
    fn due(&mut self) -> Option<Nanos> {
        self.next.map(|arrival| arrival.scheduled)
    }

    fn take(&mut self) -> Option<Due> {
        let Arrival { index, scheduled } = self.next?;
        self.next = self.next_own();
        Some(Due { index, user: 0, scheduled })
    }

    /// Arrivals know nothing of answers.
    fn done(&mut self, _user: u32, _at: Nanos, _failed: bool) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Profile, Segment};
    use model::{ArrivalProcess, Seed};

    fn arrivals() -> Arrivals {
        let profile = Profile::new(&[Segment::level(100.0, Nanos::from_secs(1))]).expect("a good profile");
        Arrivals::new(profile, ArrivalProcess::Poisson, Seed(5))
    }

    fn taken(mut open: Open, mut after_each: impl FnMut(&mut Open, Due)) -> Vec<(u64, Nanos)> {
        let mut all = Vec::new();
        while let Some(announced) = open.due() {
            let due = open.take().expect("what was announced");
            assert_eq!((due.scheduled, due.user), (announced, 0));
            all.push((due.index, due.scheduled));
            after_each(&mut open, due);
        }
        assert_eq!(open.take(), None);
        all
    }

    #[test]
    fn an_open_tester_sends_the_same_whatever_the_service_does() {
        let plan: Vec<_> = arrivals().map(|arrival| (arrival.index, arrival.scheduled)).collect();
        let silent = taken(Open::new(arrivals(), Share::whole()), |_, _| {});
        let failing = taken(Open::new(arrivals(), Share::whole()), |open, due| {
            open.done(0, due.scheduled + Nanos::from_secs(9), true);
        });
        assert_eq!(silent, plan);
        assert_eq!(failing, plan);
    }

    #[test]
    fn open_testers_with_a_share_each_send_the_whole_plan_under_its_own_numbers() {
        let of = |part| taken(Open::new(arrivals(), Share::new(Seed(5), part, 3)), |_, _| {});
        let parts = [of(0), of(1), of(2)];
        assert!(parts.iter().all(|part| part.len() > 10), "each has some: {parts:?}");
        let mut all = parts.concat();
        all.sort();
        let plan: Vec<_> = arrivals().map(|arrival| (arrival.index, arrival.scheduled)).collect();
        assert_eq!(all, plan);
    }
}
