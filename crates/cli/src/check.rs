//! `doorclock check`: what a plan will do, and whether that is long enough.

use crate::args::CheckArgs;
use crate::failure::{Exit, Failure};
use crate::plan_file::{self, Loaded};
use crate::print;
use analysis::PlannedArm;
use model::{Nanos, Rate};
use plan::{Arm, ArmTester, Plan, WarmUp};

/// What starting and stopping a service takes, at a guess.
const START_AND_STOP: Nanos = Nanos::from_secs(2);

pub fn run(args: &CheckArgs) -> Result<Exit, Failure> {
    let loaded = plan_file::load(&args.plan, &args.changes)?;
    print::result(&report::text::outlook(
        &loaded.plan.question,
        &outlook(&loaded),
        between_runs(&loaded.plan),
    ));
    Ok(Exit::Measured)
}

fn outlook(loaded: &Loaded) -> analysis::Outlook {
    let plan = &loaded.plan;
    let arms = plan.arms.iter().map(|arm| planned(plan, arm)).collect();
    let pairs = plan.comparisons.iter().filter(|pairing| !pairing.is_twin).count();
    analysis::outlook(arms, plan.rounds.count, pairs as u32)
}

/// Time before each run beside its own: the quiet check, and the service's start.
fn between_runs(plan: &Plan) -> Nanos {
    let quiet = plan.environment.quiet.map_or(Nanos::ZERO, |quiet| quiet.over);
    quiet + plan.target.start.as_ref().map_or(Nanos::ZERO, |_| START_AND_STOP)
}

fn planned(plan: &Plan, arm: &Arm) -> PlannedArm {
    let (load, tool) = match &arm.tester {
        ArmTester::Doorclock { load, .. } => (*load, None),
        ArmTester::Command { load, import, .. } => {
            (*load, Some(import.map_or("command", plan::Import::name).to_owned()))
        }
    };
    // Before a shape, the load is that of its beginning.
    let begins_with = match &arm.shape {
        Some(shape) => shape.stages.first().and_then(|stage| shape.per_second(stage.from)),
        None => load.target_rate().map(Rate::as_per_second),
    };
    let warm_up = match (arm.warm_up, begins_with) {
        (WarmUp::For(length), _) => length,
        (WarmUp::Requests(requests), Some(per_second)) if per_second > 0.0 => {
            Nanos::from_secs_f64(requests as f64 / per_second)
        }
        (WarmUp::Requests(_), _) => Nanos::ZERO,
    };
    let (warm_up, measure) =
        if arm.count_warm_up { (Nanos::ZERO, warm_up + arm.measure) } else { (warm_up, arm.measure) };
    PlannedArm {
        name: arm.name.clone(),
        load,
        shape: arm.shape.clone(),
        skipped: arm.replay.as_ref().map_or(Vec::new(), |replay| replay.skipped.clone()),
        p99_bound: plan.bound.p99,
        tool,
        warm_up,
        measure,
        stalls_every: plan.stalls_in(arm).map(|stalls| stalls.every),
    }
}
