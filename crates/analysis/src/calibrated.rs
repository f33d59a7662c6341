//! How far a machine can be trusted as a tester, from runs at rising rates
//! against a peer that answers at once.

use crate::summary::RunSummary;
use model::{Load, Nanos};

/// Requests that must be sent and answered, of those that became due.
const MET: f64 = 0.999;

/// One rate that was tried.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Requests a second that were asked for.
    pub per_s: f64,
    /// Whether all but one in a thousand were sent and answered, and the tester's
    /// own delay stayed within the limit.
    pub is_met: bool,
    /// Median of the tester's own delay.
    pub late_p50: Option<Nanos>,
    /// Its 99th percentile.
    pub late_p99: Option<Nanos>,
    /// The longest.
    pub late_max: Option<Nanos>,
    /// Median service time, which is the peer's and the kernel's.
    pub service_p50: Option<Nanos>,
    /// CPU of the sending threads a request, in nanoseconds.
    pub cpu_ns: Option<f64>,
}

/// The step that a run of an open loop makes, with the limit of the 99th
/// percentile of the tester's own delay.
pub fn step(run: &RunSummary, within: Nanos) -> Step {
    let own = &run.lateness.own;
    let value = |point: Option<crate::Point>| point.map(|point| point.value);
    let per_s = match run.facts.load {
        Load::Open { rate, .. } => rate.as_per_second(),
        _ => 0.0,
    };
    let met = run.scheduled > 0 && run.ok as f64 >= MET * run.scheduled as f64;
    Step {
        per_s,
        is_met: met && value(own.p99).is_some_and(|p99| p99 <= within),
        late_p50: value(own.p50),
        late_p99: value(own.p99),
        late_max: value(own.max),
        service_p50: value(run.service_time.p50),
        cpu_ns: run.tester.sender_cpu_ns_per_request,
    }
}

/// The highest rate below which none was missed; zero if the first was.
pub fn trusted(steps: &[Step]) -> f64 {
    let met = steps.iter().take_while(|step| step.is_met);
    met.last().map_or(0.0, |step| step.per_s)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried(per_s: f64, is_met: bool) -> Step {
        Step {
            per_s,
            is_met,
            late_p50: None,
            late_p99: None,
            late_max: None,
            service_p50: None,
            cpu_ns: None,
        }
    }

    #[test]
    fn a_machine_is_trusted_up_to_the_first_rate_that_it_missed() {
        let all = [tried(1_000.0, true), tried(5_000.0, true), tried(20_000.0, false), tried(50_000.0, true)];
        assert_eq!(trusted(&all), 5_000.0);
        assert_eq!(trusted(&all[2..]), 0.0);
        assert_eq!(trusted(&[]), 0.0);
    }

    #[test]
    fn a_step_is_met_by_what_was_sent_and_by_how_late() {
        let mut run = crate::fixture::summary("open", 1, 8.0);
        let p99 = run.lateness.own.p99.expect("lateness").value;
        assert!(step(&run, p99).is_met);
        assert!(!step(&run, p99.saturating_sub(Nanos(1))).is_met);
        run.ok -= run.scheduled / 500;
        assert!(!step(&run, p99).is_met);
    }
}
