//! Plans as texts, with their rows in memory.

use plan::{Plan, PlanErrors, PlanFile};
use std::io;
use std::path::Path;

/// The plan in `text`, as a file `checkout.toml` beside some rows.
pub fn resolve(text: &str) -> Result<Plan, PlanErrors> {
    // The texts begin with the line end that raw strings begin with.
    PlanFile::parse("checkout.toml", text.trim_start_matches('\n'))?.resolve_reading(&rows)
}

/// What is said about the plan in `text`.
pub fn errors(text: &str) -> String {
    match resolve(text) {
        Ok(plan) => panic!("nothing is wrong with it: {plan:#?}"),
        Err(errors) => errors.to_string(),
    }
}

/// The files beside every plan.
pub fn rows(path: &Path) -> io::Result<Vec<u8>> {
    let text = match path.to_str() {
        Some("customers.csv") => "customer,score\nc-00001,0.250000\nc-00002,0.5\n",
        Some("customers.jsonl") => "{\"customer\": \"c \\\"1\\\"\", \"score\": 0.25, \"tags\": [1, \"x\"]}\n",
        Some("uneven.csv") => "customer,score\nc-00001\n",
        Some("empty.csv") => "customer,score\n",
        _ => return Err(io::ErrorKind::NotFound.into()),
    };
    Ok(text.into())
}
