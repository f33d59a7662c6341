//! Doubts about the experiment as a whole; those about single runs are in
//! [`crate::doubts`].

use super::shaped::{by_name, most};
use crate::doubts::{counted, doubt, percent};
use crate::summary::{ArmSummary, Comparison, Doubt, Grows, Growth, RunSummary, Verdict};
use model::{MachineFacts, ShapeKind};

/// Less idle than this before the runs, and others were using the machine.
const LEAST_IDLE: f64 = 0.9;
/// More of its time than this given to other machines, and it was not ours.
const MOST_STEAL: f64 = 0.02;
/// How often five rounds alone tell two equal arms apart: simulated, with
/// normal noise.
const FALSE_ALARMS_OF_FIVE: f64 = 0.042;

/// All of them.
pub(super) fn all(
    arms: &[ArmSummary],
    comparisons: &[Comparison],
    machine: &MachineFacts,
    planned_runs: Option<u32>,
) -> Vec<Doubt> {
    let made = arms.iter().map(|arm| arm.runs.len() as u32).sum();
    let of_plan = runs_missing(made, planned_runs).into_iter().chain(few_rounds(comparisons));
    let alarms = comparisons.iter().filter_map(false_alarm);
    let of_shapes = arms.iter().flat_map(of_shape);
    busy(machine).into_iter().chain(stolen(machine)).chain(of_plan).chain(alarms).chain(of_shapes).collect()
}

/// Whether an arm's shape can answer its question over all rounds.
fn of_shape(arm: &ArmSummary) -> Vec<Doubt> {
    let usable: Vec<&RunSummary> = arm.runs.iter().filter(|run| run.verdict != Verdict::Void).collect();
    let growths = by_name(&usable);
    too_steep(arm).into_iter().chain(too_short(arm, &growths)).chain(drift(arm, &growths)).collect()
}

fn too_steep(arm: &ArmSummary) -> Option<Doubt> {
    let why = arm.ramp.as_ref()?.too_steep.as_ref()?;
    let says = format!("`{}`: {why}", arm.name);
    Some(doubt("too-steep", Verdict::Doubtful, says, "let the load rise in steps, or more slowly"))
}

/// A soak that cannot tell whether anything grows has no answer; for a steady
/// load that is a remark.
fn too_short(arm: &ArmSummary, growths: &[Vec<&Growth>]) -> Option<Doubt> {
    let short = growths.iter().filter(|same| most(same).0 == Grows::TooShort);
    let short: Vec<&str> = short.map(|same| same[0].of.as_str()).collect();
    let weight = if kind(arm)? == ShapeKind::Soak { Verdict::Doubtful } else { Verdict::Valid };
    (!short.is_empty()).then(|| {
        let says = format!(
            "`{}` is too short to tell whether these grow: {} (its twelve windows hold too little, or each \
             hangs together with the next)",
            arm.name,
            short.join(", ")
        );
        doubt("too-short-to-tell", weight, says, "let it last several times as long")
    })
}

fn drift(arm: &ArmSummary, growths: &[Vec<&Growth>]) -> Option<Doubt> {
    let response = growths.first().filter(|_| kind(arm) == Some(ShapeKind::Steady))?;
    let way = match most(response).0 {
        Grows::Yes => "rose",
        Grows::Falls => "fell",
        Grows::NotSeen | Grows::Negligible | Grows::TooShort => return None,
    };
    let says = format!("`{}` was not steady: the median {way} over the counted part", arm.name);
    let hint = "allow a longer warm-up, or see what grows: a soak tells";
    Some(doubt("drift", Verdict::Doubtful, says, hint))
}

fn kind(arm: &ArmSummary) -> Option<ShapeKind> {
    Some(arm.runs.first()?.facts.shape.as_ref()?.kind)
}

fn busy(machine: &MachineFacts) -> Option<Doubt> {
    let idle = machine.idle_share.filter(|share| *share < LEAST_IDLE)?;
    let says = format!("the machine was only {} idle before the runs: others were using it", percent(idle));
    Some(doubt("busy-machine", Verdict::Doubtful, says, "stop what else runs, and measure again"))
}

fn stolen(machine: &MachineFacts) -> Option<Doubt> {
    let steal = machine.steal_share.filter(|share| *share > MOST_STEAL)?;
    let says = format!("the hypervisor gave {} of the machine's time to others", percent(steal));
    let hint = "measure on a machine of its own, or with dedicated cores";
    Some(doubt("stolen-time", Verdict::Doubtful, says, hint))
}

fn runs_missing(made: u32, planned: Option<u32>) -> Option<Doubt> {
    let planned = planned.filter(|planned| made < *planned)?;
    let says = format!("{made} of {} were made", counted(u64::from(planned), "planned run"));
    Some(doubt(
        "runs-missing",
        Verdict::Doubtful,
        says,
        "go on where it stopped: doorclock run PLAN --resume DIR",
    ))
}

/// By Holm's correction the least p of m comparisons must be at most 0.05 ÷ m,
/// which few rounds cannot reach however far apart the arms are.
fn few_rounds(comparisons: &[Comparison]) -> Option<Doubt> {
    let pairs = || comparisons.iter().filter(|one| !one.pairing.is_twin);
    let rounds = pairs().map(|one| one.rounds).max()?;
    let needed = stats::rounds_for(pairs().count());
    (rounds < needed).then(|| {
        let says = format!(
            "{} too few for {}: whatever they show, no p can be at most 5 % after Holm's correction",
            if rounds == 1 { "1 round is".to_owned() } else { format!("{rounds} rounds are") },
            counted(pairs().count() as u64, "comparison")
        );
        let hint = format!("{needed} rounds are enough (`rounds.count`), or compare fewer pairs");
        doubt("few-rounds", Verdict::Valid, says, &hint)
    })
}

fn false_alarm(one: &Comparison) -> Option<Doubt> {
    let pairing = &one.pairing;
    (pairing.is_twin && one.told_apart == Some(true)).then(|| {
        let says = format!("`{}` was told apart from itself (`{}`): so may others be", pairing.a, pairing.b);
        let share = if one.rounds == 5 { FALSE_ALARMS_OF_FIVE } else { stats::sign_flip_floor(one.rounds) };
        let hint = format!(
            "by chance this comes in {} of experiments with {} rounds; look for what else differed",
            percent(share),
            one.rounds
        );
        doubt("false-alarm", Verdict::Doubtful, says, &hint)
    })
}
