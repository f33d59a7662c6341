//! What a plan can be expected to show, before it is run.

mod shape;

pub use shape::{PartsOutlook, ShapeOutlook, StageOutlook};

use model::{Load, Nanos, Shape};

/// Separate slow events below which a run gives no p99, and from which on its
/// interval holds: the limits by which a run is judged afterwards.
const FEWEST_EPISODES: f64 = 5.0;
const ENOUGH_EPISODES: f64 = 10.0;

/// Noise that is assumed where none is known yet: the standard deviation of
/// the logarithm of a paired ratio, as simulated for arms that share a seed.
const ASSUMED_SD: f64 = 0.024;

/// One arm as it is planned.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedArm {
    /// Its name.
    pub name: String,
    /// Who decides when the next request is due.
    pub load: Load,
    /// The load over the counted part; `None` if it stays the same.
    pub shape: Option<Shape>,
    /// The first few lines of its recording that could not be read, in words.
    pub skipped: Vec<String>,
    /// The slowest p99 that the plan accepts, if it says one.
    pub p99_bound: Option<Nanos>,
    /// The other tool that sends, by name.
    pub tool: Option<String>,
    /// The uncounted part, where it has a length of its own.
    pub warm_up: Nanos,
    /// The counted part.
    pub measure: Nanos,
    /// Mean time from one stall to the next, where the service is to stall.
    pub stalls_every: Option<Nanos>,
}

/// What one arm's runs will be.
#[derive(Clone, Debug, PartialEq)]
pub struct ArmOutlook {
    /// The arm.
    pub arm: PlannedArm,
    /// Counted requests a run: about, since arrivals come by chance. `None`
    /// where the service decides.
    pub requests: Option<f64>,
    /// The same over time; `None` if the load stays the same.
    pub shape: Option<ShapeOutlook>,
    /// Stalls in a run's counted part, on average.
    pub stalls: Option<f64>,
    /// Whether that is enough for a p99.
    pub p99: P99Outlook,
}

/// Whether a run will be long enough for its p99 to be quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum P99Outlook {
    /// Fewer than a thousand requests: the slowest 1 % are fewer than ten.
    TooFewRequests,
    /// Fewer than five stalls: the slowest 1 % will come from too few events.
    NoP99 {
        /// A length that holds ten.
        enough: Nanos,
    },
    /// Five to nine stalls: its interval will be weak.
    Weak {
        /// A length that holds ten.
        enough: Nanos,
    },
    /// Ten stalls or more.
    Enough,
    /// Nothing is known beforehand of when the service will be slow.
    Unknown,
}

/// The whole plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Outlook {
    /// Its arms.
    pub arms: Vec<ArmOutlook>,
    /// Its rounds.
    pub rounds: u32,
    /// Pairs that are compared, the twins left out.
    pub pairs: u32,
    /// The least p that so many rounds can give.
    pub p_floor: f64,
    /// Rounds with which one of so many pairs can be told apart at 5 % after
    /// Holm's correction; `None` where nothing is compared.
    pub rounds_needed: Option<u32>,
    /// The smallest effect that so many rounds will show four times in five,
    /// if paired ratios scatter by [`Outlook::assumed_sd`].
    pub smallest_visible: Option<f64>,
    /// That scatter.
    pub assumed_sd: f64,
    /// How long everything takes: the runs alone, without starts and waits.
    pub length: Nanos,
}

/// What `arms` over `rounds` can be expected to show, with `pairs` compared.
pub fn outlook(arms: Vec<PlannedArm>, rounds: u32, pairs: u32) -> Outlook {
    let round: Nanos = arms.iter().fold(Nanos::ZERO, |sum, arm| sum + arm.warm_up + arm.measure);
    Outlook {
        arms: arms.into_iter().map(of_arm).collect(),
        rounds,
        pairs,
        p_floor: stats::sign_flip_floor(rounds),
        rounds_needed: (pairs > 0).then(|| stats::rounds_for(pairs as usize)),
        smallest_visible: (pairs > 0).then(|| stats::smallest_visible(ASSUMED_SD, rounds)).flatten(),
        assumed_sd: ASSUMED_SD,
        length: round * u64::from(rounds),
    }
}

fn of_arm(arm: PlannedArm) -> ArmOutlook {
    let seconds = arm.measure.as_secs_f64();
    let requests = arm.load.target_rate().map(|rate| rate.as_per_second() * seconds);
    let stalls = arm.stalls_every.map(|every| seconds / every.as_secs_f64());
    let p99 = match (requests, arm.stalls_every.zip(stalls)) {
        (Some(requests), _) if requests < 1_000.0 => P99Outlook::TooFewRequests,
        (_, None) => P99Outlook::Unknown,
        (_, Some((every, stalls))) => {
            let enough = every * ENOUGH_EPISODES as u64;
            match stalls {
                stalls if stalls < FEWEST_EPISODES => P99Outlook::NoP99 { enough },
                stalls if stalls < ENOUGH_EPISODES => P99Outlook::Weak { enough },
                _ => P99Outlook::Enough,
            }
        }
    };
    ArmOutlook { shape: ShapeOutlook::of(&arm), arm, requests, stalls, p99 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{ArrivalProcess, Rate};

    pub(super) fn arm(rate: f64, measure_s: u64, stalls_every_s: Option<u64>) -> PlannedArm {
        PlannedArm {
            name: "open".to_owned(),
            load: Load::Open {
                rate: Rate::per_second(rate).expect("a rate"),
                arrivals: ArrivalProcess::Poisson,
            },
            shape: None,
            skipped: Vec::new(),
            p99_bound: None,
            tool: None,
            warm_up: Nanos::from_secs(1),
            measure: Nanos::from_secs(measure_s),
            stalls_every: stalls_every_s.map(Nanos::from_secs),
        }
    }

    #[test]
    fn a_run_is_long_enough_for_a_p99_by_the_stalls_it_will_hold() {
        let enough = Nanos::from_secs(40);
        for (rate, measure_s, every_s, expected) in [
            (546.0, 12, Some(4), P99Outlook::NoP99 { enough }),
            (546.0, 30, Some(4), P99Outlook::Weak { enough }),
            (546.0, 40, Some(4), P99Outlook::Enough),
            (546.0, 30, None, P99Outlook::Unknown),
            (10.0, 30, Some(1), P99Outlook::TooFewRequests),
        ] {
            let one = of_arm(arm(rate, measure_s, every_s));
            assert_eq!(one.p99, expected, "{rate}/s for {measure_s} s, a stall every {every_s:?} s");
        }
    }

    #[test]
    fn rounds_and_length_are_those_of_the_whole_plan() {
        let all = outlook(vec![arm(546.0, 30, None), arm(546.0, 10, None)], 6, 2);
        assert_eq!(all.length, Nanos::from_secs(6 * 42));
        assert_eq!(all.p_floor, 2.0 / 64.0);
        assert_eq!(all.rounds_needed, Some(7));
        assert_eq!(outlook(vec![arm(546.0, 30, None)], 1, 0).rounds_needed, None);
    }
}
