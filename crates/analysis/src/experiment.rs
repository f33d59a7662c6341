//! All runs put together: arms, the worst verdict, and the answer in one sentence.

use crate::summary::{ArmSummary, Doubt, Point, RunSummary, Summary, Verdict};
use model::{MachineFacts, PlanFacts};

/// Less idle than this before the runs, and others were using the machine.
const LEAST_IDLE: f64 = 0.9;
/// More of its time than this given to other machines, and it was not ours.
const MOST_STEAL: f64 = 0.02;

/// What is known of an experiment besides its runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExperimentFacts {
    /// What was asked.
    pub question: String,
    /// The machine it ran on.
    pub machine: MachineFacts,
    /// Version of doorclock that measured.
    pub tool_version: String,
    /// When it began: UTC, RFC 3339, whole seconds.
    pub began: String,
    /// What the plan decides beyond single runs; `None` where there was no plan.
    pub plan: Option<PlanFacts>,
}

/// The whole experiment from its runs, in the order in which arms first came.
pub fn experiment(facts: ExperimentFacts, runs: Vec<RunSummary>) -> Summary {
    let ExperimentFacts { question, machine, tool_version, began, plan } = facts;
    let arms = grouped(runs);
    let doubts = machine_doubts(&machine);
    let of_runs = arms.iter().flat_map(|arm| &arm.runs).map(|run| run.verdict);
    let verdict = of_runs.chain(doubts.iter().map(|doubt| doubt.weight)).max();
    Summary {
        question,
        answer: answer(&arms),
        verdict: verdict.unwrap_or(Verdict::Void),
        doubts,
        arms,
        comparisons: Vec::new(),
        guesses: Vec::new(),
        bounds: Vec::new(),
        planned_runs: plan.map(|plan| plan.arms.len() as u32 * plan.rounds),
        machine,
        tool_version,
        began,
    }
}

fn grouped(runs: Vec<RunSummary>) -> Vec<ArmSummary> {
    let mut arms: Vec<ArmSummary> = Vec::new();
    for run in runs {
        match arms.iter_mut().find(|arm| arm.name == run.facts.arm) {
            Some(arm) => arm.runs.push(run),
            None => arms.push(ArmSummary {
                name: run.facts.arm.clone(),
                runs: vec![run],
                pooled: None,
                windows: None,
            }),
        }
    }
    arms.iter_mut().for_each(|arm| arm.runs.sort_by_key(|run| run.facts.round));
    arms
}

fn machine_doubts(machine: &MachineFacts) -> Vec<Doubt> {
    let percent = |share: f64| format!("{:.0} %", share * 100.0);
    let busy = machine.idle_share.filter(|share| *share < LEAST_IDLE).map(|share| Doubt {
        code: "busy-machine",
        weight: Verdict::Doubtful,
        says: format!("the machine was only {} idle before the runs: others were using it", percent(share)),
        hint: Some("stop what else runs, and measure again".to_owned()),
    });
    let stolen = machine.steal_share.filter(|share| *share > MOST_STEAL).map(|share| Doubt {
        code: "stolen-time",
        weight: Verdict::Doubtful,
        says: format!("the hypervisor gave {} of the machine's time to others", percent(share)),
        hint: Some("measure on a machine of its own, or with dedicated cores".to_owned()),
    });
    busy.into_iter().chain(stolen).collect()
}

fn answer(arms: &[ArmSummary]) -> String {
    match arms {
        [] => "Nothing was run.".to_owned(),
        [ArmSummary { runs, .. }] if runs.len() == 1 => one_run(&runs[0]),
        [arm] => format!("Users waited {} at p99.", p99_of(arm)),
        arms => {
            let each: Vec<String> = arms.iter().map(|arm| format!("{} {}", arm.name, p99_of(arm))).collect();
            format!("p99 from the scheduled moment: {}.", each.join(", "))
        }
    }
}

fn one_run(run: &RunSummary) -> String {
    let void = run.doubts.iter().find(|doubt| doubt.weight == Verdict::Void);
    let response = &run.response_time;
    let (None, Some(p50), Some(p99)) = (void, response.p50, response.p99) else {
        let why = void.map_or("no request was counted", |doubt| doubt.says.as_str());
        return format!("No number of this run should be used: {why}.");
    };
    let interval = match (run.p99_interval.low, run.p99_interval.high) {
        (Some(low), Some(high)) => format!(" (95 % interval {low} to {high})"),
        (Some(low), None) => format!(" (at least {low}; this run does not bound it)"),
        (None, _) => String::new(),
    };
    let behind = match run.kept_up.kept_up {
        Some(false) if run.load().users().is_none() => ", and the service fell behind",
        _ => "",
    };
    let rate = run.load().target_rate().map_or(format!("{:.0}/s", run.rate_per_s), |rate| rate.to_string());
    format!(
        "At {rate} ({} loop) users waited {} at the median and {} at p99{interval}{behind}.",
        run.load().name(),
        length(p50),
        length(p99)
    )
}

/// An arm's p99: of its one round, or the middle and the range of its rounds'.
/// Void runs have no say.
fn p99_of(arm: &ArmSummary) -> String {
    let usable = arm.runs.iter().filter(|run| run.verdict != Verdict::Void);
    let mut points: Vec<Point> = usable.filter_map(|run| run.response_time.p99).collect();
    points.sort_unstable_by_key(|point| (point.value, point.at_least));
    match points.as_slice() {
        [] => "unknown".to_owned(),
        [one] => length(*one),
        [first, .., last] => {
            let middle = points[(points.len() - 1) / 2];
            let range = format!("{} to {}", length(*first), length(*last));
            format!("{} ({range} in {} rounds)", length(middle), points.len())
        }
    }
}

fn length(point: Point) -> String {
    let Point { value, at_least } = point;
    if at_least { format!("≥ {value}") } else { value.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Run;
    use model::Nanos;

    fn run(arm: &str, round: u32, p99_ms: u64) -> RunSummary {
        let mut run = Run::calm().judged();
        run.facts.arm = arm.to_owned();
        run.facts.round = round;
        run.response_time.p99 = Some(Point { value: Nanos::from_millis(p99_ms), at_least: false });
        run
    }

    fn put_together(runs: Vec<RunSummary>, machine: MachineFacts) -> Summary {
        let facts = ExperimentFacts {
            question: "how slow?".to_owned(),
            machine,
            tool_version: "0.1.0".to_owned(),
            began: "2026-12-01T10:15:00Z".to_owned(),
            plan: None,
        };
        experiment(facts, runs)
    }

    #[test]
    fn arms_keep_the_order_in_which_they_came_and_rounds_are_sorted() {
        let runs = vec![run("b", 1, 10), run("a", 1, 20), run("a", 3, 22), run("b", 2, 12), run("a", 2, 21)];
        let summary = put_together(runs, MachineFacts::default());
        let arms: Vec<(&str, Vec<u32>)> = summary
            .arms
            .iter()
            .map(|arm| (arm.name.as_str(), arm.runs.iter().map(|run| run.facts.round).collect()))
            .collect();
        assert_eq!(arms, [("b", vec![1, 2]), ("a", vec![1, 2, 3])]);
        assert_eq!(
            summary.answer,
            "p99 from the scheduled moment: b 10.0 ms (10.0 ms to 12.0 ms in 2 rounds), \
             a 21.0 ms (20.0 ms to 22.0 ms in 3 rounds)."
        );
        assert_eq!(summary.verdict, Verdict::Valid);
    }

    #[test]
    fn one_run_is_answered_with_its_median_and_interval() {
        let mut one = run("open-500", 1, 85);
        one.p99_interval.low = Some(Nanos::from_millis(79));
        one.p99_interval.high = Some(Nanos::from_millis(90));
        one.response_time.p50 = Some(Point { value: Nanos::from_micros(1300), at_least: false });
        let answer = |run: &RunSummary| put_together(vec![run.clone()], MachineFacts::default()).answer;
        assert_eq!(
            answer(&one),
            "At 500/s (open loop) users waited 1.30 ms at the median and 85.0 ms at p99 \
             (95 % interval 79.0 ms to 90.0 ms)."
        );
        one.p99_interval.high = None;
        one.kept_up.kept_up = Some(false);
        one.response_time.p99 = Some(Point { value: Nanos::from_millis(85), at_least: true });
        assert_eq!(
            answer(&one),
            "At 500/s (open loop) users waited 1.30 ms at the median and ≥ 85.0 ms at p99 \
             (at least 79.0 ms; this run does not bound it), and the service fell behind."
        );
    }

    #[test]
    fn a_void_run_is_not_quoted() {
        let mut lost = Run::calm();
        lost.end().samples_lost = 3;
        let summary = put_together(vec![lost.judged()], MachineFacts::default());
        assert_eq!(summary.verdict, Verdict::Void);
        assert_eq!(summary.answer, "No number of this run should be used: 3 samples could not be kept.");
        let both = put_together(vec![run("a", 1, 10), lost.judged()], MachineFacts::default());
        assert_eq!(both.answer, "p99 from the scheduled moment: a 10.0 ms, open-500 unknown.");
        assert_eq!(put_together(Vec::new(), MachineFacts::default()).verdict, Verdict::Void);
    }

    #[test]
    fn a_busy_machine_makes_the_experiment_doubtful() {
        let machine = |idle, steal| MachineFacts {
            idle_share: Some(idle),
            steal_share: Some(steal),
            ..MachineFacts::default()
        };
        let codes = |machine| -> Vec<&str> {
            put_together(vec![run("a", 1, 10)], machine).doubts.iter().map(|doubt| doubt.code).collect()
        };
        assert!(codes(machine(0.95, 0.01)).is_empty());
        assert_eq!(codes(machine(0.85, 0.03)), ["busy-machine", "stolen-time"]);
        assert_eq!(put_together(vec![run("a", 1, 10)], machine(0.85, 0.0)).verdict, Verdict::Doubtful);
    }
}
