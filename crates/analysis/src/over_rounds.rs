//! An arm's bursts over all its rounds.

use crate::summary::{
    ArmSummary, BurstFigures, BurstRounds, Distribution, LengthEstimate, Point, Recovery, Verdict,
};
use model::Nanos;
use stats::{Paired, median};

/// Rounds from which on their scatter gives an interval.
const FEWEST: usize = 3;

impl ArmSummary {
    /// Its bursts over all rounds that are not void, in order; of a burst that
    /// some rounds ended before, over those that have it.
    ///
    /// A figure is that of the round in the middle: sorted, the one at place
    /// ⌊(n − 1) ÷ 2⌋ from 0. The recovery is the median of the rounds', and where
    /// all of three or more recovered, with ± t₀.₉₇₅ sd ÷ √n around it.
    pub fn bursts(&self) -> Vec<BurstRounds> {
        let runs = || self.runs.iter().filter(|run| run.verdict != Verdict::Void);
        let most = runs().map(|run| run.bursts.len()).max().unwrap_or(0);
        (0..most).map(|at| over(&runs().filter_map(|run| run.bursts.get(at)).collect::<Vec<_>>())).collect()
    }
}

fn over(rounds: &[&BurstFigures]) -> BurstRounds {
    let took: Vec<f64> = rounds
        .iter()
        .filter_map(|burst| match burst.recovery {
            Recovery::Took(took) => Some(took.0 as f64),
            Recovery::NotWithin(_) | Recovery::CannotSay => None,
        })
        .collect();
    let p99 = |of: fn(&BurstFigures) -> &Distribution| {
        let points = rounds.iter().filter_map(|burst| of(burst).p99);
        middle(points.collect(), |point: &Point| (point.value, point.at_least))
    };
    BurstRounds {
        rounds: rounds.len() as u32,
        recovered: took.len() as u32,
        recovery: estimate(&took).filter(|_| took.len() == rounds.len()),
        before_p99: p99(|burst| &burst.before.response_time),
        during_p99: p99(|burst| &burst.during.response_time),
        after_p99: p99(|burst| &burst.after.response_time),
        peak_backlog: middle(rounds.iter().map(|burst| burst.peak_backlog).collect(), |one| *one)
            .unwrap_or(0),
        usual_backlog: middle(rounds.iter().map(|burst| burst.usual_backlog).collect(), |one| *one)
            .unwrap_or(0),
        during_scheduled: rounds.iter().map(|burst| burst.during.scheduled).sum(),
        during_not_ok: rounds.iter().map(|burst| burst.during.not_ok).sum(),
    }
}

fn middle<T: Copy, K: Ord>(mut all: Vec<T>, key: impl Fn(&T) -> K) -> Option<T> {
    all.sort_by_key(key);
    all.get(all.len().checked_sub(1)? / 2).copied()
}

fn estimate(nanos: &[f64]) -> Option<LengthEstimate> {
    let value = median(nanos)?;
    let interval = || Paired::new(nanos)?.student_interval(0.95);
    let half = interval().filter(|_| nanos.len() >= FEWEST).map(|(low, high)| (high - low) / 2.0);
    let interval = half.map(|half| (Nanos((value - half).max(0.0) as u64), Nanos((value + half) as u64)));
    Some(LengthEstimate { value: Nanos(value as u64), interval })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Run, summary};
    use crate::summary::RunSummary;
    use model::ShapeKind;

    /// An arm whose rounds recovered after so many milliseconds; 0 for never.
    fn arm(recoveries_ms: &[u64]) -> ArmSummary {
        let stages = [(5, 200.0, 200.0), (1, 600.0, 600.0), (4, 200.0, 200.0)];
        let burst =
            Run::shaped(ShapeKind::Burst, &stages, Nanos::from_millis(2), 1).judged().bursts.remove(0);
        let round = |(round, ms): (u32, &u64)| {
            let mut run: RunSummary = summary("a", round, 5.0);
            let mut burst = burst.clone();
            burst.recovery = match ms {
                0 => Recovery::NotWithin(Nanos::from_secs(4)),
                ms => Recovery::Took(Nanos::from_millis(*ms)),
            };
            burst.peak_backlog = u64::from(round) * 10;
            run.bursts = vec![burst];
            run
        };
        let runs = (1..).zip(recoveries_ms).map(round).collect();
        ArmSummary { name: "a".to_owned(), runs, pooled: None, windows: None, ramp: None }
    }

    #[test]
    fn recovery_is_the_median_of_the_rounds_with_students_interval() {
        let all = arm(&[1_900, 2_100, 2_000]).bursts();
        let [burst] = &all[..] else { panic!("one burst") };
        let recovery = burst.recovery.expect("all recovered");
        assert_eq!((burst.rounds, burst.recovered, recovery.value), (3, 3, Nanos::from_secs(2)));
        // t of 2 is 4.303, sd 0.1 and n 3: ± 0.248 s.
        let (low, high) = recovery.interval.expect("three rounds");
        assert!((low.as_secs_f64() - 1.752).abs() < 0.001 && (high.as_secs_f64() - 2.248).abs() < 0.001);
        assert_eq!(burst.peak_backlog, 20);
        assert_eq!(arm(&[1_900, 2_100]).bursts()[0].recovery.expect("both").interval, None);
    }

    #[test]
    fn a_round_without_recovery_leaves_no_time_but_a_count() {
        let burst = arm(&[1_900, 0, 2_000, 2_100]).bursts().remove(0);
        assert_eq!((burst.rounds, burst.recovered, burst.recovery), (4, 3, None));
        assert_eq!(burst.during_scheduled % 4, 0);
    }

    #[test]
    fn void_rounds_have_no_say_and_shorter_ones_only_where_they_went() {
        let mut one = arm(&[1_900, 2_100, 2_000]);
        one.runs[0].verdict = Verdict::Void;
        one.runs[1].bursts.clear();
        let burst = one.bursts().remove(0);
        assert_eq!((burst.rounds, burst.peak_backlog), (1, 30));
        one.runs.truncate(1);
        assert!(one.bursts().is_empty());
    }
}
