//! What a tester is: the answer to one question.

use model::Nanos;

/// A request that has become due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    /// Its number in the run's schedule, from 0.
    pub index: u64,
    /// The user that sends it; 0 in the open model.
    pub user: u32,
    /// When it was meant to be sent.
    pub scheduled: Nanos,
}

/// Open, paced and closed testers differ in this alone: what is due next,
/// given what has completed? The engine does the rest the same for all.
///
/// Moments handed out by [`take`](Tester::take) never go backwards.
pub trait Tester {
    /// When the next request is due; `None` while every user waits for an
    /// answer, and when nothing more will come.
    fn due(&mut self) -> Option<Nanos>;

    /// Takes the request that [`due`](Tester::due) announced.
    fn take(&mut self) -> Option<Due>;

    /// A request of `user` ended at `at`; `failed` unless it was answered.
    fn done(&mut self, user: u32, at: Nanos, failed: bool);
}
