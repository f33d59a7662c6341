//! Guesses as conditions: yes or no, over figures of arms.
//!
//! The grammar is that of Jinja's expressions; what it may say is much less,
//! and typed: a figure is one number for each round (`arm['a'].p99_ms`), a
//! filter makes one number of them (`| min`), numbers are compared, and
//! comparisons joined by `and`, `or` and `not`. So everything that could go
//! wrong is found before the run, and judging cannot fail: what is unknown
//! makes the answer "cannot say", unless the rest decides it.
//!
//! Start at [`Condition`].

mod judge;
mod parse;

pub use judge::Judgement;

use std::ops::Range;

/// A figure that a guess may name: one number for each round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FigureName {
    /// As guesses write it, with its unit.
    pub name: &'static str,
    /// What it is.
    pub meaning: &'static str,
}

const fn figure(name: &'static str, meaning: &'static str) -> FigureName {
    FigureName { name, meaning }
}

/// Every figure that a guess may name.
#[rustfmt::skip] // One figure a line.
pub const FIGURES: &[FigureName] = &[
    figure("p50_ms", "median response time"),
    figure("p90_ms", "90th percentile of the response time"),
    figure("p95_ms", "95th percentile of the response time"),
    figure("p99_ms", "99th percentile of the response time"),
    figure("p999_ms", "99.9th percentile of the response time"),
    figure("max_ms", "the slowest response"),
    figure("mean_ms", "mean response time"),
    figure("service_p50_ms", "median service time"),
    figure("service_p99_ms", "99th percentile of the service time"),
    figure("service_max_ms", "the slowest service"),
    figure("late_p50_ms", "median lateness"),
    figure("late_p99_ms", "99th percentile of the lateness"),
    figure("corrected_hdr_p99_ms", "p99 corrected by HdrHistogram's rule"),
    figure("corrected_utilisation_p99_ms", "p99 corrected by the same rule with the idle share of the interval"),
    figure("corrected_replay_p99_ms", "p99 corrected by replaying the schedule"),
    figure("rate_per_s", "requests done a second"),
    figure("kept_up", "1 if the service kept up, 0 if it fell behind"),
    figure("scheduled", "requests that became due"),
    figure("ok", "requests answered as expected"),
    figure("failed", "requests that failed"),
    figure("unfinished", "requests sent and unanswered at the end"),
    figure("never_sent", "requests due and not sent"),
    figure("episodes", "separate slow events behind the slowest 1 %"),
    figure("stalls", "stalls that the service had"),
    figure("sent_during_stalls", "requests sent while the service stood still"),
    figure("first_window_p99_ms", "p99 of the first of twelve equal windows"),
    figure("near_mean_share", "share of requests within 10 % of the mean, 0 to 1"),
    figure("overlapped_share", "share of requests that were out during a stall, 0 to 1"),
    figure("accepted", "answers that accepted work, where it is followed"),
    figure("done", "work that was done"),
    figure("given_up", "work that the service gave up"),
    figure("result_p50_s", "median time from submit to result"),
    figure("result_p95_s", "95th percentile of the time from submit to result"),
    figure("result_max_s", "the longest time from submit to result"),
    figure("waiting_peak", "the most work submitted and not ended at once"),
    figure("drained_after_s", "time from the end of sending to the last end of work"),
    figure("cpu_us_per_request", "the tester's CPU time per request"),
    figure("core_share", "the tester's CPU time as a share of one core, 0 to 1"),
];

/// A guess as a condition.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    text: String,
    says: YesNo,
    arms: Vec<(String, Range<usize>)>,
}

impl Condition {
    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Reads a condition that stands alone, such as one that was kept with results.
    ///
    /// # Errors
    ///
    /// What is wrong with it, in words.
    pub fn parse(text: &str) -> Result<Condition, String> {
        Condition::parse_with_places(text).map_err(|(_, fault)| format!("the condition {}", fault.predicate))
    }

    /// The arms it names, each with its place in the text.
    pub(crate) fn arms(&self) -> &[(String, Range<usize>)] {
        &self.arms
    }
}

#[derive(Clone, Debug, PartialEq)]
enum YesNo {
    Not(Box<YesNo>),
    Both(Box<YesNo>, Box<YesNo>),
    Either(Box<YesNo>, Box<YesNo>),
    /// `first op1 a op2 b …`: every comparison of neighbours holds.
    Compare(Amount, Vec<(Order, Amount)>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Equal,
    Unequal,
    Less,
    AtMost,
    More,
    AtLeast,
}

#[derive(Clone, Debug, PartialEq)]
enum Amount {
    Number(f64),
    Folded { arm: String, figure: &'static str, fold: Fold },
    Negative(Box<Amount>),
    Sum(Box<Amount>, Box<Amount>),
    Difference(Box<Amount>, Box<Amount>),
    Product(Box<Amount>, Box<Amount>),
    Ratio(Box<Amount>, Box<Amount>),
}

/// What makes one number of the rounds' numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fold {
    Min,
    Max,
    Mean,
    Median,
    Sum,
}

const FOLDS: [(&str, Fold); 5] = [
    ("min", Fold::Min),
    ("max", Fold::Max),
    ("mean", Fold::Mean),
    ("median", Fold::Median),
    ("sum", Fold::Sum),
];

#[cfg(test)]
mod tests;
