//! How many connections a run may have on this machine.

use crate::machine;
use model::{Load, Nanos, Rate};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use thiserror::Error;

/// Descriptors that are not connections: standard streams, epoll, results,
/// the service's pipes, the control connection.
const KEPT_BACK: u64 = 64;

/// A run must be able to carry a service that stands still for this long.
const STALL_TO_CARRY: Nanos = Nanos::from_secs(1);

/// Why a load cannot be sent from this machine.
#[derive(Debug, Error, PartialEq)]
pub enum LimitError {
    /// The rate needs more connections than there can be descriptors.
    #[error(
        "{rate} needs up to {needed} connections when the service stands still for 1 s, and this machine allows {allowed}"
    )]
    RateAboveDescriptors {
        /// The rate asked for.
        rate: Rate,
        /// Connections that it needs.
        needed: u64,
        /// Connections that there can be.
        allowed: u64,
    },
    /// More connections are asked for than there can be descriptors.
    #[error("{asked} connections are asked for, and this machine allows {allowed}")]
    ConnectionsAboveDescriptors {
        /// Connections asked for.
        asked: u64,
        /// Connections that there can be.
        allowed: u64,
    },
}

/// Raises the number of open files allowed to the hard limit; best effort, as
/// [`connections_for`] works with whatever there is.
pub fn raise_descriptors() {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
}

/// Connections that a run may have: those asked for, or enough for the load
/// with this time limit, as far as descriptors and ports reach.
pub fn connections_for(load: Load, timeout: Nanos, asked: Option<u32>) -> Result<u32, LimitError> {
    let descriptors = machine::descriptors().map_or(1_024, |(soft, _)| soft);
    let ports = machine::port_range().map_or(28_000, |(first, last)| u64::from(last.saturating_sub(first)));
    within(load, timeout, asked, descriptors.saturating_sub(KEPT_BACK), ports)
}

fn within(
    load: Load,
    timeout: Nanos,
    asked: Option<u32>,
    descriptors: u64,
    ports: u64,
) -> Result<u32, LimitError> {
    let allowed = descriptors.min(u64::from(u32::MAX));
    if let Some(asked) = asked.or(load.users()).map(u64::from) {
        // A limit that is asked for is kept to: above it requests wait, seen as lateness.
        return if asked <= allowed {
            Ok(asked as u32)
        } else {
            Err(LimitError::ConnectionsAboveDescriptors { asked, allowed })
        };
    }
    let Some(rate) = load.target_rate() else { return Ok(allowed as u32) };
    let outstanding =
        |while_standing: Nanos| (rate.as_per_second() * while_standing.as_secs_f64()).ceil() as u64;
    let needed = outstanding(timeout.min(STALL_TO_CARRY));
    if needed > allowed {
        return Err(LimitError::RateAboveDescriptors { rate, needed, allowed });
    }
    // No more can be out than become due within the time limit.
    Ok(outstanding(timeout).max(64).min(allowed).min(ports) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::ArrivalProcess;

    fn open(rate: f64) -> Load {
        Load::Open { rate: Rate::per_second(rate).expect("a rate"), arrivals: ArrivalProcess::Poisson }
    }

    #[test]
    fn an_open_load_may_have_what_can_become_due_within_the_time_limit() {
        let timeout = Nanos::from_secs(10);
        let cases = [
            (500.0, 20_000, 28_000, 5_000),
            (0.2, 20_000, 28_000, 64),
            (5_000.0, 20_000, 28_000, 20_000),
            (5_000.0, 90_000, 28_000, 28_000),
        ];
        for (rate, descriptors, ports, expected) in cases {
            assert_eq!(
                within(open(rate), timeout, None, descriptors, ports),
                Ok(expected),
                "{rate}/s, {descriptors}"
            );
        }
    }

    #[test]
    fn a_rate_that_descriptors_cannot_carry_through_one_second_is_refused() {
        let refused = within(open(5_000.0), Nanos::from_secs(10), None, 4_999, 28_000);
        assert!(matches!(
            refused,
            Err(LimitError::RateAboveDescriptors { needed: 5_000, allowed: 4_999, .. })
        ));
        assert_eq!(within(open(5_000.0), Nanos::from_secs(10), None, 5_000, 28_000), Ok(5_000));
        // With connections stated, or a short time limit, it is what was asked for.
        assert_eq!(within(open(5_000.0), Nanos::from_secs(10), Some(100), 4_999, 28_000), Ok(100));
        assert_eq!(within(open(5_000.0), Nanos::from_millis(100), None, 4_999, 28_000), Ok(500));
    }

    #[test]
    fn closed_loops_have_their_own_number_and_too_many_are_refused() {
        assert_eq!(
            within(Load::Closed { connections: 64 }, Nanos::from_secs(1), None, 1_000, 28_000),
            Ok(64)
        );
        let refused = within(Load::Closed { connections: 2_000 }, Nanos::from_secs(1), None, 1_000, 28_000);
        assert_eq!(refused, Err(LimitError::ConnectionsAboveDescriptors { asked: 2_000, allowed: 1_000 }));
    }
}
