//! Whether completions keep up with arrivals.
//!
//! The signal is the backlog, arrivals less completions, and of each block of
//! time its minimum: a queue that empties now and then has kept up however
//! long it was in between, and one whose floor rises has not.

use crate::series::{mann_kendall_z, median, theil_sen_slope};

/// Blocks over the window.
pub(crate) const BLOCKS: usize = 20;
/// Bins of a block, at whose edges the backlog is looked at.
const BINS: usize = 2048;
/// A rising floor is one that chance gives in 1 % of level series.
const RISING_Z: f64 = 2.33;
/// A rise over the whole window that is worth saying: half a percent of what was offered.
const RISING_SHARE: f64 = 0.005;
/// With fewer arrivals than this, three standard deviations are a third of all.
const FEWEST: u64 = 100;

/// Arrivals and completions over a window of time, in fine bins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backlog {
    began: u64,
    ended: u64,
    /// Net change of the backlog in each bin.
    net: Vec<i64>,
    /// The backlog at the window's beginning.
    at_start: i64,
    arrived: u64,
    completed: u64,
}

/// What a backlog says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeepingUp {
    /// Kept up, fell behind, or cannot tell.
    pub kept_up: Option<bool>,
    /// The smallest shortfall, as a share of the rate, that could have been seen.
    pub smallest_visible: f64,
}

impl Backlog {
    /// Nothing yet, over the window from `began` up to `ended`.
    pub fn new(began: u64, ended: u64) -> Backlog {
        let net = vec![0; BLOCKS * BINS];
        Backlog { began, ended, net, at_start: 0, arrived: 0, completed: 0 }
    }

    /// Something arrived. What arrived before the window belongs here too: it
    /// may be completed inside.
    pub fn arrive(&mut self, at: u64) {
        if self.began <= at && at < self.ended {
            self.arrived += 1;
        }
        self.change(at, 1);
    }

    /// Something that had arrived was completed.
    pub fn complete(&mut self, at: u64) {
        if self.began <= at && at < self.ended {
            self.completed += 1;
        }
        self.change(at, -1);
    }

    /// Arrivals inside the window.
    pub fn arrived(&self) -> u64 {
        self.arrived
    }

    /// Completions inside the window.
    pub fn completed(&self) -> u64 {
        self.completed
    }

    /// The verdict. `capacity` is what could have been completed over the
    /// window, where that is known; else what was completed stands for it.
    pub fn judge(&self, capacity: Option<f64>) -> KeepingUp {
        let smallest_visible = smallest_visible_shortfall(capacity.unwrap_or(self.completed as f64));
        KeepingUp { kept_up: of_floors(&self.floors(), self.arrived), smallest_visible }
    }

    /// The smallest backlog in each block.
    fn floors(&self) -> Vec<f64> {
        let mut backlog = self.at_start;
        let mut floor_of = |block: &[i64]| {
            let mut floor = i64::MAX;
            for net in block {
                backlog += net;
                floor = floor.min(backlog);
            }
            floor as f64
        };
        self.net.chunks(BINS).map(&mut floor_of).collect()
    }

    fn change(&mut self, at: u64, by: i64) {
        if at < self.began {
            self.at_start += by;
        } else if at < self.ended {
            let share = u128::from(at - self.began) * self.net.len() as u128;
            self.net[(share / u128::from(self.ended - self.began)) as usize] += by;
        }
    }
}

/// The verdict by the smallest backlog of each of [`BLOCKS`] blocks, over which
/// so many arrived: kept up, fell behind, or cannot tell.
pub(crate) fn of_floors(floors: &[f64], arrived: u64) -> Option<bool> {
    if arrived < FEWEST {
        return None;
    }
    match (fell_behind(floors, arrived as f64), came_back(floors)) {
        (true, _) => Some(false),
        (false, true) => Some(true),
        (false, false) => None,
    }
}

fn fell_behind(floors: &[f64], offered: f64) -> bool {
    let rises = mann_kendall_z(floors).is_some_and(|z| z > RISING_Z);
    let rise = theil_sen_slope(floors).unwrap_or(0.0) * BLOCKS as f64;
    // The shortfall is taken between floors: the backlog of the very last
    // moment may be that of a pause which happens to be open just then.
    let shortfall = floors[BLOCKS - 1] - floors[0];
    (rises && rise > RISING_SHARE * offered) || shortfall > 3.0 * offered.sqrt()
}

/// The floor of the last third of blocks is no higher than the first third's usual one.
fn came_back(floors: &[f64]) -> bool {
    let third = floors.len() / 3;
    let last = floors[floors.len() - third..].iter().copied().reduce(f64::min);
    last <= median(&floors[..third]) && last.is_some()
}

/// The smallest shortfall, as a share of the rate, that shows against chance
/// when this many could be completed: sqrt(18/n), and never more than all.
pub fn smallest_visible_shortfall(completions: f64) -> f64 {
    if completions > 18.0 { (18.0 / completions).sqrt() } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    /// 1,000 arrivals a second over `seconds`, completed at a given rate or
    /// `delay` after they arrive, whichever is later.
    fn run(seconds: u64, completions_per_s: u64, delay: u64) -> Backlog {
        let mut backlog = Backlog::new(SECOND, seconds * SECOND);
        for at in 0..seconds * 1000 {
            let arrived = at * SECOND / 1000;
            backlog.arrive(arrived);
            backlog.complete((arrived + delay).max(at * SECOND / completions_per_s));
        }
        backlog
    }

    #[test]
    fn prompt_completions_keep_up_and_slow_ones_fall_behind() {
        assert_eq!(run(60, 2000, 100_000).judge(None).kept_up, Some(true));
        assert_eq!(run(60, 950, 100_000).judge(None).kept_up, Some(false));
    }

    #[test]
    fn a_constant_delay_is_no_shortfall() {
        let mut late = Backlog::new(10 * SECOND, 60 * SECOND);
        for at in 0..60_000 {
            late.arrive(at * SECOND / 1000);
            late.complete(at * SECOND / 1000 + 3 * SECOND);
        }
        assert_eq!(late.judge(None).kept_up, Some(true));
    }

    #[test]
    fn a_pause_that_is_open_at_the_end_is_no_shortfall() {
        let mut backlog = Backlog::new(0, 60 * SECOND);
        for at in 0..60_000u64 {
            backlog.arrive(at * SECOND / 1000);
            if at < 59_000 {
                backlog.complete(at * SECOND / 1000 + 1_000);
            }
        }
        assert_eq!(backlog.judge(None).kept_up, Some(true));
    }

    #[test]
    fn too_few_arrivals_tell_nothing() {
        let mut backlog = Backlog::new(0, SECOND);
        for at in 0..99 {
            backlog.arrive(at);
            backlog.complete(at + 1);
        }
        assert_eq!(backlog.judge(None).kept_up, None);
        backlog.arrive(100);
        backlog.complete(101);
        assert_eq!(backlog.judge(None).kept_up, Some(true));
        assert_eq!(Backlog::new(5, 5).judge(None), KeepingUp { kept_up: None, smallest_visible: 1.0 });
    }

    #[test]
    fn the_smallest_visible_shortfall_is_that_of_the_table() {
        for (seconds, percent) in [(60.0, 1.73), (20.0, 3.0), (600.0, 0.548)] {
            let found = smallest_visible_shortfall(1000.0 * seconds) * 100.0;
            assert!((found - percent).abs() < 0.01, "{found} % at {seconds} s");
        }
        assert_eq!(smallest_visible_shortfall(0.0), 1.0);
    }
}
