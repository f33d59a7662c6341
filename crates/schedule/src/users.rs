//! What closed and paced testers have in common: users who each wait for the
//! answer before they send again.

use crate::{Due, Share, UserLevels};
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
    /// Who is there when. Nothing is due of a user who is not.
    levels: UserLevels,
    taken: u64,
    last: Nanos,
}

impl Users {
    /// The `share` of the users of `levels`, all of them yet without a moment
    /// at which they are due: see [`ready_at`](Users::ready_at).
    pub(crate) fn new(levels: UserLevels, share: Share) -> Users {
        let ready = BinaryHeap::with_capacity(share.users_of(levels.most()).count());
        Users { ready, share, levels, taken: 0, last: Nanos::ZERO }
    }

    /// Which users these are.
    pub(crate) fn own(&self) -> impl Iterator<Item = u32> + use<> {
        self.share.users_of(self.levels.most())
    }

    /// `user`'s next request is due at `moment`. If she is not there by then,
    /// it is due when `after_coming` says, given when she is next; and never,
    /// if she is not there again.
    ///
    /// An answer may be stamped before the request that another user took in
    /// the meantime. Handed out moments never go back, so it is moved up to
    /// that one: by less than one turn of the event loop.
    pub(crate) fn ready_at(&mut self, user: u32, moment: Nanos, after_coming: impl Fn(Nanos) -> Nanos) {
        let mut due = moment.max(self.last);
        while let Some(there) = self.levels.there_from(user, due) {
            if there == due {
                self.ready.push(Reverse((due, user)));
                return;
            }
            due = after_coming(there).max(there);
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
