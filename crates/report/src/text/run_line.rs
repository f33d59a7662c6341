//! One run of a planned experiment in a line, as it ends.

use super::shape::in_one_line;
use crate::numbers::{measured, per_second, point};
use analysis::{RunSummary, Verdict};

/// Columns of the arm's name.
const NAME: usize = 24;

/// `R2 open-546    p99 84.9 ms [79, 90] · 546/s`, and what speaks against it, if
/// that makes it void; of a load that changes over time what it was sent for:
/// `R1 burst    recovered in 2.01 s, backlog up to 1,012 · 640/s`.
pub fn run_line(run: &RunSummary) -> String {
    let facts = &run.facts;
    let says = match run.verdict {
        Verdict::Void => {
            let why = run.doubts.iter().find(|doubt| doubt.weight == Verdict::Void);
            format!("VOID: {}", why.map_or("no number of it should be used", |doubt| &doubt.says))
        }
        _ if run.told.as_ref().is_some_and(|told| !told.gave_samples) => {
            format!("p99 {} by its own account", point(run.response_time.p99))
        }
        _ => in_one_line(run).unwrap_or_else(|| {
            let p99 = measured(run.response_time.p99, run.p99_interval);
            format!("p99 {} {}", p99.value, p99.bracket)
        }),
    };
    let failed = match run.failed_total() {
        0 => String::new(),
        failed => format!(" · {failed} failed"),
    };
    let cut = if run.interrupted { " · interrupted" } else { "" };
    let rate = per_second(run.rate_per_s);
    format!("R{:<3} {:<NAME$} {says} · {rate}{failed}{cut}", facts.round, facts.arm)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{doubt, failing, open, run};

    #[test]
    fn a_run_is_told_in_one_line_with_what_speaks_against_it() {
        let good = run("open-546", open(546.0), true);
        let mut void = failing();
        void.verdict = Verdict::Void;
        void.doubts = vec![doubt("no-requests", Verdict::Void, "nothing was sent", None)];
        insta::assert_snapshot!([run_line(&good), run_line(&failing()), run_line(&void)].join("\n"));
    }
}
