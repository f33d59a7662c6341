//! All runs put together: arms, the worst verdict, and the answer in one sentence.

use crate::bounds;
use crate::comparison::{self, comparisons};
use crate::summary::{ArmSummary, Comparison, Doubt, Point, RunSummary, Summary, Verdict, WindowSpread};
use model::{Load, MachineFacts, Nanos, Number, PlanFacts, RunRecord};

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
    let mut arms = grouped(runs);
    let plan = plan.unwrap_or_default();
    // In the order of the plan; without one, as they came.
    arms.sort_by_key(|arm| plan.arms.iter().position(|name| *name == arm.name));
    let comparisons = comparisons(&arms, &plan.pairings);
    let bounds = plan.bounds.iter().map(|bound| bounds::bound(&arms, *bound)).collect();
    let planned_runs = (plan.rounds > 0).then(|| plan.arms.len() as u32 * plan.rounds);
    let made = arms.iter().map(|arm| arm.runs.len() as u32).sum();
    let mut doubts = machine_doubts(&machine);
    doubts.extend(runs_missing(made, planned_runs));
    doubts.extend(comparisons.iter().filter_map(false_alarm));
    doubts.extend(few_rounds(&comparisons));
    let of_runs = arms.iter().flat_map(|arm| &arm.runs).map(|run| run.verdict);
    let verdict = of_runs.chain(doubts.iter().map(|doubt| doubt.weight)).max();
    Summary {
        question,
        answer: answer(&arms, &comparisons),
        verdict: verdict.unwrap_or(Verdict::Void),
        doubts,
        arms,
        comparisons,
        guesses: Vec::new(),
        bounds,
        planned_runs,
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
    for arm in &mut arms {
        arm.runs.sort_by_key(|run| run.facts.round);
        arm.windows = spread(&arm.runs);
    }
    arms
}

/// How far the windows of an arm's runs lie apart. Lower bounds count with the
/// least that is known of them; void runs have no say.
fn spread(runs: &[RunSummary]) -> Option<WindowSpread> {
    let usable: Vec<&RunSummary> =
        runs.iter().filter(|run| run.verdict != Verdict::Void && !run.windows.is_empty()).collect();
    let ends = |values: Vec<Nanos>| Some((*values.iter().min()?, *values.iter().max()?));
    let value = |point: Option<Point>| point.map(|point| point.value);
    let first = usable.iter().filter_map(|run| value(run.windows[0].p99)).collect();
    let any = usable.iter().flat_map(|run| &run.windows).filter_map(|window| value(window.p99)).collect();
    let whole = usable.iter().filter_map(|run| value(run.response_time.p99)).collect();
    let length = usable.first()?.windows[0].length;
    Some(WindowSpread { length, first: ends(first)?, whole: ends(whole)?, any: ends(any)? })
}

/// Answers a second that the service can give, as the experiment itself shows
/// it: the most that a closed loop of ours got from a service that was not
/// asked to stall. `None` without such a run.
pub fn capacity<'a>(records: impl Iterator<Item = &'a RunRecord>) -> Option<f64> {
    let reached = records.filter_map(|record| {
        let (facts, end) = (&record.facts, record.end.as_ref()?);
        let is_closed = matches!(facts.load, Load::Closed { .. }) && facts.tool.is_none();
        let seconds = end.counted_until.saturating_sub(facts.warm_up).as_secs_f64();
        let tells = is_closed && facts.stalls_asked != Some(true) && !end.interrupted && seconds > 0.0;
        tells.then(|| end.taken_counted as f64 / seconds)
    });
    reached.filter(|rate| *rate > 0.0).max_by(f64::total_cmp)
}

fn runs_missing(made: u32, planned: Option<u32>) -> Option<Doubt> {
    let planned = planned.filter(|planned| made < *planned)?;
    Some(Doubt {
        code: "runs-missing",
        weight: Verdict::Doubtful,
        says: format!("{made} of {planned} planned runs were made"),
        hint: Some("go on where it stopped: doorclock run PLAN --resume DIR".to_owned()),
    })
}

fn false_alarm(one: &Comparison) -> Option<Doubt> {
    (one.pairing.is_twin && one.told_apart == Some(true)).then(|| Doubt {
        code: "false-alarm",
        weight: Verdict::Doubtful,
        says: format!(
            "`{}` was told apart from itself (`{}`): so may others be",
            one.pairing.a, one.pairing.b
        ),
        hint: Some(
            "by chance this comes in 3 of 100 experiments of six rounds; look for what else differed"
                .to_owned(),
        ),
    })
}

fn few_rounds(comparisons: &[Comparison]) -> Option<Doubt> {
    let pairs = comparisons.iter().filter(|one| !one.pairing.is_twin).count();
    let rounds = comparisons.iter().map(|one| one.rounds).min().filter(|_| pairs > 0)?;
    let needed = stats::rounds_for(pairs);
    (rounds < needed).then(|| Doubt {
        code: "few-rounds",
        weight: Verdict::Valid,
        says: format!(
            "{rounds} rounds are too few for {pairs} comparisons: by Holm's correction none of them can pass at 5 %"
        ),
        hint: Some(format!("{needed} rounds are enough (`rounds.count`), or compare fewer pairs")),
    })
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

fn answer(arms: &[ArmSummary], comparisons: &[Comparison]) -> String {
    let told: Vec<&Comparison> = comparisons.iter().filter(|one| !one.pairing.is_twin).collect();
    if let Some(widest) = told.iter().max_by(|a, b| distance(a).total_cmp(&distance(b)))
        && widest.effect.is_some()
    {
        return by_comparison(arms, &told, widest);
    }
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

/// How far apart the two are, whichever is larger.
fn distance(one: &Comparison) -> f64 {
    one.effect.map_or(-1.0, |effect| effect.ln_1p().abs())
}

/// The pair furthest apart with its figures, and how many pairs are told apart.
fn by_comparison(arms: &[ArmSummary], all: &[&Comparison], widest: &Comparison) -> String {
    let pairing = &widest.pairing;
    let of = |name: &str| {
        arms.iter()
            .find(|arm| arm.name == name)
            .map_or("unknown".to_owned(), |arm| middle(arm, pairing.number))
    };
    let apart = all.iter().filter(|one| one.told_apart == Some(true)).count();
    let verdict = match (apart, all.len()) {
        (0, 1) if widest.told_apart.is_none() => "too few rounds to tell them apart".to_owned(),
        (0, 1) => "not told apart".to_owned(),
        (1, 1) => "told apart".to_owned(),
        (_, all) => format!("{apart} of {all} pairs are told apart"),
    };
    format!(
        "At {} {} took {} and {} {}: {}; {verdict}.",
        pairing.number.name(),
        pairing.b,
        of(&pairing.b),
        pairing.a,
        of(&pairing.a),
        times(widest.effect.unwrap_or_default()),
    )
}

/// A share of change in words: `3.2 times as much`, `12 % more`, `90 % less`.
fn times(effect: f64) -> String {
    match effect {
        effect if effect >= 9.0 => format!("{:.0} times as much", effect + 1.0),
        effect if effect >= 1.0 => format!("{:.1} times as much", effect + 1.0),
        effect if effect >= 0.0 => format!("{:.1} % more", effect * 100.0),
        effect => format!("{:.1} % less", -effect * 100.0),
    }
}

/// The middle of an arm's rounds.
fn middle(arm: &ArmSummary, number: Number) -> String {
    let mut values: Vec<f64> = arm.runs.iter().filter_map(|run| comparison::value(run, number)).collect();
    values.sort_by(f64::total_cmp);
    match values.get(values.len().saturating_sub(1) / 2) {
        Some(value) => Nanos(*value as u64).to_string(),
        None => "unknown".to_owned(),
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
