//! Every reason to trust a run less.
//!
//! A doubt is one function from a [`Case`] to the doubt it raises, if any. A
//! new one goes into the file of its kind and into [`RULES`], and gets one
//! test that raises it and one that does not.

mod alongside;
mod books;
mod length;
mod machine;
mod service;
mod shape;
mod tester;

pub(crate) use machine::of_story;
pub(crate) use service::stalls_amiss;

use crate::summary::{Doubt, RunSummary, Verdict};
use model::{RunEnd, RunRecord};

/// A run and all that is known of it, before it is doubted.
pub(crate) struct Case<'a> {
    pub(crate) record: &'a RunRecord,
    pub(crate) summary: &'a RunSummary,
    /// Samples of the whole run.
    pub(crate) samples_all: u64,
    /// Samples of the counted part.
    pub(crate) samples_counted: u64,
    /// Counted requests that the tester itself held up for longer than the mean gap.
    pub(crate) own_delay_above_gap: u64,
    /// Counted requests that were due before the tester was killed, and have no row.
    pub(crate) unseen: u64,
}

impl Case<'_> {
    /// How the run ended, if it did.
    fn end(&self) -> Option<&RunEnd> {
        self.record.end.as_ref()
    }

    /// A number of counted requests as a share of all of them.
    fn share(&self, count: u64) -> f64 {
        count as f64 / self.samples_counted.max(1) as f64
    }

    /// Whether there is anything to judge: with no request or no answer, the
    /// doubts that say so are enough.
    fn has_answers(&self) -> bool {
        self.summary.ok > 0
    }
}

type Rule = fn(&Case) -> Option<Doubt>;

/// All of them, the gravest kinds first.
const RULES: [Rule; 36] = [
    books::no_requests,
    books::everything_failed,
    books::conservation,
    books::samples_missing,
    books::plan_not_kept,
    books::samples_lost,
    books::little,
    length::killed,
    length::interrupted,
    length::few_requests,
    length::few_episodes,
    length::wide_interval,
    tester::late_sending,
    tester::connection_limit,
    tester::limit_lowered,
    tester::saturated,
    service::failures,
    service::cut_off,
    service::fell_behind,
    service::below_rate,
    service::stalls,
    shape::not_recovered,
    shape::few_before_burst,
    shape::short_stages,
    shape::told_in_stretches,
    alongside::work_missing,
    alongside::nameless_work,
    alongside::unfinished_work,
    alongside::failed_questions,
    alongside::strange_ends,
    alongside::stored_differs,
    alongside::coarse_following,
    alongside::reading_gaps,
    tester::own_clock,
    tester::not_verified,
    tester::beyond_calibration,
];

/// The doubts that a run raises.
pub(crate) fn all(case: &Case) -> Vec<Doubt> {
    RULES.iter().filter_map(|rule| rule(case)).chain(machine::all(case)).collect()
}

pub(crate) fn doubt(code: &'static str, weight: Verdict, says: String, hint: &str) -> Doubt {
    let hint = (!hint.is_empty()).then(|| hint.to_owned());
    Doubt { code, weight, says, hint }
}

/// `4.2 %`, with as many decimals as a small share needs to not read as zero.
pub(crate) fn percent(share: f64) -> String {
    match share * 100.0 {
        of_100 if of_100 >= 9.95 => format!("{of_100:.0} %"),
        of_100 if of_100 >= 0.095 => format!("{of_100:.1} %"),
        of_100 => format!("{of_100:.3} %"),
    }
}

/// `1 request`, `7 requests`.
fn requests(count: u64) -> String {
    counted(count, "request")
}

/// `1 line`, `7 lines`.
pub(crate) fn counted(count: u64, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests;
