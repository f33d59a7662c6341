//! A task made of steps: each with a heading, its time, and its ending.
//!
//! A step that fails does not keep the next from running, so that one run
//! shows everything that is wrong.

use crate::failure::Failure;
use crate::{describe, say};
use std::time::Duration;

/// How a step ended, if it did not fail.
pub enum Ending {
    /// Done; with a remark for the last table, if there is one to make.
    Passed(String),
    /// Not done, and why.
    Skipped(String),
}

impl Ending {
    /// Done, with nothing to add.
    pub fn passed() -> Ending {
        Ending::Passed(String::new())
    }
}

/// The steps taken so far.
#[derive(Default)]
pub struct Steps(Vec<Step>);

struct Step {
    name: &'static str,
    took: Duration,
    ending: Result<Ending, ()>,
}

impl Steps {
    /// Takes one step.
    pub fn take(&mut self, name: &'static str, work: impl FnOnce() -> Result<Ending, Failure>) {
        say::line(format_args!("\n── {name}"));
        let (result, took) = say::timed(work);
        let ending = result.map_err(|failure| say::error(&format!("{name}: {}", describe(&failure))));
        say::line(format_args!("── {name}: {}", say::length(took)));
        self.0.push(Step { name, took, ending });
    }

    /// Prints every step with its time and ending; an error if one failed.
    pub fn finish(self) -> Result<(), Failure> {
        say::line("");
        for step in &self.0 {
            let (word, remark) = match &step.ending {
                Ok(Ending::Passed(remark)) => ("passed", remark.as_str()),
                Ok(Ending::Skipped(why)) => ("SKIPPED", why.as_str()),
                Err(()) => ("FAILED", ""),
            };
            let took = say::length(step.took);
            say::line(format_args!("{:<12}{word:<9}{took:>12}  {remark}", step.name).to_string().trim_end());
        }
        let failed: Vec<&str> = self.0.iter().filter(|s| s.ending.is_err()).map(|s| s.name).collect();
        if failed.is_empty() { Ok(()) } else { Err(Failure::Steps(failed.join(", "))) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_step_stops_no_other_and_fails_the_whole() {
        let mut taken = Vec::new();
        let mut steps = Steps::default();
        steps.take("one", || Err(Failure::Untidy(1)));
        steps.take("two", || {
            taken.push("two");
            Ok(Ending::passed())
        });
        let failure = steps.finish().expect_err("one failed");
        assert_eq!(failure.to_string(), "failed: one");
        assert_eq!(taken, ["two"]);
    }

    #[test]
    fn a_skipped_step_is_no_failure() {
        let mut steps = Steps::default();
        steps.take("one", || Ok(Ending::Skipped("nothing to do".to_owned())));
        assert!(steps.finish().is_ok());
    }
}
