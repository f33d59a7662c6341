//! Whether a run got through what it was asked for.

use crate::summary::KeptUp;
use model::{Load, Nanos};
use stats::{Backlog, KeepingUp};

/// A paced loop has reached its rate if this share of it is missing at most.
const REACHED: f64 = 0.005;

/// By the backlog in an open loop, by the rate reached in a paced one. A
/// closed loop asks for no rate, so there is none to keep up with.
pub(crate) fn kept_up(load: Load, backlog: &Backlog, length: Nanos, capacity_per_s: Option<f64>) -> KeptUp {
    match load {
        Load::Open { .. } => {
            let capacity = capacity_per_s.map(|capacity| capacity * length.as_secs_f64());
            let KeepingUp { kept_up, smallest_visible } = backlog.judge(capacity);
            KeptUp { kept_up, smallest_visible }
        }
        Load::Paced { rate, .. } => reached(backlog.completed(), rate.as_per_second() * length.as_secs_f64()),
        Load::Closed { .. } => KeptUp { kept_up: None, smallest_visible: 1.0 },
    }
}

/// By so many completions of so many planned.
pub(crate) fn reached(completed: u64, planned: f64) -> KeptUp {
    if planned < 1.0 {
        return KeptUp { kept_up: None, smallest_visible: 1.0 };
    }
    let chance = 3.0 * planned.sqrt();
    let kept_up = match planned - completed as f64 {
        missing if missing > chance => Some(false),
        missing if missing <= REACHED * planned => Some(true),
        _ => None,
    };
    KeptUp { kept_up, smallest_visible: (chance / planned).min(1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paced_loop_keeps_up_if_it_reached_its_rate() {
        // 3 / sqrt(10,000) = 3 %.
        let cases =
            [(10_000, Some(true)), (9_950, Some(true)), (9_949, None), (9_700, None), (9_699, Some(false))];
        for (completed, kept_up) in cases {
            assert_eq!(reached(completed, 10_000.0).kept_up, kept_up, "{completed}");
        }
        assert_eq!(reached(0, 0.0), KeptUp { kept_up: None, smallest_visible: 1.0 });
    }

    #[test]
    fn a_closed_loop_has_no_rate_to_keep_up_with() {
        let kept_up = kept_up(Load::Closed { connections: 1 }, &Backlog::new(0, 9), Nanos(9), None);
        assert_eq!(kept_up, KeptUp { kept_up: None, smallest_visible: 1.0 });
    }
}
