//! A plan from its file and the flags that change it.

use crate::args::ChangeArgs;
use crate::failure::{Exit, Failure};
use crate::guesses;
use model::{Bound, Nanos, Number, PlanFacts};
use plan::{Plan, PlanErrors, PlanFile};
use std::path::Path;

/// A plan, and where it came from.
pub struct Loaded {
    /// As it was written, for errors that point into it.
    pub file: PlanFile,
    /// What will happen.
    pub plan: Plan,
    /// The flags that changed it, as they were typed.
    pub flags: Vec<String>,
}

/// Reads a plan and applies `changes`.
pub fn load(path: &Path, changes: &ChangeArgs) -> Result<Loaded, Failure> {
    let mut file = PlanFile::read(path).map_err(wrong)?;
    for (key, value) in &changes.set {
        file = file.set(key, value).map_err(wrong)?;
    }
    let mut plan = file.resolve().map_err(wrong)?;
    for arm in &changes.without {
        leave_out(&mut plan, arm)?;
    }
    let set = file.flags().map(|flag| format!("--set {flag}"));
    let without = changes.without.iter().map(|arm| format!("--without {arm}"));
    let flags = set.chain(without).collect();
    Ok(Loaded { file, plan, flags })
}

/// A plan that cannot be carried out: everything that is wrong, each with its place.
#[expect(clippy::needless_pass_by_value, reason = "it takes the place of the errors: `map_err(wrong)`")]
pub fn wrong(errors: PlanErrors) -> Failure {
    let text = errors.to_string();
    Failure::new(Exit::Usage, text.strip_prefix("error: ").unwrap_or(&text))
}

fn leave_out(plan: &mut Plan, arm: &str) -> Result<(), Failure> {
    let names = || plan.arms.iter().map(|arm| arm.name.as_str()).collect::<Vec<_>>().join(", ");
    if !plan.arms.iter().any(|one| one.name == arm) {
        return Err(Failure::new(Exit::Usage, format!("--without {arm}: the plan has no such arm"))
            .hint(format!("its arms are {}", names())));
    }
    if plan.arms.len() == 1 {
        return Err(Failure::new(Exit::Usage, format!("--without {arm} leaves nothing to run")));
    }
    plan.arms.retain(|one| one.name != arm);
    plan.comparisons.retain(|pairing| pairing.a != arm && pairing.b != arm);
    Ok(())
}

impl Loaded {
    /// What the results keep of the plan for analysis.
    pub fn facts(&self) -> PlanFacts {
        let plan = &self.plan;
        PlanFacts {
            sha256: self.checksum(),
            flags: self.flags.clone(),
            arms: plan.arms.iter().map(|arm| arm.name.clone()).collect(),
            rounds: plan.rounds.count,
            pairings: plan.comparisons.clone(),
            bounds: bounds(&plan.bound),
            guesses: plan.guesses.iter().map(guesses::planned).collect(),
        }
    }

    /// SHA-256 over the plan's text and the flags, a line each.
    pub fn checksum(&self) -> String {
        let flags: String = self.flags.iter().map(|flag| format!("\n{flag}")).collect();
        store::sha256_hex(format!("{}{flags}", self.file.text()).as_bytes())
    }
}

fn bounds(bound: &plan::Bound) -> Vec<Bound> {
    let all = [
        (Number::P50, bound.p50),
        (Number::P90, bound.p90),
        (Number::P95, bound.p95),
        (Number::P99, bound.p99),
        (Number::P999, bound.p999),
        (Number::Max, bound.max),
    ];
    let named = |(number, at_most): (Number, Option<Nanos>)| Some(Bound { number, at_most: at_most? });
    all.into_iter().filter_map(named).collect()
}
