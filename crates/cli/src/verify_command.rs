//! `doorclock verify`: every reported number computed a second time, by code
//! that shares nothing with the first.

use crate::args::VerifyArgs;
use crate::experiment::chain;
use crate::failure::{Exit, Failure};
use crate::print;
use verify::{Verification, VerifyError};

pub fn run(args: &VerifyArgs) -> Result<Exit, Failure> {
    let verification = verify::verify(&args.folder).map_err(|error| failure(&error))?;
    print::result(&text(&verification));
    Ok(if verification.is_sound() { Exit::Measured } else { Exit::CheckFailed })
}

/// What differs, a line each; then what was computed; then what was left alone.
fn text(verification: &Verification) -> String {
    let mismatches = verification.mismatches.iter().map(ToString::to_string);
    let damage = verification.damage.iter().map(ToString::to_string);
    let left_alone = verification.not_checked.iter().map(|what| format!("not checked: {what}"));
    let all = std::iter::once(verification.to_string());
    mismatches.chain(damage).chain(all).chain(left_alone).collect::<Vec<_>>().join("\n")
}

fn failure(error: &VerifyError) -> Failure {
    let failure = Failure::new(Exit::Void, chain(error));
    match error {
        VerifyError::NoSummary { .. } | VerifyError::NoEnd { .. } => {
            failure.hint("there is nothing final to compare with; `doorclock report` shows what was kept")
        }
        _ => failure,
    }
}
