//! What closed and paced testers have in common: users who each wait for the
//! answer before they send again.

use crate::{Due, Share};
use model::Nanos;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// How long a user waits after a request that failed. A service that refuses
/// connections answers at once; without a pause each user would turn into a
/// busy loop against it, and its port range would be gone within seconds.
pub const FAILURE_PAUSE: Nanos = Nanos::from_millis(10);

/// The users of one share that are not waiting for an answer, by when their
/// next request is due. Holds at most one entry a user, so it never grows.
#[derive(Clone, Debug)]
pub(crate) struct Users {
    ready: BinaryHeap<Reverse<(Nanos, u32)>>,
    share: Share,
    /// Nothing is due from here on.
    until: Nanos,
    taken: u64,
    last: Nanos,
}

impl Users {
    /// The `share` of `users` users, each due first at its moment of `starts`.
    pub(crate) fn new(users: u32, until: Nanos, share: Share, starts: impl Fn(u32) -> Nanos) -> Users {
        let own = share.users_of(users);
        let ready = BinaryHeap::with_capacity(share.users_of(users).count());
        let mut all = Users { ready, share, until, taken: 0, last: Nanos::ZERO };
        for user in own {
            all.ready_at(user, starts(user));
        }
        all
    }

    /// `user`'s next request is due at `moment`, unless all is over by then.
    ///
    /// An answer may be stamped before the request that another user took in
    /// the meantime. Handed out moments never go back, so it is moved up to
    /// that one: by less than one turn of the event loop.
    pub(crate) fn ready_at(&mut self, user: u32, moment: Nanos) {
        let moment = moment.max(self.last);
        if moment < self.until {
            self.ready.push(Reverse((moment, user)));
        }
    }

    pub(crate) fn due(&self) -> Option<Nanos> {
        self.ready.peek().map(|Reverse((moment, _))| *moment)
    }

    pub(crate) fn take(&mut self) -> Option<Due> {
        let Reverse((scheduled, user)) = self.ready.pop()?;
        let index = self.share.number(self.taken);
        self.taken += 1;
        self.last = scheduled;
        Some(Due { index, user, scheduled })
    }
}

/// When a user whose request ended `at` may send again.
pub(crate) fn ready_again(at: Nanos, failed: bool) -> Nanos {
    if failed { at.saturating_add(FAILURE_PAUSE) } else { at }
}
